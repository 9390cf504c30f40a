//! What the derives of components and resources tell of a type beyond its layout: the stable name.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::{GenericParam, LitStr};

use crate::attr::{Grammar, Known, Opt};
use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;
use crate::item::Item;

/// The option for another stable name than the path of the type.
pub(crate) const NAME: Known = Known { name: "name", usage: "name = \"a_name_for_files\"" };

/// The constant with the description of the type.
pub(crate) fn description(cx: &Ctxt, item: &Item, grammar: &Grammar, options: &[Opt]) -> TokenStream {
    let (name, parameters) = (item.ident.unraw().to_string(), parameters(item));
    let given = given_name(cx, grammar, options).map(|given| hygienic!(= #given));
    hygienic! {
        const DESCRIPTION: __strata::Description<Self> = __strata::description!(#name #given) #parameters;
    }
}

/// The stable name that the options give the type.
fn given_name(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Option<LitStr> {
    let literal = grammar.literal(cx, options, "name")?;
    if literal.value().trim().is_empty() {
        cx.error_at(
            literal.span(),
            "a stable name cannot be empty\nhelp: leave the option out, and the path of the type is its name",
        );
    }
    Some(literal)
}

/// The call that adds the parameters of the type to its name.
fn parameters(item: &Item) -> TokenStream {
    let parameters: Vec<TokenStream> = item.generics.params.iter().filter_map(parameter).collect();
    if parameters.is_empty() {
        return TokenStream::new();
    }
    hygienic! {
        .with_parameters(const {
            use __strata::Unproved as _;
            &[#(#parameters),*]
        })
    }
}

/// One parameter of the type as a part of the name.
fn parameter(parameter: &GenericParam) -> Option<TokenStream> {
    // Lints of the cast would else look at the user's code.
    let here = |ident: &Ident| {
        let mut ident = ident.clone();
        ident.set_span(Span::mixed_site().located_at(ident.span()));
        ident
    };
    match parameter {
        GenericParam::Type(param) => {
            let ident = here(&param.ident);
            Some(hygienic!(__strata::Probe::<#ident>::PARAMETER))
        }
        GenericParam::Const(param) => {
            let ident = here(&param.ident);
            Some(hygienic!(__strata::NameParameter::Const(#ident as __strata::i128)))
        }
        _ => None,
    }
}
