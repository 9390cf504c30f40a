//! Finds components, resources, non-Send values and messages that a system borrows more than once by types that are spelled out.
//!
//! The check of a system compares keys of types, but the key of a generic type is not exact. If both types are spelled out, the compiler
//! can compare the types themselves.
//!
//! Tests: tests/systems/keys.rs

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{GenericArgument, PathArguments, Type, TypePath};

use super::filters;
use super::model::{Kind, Model};
use crate::hygiene::hygienic;
use crate::types::peel;

/// One borrow whose type is spelled out.
struct Borrow<'a> {
    /// The position of the parameter: row parameters come first, then system parameters, then the terms of options.
    param: usize,
    /// Whether the row query borrows it.
    row: bool,
    /// The component, resource, value or message.
    ty: &'a Type,
    write: bool,
    what: What,
}

/// The kind of the borrowed value.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Component,
    /// Whether a component has changed.
    Changes,
    Resource,
    /// The messages of a type.
    Messages,
    /// A non-`Send` value.
    NonSend,
}

/// Returns the pairs of borrows that may be of one type, for the check.
pub(super) fn pairs(model: &Model) -> Vec<TokenStream> {
    let borrows = borrows(model);
    let mut pairs = Vec::new();
    for (at, second) in borrows.iter().enumerate() {
        for first in &borrows[..at] {
            pairs.extend(pair(model, first, second));
        }
    }
    pairs
}

/// Returns the expression for a pair of borrows; `None` if they cannot conflict or their types cannot be compared.
fn pair(model: &Model, first: &Borrow<'_>, second: &Borrow<'_>) -> Option<TokenStream> {
    let what = common(first, second)?;
    let (a, b) = (first.ty, second.ty);
    let (text, other) = (quote!(#a).to_string(), quote!(#b).to_string());
    if text.contains('\'') || other.contains('\'') {
        return None;
    }
    let same = if text == other {
        hygienic!(true)
    } else if !model.function.is_generic() && (text.contains('<') || other.contains('<')) {
        hygienic!(__strata::Pair::<#a, #b>::SAME)
    } else {
        return None;
    };
    let name = readable(&text);
    let (first, second) = (first.param, second.param);
    Some(match what {
        What::Component => hygienic!(__strata::SameTypePair::new(#first, #second, #name, false, #same)),
        What::Changes => hygienic!(__strata::SameTypePair::changes(#first, #second, #name, #same)),
        What::Resource => hygienic!(__strata::SameTypePair::new(#first, #second, #name, true, #same)),
        What::Messages => hygienic!(__strata::SameTypePair::messages(#first, #second, #name, #same)),
        What::NonSend => hygienic!(__strata::SameTypePair::non_send(#first, #second, #name, #same)),
    })
}

/// Returns the kind of the conflict that arises if the two types are equal; `None` if there is no conflict. A query may write a component
/// whose changes it filters by.
fn common(first: &Borrow<'_>, second: &Borrow<'_>) -> Option<What> {
    let own = first.param == second.param || first.row && second.row;
    match (first.what, second.what) {
        (What::Component, What::Changes) => (first.write && !own).then_some(What::Changes),
        (What::Changes, What::Component) => (second.write && !own).then_some(What::Changes),
        (a, b) => (a == b && (first.write || second.write)).then_some(a),
    }
}

/// Removes the spaces that printing the tokens has put into the text of a type.
fn readable(text: &str) -> String {
    text.replace(" < ", "<").replace(" >", ">").replace(" :: ", "::").replace(" ,", ",")
}

/// Returns all borrows in the parameters whose types are spelled out.
fn borrows(model: &Model) -> Vec<Borrow<'_>> {
    let mut borrows = Vec::new();
    let inputs = || model.rows().chain(model.system_params());
    for (param, input) in inputs().enumerate() {
        let mut component = |ty, write| borrows.push(Borrow { param, row: true, ty, write, what: What::Component });
        match &input.kind {
            Kind::Shared(ty) | Kind::OptionalShared(ty) | Kind::Ref(ty) | Kind::OptionalRef(ty) => component(ty, false),
            Kind::Exclusive(ty) | Kind::OptionalExclusive(ty) | Kind::Mut(ty) | Kind::OptionalMut(ty) => {
                component(ty, true);
            }
            Kind::Has | Kind::Entity | Kind::Marked | Kind::Parent | Kind::Children | Kind::Input(..) => {}
            Kind::Pair | Kind::Target | Kind::Pairs => {}
            Kind::System | Kind::Targets => of_param(&input.param.ty, param, &mut borrows),
        }
    }
    for (param, filter) in (inputs().count()..).zip(filters::filters(model)) {
        borrows.extend(filter.ticks.map(|ty| Borrow { param, row: true, ty, write: false, what: What::Changes }));
    }
    borrows
}

/// Adds the borrows of a system parameter: of a resource, a non-`Send` value, messages, or the data and the filter of a query.
fn of_param<'a>(ty: &'a Type, param: usize, borrows: &mut Vec<Borrow<'a>>) {
    let Some((name, arguments)) = named(ty) else { return };
    let Some(&ty) = arguments.first() else { return };
    let mut push = |what, write| borrows.push(Borrow { param, row: false, ty, write, what });
    match name.as_str() {
        "Query" | "Lookup" | "Targets" | "Single" | "Populated" => {
            of_data(ty, param, borrows);
            arguments.get(1).into_iter().for_each(|filter| of_filter(filter, param, borrows));
        }
        "Res" => push(What::Resource, false),
        "ResMut" => push(What::Resource, true),
        "NonSend" => push(What::NonSend, false),
        "NonSendMut" => push(What::NonSend, true),
        "MessageReader" => push(What::Messages, false),
        "MessageWriter" | "MessageMutator" => push(What::Messages, true),
        "Option" => of_param(ty, param, borrows),
        _ => {}
    }
}

/// Adds the borrows of the data of a query.
fn of_data<'a>(ty: &'a Type, param: usize, borrows: &mut Vec<Borrow<'a>>) {
    let mut component = |ty, write| borrows.push(Borrow { param, row: false, ty, write, what: What::Component });
    match peel(ty) {
        Type::Reference(reference) => component(&*reference.elem, reference.mutability.is_some()),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| of_data(ty, param, borrows)),
        ty => match named(ty) {
            Some((name, arguments)) if name == "Option" => {
                arguments.first().into_iter().for_each(|ty| of_data(ty, param, borrows));
            }
            Some((name, arguments)) if name == "Mut" || name == "Ref" => {
                arguments.first().into_iter().for_each(|ty| component(ty, name == "Mut"));
            }
            _ => {}
        },
    }
}

/// Adds the borrows of the filter of a query.
fn of_filter<'a>(ty: &'a Type, param: usize, borrows: &mut Vec<Borrow<'a>>) {
    match peel(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| of_filter(ty, param, borrows)),
        ty => match named(ty) {
            Some((name, arguments)) if name == "Or" => {
                arguments.first().into_iter().for_each(|ty| of_filter(ty, param, borrows));
            }
            Some((name, arguments)) if name == "Added" || name == "Changed" => {
                let changes = |ty| Borrow { param, row: false, ty, write: false, what: What::Changes };
                borrows.extend(arguments.first().map(|&ty| changes(ty)));
            }
            _ => {}
        },
    }
}

/// Returns the last name of a path and its type arguments.
fn named(ty: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(TypePath { qself: None, path, .. }) = peel(ty) else { return None };
    let last = path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some((last.ident.to_token_stream().to_string(), types.collect()))
}
