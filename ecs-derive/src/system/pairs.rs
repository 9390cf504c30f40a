//! Systems over pairs: row systems with an inner loop over the pairs whose source is the row.
//!
//! Such a system has an additional column with the pairs of each row, and an additional parameter that looks up targets. The user's
//! function has neither of these parameters. The targets are read by a separate query, so the rules for queries in row systems apply to
//! them.
//!
//! Tests: tests/relationships/pairs/systems.rs

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::Type;

use super::filters::allowed;
use super::model::{Input, Kind, Model, classify, is_mutable};
use super::options::PairsOf;
use super::parse::Param;
use crate::hygiene::hygienic;
use crate::tuple::nest;
use crate::types::ends;

/// Adds the inputs that the user's function does not have: the pairs of the row and the lookup of targets.
pub(super) fn add_inputs(Model { options, inputs, .. }: &mut Model) {
    let Some(pairs) = &options.pairs else { return };
    let pair = taken(inputs);
    let data = data(pairs, pair);
    let place = pair.map_or_else(|| ends(&pairs.relation), |input| input.ends);
    let pattern = pair.map_or_else(|| quote!(pairs), |input| input.param.pattern.clone());
    let all = hidden(inputs.len(), Kind::Pairs, pattern, place, {
        let (start, end) = (quote_spanned!(place.0=> __strata::Pairs), quote_spanned!(place.1=> >));
        quote!(#start<#data #end)
    });
    let targets: Vec<&Input> = inputs.iter().filter(|input| matches!(input.kind, Kind::Target)).collect();
    let found = targets.first().map(|first| {
        let names = targets.iter().map(|input| input.param.name().map_or_else(|| quote!(_), |name| quote!(#name)));
        let names = names.reduce(|first, next| quote!(#first and #next)).unwrap_or_default();
        let terms = nest(&targets.iter().map(|input| &input.ty).collect::<Vec<_>>());
        let allowed = allowed(options);
        let way =
            if targets.iter().any(|input| is_mutable(&input.param.ty)) { hygienic!(Query) } else { hygienic!(Targets) };
        let ty = hygienic!(__strata::#way<'_, '_, #terms, #allowed>);
        hidden(inputs.len() + 1, Kind::Targets, names, first.ends, ty)
    });
    inputs.push(all);
    inputs.extend(found);
}

/// Creates an input that the user's function does not have.
fn hidden(
    at: usize,
    kind: Kind,
    pattern: TokenStream,
    place: (proc_macro2::Span, proc_macro2::Span),
    ty: TokenStream,
) -> Input {
    let param = Param { attrs: Vec::new(), pattern, colon: syn::Token![:](place.0), ty: Type::Verbatim(ty.clone()) };
    Input { kind, param, ends: place, ty, variable: format_ident!("__strata_{at}", span = place.0), is_marked: false }
}

/// How the values of pairs are borrowed.
enum Borrow {
    Shared,
    /// Shared, with change ticks.
    Ref,
    Exclusive,
}

/// Returns the type of the values, and how they are borrowed. If the function takes the value, both are as written there.
fn values(pairs: &PairsOf, pair: Option<&Input>) -> (Type, Borrow) {
    let shared = if pairs.added || pairs.changed { Borrow::Ref } else { Borrow::Shared };
    match pair.map(|input| classify(&input.param.ty)) {
        Some(Kind::Exclusive(ty) | Kind::Mut(ty)) => (ty, Borrow::Exclusive),
        Some(Kind::Ref(ty)) => (ty, Borrow::Ref),
        Some(Kind::Shared(ty)) => (ty, shared),
        _ => (pairs.relation.clone(), shared),
    }
}

/// Returns the query data for the pairs of a row.
fn data(pairs: &PairsOf, pair: Option<&Input>) -> TokenStream {
    let (ty, borrow) = values(pairs, pair);
    let reference = quote_spanned!(ends(&ty).0=> &);
    match borrow {
        Borrow::Shared => quote!(#reference #ty),
        Borrow::Exclusive => quote!(#reference mut #ty),
        Borrow::Ref => hygienic!(__strata::Ref<'_, #ty>),
    }
}

/// Returns the type of the column of pairs. The type requires no bounds, because errors in it are reported elsewhere.
pub(super) fn column_type(model: &Model) -> TokenStream {
    let Some(pairs) = &model.options.pairs else { return TokenStream::new() };
    let (ty, borrow) = values(pairs, taken(&model.inputs));
    let access = match borrow {
        Borrow::Shared => hygienic!(ReadPair),
        Borrow::Exclusive => hygienic!(WritePair),
        Borrow::Ref => hygienic!(RefPair),
    };
    hygienic!(__strata::PairIter<'_, #ty, __strata::#access<#ty>>)
}

/// Returns the parameter for the value of a pair.
fn taken(inputs: &[Input]) -> Option<&Input> {
    inputs.iter().find(|input| matches!(input.kind, Kind::Pair))
}

/// Returns the inner loop, which runs `step` for each pair of a row.
pub(super) fn each_pair(model: &Model, step: TokenStream) -> TokenStream {
    let Some(pairs) = &model.options.pairs else { return step };
    let Some(Input { variable, .. }) = model.inputs.iter().find(|input| matches!(input.kind, Kind::Pairs)) else {
        return step;
    };
    let is_asked = |is_asked: bool, question: TokenStream| {
        is_asked.then(|| hygienic!(if !__strata::#question(&__strata_pair) { continue; }))
    };
    let added = is_asked(pairs.added, hygienic!(pair_is_added));
    let changed = is_asked(pairs.changed, hygienic!(pair_is_changed));
    let mutable = taken(&model.inputs).filter(|input| is_exclusive(input)).map(|_| hygienic!(mut));
    let target = target(model);
    hygienic! {
        for (__strata_target, #mutable __strata_pair) in __strata::each_pair(&mut #variable).of_row() {
            #added
            #changed
            #target
            #step
        }
    }
}

/// Returns whether a parameter is passed as an exclusive reference to its variable.
fn is_exclusive(input: &Input) -> bool {
    matches!(classify(&input.param.ty), Kind::Exclusive(_) | Kind::OptionalExclusive(_))
}

/// Returns the statement that binds variables to the components of the target, and skips the pair if the target lacks a component.
fn target(model: &Model) -> Option<TokenStream> {
    let Input { variable: found, param, .. } = model.inputs.iter().find(|input| matches!(input.kind, Kind::Targets))?;
    let targets = model.inputs.iter().filter(|input| matches!(input.kind, Kind::Target));
    let variables = targets.map(|input| {
        let (variable, mutable) = (&input.variable, is_exclusive(input).then(|| hygienic!(mut)));
        hygienic!(#mutable #variable)
    });
    let pattern = nest(&variables.collect::<Vec<_>>());
    let is_query = param.ty.to_token_stream().into_iter().any(|token| token.to_string() == "Query");
    let got = if is_query {
        hygienic!(__strata::Ok(#pattern) = #found.get_mut(__strata_target))
    } else {
        hygienic!(__strata::Some(#pattern) = #found.get(__strata_target))
    };
    Some(hygienic!(let #got else { continue; };))
}

/// Returns the argument of the user's function for the value of the pair.
pub(super) fn pair_argument(input: &Input) -> TokenStream {
    let ty = &input.ty;
    match classify(&input.param.ty) {
        Kind::Shared(_) => hygienic!(&*__strata_pair),
        Kind::Exclusive(_) => hygienic!(&mut *__strata_pair),
        _ => hygienic!(__strata::Row::<#ty>::of(__strata_pair)),
    }
}

/// Returns the argument of the user's function for a component of the target.
pub(super) fn target_argument(input: &Input) -> TokenStream {
    let (variable, ty): (&Ident, _) = (&input.variable, &input.ty);
    match classify(&input.param.ty) {
        Kind::Exclusive(_) => hygienic!(&mut *#variable),
        Kind::OptionalExclusive(_) => hygienic!(#variable.as_mut().map(|__strata_value| &mut **__strata_value)),
        Kind::Mut(_) | Kind::Ref(_) | Kind::OptionalMut(_) | Kind::OptionalRef(_) | Kind::OptionalShared(_) => {
            hygienic!(__strata::Row::<#ty>::of(#variable))
        }
        _ => hygienic!(#variable),
    }
}

/// Returns the check that the function takes a value of the relation in the option.
pub(super) fn check(model: &Model) -> Option<TokenStream> {
    let PairsOf { relation, .. } = model.options.pairs.as_ref()?;
    let input = taken(&model.inputs)?;
    match classify(&input.param.ty) {
        Kind::Shared(ty) | Kind::Exclusive(ty) | Kind::Mut(ty) | Kind::Ref(ty) => {
            let (first, last) = input.ends;
            let end = quote_spanned!(last=> >);
            Some(quote_spanned!(first=> __strata::pair_of::<#relation, #ty #end();))
        }
        _ => None,
    }
}
