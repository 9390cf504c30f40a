//! Attributes of a user that stand below derives: the compiler expands them after the derive has seen the item.

use proc_macro::TokenStream;

/// Replaces the item by its arguments.
#[proc_macro_attribute]
pub fn becomes(item: TokenStream, _: TokenStream) -> TokenStream {
    item
}
