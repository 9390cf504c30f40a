//! Exchanging the entities inside of a value: `#[derive(MapEntities)]`, and the function for components and resources.
//!
//! A field is mapped if its type is written as a path that ends in `Entity`, or if it has the attribute `#[entities]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Field, Fields, Meta, Type, Variant};

use crate::attr::{CRATE, Grammar, private_path};
use crate::ctxt::Ctxt;
use crate::description::member;
use crate::expand::scope;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};

/// The attribute of fields.
const ATTRIBUTE: &str = "entities";

/// The options of `#[map_entities(..)]`.
const GRAMMAR: Grammar = Grammar { attribute: "#[map_entities]", known: &[CRATE] };

/// Expands `derive(MapEntities)`.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = GRAMMAR.collect(cx, "map_entities", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    if item.kind == Kind::Union {
        let message = "the entities inside of a union cannot be mapped: nothing tells which field is there\n\
                       help: derive MapEntities on a struct or an enum";
        cx.error_at(item.keyword, message);
    }
    item.reject_inner_helper(cx, "map_entities");
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let where_clause = where_with(&item.generics, &[]);
    let (ident, value) = (&item.ident, hygienic!(self));
    let body = body(cx, item, &value).unwrap_or_else(|| hygienic!(let _ = mapper;));
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::MapEntities for #ident #type_generics #where_clause {
            fn map_entities<__M: __strata::EntityMapper>(&mut self, mapper: &mut __M) {
                #body
            }
        }
    };
    scope(&private, &implementation)
}

/// The closure that maps the entities inside of a component or resource, if it has fields of entities.
pub(crate) fn function(cx: &Ctxt, item: &Item) -> Option<TokenStream> {
    let value = hygienic!(value);
    let body = body(cx, item, &value)?;
    Some(hygienic! {
        |value, mut mapper| {
            let mapper = &mut mapper;
            #body
        }
    })
}

/// The statements that map the entities inside of `value`, if there are some.
fn body(cx: &Ctxt, item: &Item, value: &TokenStream) -> Option<TokenStream> {
    reject_on(cx, &item.attrs, "the type");
    if item.kind == Kind::Struct {
        let fields = item.known_fields()?;
        let mapped = fields.iter().enumerate().filter_map(|(at, field)| {
            let (mapping, member) = (Mapping::of(cx, field)?, member(at, field));
            Some(mapping.statement(field, &hygienic!(&mut #value.#member)))
        });
        let mapped: Vec<TokenStream> = mapped.collect();
        return (!mapped.is_empty()).then(|| mapped.into_iter().collect());
    }
    let variants = item.known_variants()?;
    let arms: Vec<TokenStream> = variants.iter().filter_map(|variant| arm(cx, variant)).collect();
    if arms.is_empty() {
        return None;
    }
    let others = (arms.len() < variants.len()).then(|| hygienic!(_ => {}));
    Some(hygienic!(match #value { #(#arms)* #others }))
}

/// The arm for a variant with entities.
fn arm(cx: &Ctxt, variant: &Variant) -> Option<TokenStream> {
    reject_on(cx, &variant.attrs, "the variant");
    let fields = match &variant.fields {
        Fields::Named(fields) => &fields.named,
        Fields::Unnamed(fields) => &fields.unnamed,
        Fields::Unit => return None,
    };
    let (mut patterns, mut statements) = (Vec::new(), Vec::new());
    for (at, field) in fields.iter().enumerate() {
        let Some(mapping) = Mapping::of(cx, field) else { continue };
        let (member, variable) = (member(at, field), format_ident!("__strata_{at}", span = Span::mixed_site()));
        patterns.push(quote!(#member: #variable));
        statements.push(mapping.statement(field, &variable.to_token_stream()));
    }
    let ident: &Ident = &variant.ident;
    (!patterns.is_empty()).then(|| hygienic!(Self::#ident { #(#patterns,)* .. } => { #(#statements)* }))
}

/// Why a field is mapped.
enum Mapping {
    /// The type has the name `Entity`.
    Named,
    /// The attribute.
    Asked,
}

impl Mapping {
    /// Whether a field is mapped.
    fn of(cx: &Ctxt, field: &Field) -> Option<Self> {
        let attributes: Vec<&Attribute> = attributes(&field.attrs).collect();
        for attr in &attributes {
            if !matches!(attr.meta, Meta::Path(_)) {
                cx.error_over(&attr.meta, "`#[entities]` has no options: what is mapped, the type of the field says");
            }
        }
        if let [_, second, ..] = &attributes[..] {
            cx.error_over(&second.meta, "`#[entities]` is given twice: keep one of the two");
        }
        if !attributes.is_empty() {
            return Some(Self::Asked);
        }
        let Type::Path(path) = &field.ty else { return None };
        let last = path.path.segments.last().filter(|segment| segment.arguments.is_none())?;
        (last.ident == "Entity").then_some(Self::Named)
    }

    /// The statement that maps a field by a reference to it.
    fn statement(&self, field: &Field, reference: &TokenStream) -> TokenStream {
        let ty = &field.ty;
        match self {
            Self::Named => hygienic!(__strata::map_entity(#reference, mapper);),
            Self::Asked => {
                let span = Span::mixed_site().located_at(ty.span());
                let function = quote_spanned!(span=> __strata::map_inside::<#ty, _>);
                hygienic!(#function(#reference, mapper);)
            }
        }
    }
}

/// The attributes `#[entities]`.
fn attributes(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident(ATTRIBUTE))
}

/// Reports `#[entities]` where it means nothing.
fn reject_on(cx: &Ctxt, attrs: &[Attribute], place: &str) {
    for attr in attributes(attrs) {
        let message = format!(
            "`#[entities]` stands on a field, not on {place}\nhelp: move it to the fields that hold entities; those of the \
             type `Entity` need none"
        );
        cx.error_over(&attr.meta, message);
    }
}
