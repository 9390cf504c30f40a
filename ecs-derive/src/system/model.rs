//! What the function means: which parameters are per row, and which rows it visits.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::{GenericArgument, Lifetime, Path, PathArguments, Type, TypeReference};

use super::options::Options;
use super::parse::{Function, Param};
use crate::ctxt::Ctxt;
use crate::hygiene::hygienic;
use crate::types::{peel, plain_path};

/// How the function gets one parameter.
pub(super) enum Kind {
    /// `&T`: an element of a shared slice.
    Shared(Type),
    /// `&mut T`: an element of an exclusive slice.
    Exclusive(Type),
    /// Another query term, for each row: the term with `'static` lifetimes.
    Row(TokenStream),
    /// A system parameter, by value.
    System,
}

/// One parameter with its meaning.
pub(super) struct Input {
    /// As written, except for `Has<T>`: see [`Model::new`].
    pub(super) param: Param,
    /// What it is.
    pub(super) kind: Kind,
    /// Variable of the expansion that stands for its column or its value.
    pub(super) variable: Ident,
}

/// The function with the meaning of its parameters.
pub(super) struct Model {
    /// As written.
    pub(super) function: Function,
    /// The options.
    pub(super) options: Options,
    /// The parameters.
    pub(super) inputs: Vec<Input>,
}

impl Input {
    /// Whether the function gets one for each row.
    pub(super) fn is_row(&self) -> bool {
        !matches!(self.kind, Kind::System)
    }
}

impl Model {
    /// Gives each parameter its meaning.
    ///
    /// `Has<T>` asks for a `bool`, as it does in a query: the function's parameter gets that type.
    pub(super) fn new(cx: &Ctxt, mut function: Function, options: Options) -> Self {
        let mut inputs = Vec::new();
        for (at, param) in function.params.iter_mut().enumerate() {
            let kind = classify(cx, &param.ty);
            if is_named(&param.ty, "Has")
                && let Kind::Row(term) = &kind
            {
                param.ty = Type::Verbatim(hygienic!(<#term as __strata::QueryData>::Item<'_>));
            }
            let variable = format_ident!("__strata_{at}", span = Span::mixed_site());
            inputs.push(Input { kind, param: param.clone(), variable });
        }
        Model { function, options, inputs }
    }

    /// Whether the function runs once per row.
    pub(super) fn has_rows(&self) -> bool {
        self.rows().next().is_some()
    }

    /// The parameters that come from the row.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| input.is_row())
    }

    /// The system parameters.
    pub(super) fn system_params(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(|input| !input.is_row())
    }
}

/// What a parameter of this type is. This is the only place that decides by the form of a type.
fn classify(cx: &Ctxt, ty: &Type) -> Kind {
    if let Type::Reference(reference) = peel(ty) {
        let element = (*reference.elem).clone();
        return if reference.mutability.is_some() { Kind::Exclusive(element) } else { Kind::Shared(element) };
    }
    let Some(path) = plain_path(ty) else { return Kind::System };
    let Some(last) = path.segments.last() else { return Kind::System };
    let arguments = type_arguments(path);
    match (last.ident.to_string().as_str(), arguments.as_slice()) {
        ("Entity", []) | ("Has", [_]) => Kind::Row(ty.to_token_stream()),
        ("Mut", [element]) => Kind::Row(with_arguments(path, &hygienic!('static, #element))),
        ("Option", [inner]) => match peel(inner) {
            Type::Reference(reference) => {
                let term = static_reference(reference);
                Kind::Row(with_arguments(path, &term))
            }
            inner if is_named(inner, "Mut") => {
                let message = "an optional component of the row is borrowed with a plain reference\n\
                               help: write `Option<&mut T>`";
                cx.error_over(ty, message);
                Kind::System
            }
            _ => Kind::System,
        },
        _ => Kind::System,
    }
}

/// Whether the type is a path that ends in `name`.
fn is_named(ty: &Type, name: &str) -> bool {
    plain_path(ty).and_then(|path| path.segments.last()).is_some_and(|last| last.ident == name)
}

/// The type arguments of the last segment.
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

/// The path with other arguments at its last segment.
fn with_arguments(path: &Path, arguments: &TokenStream) -> TokenStream {
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut() {
        last.arguments = PathArguments::None;
    }
    let span = path.segments.last().map_or_else(Span::mixed_site, |last| last.ident.span());
    quote_spanned!(span=> #path<#arguments>)
}

/// The reference with the lifetime `'static`.
fn static_reference(reference: &TypeReference) -> TokenStream {
    let mut reference = reference.clone();
    reference.lifetime = Some(Lifetime::new("'static", Span::mixed_site()));
    reference.to_token_stream()
}
