//! The options `transient`, `save` and `persistence` of resources and messages: whether snapshots, files and comparisons contain the
//! values.
//!
//! Tests: tests/snapshots/bounds.rs

use proc_macro2::{Span, TokenStream};
use syn::{Expr, LitStr};

use crate::attr::{Grammar, Known, Opt, Value};
use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;
use crate::types::ends;

/// The option for values that belong to the process.
pub(crate) const TRANSIENT: Known = Known { name: "transient", usage: "transient" };
/// The option for a function that returns the persistence.
pub(crate) const PERSISTENCE: Known = Known { name: "persistence", usage: "persistence = function" };

/// Returns the method that returns the persistence, if an option sets it.
pub(crate) fn method(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Option<TokenStream> {
    let named: Vec<&Opt> =
        options.iter().filter(|option| matches!(option.key().as_str(), "transient" | "save" | "persistence")).collect();
    if let [_, second, ..] = &named[..] {
        let message = "`transient`, `save` and `persistence` exclude each other\nhelp: keep one of them";
        cx.error_at(second.name.span(), message);
    }
    let option = named.first()?;
    let value = match (option.key().as_str(), &option.value) {
        ("transient", Value::Flag) => hygienic!(__strata::Persistence::Transient),
        ("save", Value::Equals(tokens)) => {
            let is_skip = syn::parse2::<LitStr>(tokens.clone()).is_ok_and(|literal| literal.value() == "skip");
            if !is_skip {
                grammar.misuse(cx, option);
                return None;
            }
            hygienic!(__strata::Persistence::Skipped)
        }
        ("persistence", Value::Equals(tokens)) if !tokens.is_empty() => {
            let function = cx.ok(syn::parse2::<Expr>(tokens.clone()))?;
            let place = Span::mixed_site().located_at(ends(&function).0);
            quote::quote_spanned!(place=> (#function)())
        }
        _ => {
            grammar.misuse(cx, option);
            return None;
        }
    };
    Some(hygienic! {
        fn persistence() -> __strata::Persistence<Self> {
            #value
        }
    })
}
