//! Components, resources and messages that a system borrows by types that are written out.
//!
//! The check of a system goes by keys of types, and the key of a type with parameters is not exact. But where two types are
//! written out, the compiler can be asked whether they are one.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{GenericArgument, PathArguments, Type, TypePath};

use super::model::{Kind, Model};
use crate::hygiene::hygienic;
use crate::types::peel;

/// One borrow that is written out.
struct Borrow<'a> {
    /// The place of the parameter, rows first.
    param: usize,
    /// The component, resource or message.
    ty: &'a Type,
    write: bool,
    what: What,
}

/// What is borrowed.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Component,
    Resource,
    /// The messages of a type.
    Messages,
}

/// Every two borrows that may be of one type, for the check.
pub(super) fn twins(model: &Model) -> Vec<TokenStream> {
    let borrows = borrows(model);
    let mut twins = Vec::new();
    for (at, second) in borrows.iter().enumerate() {
        for first in &borrows[..at] {
            twins.extend(twin(model, first, second));
        }
    }
    twins
}

/// The two, if they may get into each other's way and there is a way to find out.
fn twin(model: &Model, first: &Borrow<'_>, second: &Borrow<'_>) -> Option<TokenStream> {
    if first.what != second.what || !(first.write || second.write) {
        return None;
    }
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
    let (name, what) = (readable(&text), second.what);
    let (first, second) = (first.param, second.param);
    Some(match what {
        What::Component => hygienic!(__strata::Twin::new(#first, #second, #name, false, #same)),
        What::Resource => hygienic!(__strata::Twin::new(#first, #second, #name, true, #same)),
        What::Messages => hygienic!(__strata::Twin::messages(#first, #second, #name, #same)),
    })
}

/// The text of a type without the spaces that the tokens were printed with.
fn readable(text: &str) -> String {
    text.replace(" < ", "<").replace(" >", ">").replace(" :: ", "::").replace(" ,", ",")
}

/// All borrows that are written out in the parameters.
fn borrows(model: &Model) -> Vec<Borrow<'_>> {
    let mut borrows = Vec::new();
    for (param, input) in model.rows().chain(model.system_params()).enumerate() {
        let mut component = |ty, write| borrows.push(Borrow { param, ty, write, what: What::Component });
        match &input.kind {
            Kind::Shared(ty) | Kind::OptionalShared(ty) => component(ty, false),
            Kind::Exclusive(ty) | Kind::OptionalExclusive(ty) | Kind::Mut(ty) => component(ty, true),
            Kind::Has | Kind::Entity | Kind::Marked | Kind::Input(_) => {}
            Kind::System => of_param(&input.param.ty, param, &mut borrows),
        }
    }
    borrows
}

/// Those of a system parameter: of a resource, of messages, or of the data of a query.
fn of_param<'a>(ty: &'a Type, param: usize, borrows: &mut Vec<Borrow<'a>>) {
    let Some((name, arguments)) = named(ty) else { return };
    let Some(&ty) = arguments.first() else { return };
    let mut push = |what, write| borrows.push(Borrow { param, ty, write, what });
    match name.as_str() {
        "Query" | "Lookup" => of_data(ty, param, borrows),
        "Res" => push(What::Resource, false),
        "ResMut" => push(What::Resource, true),
        "MessageReader" => push(What::Messages, false),
        "MessageWriter" | "MessageMutator" => push(What::Messages, true),
        "Option" => of_param(ty, param, borrows),
        _ => {}
    }
}

/// Those of a query's data.
fn of_data<'a>(ty: &'a Type, param: usize, borrows: &mut Vec<Borrow<'a>>) {
    match peel(ty) {
        Type::Reference(reference) => {
            let write = reference.mutability.is_some();
            borrows.push(Borrow { param, ty: &reference.elem, write, what: What::Component });
        }
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| of_data(ty, param, borrows)),
        ty => match named(ty) {
            Some((name, arguments)) if name == "Option" => {
                arguments.first().into_iter().for_each(|ty| of_data(ty, param, borrows));
            }
            Some((name, arguments)) if name == "Mut" => {
                borrows.extend(arguments.first().map(|ty| Borrow { param, ty, write: true, what: What::Component }));
            }
            _ => {}
        },
    }
}

/// The last name of a path and its type arguments.
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
