//! Systems along a relationship: row systems that go through targets before their sources, or the other way round, and read what these have.

use proc_macro2::TokenStream;
use quote::quote;

use super::frame::Frame;
use super::model::{Kind, Model};
use super::options::Along;
use super::rows::{allowed, divided_filter, kernel, term, terms};
use super::variants;
use crate::hygiene::hygienic;
use crate::tuple::{nest, nest_narrow};

/// The system that runs the loop for rows in the order of their depths.
pub(super) fn build(model: &Model, along: &Along, frame: &Frame, name: &TokenStream, labels: &[String]) -> TokenStream {
    let data = nest_narrow(&terms(model));
    let [changes, filter] = divided_filter(model);
    let options = &model.options;
    // What asks for changes of a component demands it.
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

/// What is read of targets, all parameters together, or of sources, of which there is one parameter.
fn linked_data(model: &Model) -> TokenStream {
    if let Some(children) = model.linked().find(|input| matches!(input.kind, Kind::Children)) {
        let ty = &children.ty;
        return hygienic!(__strata::LinkedData<#ty>);
    }
    nest(&model.linked().map(|input| &input.ty).collect::<Vec<_>>())
}

/// The argument of the loop by which linked entities are read.
pub(super) fn argument(model: &Model) -> Option<TokenStream> {
    model.options.along.as_ref()?;
    let linked = linked_data(model);
    Some(hygienic!(__strata_linked: &__strata::LinkedRows<'_, #linked>,))
}

/// The variables for what the target of a row has.
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
