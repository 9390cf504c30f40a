//! Observers that take components of the target. They are loops over rows, where each row is the target of an event.
//!
//! Tests: tests/observers/targets.rs

use proc_macro2::TokenStream;

use super::filters::filter;
use super::frame::Frame;
use super::model::Model;
use super::rows::{kernel, terms};
use crate::hygiene::hygienic;
use crate::tuple::nest_narrow;

/// Returns the expression for the observer, which calls the function if the target has the components that the function takes.
pub(super) fn build(model: &Model, frame: &Frame, name: &TokenStream, labels: &[String]) -> TokenStream {
    let kernel = kernel(model, frame);
    let (event, data, filter) = (model.given_event(), nest_narrow(&terms(model)), filter(model));
    let may_fail = (!model.returns_nothing()).then(|| hygienic!(.may_fail()));
    hygienic! {
        __strata::TargetSystem::<#event, #data, #filter, _, _>::new(#kernel) #may_fail .build(#name, &[#(#labels),*])
    }
}
