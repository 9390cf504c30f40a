//! Functions for all expansions: the scope around the output, and printing the output on request.
//!
//! Tests: ecs-derive/src/golden.rs, tests/ui/pass/macros_shadowed.rs

use std::env;
use std::io::Write as _;
use std::process::{Command, Stdio};

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::Generics;
use syn::ext::IdentExt as _;

use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;
use crate::item::Item;

/// Parses the input of a derive, and runs its expansion. Errors are appended to the output.
pub(crate) fn derive(input: TokenStream, expansion: fn(&Ctxt, &Item) -> TokenStream) -> TokenStream {
    let item = match syn::parse2::<Item>(input) {
        Ok(item) => item,
        Err(error) => return error.into_compile_error(),
    };
    let cx = Ctxt::new();
    let mut output = expansion(&cx, &item);
    output.extend(cx.into_errors());
    print(&item.ident, &output);
    output
}

/// Prints the expansion if the environment variable `STRATA_EXPAND` holds the name of the item.
pub(crate) fn print(ident: &Ident, output: &TokenStream) {
    let name = ident.unraw();
    if env::var_os("STRATA_EXPAND").is_some_and(|wanted| name == *wanted.to_string_lossy()) {
        let text = formatted(output).unwrap_or_else(|| output.to_string());
        eprintln!("// STRATA_EXPAND={name}\n{text}");
    }
}

/// Formats the tokens with rustfmt; `None` if rustfmt is not available.
pub(crate) fn formatted(tokens: &TokenStream) -> Option<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config", "max_width=120,use_small_heuristics=Max"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // The output is short and rustfmt reads all of it before it writes, so neither waits for the other.
    rustfmt.stdin.take()?.write_all(tokens.to_string().as_bytes()).ok()?;
    let output = rustfmt.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Puts the items into an anonymous scope, in which `__strata` is the module of the core for macro output.
pub(crate) fn scope(private: &TokenStream, items: &TokenStream) -> TokenStream {
    let items = with_macros_of(private, items.clone()).unwrap_or_else(|| items.clone());
    hygienic! {
        // The output names the user's type, which may be deprecated.
        #[allow(deprecated)]
        const _: () = {
            use #private as __strata;
            #items
        };
    }
}

/// Replaces `__strata` by its full path in each call of a macro; `None` if the tokens call no macro of `__strata`.
///
/// While a name in the user's code is unresolved, rustc does not resolve the import of `__strata` either. A macro call through that import
/// would add a second error to the one about the name.
///
/// Groups without such a call are kept unchanged: rebuilding a group loses the spans of its delimiters.
pub(crate) fn with_macros_of(private: &TokenStream, tokens: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut output = TokenStream::new();
    let mut is_changed = false;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(ident) if *ident == "__strata" && is_macro_path(&tokens[at + 1..]) => {
                is_changed = true;
                output.extend(private.clone());
                continue;
            }
            TokenTree::Group(group) => {
                if let Some(inner) = with_macros_of(private, group.stream()) {
                    is_changed = true;
                    let mut changed = Group::new(group.delimiter(), inner);
                    changed.set_span(group.span());
                    output.extend([TokenTree::Group(changed)]);
                    continue;
                }
            }
            _ => {}
        }
        output.extend([token.clone()]);
    }
    is_changed.then_some(output)
}

/// Returns whether the tokens begin with `::name!`, where `!` calls a macro and is not a part of `!=`.
fn is_macro_path(tokens: &[TokenTree]) -> bool {
    let is = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
    is(0, ':') && is(1, ':') && matches!(tokens.get(2), Some(TokenTree::Ident(_))) && is(3, '!') && !is(4, '=')
}

/// Returns the method that returns the static variable for the process-wide number of a type. Types with parameters have no such variable,
/// because a `static` in a generic function is shared by all instances.
pub(crate) fn slot(ident: &Ident, generics: &Generics) -> TokenStream {
    if !generics.params.is_empty() {
        return TokenStream::new();
    }
    hygienic! {
        #[inline]
        fn slot() -> __strata::Option<&'static __strata::TypeSlot<Self>> {
            static SLOT: __strata::TypeSlot<#ident> = __strata::TypeSlot::new();
            __strata::Some(&SLOT)
        }
    }
}

/// Reports lifetime parameters: stored types must be `'static`.
pub(crate) fn reject_lifetimes(cx: &Ctxt, generics: &Generics, what: &str, help: &str) {
    for param in crate::generics::lifetimes(generics) {
        let message = format!("{what}: it cannot have the lifetime parameter `{}`\nhelp: {help}", param.lifetime);
        cx.error_at(param.lifetime.span(), message);
    }
}
