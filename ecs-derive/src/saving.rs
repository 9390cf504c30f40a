//! What the options of a component say of it in files: its version there, what older values become, names that it had, and whether it
//! is saved at all.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, LitInt, LitStr, Token};

use crate::attr::{Grammar, Known, Opt, Value};
use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;

/// The option for the version of the values.
pub(crate) const VERSION: Known = Known { name: "version", usage: "version = 2" };
/// The option for names that the component had.
pub(crate) const ALIAS: Known = Known { name: "alias", usage: "alias = \"an_earlier_name\"" };
/// The option for what makes values of older ones.
pub(crate) const UPGRADE: Known = Known { name: "upgrade", usage: "upgrade = function | upgrade(1 = function, ..)" };
/// The option for components that are not saved.
pub(crate) const SAVE: Known = Known { name: "save", usage: "save = \"skip\"" };

/// What the options say.
pub(crate) struct Saving {
    /// Calls that a description is followed by.
    calls: TokenStream,
    /// The method that lists the upgrades, if there are some.
    pub(crate) upgrades: Option<TokenStream>,
}

impl Saving {
    /// Reads the options.
    pub(crate) fn of(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Self {
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
        let version = version.and_then(|version| version.base10_parse().ok()).unwrap_or(1);
        Self { calls, upgrades: upgrades(cx, grammar, options, version) }
    }

    /// A description, with what the options say.
    pub(crate) fn describe(&self, found: TokenStream) -> TokenStream {
        let calls = &self.calls;
        if calls.is_empty() { found } else { hygienic!(#found #calls) }
    }
}

/// The number that the option says.
fn version(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Option<LitInt> {
    let option = options.iter().find(|option| option.name == "version")?;
    let literal = match &option.value {
        Value::Equals(tokens) => syn::parse2::<LitInt>(tokens.clone()).ok(),
        Value::Flag | Value::List(_) => None,
    };
    let literal = literal.filter(is_version);
    if literal.is_none() {
        grammar.misuse(cx, option);
    }
    literal
}

/// Whether a number is one of a version.
fn is_version(literal: &LitInt) -> bool {
    literal.base10_parse::<u32>().is_ok_and(|version| version != 0) && matches!(literal.suffix(), "" | "u32")
}

/// The names that the option says.
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

/// The method that lists what makes values of those of older versions.
fn upgrades(cx: &Ctxt, grammar: &Grammar, options: &[Opt], version: u32) -> Option<TokenStream> {
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
    let calls: Vec<TokenStream> = match &option.value {
        Value::Equals(tokens) => {
            let (from, function) = (version - 1, syn::parse2::<Expr>(tokens.clone()).ok()?.into_token_stream());
            vec![hygienic!(__strata::UpgradeList::add::<_, Self>(list, #from, #function);)]
        }
        Value::List(tokens) => {
            let all = all.parse2(tokens.clone()).into_iter().flatten().filter(|(from, _)| is_version(from));
            all.map(|(from, function)| hygienic!(__strata::UpgradeList::add::<_, Self>(list, #from, #function);))
                .collect()
        }
        Value::Flag => Vec::new(),
    };
    if calls.is_empty() {
        grammar.misuse(cx, option);
        return None;
    }
    Some(hygienic! {
        // A closure of the user's may only call a function.
        #[allow(clippy::redundant_closure)]
        fn upgrades<__L: __strata::UpgradeList>(list: &mut __L) {
            #(#calls)*
        }
    })
}
