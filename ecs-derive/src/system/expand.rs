//! The expansion of a checked system.
//!
//! Tests: ecs-derive/src/golden.rs, tests/systems/systems.rs

use proc_macro2::{Delimiter, Group, Ident, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, GenericParam, ReturnType, Visibility};

use super::attrs::{self, Attrs};
use super::check::MOST_PARAMETERS;
use super::filters::{self, Filter};
use super::frame::{self, Frame};
use super::model::{Input, Kind, Model};
use super::parse::Param;
use super::{along, pairs as of_pairs, rows, same_type, target, world};
use crate::expand::{scope, with_macros_of};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::types::{ends, find_word};

/// Returns the output: the function under the user's name, the type of the system, and the implementation from which the core builds the
/// system.
pub(super) fn expand(model: &Model) -> TokenStream {
    let function = &model.function;
    let frame = Frame::new(function);
    let items = if model.has_rows() { TokenStream::new() } else { world::items(model, &frame) };
    let returned = if model.has_rows() { hygienic!(__strata::SystemResult) } else { returned(model) };
    let (system, stand_ins, check) = (build(model, &frame), stand_ins(model), conflicts(model));
    // The parameters of a generic system are known where it is added, so its check is an associated constant.
    let (items, checked) = if function.is_generic() {
        (items, hygienic!(const CHECKED: () = #check;))
    } else {
        (hygienic!(const _: () = #check; #items), TokenStream::new())
    };
    if model.options.associated {
        let attrs = attrs::divide(&function.attrs);
        let user = both(frame::shadows(function), frame::function(function, &attrs, model.has_rows()));
        let system = hygienic!(use __strata::{#(#stand_ins),*}; #system);
        return associated(model, &attrs.item, &user, Some(&function.ident), &returned, &both(items, system));
    }
    let built = built(model, &frame, &returned, &checked, &system);
    of_function(model, &frame, &TokenStream::new(), &stand_ins, &both(items, built))
}

/// Returns the type and the function of the system, then the expansion's own items, for which lints are off because they repeat the user's
/// types.
fn of_function(
    model: &Model,
    frame: &Frame,
    lints: &TokenStream,
    stand_ins: &[TokenStream],
    own: &TokenStream,
) -> TokenStream {
    let private = &model.options.private;
    let mut output = both(frame::system_type(model, frame), frame::item(model, frame, lints));
    let allows = attrs::own_allows();
    let own = with_macros_of(private, own.clone()).unwrap_or_else(|| own.clone());
    output.extend(hygienic! {
        #allows
        const _: () = {
            use #private::{self as __strata, #(#stand_ins),*};
            #own
        };
    });
    output
}

/// Concatenates two token streams.
fn both(mut first: TokenStream, second: TokenStream) -> TokenStream {
    first.extend(second);
    first
}

/// Returns the expression that builds the system.
fn build(model: &Model, frame: &Frame) -> TokenStream {
    let name = model.function.ident.unraw().to_string();
    let name = hygienic!(__strata::system_name!(#name));
    // The core expects the names of the row parameters first: together they are one query.
    let labels: Vec<String> =
        model.rows().chain(model.linked()).chain(model.system_params()).map(|input| input.param.label()).collect();
    let mut system = match &model.options.along {
        Some(along) if model.is_loop() => along::build(model, along, frame, &name, &labels),
        _ if model.is_loop() => rows::build(model, frame, &name, &labels),
        _ if model.takes_target() => target::build(model, frame, &name, &labels),
        _ => world::build(model, frame, &name, &labels),
    };
    if !model.options.run_if.is_empty() {
        let conditions = model.options.run_if.iter().map(condition);
        let skipped = match &model.function.output {
            ReturnType::Type(_, ty) if !model.has_rows() => {
                let (first, last) = ends(ty);
                let end = quote_spanned!(last=> >);
                quote_spanned!(first=> __strata::skipped::<#ty #end)
            }
            _ => hygienic!(__strata::skipped),
        };
        system = hygienic!(__strata::run_if(#system, [#(#conditions),*], #skipped));
    }
    system
}

/// Returns the traits of the core to import. Their fallback methods are called if a type has the wrong kind, so that rustc does not report
/// further errors.
fn stand_ins(model: &Model) -> Vec<TokenStream> {
    let mut stand_ins = if model.has_rows() { rows::stand_ins(model) } else { Vec::new() };
    stand_ins.push(hygienic!(Refused as _));
    stand_ins
}

/// Returns the expression that converts a condition to a system. Errors in the condition are reported at its expression.
fn condition(expr: &Expr) -> TokenStream {
    let (first, _) = ends(expr);
    quote_spanned!(first=> __strata::condition(#expr))
}

/// Returns the system as an associated constant. If the constant can be called like a function, `callable` is that function.
fn associated(
    model: &Model,
    item: &TokenStream,
    user: &TokenStream,
    callable: Option<&Ident>,
    returned: &TokenStream,
    own: &TokenStream,
) -> TokenStream {
    let private = &model.options.private;
    let is_silent = model.is_loop() && model.returns_nothing() && callable.is_some();
    // These types stand outside of the block in which the core's module has its short name, so they are written with its full path.
    let output = match model.has_rows() || callable.is_none() {
        _ if is_silent => hygienic!(()),
        true => hygienic!(#private::SystemResult),
        false => returned.clone(),
    };
    let pointer = callable.map_or_else(|| hygienic!(()), |_| frame::pointer(&model.function));
    let callable = callable.map_or_else(|| hygienic!(()), |ident| hygienic!(#ident));
    let (allows, given) = (attrs::own_allows(), model.given_type());
    let built = if is_silent {
        hygienic! {
            #allows
            fn __strata_rows() -> __strata::BoxedSystem<#given, __strata::SystemResult> {
                #own
            }
            fn __strata_build() -> __strata::BoxedSystem<#given, ()> {
                __strata::infallible(__strata_rows())
            }
            __strata::SystemItem::of_rows(#callable, __strata_build, __strata_rows)
        }
    } else {
        hygienic! {
            #allows
            fn __strata_build() -> __strata::BoxedSystem<#given, #returned> {
                #own
            }
            __strata::SystemItem::new(#callable, __strata_build)
        }
    };
    let block = both(user.clone(), built);
    frame::associated(model, item, &hygienic!(#private::SystemItem<#pointer, #given, #output>), &block)
}

/// Returns the system as a constant with a type of its own, for a function that rustc would reject.
fn named(model: &Model, frame: &Frame, item: &TokenStream, user: &TokenStream, own: &TokenStream) -> TokenStream {
    let private = &model.options.private;
    let allows = attrs::own_allows();
    let mut output = frame::declaration(private, &model.function, frame, item);
    let items = hygienic! {
        #user
        #allows
        const _: () = {
            #own
        };
    };
    output.extend(scope(private, &items));
    output
}

/// Returns the fallback for a system with errors, which avoids further errors where the system is used. It consists of the user's function
/// and an item that can be converted to a system that never runs.
pub(super) fn stub(model: &Model) -> TokenStream {
    let function = &model.function;
    let frame = Frame::new(function);
    let Attrs { item, function: function_attrs, .. } = attrs::divide(&function.attrs);
    let item = hygienic!(#[allow(unused)] #item);
    let mut plain = function.clone();
    plain.vis = Visibility::Inherited;
    plain.attrs.clear();
    let plain = if compiles(model) { hygienic!(#[allow(unused)] #function_attrs #plain) } else { TokenStream::new() };
    let user = both(frame::shadows(function), plain);
    let returned = hygienic!(__strata::SystemResult);
    let system = hygienic!(__strata::refused_system());
    // A function that names `Self` is in an `impl`, with or without the option `associated`.
    if model.options.associated || function.self_type().is_some() {
        let callable = is_callable(model).then_some(&function.ident);
        return associated(model, &item, &user, callable, &returned, &system);
    }
    if is_callable(model) {
        let built = built(model, &frame, &returned, &TokenStream::new(), &system);
        let unused = hygienic!(#[allow(unused)]);
        return of_function(model, &frame, &unused, &[], &built);
    }
    named(model, &frame, &item, &user, &conversion(model, &frame, &returned, &system))
}

/// Returns whether rustc accepts the function as written. If it does not, the output must not contain the function, because rustc would
/// report the error again.
fn compiles(model: &Model) -> bool {
    let has_hole = |param: &Param| find_word(param.ty.to_token_stream(), "_").is_some();
    let function = &model.function;
    function.variadic.is_none()
        && function.has_body()
        && function.self_type().is_none()
        && !function.params.iter().any(has_hole)
}

/// Returns whether there is a function pointer type for the function.
fn is_callable(model: &Model) -> bool {
    let function = &model.function;
    let is_abstract = |tokens: TokenStream| find_word(tokens, "impl").is_some();
    let is_bounded = function
        .generics
        .params
        .iter()
        .any(|param| matches!(param, GenericParam::Lifetime(param) if !param.bounds.is_empty()));
    let is_generic_constant = model.options.associated && function.is_generic();
    compiles(model)
        && !is_bounded
        && !is_generic_constant
        && function.qualifiers.is_empty()
        && function.params.len() <= MOST_PARAMETERS
        && !is_abstract(function.output.to_token_stream())
        && !function.params.iter().any(|param| is_abstract(param.ty.to_token_stream()))
}

/// Returns the type that the function returns.
fn returned(model: &Model) -> TokenStream {
    match &model.function.output {
        ReturnType::Default => hygienic!(()),
        ReturnType::Type(_, ty) => hygienic!(#ty),
    }
}

/// Returns the trait implementation from which the core builds the system. `body` is the expression that builds it.
fn built(
    model: &Model,
    frame: &Frame,
    returned: &TokenStream,
    checked: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let Frame { ty, generics, bounds, .. } = frame;
    let (impl_generics, _, _) = generics.split_for_impl();
    let where_clause = where_with(generics, bounds);
    let given = model.given_type();
    // An error in the type of the input is reported where that type is.
    let (first, last) = model.given_ends();
    let end = quote_spanned!(last=> >);
    let mut body = Group::new(Delimiter::Brace, body.clone());
    body.set_span(last);
    if model.is_loop() && model.returns_nothing() {
        let made = quote_spanned!(first=> __strata::MacroRows<#given #end);
        let boxed = quote_spanned!(first=> __strata::BoxedSystem<#given, __strata::SystemResult #end);
        let method = quote_spanned!(first=> fn build_rows() -> #boxed #body);
        return hygienic! {
            impl #impl_generics #made for #ty #where_clause {
                #checked
                #method
            }
        };
    }
    let made = quote_spanned!(first=> __strata::MacroSystem<#given, #returned #end);
    let boxed = quote_spanned!(first=> __strata::BoxedSystem<#given, #returned #end);
    let method = quote_spanned!(first=> fn build() -> #boxed #body);
    hygienic! {
        impl #impl_generics #made for #ty #where_clause {
            #checked
            #method
        }
    }
}

/// Returns the implementation that converts the constant to a system that a schedule can run.
fn conversion(model: &Model, frame: &Frame, returned: &TokenStream, body: &TokenStream) -> TokenStream {
    let Frame { ty, generics, bounds, .. } = frame;
    let (impl_generics, _, _) = generics.split_for_impl();
    let where_clause = where_with(generics, bounds);
    let given = model.given_type();
    hygienic! {
        impl #impl_generics __strata::IntoSystem<#given, #returned, __strata::MacroMarker> for #ty #where_clause {
            fn into_system(_: Self) -> __strata::BoxedSystem<#given, #returned> {
                #body
            }
        }
    }
}

/// Returns the expression for the access of a system parameter.
fn param_access(model: &Model, input: &Input) -> TokenStream {
    let (ty, label) = (&input.ty, input.param.label());
    let (first, last) = input.ends;
    let end = quote_spanned!(last=> >);
    if matches!(input.kind, Kind::Targets) {
        return quote_spanned!(first=> __strata::target_access::<__strata::Param<#ty #end>(#label));
    }
    if model.options.par.is_some() {
        return quote_spanned!(first=> __strata::param_access::<__strata::ParParam<#ty #end>(#label));
    }
    quote_spanned!(first=> __strata::param_access::<__strata::Param<#ty #end>(#label))
}

/// Returns the expression for the access of a parameter that reads a target or sources.
fn linked_access(input: &Input) -> TokenStream {
    let (term, label) = (&input.ty, input.param.label());
    let (first, last) = input.ends;
    let end = quote_spanned!(last=> >);
    let term = match input.kind {
        Kind::Children => quote_spanned!(first=> __strata::LinkedData<#term #end),
        _ => quote_spanned!(first=> #term),
    };
    quote_spanned!(first=> __strata::linked_access::<__strata::LinkedTerm<#term #end>(#label))
}

/// Returns the compile-time check of the parameters: each type must be a valid parameter, and no two parameters may conflict. Only this
/// check reports these errors.
fn conflicts(model: &Model) -> TokenStream {
    let name = model.function.ident.unraw().to_string();
    let rows = model.rows().map(|input| {
        let (term, label) = (&input.ty, input.param.label());
        let (first, last) = input.ends;
        let end = quote_spanned!(last=> >);
        quote_spanned!(first=> __strata::row_access::<__strata::RowParam<#term #end>(#label))
    });
    let params = model.system_params().map(|input| param_access(model, input));
    let given = model.given().map(|Input { ty, ends: (first, last), .. }| {
        let (first, end) = (*first, quote_spanned!(*last=> >));
        match &model.given_event() {
            Some(event) if model.takes_target() => {
                let (first, last) = ends(event);
                let end = quote_spanned!(last=> >);
                quote_spanned!(first=> __strata::has_target::<#event #end();)
            }
            _ => quote_spanned!(first=> __strata::input::<#ty #end();),
        }
    });
    let filters = filters::filters(model)
        .into_iter()
        .map(|Filter { option, term, .. }| hygienic!(__strata::filter_access::<#term>(#option)));
    // The linked parameters come last, because `same_type::pairs` identifies the other parameters by their position.
    let linked = model.linked().map(linked_access);
    let along = model.options.along.as_ref().map(|along| {
        let (first, last) = ends(&along.relation);
        let (relation, end) = (&along.relation, quote_spanned!(last=> >));
        quote_spanned!(first=> __strata::relationship::<#relation #end();)
    });
    let pairs = same_type::pairs(model);
    let differ = (!pairs.is_empty()).then(|| {
        hygienic!(
            use __strata::TypesDiffer as _;
        )
    });
    let params = hygienic!(&[#(#rows,)* #(#params,)* #(#filters,)* #(#linked,)*]);
    let place = model.function.ident.span();
    let check = if pairs.is_empty() {
        quote_spanned!(place=> __strata::check_system(#name, #params))
    } else {
        quote_spanned! {place=>
            let __strata_params = #params;
            __strata::check_system(#name, __strata_params);
            __strata::check_same_types(#name, __strata_params, &[#(#pairs),*])
        }
    };
    let relation = of_pairs::check(model);
    if differ.is_none() && given.is_none() && along.is_none() && relation.is_none() {
        return check;
    }
    quote_spanned!(model.function.ident.span()=> { #differ #given #along #relation #check })
}
