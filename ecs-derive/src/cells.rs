//! Determines whether values of a type may contain cells. The derives list the types of all fields; the core decides by the traits of these
//! types.
//!
//! Tests: tests/snapshots/shared.rs

use proc_macro2::TokenStream;
use syn::{Field, Type, Variant};

use crate::attr::{Grammar, Known, Opt, Value};
use crate::ctxt::Ctxt;
use crate::entities::{is_primitive, probe};
use crate::hygiene::hygienic;
use crate::item::Item;

/// The option for types whose values contain no cells.
pub(crate) const NO_CELLS: Known = Known { name: "no_cells", usage: "no_cells" };

/// Returns the implementation of `TypeCells`.
pub(crate) fn implementation(
    cx: &Ctxt,
    item: &Item,
    grammar: &Grammar,
    options: &[Opt],
    where_clause: &TokenStream,
) -> TokenStream {
    let option = options.iter().find(|option| option.name == NO_CELLS.name);
    if let Some(option) = option.filter(|option| !matches!(option.value, Value::Flag)) {
        grammar.misuse(cx, option);
    }
    let cells = match (option, all_fields(item)) {
        (Some(_), _) => hygienic!(__strata::Cells::NONE),
        (None, None) => hygienic!(__strata::Cells::POSSIBLE),
        (None, Some(fields)) => {
            let parts = fields.iter().map(|field| part(&field.ty));
            hygienic! {{
                use __strata::Unproved as _;
                __strata::Cells::of_parts(&[#(#parts),*])
            }}
        }
    };
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let ident = &item.ident;
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::TypeCells for #ident #type_generics #where_clause {
            const CELLS: __strata::Cells = #cells;
        }
    }
}

/// Returns all fields of a struct or enum; `None` for a union, or if the fields do not parse.
fn all_fields(item: &Item) -> Option<Vec<Field>> {
    let of_variants = |variants: Vec<Variant>| variants.into_iter().flat_map(|variant| variant.fields).collect();
    item.known_fields().or_else(|| item.known_variants().map(of_variants))
}

/// Returns the expression for the cells of a field. Primitive types need no second probe.
fn part(ty: &Type) -> TokenStream {
    let part = probe(ty, "PART");
    if is_primitive(ty) {
        return part;
    }
    let copy = probe(ty, "COPY");
    hygienic!(#part.or_copy(#copy.is_marked()))
}
