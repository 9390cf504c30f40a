//! Nested tuples without an arity limit.
//!
//! The core implements its traits for tuples of a few members. Macro output nests: the first members stand side by
//! side, the rest in a tuple of their own at the end. Types, patterns and expressions nest by the same rule, so they
//! always match.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Most members of one tuple that macro output writes.
const WIDTH: usize = 12;

/// `(a, b, ..)`, nested at the end once there are more than [`WIDTH`] members.
pub(crate) fn nest<T: ToTokens>(members: &[T]) -> TokenStream {
    if members.len() <= WIDTH {
        return quote!((#(#members,)*));
    }
    let (side, rest) = members.split_at(WIDTH - 1);
    let rest = nest(rest);
    quote!((#(#side,)* #rest,))
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, nest};
    use proc_macro2::{Ident, Span};

    fn names(count: usize) -> Vec<Ident> {
        (0..count).map(|i| Ident::new(&format!("m{i}"), Span::call_site())).collect()
    }

    #[test]
    fn few_members_are_flat() {
        assert_eq!(nest(&names(0)).to_string(), "()");
        assert_eq!(nest(&names(1)).to_string(), "(m0 ,)");
        assert!(!nest(&names(WIDTH)).to_string()[1..].contains('('));
    }

    #[test]
    fn many_members_nest_at_the_end() {
        let text = nest(&names(WIDTH + 1)).to_string();
        assert!(text.ends_with("m10 , (m11 , m12 ,) ,)"), "{text}");
    }
}
