//! The options of `#[system(..)]`.

use proc_macro2::TokenStream;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Token, Type};

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::ctxt::Ctxt;

/// Every option.
const GRAMMAR: Grammar = Grammar {
    attribute: "#[system]",
    known: &[
        Known { name: "with", usage: "with(A, B)" },
        Known { name: "without", usage: "without(A, B)" },
        Known { name: "any", usage: "any(A, B)" },
        Known { name: "associated", usage: "associated" },
        CRATE,
    ],
};

/// The options, read.
pub(super) struct Options {
    /// Path of the core's module.
    pub(super) private: TokenStream,
    /// Rows must have all of these.
    pub(super) with: Vec<Type>,
    /// Rows must have none of these.
    pub(super) without: Vec<Type>,
    /// Rows must have at least one of these, if there are any.
    pub(super) any: Vec<Type>,
    /// The function stands in an `impl`.
    pub(super) associated: bool,
    /// The options that choose rows, as written.
    pub(super) filters: Vec<proc_macro2::Ident>,
}

/// Reads what stands between the parentheses of the attribute.
pub(super) fn read(cx: &Ctxt, tokens: TokenStream) -> Options {
    let mut options = Vec::new();
    GRAMMAR.parse(cx, tokens, &mut options);
    Options {
        private: private_path(cx, &GRAMMAR, &options),
        with: types(cx, &options, "with"),
        without: types(cx, &options, "without"),
        any: types(cx, &options, "any"),
        associated: flag(cx, &options, "associated"),
        filters: options
            .iter()
            .filter(|option| ["with", "without", "any"].iter().any(|filter| option.name == filter))
            .map(|option| option.name.clone())
            .collect(),
    }
}

/// Whether the option `name` is there, which stands alone.
fn flag(cx: &Ctxt, options: &[Opt], name: &str) -> bool {
    let Some(option) = options.iter().find(|option| option.name == name) else { return false };
    if !matches!(option.value, Value::Flag) {
        GRAMMAR.misuse(cx, option);
    }
    true
}

/// The types in the list of the option `name`.
fn types(cx: &Ctxt, options: &[Opt], name: &str) -> Vec<Type> {
    let Some(option) = options.iter().find(|option| option.name == name) else { return Vec::new() };
    match &option.value {
        Value::List(tokens) if !tokens.is_empty() => {
            let types = Punctuated::<Type, Token![,]>::parse_terminated.parse2(tokens.clone());
            cx.ok(types).map(|types| types.into_iter().collect()).unwrap_or_default()
        }
        _ => {
            GRAMMAR.misuse(cx, option);
            Vec::new()
        }
    }
}
