//! The data of linked entities that a loop along a relationship reads: the argument of the loop, and its variables.
//!
//! Tests: tests/relationships/down.rs

use proc_macro2::TokenStream;
use quote::quote;

use super::model::{Kind, Model};
use crate::hygiene::hygienic;
use crate::tuple::nest;

/// Returns the query data of linked entities: of targets, for all parameters together, or of sources, for a single parameter.
pub(super) fn linked_data(model: &Model) -> TokenStream {
    if let Some(children) = model.linked().find(|input| matches!(input.kind, Kind::Children)) {
        let ty = &children.ty;
        return hygienic!(__strata::LinkedData<#ty>);
    }
    nest(&model.linked().map(|input| &input.ty).collect::<Vec<_>>())
}

/// Returns the argument by which the loop reads linked entities.
pub(super) fn argument(model: &Model) -> Option<TokenStream> {
    model.options.along.as_ref()?;
    let linked = linked_data(model);
    Some(hygienic!(__strata_linked: &__strata::LinkedRows<'_, #linked>,))
}

/// Returns the statement that binds variables to the components of the target.
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
