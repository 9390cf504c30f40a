//! `#[derive(QueryFilter)]`
//!
//! A filter struct matches like the tuple of its fields: all fields must match.
//!
//! Tests: tests/queries/derive.rs

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Member, Type};

use crate::attr::{CRATE, Grammar, private_path};
use crate::ctxt::Ctxt;
use crate::expand::{reject_lifetimes, scope};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};
use crate::tuple::nest;

/// The options of `#[query_filter(..)]`.
const GRAMMAR: Grammar = Grammar { attribute: "#[query_filter]", known: &[CRATE] };

/// One field of the filter.
struct Part {
    /// Name or number of the field.
    member: Member,
    /// A variable for the field.
    variable: Ident,
    /// The filter that the field declares.
    ty: Type,
}

/// Expands the derive.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = GRAMMAR.collect(cx, "query_filter", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    reject_lifetimes(cx, &item.generics, "a filter holds no data", "remove it");
    item.reject_inner_helper(cx, "query_filter");
    let parts = parts(cx, item);
    // The implementation is emitted after errors too, so that uses of the type give no further errors.
    let mut items = implementation(item, &parts);
    if !parts.is_empty() {
        items.extend(uses(item, &parts));
    }
    scope(&private, &items)
}

/// Collects the fields. Reports items that cannot have fields.
fn parts(cx: &Ctxt, item: &Item) -> Vec<Part> {
    let message = match item.kind {
        Kind::Struct => "a filter without fields demands nothing: give it a field such as `field: With<T>`",
        Kind::Enum => {
            "an enum cannot be a filter: all fields of a struct must hold, but which variant of an enum?\n\
             help: derive QueryFilter on a struct; for one of several filters write `Or<(With<A>, With<B>)>`"
        }
        Kind::Union => {
            "a union cannot be a filter\n\
             help: derive QueryFilter on a struct, whose fields must all hold"
        }
    };
    let fields = if item.kind == Kind::Struct { item.fields(cx) } else { Vec::new() };
    if fields.is_empty() && cx.is_clean() {
        cx.error_at(item.keyword, message);
    }
    let part = |(at, field): (usize, syn::Field)| Part {
        member: field.ident.map_or_else(|| Member::from(at), Member::Named),
        variable: format_ident!("__strata_{at}", span = Span::mixed_site()),
        ty: field.ty,
    };
    fields.into_iter().enumerate().map(part).collect()
}

/// Returns the implementation.
///
/// The struct may be more visible than the components in it, but the associated type of a public implementation may not name a private type
/// (E0446). So a private trait names it, and the public implementation takes it as a type parameter. Where clauses require each field to be
/// a filter, so that rustc reports a field that is not a filter once, at its type.
///
/// In `Or`, the struct is one member: all its fields must match.
fn implementation(item: &Item, parts: &[Part]) -> TokenStream {
    let ident = &item.ident;
    let trait_name = format_ident!("__{}Terms", ident.unraw());
    let types: Vec<&Type> = parts.iter().map(|part| &part.ty).collect();
    let filter = nest(&types);
    let demands: Vec<TokenStream> = types
        .iter()
        .map(|ty| {
            let span = Span::mixed_site().located_at(ty.span());
            quote_spanned!(span=> #ty: __strata::QueryFilter)
        })
        .collect();
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let private_where = where_with(&item.generics, &demands);
    let mut extended = item.generics.clone();
    extended.params.push(syn::parse_quote_spanned!(Span::mixed_site()=> __Terms));
    let (extended_generics, _, _) = extended.split_for_impl();
    let mut all = demands;
    all.push(hygienic!(__Terms: __strata::FilterTerms));
    all.push(hygienic!(Self: #trait_name<Terms = __Terms>));
    let public_where = where_with(&item.generics, &all);
    hygienic! {
        trait #trait_name {
            type Terms: __strata::FilterTerms;
        }
        #[automatically_derived]
        impl #impl_generics #trait_name for #ident #type_generics #private_where {
            type Terms = <#filter as __strata::QueryFilter>::Terms;
        }
        #[automatically_derived]
        impl #extended_generics __strata::QueryFilter for #ident #type_generics #public_where {
            type Terms = __Terms;
        }
        #[automatically_derived]
        impl #extended_generics __strata::AnyOfTerms for #ident #type_generics #public_where {
            type Terms = __Terms;
        }
    }
}

/// Returns code that uses the struct and its fields. They only serve as a description, and rustc would report dead code.
fn uses(item: &Item, parts: &[Part]) -> TokenStream {
    let ident = &item.ident;
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let where_clause = where_with(&item.generics, &[]);
    let fields = parts.iter().map(|Part { member, variable, .. }| {
        let member = member.to_token_stream();
        hygienic!(#member: #variable)
    });
    let literal = hygienic!(#ident { #(#fields),* });
    hygienic! {
        // The function is only type-checked and never called.
        #[allow(dead_code)]
        fn __uses #impl_generics (__strata_value: #ident #type_generics) -> #ident #type_generics #where_clause {
            let #literal = __strata_value;
            #literal
        }
    }
}
