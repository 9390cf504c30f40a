//! The form of a state in files: the name of the variant, or of the type of a struct, followed by the fields.
//!
//! A constant in `strata-app` determines whether a field can be written. If a field cannot be written, the state has no form.
//!
//! Tests: ecs/app/tests/derived.rs

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::{Field, Fields, Variant};

use crate::hygiene::hygienic;
use crate::item::{Item, Kind, member};

/// A variant, or the type itself if it is a struct: its path, its name and its fields.
type Shape = (TokenStream, String, Vec<Field>);

fn shapes(item: &Item) -> Option<Vec<Shape>> {
    let of_variant = |variant: Variant| {
        let ident = &variant.ident;
        let fields = match variant.fields {
            Fields::Unit => Vec::new(),
            fields => fields.into_iter().collect(),
        };
        (hygienic!(Self::#ident), ident.unraw().to_string(), fields)
    };
    match item.kind {
        Kind::Struct => Some(vec![(hygienic!(Self), item.ident.unraw().to_string(), item.known_fields()?)]),
        _ => Some(item.known_variants()?.into_iter().map(of_variant).collect()),
    }
}

/// Returns the constant with the form; `None` if the body of the type cannot be parsed, or the type has no variants.
pub(crate) fn form(item: &Item) -> Option<TokenStream> {
    let shapes = shapes(item)?;
    if shapes.is_empty() {
        return None;
    }
    let types = shapes.iter().flat_map(|(_, _, fields)| fields).map(|field| &field.ty);
    let writes = shapes.iter().map(|(path, name, fields)| {
        let bound: Vec<Ident> =
            (0..fields.len()).map(|at| Ident::new(&format!("__strata_{at}"), Span::mixed_site())).collect();
        let members = fields.iter().enumerate().map(|(at, field)| member(at, field));
        let types = fields.iter().map(|field| &field.ty);
        hygienic! {
            #path { #(#members: #bound),* } => {
                __strata::write_word(#name, __strata_text);
                #(
                    if let __strata::Some(form) = __strata::Field::<#types>::FORM {
                        (form.write)(#bound, __strata_text);
                    }
                )*
            }
        }
    });
    let reads = shapes.iter().map(|(path, name, fields)| {
        let members = fields.iter().enumerate().map(|(at, field)| member(at, field));
        let types = fields.iter().map(|field| &field.ty);
        hygienic! {
            #name => __strata::Some(#path { #(#members: (__strata::Field::<#types>::FORM?.read)(__strata_text)?),* })
        }
    });
    Some(hygienic! {
        #[allow(deprecated)]
        const FORM: __strata::StateForm<Self> = {
            use __strata::Unwritten as _;
            if true #(&& __strata::Field::<#types>::FORM.is_some())* {
                __strata::StateForm::Words {
                    write: |__strata_state, __strata_text| match __strata_state {
                        #(#writes)*
                    },
                    read: |__strata_text| match __strata::read_word(__strata_text)? {
                        #(#reads,)*
                        _ => __strata::None,
                    },
                }
            } else {
                __strata::StateForm::Unknown
            }
        };
    })
}
