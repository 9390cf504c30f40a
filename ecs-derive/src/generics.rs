//! Helpers for generics in expansions, beyond `split_for_impl`.
//!
//! Tests: tests/ui/pass/generics_by_every_name.rs

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, LifetimeParam, WherePredicate};

/// Returns the names of the type parameters.
pub(crate) fn type_params(generics: &Generics) -> Vec<&Ident> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(&param.ident),
            _ => None,
        })
        .collect()
}

/// Returns the names of the const parameters.
pub(crate) fn const_params(generics: &Generics) -> Vec<&Ident> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Const(param) => Some(&param.ident),
            _ => None,
        })
        .collect()
}

/// Returns the lifetime parameters.
pub(crate) fn lifetimes(generics: &Generics) -> Vec<&LifetimeParam> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Lifetime(param) => Some(param),
            _ => None,
        })
        .collect()
}

/// Returns the where clause of `generics` with the predicates `more`; empty if there are no predicates.
pub(crate) fn where_with(generics: &Generics, more: &[TokenStream]) -> TokenStream {
    let own = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let all: Vec<TokenStream> = own.map(WherePredicate::to_token_stream).chain(more.iter().cloned()).collect();
    if all.is_empty() { TokenStream::new() } else { quote!(where #(#all),*) }
}
