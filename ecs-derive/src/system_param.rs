//! `#[derive(SystemParam)]`
//!
//! A struct of parameters is fetched as the tuple of its fields.
//!
//! Tests: tests/systems/params, tests/ui/pass/system_params_of_every_form.rs

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, GenericParam, Generics, Index, Lifetime, Type, Visibility, WherePredicate};

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::ctxt::Ctxt;
use crate::expand::scope;
use crate::generics::{lifetimes, type_params, where_with};
use crate::hygiene::hygienic;
use crate::item::{Body, Item, Kind};
use crate::tuple::nest_narrow;

/// The options of `#[system_param(..)]`.
const GRAMMAR: Grammar = Grammar { attribute: "#[system_param]", known: &[BUILDER, CRATE] };

/// The option for a builder.
const BUILDER: Known = Known { name: "builder", usage: "builder" };

/// The options of `#[system_param(..)]` above a field.
const FIELD_GRAMMAR: Grammar = Grammar { attribute: "#[system_param] above a field", known: &[VALIDATION_MESSAGE] };

/// The option for the message of a field that cannot be fetched.
const VALIDATION_MESSAGE: Known = Known { name: "validation_message", usage: "validation_message = \"text\"" };

/// One field of the struct.
struct Field {
    /// The name or index of the field, as in `self.name` and `Self { name: .. }`.
    member: TokenStream,
    /// Name of the field, for messages of the core.
    name: String,
    /// Variable that holds the fetched parameter.
    variable: Ident,
    /// Type parameter that stands for the field's source.
    source: Ident,
    /// Type parameter that stands for the field's builder.
    builder: Ident,
    /// The visibility of the field.
    vis: Visibility,
    /// Type by which the field is fetched: the type of the field, with each `PhantomData<..>` replaced by `PhantomData<()>`. The argument
    /// of a `PhantomData` is not fetched, so it may be any type, also one without bounds.
    ty: Type,
    /// Type of the field, if it contains `PhantomData<..>`.
    marked: Option<Type>,
    /// The text of the error if the field cannot be fetched.
    message: Option<String>,
}

/// Expands the derive.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = GRAMMAR.collect(cx, "system_param", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    right_kind(cx, item);
    known_lifetimes(cx, item);
    unbounded_lifetimes(cx, item);
    let has_builder = has_builder(cx, &options);
    let fields = if cx.is_clean() { fields(cx, item) } else { Vec::new() };
    if !cx.is_clean() {
        return scope(&private, &stub(item));
    }
    let mut items = implementation(item, &fields);
    if !has_builder {
        return scope(&private, &items);
    }
    items.extend(builder_implementation(item, &fields));
    let mut output = builder(item, &fields);
    output.extend(scope(&private, &items));
    output
}

/// Returns whether the struct gets a builder.
fn has_builder(cx: &Ctxt, options: &[Opt]) -> bool {
    let Some(option) = options.iter().find(|option| option.key() == BUILDER.name) else { return false };
    if !matches!(option.value, Value::Flag) {
        cx.error_at(
            option.value_span(),
            "`builder` takes no value: the builder has the name of the struct and `Builder`",
        );
    }
    true
}

/// Rejects enums and unions: only structs have a single set of fields to fetch.
fn right_kind(cx: &Ctxt, item: &Item) {
    let kind = match item.kind {
        Kind::Struct => return,
        Kind::Enum => "an enum",
        Kind::Union => "a union",
    };
    let message =
        format!("{kind} cannot be a system parameter: derive(SystemParam) takes a struct, and fetches each field");
    cx.error_at(item.keyword, message);
}

/// Reports lifetimes other than `'w` (borrows of the world) and `'s` (borrows of the system's state).
fn known_lifetimes(cx: &Ctxt, item: &Item) {
    for param in lifetimes(&item.generics) {
        let lifetime = &param.lifetime;
        if lifetime.ident != "w" && lifetime.ident != "s" {
            let message = format!(
                "the lifetimes of a system parameter are called `'w` and `'s`, not `{lifetime}`\n\
                 help: write `'w` for what is borrowed from the world (`Query`, `Res`, `Commands`), and `'s` for what the \
                 system keeps (`Query`, `Local`, `Commands`)"
            );
            cx.error_at(lifetime.span(), message);
        }
    }
}

/// Rejects bounded lifetimes: each run of a system has its own lifetimes, so the struct must accept any.
fn unbounded_lifetimes(cx: &Ctxt, item: &Item) {
    let message = "each run of a system brings its own `'w` and `'s`, they cannot have bounds\nhelp: remove the bound";
    for param in lifetimes(&item.generics) {
        if let Some(bound) = param.bounds.first() {
            cx.error_over(bound, message);
        }
    }
    for predicate in item.generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Lifetime(predicate) = predicate {
            cx.error_over(predicate, message);
        }
    }
}

/// Converts the fields to the form that the expansion needs.
fn fields(cx: &Ctxt, item: &Item) -> Vec<Field> {
    let field = |(at, field): (usize, syn::Field)| {
        let (member, name) = match &field.ident {
            Some(ident) => (ident.to_token_stream(), ident.unraw().to_string()),
            None => {
                let index = u32::try_from(at).expect("a struct has few fields");
                (Index { index, span: Span::mixed_site() }.to_token_stream(), at.to_string())
            }
        };
        let variable = format_ident!("__strata_{at}", span = Span::mixed_site());
        let source = format_ident!("__Source{at}", span = Span::mixed_site());
        let builder = format_ident!("__Builder{at}", span = Span::mixed_site());
        let marked = has_marker(&field.ty).then(|| field.ty.clone());
        let message = validation_message(cx, &field.attrs);
        Field {
            member,
            name,
            variable,
            source,
            builder,
            vis: field.vis,
            ty: without_markers(field.ty),
            marked,
            message,
        }
    };
    item.fields(cx).into_iter().enumerate().map(field).collect()
}

/// Returns the text of the option `validation_message`.
fn validation_message(cx: &Ctxt, attrs: &[Attribute]) -> Option<String> {
    let options = FIELD_GRAMMAR.collect(cx, "system_param", attrs);
    options.first()?;
    FIELD_GRAMMAR.literal(cx, &options, VALIDATION_MESSAGE.name).map(|text| text.value())
}

/// Returns whether a type is `PhantomData<..>`, or a tuple with one.
fn has_marker(ty: &Type) -> bool {
    match ty {
        Type::Tuple(tuple) => tuple.elems.iter().any(has_marker),
        Type::Paren(inner) => has_marker(&inner.elem),
        Type::Group(inner) => has_marker(&inner.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "PhantomData"),
        _ => false,
    }
}

/// Replaces each `PhantomData<..>` in a type by `PhantomData<()>`.
fn without_markers(ty: Type) -> Type {
    match ty {
        _ if !has_marker(&ty) => ty,
        Type::Tuple(mut tuple) => {
            tuple.elems = tuple.elems.into_iter().map(without_markers).collect();
            Type::Tuple(tuple)
        }
        Type::Paren(inner) => without_markers(*inner.elem),
        Type::Group(inner) => without_markers(*inner.elem),
        _ => Type::Verbatim(hygienic!(__strata::PhantomData<()>)),
    }
}

/// Returns the expression for a value of type `ty`. `value` is a value of the type that [`without_markers`] returns for `ty`, or a
/// reference to it. `part` converts each part of the value that is not a marker; markers are created.
fn with_markers(ty: &Type, value: TokenStream, part: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
    match ty {
        _ if !has_marker(ty) => part(value),
        Type::Tuple(tuple) => {
            let variable = |at| format_ident!("__strata_part_{at}", span = Span::mixed_site());
            let variables: Vec<Ident> = (0..tuple.elems.len()).map(variable).collect();
            let elements = tuple.elems.iter().zip(&variables);
            let values = elements.map(|(ty, variable)| with_markers(ty, variable.to_token_stream(), part));
            let values: Vec<TokenStream> = values.collect();
            hygienic!({ let (#(#variables,)*) = #value; (#(#values,)*) })
        }
        Type::Paren(inner) => with_markers(&inner.elem, value, part),
        Type::Group(inner) => with_markers(&inner.elem, value, part),
        _ => hygienic!(__strata::PhantomData),
    }
}

/// Returns the implementation.
///
/// A where clause requires each field to be a parameter for all lifetimes, even without generics, so that rustc reports a field that is not
/// a parameter once, at its type. The source of each field is a type parameter: the struct may be more visible than its fields, and the
/// associated type of a public implementation may not name a private type (E0446).
fn implementation(item: &Item, fields: &[Field]) -> TokenStream {
    let ident = &item.ident;
    let [own, fixed, fetched, short] = [OWN, FIXED, FETCHED, ["'__a"; 2]].map(|lifetimes| with(item, lifetimes));
    let own_generics = bind(params(&item.generics), OWN);
    let sources: Vec<&Ident> = fields.iter().map(|field| &field.source).collect();
    let where_clause = where_clause(item, OWN, fields.iter().enumerate().flat_map(bounds).collect());

    let source =
        fields.iter().enumerate().map(|(at, Field { source, .. })| hygienic!(__strata::Field<#fixed, #at, #source>));
    let source = nest_narrow(&source.collect::<Vec<_>>());
    let pattern = nest_narrow(&fields.iter().map(|field| &field.variable).collect::<Vec<_>>());
    let items = fields.iter().enumerate().map(|(at, Field { member, variable, ty, marked, .. })| match marked {
        None => hygienic!(#member: __strata::FieldParam::<'_, '_, '_, #at>::item(#variable)),
        Some(marked) => {
            let ty = bind(ty.to_token_stream(), FETCHED);
            let fetched = hygienic!(<#ty as __strata::FieldParam<'_, '_, '_, #at>>::item(#variable));
            let value = with_markers(marked, fetched, &|part| part);
            hygienic!(#member: #value)
        }
    });
    let shorts = fields.iter().enumerate().map(|(at, Field { member, marked, .. })| match marked {
        None => hygienic!(#member: __strata::FieldParam::<'_, '_, '_, #at>::short(&mut self.#member)),
        Some(marked) => {
            let value = with_markers(
                marked,
                hygienic!(&mut self.#member),
                &|part| hygienic!(__strata::Reborrow::reborrow(#part)),
            );
            hygienic!(#member: #value)
        }
    });
    let [names, assertion] = [names(item, fields), assertion(item, fields)];
    hygienic! {
        #names
        #assertion
        #[automatically_derived]
        impl<#own_generics #(#sources,)*> __strata::SystemParam for #own #where_clause {
            type Source = __strata::Fields<#source>;
            type Item<'w, 's> = #fetched;
            #[inline]
            fn item<'w, 's>(__strata_got: <Self::Source as __strata::ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                let #pattern = __strata_got;
                #ident { #(#items),* }
            }
        }
        #[automatically_derived]
        impl<'__a, #own_generics #(#sources,)*> __strata::Reborrow<'__a> for #own #where_clause {
            type Short = #short;
            #[inline(always)]
            fn reborrow(&'__a mut self) -> #short {
                #ident { #(#shorts),* }
            }
        }
    }
}

/// Returns the name of the builder.
fn builder_ident(item: &Item) -> Ident {
    format_ident!("{}Builder", item.ident.unraw(), span = item.ident.span())
}

/// Returns the struct with a builder for each field.
fn builder(item: &Item, fields: &[Field]) -> TokenStream {
    let (vis, ident, name) = (&item.vis, builder_ident(item), item.ident.unraw());
    let doc = format!("A builder of a [`{name}`], of builders of its fields.");
    let builders: Vec<&Ident> = fields.iter().map(|field| &field.builder).collect();
    let docs = fields.iter().map(|field| format!("Builds the field `{}`.", field.name));
    let vises = fields.iter().map(|field| &field.vis);
    if matches!(item.body, Body::Tuple(_)) {
        return hygienic!(#[doc = #doc] #vis struct #ident<#(#builders),*>(#(#[doc = #docs] #vises #builders),*););
    }
    let members = fields.iter().map(|field| &field.member);
    hygienic!(#[doc = #doc] #vis struct #ident<#(#builders),*> { #(#[doc = #docs] #vises #members: #builders),* })
}

/// Returns the implementation by which the builder builds the fields as a tuple.
fn builder_implementation(item: &Item, fields: &[Field]) -> TokenStream {
    let (ident, own, fixed) = (builder_ident(item), with(item, OWN), with(item, FIXED));
    let own_generics = bind(params(&item.generics), OWN);
    let builders: Vec<&Ident> = fields.iter().map(|field| &field.builder).collect();
    let sources: Vec<&Ident> = fields.iter().map(|field| &field.source).collect();
    let types = fields.iter().enumerate().map(|(at, Field { ty, .. })| {
        let ty = bind(ty.to_token_stream(), OWN);
        hygienic!(__strata::BuiltField<#fixed, #at, #ty>)
    });
    let types: Vec<TokenStream> = types.collect();
    // `BuiltField` contains the index of the field, because rustc cannot distinguish the equal bounds of two fields of the same type.
    let built = fields.iter().zip(&types).enumerate().map(|(at, (Field { ty, source, builder, .. }, built))| {
        let ty = bind(ty.to_token_stream(), OWN);
        hygienic!(#built: __strata::SystemParam<Source = __strata::Field<#fixed, #at, #source>>, #builder: __strata::BuildParam<#ty>)
    });
    let where_clause = where_clause(item, OWN, fields.iter().enumerate().flat_map(bounds).chain(built).collect());
    let types = nest_narrow(&types);
    let values = fields.iter().map(|Field { member, .. }| hygienic!(__strata::FieldBuilder(self.#member)));
    let values = nest_narrow(&values.collect::<Vec<_>>());
    hygienic! {
        #[automatically_derived]
        impl<#own_generics #(#sources,)* #(#builders,)*> __strata::BuildParam<#own> for #ident<#(#builders),*> #where_clause {
            fn build<'__b>(
                self,
                __strata_site: &mut __strata::BuildSite<'_, '__b>,
            ) -> __strata::Built<'__b, <#own as __strata::SystemParam>::Source> {
                __strata::build_fields::<#types>(#values, __strata_site)
            }
        }
    }
}

/// Returns the bounds of a field: it is a parameter for the lifetimes of any run, and its source is a type parameter.
fn bounds((at, Field { ty, source, .. }): (usize, &Field)) -> [TokenStream; 2] {
    let span = Span::mixed_site().located_at(ty.span());
    let (fetched, short) = (bind(ty.to_token_stream(), FETCHED), bind(ty.to_token_stream(), SHORT));
    let demand = quote_spanned!(span=> __strata::FieldParam<'w, 's, 'a, #at, Source = #source, Short = #short>);
    [quote_spanned!(span=> for<'w, 's, 'a> #fetched: #demand), hygienic!(#source: __strata::ParamSource)]
}

/// Returns code that does not compile if a field is not a parameter, or if its two lifetimes are exchanged. Without it, rustc would check
/// bounds for all lifetimes only at each use of the struct.
fn assertion(item: &Item, fields: &[Field]) -> TokenStream {
    let params = params(&item.generics);
    let missing =
        ["w", "s"].into_iter().filter(|name| !lifetimes(&item.generics).iter().any(|own| own.lifetime.ident == *name));
    let missing = missing.map(|name| Lifetime::new(&format!("'{name}"), Span::mixed_site()));
    let all_params = bind(hygienic!(#(#missing,)* #params), FETCHED);
    let where_clause = where_clause(item, FETCHED, Vec::new());
    let checked = fields.iter().enumerate().filter(|(_, field)| !is_open(&field.ty));
    let checks = checked.map(|(at, Field { ty, .. })| {
        let fetched = bind(ty.to_token_stream(), FETCHED);
        let span = Span::mixed_site().located_at(ty.span());
        quote_spanned!(span=> field::<'w, 's, 'w, #fetched, #at>();)
    });
    hygienic! {
        #[allow(dead_code)]
        fn __assert_fields<#all_params>() #where_clause {
            fn field<'w, 's, 'a, P: __strata::FieldParam<'w, 's, 'a, N>, const N: __strata::usize>() {}
            #(#checks)*
        }
    }
}

/// Returns whether a type is a projection, or one of the core's types that contain one: its fetched type may be unknown until the struct is
/// used.
fn is_open(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let last = path.path.segments.last().map(|last| last.ident.to_string());
    path.qself.is_some() || matches!(last.as_deref(), Some("StaticSystemParam" | "SystemParamItem"))
}

/// Returns the generic parameters without defaults, each followed by a comma.
fn params(generics: &Generics) -> TokenStream {
    let params = generics.params.iter().cloned().map(|mut param| {
        match &mut param {
            GenericParam::Type(param) => param.default = None,
            GenericParam::Const(param) => param.default = None,
            _ => {}
        }
        param
    });
    hygienic!(#(#params,)*)
}

/// Returns the names of the fields, for messages about conflicts.
fn names(item: &Item, fields: &[Field]) -> TokenStream {
    let fixed = with(item, FIXED);
    let mut generics = item.generics.clone();
    generics.params = generics.params.into_iter().filter(|param| !matches!(param, GenericParam::Lifetime(_))).collect();
    let params = bind(params(&generics), FIXED);
    let where_clause = where_clause(item, FIXED, Vec::new());
    let names = fields.iter().map(|field| &field.name);
    let messages = fields.iter().any(|field| field.message.is_some()).then(|| {
        let messages = fields.iter().map(|Field { name, message, .. }| match message {
            Some(text) => {
                let path = format!("{}::{name}", item.ident.unraw());
                hygienic!(__strata::Some([#path, #text]))
            }
            None => hygienic!(__strata::None),
        });
        hygienic!(const MESSAGES: &'static [__strata::Option<[&'static __strata::str; 2]>] = &[#(#messages),*];)
    });
    hygienic! {
        #[automatically_derived]
        impl<#params> __strata::FieldNames for #fixed #where_clause {
            const NAMES: &'static [&'static __strata::str] = &[#(#names),*];
            #messages
        }
    }
}

/// The lifetimes to use for `'w` and `'s`.
type Lifetimes = [&'static str; 2];

/// The lifetimes in the header of an implementation.
const OWN: Lifetimes = ["'__w", "'__s"];
/// The lifetimes to use if they do not matter.
const FIXED: Lifetimes = ["'static", "'static"];
/// The lifetimes of the fetched type.
const FETCHED: Lifetimes = ["'w", "'s"];
/// The lifetimes of the reborrowed type.
const SHORT: Lifetimes = ["'a", "'a"];

/// Returns the struct with these lifetimes.
fn with(item: &Item, lifetimes: Lifetimes) -> TokenStream {
    let (_, type_generics, _) = item.generics.split_for_impl();
    let (ident, type_generics) = (&item.ident, bind(type_generics.to_token_stream(), lifetimes));
    hygienic!(#ident #type_generics)
}

/// Returns the where clause with these lifetimes and the predicates `more`.
fn where_clause(item: &Item, lifetimes: Lifetimes, more: Vec<TokenStream>) -> TokenStream {
    // The bound is not written as `T: 'static`, because clippy would report bounds on `T` in two places.
    let owned = (!type_params(&item.generics).is_empty()).then(|| {
        let fixed = with(item, FIXED);
        hygienic!(#fixed: 'static)
    });
    let own = bind(where_with(&item.generics, &[]), lifetimes);
    let all: Vec<TokenStream> = owned.into_iter().chain(more).collect();
    match (own.is_empty(), all.is_empty()) {
        (_, true) => own,
        (true, false) => hygienic!(where #(#all),*),
        (false, false) => hygienic!(#own, #(#all),*),
    }
}

/// Replaces the lifetimes `'w` and `'s` in tokens.
fn bind(tokens: TokenStream, lifetimes: Lifetimes) -> TokenStream {
    let mut output = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(quote), Some(TokenTree::Ident(name)))
                if quote.as_char() == '\'' && (name == "w" || name == "s") =>
            {
                let lifetime = lifetimes[usize::from(name == "s")];
                Lifetime::new(lifetime, Span::mixed_site().located_at(name.span())).to_tokens(&mut output);
                tokens.next();
            }
            (TokenTree::Group(group), _) => {
                let mut bound = Group::new(group.delimiter(), bind(group.stream(), lifetimes));
                bound.set_span(group.span());
                output.extend([TokenTree::Group(bound)]);
            }
            _ => output.extend([token]),
        }
    }
    output
}

/// Fallback implementation for a type that cannot be a parameter; avoids further errors where the type is used.
fn stub(item: &Item) -> TokenStream {
    let ident = &item.ident;
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let (params, where_clause) = (params(&item.generics), where_with(&item.generics, &[]));
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::SystemParam for #ident #type_generics #where_clause {
            type Source = ();
            type Item<'__w, '__s> = Self;
            fn item<'__w, '__s>(
                (): <Self::Source as __strata::ParamSource>::Got<'__w, '__s>,
            ) -> Self::Item<'__w, '__s> {
                loop {}
            }
        }
        #[automatically_derived]
        impl<'__a, #params> __strata::Reborrow<'__a> for #ident #type_generics #where_clause {
            type Short = Self;
            fn reborrow(&'__a mut self) -> Self {
                loop {}
            }
        }
    }
}
