//! The options in the attributes of all macros: `name`, `name = value`, `name(list)`.
//!
//! This module only knows the syntax. Each macro declares a [`Grammar`], and interprets the values. Unknown and repeated names are reported
//! here, so that all macros use the same messages.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, LitStr, Meta, Path, Token, token};

use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;
use crate::manifest::core_path;
use crate::suggest::nearest;

/// One option that a macro knows.
pub(crate) struct Known {
    /// The name before `=` or `(`.
    pub(crate) name: &'static str,
    /// The syntax of the option, for messages.
    pub(crate) usage: &'static str,
}

/// The option that every macro has.
pub(crate) const CRATE: Known = Known { name: "crate", usage: "crate = path::to::strata_ecs" };

/// The options that a macro accepts in its attribute.
pub(crate) struct Grammar {
    /// The attribute as the user writes it, for messages: `#[component]`.
    pub(crate) attribute: &'static str,
    /// Every valid option.
    pub(crate) known: &'static [Known],
}

/// An option that the user has written.
pub(crate) struct Opt {
    /// The name.
    pub(crate) name: Ident,
    /// The part after the name.
    pub(crate) value: Value,
}

/// The part of an option after its name.
pub(crate) enum Value {
    /// The option is only a name.
    Flag,
    /// `= tokens`; empty if the value is missing.
    Equals(TokenStream),
    /// `(tokens)`
    List(TokenStream),
}

impl Opt {
    /// Returns the name of the option without `r#`.
    pub(crate) fn key(&self) -> String {
        self.name.unraw().to_string()
    }

    /// Returns the span of the value, or of the name if the option has no value.
    pub(crate) fn value_span(&self) -> Span {
        match &self.value {
            Value::Equals(tokens) | Value::List(tokens) if !tokens.is_empty() => tokens.span(),
            _ => self.name.span(),
        }
    }
}

impl Grammar {
    /// Returns the options of all attributes called `helper` among `attrs`.
    pub(crate) fn collect(&self, cx: &Ctxt, helper: &str, attrs: &[Attribute]) -> Vec<Opt> {
        let mut options = Vec::new();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident(helper)) {
            match &attr.meta {
                Meta::List(list) if !list.tokens.is_empty() => self.parse(cx, list.tokens.clone(), &mut options),
                _ => cx.error_over(
                    &attr.meta,
                    format_args!(
                        "`{}` needs an option in parentheses\nvalid options: {}",
                        self.attribute,
                        self.usages()
                    ),
                ),
            }
        }
        options
    }

    /// Parses the options between the parentheses of one attribute and appends them to `options`.
    pub(crate) fn parse(&self, cx: &Ctxt, tokens: TokenStream, options: &mut Vec<Opt>) {
        let parser = |input: ParseStream<'_>| -> syn::Result<()> {
            while !input.is_empty() {
                let option = self.parse_option(input)?;
                self.admit(cx, option, options);
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        };
        let _reported = cx.ok(parser.parse2(tokens));
    }

    /// Adds `option` to `options`, or reports it if it is unknown or repeated.
    fn admit(&self, cx: &Ctxt, option: Opt, options: &mut Vec<Opt>) {
        let key = option.key();
        if !self.known.iter().any(|known| known.name == key) {
            let meant = nearest(&key, self.known.iter().map(|known| known.name))
                .map_or_else(String::new, |name| format!(": did you mean `{name}`?"));
            let message =
                format!("`{}` has no option `{key}`{meant}\nvalid options: {}", self.attribute, self.usages());
            cx.error_at(option.name.span(), message);
        } else if options.iter().any(|earlier| earlier.key() == key) {
            cx.error_at(option.name.span(), format_args!("the option `{key}` is given twice: keep one of the two"));
        } else {
            options.push(option);
        }
    }

    /// Lists the valid options, for a message.
    fn usages(&self) -> String {
        let usages: Vec<_> = self.known.iter().map(|known| format!("`{}`", known.usage)).collect();
        usages.join(", ")
    }

    /// Returns the string value of the option `name`, if present.
    pub(crate) fn literal(&self, cx: &Ctxt, options: &[Opt], name: &str) -> Option<LitStr> {
        let option = options.iter().find(|option| option.name == name)?;
        let literal = match &option.value {
            Value::Equals(tokens) => syn::parse2::<LitStr>(tokens.clone()).ok(),
            Value::Flag | Value::List(_) => None,
        };
        if literal.is_none() {
            self.misuse(cx, option);
        }
        literal
    }

    /// Reports that the value of a known option has the wrong form.
    pub(crate) fn misuse(&self, cx: &Ctxt, option: &Opt) {
        self.misuse_at(cx, option, option.value_span());
    }

    /// Reports that a part of the value of a known option has the wrong form.
    pub(crate) fn misuse_at(&self, cx: &Ctxt, option: &Opt, place: Span) {
        let key = option.key();
        let usage = self.known.iter().find(|known| known.name == key).map_or(key.as_str(), |known| known.usage);
        cx.error_at(place, format_args!("the option `{key}` is written `{usage}`"));
    }

    /// Parses one option: `name`, `name = tokens up to the comma`, or `name(tokens)`.
    fn parse_option(&self, input: ParseStream<'_>) -> syn::Result<Opt> {
        if !input.peek(Ident::peek_any) {
            let message = format!("an option begins with its name\nvalid options: {}", self.usages());
            return Err(syn::Error::new(input.span(), message));
        }
        let name = input.call(Ident::parse_any)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let is_closure = input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move]);
            // A closure is parsed as a whole: the commas between its parameters do not separate options.
            Value::Equals(if is_closure { input.parse::<Expr>()?.into_token_stream() } else { tokens_to_comma(input)? })
        } else if input.peek(token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            Value::List(content.parse()?)
        } else {
            Value::Flag
        };
        Ok(Opt { name, value })
    }
}

/// Parses all tokens up to the next comma outside of angle brackets. The result may be empty: a caller that requires a value reports that.
fn tokens_to_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    while !input.is_empty() && (depth > 0 || !input.peek(Token![,])) {
        let token: proc_macro2::TokenTree = input.parse()?;
        if let proc_macro2::TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        tokens.push(token);
    }
    Ok(tokens.into_iter().collect())
}

/// Returns the path of the core crate's module for macro output: `::strata_ecs::__private`, with the name that the user's crate gives the
/// core, or `__private` of the crate given by `crate = path`.
pub(crate) fn private_path(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> TokenStream {
    private_path_of(cx, grammar, options, core_path)
}

/// Like [`private_path`], for another crate: without the option, the crate is `find_crate()`.
pub(crate) fn private_path_of(
    cx: &Ctxt,
    grammar: &Grammar,
    options: &[Opt],
    find_crate: fn() -> TokenStream,
) -> TokenStream {
    let default = || {
        let path = find_crate();
        hygienic!(#path::__private)
    };
    let Some(option) = options.iter().find(|option| option.name == "crate") else { return default() };
    let tokens = match &option.value {
        Value::Equals(tokens) if !tokens.is_empty() => tokens,
        _ => {
            grammar.misuse(cx, option);
            return default();
        }
    };
    if let Ok(text) = syn::parse2::<LitStr>(tokens.clone()) {
        let message = format!("`crate` takes a path without quotes: `crate = {}`", text.value());
        cx.error_at(text.span(), message);
        return default();
    }
    match cx.ok(Path::parse_mod_style.parse2(tokens.clone())) {
        Some(path) => quote_spanned!(Span::mixed_site()=> #path::__private),
        None => default(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CRATE, Grammar, Known, Opt, private_path};
    use crate::ctxt::Ctxt;
    use quote::quote;

    const GRAMMAR: Grammar =
        Grammar { attribute: "#[component]", known: &[Known { name: "storage", usage: "storage = \"table\"" }, CRATE] };

    fn parse(tokens: proc_macro2::TokenStream) -> (Vec<Opt>, String) {
        let cx = Ctxt::new();
        let mut options = Vec::new();
        GRAMMAR.parse(&cx, tokens, &mut options);
        (options, cx.into_errors().to_string())
    }

    #[test]
    fn known_options_are_kept() {
        let (options, errors) = parse(quote!(storage = "table", crate = a::b));
        assert_eq!(options.iter().map(Opt::key).collect::<Vec<_>>(), ["storage", "crate"]);
        assert_eq!(errors, "");
    }

    #[test]
    fn an_unknown_option_names_the_nearest() {
        let (options, errors) = parse(quote!(storge = "table"));
        assert!(options.is_empty());
        assert!(errors.contains("did you mean `storage`?"), "{errors}");
        assert_eq!(errors.matches("compile_error").count(), 1);
    }

    #[test]
    fn a_repeated_option_is_an_error() {
        let (options, errors) = parse(quote!(storage = "table", storage = "sparse"));
        assert_eq!(options.len(), 1);
        assert!(errors.contains("given twice"), "{errors}");
    }

    #[test]
    fn the_crate_option_replaces_the_path() {
        let cx = Ctxt::new();
        let (options, _) = parse("crate = crate::ecs".parse().expect("these are tokens"));
        assert_eq!(private_path(&cx, &GRAMMAR, &options).to_string(), "crate :: ecs :: __private");
        assert_eq!(private_path(&cx, &GRAMMAR, &[]).to_string(), ":: strata_ecs :: __private");
        assert!(cx.is_clean());
        let _none = cx.into_errors();
    }

    #[test]
    fn a_quoted_crate_path_is_explained() {
        let cx = Ctxt::new();
        let (options, _) = parse(quote!(crate = "a::b"));
        let _default = private_path(&cx, &GRAMMAR, &options);
        assert!(cx.into_errors().to_string().contains("without quotes"));
    }
}
