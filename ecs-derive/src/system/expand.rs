//! The expansion of a checked system.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, ReturnType, Type, Visibility};

use super::attrs::{self, Attrs};
use super::frame::{self, Frame};
use super::model::Model;
use super::parse::Param;
use super::{rows, world};
use crate::expand::scope;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::types::{find_word, peel};

/// The item that stands for the system, and behind it the function, its loop and the conversion.
pub(super) fn expand(model: &Model) -> TokenStream {
    let function = &model.function;
    let frame = Frame::new(function);
    let attrs = attrs::divide(&function.attrs);
    let mut output = frame::declaration(&model.options.private, function, &frame, &attrs.item);
    let user = [frame::shadows(function), frame::function(function, &attrs, model.has_rows())];
    let mut own = frame::callable(function, &frame);
    own.extend(frame::copyable(&frame));
    own.extend(if model.has_rows() { rows::run(model, &frame) } else { world::run(model, &frame) });
    let returned = if model.has_rows() { hygienic!(__strata::SystemResult) } else { returned(model) };
    own.extend(conversion(model, &frame, &returned));
    own.extend(conflicts(model));
    output.extend(scope(&model.options.private, &around(user, &own)));
    output
}

/// The user's function as the user wants it linted, and below it our own items, which repeat the user's types and are
/// not linted.
fn around(user: [TokenStream; 2], own: &TokenStream) -> TokenStream {
    let [shadows, function] = user;
    let allows = attrs::own_allows();
    hygienic! {
        #shadows
        #function
        #allows
        const _: () = {
            #own
        };
    }
}

/// What stands in for a system with mistakes, so that its uses give no further errors: the function as it was written,
/// and an item that converts into a system that is never run.
pub(super) fn stub(model: &Model) -> TokenStream {
    let function = &model.function;
    let frame = Frame::new(function);
    let Attrs { item, function: function_attrs, .. } = attrs::divide(&function.attrs);
    let item = hygienic!(#[allow(unused)] #item);
    let mut output = frame::declaration(&model.options.private, function, &frame, &item);

    let mut plain = function.clone();
    plain.vis = Visibility::Inherited;
    plain.attrs.clear();
    let plain = if compiles(model) { hygienic!(#[allow(unused)] #function_attrs #plain) } else { TokenStream::new() };
    let mut own = if is_callable(model) { frame::callable(function, &frame) } else { TokenStream::new() };
    own.extend(frame::copyable(&frame));
    own.extend(hygienic!(
        fn __strata_run() -> __strata::SystemResult {
            __strata::Ok(())
        }
    ));
    let frame = Frame { turbofish: TokenStream::new(), ..frame };
    own.extend(conversion(model, &frame, &hygienic!(__strata::SystemResult)));
    let user = [frame::shadows(function), plain];
    output.extend(scope(&model.options.private, &around(user, &own)));
    output
}

/// Whether rustc takes the function as it was written; otherwise it would report the same mistake once more.
fn compiles(model: &Model) -> bool {
    let has_hole = |param: &Param| find_word(param.ty.to_token_stream(), "_").is_some();
    let function = &model.function;
    function.variadic.is_none() && function.has_body() && !function.params.iter().any(has_hole)
}

/// Whether there is a function pointer type for the function.
fn is_callable(model: &Model) -> bool {
    let function = &model.function;
    let is_abstract = |tokens: TokenStream| find_word(tokens, "impl").is_some();
    let is_bounded = function
        .generics
        .params
        .iter()
        .any(|param| matches!(param, GenericParam::Lifetime(param) if !param.bounds.is_empty()));
    compiles(model)
        && !is_bounded
        && function.qualifiers.is_empty()
        && !is_abstract(function.output.to_token_stream())
        && !function.params.iter().any(|param| is_abstract(param.ty.to_token_stream()))
}

/// Whether the function returns nothing, so that no row can fail.
pub(super) fn returns_nothing(model: &Model) -> bool {
    match &model.function.output {
        ReturnType::Default => true,
        ReturnType::Type(_, ty) => matches!(peel(ty), Type::Tuple(tuple) if tuple.elems.is_empty()),
    }
}

/// The type that the function returns.
fn returned(model: &Model) -> TokenStream {
    match &model.function.output {
        ReturnType::Default => hygienic!(()),
        ReturnType::Type(_, ty) => hygienic!(#ty),
    }
}

/// The conversion into what a schedule runs.
fn conversion(model: &Model, frame: &Frame, returned: &TokenStream) -> TokenStream {
    let Frame { ty, generics, bounds, turbofish } = frame;
    let (impl_generics, _, _) = generics.split_for_impl();
    let where_clause = where_with(generics, bounds);
    let name = model.function.ident.unraw().to_string();
    // The core expects the names of the row parameters first: together they are one query.
    let params = model.rows().chain(model.system_params()).map(|input| input.param.label());
    hygienic! {
        impl #impl_generics __strata::IntoSystem<(), #returned, __strata::MacroMarker> for #ty #where_clause {
            fn into_system(_: Self) -> __strata::BoxedSystem<(), #returned> {
                __strata::function_system(
                    __strata::concat!(__strata::module_path!(), "::", #name),
                    &[#(#params),*],
                    __strata_run #turbofish,
                )
            }
        }
    }
}

/// The check whether parameters get into each other's way, while the program is compiled. A function with parameters of
/// its own is checked when it is built into a system.
fn conflicts(model: &Model) -> TokenStream {
    if !model.function.generics.params.is_empty() || model.inputs.len() < 2 && !model.system_params().any(|_| true) {
        return TokenStream::new();
    }
    let name = model.function.ident.unraw().to_string();
    let rows = rows::terms(model).into_iter().zip(model.rows()).map(|(term, input)| {
        let label = input.param.label();
        hygienic!(__strata::row_access::<#term>(#label))
    });
    let params = model.system_params().map(|input| {
        let (ty, label) = (&input.param.ty, input.param.label());
        hygienic!(__strata::param_access::<#ty>(#label))
    });
    let filter = rows::filter(model);
    let check = quote_spanned!(Span::mixed_site().located_at(model.function.ident.span())=>
        __strata::check_system(#name, &[#(#rows,)* #(#params,)*], __strata::filter_access::<#filter>())
    );
    hygienic!(const _: () = #check;)
}
