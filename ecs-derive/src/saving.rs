//! The options of components, resources and relations that concern files: the version, upgrades of older values, earlier names, and for
//! components whether they are saved.
//!
//! Tests: tests/snapshots/versions.rs

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, LitInt, LitStr, Token};

use crate::attr::{Grammar, Known, Opt, Value};
use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;

/// The option for the version of the values.
pub(crate) const VERSION: Known = Known { name: "version", usage: "version = 2" };
/// The option for names that the type had.
pub(crate) const ALIAS: Known = Known { name: "alias", usage: "alias = \"an_earlier_name\"" };
/// The option for functions that upgrade older values.
pub(crate) const UPGRADE: Known = Known { name: "upgrade", usage: "upgrade = function | upgrade(1 = function, ..)" };
/// The option for components that are not saved.
pub(crate) const SAVE: Known = Known { name: "save", usage: "save = \"skip\"" };

/// The parsed options.
pub(crate) struct Saving {
    /// The method calls that are appended to a description.
    calls: TokenStream,
    /// The method that lists the upgrade functions, if there are any.
    pub(crate) upgrades: Option<TokenStream>,
}

impl Saving {
    /// Reads the options. `what` names the item in messages: `the component`.
    pub(crate) fn of(cx: &Ctxt, grammar: &Grammar, options: &[Opt], what: &str) -> Self {
        let mut calls = TokenStream::new();
        let version = version(cx, grammar, options);
        if let Some(version) = &version {
            calls.extend(hygienic!(.with_version(#version)));
        }
        let aliases = aliases(cx, grammar, options);
        if !aliases.is_empty() {
            calls.extend(hygienic!(.with_aliases(&[#(#aliases),*])));
        }
        if let Some(literal) = grammar.literal(cx, options, "save") {
            match literal.value().as_str() {
                "skip" => calls.extend(hygienic!(.without_saving())),
                _ => {
                    options.iter().filter(|option| option.name == "save").for_each(|option| grammar.misuse(cx, option))
                }
            }
        }
        let is_wrong = version.is_none() && options.iter().any(|option| option.name == "version");
        let version = version.and_then(|version| version.base10_parse().ok()).unwrap_or(1);
        // If the version itself is invalid, an error is already reported and other versions cannot be compared.
        let upgrades = if is_wrong { None } else { upgrades(cx, grammar, options, version, what) };
        Self { calls, upgrades }
    }

    /// Adds the options to a description.
    pub(crate) fn describe(&self, found: TokenStream) -> TokenStream {
        let calls = &self.calls;
        if calls.is_empty() { found } else { hygienic!(#found #calls) }
    }
}

/// Returns the number in the option `version`, if it is valid.
fn version(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Option<LitInt> {
    let option = options.iter().find(|option| option.name == "version")?;
    let literal = match &option.value {
        Value::Equals(tokens) => syn::parse2::<LitInt>(tokens.clone()).ok(),
        Value::Flag | Value::List(_) => None,
    };
    let literal = literal.filter(|literal| version_of(literal).is_some());
    if literal.is_none() {
        grammar.misuse(cx, option);
    }
    literal
}

/// Converts a number to a version; `None` if it is 0, too large, or of another type than `u32`.
fn version_of(literal: &LitInt) -> Option<u32> {
    let is_typed_so = matches!(literal.suffix(), "" | "u32");
    literal.base10_parse::<u32>().ok().filter(|version| *version != 0 && is_typed_so)
}

/// Returns the older versions with their functions. Reports invalid, newer and repeated versions.
fn older(cx: &Ctxt, all: Vec<(LitInt, Expr)>, now: u32, what: &str) -> Vec<(u32, Expr)> {
    let mut older: Vec<(u32, Expr)> = Vec::new();
    for (literal, function) in all {
        match version_of(&literal) {
            None => cx.error_at(literal.span(), "an older version is a number from 1 on, of type `u32`"),
            Some(from) if from >= now => {
                let message = format!(
                    "version {from} is not older than {what}, which has version {now}\n\
                     help: `upgrade` is for values of versions before that: raise `version`"
                );
                cx.error_at(literal.span(), message);
            }
            Some(from) if older.iter().any(|(other, _)| *other == from) => {
                let message = format!("values of version {from} are upgraded by two functions: keep one of the two");
                cx.error_at(literal.span(), message);
            }
            Some(from) => older.push((from, function)),
        }
    }
    older
}

/// Returns the names in the option `alias`.
fn aliases(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Vec<LitStr> {
    let Some(option) = options.iter().find(|option| option.name == "alias") else { return Vec::new() };
    let parser = |input: ParseStream<'_>| input.parse_terminated(<LitStr as syn::parse::Parse>::parse, Token![,]);
    let names: Vec<LitStr> = match &option.value {
        Value::Equals(tokens) => syn::parse2::<LitStr>(tokens.clone()).into_iter().collect(),
        Value::List(tokens) => parser.parse2(tokens.clone()).into_iter().flatten().collect(),
        Value::Flag => Vec::new(),
    };
    if names.is_empty() || names.iter().any(|name| name.value().trim().is_empty()) {
        grammar.misuse(cx, option);
        return Vec::new();
    }
    names
}

/// Returns the method that lists the upgrade functions.
fn upgrades(cx: &Ctxt, grammar: &Grammar, options: &[Opt], version: u32, what: &str) -> Option<TokenStream> {
    let option = options.iter().find(|option| option.name == "upgrade")?;
    if version == 1 {
        cx.error_at(
            option.name.span(),
            "there are no values of a version before the first one\nhelp: say which version the values have now: `version = 2`",
        );
        return None;
    }
    let one = |input: ParseStream<'_>| -> syn::Result<(LitInt, Expr)> {
        let from: LitInt = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok((from, input.parse()?))
    };
    let all = |input: ParseStream<'_>| input.parse_terminated(one, Token![,]);
    let written: Vec<(LitInt, Expr)> = match &option.value {
        Value::Equals(tokens) => {
            let from = LitInt::new(&(version - 1).to_string(), option.name.span());
            syn::parse2::<Expr>(tokens.clone()).into_iter().map(|function| (from.clone(), function)).collect()
        }
        Value::List(tokens) => all.parse2(tokens.clone()).into_iter().flatten().collect(),
        Value::Flag => Vec::new(),
    };
    if written.is_empty() {
        grammar.misuse(cx, option);
        return None;
    }
    let calls = older(cx, written, version, what)
        .into_iter()
        .map(|(from, function)| hygienic!(__strata::UpgradeList::<Self>::add(list, #from, #function);));
    Some(hygienic! {
        // A user's closure may just call a function, which clippy would report.
        #[allow(clippy::redundant_closure)]
        fn upgrades<__L: __strata::UpgradeList<Self>>(list: &mut __L) {
            #(#calls)*
        }
    })
}
