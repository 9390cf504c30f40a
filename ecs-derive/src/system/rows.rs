//! Row systems: one counted loop per table over equal-length slices, with the user's function inlined.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{GenericParam, Generics, ReturnType};

use super::expand::returns_nothing;
use super::frame::Frame;
use super::model::{Input, Kind, Model};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::tuple::nest;
use crate::types::has_lifetime;

/// The loop over one table, and the function that runs it for each table that matches.
pub(super) fn run(model: &Model, frame: &Frame) -> TokenStream {
    let generics = call_generics(model);
    let mut output = kernel(model, frame, &generics);
    output.extend(tables(model, frame, &generics));
    output
}

/// The generics of the function without lifetimes that only row parameters use: the loop borrows its own way.
fn call_generics(model: &Model) -> Generics {
    let types: TokenStream = model.system_params().map(|input| input.param.ty.to_token_stream()).collect();
    let mut generics = model.function.generics.clone();
    generics.params = generics
        .params
        .into_iter()
        .filter(|param| match param {
            GenericParam::Lifetime(param) => has_lifetime(types.clone(), &param.lifetime),
            GenericParam::Type(_) | GenericParam::Const(_) => true,
        })
        .collect();
    generics
}

/// The loop over one table.
///
/// The columns are arguments of their own, so that the optimiser knows that they do not overlap, and are cut to one
/// length before the loop, so that no access in it needs a check.
fn kernel(model: &Model, frame: &Frame, generics: &Generics) -> TokenStream {
    let ident = &model.function.ident;
    let turbofish = &frame.turbofish;
    let columns = model.rows().map(column_argument);
    let cuts = model.rows().filter_map(cut);
    let only = only_slice(model);
    let arguments = model.inputs.iter().map(|input| argument(input, only.is_some()));
    let steps = match only {
        Some(variable) => hygienic!(for #variable in #variable),
        None => hygienic!(for __strata_i in 0..__strata_len),
    };
    let (params_argument, params_pattern) = params(model);
    let (impl_generics, _, _) = generics.split_for_impl();
    let where_clause = where_with(generics, &frame.bounds);
    let call = hygienic!(#ident #turbofish (#(#arguments),*));
    let (output, step, end) = match &model.function.output {
        ReturnType::Type(_, ty) if !returns_nothing(model) => {
            // What a system may not return is reported at the type.
            let span = Span::mixed_site().located_at(ty.span());
            let convert = quote_spanned!(span=> __strata::RowOutput::into_result(__strata_returned));
            let step = hygienic! {
                let __strata_returned = #call;
                #convert?;
            };
            (hygienic!(-> __strata::SystemResult), step, hygienic!(__strata::Ok(())))
        }
        // `must_use` may stand on the function.
        _ => (TokenStream::new(), hygienic!(let _ = #call;), TokenStream::new()),
    };
    hygienic! {
        #[inline(always)]
        fn __strata_rows #impl_generics (__strata_len: __strata::usize, #(#columns,)* #params_argument) #output #where_clause {
            #(#cuts)*
            #params_pattern
            #steps {
                #step
            }
            #end
        }
    }
}

/// The argument of the loop that holds a column.
fn column_argument(input: &Input) -> TokenStream {
    let variable = &input.variable;
    match &input.kind {
        Kind::Shared(element) => hygienic!(#variable: &[#element]),
        Kind::Exclusive(element) => hygienic!(#variable: &mut [#element]),
        Kind::Row(term) => hygienic!(mut #variable: __strata::SliceOf<'_, #term>),
        Kind::System => TokenStream::new(),
    }
}

/// Cuts a column to the length of the table.
fn cut(input: &Input) -> Option<TokenStream> {
    let variable = &input.variable;
    match &input.kind {
        Kind::Shared(_) => Some(hygienic!(let #variable = &#variable[..__strata_len];)),
        Kind::Exclusive(_) => Some(hygienic!(let #variable = &mut #variable[..__strata_len];)),
        Kind::Row(_) | Kind::System => None,
    }
}

/// The column of a system that reads or writes a single one and nothing else of the rows. It is walked by itself: that
/// makes a shorter loop than counting does, which shows where tables are small.
fn only_slice(model: &Model) -> Option<&Ident> {
    let mut rows = model.rows();
    let only = rows.next().filter(|input| matches!(input.kind, Kind::Shared(_) | Kind::Exclusive(_)))?;
    rows.next().is_none().then_some(&only.variable)
}

/// What the function gets for one row; `walked` if the loop walks the only column by itself.
fn argument(input: &Input, walked: bool) -> TokenStream {
    let variable = &input.variable;
    match &input.kind {
        Kind::Shared(_) | Kind::Exclusive(_) if walked => variable.to_token_stream(),
        Kind::Shared(_) => hygienic!(&#variable[__strata_i]),
        Kind::Exclusive(_) => hygienic!(&mut #variable[__strata_i]),
        Kind::Row(_) => hygienic!(__strata::Rows::row(&mut #variable, __strata_i)),
        Kind::System => hygienic!(__strata::Reborrow::reborrow(#variable)),
    }
}

/// The argument of the loop that holds the system parameters, and the pattern that takes it apart.
fn params(model: &Model) -> (TokenStream, TokenStream) {
    let variables: Vec<&Ident> = model.system_params().map(|input| &input.variable).collect();
    if variables.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let types = nest(&model.system_params().map(|input| &input.param.ty).collect::<Vec<_>>());
    let variables = nest(&variables);
    (hygienic!(__strata_params: &mut #types), hygienic!(let #variables = __strata_params;))
}

/// Runs the loop for each table that matches.
fn tables(model: &Model, frame: &Frame, generics: &Generics) -> TokenStream {
    let (impl_generics, _, _) = generics.split_for_impl();
    let where_clause = where_with(generics, &frame.bounds);
    let (data, filter) = (data(model), filter(model));
    let columns: Vec<&Ident> = model.rows().map(|input| &input.variable).collect();
    let pattern = nest(&columns);
    let types = nest(&model.system_params().map(|input| &input.param.ty).collect::<Vec<_>>());
    let has_params = model.system_params().next().is_some();
    let params = has_params.then(|| hygienic!(mut __strata_params: #types));
    let pass = has_params.then(|| hygienic!(&mut __strata_params));
    let turbofish = &frame.turbofish;
    let call = hygienic!(__strata_rows #turbofish (__strata_len, #(#columns,)* #pass));
    let call = if returns_nothing(model) { hygienic!(#call;) } else { hygienic!(#call?;) };
    hygienic! {
        fn __strata_run #impl_generics (
            mut __strata_table_rows: __strata::Query<'_, '_, #data, #filter>,
            #params
        ) -> __strata::SystemResult #where_clause {
            for (__strata_len, #pattern) in __strata::chunks(&mut __strata_table_rows) {
                #call
            }
            __strata::Ok(())
        }
    }
}

/// The query's data: the row parameters with `'static` lifetimes.
fn data(model: &Model) -> TokenStream {
    nest(&terms(model))
}

/// The terms of the query, one for each row parameter.
pub(super) fn terms(model: &Model) -> Vec<TokenStream> {
    let terms = model.rows().map(|input| match &input.kind {
        Kind::Shared(element) => quote_spanned!(element.span()=> &'static #element),
        Kind::Exclusive(element) => quote_spanned!(element.span()=> &'static mut #element),
        Kind::Row(term) => term.clone(),
        Kind::System => TokenStream::new(),
    });
    terms.collect()
}

/// The query's filter, from the options.
pub(super) fn filter(model: &Model) -> TokenStream {
    let options = &model.options;
    let mut filters: Vec<TokenStream> = options.with.iter().map(|ty| hygienic!(__strata::With<#ty>)).collect();
    filters.extend(options.without.iter().map(|ty| hygienic!(__strata::Without<#ty>)));
    if !options.any.is_empty() {
        let any: Vec<TokenStream> = options.any.iter().map(|ty| hygienic!(__strata::With<#ty>)).collect();
        let any = any_of(&any);
        filters.push(any);
    }
    nest(&filters)
}

/// `Or<(..)>`, nested like tuples.
fn any_of(filters: &[TokenStream]) -> TokenStream {
    const WIDTH: usize = 12;
    if filters.len() <= WIDTH {
        return hygienic!(__strata::Or<(#(#filters,)*)>);
    }
    let (side, rest) = filters.split_at(WIDTH - 1);
    let rest = any_of(rest);
    hygienic!(__strata::Or<(#(#side,)* #rest,)>)
}
