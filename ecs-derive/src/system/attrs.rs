//! Divides the attributes of the function between the item that stands for the system and the user's function inside it.
//!
//! Tests: tests/ui/pass/attributes_are_kept.rs

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

use crate::hygiene::hygienic;

/// Lints about an item, not about the code in a function.
const ITEM_LINTS: [&str; 2] = ["dead_code", "missing_docs"];

/// The divided attributes.
pub(super) struct Attrs {
    /// The attributes of the item that the user names.
    pub(super) item: TokenStream,
    /// The attributes of the function with the user's body.
    pub(super) function: TokenStream,
    /// Whether the function has the attribute `#[inline]`.
    pub(super) inline: bool,
}

/// Divides the attributes.
pub(super) fn divide(attrs: &[Attribute]) -> Attrs {
    let mut divided = Attrs { item: TokenStream::new(), function: TokenStream::new(), inline: false };
    for attr in attrs {
        let name = attr.path().get_ident().map(ToString::to_string).unwrap_or_default();
        match name.as_str() {
            "doc" | "deprecated" => attr.to_tokens(&mut divided.item),
            "allow" | "warn" | "deny" | "forbid" => {
                attr.to_tokens(&mut divided.item);
                attr.to_tokens(&mut divided.function);
            }
            "expect" => divide_expect(attr, &mut divided),
            _ => {
                divided.inline |= name == "inline";
                attr.to_tokens(&mut divided.function);
            }
        }
    }
    divided
}

/// Divides the lints of an `#[expect]`. Each lint goes to only one of the two items, because an expected lint must occur at the item with
/// the attribute.
fn divide_expect(attr: &Attribute, divided: &mut Attrs) {
    let lints = match &attr.meta {
        Meta::List(list) => list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated),
        _ => Ok(Punctuated::new()),
    };
    let Ok(lints) = lints else { return attr.to_tokens(&mut divided.function) };
    let (reason, lints): (Vec<Meta>, Vec<Meta>) = lints.into_iter().partition(|meta| meta.path().is_ident("reason"));
    let about_item = |meta: &Meta| ITEM_LINTS.iter().any(|lint| meta.path().is_ident(lint));
    let (item, function): (Vec<Meta>, Vec<Meta>) = lints.into_iter().partition(about_item);
    for (lints, target) in [(item, &mut divided.item), (function, &mut divided.function)] {
        if !lints.is_empty() {
            let all = lints.iter().chain(&reason);
            target.extend(quote!(#[expect(#(#all),*)]));
        }
    }
}

/// Returns the lints that are allowed for the user's function if it is private to the expansion.
pub(super) fn function_allows() -> TokenStream {
    let shapes = shapes();
    hygienic!(#[allow(dead_code)] #shapes)
}

/// Returns the lints that are allowed for the user's function if it is the item.
pub(super) fn item_allows() -> TokenStream {
    shapes()
}

/// Returns the allowed lints about signatures that systems require. Each list fits on one line of a printed expansion.
fn shapes() -> TokenStream {
    hygienic! {
        #[allow(elided_lifetimes_in_paths, clippy::inline_always, clippy::missing_const_for_fn, clippy::too_many_arguments)]
        #[allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref, clippy::unnecessary_wraps)]
    }
}

/// Returns the lints that are allowed for the expansion's own items, which repeat the user's types.
pub(super) fn own_allows() -> TokenStream {
    hygienic! {
        #[allow(deprecated, elided_lifetimes_in_paths, mismatched_lifetime_syntaxes, unused_imports, unused_qualifications)]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery)]
    }
}
