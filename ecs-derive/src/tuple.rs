//! Nested tuples without an arity limit.
//!
//! The core implements its traits for tuples with few members. A longer tuple in macro output is nested: it contains the first members, and
//! at the end a tuple of the remaining members. Types, patterns and expressions are nested by the same rule, so they always match.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The maximum number of members of one tuple in macro output.
const WIDTH: usize = 12;

/// The maximum number of members of a tuple whose internal form in the core the output contains. For larger tuples, the internal form is a
/// tuple of groups.
const NARROW: usize = 4;

/// Returns the tuple `(a, b, ..)`, which is nested at the end if there are more than [`WIDTH`] members.
pub(crate) fn nest<T: ToTokens>(members: &[T]) -> TokenStream {
    nest_within(WIDTH, members)
}

/// Like [`nest`], with at most [`NARROW`] members per tuple: for columns of rows, sources of parameters, and tuples that correspond to
/// them.
pub(crate) fn nest_narrow<T: ToTokens>(members: &[T]) -> TokenStream {
    nest_within(NARROW, members)
}

fn nest_within<T: ToTokens>(width: usize, members: &[T]) -> TokenStream {
    if members.len() <= width {
        return quote!((#(#members,)*));
    }
    let (side, rest) = members.split_at(width - 1);
    let rest = nest_within(width, rest);
    quote!((#(#side,)* #rest,))
}

#[cfg(test)]
mod tests {
    use super::{NARROW, WIDTH, nest, nest_narrow};
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

    #[test]
    fn narrow_tuples_nest_earlier() {
        let text = nest_narrow(&names(NARROW + 1)).to_string();
        assert!(text.ends_with("m2 , (m3 , m4 ,) ,)"), "{text}");
    }
}
