//! The types that `#[derive(QueryData)]` generates in addition to the user's: the items and the read-only twin.
//!
//! Tests: tests/queries/derive.rs

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Attribute, Generics, Member};

use super::model::{Field, Model, Style, Variant};
use crate::hygiene::hygienic;

/// A function that returns the type of a generated field, for a field of the user's type.
type FieldType = fn(&Model<'_>, &Field) -> TokenStream;

/// Returns the definition of the item type for the user's type.
pub(super) fn item(model: &Model<'_>) -> TokenStream {
    let doc = format!("The item of a query for [`{}`].", model.item.ident);
    definition(model, &model.item_name, &doc, &model.item_generics(), &derives(model), item_type)
}

/// Returns the definitions of the read-only twin and of its item type.
pub(super) fn read_only(model: &Model<'_>) -> TokenStream {
    let ident = &model.item.ident;
    let doc = format!("[`{ident}`] with read access only.");
    let mut output =
        definition(model, &model.read_only_name, &doc, &model.item.generics, &TokenStream::new(), read_only_type);
    let doc = format!("The item of a read-only query for [`{ident}`].");
    let generics = model.item_generics();
    output.extend(definition(model, &model.read_only_item_name, &doc, &generics, &derives(model), read_only_item_type));
    output
}

/// Returns the definition of the struct of slices, of the user's type or of the read-only twin.
pub(super) fn contiguous(model: &Model<'_>, name: &Ident, of_read_only: bool) -> TokenStream {
    let ident = &model.item.ident;
    let (doc, field_type): (_, FieldType) = if of_read_only {
        (format!("The slices of a read-only query for [`{ident}`]."), read_only_contiguous_type)
    } else {
        (format!("The slices of a query for [`{ident}`]."), contiguous_type)
    };
    definition(model, name, &doc, &model.item_generics(), &derives(model), field_type)
}

/// Returns code that uses the user's type, its variants and its fields. They otherwise only serve as a description, and rustc would report
/// dead code. A `match` arm that rebuilds the matched value would not count as a use.
pub(super) fn uses(model: &Model<'_>) -> TokenStream {
    let mut types = vec![&model.item.ident];
    if model.mutable {
        types.push(&model.read_only_name);
    }
    let (impl_generics, type_generics, _) = model.item.generics.split_for_impl();
    let where_clause = model.where_with(&[]);
    let mut output = TokenStream::new();
    for ident in types {
        let ty = hygienic!(#ident #type_generics);
        for (at, variant) in model.variants.iter().enumerate() {
            let function = format_ident!("__uses_{}_{at}", ident.unraw());
            let literal = variant.literal(ident);
            output.extend(hygienic! {
                // The user is not concerned by these lints: the function is only type-checked, its name contains a type name, and an enum
                // may have a single variant.
                #[allow(dead_code, non_snake_case, irrefutable_let_patterns)]
                fn #function #impl_generics (__strata_value: #ty) -> __strata::Option<#ty> #where_clause {
                    let #literal = __strata_value else { return __strata::None };
                    __strata::Some(#literal)
                }
            });
        }
    }
    output
}

/// Returns the definition of a type that has a field for each field of the user's type.
fn definition(
    model: &Model<'_>,
    name: &Ident,
    doc: &str,
    generics: &Generics,
    derives: &TokenStream,
    field_type: FieldType,
) -> TokenStream {
    let vis = &model.item.vis;
    let where_clause = model.where_with(&[]);
    let (params, _, _) = generics.split_for_impl();
    let bodies = model.variants.iter().map(|variant| (variant, fields(model, variant, field_type)));
    let rest = if model.is_enum() {
        let variants = bodies.map(|(variant, fields)| {
            let Variant { ident, attrs, .. } = variant;
            let doc = documentation(attrs, || {
                format!("The values for [`{}::{}`].", model.item.ident, ident.to_token_stream())
            });
            hygienic!(#doc #ident #fields)
        });
        hygienic!(enum #name #params #where_clause { #(#variants,)* })
    } else {
        let structs = bodies.map(|(variant, fields)| match variant.style {
            Style::Named => hygienic!(struct #name #params #where_clause #fields),
            Style::Tuple | Style::Unit => hygienic!(struct #name #params #fields #where_clause;),
        });
        structs.collect()
    };
    hygienic! {
        #[doc = #doc]
        #derives
        // The item has the visibility of the user's type, for which rustc has already reported less visible types in fields and bounds.
        #[allow(private_interfaces, private_bounds)]
        #vis #rest
    }
}

/// Returns the fields of a variant, with braces or parentheses.
fn fields(model: &Model<'_>, variant: &Variant, field_type: FieldType) -> TokenStream {
    let fields = variant.fields.iter().map(|field| {
        let Field { attrs, vis, member, .. } = field;
        let ty = field_type(model, field);
        let place = variant.ident.iter().map(|variant| format!("::{variant}")).collect::<String>();
        let name = member.to_token_stream();
        let doc = documentation(attrs, || format!("The value for [`{}{place}::{name}`].", model.item.ident));
        let name = matches!(member, Member::Named(_)).then(|| hygienic!(#name:));
        hygienic!(#doc #vis #name #ty)
    });
    match variant.style {
        Style::Named => hygienic!({ #(#fields,)* }),
        Style::Tuple => hygienic!(( #(#fields,)* )),
        Style::Unit => TokenStream::new(),
    }
}

/// Returns the user's doc comments, or `doc` if the user has written no doc comments.
fn documentation(attrs: &[Attribute], doc: impl FnOnce() -> String) -> TokenStream {
    if attrs.is_empty() {
        let doc = doc();
        return hygienic!(#[doc = #doc]);
    }
    hygienic!(#(#attrs)*)
}

/// Returns the `#[derive(..)]` that the user requested for the items.
fn derives(model: &Model<'_>) -> TokenStream {
    let derives = &model.derives;
    if derives.is_empty() { TokenStream::new() } else { quote!(#[derive(#(#derives),*)]) }
}

/// Returns the item type of a query term. Errors in it are reported at the field.
fn item_type(model: &Model<'_>, field: &Field) -> TokenStream {
    let (private, ty) = (field.show_here(&model.private), &field.ty);
    quote_spanned!(field.here()=> <#ty as #private::QueryData>::Item<'w, 's>)
}

/// Returns the read-only form of a query term.
fn read_only_type(model: &Model<'_>, field: &Field) -> TokenStream {
    let (private, ty) = (field.show_here(&model.private), &field.ty);
    quote_spanned!(field.here()=> <#ty as #private::QueryData>::ReadOnly)
}

/// Returns the item type of the read-only form of a query term.
fn read_only_item_type(model: &Model<'_>, field: &Field) -> TokenStream {
    let (private, read_only) = (field.show_here(&model.private), read_only_type(model, field));
    quote_spanned!(field.here()=> <#read_only as #private::QueryData>::Item<'w, 's>)
}

/// Returns the type of the slices that a query term yields.
fn contiguous_type(model: &Model<'_>, field: &Field) -> TokenStream {
    let (private, ty) = (field.show_here(&model.private), &field.ty);
    quote_spanned!(field.here()=> <#ty as #private::ContiguousQueryData>::Contiguous<'w, 's>)
}

/// Returns the type of the slices that the read-only form of a query term yields.
fn read_only_contiguous_type(model: &Model<'_>, field: &Field) -> TokenStream {
    let (private, read_only) = (field.show_here(&model.private), read_only_type(model, field));
    quote_spanned!(field.here()=> <#read_only as #private::ContiguousQueryData>::Contiguous<'w, 's>)
}
