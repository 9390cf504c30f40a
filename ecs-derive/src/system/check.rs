//! What a system may not be. Each check says what is wrong and what to do instead.

use proc_macro2::Ident;
use quote::{ToTokens as _, quote};
use syn::{GenericParam, ReturnType, Type, WherePredicate};

use super::model::{Input, Kind, Model};
use super::parse::Function;
use crate::ctxt::Ctxt;
use crate::types::{find_word, peel, plain_path};

/// All checks.
pub(super) fn check(cx: &Ctxt, model: &Model) {
    no_qualifiers(cx, model);
    no_variadic(cx, model);
    has_body(cx, model);
    no_bounded_lifetimes(cx, model);
    associated_functions(cx, model);
    input_comes_first(cx, model);
    nameable_types(cx, model);
    owned_output(cx, model);
    components_behind_references(cx, model);
    filters_need_rows(cx, model);
    filters_agree(cx, model);
}

/// A system is called by the schedule, from safe code, to its end.
fn no_qualifiers(cx: &Ctxt, model: &Model) {
    for qualifier in &model.function.qualifiers {
        let word = qualifier.word.to_string();
        let why = match word.as_str() {
            "async" => "a system runs to its end within the schedule, it cannot be `async`",
            "unsafe" => "the schedule calls systems from safe code, a system cannot be an `unsafe fn`",
            "const" => "a system works on the world at run time, it cannot be a `const fn`",
            "extern" => "a system is called by Rust code, it cannot be an `extern fn`",
            _ => "a system is a plain `fn`",
        };
        cx.error_over(
            &qualifier.word,
            format_args!(
                "{why}\nhelp: remove `{word}`{}",
                if word == "unsafe" { ", and put an `unsafe` block into the body" } else { "" }
            ),
        );
    }
}

/// The parameters are known when the program is compiled.
fn no_variadic(cx: &Ctxt, model: &Model) {
    if let Some(dots) = &model.function.variadic {
        cx.error_over(dots, "a system cannot be variadic\nhelp: name each parameter");
    }
}

/// A declaration does nothing.
fn has_body(cx: &Ctxt, model: &Model) {
    if !model.function.has_body() {
        let message = "a system needs a body\nhelp: write `{ .. }` instead of `;`";
        cx.error_over(&model.function.body, message);
    }
}

/// An associated function becomes a constant, which cannot be generic and whose inside does not know `Self`.
fn associated_functions(cx: &Ctxt, model: &Model) {
    let function = &model.function;
    if let Some(word) = self_in_signature(function) {
        let message = if model.options.associated {
            "a system does not know `Self`\nhelp: write the name of the type"
        } else {
            "`Self` has no meaning in a system that is a free function\n\
             help: in an `impl`, write `#[system(associated)]` and the name of the type"
        };
        cx.error_at(word.span(), message);
    }
    if !model.options.associated {
        return;
    }
    if let Some(param) = function.generics.params.iter().find(|param| !matches!(param, GenericParam::Lifetime(_))) {
        let message = "an associated function with parameters of its own cannot be a system\n\
                       help: move the function out of the `impl`";
        cx.error_over(param, message);
    }
}

/// `Self` in the types of the function. What the body may say, rustc knows.
pub(super) fn self_in_signature(function: &Function) -> Option<Ident> {
    let types = function.params.iter().map(|param| param.ty.to_token_stream());
    types.chain([function.output.to_token_stream()]).find_map(|tokens| find_word(tokens, "Self"))
}

/// What a system is given is its first parameter, and is given once.
fn input_comes_first(cx: &Ctxt, model: &Model) {
    let later = model.inputs.iter().skip(1).find(|input| matches!(input.kind, Kind::Input(_)));
    if let Some(input) = later {
        let message = "the input of a system is its first parameter, and the only one\n\
                       help: move `In` to the front";
        cx.error_over(&input.param.ty, message);
    } else if let Some((input, _)) = model.given()
        && model.has_rows()
    {
        let message = "a row system has no input: it runs once for each row, and an input is given once\n\
                       help: put the value into a resource and take `Res`";
        cx.error_over(&input.param.ty, message);
    }
}

/// Each call brings its own lifetimes, so the function must accept any.
fn no_bounded_lifetimes(cx: &Ctxt, model: &Model) {
    let message = "the lifetimes of a system's parameters last for one call, they cannot have bounds\n\
                   help: remove the bound; most lifetimes can be left out altogether";
    for param in &model.function.generics.params {
        if let GenericParam::Lifetime(param) = param
            && let Some(bound) = param.bounds.first()
        {
            cx.error_over(bound, message);
        }
    }
    let clauses = model.function.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    for predicate in clauses {
        if let WherePredicate::Lifetime(predicate) = predicate {
            cx.error_over(predicate, message);
        }
    }
}

/// The expansion names the parameters' types more than once, so each must have a name.
fn nameable_types(cx: &Ctxt, model: &Model) {
    for Input { param, .. } in &model.inputs {
        if let Some(hole) = find_word(param.ty.to_token_stream(), "_") {
            cx.error_at(hole.span(), "`_` stands for a type that nothing here tells\nhelp: write the type out");
        } else if let Some(word) = find_word(param.ty.to_token_stream(), "impl") {
            cx.error_at(
                word.span(),
                "a system's parameter must have one type that can be named, `impl Trait` stands for many\n\
                 help: write the type out, or use a type parameter: `fn system<T: Trait>(..)`",
            );
        }
    }
}

/// What a system returns outlives the call.
fn owned_output(cx: &Ctxt, model: &Model) {
    let ReturnType::Type(_, ty) = &model.function.output else { return };
    let message = match peel(ty) {
        Type::Reference(_) => "a system cannot return a reference: its borrows end with the call",
        ty if find_word(ty.to_token_stream(), "impl").is_some() => {
            "a system must return a type that can be named, not `impl Trait`"
        }
        _ => return,
    };
    cx.error_over(ty, format_args!("{message}\nhelp: return nothing, or a `Result`"));
}

/// The parameter is of the row, but its type is one of the system's.
pub(super) fn is_system_param(ty: &Type) -> bool {
    let last = plain_path(ty).and_then(|path| path.segments.last());
    last.is_some_and(|last| PARAMS.iter().any(|known| last.ident == known))
}

/// System parameters that are often taken by reference at first.
const PARAMS: [&str; 11] = [
    "Commands",
    "Query",
    "Res",
    "ResMut",
    "Local",
    "ParamSet",
    "Lookup",
    "In",
    "MessageWriter",
    "MessageReader",
    "MessageMutator",
];

/// A reference borrows one component of the row: a sized type, not a reference again.
fn components_behind_references(cx: &Ctxt, model: &Model) {
    for Input { param, kind, .. } in &model.inputs {
        let (Kind::Shared(element) | Kind::Exclusive(element)) = kind else { continue };
        if find_word(element.to_token_stream(), "impl").is_some() {
            continue;
        }
        if let Some(message) = not_a_component(peel(element)) {
            cx.error_over(&param.ty, message);
        } else if let Type::Reference(reference) = peel(&param.ty)
            && let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static")
        {
            cx.error_over(lifetime, "a component is borrowed for one call, not for `'static`\nhelp: remove `'static`");
        }
    }
}

/// Why a type that can be told by its form is no component.
fn not_a_component(element: &Type) -> Option<String> {
    let text = quote!(#element).to_string();
    Some(match element {
        Type::Reference(_) => {
            "a row parameter borrows a component with one `&` or `&mut`\nhelp: write `&T` or `&mut T`".to_owned()
        }
        Type::TraitObject(_) => format!(
            "`{text}` has no known size, so it cannot be a component\n\
             help: borrow the component's own type, or use a type parameter: `fn system<T: Component>(row: &T)`"
        ),
        Type::Slice(_) => {
            format!("`{text}` has no known size, so it cannot be a component\nhelp: wrap a `Vec` in a component")
        }
        _ => {
            let path = plain_path(element)?;
            let ident = &path.segments.last()?.ident;
            if path.segments.len() > 1 {
                return None;
            }
            if ident == "str" {
                "`str` has no known size, so it cannot be a component\nhelp: wrap a `String` in a component".to_owned()
            } else if let Some(known) = PARAMS.iter().find(|known| *ident == **known) {
                format!(
                    "`{known}` is no component but a system parameter, which is taken by value\n\
                     help: write `{known}` without `&` (a component of yours with this name can be written `self::{known}`)"
                )
            } else if ident == "World" {
                "in `#[system]` a reference borrows a component of the row, and `World` is none\n\
                 help: write `#[param]` before the parameter to read the whole world; a system that changes it is a plain \
                 function with the only parameter `&mut World` (a component of yours with this name can be written \
                 `self::World`)"
                    .to_owned()
            } else {
                return None;
            }
        }
    })
}

/// Options that choose rows mean nothing without rows.
fn filters_need_rows(cx: &Ctxt, model: &Model) {
    if model.has_rows() {
        return;
    }
    if let Some(option) = model.options.filters.first() {
        let message = format!(
            "`{option}` chooses rows, but `{}` has no row parameter such as `&T`\n\
             help: add one, or put the filter into a `Query<.., ..>` parameter",
            model.function.ident
        );
        cx.error_at(option.span(), message);
    }
}

/// No row has a component and has it not.
fn filters_agree(cx: &Ctxt, model: &Model) {
    for unwanted in &model.options.without {
        let name = quote!(#unwanted).to_string();
        let same = |ty: &Type| quote!(#ty).to_string() == name;
        let wanted_by = if model.options.with.iter().any(same) {
            "`with`".to_owned()
        } else if let Some(input) = model.rows().find(|input| match &input.kind {
            Kind::Shared(element) | Kind::Exclusive(element) => same(element),
            _ => false,
        }) {
            format!("the parameter `{}`", input.param.label())
        } else {
            continue;
        };
        let message = format!(
            "no row can match: {wanted_by} asks for `{name}` and `without` excludes it\nhelp: remove one of the two"
        );
        cx.error_over(unwanted, message);
    }
}
