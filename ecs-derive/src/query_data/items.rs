//! The structs that `#[derive(QueryData)]` writes beside the user's: the items, and the read-only twin.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Generics;
use syn::ext::IdentExt as _;

use super::model::{Field, Model};
use crate::hygiene::hygienic;

/// What a struct's field is for one query term.
type FieldType = fn(&Model<'_>, &Field) -> TokenStream;

/// The item of the user's struct.
pub(super) fn item_struct(model: &Model<'_>) -> TokenStream {
    let doc = format!("The item of a query for [`{}`].", model.item.ident);
    structure(model, &model.item_name, &doc, &model.with_lifetime(), &derives(model), item_type)
}

/// The read-only twin and its item.
pub(super) fn read_only_structs(model: &Model<'_>) -> TokenStream {
    let ident = &model.item.ident;
    let doc = format!("[`{ident}`] with read access only.");
    let mut output =
        structure(model, &model.read_only_name, &doc, &model.item.generics, &TokenStream::new(), read_only_type);
    let doc = format!("The item of a read-only query for [`{ident}`].");
    let generics = model.with_lifetime();
    output.extend(structure(model, &model.read_only_item_name, &doc, &generics, &derives(model), read_only_item_type));
    output
}

/// Names the user's struct and its fields, which otherwise only serve as a description: without this, rustc would call
/// them dead code.
pub(super) fn uses(model: &Model<'_>) -> TokenStream {
    let mut structs = vec![&model.item.ident];
    if model.mutable {
        structs.push(&model.read_only_name);
    }
    let names: Vec<&Ident> = model.fields.iter().map(|field| &field.ident).collect();
    let variables = model.variables();
    let (impl_generics, type_generics, _) = model.item.generics.split_for_impl();
    let where_clause = model.where_clause();
    structs
        .into_iter()
        .map(|ident| {
            let function = quote::format_ident!("__uses_{}", ident.unraw());
            hygienic! {
                #[allow(dead_code, non_snake_case)]
                fn #function #impl_generics (value: #ident #type_generics) -> #ident #type_generics #where_clause {
                    let #ident { #(#names: #variables),* } = value;
                    #ident { #(#names: #variables),* }
                }
            }
        })
        .collect()
}

/// One struct with a field for each field of the user's.
fn structure(
    model: &Model<'_>,
    name: &Ident,
    doc: &str,
    generics: &Generics,
    derives: &TokenStream,
    field_type: FieldType,
) -> TokenStream {
    let vis = &model.item.vis;
    let where_clause = model.where_clause();
    let (params, _, _) = generics.split_for_impl();
    let fields = model.fields.iter().map(|field| {
        let Field { attrs, vis, ident, .. } = field;
        let ty = field_type(model, field);
        let doc = attrs.is_empty().then(|| {
            let doc = format!("The value for [`{}::{ident}`].", model.item.ident);
            hygienic!(#[doc = #doc])
        });
        hygienic!(#doc #(#attrs)* #vis #ident: #ty)
    });
    hygienic! {
        #[doc = #doc]
        #derives
        #[allow(private_interfaces, private_bounds)]
        #vis struct #name #params #where_clause {
            #(#fields,)*
        }
    }
}

/// `#[derive(..)]` as the user asked for the items.
fn derives(model: &Model<'_>) -> TokenStream {
    let derives = &model.derives;
    if derives.is_empty() { TokenStream::new() } else { quote!(#[derive(#(#derives),*)]) }
}

/// What a query term gives.
fn item_type(model: &Model<'_>, field: &Field) -> TokenStream {
    let (private, ty) = (&model.private, &field.ty);
    hygienic!(<#ty as #private::QueryData>::Item<'w>)
}

/// The read-only form of a query term.
fn read_only_type(model: &Model<'_>, field: &Field) -> TokenStream {
    let (private, ty) = (&model.private, &field.ty);
    hygienic!(<#ty as #private::QueryData>::ReadOnly)
}

/// What the read-only form of a query term gives.
fn read_only_item_type(model: &Model<'_>, field: &Field) -> TokenStream {
    let (private, read_only) = (&model.private, read_only_type(model, field));
    hygienic!(<#read_only as #private::QueryData>::Item<'w>)
}
