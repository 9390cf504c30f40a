//! `#[derive(QueryData)]`
//!
//! [`model`] reads and checks the type, [`items`] generates the items, and this file generates the implementations. A query struct is
//! fetched as the tuple of its fields. A query enum is fetched as the first of the tuples of its variants that an entity has. The expansion
//! forwards to the core's implementations for these tuples, and converts their items to items with named members.
//!
//! Tests: ecs-derive/src/golden.rs, tests/queries/derive.rs

mod model;
mod items;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Generics};

use self::model::{Model, Variant};
use crate::ctxt::Ctxt;
use crate::expand::scope;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::Item;

/// Expands the derive.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let model = match model::read(cx, item) {
        Ok(model) => model,
        Err(private) => return scope(&private, &stub(item)),
    };
    let mut output = items::item(&model);
    let mut inner = implementation(&model, &model.own());
    output.extend(contiguous(&model, &model.own(), &mut inner));
    if model.mutable {
        output.extend(items::read_only(&model));
        inner.extend(implementation(&model, &model.read_only()));
        output.extend(contiguous(&model, &model.read_only(), &mut inner));
    } else if cx.is_clean() {
        inner.extend(assert_read_only(&model));
    }
    inner.extend(items::uses(&model));
    output.extend(scope(&model.private, &inner));
    output
}

/// Fallback implementation for a type that cannot be query data; avoids further errors where the type is used.
fn stub(item: &Item) -> TokenStream {
    let ident = &item.ident;
    let (impl_generics, type_generics, where_clause) = item.generics.split_for_impl();
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::QueryData for #ident #type_generics #where_clause {
            type Terms = <() as __strata::QueryData>::Terms;
            type ReadOnly = Self;
            type Item<'__w, '__s> = ();
            fn item<'__w, '__s>(
                _: <Self::Terms as __strata::Fetch>::Item<'__w>,
                _: __strata::Kept<'__s, Self::Terms>,
            ) -> Self::Item<'__w, '__s> {
            }
        }
    }
}

/// One of the types that implement `QueryData`: the user's own, or its read-only twin.
struct Side {
    /// Name of the type.
    ident: Ident,
    /// Name of the item type.
    item: Ident,
    /// Name of the struct of slices, if the type has one.
    slices: Option<Ident>,
    /// The associated type `ReadOnly`.
    read_only: Ident,
    /// The query type that the type forwards to, which consists of the types of the fields.
    query: TokenStream,
    /// The terms of the query type.
    terms: TokenStream,
    /// Whether `ReadOnly` is the type itself.
    is_read_only: bool,
}

impl Model<'_> {
    /// Describes the user's type.
    fn own(&self) -> Side {
        let tuple = self.query();
        Side {
            ident: self.item.ident.clone(),
            item: self.item_name.clone(),
            slices: self.contiguous.own.then(|| self.contiguous_name.clone()),
            read_only: if self.mutable { self.read_only_name.clone() } else { self.item.ident.clone() },
            query: tuple.clone(),
            terms: hygienic!(<#tuple as __strata::QueryData>::Terms),
            is_read_only: !self.mutable,
        }
    }

    /// Describes the read-only twin.
    fn read_only(&self) -> Side {
        let tuple = self.query();
        Side {
            ident: self.read_only_name.clone(),
            item: self.read_only_item_name.clone(),
            slices: self.contiguous.read_only.then(|| self.read_only_contiguous_name.clone()),
            read_only: self.read_only_name.clone(),
            query: hygienic!(<#tuple as __strata::QueryData>::ReadOnly),
            terms: hygienic!(<<#tuple as __strata::QueryData>::Terms as __strata::Fetch>::ReadOnly),
            is_read_only: true,
        }
    }

    /// Returns the item type with its parameters.
    fn item_type(&self, item: &Ident) -> TokenStream {
        let generics = self.item_generics();
        let (_, type_generics, _) = generics.split_for_impl();
        hygienic!(#item #type_generics)
    }

    /// Returns the query type to which the user's type forwards.
    fn query(&self) -> TokenStream {
        let tuples: Vec<TokenStream> = self.variants.iter().map(Variant::tuple).collect();
        if self.is_enum() { first_of(&tuples) } else { tuples.into_iter().collect() }
    }

    /// Returns the expression that converts an item of the query type `query` to an item of the type `item`.
    fn convert(&self, query: &TokenStream, item: &Ident) -> TokenStream {
        let got = hygienic!(<#query as __strata::QueryData>::item(__strata_got, __strata_kept));
        let arms = self.variants.iter().enumerate().map(|(at, variant)| {
            let pattern = if self.is_enum() {
                alternative(at, self.variants.len(), &variant.pattern())
            } else {
                variant.pattern()
            };
            let literal = variant.literal(item);
            hygienic!(#pattern => #literal)
        });
        hygienic!(match #got { #(#arms),* })
    }
}

/// Returns `FirstOf<a, FirstOf<b, c>>`; for a single term, returns the term.
fn first_of(terms: &[TokenStream]) -> TokenStream {
    match terms {
        [] => TokenStream::new(),
        [only] => only.clone(),
        [first, rest @ ..] => {
            let rest = first_of(rest);
            hygienic!(__strata::FirstOf<#first, #rest>)
        }
    }
}

/// Returns the pattern that matches the item of `FirstOf` if term number `at` of `count` is the first that matches. It nests like
/// [`first_of`].
fn alternative(at: usize, count: usize, pattern: &TokenStream) -> TokenStream {
    let is_last = at + 1 == count;
    let last = if is_last { pattern.clone() } else { hygienic!(__strata::Alternative::First(#pattern)) };
    (0..at).fold(last, |rest, _| hygienic!(__strata::Alternative::Rest(#rest)))
}

/// Returns the implementations for the user's type or the read-only twin.
///
/// The type may be more visible than its components, but the associated type of a public implementation may not name a private type
/// (E0446). So a private trait names it, and the public implementation takes it as a type parameter.
fn implementation(model: &Model<'_>, side: &Side) -> TokenStream {
    let Side { ident, item, query, terms, .. } = side;
    let trait_name = quote::format_ident!("__{}Fields", ident.unraw());
    let (impl_generics, type_generics, _) = model.item.generics.split_for_impl();
    let where_clause = model.where_with(&[]);
    let item_type = model.item_type(item);
    let convert = model.convert(query, item);
    let forward = forward(model, side, &trait_name);
    hygienic! {
        trait #trait_name #impl_generics #where_clause {
            type Terms: __strata::Fetch;
            fn item<'w, 's>(
                __strata_got: <Self::Terms as __strata::Fetch>::Item<'w>,
                __strata_kept: __strata::Kept<'s, Self::Terms>,
            ) -> #item_type;
        }
        #[automatically_derived]
        impl #impl_generics #trait_name #type_generics for #ident #type_generics #where_clause {
            type Terms = #terms;
            #[inline(always)]
            fn item<'w, 's>(
                __strata_got: <Self::Terms as __strata::Fetch>::Item<'w>,
                __strata_kept: __strata::Kept<'s, Self::Terms>,
            ) -> #item_type {
                #convert
            }
        }
        #forward
    }
}

/// Returns the public implementation, which forwards to the private trait.
fn forward(model: &Model<'_>, side: &Side, trait_name: &Ident) -> TokenStream {
    let Side { ident, item, read_only, is_read_only, .. } = side;
    let generics = &model.item.generics;
    let (_, type_generics, _) = generics.split_for_impl();
    let item_type = model.item_type(item);
    let private_trait = private_trait(model, trait_name);
    let extended = with_terms(generics);
    let (impl_generics, _, _) = extended.split_for_impl();
    let mut bounds = vec![hygienic!(Self: #private_trait)];
    if *is_read_only {
        bounds.push(hygienic!(__Terms: __strata::Fetch<ReadOnly = __Terms>));
    } else {
        bounds.push(hygienic!(__Terms: __strata::Fetch));
        bounds.push(hygienic! {
            #read_only #type_generics: __strata::QueryData<Terms = <__Terms as __strata::Fetch>::ReadOnly>
        });
    }
    let where_clause = model.where_with(&bounds);
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::QueryData for #ident #type_generics #where_clause {
            type Terms = __Terms;
            type ReadOnly = #read_only #type_generics;
            type Item<'w, 's> = #item_type;
            #[inline(always)]
            fn item<'w, 's>(
                __strata_got: <__Terms as __strata::Fetch>::Item<'w>,
                __strata_kept: __strata::Kept<'s, __Terms>,
            ) -> Self::Item<'w, 's> {
                <Self as #trait_name #type_generics>::item(__strata_got, __strata_kept)
            }
        }
    }
}

/// Appends the implementation for slices of the user's type or the read-only twin to `inner`, and returns the definition of the struct of
/// slices, if there is one. An enum has neither.
///
/// The terms are a type parameter, as in [`forward`]: otherwise the terms of a type without parameters would be required to have slices.
fn contiguous(model: &Model<'_>, side: &Side, inner: &mut TokenStream) -> TokenStream {
    if model.is_enum() {
        return TokenStream::new();
    }
    let Side { ident, query, slices, is_read_only, .. } = side;
    let (plain_generics, type_generics, _) = model.item.generics.split_for_impl();
    let extended = with_terms(&model.item.generics);
    let (impl_generics, _, _) = extended.split_for_impl();
    let mut bounds = vec![hygienic!(__Terms: __strata::ContiguousFetch)];
    let Some(slices) = slices else {
        let where_clause = model.where_with(&bounds);
        inner.extend(hygienic! {
            #[automatically_derived]
            impl #impl_generics __strata::SliceItem<__Terms> for #ident #type_generics #where_clause {
                type Contiguous<'w, 's> = <__Terms as __strata::ContiguousFetch>::Slice<'w>;
                #[inline(always)]
                fn contiguous<'w, 's>(
                    __strata_got: <__Terms as __strata::ContiguousFetch>::Slice<'w>,
                ) -> Self::Contiguous<'w, 's> {
                    __strata_got
                }
            }
        });
        return TokenStream::new();
    };
    let trait_name = quote::format_ident!("__{}Slices", ident.unraw());
    let private_trait = private_trait(model, &trait_name);
    bounds.push(hygienic!(Self: #private_trait));
    let (own_where, where_clause) = (model.where_with(&[]), model.where_with(&bounds));
    let slices_type = model.item_type(slices);
    let patterns = model.variants.iter().map(Variant::pattern);
    let literals = model.variants.iter().map(|variant| variant.literal(slices));
    inner.extend(hygienic! {
        trait #trait_name #plain_generics #own_where {
            type Terms: __strata::ContiguousFetch;
            fn contiguous<'w, 's>(__strata_got: <Self::Terms as __strata::ContiguousFetch>::Slice<'w>) -> #slices_type;
        }
        #[automatically_derived]
        impl #plain_generics #trait_name #type_generics for #ident #type_generics #own_where {
            type Terms = <#query as __strata::QueryData>::Terms;
            #[inline(always)]
            fn contiguous<'w, 's>(
                __strata_got: <Self::Terms as __strata::ContiguousFetch>::Slice<'w>,
            ) -> #slices_type {
                match <#query as __strata::ContiguousQueryData>::contiguous(__strata_got) { #(#patterns => #literals),* }
            }
        }
        #[automatically_derived]
        impl #impl_generics __strata::SliceItem<__Terms> for #ident #type_generics #where_clause {
            type Contiguous<'w, 's> = #slices_type;
            #[inline(always)]
            fn contiguous<'w, 's>(
                __strata_got: <__Terms as __strata::ContiguousFetch>::Slice<'w>,
            ) -> #slices_type {
                <Self as #trait_name #type_generics>::contiguous(__strata_got)
            }
        }
    });
    items::contiguous(model, slices, *is_read_only && model.mutable)
}

/// Returns the private trait with all its parameters: `__Fields<T, Terms = __Terms>`.
fn private_trait(model: &Model<'_>, trait_name: &Ident) -> TokenStream {
    let params = model.item.generics.params.iter().map(|param| match param {
        GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => param.ident.to_token_stream(),
    });
    hygienic!(#trait_name<#(#params,)* Terms = __Terms>)
}

/// Returns the generics with the additional parameter for the terms.
fn with_terms(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.params.push(syn::parse_quote_spanned!(Span::mixed_site()=> __Terms));
    generics
}

/// Returns code that does not compile if a field writes although the type is not marked `mutable`. A field that is not query data is not
/// reported here: for such a field, the call resolves to the function of the trait.
fn assert_read_only(model: &Model<'_>) -> TokenStream {
    let (impl_generics, _, _) = model.item.generics.split_for_impl();
    let where_clause = where_with(&model.item.generics, &[]);
    let checks = model.fields().map(|field| {
        let ty = &field.ty;
        quote_spanned!(field.here()=> __StrataCheck::<#ty>::read_only();)
    });
    hygienic! {
        // The function is only type-checked and never called.
        #[allow(dead_code)]
        fn __assert_read_only #impl_generics () #where_clause {
            struct __StrataCheck<T>(__strata::PhantomData<T>);
            impl<__D: __strata::QueryData> __StrataCheck<__D> {
                fn read_only() where __D::Terms: __strata::ReadOnlyFetch {}
            }
            trait __StrataOther {
                fn read_only() {}
            }
            impl<T> __StrataOther for __StrataCheck<T> {}
            #(#checks)*
        }
    }
}
