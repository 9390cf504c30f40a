//! The item that stands for the system under the user's name.
//!
//! The item is the function itself, which returns a `SystemFn` whose type identifies the system. In an `impl`, where that type cannot be
//! defined, the item is a constant of a type of the core. A function that rustc would reject is replaced by a constant of the system's
//! type, or by an enum variant if it is generic.
//!
//! Tests: ecs-derive/src/golden.rs, tests/systems/combined.rs

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Generics, ReturnType};

use super::attrs::{self, Attrs};
use super::model::Model;
use super::parse::Function;
use crate::generics::lifetimes;
use crate::hygiene::hygienic;

/// The names and generics of the item, in the forms in which the expansion writes them.
pub(super) struct Frame {
    /// The type of the system: `__strata_system_movement` or `__strata_system_movement<T>`.
    pub(super) ty: TokenStream,
    /// Type and const parameters with their bounds, without lifetimes.
    pub(super) generics: Generics,
    /// `T: 'static` for each type parameter, because a schedule may keep its systems for any time.
    pub(super) bounds: Vec<TokenStream>,
    /// `::<T>` after the function's name, if it is generic.
    pub(super) turbofish: TokenStream,
}

impl Frame {
    /// Reads the generics of the function.
    pub(super) fn new(function: &Function) -> Self {
        let mut generics = function.generics.clone();
        generics.params = function
            .generics
            .params
            .iter()
            .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
            .cloned()
            .collect();
        if generics.params.is_empty() {
            generics.lt_token = None;
            generics.gt_token = None;
        }
        let bounds = crate::generics::type_params(&generics).into_iter().map(|ident| hygienic!(#ident: 'static));
        let bounds = bounds.collect();
        let (_, type_generics, _) = generics.split_for_impl();
        let name = type_name(function);
        let (ty, turbofish) = (hygienic!(#name #type_generics), type_generics.as_turbofish().to_token_stream());
        Frame { ty, bounds, turbofish, generics }
    }
}

/// Returns the name of the system's type.
fn type_name(function: &Function) -> Ident {
    format_ident!("__strata_system_{}", function.ident.unraw(), span = Span::mixed_site())
}

/// Returns the name of a function of the expansion. It contains the user's name, so that profilers show it, and has the span of that name,
/// so that rustc merges errors that apply to both.
pub(super) fn inner_name(function: &Function, name: &str) -> Ident {
    format_ident!("__strata_{name}_{}", function.ident.unraw(), span = function.ident.span())
}

/// Returns the associated constant under the user's name, which contains all other items.
///
/// The parameter types are part of the type of the constant. Free functions have another form, because with this one rustc would report a
/// missing type twice, with different advice.
pub(super) fn associated(model: &Model, item: &TokenStream, ty: &TokenStream, block: &TokenStream) -> TokenStream {
    let Function { vis, ident, .. } = &model.function;
    let private = &model.options.private;
    let (keyword, end) = const_tokens(&model.function);
    hygienic! {
        #item
        #[allow(
            non_upper_case_globals,
            private_interfaces,
            elided_lifetimes_in_paths,
            mismatched_lifetime_syntaxes,
            unused_qualifications,
            clippy::type_complexity
        )]
        #vis #keyword #ident: #ty = {
            use #private as __strata;
            #block
        } #end
    }
}

/// Returns `const` and `;` with the span of the user's function, so that rustc reports an unused system as dead code, like a function.
fn const_tokens(function: &Function) -> (TokenStream, TokenStream) {
    let span = function.fn_token.span;
    (quote_spanned!(span=> const), quote_spanned!(span=> ;))
}

/// Returns the type of a pointer to the function.
pub(super) fn pointer(function: &Function) -> TokenStream {
    let named = lifetimes(&function.generics).into_iter().map(|param| &param.lifetime).collect::<Vec<_>>();
    let binder = (!named.is_empty()).then(|| hygienic!(for<#(#named),*>));
    let types = function.params.iter().map(|param| &param.ty);
    let output = &function.output;
    hygienic!(#binder fn(#(#types),*) #output)
}

/// Returns the user's function, changed to return a `SystemFn`: its output, and a type that identifies the system. The body becomes a
/// closure, so that `return` and `?` keep their meaning.
pub(super) fn item(model: &Model, frame: &Frame, lints: &TokenStream) -> TokenStream {
    let function = &model.function;
    let Function { attrs, vis, fn_token, ident, generics, parentheses, params, output, body, .. } = function;
    let (private, ty) = (&model.options.private, &frame.ty);
    let where_clause = &generics.where_clause;
    let is_inline = attrs.iter().any(|attr| attr.path().is_ident("inline"));
    let inline = (model.has_rows() && !is_inline).then(|| hygienic!(#[inline(always)]));
    let allows = attrs::item_allows();
    let (returned, of) = match output {
        ReturnType::Default => {
            // If the output should be another type than `()`, rustc reports that after the parentheses, so the generated `-> ()` gets that
            // span.
            let place = Span::mixed_site().located_at(parentheses.span.close());
            (hygienic!(-> #private::SystemFn<#ty>), quote_spanned!(place=> -> ()))
        }
        ReturnType::Type(_, out) => (hygienic!(-> #private::SystemFn<#ty, #out>), output.to_token_stream()),
    };
    let written = &model.options.text;
    // The options are a paragraph of their own, below the documentation that the user has written.
    let word = model.options.word.name();
    let options = (!written.is_empty()).then(|| format!("\n\n`#[{word}({written})]`"));
    let options = options.map(|text| hygienic!(#[doc = #text]));
    hygienic! {
        #lints
        #allows
        #(#attrs)*
        #options
        #inline
        #vis #fn_token #ident #generics (#(#params),*) #returned #where_clause {
            #private::SystemFn::of(#[inline(always)] move || #of #body)
        }
    }
}

/// Returns the tokens that follow a call of the function and extract its output.
pub(super) fn output_of(model: &Model) -> Option<TokenStream> {
    (!model.options.associated).then(|| hygienic!(.output))
}

/// Returns the definition of the type that identifies the system.
pub(super) fn system_type(model: &Model, frame: &Frame) -> TokenStream {
    let (private, vis, name) = (&model.options.private, &model.function.vis, type_name(&model.function));
    let (params, markers) = unbounded(private, &frame.generics);
    let (params, fields) = if params.is_empty() {
        (TokenStream::new(), TokenStream::new())
    } else {
        (hygienic!(<#(#params),*>), hygienic!((#private::PhantomData<fn() -> (#(#markers,)*)>)))
    };
    // The leading underscore of the type's name keeps rustc from reporting the type as unused at the function.
    hygienic! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, unreachable_pub)]
        #vis struct #name #params #fields;
    }
}

/// Returns the item for a function with errors that rustc would reject: a constant of the system's type. A generic system becomes an enum
/// variant, because a variant may be written `movement::<T>` and a constant may not be generic.
pub(super) fn declaration(
    private: &TokenStream,
    function: &Function,
    frame: &Frame,
    item: &TokenStream,
) -> TokenStream {
    let Function { vis, ident, .. } = function;
    let name = type_name(function);
    if !function.is_generic() {
        let (keyword, end) = const_tokens(function);
        return hygienic! {
            #[doc(hidden)]
            #[allow(dead_code, non_camel_case_types)]
            #vis struct #name;
            #item
            #[allow(non_upper_case_globals)]
            #vis #keyword #ident: #name = #name #end
        };
    }
    let (params, markers) = unbounded(private, &frame.generics);
    hygienic! {
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types, unreachable_pub)]
        #vis enum #name<#(#params),*> {
            #item
            #ident,
            #[doc(hidden)]
            __Phantom(#private::PhantomData<fn() -> (#(#markers,)*)>, #private::Infallible),
        }
        #[allow(deprecated, unused_imports, unreachable_pub)]
        #[doc(inline)]
        #vis use #name::#ident;
    }
}

/// Returns the type and const parameters without bounds, and a sized type for each type parameter, which uses it.
fn unbounded(private: &TokenStream, generics: &Generics) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let mut params = Vec::new();
    let mut markers = Vec::new();
    for param in &generics.params {
        match param {
            GenericParam::Type(param) => {
                let ident = &param.ident;
                params.push(hygienic!(#ident: ?#private::Sized));
                markers.push(hygienic!(#private::PhantomData<#ident>));
            }
            GenericParam::Const(param) => {
                let (ident, ty) = (&param.ident, &param.ty);
                params.push(hygienic!(const #ident: #ty));
            }
            _ => {}
        }
    }
    (params, markers)
}

/// Returns the user's function as an item that is private to the expansion. It keeps its name, which errors, lints and backtraces show, and
/// which hides the outer item, so that a parameter of the same name does not collide with that item.
pub(super) fn function(function: &Function, attrs: &Attrs, inline: bool) -> TokenStream {
    let Function { fn_token, ident, generics, parentheses, params, output, body, .. } = function;
    let where_clause = &generics.where_clause;
    // rustc suggests a missing return type after the parentheses, so they get the span of the parentheses that the user wrote.
    let mut inputs = Group::new(Delimiter::Parenthesis, hygienic!(#(#params),*));
    inputs.set_span(parentheses.span.join());
    let inline = (inline && !attrs.inline).then(|| hygienic!(#[inline(always)]));
    let (attrs, allows) = (&attrs.function, attrs::function_allows());
    hygienic! {
        #allows
        #attrs
        #inline
        #fn_token #ident #generics #inputs #output #where_clause #body
    }
}

/// Returns imports that hide items with the names of parameters. Otherwise a pattern `health` would mean the constant of a system `health`.
/// The imports hide the constant with a function, and a pattern may shadow a function.
pub(super) fn shadows(function: &Function) -> TokenStream {
    let mut names: Vec<Ident> = Vec::new();
    for name in function.params.iter().filter_map(super::parse::Param::name) {
        if name != function.ident && !names.contains(&name) && name != "_" {
            names.push(name);
        }
    }
    names.into_iter().map(|name| hygienic!(#[allow(unused_imports)] use __strata::refused_system as #name;)).collect()
}
