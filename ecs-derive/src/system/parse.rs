//! Reading the annotated function.
//!
//! Only the head is parsed; patterns and the body stay tokens. So a pattern may be anything that rustc accepts, and a function with an
//! incomplete body is still expanded with its spans, which an editor needs for completion.
//!
//! Tests: tests/ui/pass/patterns_in_parameters.rs

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Attribute, Generics, LitStr, ReturnType, Token, Type, Visibility, token};

use crate::types::find_word;

/// The annotated function.
#[derive(Clone)]
pub(super) struct Function {
    /// Attributes below `#[system]`, doc comments included.
    pub(super) attrs: Vec<Attribute>,
    /// Visibility.
    pub(super) vis: Visibility,
    /// `const`, `async`, `unsafe` and `extern "C"`, as written.
    pub(super) qualifiers: Vec<Qualifier>,
    /// The keyword.
    pub(super) fn_token: Token![fn],
    /// Name.
    pub(super) ident: Ident,
    /// Generics with the where clause.
    pub(super) generics: Generics,
    /// The parentheses around the parameters.
    pub(super) parentheses: token::Paren,
    /// `self` in any form.
    pub(super) receiver: Option<TokenStream>,
    /// Parameters except a receiver.
    pub(super) params: Vec<Param>,
    /// `...`
    pub(super) variadic: Option<Token![...]>,
    /// Whether a parameter lacks its type or its name, which rustc has already reported.
    pub(super) half_typed: bool,
    /// Return type.
    pub(super) output: ReturnType,
    /// The block, unparsed.
    pub(super) body: TokenStream,
}

/// One word before `fn`.
#[derive(Clone)]
pub(super) struct Qualifier {
    /// The word.
    pub(super) word: Ident,
    /// The ABI after `extern`.
    pub(super) abi: Option<LitStr>,
}

/// One parameter.
#[derive(Clone)]
pub(super) struct Param {
    /// Attributes.
    pub(super) attrs: Vec<Attribute>,
    /// The pattern, unparsed.
    pub(super) pattern: TokenStream,
    /// The colon.
    pub(super) colon: Token![:],
    /// Type.
    pub(super) ty: Type,
}

impl Param {
    /// Returns the name, if the pattern is `name` or `mut name`.
    pub(super) fn name(&self) -> Option<Ident> {
        let parser = |input: ParseStream<'_>| {
            input.parse::<Option<Token![mut]>>()?;
            input.parse::<Ident>()
        };
        parser.parse2(self.pattern.clone()).ok()
    }

    /// Returns the name of the parameter, or the pattern if it has no name, for messages.
    pub(super) fn label(&self) -> String {
        self.name().map_or_else(|| self.pattern.to_string(), |name| name.unraw().to_string())
    }
}

/// The content of the parentheses.
#[derive(Default)]
struct Inputs {
    receiver: Option<TokenStream>,
    params: Vec<Param>,
    variadic: Option<Token![...]>,
    half_typed: bool,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let qualifiers = qualifiers(input)?;
        if !input.peek(Token![fn]) {
            return Err(not_a_function(input, &qualifiers));
        }
        let fn_token = input.parse()?;
        let ident = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let content;
        let parentheses = syn::parenthesized!(content in input);
        let Inputs { receiver, params, variadic, half_typed } = content.call(inputs)?;
        let output = input.parse()?;
        generics.where_clause = input.parse()?;
        let body = input.parse()?;
        Ok(Function {
            attrs,
            vis,
            qualifiers,
            fn_token,
            ident,
            generics,
            parentheses,
            receiver,
            params,
            variadic,
            half_typed,
            output,
            body,
        })
    }
}

/// Parses the words before `fn`.
fn qualifiers(input: ParseStream<'_>) -> syn::Result<Vec<Qualifier>> {
    let mut qualifiers = Vec::new();
    loop {
        let ahead = input.fork();
        let Ok(word) = ahead.call(Ident::parse_any) else { return Ok(qualifiers) };
        if !["const", "async", "gen", "unsafe", "extern"].iter().any(|known| word == known) {
            return Ok(qualifiers);
        }
        let word = input.call(Ident::parse_any)?;
        let abi = if input.peek(LitStr) { Some(input.parse()?) } else { None };
        qualifiers.push(Qualifier { word, abi });
    }
}

/// Returns the error about an attribute on an item that is not a function.
fn not_a_function(input: ParseStream<'_>, qualifiers: &[Qualifier]) -> syn::Error {
    const ITEMS: [&str; 9] = ["struct", "enum", "union", "trait", "impl", "mod", "type", "static", "use"];
    let found = match input.fork().call(Ident::parse_any) {
        Ok(word) if ITEMS.iter().any(|item| word == item) => Some(word),
        _ => qualifiers.first().map(|qualifier| qualifier.word.clone()),
    };
    let what = found.as_ref().map_or_else(|| "something else".to_owned(), |word| format!("a `{word}` item"));
    let span = found.map_or_else(|| input.span(), |word| word.span());
    syn::Error::new(span, format_args!("`#[system]` stands above a function, this is {what}\nhelp: remove `#[system]`"))
}

/// Parses the content of the function's parentheses.
fn inputs(input: ParseStream<'_>) -> syn::Result<Inputs> {
    let mut inputs = Inputs::default();
    while !input.is_empty() {
        let attrs = input.call(Attribute::parse_outer)?;
        if input.peek(Token![...]) {
            inputs.variadic = Some(input.parse()?);
        } else {
            let pattern = pattern(input)?;
            if pattern.is_empty() {
                return half_typed(input, inputs);
            }
            let is_receiver = inputs.params.is_empty() && is_receiver(&pattern);
            if input.is_empty() || input.peek(Token![,]) {
                if !is_receiver {
                    return half_typed(input, inputs);
                }
                inputs.receiver = Some(pattern);
            } else {
                let colon = input.parse()?;
                if input.peek(Token![...]) {
                    inputs.variadic = Some(input.parse()?);
                } else {
                    let param = Param { attrs, pattern, colon, ty: input.parse()? };
                    if is_receiver {
                        inputs.receiver = Some(param.pattern);
                    } else {
                        inputs.params.push(param);
                    }
                }
            }
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(inputs)
}

/// Skips the rest of the parameters, and marks them as incomplete.
fn half_typed(input: ParseStream<'_>, inputs: Inputs) -> syn::Result<Inputs> {
    input.parse::<TokenStream>()?;
    Ok(Inputs { half_typed: true, ..inputs })
}

/// Parses the tokens of a pattern, up to the colon before the type or up to the comma.
fn pattern(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.peek(Token![::]) {
            let path: Token![::] = input.parse()?;
            path.to_tokens(&mut tokens);
            continue;
        }
        if input.peek(Token![:]) {
            break;
        }
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// Returns whether the pattern is `self`, `mut self`, `&self`, `&mut self` or `&'a self`.
fn is_receiver(pattern: &TokenStream) -> bool {
    matches!(pattern.clone().into_iter().last(), Some(TokenTree::Ident(ident)) if ident == "self")
}

impl Function {
    /// Returns the first `Self` in the types of the function. The body is not searched.
    pub(super) fn self_type(&self) -> Option<Ident> {
        let types = self.params.iter().map(|param| param.ty.to_token_stream());
        types.chain([self.output.to_token_stream()]).find_map(|tokens| find_word(tokens, "Self"))
    }

    /// Returns whether the function has a block, possibly in the invisible group of a `$body:block`.
    pub(super) fn has_body(&self) -> bool {
        let block = |input: ParseStream<'_>| -> syn::Result<bool> {
            let found = input.peek(token::Brace);
            input.parse::<TokenStream>()?;
            Ok(found)
        };
        block.parse2(self.body.clone()).unwrap_or(false)
    }
}
