//! `cfg` on the function and on its parameters.
//!
//! A macro cannot evaluate a `cfg`, and a parameter appears in places that do not accept one. So the compiler decides first: the function
//! is emitted once below its `cfg`s, or once with and once without the parameter, each time with `#[system(..)]` last. Only the version
//! that the compiler keeps is expanded.
//!
//! Tests: tests/ui/pass/cfg_everywhere.rs

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Meta};

use super::options::Word;
use super::parse::Function;
use crate::hygiene::hygienic;

/// Returns the function for the compiler to decide about; `None` if nothing is conditional.
pub(super) fn defer(
    private: &TokenStream,
    word: Word,
    options: &TokenStream,
    function: &Function,
) -> Option<TokenStream> {
    let system = match word {
        Word::System => hygienic!(#[#private::system(#options)]),
        Word::Observer => hygienic!(#[#private::observer(#options)]),
    };
    let is_conditional = |attr: &Attribute| attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr");
    if function.attrs.iter().any(is_conditional) {
        let mut function = function.clone();
        let (conditions, attrs): (Vec<_>, Vec<_>) = function.attrs.into_iter().partition(is_conditional);
        function.attrs = attrs;
        return Some(quote!(#(#conditions)* #system #function));
    }
    for at in 0..function.params.len() {
        for (index, attr) in function.params[at].attrs.iter().enumerate() {
            if let Some(condition) = cfg_condition(attr) {
                let mut with = function.clone();
                with.params[at].attrs.remove(index);
                let mut without = function.clone();
                without.params.remove(at);
                return Some(hygienic! {
                    #[cfg(#condition)] #system #with
                    #[cfg(not(#condition))] #system #without
                });
            }
        }
    }
    None
}

/// Returns the condition of a `#[cfg(..)]`.
fn cfg_condition(attr: &Attribute) -> Option<&TokenStream> {
    match &attr.meta {
        Meta::List(list) if attr.path().is_ident("cfg") => Some(&list.tokens),
        _ => None,
    }
}

impl ToTokens for Function {
    /// The function as it was written.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attr in &self.attrs {
            attr.to_tokens(tokens);
        }
        self.vis.to_tokens(tokens);
        for qualifier in &self.qualifiers {
            qualifier.word.to_tokens(tokens);
            qualifier.abi.to_tokens(tokens);
        }
        let Function { fn_token, ident, generics, receiver, params, variadic, output, body, .. } = self;
        let receiver = receiver.iter();
        let variadic = variadic.iter();
        let where_clause = &generics.where_clause;
        tokens.extend(quote! {
            #fn_token #ident #generics (#(#receiver,)* #(#params,)* #(#variadic)*) #output #where_clause #body
        });
    }
}

impl ToTokens for super::parse::Param {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attr in &self.attrs {
            attr.to_tokens(tokens);
        }
        self.pattern.to_tokens(tokens);
        self.colon.to_tokens(tokens);
        self.ty.to_tokens(tokens);
    }
}
