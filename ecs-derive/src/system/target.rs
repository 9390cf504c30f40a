//! Observers that take components of the target: called once for an event if the target has them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned as _;
use syn::{ReturnType, Type};

use super::frame::{self, Frame, inner_name};
use super::model::{Input, Model, wrapped};
use super::parse::Param;
use super::rows::{filter, terms};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::tuple::nest;

/// The system that calls the function if the target has what it takes.
pub(super) fn build(model: &Model, frame: &Frame, name: &TokenStream, labels: &[String]) -> TokenStream {
    let (run, turbofish) = (inner_name(&model.function, "run"), &frame.turbofish);
    let (event, data, filter) = (model.given_event(), nest(&terms(model)), filter(model));
    hygienic! {
        __strata::TargetSystem::<#event, #data, #filter, _, _>::new(#run #turbofish).build(#name, &[#(#labels),*])
    }
}

/// The function that takes the event, the row as one tuple, and all parameters as another.
pub(super) fn items(model: &Model, frame: &Frame) -> TokenStream {
    let function = &model.function;
    let (ident, turbofish) = (&function.ident, &frame.turbofish);
    let (impl_generics, _, _) = function.generics.split_for_impl();
    let where_clause = where_with(&function.generics, &frame.bounds);
    let run = inner_name(function, "run");
    let output_of = frame::output_of(model);
    let row_types: Vec<&Type> = model.rows().map(|input| &input.param.ty).collect();
    let rows: Vec<&Ident> = model.rows().map(|input| &input.variable).collect();
    let params: Vec<&Ident> = model.system_params().map(|input| &input.variable).collect();
    let (row_types, types) = (nest(&row_types), nest(&wrapped(model.system_params())));
    let (rows, params) = (nest(&rows), nest(&params));
    let given = model.given().map(|Input { variable, param: Param { ty, .. }, .. }| hygienic!(#variable: #ty,));
    let values = model.inputs.iter().map(|input| {
        let Input { variable, ends: (_, last), .. } = input;
        let last = *last;
        if input.is_system_param() { quote_spanned!(last=> #variable .0) } else { hygienic!(#variable) }
    });
    let call = hygienic!(#ident #turbofish (#(#values),*));
    let done = match &function.output {
        ReturnType::Type(_, ty) if !model.returns_nothing() => {
            // What a system may not return is reported at the type.
            let span = Span::mixed_site().located_at(ty.span());
            let convert = quote_spanned!(span=> __strata::RowOutput::into_result(__strata_returned));
            hygienic! {
                let __strata_returned = #call #output_of;
                #convert
            }
        }
        // `must_use` may stand on the function.
        _ => hygienic! {
            let _ = #call;
            __strata::Ok(())
        },
    };
    hygienic! {
        fn #run #impl_generics (
            #given
            __strata_row: #row_types,
            __strata_params: #types,
        ) -> __strata::SystemResult #where_clause {
            let #rows = __strata_row;
            let #params = __strata_params;
            #done
        }
    }
}
