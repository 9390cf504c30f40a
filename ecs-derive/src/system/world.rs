//! World systems: they have only system parameters, and are called once per run.
//!
//! Tests: ecs-derive/src/golden.rs, tests/systems/systems.rs

use proc_macro2::{Delimiter, Group, Ident, TokenStream};
use quote::quote_spanned;

use super::frame::{self, Frame, inner_name};
use super::model::{Input, Model, wrapped};
use super::parse::Param;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::tuple::nest;

/// Returns the expression for the system, which calls the function once per run.
pub(super) fn build(model: &Model, frame: &Frame, name: &TokenStream, labels: &[String]) -> TokenStream {
    let (run, turbofish) = (inner_name(&model.function, "run"), &frame.turbofish);
    // An error in the type of the input is reported where that type is.
    let (first, last) = model.given_ends();
    let mut arguments = Group::new(Delimiter::Parenthesis, hygienic!(#name, &[#(#labels),*]));
    arguments.set_span(last);
    quote_spanned!(first=> __strata::WorldSystem::new(#run #turbofish).build #arguments)
}

/// Returns the function that takes all parameters as one tuple.
pub(super) fn items(model: &Model, frame: &Frame) -> TokenStream {
    let function = &model.function;
    let (ident, output, turbofish) = (&function.ident, &function.output, &frame.turbofish);
    let (impl_generics, _, _) = function.generics.split_for_impl();
    let where_clause = where_with(&function.generics, &frame.bounds);
    let run = inner_name(function, "run");
    let output_of = frame::output_of(model);
    let types = nest(&wrapped(model.system_params()));
    let variables: Vec<&Ident> = model.system_params().map(|input| &input.variable).collect();
    let pattern = nest(&variables);
    let given = model.given().map(|Input { variable, param: Param { ty, .. }, .. }| hygienic!(#variable: #ty,));
    // So that its value is written `variable.0`, too.
    let wrapped_given = model.given().map(|Input { variable, .. }| hygienic!(let #variable = (#variable,);));
    let values = model.inputs.iter().map(|input| {
        let Input { variable, ends: (_, last), .. } = input;
        let last = *last;
        quote_spanned!(last=> #variable .0)
    });
    hygienic! {
        fn #run #impl_generics (#given __strata_params: #types) #output #where_clause {
            let #pattern = __strata_params;
            #wrapped_given
            #ident #turbofish (#(#values),*) #output_of
        }
    }
}
