//! The meaning of the function: what each parameter is, and which rows the function visits.
//!
//! Tests: ecs-derive/src/golden.rs, tests/systems/systems.rs

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::{GenericArgument, GenericParam, Path, PathArguments, ReturnType, Type, TypeReference};

use super::marks::{self, Mark};
use super::options::{Options, Word, is_same};
use super::parse::{Function, Param};
use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;
use crate::types::{ends, peel, plain_path, replace_lifetimes};

/// The kind of a parameter.
pub(super) enum Kind {
    /// `&T`: an element of a shared slice.
    Shared(Type),
    /// `&mut T`: an element of an exclusive slice.
    Exclusive(Type),
    /// `Mut<T>`
    Mut(Type),
    /// `Ref<T>`
    Ref(Type),
    /// `Option<&T>`
    OptionalShared(Type),
    /// `Option<&mut T>`
    OptionalExclusive(Type),
    /// `Option<Mut<T>>`
    OptionalMut(Type),
    /// `Option<Ref<T>>`
    OptionalRef(Type),
    /// `Has<T>`
    Has,
    /// `Entity`
    Entity,
    /// Marked with `#[row]`: query data of the row, whose type the compiler resolves.
    Marked,
    /// Marked with `#[parent]`: components of the row's target.
    Parent,
    /// Marked with `#[children]`: components of the row's sources.
    Children,
    /// The value of the pair, in a system over pairs.
    Pair,
    /// Marked with `#[target]`: components of the pair's target.
    Target,
    /// The pairs of a row; not a parameter of the user's function.
    Pairs,
    /// The lookup of the targets of pairs; not a parameter of the user's function.
    Targets,
    /// `In<T>`, `InRef<T>`, `InMut<T>`, a tuple of these, or `On<E>`: the system's input.
    Input(Form, Type),
    /// A system parameter, by value.
    System,
}

/// The form of the input of a system.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// `In<T>`
    Owned,
    /// `InRef<T>`
    Shared,
    /// `InMut<T>`
    Exclusive,
    /// A tuple of these three forms.
    Several,
    /// `On<E>`: the event that an observer runs for.
    Observed,
}

impl Form {
    /// Returns the name of the type of the form.
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Owned => "In",
            Form::Shared => "InRef",
            Form::Exclusive => "InMut",
            Form::Several => "(In, ..)",
            Form::Observed => "On",
        }
    }
}

/// A parameter with its meaning.
pub(super) struct Input {
    /// The parameter as written, except for the type of `Has<T>` and of marked rows: see [`Model::new`].
    pub(super) param: Param,
    /// The kind of the parameter.
    pub(super) kind: Kind,
    /// The spans at which the type begins and ends in the user's code.
    pub(super) ends: (Span, Span),
    /// The type in expressions of the expansion, where the lifetimes of the function have no names. For a row parameter, this is the term
    /// of the query.
    pub(super) ty: TokenStream,
    /// The variable of the expansion for the column or the value of the parameter. It has the span at which the type begins.
    pub(super) variable: Ident,
    /// Whether the parameter has a mark.
    pub(super) is_marked: bool,
}

/// The function with the meaning of its parameters.
pub(super) struct Model {
    /// The function as written.
    pub(super) function: Function,
    /// The options.
    pub(super) options: Options,
    /// The parameters.
    pub(super) inputs: Vec<Input>,
}

impl Input {
    /// Returns whether the function gets a value of the row for this parameter.
    pub(super) fn is_row(&self) -> bool {
        let is_other = matches!(self.kind, Kind::System | Kind::Input(..) | Kind::Pair | Kind::Target | Kind::Targets);
        !is_other && !self.is_linked()
    }

    /// Returns whether this is a parameter of the user's function.
    pub(super) fn is_written(&self) -> bool {
        !matches!(self.kind, Kind::Pairs | Kind::Targets)
    }

    /// Returns whether the parameter is read from entities that are linked with the row.
    pub(super) fn is_linked(&self) -> bool {
        matches!(self.kind, Kind::Parent | Kind::Children)
    }

    /// Returns whether this is a system parameter.
    pub(super) fn is_system_param(&self) -> bool {
        matches!(self.kind, Kind::System | Kind::Targets)
    }
}

impl Model {
    /// Determines the meaning of each parameter.
    ///
    /// `Has<T>` yields a `bool`, as in a query, so the parameter gets that type. A parameter with the mark `#[row]` gets the type that its
    /// query term yields.
    pub(super) fn new(cx: &Ctxt, mut function: Function, options: Options) -> Self {
        let private = &options.private;
        let mut inputs = Vec::new();
        for (at, param) in function.params.iter_mut().enumerate() {
            let mark = marks::take(cx, param);
            let kind = match mark {
                Some(Mark::Row) => marked(cx, &param.ty),
                Some(Mark::Param) => Kind::System,
                Some(Mark::Parent) => Kind::Parent,
                Some(Mark::Children) => Kind::Children,
                Some(Mark::Pair) => Kind::Pair,
                Some(Mark::Target) => Kind::Target,
                None => match (&options.pairs, classify(&param.ty)) {
                    (Some(pairs), Kind::Shared(ty) | Kind::Exclusive(ty) | Kind::Ref(ty) | Kind::Mut(ty))
                        if is_same(&ty, &pairs.relation) =>
                    {
                        Kind::Pair
                    }
                    (_, kind) => kind,
                },
            };
            let ty = replace_lifetimes(param.ty.to_token_stream(), "'_", &|name| {
                function.generics.lifetimes().any(|param| param.lifetime.ident == *name)
            });
            let place = ends(&param.ty);
            match kind {
                Kind::Has => param.ty = within(&param.ty, &hygienic!(#private::bool)),
                Kind::Target if matches!(classify(&param.ty), Kind::Has) => {
                    param.ty = within(&param.ty, &hygienic!(#private::bool));
                }
                Kind::Marked => param.ty = within(&param.ty, &hygienic!(<#ty as #private::RowData>::Row<'_>)),
                _ => {}
            }
            let variable = format_ident!("__strata_{at}", span = place.0);
            inputs.push(Input { kind, param: param.clone(), ends: place, ty, variable, is_marked: mark.is_some() });
        }
        Model { function, options, inputs }
    }

    /// Returns whether the function returns nothing, so that no row can fail.
    pub(super) fn returns_nothing(&self) -> bool {
        match &self.function.output {
            ReturnType::Default => true,
            ReturnType::Type(_, ty) => matches!(peel(ty), Type::Tuple(tuple) if tuple.elems.is_empty()),
        }
    }

    /// Returns whether the function takes components, either of each row in a loop or of the target of an observed event.
    pub(super) fn has_rows(&self) -> bool {
        self.rows().next().is_some()
    }

    /// Returns whether the function observes events.
    pub(super) fn observes(&self) -> bool {
        matches!(self.given(), Some(Input { kind: Kind::Input(Form::Observed, _), .. }))
    }

    /// Returns whether the function runs once per row.
    pub(super) fn is_loop(&self) -> bool {
        self.has_rows() && !self.observes()
    }

    /// Returns whether the function observes events, and gets components of their targets.
    pub(super) fn takes_target(&self) -> bool {
        self.has_rows() && self.observes()
    }

    /// Returns the parameters that are values of the row.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| input.is_row())
    }

    /// Returns the parameters that are read from entities that are linked with the row.
    pub(super) fn linked(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| input.is_linked())
    }

    /// Returns the system parameters.
    pub(super) fn system_params(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| input.is_system_param())
    }

    /// Returns the parameter for the system's input.
    pub(super) fn given(&self) -> Option<&Input> {
        self.inputs.iter().find(|input| matches!(input.kind, Kind::Input(..)))
    }

    /// Returns the spans at which the type of the system's input begins and ends in the user's code, or spans of the macro if there is no
    /// input.
    pub(super) fn given_ends(&self) -> (Span, Span) {
        self.given().map_or_else(|| (Span::mixed_site(), Span::mixed_site()), |input| input.ends)
    }

    /// Returns the event that the function observes.
    pub(super) fn given_event(&self) -> Option<&Type> {
        match &self.given()?.kind {
            Kind::Input(Form::Observed, event) => Some(event),
            _ => None,
        }
    }

    /// Returns the type of the system's input.
    pub(super) fn given_type(&self) -> TokenStream {
        let private = &self.options.private;
        match self.given() {
            Some(Input { kind: Kind::Input(form, ty), ends, .. }) => given(private, *form, ty, *ends),
            // The missing event of an observer has been reported. Any event serves as a fallback.
            None if self.options.word == Word::Observer => {
                hygienic!(#private::On<'static, 'static, #private::AddEvent>)
            }
            _ => hygienic!(()),
        }
    }
}

impl Function {
    /// Returns whether the function has type or const parameters.
    pub(super) fn is_generic(&self) -> bool {
        self.generics.params.iter().any(|param| !matches!(param, GenericParam::Lifetime(_)))
    }
}

/// Returns the type of an input with `'static` for its own lifetimes. It has the spans of the user's type.
fn given(private: &TokenStream, form: Form, ty: &Type, ends: (Span, Span)) -> TokenStream {
    let (first, last) = ends;
    // `$crate` has a meaning only with its own span.
    let place = |mut token: TokenTree| {
        if token.to_string() != "$crate" {
            token.set_span(first);
        }
        token
    };
    let private: TokenStream = private.clone().into_iter().map(place).collect();
    let end = quote_spanned!(last=> >);
    match form {
        Form::Owned => quote_spanned!(first=> #private::In<#ty #end),
        Form::Shared => quote_spanned!(first=> #private::InRef<'static, #ty #end),
        Form::Exclusive => quote_spanned!(first=> #private::InMut<'static, #ty #end),
        Form::Observed => quote_spanned!(first=> #private::On<'static, 'static, #ty #end),
        Form::Several => {
            let members = tuple_of_inputs(ty).into_iter().flatten();
            let members = members.map(|(form, ty)| given(&private, form, &ty, ends));
            hygienic!((#(#members,)*))
        }
    }
}

/// Returns the members of a tuple of inputs; `None` if the type is not such a tuple.
fn tuple_of_inputs(ty: &Type) -> Option<Vec<(Form, Type)>> {
    let Type::Tuple(tuple) = peel(ty) else { return None };
    let members = tuple.elems.iter().map(|member| match classify(member) {
        Kind::Input(form, ty) if !matches!(form, Form::Observed) => Some((form, ty)),
        _ => None,
    });
    members.collect::<Option<Vec<_>>>().filter(|members| !members.is_empty())
}

/// Returns the type `new` with the spans of `old`.
fn within(old: &Type, new: &TokenStream) -> Type {
    let (first, last) = ends(old);
    let mut tokens: Vec<TokenTree> = new.clone().into_iter().collect();
    if let Some(token) = tokens.first_mut() {
        token.set_span(first);
    }
    if let Some(token) = tokens.last_mut() {
        token.set_span(last);
    }
    Type::Verbatim(tokens.into_iter().collect())
}

/// Classifies a parameter by the syntax of its type. If a type has the syntax of a kind but is something else, the compiler reports that
/// later, and the parameter needs a mark.
pub(super) fn classify(ty: &Type) -> Kind {
    if let Type::Reference(reference) = peel(ty) {
        return borrow(reference);
    }
    if tuple_of_inputs(ty).is_some() {
        return Kind::Input(Form::Several, ty.clone());
    }
    let Some(path) = plain_path(ty) else { return Kind::System };
    let Some(last) = path.segments.last() else { return Kind::System };
    match (last.ident.to_string().as_str(), type_arguments(path).as_slice()) {
        ("Entity", []) if last.arguments.is_none() => Kind::Entity,
        ("Has", [_]) => Kind::Has,
        ("In", [given]) => Kind::Input(Form::Owned, (*given).clone()),
        ("InRef", [given]) => Kind::Input(Form::Shared, (*given).clone()),
        ("InMut", [given]) => Kind::Input(Form::Exclusive, (*given).clone()),
        ("On", [event]) => Kind::Input(Form::Observed, (*event).clone()),
        ("Mut", [element]) => Kind::Mut((*element).clone()),
        ("Ref", [element]) => Kind::Ref((*element).clone()),
        ("Option", [inner]) => match classify(inner) {
            Kind::Shared(element) => Kind::OptionalShared(element),
            Kind::Exclusive(element) => Kind::OptionalExclusive(element),
            Kind::Mut(element) => Kind::OptionalMut(element),
            Kind::Ref(element) => Kind::OptionalRef(element),
            _ => Kind::System,
        },
        _ => Kind::System,
    }
}

/// Returns whether a parameter can be read from a target: it must be optional and read-only.
pub(super) fn is_read_of_parent(ty: &Type) -> bool {
    let Some(path) = plain_path(ty) else { return false };
    let is_option = path.segments.last().is_some_and(|last| last.ident == "Option");
    match type_arguments(path).as_slice() {
        [inner] if is_option => matches!(classify(inner), Kind::Shared(_) | Kind::Ref(_) | Kind::Entity),
        _ => false,
    }
}

/// Returns whether a type is a mutable borrow, alone or in an `Option`.
pub(super) fn is_mutable(ty: &Type) -> bool {
    matches!(classify(ty), Kind::Exclusive(_) | Kind::Mut(_) | Kind::OptionalExclusive(_) | Kind::OptionalMut(_))
}

/// Classifies a reference to a component of the row.
fn borrow(reference: &TypeReference) -> Kind {
    let element = (*reference.elem).clone();
    if reference.mutability.is_some() { Kind::Exclusive(element) } else { Kind::Shared(element) }
}

/// System parameters that are often mistaken for data of the row.
pub(super) const SYSTEM_PARAMS: [&str; 20] = [
    "Commands",
    "Deferred",
    "Query",
    "Res",
    "ResMut",
    "NonSend",
    "NonSendMut",
    "Local",
    "ParamSet",
    "Lookup",
    "Single",
    "Populated",
    "StaticSystemParam",
    "In",
    "InRef",
    "InMut",
    "On",
    "MessageWriter",
    "MessageReader",
    "MessageMutator",
];

/// Returns whether the type has the name of a system parameter.
fn is_system_param(ty: &Type) -> bool {
    let last = plain_path(ty).and_then(|path| path.segments.last());
    last.is_some_and(|last| SYSTEM_PARAMS.iter().any(|known| last.ident == known))
}

/// Classifies a parameter with `#[row]`.
fn marked(cx: &Ctxt, ty: &Type) -> Kind {
    match peel(ty) {
        Type::Reference(reference) => borrow(reference),
        _ if is_system_param(ty) => {
            let message = "this is a system parameter, the same for all rows\nhelp: remove `#[row]`";
            cx.error_over(ty, message);
            Kind::System
        }
        _ => Kind::Marked,
    }
}

/// Returns the type arguments of the last segment of a path.
fn type_arguments(path: &Path) -> Vec<&Type> {
    let Some(PathArguments::AngleBracketed(arguments)) = path.segments.last().map(|last| &last.arguments) else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

/// Returns the type of each parameter as a tuple with one member. The value of a variable is then written `variable.0`, and these two
/// tokens can have the spans at which the type begins and ends.
pub(super) fn wrapped<'a>(inputs: impl Iterator<Item = &'a Input>) -> Vec<TokenStream> {
    inputs.map(|Input { param: Param { ty, .. }, .. }| hygienic!((#ty,))).collect()
}
