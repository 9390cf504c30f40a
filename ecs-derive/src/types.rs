//! Questions about the form of types.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Lifetime, Type, TypePath};

/// The type without parentheses and without the invisible groups that `macro_rules!` puts around a `$t:ty`.
pub(crate) fn peel(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

/// The plain path of a type: `None` for other forms and for `<T as Trait>::Type`.
pub(crate) fn plain_path(ty: &Type) -> Option<&syn::Path> {
    match peel(ty) {
        Type::Path(TypePath { qself: None, path, .. }) => Some(path),
        _ => None,
    }
}

/// The first identifier `word` in the tokens, at any depth. A lifetime of that name does not count.
pub(crate) fn find_word(tokens: TokenStream, word: &str) -> Option<Ident> {
    find(tokens, &|ident, is_lifetime| ident == word && !is_lifetime)
}

/// Whether the lifetime occurs in the tokens, at any depth.
pub(crate) fn has_lifetime(tokens: TokenStream, lifetime: &Lifetime) -> bool {
    find(tokens, &|ident, is_lifetime| *ident == lifetime.ident && is_lifetime).is_some()
}

/// The first identifier that `wanted` accepts; it is told whether the identifier names a lifetime.
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
