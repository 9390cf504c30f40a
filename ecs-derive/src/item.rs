//! The input item of a derive, without its body.
//!
//! The derives need the head (attributes, visibility, name, generics) and at most the fields. The rest of the body (discriminants, default
//! values, syntax newer than our parser) is not parsed.
//!
//! Tests: tests/ui/pass/shapes_of_components.rs

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Field, Generics, Index, Meta, Token, Variant, Visibility, token};

use crate::ctxt::Ctxt;

/// The kind of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `struct`
    Struct,
    /// `enum`
    Enum,
    /// `union`
    Union,
}

/// The body of the item, as unparsed tokens.
pub(crate) enum Body {
    /// `;`
    Unit,
    /// `( .. );`
    Tuple(TokenStream),
    /// `{ .. }`
    Braced(TokenStream),
}

/// The input of a derive.
pub(crate) struct Item {
    /// All outer attributes.
    pub(crate) attrs: Vec<Attribute>,
    /// Visibility of the type.
    pub(crate) vis: Visibility,
    /// Struct, enum or union.
    pub(crate) kind: Kind,
    /// Span of the keyword `struct`, `enum` or `union`.
    pub(crate) keyword: Span,
    /// Name of the type.
    pub(crate) ident: Ident,
    /// Generics, including the where clause.
    pub(crate) generics: Generics,
    /// The unparsed body.
    pub(crate) body: Body,
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        let keyword = input.call(Ident::parse_any)?;
        // rustc calls derives only for structs, enums and unions.
        let kind = match keyword.to_string().as_str() {
            "struct" => Kind::Struct,
            "enum" => Kind::Enum,
            _ => Kind::Union,
        };
        let ident: Ident = input.parse()?;
        let mut generics: Generics = input.parse()?;
        generics.where_clause = input.parse()?;
        let body = if input.peek(token::Brace) {
            let content;
            syn::braced!(content in input);
            Body::Braced(content.parse()?)
        } else if input.peek(token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            generics.where_clause = input.parse()?;
            input.parse::<Token![;]>()?;
            Body::Tuple(content.parse()?)
        } else {
            input.parse::<Token![;]>()?;
            Body::Unit
        };
        Ok(Item { attrs, vis, kind, keyword: keyword.span(), ident, generics, body })
    }
}

impl Item {
    /// Returns the fields of a struct; `None` if the item is not a struct, or if its fields do not parse.
    pub(crate) fn known_fields(&self) -> Option<Vec<Field>> {
        (self.kind == Kind::Struct).then(|| self.parse_fields().ok()).flatten()
    }

    /// Returns the variants of an enum; `None` if the item is not an enum, or if its variants do not parse.
    pub(crate) fn known_variants(&self) -> Option<Vec<Variant>> {
        let Body::Braced(body) = &self.body else { return None };
        let parse = || Punctuated::<Variant, Token![,]>::parse_terminated.parse2(body.clone()).ok();
        (self.kind == Kind::Enum).then(parse).flatten().map(|variants| variants.into_iter().collect())
    }

    /// Returns the fields of a struct. If they do not parse, reports the error and returns no fields.
    pub(crate) fn fields(&self, cx: &Ctxt) -> Vec<Field> {
        cx.ok(self.parse_fields()).unwrap_or_default()
    }

    fn parse_fields(&self) -> syn::Result<Vec<Field>> {
        let (body, field): (_, fn(ParseStream<'_>) -> syn::Result<Field>) = match &self.body {
            Body::Unit => return Ok(Vec::new()),
            Body::Tuple(body) => (body, Field::parse_unnamed),
            Body::Braced(body) => (body, Field::parse_named),
        };
        let parser = |input: ParseStream<'_>| Punctuated::<Field, Token![,]>::parse_terminated_with(input, field);
        parser.parse2(body.clone()).map(|fields| fields.into_iter().collect())
    }

    /// Returns the variants of an enum. If they do not parse, reports the error and returns `None`.
    pub(crate) fn variants(&self, cx: &Ctxt) -> Option<Vec<Variant>> {
        let Body::Braced(body) = &self.body else { return None };
        let parsed = Punctuated::<Variant, Token![,]>::parse_terminated.parse2(body.clone());
        cx.ok(parsed).map(|variants| variants.into_iter().collect())
    }

    /// Reports helper attributes inside the body, where they would be ignored.
    pub(crate) fn reject_inner_helper(&self, cx: &Ctxt, helper: &str) {
        if let Body::Tuple(body) | Body::Braced(body) = &self.body {
            find_helper(cx, helper, body.clone());
        }
    }
}

/// Reports each `#[helper ..]` in `tokens`, at any depth.
fn find_helper(cx: &Ctxt, helper: &str, tokens: TokenStream) {
    let mut after_pound = false;
    for token in tokens {
        let TokenTree::Group(group) = &token else {
            after_pound = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
            continue;
        };
        let first = group.stream().into_iter().next();
        if after_pound && matches!(&first, Some(TokenTree::Ident(ident)) if ident == helper) {
            let message = format!(
                "`#[{helper}(..)]` stands above the type, not inside of it: nothing reads it here\n\
                 help: move it above the type"
            );
            cx.error_over(first.to_token_stream(), message);
        } else {
            find_helper(cx, helper, group.stream());
        }
        after_pound = false;
    }
}

/// Returns whether the type has one of these layouts in `#[repr(..)]`. There may be no references to the fields of a `packed` type, because
/// they can be unaligned.
pub(crate) fn has_repr(attrs: &[Attribute], layouts: &[&str]) -> bool {
    attrs.iter().filter(|attr| attr.path().is_ident("repr")).any(|attr| {
        let Meta::List(list) = &attr.meta else { return false };
        list.tokens
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Ident(word) if layouts.iter().any(|layout| word == layout)))
    })
}

/// Returns the name or index of a field, as it is written in an expression.
pub(crate) fn member(at: usize, field: &Field) -> TokenStream {
    match &field.ident {
        Some(ident) => ident.to_token_stream(),
        None => Index { index: u32::try_from(at).unwrap_or(u32::MAX), span: Span::mixed_site() }.to_token_stream(),
    }
}
