//! `#[derive(QueryData)]`
//!
//! Stages: [`model`] reads and checks the struct, [`items`] writes the item structs, and this file the
//! implementations. A query struct is the tuple of its fields: the expansion forwards to the core's implementation for
//! tuples and gives the members their names back.

mod items;
mod model;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{GenericParam, Generics};

use self::model::{Field, Model};
use crate::ctxt::Ctxt;
use crate::expand::scope;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::Item;
use crate::tuple::nest;

/// Expands the derive.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let model = match model::read(cx, item) {
        Ok(model) => model,
        Err(private) => return scope(&private, &stub(item)),
    };
    let mut output = items::item_struct(&model);
    let mut inner = implementation(&model, &model.own());
    if model.mutable {
        output.extend(items::read_only_structs(&model));
        inner.extend(implementation(&model, &model.read_only()));
    } else if cx.is_clean() {
        inner.extend(assert_read_only(&model));
    }
    inner.extend(items::uses(&model));
    output.extend(scope(&model.private, &inner));
    output
}

/// What stands in for a type that cannot be query data, so that its uses give no further errors.
fn stub(item: &Item) -> TokenStream {
    let ident = &item.ident;
    let (impl_generics, type_generics, where_clause) = item.generics.split_for_impl();
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::QueryData for #ident #type_generics #where_clause {
            type Terms = <() as __strata::QueryData>::Terms;
            type ReadOnly = Self;
            type Item<'__w> = ();
            fn item<'__w>(_: <Self::Terms as __strata::Fetch>::Item<'__w>) -> Self::Item<'__w> {}
        }
    }
}

/// One of the structs that implement `QueryData`: the user's own, or its read-only twin.
struct Side {
    /// Name of the struct.
    ident: Ident,
    /// Name of its item.
    item: Ident,
    /// The struct that is its `ReadOnly`.
    read_only: Ident,
    /// The query type that it forwards to, made of the fields' types.
    query: TokenStream,
    /// The terms of that query.
    terms: TokenStream,
    /// Whether `ReadOnly` is the struct itself.
    is_read_only: bool,
}

impl Model<'_> {
    /// The user's struct.
    fn own(&self) -> Side {
        let tuple = self.tuple();
        Side {
            ident: self.item.ident.clone(),
            item: self.item_name.clone(),
            read_only: if self.mutable { self.read_only_name.clone() } else { self.item.ident.clone() },
            query: tuple.clone(),
            terms: hygienic!(<#tuple as __strata::QueryData>::Terms),
            is_read_only: !self.mutable,
        }
    }

    /// The twin that only reads.
    fn read_only(&self) -> Side {
        let tuple = self.tuple();
        Side {
            ident: self.read_only_name.clone(),
            item: self.read_only_item_name.clone(),
            read_only: self.read_only_name.clone(),
            query: hygienic!(<#tuple as __strata::QueryData>::ReadOnly),
            terms: hygienic!(<<#tuple as __strata::QueryData>::Terms as __strata::Fetch>::ReadOnly),
            is_read_only: true,
        }
    }

    /// The item struct with its parameters.
    fn item_type(&self, item: &Ident) -> TokenStream {
        let generics = self.with_lifetime();
        let (_, type_generics, _) = generics.split_for_impl();
        hygienic!(#item #type_generics)
    }

    /// The fields' types as a nested tuple.
    fn tuple(&self) -> TokenStream {
        nest(&self.fields.iter().map(|field| &field.ty).collect::<Vec<_>>())
    }
}

/// The implementations for one struct.
///
/// The struct may be more visible than its components, but the associated type of a public implementation may not name
/// a private type (E0446). So a private trait names it, and the public implementation takes it as a parameter.
fn implementation(model: &Model<'_>, side: &Side) -> TokenStream {
    let Side { ident, item, query, terms, .. } = side;
    let trait_name = quote::format_ident!("__{}Fields", ident.unraw());
    let (impl_generics, type_generics, _) = model.item.generics.split_for_impl();
    let where_clause = model.where_clause();
    let item_type = model.item_type(item);
    let names: Vec<&Ident> = model.fields.iter().map(|field| &field.ident).collect();
    let variables = model.variables();
    let pattern = nest(&variables);
    let forward = forward(model, side, &trait_name);
    hygienic! {
        trait #trait_name #impl_generics #where_clause {
            type Terms: __strata::Fetch;
            fn item<'w>(got: <Self::Terms as __strata::Fetch>::Item<'w>) -> #item_type;
        }
        #[automatically_derived]
        impl #impl_generics #trait_name #type_generics for #ident #type_generics #where_clause {
            type Terms = #terms;
            #[inline(always)]
            fn item<'w>(got: <Self::Terms as __strata::Fetch>::Item<'w>) -> #item_type {
                let #pattern = <#query as __strata::QueryData>::item(got);
                #item { #(#names: #variables),* }
            }
        }
        #forward
    }
}

/// The public implementation, which forwards to the private trait.
fn forward(model: &Model<'_>, side: &Side, trait_name: &Ident) -> TokenStream {
    let Side { ident, item, read_only, is_read_only, .. } = side;
    let generics = &model.item.generics;
    let (_, type_generics, _) = generics.split_for_impl();
    let item_type = model.item_type(item);
    let private_trait = private_trait(model, trait_name);
    let extended = with_terms(generics);
    let (impl_generics, _, _) = extended.split_for_impl();
    let mut bounds = model.bounds();
    bounds.push(hygienic!(Self: #private_trait));
    if *is_read_only {
        bounds.push(hygienic!(__Terms: __strata::Fetch<ReadOnly = __Terms>));
    } else {
        bounds.push(hygienic!(__Terms: __strata::Fetch));
        bounds.push(hygienic! {
            #read_only #type_generics: __strata::QueryData<Terms = <__Terms as __strata::Fetch>::ReadOnly>
        });
    }
    let where_clause = where_with(generics, &bounds);
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::QueryData for #ident #type_generics #where_clause {
            type Terms = __Terms;
            type ReadOnly = #read_only #type_generics;
            type Item<'w> = #item_type;
            #[inline(always)]
            fn item<'w>(got: <__Terms as __strata::Fetch>::Item<'w>) -> Self::Item<'w> {
                <Self as #trait_name #type_generics>::item(got)
            }
        }
    }
}

/// The private trait with all its parameters: `__Fields<T, Terms = __Terms>`.
fn private_trait(model: &Model<'_>, trait_name: &Ident) -> TokenStream {
    let params = model.item.generics.params.iter().map(|param| match param {
        GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => param.ident.to_token_stream(),
    });
    hygienic!(#trait_name<#(#params,)* Terms = __Terms>)
}

/// The generics with the parameter that stands for the terms.
fn with_terms(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.params.push(syn::parse_quote_spanned!(Span::mixed_site()=> __Terms));
    generics
}

/// Fails to compile if a field writes although the struct is not marked `mutable`. In two steps, so that a field that is
/// no query data at all is not accused of writing.
fn assert_read_only(model: &Model<'_>) -> TokenStream {
    let message = format!(
        "this field writes to its components, but `{}` is a read-only query: add `#[query_data(mutable)]` to the struct",
        model.item.ident
    );
    let check = if model.item.generics.params.is_empty() { demand_read_only(model) } else { call_read_only(model) };
    hygienic! {
        #[diagnostic::on_unimplemented(message = #message, label = "borrows mutably")]
        trait __ReadOnly {}
        #[diagnostic::do_not_recommend]
        impl<T: __strata::ReadOnlyFetch> __ReadOnly for T {}
        #check
    }
}

/// The demands of a function without parameters are checked as they are.
fn demand_read_only(model: &Model<'_>) -> TokenStream {
    let mut bounds = model.bounds();
    for field in &model.fields {
        let (ty, query_data) = (&field.ty, model.query_data_at(field));
        let span = Span::mixed_site().located_at(field.written.span());
        bounds.push(quote_spanned!(span=> <#ty as #query_data>::Terms: __ReadOnly));
    }
    let where_clause = where_with(&model.item.generics, &bounds);
    hygienic! {
        #[allow(dead_code)]
        fn __assert_read_only() #where_clause {}
    }
}

/// Those of a function with parameters are demands to its callers, so there the body has to call something.
fn call_read_only(model: &Model<'_>) -> TokenStream {
    let (impl_generics, _, _) = model.item.generics.split_for_impl();
    let where_clause = model.where_clause();
    let checks = model.fields.iter().map(|Field { written, ty, .. }| {
        let span = Span::mixed_site().located_at(written.span());
        quote_spanned!(span=> read_only(terms::<#ty>());)
    });
    hygienic! {
        #[allow(dead_code)]
        fn __assert_read_only #impl_generics () #where_clause {
            fn terms<D: __strata::QueryData>() -> __strata::PhantomData<D::Terms> {
                __strata::PhantomData
            }
            fn read_only<T: __ReadOnly>(_: __strata::PhantomData<T>) {}
            #(#checks)*
        }
    }
}
