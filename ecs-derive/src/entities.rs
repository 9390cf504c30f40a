//! Mapping the entities inside of a value: `#[derive(MapEntities)]`, and the function for components, relations and resources.
//!
//! The compiler decides which fields are mapped: those whose types implement `MapEntities`. The expansion asks for each field by a probe, and
//! reports a field whose type mentions a type with entities and cannot be mapped. `#[entities]` demands the trait of a field;
//! `#[entities(ignore)]` leaves the field as it is.
//!
//! Tests: ecs-derive/src/golden.rs, tests/storage/descriptors/entities.rs

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Field, Fields, GenericArgument, Meta, PathArguments, Type, Variant};

use crate::attr::{CRATE, Grammar, private_path};
use crate::ctxt::Ctxt;
use crate::expand::scope;
use crate::generics::{type_params, where_with};
use crate::hygiene::hygienic;
use crate::item::{Item, Kind, has_repr, member};
use crate::relationship::is_list_of_sources;
use crate::types::{ends, find_word, peel, plain_path};

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
    let (ident, value) = (&item.ident, hygienic!(self));
    let found = Found::of(cx, item, &value, false);
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let bounds: Vec<TokenStream> = found.params.iter().map(|param| hygienic!(#param: __strata::MapEntities)).collect();
    let where_clause = where_with(&item.generics, &bounds);
    let Found { body, fields, .. } = &found;
    let body = if body.is_empty() { hygienic!(let _ = mapper;) } else { body.clone() };
    let check = (!fields.is_empty()).then(|| {
        hygienic! {
            const {
                use __strata::Unmapped as _;
                let _: &[__strata::FieldMapping] = &[#(#fields),*];
            }
        }
    });
    // A constant in a generic function is evaluated only when the function is used. For a type without parameters, the check is an item of
    // its own, which is always evaluated.
    let (inside, beside) = match item.generics.params.is_empty() {
        true => (None, check.map(|check| hygienic!(const _: () = #check;))),
        false => (check, None),
    };
    let probes = (!fields.is_empty()).then(|| {
        hygienic!(
            use __strata::Unmapped as _;
        )
    });
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::MapEntities for #ident #type_generics #where_clause {
            fn map_entities<__M: __strata::EntityMapper>(&mut self, mapper: &mut __M) {
                #probes
                #inside
                #body
            }
        }
        #beside
    };
    scope(&private, &implementation)
}

/// Adds to a description how the fields of a component, relation or resource are mapped.
///
/// A resource that is not `Clone` cannot be saved, so its fields need not be mapped.
pub(crate) fn describe(cx: &Ctxt, item: &Item, is_resource: bool, description: TokenStream) -> TokenStream {
    let value = hygienic!(value);
    let Found { body, fields, .. } = Found::of(cx, item, &value, true);
    if fields.is_empty() {
        return description;
    }
    // `|` instead of a branch: constants in a branch are not promoted to `'static`.
    let or_unsaved = is_resource.then(|| hygienic!(| !__strata::Probe::<Self>::CLONE.is_found()));
    hygienic! {{
        use __strata::{Unmapped as _, Unproved as _};
        let own = __strata::Probe::<Self>::MAP_ENTITIES.is_known() #or_unsaved;
        #description.with_mapped_fields(&[#(#fields),*], |value, mapper| {
            #body
        })
    }}
}

/// An item that checks the fields at the definition of the type instead of at the first use of its description. Not for generic types,
/// whose constants are evaluated only when they are used.
pub(crate) fn check(item: &Item, of_trait: &str) -> Option<TokenStream> {
    let (ident, of_trait) = (&item.ident, Ident::new(of_trait, Span::mixed_site()));
    let check = || hygienic!(const _: __strata::Description<#ident> = <#ident as __strata::#of_trait>::DESCRIPTION;);
    (item.generics.params.is_empty() && fields_of(item).iter().any(is_checked)).then(check)
}

/// All fields of the type.
fn fields_of(item: &Item) -> Vec<Field> {
    let of_variants = |variants: Vec<Variant>| variants.into_iter().flat_map(|variant| variant.fields).collect();
    item.known_fields().or_else(|| item.known_variants().map(of_variants)).unwrap_or_default()
}

/// Whether a field may be reported: its type names others, or may be one of the user's that holds entities.
fn is_checked(field: &Field) -> bool {
    let mut names_some = false;
    arguments(&field.ty, &mut |_| names_some = true);
    !is_ignored(field) && may_hold(&field.ty) && (names_some || is_plain_name(&field.ty))
}

/// Whether a type is a path without arguments.
fn is_plain_name(ty: &Type) -> bool {
    let last = plain_path(ty).and_then(|path| path.segments.last());
    last.is_some_and(|last| last.arguments.is_none())
}

/// How a type is mapped.
struct Found<'a> {
    /// The statements that map a value.
    body: TokenStream,
    /// The probe results of each field that may hold entities.
    fields: Vec<TokenStream>,
    /// The parameters of the type that values of the fields depend on.
    params: Vec<&'a Ident>,
}

impl<'a> Found<'a> {
    /// How `value` is mapped, which is of the type. The types of the fields are `'static` in a description.
    fn of(cx: &Ctxt, item: &'a Item, value: &TokenStream, is_description: bool) -> Self {
        reject_on(cx, &item.attrs, "the type");
        let mut found = Self { body: TokenStream::new(), fields: Vec::new(), params: Vec::new() };
        if let Some(fields) = item.known_fields() {
            for (at, field) in fields.iter().enumerate() {
                // The list of sources is left out of the description, because the library maintains it.
                if is_description && is_list_of_sources(item, field, fields.len()) {
                    continue;
                }
                let member = member(at, field);
                let statement = found.add(cx, item, (at, field), &hygienic!(&mut #value.#member), is_description);
                found.body.extend(statement);
            }
        }
        let variants = item.known_variants().unwrap_or_default();
        let arms: Vec<TokenStream> =
            variants.iter().filter_map(|variant| found.arm(cx, item, variant, is_description)).collect();
        if !arms.is_empty() {
            let others = (arms.len() < variants.len()).then(|| hygienic!(_ => {}));
            found.body = hygienic!(match #value { #(#arms)* #others });
        }
        found
    }

    /// The arm for a variant with fields that may hold entities.
    fn arm(&mut self, cx: &Ctxt, item: &'a Item, variant: &Variant, is_description: bool) -> Option<TokenStream> {
        reject_on(cx, &variant.attrs, "the variant");
        let fields = match &variant.fields {
            Fields::Named(fields) => &fields.named,
            Fields::Unnamed(fields) => &fields.unnamed,
            Fields::Unit => return None,
        };
        let (mut patterns, mut statements) = (Vec::new(), Vec::new());
        for (at, field) in fields.iter().enumerate() {
            let (member, variable) = (member(at, field), format_ident!("__strata_{at}", span = Span::mixed_site()));
            let reference = variable.to_token_stream();
            let Some(statement) = self.add(cx, item, (at, field), &reference, is_description) else { continue };
            patterns.push(quote!(#member: #variable));
            statements.push(statement);
        }
        let ident: &Ident = &variant.ident;
        (!patterns.is_empty()).then(|| hygienic!(Self::#ident { #(#patterns,)* .. } => { #(#statements)* }))
    }

    /// Adds a field, and returns the statement that maps it by a reference to it; `None` if it cannot hold entities.
    fn add(
        &mut self,
        cx: &Ctxt,
        item: &'a Item,
        (at, field): (usize, &Field),
        reference: &TokenStream,
        is_description: bool,
    ) -> Option<TokenStream> {
        let ty = &field.ty;
        let attribute = Attributed::of(cx, field);
        if attribute == Some(Attributed::Ignored) {
            return None;
        }
        if attribute == Some(Attributed::Demanded) {
            let span = Span::mixed_site().located_at(ty.span());
            let function = quote_spanned!(span=> __strata::map_inside::<#ty, _>);
            self.fields.push(hygienic!(__strata::FieldMapping::DEMANDED));
            return Some(match is_description {
                true => hygienic!({
                    let mut mapper: &mut dyn __strata::EntityMapper = &mut *mapper;
                    #function(#reference, &mut mapper);
                }),
                false => hygienic!(#function(#reference, mapper);),
            });
        }
        // A packed type cannot contain an `Entity`, whose alignment is greater than 1. Also, references to its fields do not compile.
        if !may_hold(ty) || has_repr(&item.attrs, &["packed"]) {
            return None;
        }
        let params = type_params(&item.generics);
        let mentioned: Vec<&Ident> = params.into_iter().filter(|param| mentions(ty, param)).collect();
        let mapping = probe(ty, "MAP_ENTITIES");
        let mapping = match is_description && !mentioned.is_empty() {
            true => hygienic!(#mapping.or_by_type()),
            false => mapping,
        };
        self.params.extend(mentioned.into_iter().filter(|param| !self.params.contains(param)).collect::<Vec<_>>());
        let name = field.ident.as_ref().map_or_else(|| at.to_string(), |ident| ident.unraw().to_string());
        let text = readable(&ty.to_token_stream().to_string());
        let mut inside = Vec::new();
        arguments(ty, &mut |argument| {
            let argument = probe(argument, "MAP_ENTITIES");
            inside.push(hygienic!(#argument.holds_entities()));
        });
        if is_description && is_plain_name(ty) {
            let described = probe(ty, "FIELD_TYPE");
            inside.push(hygienic!(#described.holds_entities()));
        }
        let (first, last) = ends(ty);
        let function = Ident::new("field_mapping", last);
        let function = quote_spanned!(first=> __strata::#function);
        let own = if is_description { hygienic!(own) } else { hygienic!(false) };
        let arguments = quote_spanned!(last=> (#name, #text, #mapping, #own, &[#(#inside),*]));
        self.fields.push(quote!(#function #arguments));
        Some(hygienic!(#mapping.map(#reference, mapper);))
    }
}

/// A constant of the probe of a type. Its tokens have the span of the type, so that rustc merges an error in the type with the error that
/// it has already reported at the definition.
fn probe(ty: &Type, constant: &str) -> TokenStream {
    let (first, last) = ends(ty);
    let constant = Ident::new(constant, last);
    let begin = quote_spanned!(first=> __strata::Probe::<);
    let end = quote_spanned!(last=> >::);
    quote!(#begin #ty #end #constant)
}

/// Types without entities whose names no program redefines.
const PRIMITIVES: [&str; 17] = [
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
    "f32", "f64",
];

/// Whether values of a type may hold entities, judged by the syntax of the type.
fn may_hold(ty: &Type) -> bool {
    match peel(ty) {
        Type::FnPtr(_) | Type::Never(_) | Type::TraitObject(_) | Type::Ptr(_) => false,
        Type::Tuple(tuple) => tuple.elems.iter().any(may_hold),
        Type::Array(array) => may_hold(&array.elem),
        Type::Slice(slice) => may_hold(&slice.elem),
        Type::Reference(reference) => may_hold(&reference.elem),
        Type::Path(path) => path.path.segments.last().is_none_or(|last| {
            let is_primitive = last.arguments.is_none() && PRIMITIVES.iter().any(|name| last.ident == name);
            !is_primitive && last.ident != "PhantomData"
        }),
        _ => true,
    }
}

/// Calls a function for each type that a type names as an argument, at any depth, and whose values it may hold.
fn arguments(ty: &Type, each: &mut dyn FnMut(&Type)) {
    let mut inner = |ty: &Type| {
        if may_hold(ty) {
            if !matches!(peel(ty), Type::Slice(_) | Type::Reference(_)) {
                each(ty);
            }
            arguments(ty, each);
        }
    };
    match peel(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().for_each(inner),
        Type::Array(array) => inner(&array.elem),
        Type::Slice(slice) => inner(&slice.elem),
        Type::Reference(reference) => inner(&reference.elem),
        Type::Path(path) if path.qself.is_none() && may_hold(ty) => {
            let last = path.path.segments.last().map(|segment| &segment.arguments);
            if let Some(PathArguments::AngleBracketed(list)) = last {
                let types = list.args.iter().filter_map(|argument| match argument {
                    GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                });
                types.for_each(inner);
            }
        }
        _ => {}
    }
}

/// Whether values of a type depend on a parameter.
fn mentions(ty: &Type, param: &Ident) -> bool {
    let names = |ty: &Type| match peel(ty) {
        Type::Path(path) if path.qself.is_none() => {
            path.path.segments.first().is_some_and(|first| first.ident == *param)
        }
        Type::Path(_) => find_word(ty.to_token_stream(), &param.to_string()).is_some(),
        _ => false,
    };
    let mut found = names(ty);
    arguments(ty, &mut |argument| found |= names(argument));
    found
}

/// The text of a type, as it is usually written.
fn readable(text: &str) -> String {
    let pairs =
        [(" < ", "<"), (" >", ">"), (" :: ", "::"), (" ,", ","), ("( ", "("), (" )", ")"), (" ;", ";"), ("& ", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The attribute `#[entities]` of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attributed {
    /// `#[entities]`: its type implements the trait.
    Demanded,
    /// `#[entities(ignore)]`
    Ignored,
}

impl Attributed {
    /// Parses the attribute of a field, if present.
    fn of(cx: &Ctxt, field: &Field) -> Option<Self> {
        let attributes: Vec<&Attribute> = attributes(&field.attrs).collect();
        if let [_, second, ..] = &attributes[..] {
            cx.error_over(&second.meta, "`#[entities]` is given twice: keep one of the two");
        }
        let first = attributes.first()?;
        if is_ignored(field) {
            return Some(Self::Ignored);
        }
        if !matches!(first.meta, Meta::Path(_)) {
            let message = "`#[entities]` has one option, `ignore`: what is mapped, the type of the field says";
            cx.error_over(&first.meta, message);
        }
        Some(Self::Demanded)
    }
}

/// Whether a field keeps its entities: `#[entities(ignore)]`.
pub(crate) fn is_ignored(field: &Field) -> bool {
    attributes(&field.attrs).any(|attr| matches!(&attr.meta, Meta::List(list) if list.tokens.to_string() == "ignore"))
}

/// The attributes `#[entities]`.
fn attributes(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident(ATTRIBUTE))
}

/// Reports `#[entities]` in places where it has no effect.
fn reject_on(cx: &Ctxt, attrs: &[Attribute], place: &str) {
    for attr in attributes(attrs) {
        let message = format!("`#[entities]` stands on a field, not on {place}\nhelp: move it to a field");
        cx.error_over(&attr.meta, message);
    }
}
