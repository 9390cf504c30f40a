//! `#[derive(States)]` and `#[derive(SubStates)]`, whose traits are in `strata-app`.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, ImplGenerics, Meta, Pat, Token, Type, TypeGenerics};

use crate::attr::{Grammar, Known, Opt, private_path_of};
use crate::ctxt::Ctxt;
use crate::expand::{reject_lifetimes, scope};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};
use crate::manifest::app_path;
use crate::state_form::form;

const CRATE: Known = Known { name: "crate", usage: "crate = path::to::strata_app" };

const STATES: Grammar = Grammar { attribute: "#[states]", known: &[CRATE] };

const SUB_STATES: Grammar = Grammar { attribute: "#[sub_states]", known: &[CRATE] };

/// Returns the path of the module of `strata-app` for macro output.
fn private(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> TokenStream {
    private_path_of(cx, grammar, options, app_path)
}

/// Expands `derive(States)`.
pub(crate) fn states(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = STATES.collect(cx, "states", &item.attrs);
    let private = private(cx, &STATES, &options);
    check(cx, item, "States", "states");
    if item.kind == Kind::Union {
        // A union cannot implement the traits that a state requires.
        return TokenStream::new();
    }
    let (impl_generics, type_generics, where_clause) = parts(item);
    let (ident, form) = (&item.ident, form(item));
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::States for #ident #type_generics #where_clause {
            #form
        }
        #[automatically_derived]
        impl #impl_generics __strata::FreelyMutableState for #ident #type_generics #where_clause {}
    };
    scope(&private, &implementation)
}

/// Expands `derive(SubStates)`.
pub(crate) fn sub_states(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = SUB_STATES.collect(cx, "sub_states", &item.attrs);
    let private = private(cx, &SUB_STATES, &options);
    check(cx, item, "SubStates", "sub_states");
    if item.kind == Kind::Union {
        return TokenStream::new();
    }
    let (impl_generics, type_generics, where_clause) = parts(item);
    let (ident, form) = (&item.ident, form(item));
    // The implementation is emitted after errors too, so that uses of the type give no further errors.
    let (source, value) = match source(cx, item) {
        Some(Source { source, value }) => {
            let value = hygienic! {
                #[allow(unused_variables, unreachable_patterns)]
                match __strata_sources {
                    #value => __strata::Some(<Self as __strata::Default>::default()),
                    _ => __strata::None,
                }
            };
            (hygienic!(#source), value)
        }
        None => (hygienic!(__strata::NoSource), hygienic!(__strata::None)),
    };
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::SubStates for #ident #type_generics #where_clause {
            type SourceStates = #source;
            fn should_exist(__strata_sources: #source) -> __strata::Option<Self> {
                #value
            }
        }
        #[automatically_derived]
        impl #impl_generics __strata::States for #ident #type_generics #where_clause {
            const DEPENDENCY_DEPTH: __strata::usize = __strata::sub_state_depth::<Self>();
            #form
        }
        #[automatically_derived]
        impl #impl_generics __strata::FreelyMutableState for #ident #type_generics #where_clause {}
    };
    scope(&private, &implementation)
}

/// Reports types that cannot be states.
fn check(cx: &Ctxt, item: &Item, name: &str, helper: &str) {
    if item.kind == Kind::Union {
        let message =
            format!("a union cannot be a state: it cannot be compared\nhelp: derive {name} on a struct or an enum");
        cx.error_at(item.keyword, message);
    }
    reject_lifetimes(cx, &item.generics, "a state may live as long as the program", "store an owned value");
    item.reject_inner_helper(cx, helper);
}

/// Returns the generics and the where clause of the implementations.
fn parts(item: &Item) -> (ImplGenerics<'_>, TypeGenerics<'_>, TokenStream) {
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let mut bounds = Vec::new();
    if !item.generics.params.is_empty() {
        bounds.push(hygienic! {
            Self: __strata::Send + __strata::Sync + __strata::Clone + __strata::Eq + __strata::Hash + __strata::Debug + 'static
        });
    }
    (impl_generics, type_generics, where_with(&item.generics, &bounds))
}

/// The content of `#[source(..)]`.
struct Source {
    source: Type,
    value: Pat,
}

/// Returns the source of a sub-state, if there is exactly one valid attribute.
fn source(cx: &Ctxt, item: &Item) -> Option<Source> {
    let mut attributes = item.attrs.iter().filter(|attr| attr.path().is_ident("source"));
    let Some(first) = attributes.next() else {
        let message = "a sub-state exists in one value of another state, and it is not said which\n\
                       help: add `#[source(OtherState = OtherState::Value)]`";
        cx.error_at(item.ident.span(), message);
        return None;
    };
    if let Some(second) = attributes.next() {
        let message = "a sub-state has one source, and this is a second one\n\
                       help: take a tuple: `#[source((A, B) = (A::Value, B::Value))]`";
        cx.error_over(second, message);
        return None;
    }
    parse_source(cx, first)
}

/// Parses `#[source(Type = pattern)]`.
fn parse_source(cx: &Ctxt, attribute: &Attribute) -> Option<Source> {
    let parser = |input: ParseStream<'_>| {
        let source = input.parse()?;
        input.parse::<Token![=]>()?;
        let value = Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<Option<Token![,]>>()?;
        Ok(Source { source, value })
    };
    let usage = "`#[source]` is written `#[source(OtherState = OtherState::Value)]`, with any pattern behind `=`";
    let Meta::List(list) = &attribute.meta else {
        cx.error_over(attribute, usage);
        return None;
    };
    let source = parser.parse2(list.tokens.clone()).ok();
    if source.is_none() {
        cx.error_over(attribute, usage);
    }
    source
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;

    use super::{states, sub_states};
    use crate::expand::derive;

    fn expanded(input: TokenStream, expansion: fn(&super::Ctxt, &super::Item) -> TokenStream) -> String {
        derive(input, expansion).to_string()
    }

    #[test]
    fn states_are_those_of_the_crate_that_is_named() {
        let output = expanded(
            quote!(
                enum Menu {
                    Main,
                    Options,
                }
            ),
            states,
        );
        assert!(output.contains(":: strata_app :: __private"), "{output}");
        let output = expanded(
            quote!(
                #[states(crate = engine::app)]
                enum Menu {
                    Main,
                }
            ),
            states,
        );
        assert!(output.contains("engine :: app :: __private") && !output.contains("strata_app"), "{output}");
    }

    #[test]
    fn a_sub_state_has_one_source() {
        let output = expanded(
            quote!(
                enum Phase {
                    Setup,
                }
            ),
            sub_states,
        );
        assert!(output.contains("it is not said which") && output.contains("NoSource"), "{output}");
        let output = expanded(
            quote!(
                #[source(A = A::B)]
                #[source(C = C::D)]
                enum Phase {
                    Setup,
                }
            ),
            sub_states,
        );
        assert!(output.contains("this is a second one"), "{output}");
        for wrong in
            [quote!(#[source]), quote!(#[source()]), quote!(#[source(A)]), quote!(#[source(A = A::B, C = C::D)])]
        {
            let output = expanded(quote!(#wrong enum Phase { Setup }), sub_states);
            assert!(output.contains("with any pattern behind `=`"), "{output}");
        }
        let output = expanded(
            quote!(
                #[source((A, Option<B>) = (A::X | A::Y { .. }, Some(_)))]
                struct Phase;
            ),
            sub_states,
        );
        assert!(output.contains("(A , Option < B >)") && !output.contains("compile_error"), "{output}");
    }

    #[test]
    fn what_cannot_be_compared_or_kept_is_no_state() {
        assert!(expanded(quote!(union Bits { a: u8 }), states).contains("a union cannot be a state"));
        assert!(
            expanded(
                quote!(
                    struct Text<'a>(&'a str);
                ),
                states
            )
            .contains("lifetime parameter `'a`")
        );
        assert!(
            expanded(
                quote!(
                    #[states(name = "x")]
                    struct A;
                ),
                states
            )
            .contains("has no option `name`")
        );
    }
}
