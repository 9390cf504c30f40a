//! Converts the options that select rows to the filter of a query.
//!
//! Tests: tests/queries/filters.rs, tests/ui/pass/filters_that_exclude_each_other.rs

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;

use super::model::Model;
use super::options::Options;
use crate::hygiene::hygienic;
use crate::tuple::nest;
use crate::types::ends;

/// Returns the filter in two parts: the terms about changes, and the other terms.
pub(super) fn divided_filter(model: &Model) -> [TokenStream; 2] {
    let (changes, others): (Vec<_>, Vec<_>) = filters(model).into_iter().partition(|filter| filter.ticks.is_some());
    [changes, others].map(|filters| nest(&filters.into_iter().map(|filter| filter.term).collect::<Vec<_>>()))
}

/// Returns the filter that the options describe.
pub(super) fn filter(model: &Model) -> TokenStream {
    let filters: Vec<TokenStream> = filters(model).into_iter().map(|filter| filter.term).collect();
    nest(&filters)
}

/// One term of the filter.
pub(super) struct Filter<'a> {
    /// The option that contains the term.
    pub(super) option: &'static str,
    /// The component, if the term is about its changes.
    pub(super) ticks: Option<&'a Type>,
    /// The term's tokens.
    pub(super) term: TokenStream,
}

/// Returns the terms of the filter that the options describe.
pub(super) fn filters(model: &Model) -> Vec<Filter<'_>> {
    let options = &model.options;
    let mut filters = Vec::new();
    let lists = [("with", &options.with, quote!(With)), ("without", &options.without, quote!(Without))];
    for (option, types, name) in lists {
        filters.extend(types.iter().map(|ty| Filter { option, ticks: None, term: term(&name, ty) }));
    }
    if let Some(first) = options.any.first() {
        let any: Vec<TokenStream> = options.any.iter().map(|ty| term(&quote!(With), ty)).collect();
        filters.push(Filter { option: "any", ticks: None, term: any_of(&any, ends(first).0) });
    }
    filters.extend(options.allow.iter().map(|ty| Filter {
        option: "allow",
        ticks: None,
        term: term(&quote!(Allow), ty),
    }));
    let lists = [("added", &options.added, quote!(Added)), ("changed", &options.changed, quote!(Changed))];
    for (option, types, name) in lists {
        filters.extend(types.iter().map(|ty| Filter { option, ticks: Some(ty), term: term(&name, ty) }));
    }
    filters
}

/// Returns the filter that admits entities with the disabling components of the option `allow`.
pub(super) fn allowed(options: &Options) -> TokenStream {
    nest(&options.allow.iter().map(|ty| term(&quote!(Allow), ty)).collect::<Vec<_>>())
}

/// Returns one term of a filter. Errors in it are shown at the type.
pub(super) fn term(name: &TokenStream, ty: &Type) -> TokenStream {
    let (first, last) = ends(ty);
    let (start, end) = (quote_spanned!(first=> __strata::), quote_spanned!(last=> >));
    hygienic!(#start #name<#ty #end)
}

/// Returns `Or<(..)>` of the filters, nested like tuples.
fn any_of(filters: &[TokenStream], place: Span) -> TokenStream {
    const WIDTH: usize = 12;
    if filters.len() <= WIDTH {
        return quote_spanned!(place=> __strata::Or<(#(#filters,)*)>);
    }
    let (side, rest) = filters.split_at(WIDTH - 1);
    let rest = any_of(rest, place);
    quote_spanned!(place=> __strata::Or<(#(#side,)* #rest,)>)
}
