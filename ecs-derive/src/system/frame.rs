//! The item that stands for the system under the user's name, and what makes it a callable value.
//!
//! That is a constant of a type of its own; for a generic function the variant of an enum; and in an `impl`, where neither
//! type can be defined, a constant of a type of the core.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Generics};

use super::attrs::{self, Attrs};
use super::model::Model;
use super::parse::Function;
use crate::generics::{lifetimes, where_with};
use crate::hygiene::hygienic;

/// Names and generics of the item, as the parts of the expansion write them.
pub(super) struct Frame {
    /// The type of the system: `__strata_system_movement` or `__strata_system_movement<T>`.
    pub(super) ty: TokenStream,
    /// Type and const parameters with their bounds, without lifetimes.
    pub(super) generics: Generics,
    /// `T: 'static` for the type parameters: a schedule keeps its systems as long as it wants.
    pub(super) bounds: Vec<TokenStream>,
    /// `::<T>` behind the function's name, if it is generic.
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

/// The name of the system's type.
fn type_name(function: &Function) -> Ident {
    format_ident!("__strata_system_{}", function.ident.unraw(), span = Span::mixed_site())
}

/// The name of a function of the expansion, with the user's name in it: a profiler shows it. It stands where the user's name
/// does: so rustc takes what it finds wrong with both for one error.
pub(super) fn inner_name(function: &Function, name: &str) -> Ident {
    format_ident!("__strata_{name}_{}", function.ident.unraw(), span = function.ident.span())
}

/// The associated constant under the user's name: everything else is inside of it.
///
/// The types of the parameters are in the type of the constant. That is why free functions have another form: if such a
/// type does not exist, rustc says so twice, with different advice.
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

/// `const` and `;` with the spans of the user's function: so rustc calls an unused system dead code, as it does with
/// functions.
fn const_tokens(function: &Function) -> (TokenStream, TokenStream) {
    let span = function.fn_token.span;
    (quote_spanned!(span=> const), quote_spanned!(span=> ;))
}

/// The type of a pointer to the function.
pub(super) fn pointer(function: &Function) -> TokenStream {
    let named = lifetimes(&function.generics).into_iter().map(|param| &param.lifetime).collect::<Vec<_>>();
    let binder = (!named.is_empty()).then(|| hygienic!(for<#(#named),*>));
    let types = function.params.iter().map(|param| &param.ty);
    let output = &function.output;
    hygienic!(#binder fn(#(#types),*) #output)
}

/// The item under the user's name: a constant of a type of its own. (A unit struct would do, but clippy takes a call of
/// one for an operation without effect.) Generic systems are the variant of an enum, because a variant may be written
/// `movement::<T>` and a constant may not be generic.
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

/// The parameters without bounds, and a sized use of each type parameter.
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

/// The user's function, private to the expansion. It keeps its name: errors, lints and backtraces show it, and a
/// parameter of the same name does not collide with the item outside.
pub(super) fn function(function: &Function, attrs: &Attrs, inline: bool) -> TokenStream {
    let Function { fn_token, ident, generics, parentheses, params, output, body, .. } = function;
    let where_clause = &generics.where_clause;
    // rustc proposes a missing return type behind the parentheses: they have the place of the user's.
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

/// Hides items that are called like a parameter. A pattern `health` would mean the constant of a system called
/// `health`; a function of that name is shadowed by the pattern instead, and an import of any function will do.
pub(super) fn shadows(function: &Function) -> TokenStream {
    let mut names: Vec<Ident> = Vec::new();
    for name in function.params.iter().filter_map(super::parse::Param::name) {
        if name != function.ident && !names.contains(&name) && name != "_" {
            names.push(name);
        }
    }
    names.into_iter().map(|name| hygienic!(#[allow(unused_imports)] use __strata::refused_system as #name;)).collect()
}

/// Makes the item copyable and callable like the function.
///
/// The item may be more visible than the types of the parameters, but the associated type of a public implementation
/// may not name a private type (E0446). So a private trait names it, and `Deref` takes it as a parameter.
pub(super) fn callable(function: &Function, frame: &Frame) -> TokenStream {
    let ident = &function.ident;
    let Frame { ty, generics, bounds, turbofish } = frame;
    let (impl_generics, _, _) = generics.split_for_impl();
    let where_clause = where_with(generics, bounds);
    let pointer = pointer(function);

    let mut extended = generics.clone();
    extended.params.push(syn::parse_quote_spanned!(Span::mixed_site()=> __Call));
    let (deref_generics, _, _) = extended.split_for_impl();
    let mut deref_bounds = bounds.clone();
    deref_bounds.push(hygienic!(__Call: 'static));
    deref_bounds.push(hygienic!(Self: __Function<Call = __Call>));
    let deref_where = where_with(generics, &deref_bounds);
    hygienic! {
        trait __Function: __strata::Sized {
            type Call: 'static;
            const POINTER: Self::Call;
            const CALL: &'static Self::Call;
        }
        impl #impl_generics __Function for #ty #where_clause {
            type Call = #pointer;
            const POINTER: Self::Call = #ident #turbofish;
            const CALL: &'static Self::Call = &Self::POINTER;
        }
        impl #deref_generics __strata::Deref for #ty #deref_where {
            type Target = __Call;
            #[inline(always)]
            fn deref(&self) -> &__Call {
                <Self as __Function>::CALL
            }
        }
    }
}

/// Makes the item copyable, whatever its parameters are.
pub(super) fn copyable(frame: &Frame) -> TokenStream {
    let (ty, generics) = (&frame.ty, &frame.generics);
    let mut open = generics.clone();
    open.where_clause = None;
    for param in &mut open.params {
        if let GenericParam::Type(param) = param {
            param.bounds.clear();
            param.bounds.push(syn::parse_quote_spanned!(Span::mixed_site()=> ?__strata::Sized));
            param.colon_token.get_or_insert_default();
        }
    }
    let (impl_generics, _, _) = open.split_for_impl();
    hygienic! {
        impl #impl_generics __strata::Clone for #ty {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl #impl_generics __strata::Copy for #ty {}
    }
}
