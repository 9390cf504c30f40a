//! The options `clone`, `hash` and `serialize`. Each requires that the type implements a trait, even if the bounds of its parameters do not
//! imply that.
//!
//! Tests: tests/ui/errors, tests/storage/descriptors

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::attr::{Grammar, Known, Opt, Value};
use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;
use crate::item::Item;

/// The option for types that must be `Clone`.
pub(crate) const CLONE: Known = Known { name: "clone", usage: "clone" };
/// The option for types that must be `Hash`.
pub(crate) const HASH: Known = Known { name: "hash", usage: "hash" };
/// The option for types that must be `Serialize` and `DeserializeOwned`.
pub(crate) const SERIALIZE: Known = Known { name: "serialize", usage: "serialize" };

/// A trait that an option requires.
#[derive(Clone, Copy)]
enum Demand {
    Clone,
    Hash,
    Serialize,
}

/// The traits that options require, with the spans of the options.
pub(crate) struct Demands(Vec<(Demand, Span)>);

impl Demands {
    /// Collects the traits that `hash` and `serialize` require, and `Clone` if the span of that option is given.
    pub(crate) fn of(cx: &Ctxt, grammar: &Grammar, options: &[Opt], clone: Option<Span>) -> Self {
        let mut all: Vec<(Demand, Span)> = clone.map(|span| (Demand::Clone, span)).into_iter().collect();
        for option in options {
            let demand = match option.key().as_str() {
                "hash" => Demand::Hash,
                "serialize" => Demand::Serialize,
                _ => continue,
            };
            match option.value {
                Value::Flag => all.push((demand, option.name.span())),
                _ => grammar.misuse(cx, option),
            }
        }
        Self(all)
    }

    /// Collects the required traits for a macro whose option `clone` takes no value.
    pub(crate) fn of_flags(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Self {
        let clone = options.iter().find(|option| option.key() == "clone");
        if let Some(option) = clone.filter(|option| !matches!(option.value, Value::Flag)) {
            grammar.misuse(cx, option);
        }
        Self::of(cx, grammar, options, clone.map(|option| option.name.span()))
    }

    /// Returns the bounds by which an implementation for a type with parameters requires the traits.
    pub(crate) fn bounds(&self, item: &Item) -> Vec<TokenStream> {
        let bound = |(demand, span): &(Demand, Span)| {
            let span = Span::mixed_site().located_at(*span);
            match demand {
                Demand::Clone => quote_spanned!(span=> Self: __strata::Clone),
                Demand::Hash => quote_spanned!(span=> Self: __strata::Hash),
                Demand::Serialize => quote_spanned!(span=> Self: __strata::Serializable),
            }
        };
        if item.generics.params.is_empty() { Vec::new() } else { self.0.iter().map(bound).collect() }
    }

    /// Returns the expression `Some(function)` that clones a value, if `Clone` is required.
    pub(crate) fn clone_fn(&self) -> Option<TokenStream> {
        let (_, span) = self.0.iter().find(|(demand, _)| matches!(demand, Demand::Clone))?;
        let span = Span::mixed_site().located_at(*span);
        Some(quote_spanned!(span=> __strata::Some(<Self as __strata::Clone>::clone)))
    }

    /// Adds the functions of these traits to a description.
    pub(crate) fn describe(&self, found: TokenStream) -> TokenStream {
        self.0.iter().fold(found, |found, (demand, span)| {
            // The tokens get the option's span, so that errors point at the option.
            let span = Span::mixed_site().located_at(*span);
            let demanded = match demand {
                Demand::Clone => quote_spanned!(span=> found.with_clone()),
                Demand::Hash => quote_spanned!(span=> found.with_hash()),
                Demand::Serialize => quote_spanned!(span=> __strata::describe_serializable(found)),
            };
            hygienic!({
                let found = #found;
                #demanded
            })
        })
    }
}
