//! Checks of a system. Each check reports the error and the fix.
//!
//! Tests: tests/ui/errors, tests/ui/fail

use quote::{ToTokens as _, quote};
use syn::{GenericParam, ReturnType, Type, WherePredicate};

use super::model::{Input, Kind, Model, SYSTEM_PARAMS, classify, is_mutable, is_read_of_parent};
use super::options::{Options, Word, is_same};
use crate::ctxt::Ctxt;
use crate::types::{find_word, peel, plain_path};

/// Runs all checks.
pub(super) fn check(cx: &Ctxt, model: &Model) {
    no_qualifiers(cx, model);
    no_variadic(cx, model);
    has_body(cx, model);
    few_parameters(cx, model);
    no_bounded_lifetimes(cx, model);
    associated_functions(cx, model);
    input_comes_first(cx, model);
    observers_observe(cx, model);
    observers_have_no_loop(cx, model);
    nameable_types(cx, model);
    owned_output(cx, model);
    components_behind_references(cx, model);
    rows_one_by_one(cx, model);
    filters_need_rows(cx, model);
    filters_agree(cx, model);
    threads_need_rows(cx, model);
    loops_need_rows(cx, model);
    links_need_a_way(cx, model);
    names_agree_with_marks(cx, model);
    pairs_go_together(cx, model);
}

/// Rejects qualifiers such as `unsafe` and `async`: a schedule calls a system from safe code and runs it to its end.
fn no_qualifiers(cx: &Ctxt, model: &Model) {
    for qualifier in &model.function.qualifiers {
        let word = qualifier.word.to_string();
        let why = match word.as_str() {
            "async" | "gen" => &format!("a system runs to its end within the schedule, it cannot be `{word}`"),
            "unsafe" => "the schedule calls systems from safe code, a system cannot be an `unsafe fn`",
            "const" => "a system works on the world at run time, it cannot be a `const fn`",
            _ => "a system is called by Rust code, it cannot be an `extern fn`",
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

/// Rejects variadic functions: the parameters must be known at compile time.
fn no_variadic(cx: &Ctxt, model: &Model) {
    if let Some(dots) = &model.function.variadic {
        cx.error_over(dots, "a system cannot be variadic\nhelp: name each parameter");
    }
}

/// The maximum number of parameters that the core supports.
pub(super) const MOST_PARAMETERS: usize = 40;

/// Rejects too many parameters. Functions without the attribute have the same limit.
fn few_parameters(cx: &Ctxt, model: &Model) {
    if let Some(param) = model.function.params.get(MOST_PARAMETERS)
        && !model.options.associated
    {
        let message = format_args!(
            "a system has at most {MOST_PARAMETERS} parameters\n\
             help: put several into a struct with `#[derive(SystemParam)]`, or components into one with `#[derive(QueryData)]`"
        );
        cx.error_over(&param.ty, message);
    }
}

/// Rejects functions without a body.
fn has_body(cx: &Ctxt, model: &Model) {
    if !model.function.has_body() {
        let message = "a system needs a body\nhelp: write `{ .. }` instead of `;`";
        cx.error_over(&model.function.body, message);
    }
}

/// Checks associated functions, which become constants: they cannot be generic, and `Self` is not available.
fn associated_functions(cx: &Ctxt, model: &Model) {
    let function = &model.function;
    if let Some(word) = function.self_type() {
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
        let message = "a system in an `impl` cannot have type or const parameters\n\
                       help: move the function out of the `impl`";
        cx.error_over(param, message);
    }
}

/// Checks that a system has at most one input, as its first parameter, and that a row system has no input.
fn input_comes_first(cx: &Ctxt, model: &Model) {
    let later = model.inputs.iter().skip(1).find(|input| matches!(input.kind, Kind::Input(..)));
    if let Some(input) = later {
        let name = if let Kind::Input(form, _) = &input.kind { form.name() } else { "In" };
        let message = format_args!(
            "the input of a system is its first parameter, and the only one\nhelp: move `{name}` to the front"
        );
        cx.error_over(&input.param.ty, message);
    } else if let Some(input) = model.given()
        && model.is_loop()
    {
        let message = "a row system has no input: it runs once for each row, and an input is given once\n\
                       help: put the value into a resource and take `Res`";
        cx.error_over(&input.param.ty, message);
    }
}

/// Checks that an observer has an event.
fn observers_observe(cx: &Ctxt, model: &Model) {
    let is_later = model.inputs.iter().any(|input| matches!(input.kind, Kind::Input(..)));
    if model.options.word == Word::System || is_later && model.observes() {
        return;
    }
    let message = "an observer is told of an event: its first parameter is `On<E>`\n\
                   help: write `on: On<E>` in front, where `E` is an event, or `#[system]` instead of `#[observer]`";
    match model.inputs.first() {
        Some(input) => cx.error_over(&input.param.ty, message),
        None => cx.error_at(model.function.ident.span(), message),
    }
}

/// Rejects the options of loops for observers, because an observer runs once per event.
fn observers_have_no_loop(cx: &Ctxt, model: &Model) {
    let Options { par, simd_off, pipeline_off, .. } = &model.options;
    if !model.takes_target() {
        return;
    }
    for option in [par, simd_off, pipeline_off].into_iter().flatten() {
        let message = format!(
            "`{option}` is about a loop over rows, but an observer runs once for an event\nhelp: remove `{option}`"
        );
        cx.error_at(option.span(), message);
    }
}

/// Rejects bounded lifetimes: each call has its own lifetimes, so the function must accept any.
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

/// Rejects types without a name: the expansion repeats the types of the parameters.
fn nameable_types(cx: &Ctxt, model: &Model) {
    for Input { param, .. } in &model.inputs {
        if let Some(hole) = find_word(param.ty.to_token_stream(), "_") {
            cx.error_at(hole.span(), "`_` stands for a type that nothing here tells\nhelp: write the type out");
        } else if let Some(word) = find_word(param.ty.to_token_stream(), "impl") {
            cx.error_at(
                word.span(),
                "a system's parameter must have one type that can be named, `impl Trait` stands for many\n\
                 help: write the type out; a component of any type is a type parameter: `fn system<T: Component>(row: &T)`",
            );
        }
    }
}

/// Rejects outputs that borrow from the call, and outputs without a name.
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

/// Checks references, which borrow one component of the row: the type must be sized, and no reference itself.
fn components_behind_references(cx: &Ctxt, model: &Model) {
    for Input { param, kind, .. } in &model.inputs {
        let (Kind::Shared(element) | Kind::Exclusive(element)) = kind else { continue };
        if find_word(element.to_token_stream(), "impl").is_some() {
            continue;
        }
        if is_alone_with_the_world(model, element) {
            let message = "a system that changes the whole world is a plain function\nhelp: remove `#[system]`";
            cx.error_over(&param.ty, message);
        } else if let Some(message) = not_a_component(peel(element)) {
            cx.error_over(&param.ty, message);
        } else if let Type::Reference(reference) = peel(&param.ty)
            && let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static")
        {
            cx.error_over(lifetime, "a component is borrowed for one call, not for `'static`\nhelp: remove `'static`");
        }
    }
}

/// Returns whether the only parameter is `&mut World`.
fn is_alone_with_the_world(model: &Model, element: &Type) -> bool {
    let is_world = plain_path(element).and_then(syn::Path::get_ident).is_some_and(|ident| ident == "World");
    is_world && matches!(&model.inputs[..], [Input { kind: Kind::Exclusive(_), .. }])
}

/// Rejects tuples of row data: each component of the row is a parameter of its own.
fn rows_one_by_one(cx: &Ctxt, model: &Model) {
    for Input { param, .. } in model.system_params() {
        let Type::Tuple(tuple) = peel(&param.ty) else { continue };
        let is_row = |ty: &&Type| match peel(ty) {
            Type::Reference(reference) => not_a_component(peel(&reference.elem)).is_none(),
            _ => false,
        };
        if let Some(row) = tuple.elems.iter().find(is_row) {
            let message = "the components of a row are not taken as a tuple\nhelp: write a parameter for each";
            cx.error_over(row, message);
        }
    }
}

/// Returns the reason why a type is not a component, if its syntax shows that.
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
            let last = path.segments.last()?;
            let ident = &last.ident;
            // All of these parameter types except `Commands` have a type argument. Without one, the name is a component's.
            let is_complete = !last.arguments.is_none() || ident == "Commands";
            if path.segments.len() > 1 {
                return None;
            }
            if ident == "str" {
                "`str` has no known size, so it cannot be a component\nhelp: wrap a `String` in a component".to_owned()
            } else if let Some(known) = SYSTEM_PARAMS.iter().find(|known| *ident == **known && is_complete) {
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

/// Rejects options that select rows if the system has no rows.
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

/// Rejects `par`, which divides rows among threads, if the system has no rows.
fn threads_need_rows(cx: &Ctxt, model: &Model) {
    if let Some(option) = &model.options.par
        && !model.has_rows()
    {
        let message = format!(
            "`par` divides rows among threads, but `{}` has no row parameter such as `&T`\n\
             help: remove `par`, and call `par_iter` or `par_iter_mut` of a `Query` in the body",
            model.function.ident
        );
        cx.error_at(option.span(), message);
    }
}

/// Rejects `simd = off` and `pipeline = off` if the system is not a loop over rows.
fn loops_need_rows(cx: &Ctxt, model: &Model) {
    if model.has_rows() {
        return;
    }
    let system = &model.function.ident;
    if let Some(option) = &model.options.simd_off {
        let message = format!(
            "`simd = off` is about the loop over rows, but `{system}` has no row parameter such as `&T`\n\
             help: remove it; a `for` loop over a `Query` is compiled for one instruction set only"
        );
        cx.error_at(option.span(), message);
    }
    if let Some(option) = &model.options.pipeline_off {
        let message = format!(
            "`pipeline = off` is about the loop over rows, but `{system}` has no row parameter such as `&T`\n\
             help: remove it; a system that runs once is never part of a pipeline"
        );
        cx.error_at(option.span(), message);
    }
}

/// Rejects filters that contradict each other: no row both has and lacks a component.
fn filters_agree(cx: &Ctxt, model: &Model) {
    for unwanted in &model.options.without {
        let name = quote!(#unwanted).to_string();
        let same = |ty: &Type| quote!(#ty).to_string() == name;
        let Options { with, added, changed, .. } = &model.options;
        let lists = [("with", with), ("added", added), ("changed", changed)];
        let wanted_by = if let Some((option, _)) = lists.iter().find(|(_, types)| types.iter().any(same)) {
            format!("`{option}`")
        } else if let Some(input) = model.rows().find(|input| match &input.kind {
            Kind::Shared(element) | Kind::Exclusive(element) | Kind::Mut(element) | Kind::Ref(element) => same(element),
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

/// Checks that parameters for linked entities are in a system along a relationship, in the matching direction.
fn links_need_a_way(cx: &Ctxt, model: &Model) {
    let along = model.options.along.as_ref();
    if let Some(along) = along {
        let name = along.name();
        if !model.has_rows() {
            let message = format!(
                "`{name}` is an order of rows, but `{}` has no row parameter such as `&T`\nhelp: add one, or remove `{name}`",
                model.function.ident
            );
            cx.error_at(along.option.span(), message);
        }
        if let Some(option) = &model.options.pipeline_off {
            let message = format!(
                "a system that goes {name} a relationship is never part of a pipeline\nhelp: remove `pipeline = off`"
            );
            cx.error_at(option.span(), message);
        }
    }
    let mut has_children = false;
    for Input { param, kind, .. } in model.linked() {
        let (mark, way, order) = match kind {
            Kind::Children => ("children", "up", "children before their parents"),
            _ => ("parent", "down", "parents before their children"),
        };
        let message = if along.is_none_or(|along| along.name() != way) {
            format!(
                "`#[{mark}]` is for systems that visit {order}\n\
                 help: write `#[system({way} = ChildOf)]`, or look entities up with `Lookup`"
            )
        } else if matches!(kind, Kind::Children) {
            let is_first = !core::mem::replace(&mut has_children, true);
            match &*last_name(&param.ty) {
                "ChildRows" if is_first => continue,
                "ChildRows" => "a system has one parameter for children\n\
                                help: read several components with `ChildRows<(&T, &U)>`"
                    .to_owned(),
                _ => "what children have is read by `ChildRows`\n\
                      help: write `ChildRows<&T>`, or `ChildRows<(&T, &U)>` for several components"
                    .to_owned(),
            }
        } else if is_mutable(&param.ty) {
            "a parent is only read: it has been visited already\n\
             help: write `Option<&T>`, and change the parent when it is the row"
                .to_owned()
        } else if !is_read_of_parent(&param.ty) {
            "a row may have no parent, or one without the component\n\
             help: write `Option<&T>`, `Option<Ref<T>>` or `Option<Entity>`"
                .to_owned()
        } else {
            continue;
        };
        cx.error_over(&param.ty, message);
    }
}

/// Rejects a parameter whose name suggests linked data but which has no mark, because it would be taken from the row.
fn names_agree_with_marks(cx: &Ctxt, model: &Model) {
    let Options { along, pairs, .. } = &model.options;
    let (name, whose) = match (along, pairs) {
        (Some(along), _) if along.upwards => ("children", "the children have"),
        (Some(_), _) => ("parent", "the parent has"),
        (None, Some(_)) => ("target", "the target of the pair has"),
        (None, None) => return,
    };
    let is_so_called = |input: &&Input| input.param.name().is_some_and(|own| own == name);
    for Input { param, kind, .. } in model.rows().filter(|input| !input.is_marked).filter(is_so_called) {
        let element = match kind {
            Kind::Shared(element) | Kind::Exclusive(element) | Kind::Mut(element) | Kind::Ref(element) => element,
            Kind::OptionalShared(element)
            | Kind::OptionalExclusive(element)
            | Kind::OptionalMut(element)
            | Kind::OptionalRef(element) => element,
            _ => &param.ty,
        };
        // The link component itself, and a component with the name of the parameter, do belong to the row, so these parameters are correct.
        let is_link = along.as_ref().is_some_and(|along| is_same(element, &along.relation));
        if is_link || last_name(element).to_lowercase() == name {
            continue;
        }
        let ty = param.ty.to_token_stream();
        let form = match name {
            "parent" if is_read_of_parent(&param.ty) => quote!(#ty),
            "parent" if matches!(kind, Kind::Entity) => quote!(Option<Entity>),
            "parent" => quote!(Option<&#element>),
            "children" if matches!(kind, Kind::Entity) => quote!(ChildRows<Entity>),
            "children" => quote!(ChildRows<&#element>),
            _ => quote!(#ty),
        };
        let form = form.to_string().replace("& ", "&").replace(" < ", "<").replace(" >", ">").replace("< ", "<");
        let message = format!(
            "`{name}` would be what the row itself has\n\
             help: write `#[{name}] {name}: {form}` for what {whose}; or, if the row is meant, another name or `#[row]`"
        );
        cx.error_over(&param.ty, message);
    }
}

/// Checks that parameters for the pair or its target are in a system over pairs, and have a supported form.
fn pairs_go_together(cx: &Ctxt, model: &Model) {
    let pairs = model.options.pairs.as_ref();
    if let Some(pairs) = pairs {
        if let Some(option) = &model.options.pipeline_off {
            let message = "a system over pairs is never part of a pipeline\nhelp: remove `pipeline = off`";
            cx.error_at(option.span(), message);
        }
        if model.observes() {
            let message = "an observer runs once for an event, and `pairs` is a loop\n\
                           help: remove `pairs`, and take a `Query<Pairs<&R>>`";
            cx.error_at(pairs.option.span(), message);
        }
    }
    let mut has_pair = false;
    for Input { param, kind, .. } in &model.inputs {
        let (mark, what) = match kind {
            Kind::Pair => ("pair", "the value of a pair"),
            Kind::Target => ("target", "what the target of a pair has"),
            _ => continue,
        };
        let form = classify(&param.ty);
        let message = if pairs.is_none() {
            format!(
                "`#[{mark}]` is {what}, in a system over pairs\n\
                 help: write `#[system(pairs = R)]`, where `R` is a relation with `#[derive(Relation)]`"
            )
        } else if matches!(kind, Kind::Pair) {
            let is_first = !core::mem::replace(&mut has_pair, true);
            match form {
                _ if !is_first => "a pair has one value\nhelp: keep one of the two parameters".to_owned(),
                Kind::Shared(_) | Kind::Exclusive(_) | Kind::Ref(_) | Kind::Mut(_) => continue,
                _ => "the value of a pair is there, and is borrowed\n\
                      help: write `&R`, `&mut R`, `Ref<R>` or `Mut<R>`, where `R` is the relation"
                    .to_owned(),
            }
        } else if matches!(form, Kind::System | Kind::Input(..)) && !is_bool(&param.ty) {
            "a target has components\nhelp: write `&T`, `&mut T`, `Option<&T>`, `Has<T>` or `Entity`".to_owned()
        } else if model.options.par.is_some() && is_mutable(&param.ty) {
            "several pairs may have one target, so with `par` targets are only read\n\
             help: remove `par`, or `mut`"
                .to_owned()
        } else {
            continue;
        };
        cx.error_over(&param.ty, message);
    }
}

/// Returns whether a type is `bool`, which has replaced `Has<T>`.
fn is_bool(ty: &Type) -> bool {
    last_name(ty) == "bool" || ty.to_token_stream().to_string().ends_with(":: bool")
}

/// Returns the last name of a path; empty if the type is not a path.
fn last_name(ty: &Type) -> String {
    plain_path(ty).and_then(|path| path.segments.last()).map_or_else(String::new, |last| last.ident.to_string())
}
