//! `#[derive(Bundle)]`
//!
//! The parts of the bundle are the tuple of the parts of its fields.
//!
//! Tests: ecs-derive/src/golden.rs, tests/storage/bundles.rs

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Field, Index, Type};

use crate::attr::{CRATE, Grammar, Known, Value, private_path};
use crate::ctxt::Ctxt;
use crate::expand::{reject_lifetimes, scope, slot};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};
use crate::tuple::nest;

/// The options of `#[bundle(..)]` on the struct.
const GRAMMAR: Grammar = Grammar {
    attribute: "#[bundle]",
    // `ignore_from_components` is accepted as in bevy_ecs, but changes nothing: all bundles can be taken out of an entity.
    known: &[CRATE, Known { name: "ignore_from_components", usage: "ignore_from_components" }],
};

/// The options of `#[bundle(..)]` on a field.
const FIELD_GRAMMAR: Grammar = Grammar { attribute: "#[bundle]", known: &[Known { name: "ignore", usage: "ignore" }] };

/// One field of the bundle.
struct Part {
    /// The name or index of the field, as in `self.name` and `Self { name: .. }`.
    member: TokenStream,
    /// Variable that holds the field's parts.
    variable: Ident,
    /// Type parameter that stands for the type of the field's parts.
    parts: Ident,
    /// Type of the field.
    ty: Type,
    /// `#[bundle(ignore)]`
    ignored: bool,
}

/// Expands the derive.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = GRAMMAR.collect(cx, "bundle", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    for option in options.iter().filter(|option| option.name != "crate" && !matches!(option.value, Value::Flag)) {
        GRAMMAR.misuse(cx, option);
    }
    reject_lifetimes(cx, &item.generics, "a bundle owns its components", "store owned values");
    let parts = parts(cx, item);
    let items = if item.kind == Kind::Struct { implementation(item, &parts) } else { stub(item) };
    scope(&private, &items)
}

/// Collects the fields. Reports items that cannot have fields.
fn parts(cx: &Ctxt, item: &Item) -> Vec<Part> {
    if item.kind != Kind::Struct {
        let kind = if item.kind == Kind::Enum { "an enum" } else { "a union" };
        let message = format!(
            "{kind} cannot be a bundle: a bundle is a struct whose fields are all inserted\n\
             help: derive Bundle on a struct"
        );
        cx.error_at(item.keyword, message);
        return Vec::new();
    }
    item.fields(cx).into_iter().enumerate().map(|(at, field)| part(cx, at, field)).collect()
}

/// Converts a field to the form that the expansion needs.
fn part(cx: &Ctxt, at: usize, field: Field) -> Part {
    let options = FIELD_GRAMMAR.collect(cx, "bundle", &field.attrs);
    for option in options.iter().filter(|option| !matches!(option.value, Value::Flag)) {
        FIELD_GRAMMAR.misuse(cx, option);
    }
    let member = match &field.ident {
        Some(ident) => ident.to_token_stream(),
        None => Index { index: u32::try_from(at).expect("a struct has few fields"), span: Span::mixed_site() }
            .to_token_stream(),
    };
    let variable = format_ident!("__strata_{at}", span = Span::mixed_site());
    let ignored = field.attrs.iter().any(|attr| attr.path().is_ident("bundle"));
    let parts = format_ident!("__Parts{at}", span = Span::mixed_site());
    Part { member, variable, parts, ty: field.ty, ignored }
}

/// Returns the implementation for a struct.
///
/// A where clause requires each field to be a bundle, even without generics, so that rustc reports a field that is not a bundle once, at
/// its type. The parts of each field are a type parameter: the bundle may be more visible than its fields, and the associated type of a
/// public implementation may not name a private type (E0446).
fn implementation(item: &Item, parts: &[Part]) -> TokenStream {
    let ident = &item.ident;
    let inserted: Vec<&Part> = parts.iter().filter(|part| !part.ignored).collect();
    let distinct = distinct_types(&inserted);
    let mut generics = item.generics.clone();
    let mut bounds = owned_bound(item);
    for Part { ty, parts, .. } in &distinct {
        generics.params.push(syn::parse_quote_spanned!(Span::mixed_site()=> #parts));
        bounds.push(quote_spanned!(at(ty)=> #ty: __strata::Bundle<Parts = #parts>));
        bounds.push(hygienic!(#parts: __strata::BundleParts));
    }
    let params_of = |part: &&Part| distinct.iter().find(|other| same_type(other, part)).map(|other| &other.parts);
    let types = nest(&inserted.iter().filter_map(params_of).collect::<Vec<_>>());
    let variables = nest(&inserted.iter().map(|part| &part.variable).collect::<Vec<_>>());
    let split = inserted.iter().map(|Part { member, .. }| hygienic!(__strata::Bundle::into_parts(self.#member)));
    let split = nest(&split.collect::<Vec<_>>());
    // Ignored fields are dropped before the parts exist: if a drop at the end of the function panics, the compiler leaks the return value.
    let dropped = parts.iter().filter(|part| part.ignored);
    let dropped = dropped.map(|Part { member, variable, .. }| hygienic!({ let #variable = self.#member; }));
    let join = parts.iter().map(join);

    let (impl_generics, _, _) = generics.split_for_impl();
    let (_, type_generics, _) = item.generics.split_for_impl();
    let where_clause = where_with(&item.generics, &bounds);
    let slot = slot(&item.ident, &item.generics);
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::Bundle for #ident #type_generics #where_clause {
            type Parts = #types;
            #[inline]
            fn into_parts(self) -> Self::Parts {
                #(#dropped)*
                #split
            }
            #[inline]
            fn from_parts(parts: Self::Parts) -> Self {
                let #variables = parts;
                Self { #(#join),* }
            }
            #slot
        }
    }
}

/// Returns the first field of each type, because fields of one type share the type parameter for their parts.
fn distinct_types<'a>(parts: &[&'a Part]) -> Vec<&'a Part> {
    let mut distinct: Vec<&Part> = Vec::new();
    for part in parts {
        if !distinct.iter().any(|other| same_type(other, part)) {
            distinct.push(part);
        }
    }
    distinct
}

/// Returns whether two fields have types with the same spelling.
fn same_type(a: &Part, b: &Part) -> bool {
    a.ty.to_token_stream().to_string() == b.ty.to_token_stream().to_string()
}

/// Returns the expression that rebuilds one field of the struct from its parts.
fn join(Part { member, variable, ty, ignored, .. }: &Part) -> TokenStream {
    if *ignored {
        let value = quote_spanned!(at(ty)=> __strata::Default::default());
        return hygienic!(#member: #value);
    }
    hygienic!(#member: __strata::Bundle::from_parts(#variable))
}

/// Returns the span at which errors about the type are shown.
fn at(ty: &Type) -> Span {
    Span::mixed_site().located_at(ty.span())
}

/// Fallback implementation for a type that cannot be a bundle; avoids further errors where the type is used.
fn stub(item: &Item) -> TokenStream {
    let ident = &item.ident;
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let where_clause = where_with(&item.generics, &owned_bound(item));
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::Bundle for #ident #type_generics #where_clause {
            type Parts = <() as __strata::Bundle>::Parts;
            fn into_parts(self) -> Self::Parts {
                __strata::Bundle::into_parts(())
            }
            fn from_parts(_: Self::Parts) -> Self {
                loop {}
            }
        }
    }
}

/// Returns the bounds that the trait requires of a generic type. For other types rustc checks them at the implementation.
fn owned_bound(item: &Item) -> Vec<TokenStream> {
    if item.generics.params.is_empty() {
        return Vec::new();
    }
    vec![hygienic!(Self: __strata::Send + __strata::Sync + 'static)]
}
