//! `cfg` on the function and on its parameters.
//!
//! A macro cannot evaluate a `cfg`, and the expansion repeats a parameter in places that do not accept a `cfg`. So the compiler decides
//! first: the output is the function below its `cfg`s, or one version of the function with the parameter and one without it. Each version
//! has the attribute `#[system(..)]` last, so only the version that the compiler keeps is expanded.
//!
//! Tests: tests/ui/pass/cfg_everywhere.rs

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Meta};

use super::options::Word;
use super::parse::Function;
use crate::hygiene::hygienic;

/// Returns the conditional versions of the function; `None` if nothing is conditional.
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
    /// Writes the function in the form in which the user wrote it.
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
