//! Row systems: for each table a counted loop over slices of equal length, with the user's function inlined.
//!
//! Tests: ecs-derive/src/golden.rs, tests/systems/row_systems.rs

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{ReturnType, Type};

use super::filters::filter;
use super::frame::{self, Frame};
use super::model::{Form, Input, Kind, Model, wrapped};
use super::{linked, pairs, variants};
use crate::generics::lifetimes;
use crate::hygiene::hygienic;
use crate::tuple::{nest, nest_narrow};
use crate::types::replace_lifetimes;

/// Returns the expression for the system, which runs the loop for each matching table.
pub(super) fn build(model: &Model, frame: &Frame, name: &TokenStream, labels: &[String]) -> TokenStream {
    let (data, filter) = (nest_narrow(&terms(model)), filter(model));
    let table = kernel(model, frame);
    let build = if model.options.par.is_some() { hygienic!(build_par) } else { hygienic!(build) };
    let rows = if variants::are_worth_it(model) { hygienic!(wide) } else { hygienic!(narrow) };
    let may_fail = (!model.returns_nothing()).then(|| hygienic!(.may_fail()));
    let not_in_pipelines = model.options.pipeline_off.is_some().then(|| hygienic!(.not_in_pipelines()));
    hygienic! {
        __strata::RowsOf::<#data, #filter>::#rows(#table) #may_fail #not_in_pipelines .#build(#name, &[#(#labels),*])
    }
}

/// Returns the loop over one table, as a closure with the arguments that the core passes. It is a closure because, unlike a function, it
/// can be inlined wherever the core calls it.
pub(super) fn kernel(model: &Model, frame: &Frame) -> TokenStream {
    let named = lifetimes(&model.function.generics);
    let is_named = |ident: &Ident| named.iter().any(|param| param.lifetime.ident == *ident);
    // The kernel accepts any lifetimes. A closure cannot declare lifetime parameters, so they are replaced by `'_`.
    let types = replace_lifetimes(column_types(model), "'_", &is_named);
    let params = replace_lifetimes(nest(&wrapped(model.system_params())), "'_", &is_named);
    let variables: Vec<&Ident> = model.system_params().map(|input| &input.variable).collect();
    let pattern = nest(&variables);
    let list = asks_rows(model).then(|| hygienic!(__strata_list: __strata::RowList<'_>,));
    let [entities, given] = target_arguments(model);
    let linked = linked::argument(model);
    let columns = nest_narrow(&model.rows().map(column_argument).collect::<Vec<_>>());
    let body = body(model, frame);
    hygienic! {
        #[inline(always)]
        |__strata_len: __strata::usize, #list #entities __strata_columns: #types, #given #linked #pattern: &mut #params| -> __strata::SystemResult {
            let #columns = __strata_columns;
            #body
        }
    }
}

/// Returns the body of the loop. The columns are variables of the length `__strata_len`. Where the core calls the loop, it creates the
/// slices with that length, so accesses in the loop need no bounds checks.
fn body(model: &Model, frame: &Frame) -> TokenStream {
    let (ident, turbofish) = (&model.function.ident, &frame.turbofish);
    let begun = model.system_params().map(|Input { variable, ends, .. }| {
        let (first, last) = *ends;
        let (core, reference) = (quote_spanned!(first=> __strata::), quote_spanned!(first=> &));
        let place = quote_spanned!(last=> .0);
        let begun =
            quote_spanned!(last=> #core lend(#reference #variable #place).for_loop(#reference mut #variable #place));
        hygienic!(let mut #variable = #begun;)
    });
    let parents = linked::parents(model);
    let cut_entities = model.observes().then(|| hygienic!(let __strata_entities = &__strata_entities[..__strata_len];));
    let only = only_slice(model);
    let arguments = model.inputs.iter().filter(|input| input.is_written());
    let arguments = arguments.map(|input| argument(input, only.is_some()));
    let steps = match only {
        None if asks_rows(model) => hygienic!(for __strata_i in __strata::listed_rows(__strata_len, __strata_list)),
        Some(variable) => hygienic!(for #variable in #variable),
        None => hygienic!(for __strata_i in 0..__strata_len),
    };
    let call = hygienic!(#ident #turbofish (#(#arguments),*));
    let output_of = frame::output_of(model);
    let step = match &model.function.output {
        ReturnType::Type(_, ty) if !model.returns_nothing() => {
            // The conversion has the span of the return type, so that rustc reports an invalid return type there.
            let span = Span::mixed_site().located_at(ty.span());
            let convert = quote_spanned!(span=> __strata::RowOutput::into_result(__strata_returned));
            hygienic! {
                let __strata_returned = #call #output_of;
                #convert?;
            }
        }
        // The output is bound to `_`, because the user's function may be `#[must_use]`.
        _ => hygienic!(let _ = #call;),
    };
    let step = pairs::each_pair(model, step);
    hygienic! {
        #cut_entities
        #(#begun)*
        #steps {
            #parents
            #step
        }
        __strata::Ok(())
    }
}

/// Returns whether the loop gets a list of rows, because a filter checks the change ticks of each row. Observers check these elsewhere, and
/// systems over pairs or along a relationship visit rows one by one.
fn asks_rows(model: &Model) -> bool {
    let asks = |filters: &[Type]| !filters.is_empty();
    !model.observes()
        && model.options.along.is_none()
        && model.options.pairs.is_none()
        && (asks(&model.options.added) || asks(&model.options.changed))
}

/// Returns the arguments of an observer's loop: the targets of the events, and the events themselves.
fn target_arguments(model: &Model) -> [TokenStream; 2] {
    match model.given_event() {
        Some(event) => [
            hygienic!(__strata_entities: &[__strata::Entity],),
            hygienic!(__strata_given: &mut __strata::GivenRows<'_, #event>,),
        ],
        None => [TokenStream::new(), TokenStream::new()],
    }
}

/// Returns the traits of the core to import. Their fallback methods are called if a type has the wrong kind, so that rustc does not report
/// further errors.
pub(super) fn stand_ins(model: &Model) -> Vec<TokenStream> {
    let written = |input: &Input| {
        !matches!(
            input.kind,
            Kind::Shared(_)
                | Kind::Exclusive(_)
                | Kind::System
                | Kind::Input(..)
                | Kind::Has
                | Kind::Children
                | Kind::Pairs
                | Kind::Targets
        )
    };
    let rows = model.inputs.iter().any(written).then(|| hygienic!(OtherRow as _));
    let params = model.system_params().next().map(|_| hygienic!(LendNothing as _));
    let pairs = model.options.pairs.is_some().then(|| hygienic!(RefusedPairs as _));
    rows.into_iter().chain(params).chain(pairs).collect()
}

/// Returns the variable that holds a column in the loop.
fn column_argument(input: &Input) -> TokenStream {
    let (variable, mutable) = (&input.variable, is_reborrowed(input).then(|| hygienic!(mut)));
    hygienic!(#mutable #variable)
}

/// Returns whether the column is borrowed mutably for each row.
fn is_reborrowed(input: &Input) -> bool {
    matches!(input.kind, Kind::OptionalExclusive(_) | Kind::Mut(_) | Kind::OptionalMut(_) | Kind::Marked | Kind::Pairs)
}

/// Returns the type of a column. The type requires no bounds, because errors in it are reported elsewhere.
fn column_type(model: &Model, input: &Input) -> TokenStream {
    match &input.kind {
        Kind::Pairs => pairs::column_type(model),
        Kind::Shared(element) => hygienic!(&[#element]),
        Kind::Exclusive(element) => hygienic!(&mut [#element]),
        Kind::Mut(element) => hygienic!(__strata::MutSlice<'_, #element>),
        Kind::Ref(element) => hygienic!(__strata::RefSlice<'_, #element>),
        Kind::OptionalMut(element) => hygienic!(__strata::Option<__strata::MutSlice<'_, #element>>),
        Kind::OptionalRef(element) => hygienic!(__strata::Option<__strata::RefSlice<'_, #element>>),
        Kind::OptionalShared(element) => hygienic!(__strata::Option<&[#element]>),
        Kind::OptionalExclusive(element) => hygienic!(__strata::Option<&mut [#element]>),
        Kind::Has => hygienic!(__strata::bool),
        Kind::Entity => hygienic!(&[__strata::Entity]),
        Kind::Marked => {
            let ty = &input.ty;
            hygienic!(__strata::SliceOf<'_, #ty>)
        }
        Kind::System | Kind::Parent | Kind::Children | Kind::Pair | Kind::Target | Kind::Targets | Kind::Input(..) => {
            TokenStream::new()
        }
    }
}

/// Returns the types of all columns as a nested tuple.
fn column_types(model: &Model) -> TokenStream {
    nest_narrow(&model.rows().map(|input| column_type(model, input)).collect::<Vec<_>>())
}

/// Returns the column if the system reads a single column and nothing else of the rows. The loop then iterates directly over the column,
/// which is shorter than a counted loop and faster for small tables.
fn only_slice(model: &Model) -> Option<&Ident> {
    if model.observes() || model.options.along.is_some() || model.options.pairs.is_some() || asks_rows(model) {
        return None;
    }
    let mut rows = model.rows();
    let only = rows.next().filter(|input| matches!(input.kind, Kind::Shared(_) | Kind::Exclusive(_)))?;
    rows.next().is_none().then_some(&only.variable)
}

/// Returns an argument of the user's function for one row. `walked` says that the loop iterates directly over its only column.
fn argument(input: &Input, walked: bool) -> TokenStream {
    let (variable, ty) = (&input.variable, &input.ty);
    let value = match &input.kind {
        Kind::Shared(_) | Kind::Exclusive(_) if walked => return variable.to_token_stream(),
        Kind::Shared(_) => return hygienic!(&#variable[__strata_i]),
        Kind::Exclusive(_) => return hygienic!(&mut #variable[__strata_i]),
        Kind::Has => return variable.to_token_stream(),
        Kind::Marked => return hygienic!(__strata::marked_row::<#ty>(&mut #variable, __strata_i)),
        Kind::Input(Form::Observed, _) => return hygienic!(__strata_given.of(__strata_entities[__strata_i])),
        Kind::Children => return hygienic!(__strata_linked.sources(__strata_i)),
        Kind::Pair => return pairs::pair_argument(input),
        Kind::Target => return pairs::target_argument(input),
        Kind::System | Kind::Input(..) | Kind::Pairs | Kind::Targets => return lend(input),
        Kind::Parent => hygienic!(#variable),
        Kind::Entity => hygienic!(#variable[__strata_i]),
        Kind::Mut(_) => hygienic!(__strata::mut_row(&mut #variable, __strata_i)),
        Kind::Ref(_) => hygienic!(__strata::ref_row(&#variable, __strata_i)),
        Kind::OptionalMut(_) => {
            hygienic!(#variable.as_mut().map(|__strata_rows| __strata::mut_row(__strata_rows, __strata_i)))
        }
        Kind::OptionalRef(_) => {
            hygienic!(#variable.as_ref().map(|__strata_rows| __strata::ref_row(__strata_rows, __strata_i)))
        }
        Kind::OptionalShared(_) => hygienic!(#variable.map(|__strata_rows| &__strata_rows[__strata_i])),
        Kind::OptionalExclusive(_) => {
            hygienic!(#variable.as_mut().map(|__strata_rows| &mut __strata_rows[__strata_i]))
        }
    };
    hygienic!(__strata::Row::<#ty>::of(#value))
}

/// Returns a system parameter, reborrowed for one call.
fn lend(Input { variable, ends, .. }: &Input) -> TokenStream {
    let (first, last) = *ends;
    let (core, reference) = (quote_spanned!(first=> __strata::), quote_spanned!(first=> &));
    let mut value = variable.clone();
    value.set_span(last);
    quote_spanned!(last=> #core lend(#reference *#value).on(#reference mut *#value))
}

/// Returns the terms of the query, one for each row parameter.
pub(super) fn terms(model: &Model) -> Vec<&TokenStream> {
    model.rows().map(|input| &input.ty).collect()
}
