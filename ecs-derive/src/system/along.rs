//! Systems along a relationship: row systems that visit targets before their sources, or sources before their targets, and read linked
//! entities.
//!
//! Tests: tests/relationships/down.rs

use proc_macro2::TokenStream;
use quote::quote;

use super::filters::{allowed, divided_filter, term};
use super::frame::Frame;
use super::linked::linked_data;
use super::model::Model;
use super::options::Along;
use super::rows::{kernel, terms};
use super::variants;
use crate::hygiene::hygienic;
use crate::tuple::{nest, nest_narrow};

/// Returns the expression for the system, which runs the loop over rows in the order of their depths.
pub(super) fn build(model: &Model, along: &Along, frame: &Frame, name: &TokenStream, labels: &[String]) -> TokenStream {
    let data = nest_narrow(&terms(model));
    let [changes, filter] = divided_filter(model);
    let options = &model.options;
    // A filter on changes of a component also requires the component.
    let demanded = options.added.iter().chain(&options.changed).map(|ty| term(&quote!(With), ty));
    let demanded = nest(&demanded.collect::<Vec<_>>());
    let allowed = allowed(options);
    let (linked, relation) = (linked_data(model), &along.relation);
    let kernel = kernel(model, frame);
    let build = if options.par.is_some() { hygienic!(build_par) } else { hygienic!(build) };
    let variants = if variants::are_worth_it(model) { hygienic!(__strata::Wide) } else { hygienic!(__strata::Narrow) };
    let way = if along.upwards { hygienic!(up) } else { hygienic!(down) };
    let changed = (!options.added.is_empty() || !options.changed.is_empty()).then(|| hygienic!(.changed()));
    hygienic! {
        __strata::LinkedSystem::<
            __strata::Visited<#data, (#filter, #demanded), #changes>,
            __strata::Along<#linked, #allowed, #relation>,
            #variants, _, _,
        >::new(#kernel, __strata::LinkedOptions::#way() #changed)
            .#build(#name, &[#(#labels),*])
    }
}
