//! World systems: only system parameters, called once per run.

use proc_macro2::{Ident, TokenStream};

use super::frame::Frame;
use super::model::Model;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::tuple::nest;

/// The function that takes all parameters as one tuple.
pub(super) fn run(model: &Model, frame: &Frame) -> TokenStream {
    let function = &model.function;
    let (ident, output, turbofish) = (&function.ident, &function.output, &frame.turbofish);
    let (impl_generics, _, _) = function.generics.split_for_impl();
    let where_clause = where_with(&function.generics, &frame.bounds);
    let variables: Vec<&Ident> = model.inputs.iter().map(|input| &input.variable).collect();
    if variables.is_empty() {
        return hygienic! {
            fn __strata_run #impl_generics () #output #where_clause {
                #ident #turbofish ()
            }
        };
    }
    let types = nest(&model.inputs.iter().map(|input| &input.param.ty).collect::<Vec<_>>());
    let pattern = nest(&variables);
    hygienic! {
        fn __strata_run #impl_generics (__strata_params: #types) #output #where_clause {
            let #pattern = __strata_params;
            #ident #turbofish (#(#variables),*)
        }
    }
}
