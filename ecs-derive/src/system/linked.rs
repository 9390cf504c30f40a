//! The data that a loop along a relationship reads of linked entities: its argument and its variables.
//!
//! Tests: tests/relationships/down.rs

use proc_macro2::TokenStream;
use quote::quote;

use super::model::{Kind, Model};
use crate::hygiene::hygienic;
use crate::tuple::nest;

/// Returns the query data read of targets (all parameters together) or of sources (a single parameter).
pub(super) fn linked_data(model: &Model) -> TokenStream {
    if let Some(children) = model.linked().find(|input| matches!(input.kind, Kind::Children)) {
        let ty = &children.ty;
        return hygienic!(__strata::LinkedData<#ty>);
    }
    nest(&model.linked().map(|input| &input.ty).collect::<Vec<_>>())
}

/// Returns the loop's argument that reads linked entities.
pub(super) fn argument(model: &Model) -> Option<TokenStream> {
    model.options.along.as_ref()?;
    let linked = linked_data(model);
    Some(hygienic!(__strata_linked: &__strata::LinkedRows<'_, #linked>,))
}

/// Returns the variables for the target's components.
pub(super) fn parents(model: &Model) -> Option<TokenStream> {
    let parents: Vec<_> = model.linked().filter(|input| matches!(input.kind, Kind::Parent)).collect();
    if parents.is_empty() {
        return None;
    }
    let pattern = nest(&parents.iter().map(|input| &input.variable).collect::<Vec<_>>());
    let none = hygienic!(__strata::None);
    let nothing = nest(&parents.iter().map(|_| quote!(#none)).collect::<Vec<_>>());
    Some(hygienic! {
        let #pattern = match __strata_linked.target(__strata_i) {
            __strata::Some(__strata_target) => __strata_target,
            __strata::None => #nothing,
        };
    })
}
