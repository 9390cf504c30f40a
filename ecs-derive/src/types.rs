//! Helpers for the syntax of types.
//!
//! Tests: tests/ui/pass/plain_functions.rs

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Lifetime, Type, TypePath};

/// Returns the type without parentheses and without the invisible groups that `macro_rules!` puts around a `$t:ty`.
pub(crate) fn peel(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

/// Returns the path of a type; `None` if the type has another form, or is `<T as Trait>::Type`.
pub(crate) fn plain_path(ty: &Type) -> Option<&syn::Path> {
    match peel(ty) {
        Type::Path(TypePath { qself: None, path, .. }) => Some(path),
        _ => None,
    }
}

/// Returns the first identifier `word` in the tokens, at any depth. Lifetimes with that name do not count.
pub(crate) fn find_word(tokens: TokenStream, word: &str) -> Option<Ident> {
    find(tokens, &|ident, is_lifetime| ident == word && !is_lifetime)
}

/// Returns the first identifier that `wanted` accepts. The second argument of `wanted` is whether the identifier is the name of a lifetime.
fn find(tokens: TokenStream, wanted: &dyn Fn(&Ident, bool) -> bool) -> Option<Ident> {
    let mut after_quote = false;
    for token in tokens {
        let found = match &token {
            TokenTree::Ident(ident) => wanted(ident, after_quote).then(|| ident.clone()),
            TokenTree::Group(group) => find(group.stream(), wanted),
            TokenTree::Punct(_) | TokenTree::Literal(_) => None,
        };
        if found.is_some() {
            return found;
        }
        after_quote = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
    }
    None
}

/// Replaces the lifetimes that `wanted` accepts by `by`, at any depth.
pub(crate) fn replace_lifetimes(tokens: TokenStream, by: &str, wanted: &dyn Fn(&Ident) -> bool) -> TokenStream {
    let mut output = TokenStream::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace_lifetimes(group.stream(), by, wanted));
                inner.set_span(group.span());
                output.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Punct(quote) if quote.as_char() == '\'' => match tokens.next() {
                Some(TokenTree::Ident(ident)) if wanted(&ident) => {
                    Lifetime::new(by, Span::mixed_site().located_at(ident.span())).to_tokens(&mut output);
                }
                rest => {
                    output.extend([TokenTree::Punct(quote)]);
                    output.extend(rest);
                }
            },
            token => output.extend([token]),
        }
    }
    output
}

/// Returns the spans of the first and last token of a type or another piece of the user's code. Output with these spans resolves as if the
/// user had written it. Errors in it are shown at the user's code, and rustc merges them with errors that it has already reported there.
pub(crate) fn ends(piece: &impl ToTokens) -> (Span, Span) {
    let mut tokens = piece.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::mixed_site, |token| token.span());
    let last = tokens.last().map_or(first, |token| token.span().resolved_at(first));
    (first, last)
}
