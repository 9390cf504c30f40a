//! The macros of the entity component system `strata-ecs`, which re-exports them all: depend on that crate, not on
//! this one. The examples here need it and so are not compiled; those in `strata-ecs` are.
#![forbid(unsafe_code)]

mod attr;
mod bundle;
mod component;
mod ctxt;
mod expand;
mod generics;
mod hygiene;
mod item;
mod query_data;
mod resource;
mod suggest;
mod system;
mod tuple;
mod types;

use proc_macro::TokenStream;

/// doc
#[proc_macro_derive(Component, attributes(component))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), component::expand).into()
}
/// doc
#[proc_macro_derive(Resource, attributes(resource))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), resource::expand).into()
}
/// doc
#[proc_macro_derive(Bundle, attributes(bundle))]
pub fn derive_bundle(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), bundle::expand).into()
}
/// doc
#[proc_macro_derive(QueryData, attributes(query_data))]
pub fn derive_query_data(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), query_data::expand).into()
}
/// doc
#[proc_macro_attribute]
pub fn system(attribute: TokenStream, item: TokenStream) -> TokenStream {
    system::expand(attribute.into(), item.into()).into()
}
