//! Descriptions of components and resources beyond the layout: stable name, functions and fields.
//!
//! Tests: tests/storage/descriptors, tests/ui/pass/descriptions.rs

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Field, GenericParam, Lit, LitStr, Meta, Visibility};

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::ctxt::Ctxt;
use crate::entities;
use crate::expand::{reject_lifetimes, scope};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind, has_repr, member};

/// The option for another stable name than the path of the type.
pub(crate) const NAME: Known = Known { name: "name", usage: "name = \"a_name_for_files\"" };

/// The option for types for which any bytes are a valid value.
pub(crate) const PLAIN: Known = Known { name: "plain", usage: "plain" };

/// The option for types whose private fields can be set by name, too.
pub(crate) const EDITABLE: Known = Known { name: "editable", usage: "editable" };

/// The options of `#[describe(..)]`.
const GRAMMAR: Grammar = Grammar { attribute: "#[describe]", known: &[NAME, PLAIN, EDITABLE, CRATE] };

/// Which fields of a type can be set by name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Editable {
    All,
    Public,
}

/// Whether a type has the option [`EDITABLE`].
fn editable(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Editable {
    match options.iter().find(|option| option.name == EDITABLE.name) {
        Some(Opt { value: Value::Flag, .. }) => Editable::All,
        Some(option) => {
            grammar.misuse(cx, option);
            Editable::All
        }
        None => Editable::Public,
    }
}

/// Whether a type has the option [`PLAIN`].
#[derive(Clone, Copy)]
pub(crate) struct Plain(bool);

impl Plain {
    /// Extends a description by the option.
    pub(crate) fn describe(self, found: TokenStream) -> TokenStream {
        if self.0 { hygienic!(__strata::describe_plain(#found)) } else { found }
    }

    /// An item that evaluates the field types at the definition of the type instead of at its first use. Not for generic types, whose
    /// constants are evaluated only when they are used.
    pub(crate) fn check(self, item: &Item) -> Option<TokenStream> {
        let ident = &item.ident;
        let check = || hygienic!(const _: __strata::TypeFields<#ident> = <#ident as __strata::Describe>::FIELDS;);
        (self.0 && item.generics.params.is_empty()).then(check)
    }
}

/// Whether a type has the option [`PLAIN`]. The core checks the types of the fields; everything else is checked here.
pub(crate) fn plain(cx: &Ctxt, item: &Item, grammar: &Grammar, options: &[Opt]) -> Plain {
    let Some(option) = options.iter().find(|option| option.name == "plain") else { return Plain(false) };
    if !matches!(option.value, Value::Flag) {
        grammar.misuse(cx, option);
        return Plain(false);
    }
    let message = if item.known_fields().is_none_or(|fields| fields.is_empty()) {
        "only a struct with fields can be `plain`: not all bytes are a value of another type\n\
         help: leave the option out; values are saved by their `Serialize` then"
    } else if !has_repr(&item.attrs, &["C", "transparent"]) {
        "the bytes of a `plain` type go into files, and the compiler may lay the fields out in any order\n\
         help: add `#[repr(C)]`, which keeps them in the order in which they are written"
    } else {
        return Plain(true);
    };
    cx.error_at(option.name.span(), message);
    Plain(false)
}

/// Expands `derive(Describe)`.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = GRAMMAR.collect(cx, "describe", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    if item.kind == Kind::Union {
        let message = "a union cannot be described: nothing tells which of its fields is there\n\
                       help: derive Describe on a struct or an enum";
        cx.error_at(item.keyword, message);
    }
    reject_lifetimes(cx, &item.generics, "a type that is described owns its data", "store an owned value");
    item.reject_inner_helper(cx, "describe");
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let bounds = if item.generics.params.is_empty() { Vec::new() } else { vec![hygienic!(Self: 'static)] };
    let where_clause = where_with(&item.generics, &bounds);
    let fields = fields(item, editable(cx, &GRAMMAR, &options));
    let (ident, name) = (&item.ident, name(cx, item, &GRAMMAR, &options));
    let plain = plain(cx, item, &GRAMMAR, &options);
    let check = plain.check(item);
    let fields = fields.map(|fields| {
        let fields = hygienic!(__strata::fields(#fields));
        let fields = if plain.0 { hygienic!(__strata::plain_fields(#fields)) } else { fields };
        hygienic! {
            const FIELDS: __strata::TypeFields<Self> = {
                use __strata::Unproved as _;
                #fields
            };
        }
    });
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::Describe for #ident #type_generics #where_clause {
            const NAME: __strata::Option<__strata::StableName> = #name;
            #fields
        }
        #check
    };
    scope(&private, &implementation)
}

/// The constant with the description of the type. `clone` extends the description expression by the options about cloning.
pub(crate) fn description(
    cx: &Ctxt,
    item: &Item,
    grammar: &Grammar,
    options: &[Opt],
    clone: impl FnOnce(TokenStream) -> TokenStream,
) -> TokenStream {
    let name = name(cx, item, grammar, options);
    let fields = fields(item, editable(cx, grammar, options));
    let fields = fields.unwrap_or_else(|| hygienic!(&[]));
    let found = clone(hygienic!(__strata::describe!(Self, #name, #fields)));
    let is_mapped_otherwise = options.iter().any(|option| option.name == "map_entities");
    let found = if is_mapped_otherwise {
        found
    } else {
        entities::describe(cx, item, grammar.attribute == "#[resource]", found)
    };
    hygienic!(const DESCRIPTION: __strata::Description<Self> = #found;)
}

/// The stable name, if the type has one.
fn name(cx: &Ctxt, item: &Item, grammar: &Grammar, options: &[Opt]) -> TokenStream {
    let base = match given_name(cx, grammar, options) {
        Some(given) => hygienic!(__strata::name_given(#given)),
        None => {
            let name = item.ident.unraw().to_string();
            hygienic!(__strata::name_by_path(__strata::concat!(__strata::module_path!(), "::", #name)))
        }
    };
    let parameters: Vec<TokenStream> = item.generics.params.iter().filter_map(parameter).collect();
    if parameters.is_empty() {
        return base;
    }
    hygienic! {
        __strata::name_with(
            #base,
            const {
                use __strata::Unproved as _;
                &[#(#parameters),*]
            },
        )
    }
}

/// The stable name that the options give the type.
fn given_name(cx: &Ctxt, grammar: &Grammar, options: &[Opt]) -> Option<LitStr> {
    let literal = grammar.literal(cx, options, "name")?;
    if literal.value().trim().is_empty() {
        cx.error_at(
            literal.span(),
            "a stable name cannot be empty\nhelp: leave the option out, and the path of the type is its name",
        );
    }
    Some(literal)
}

/// One parameter of the type as a part of the name.
fn parameter(parameter: &GenericParam) -> Option<TokenStream> {
    // The parameter names get a span of the macro: with the user's span, lints about the cast would apply to the user's code.
    let here = |ident: &Ident| {
        let mut ident = ident.clone();
        ident.set_span(Span::mixed_site().located_at(ident.span()));
        ident
    };
    match parameter {
        GenericParam::Type(param) => {
            let ident = here(&param.ident);
            Some(hygienic!(__strata::Probe::<#ident>::PARAMETER))
        }
        GenericParam::Const(param) => {
            let ident = here(&param.ident);
            Some(hygienic!(__strata::NameParameter::Const(#ident as __strata::i128)))
        }
        _ => None,
    }
}

/// The fields of a struct, if it has some. The compiler has accepted them; a syntax that is newer than our parser is not
/// described.
pub(crate) fn fields(item: &Item, editable: Editable) -> Option<TokenStream> {
    let fields = item.known_fields()?;
    let packed = has_repr(&item.attrs, &["packed"]);
    let make = |field: &Field| match (packed, editable == Editable::All || matches!(field.vis, Visibility::Public(_))) {
        (true, _) => "packed_field",
        (false, true) => "pub_field",
        (false, false) => "field",
    };
    let described = |(at, field)| described(at, field, make(field));
    let fields: Vec<TokenStream> = fields.iter().enumerate().map(described).collect();
    (!fields.is_empty()).then(|| hygienic!(&[#(#fields),*]))
}

/// One field: its name, index, doc comment, accessor and type. The surrounding tokens have the span of the type, so that rustc merges an
/// error in the type with the error that it has already reported at the definition.
///
/// The accessor function proves that the field exists and has the given type. This can fail if an attribute below the derive has changed
/// the field, or if the type's name resolves differently in the generated code.
fn described(at: usize, field: &Field, make: &str) -> TokenStream {
    let member = member(at, field);
    let name = field.ident.as_ref().map_or_else(|| at.to_string(), |ident| ident.unraw().to_string());
    let (ty, docs) = (field.ty.to_token_stream(), docs(&field.attrs));
    let last = ty.clone().into_iter().last().map_or_else(Span::mixed_site, |token| token.span());
    let [begin, end] = [quote_spanned!(ty.span()=> __strata::Probe::<), quote_spanned!(last=> >::FIELD_TYPE)];
    let offset = hygienic!(__strata::offset_of!(Self, #member));
    let is_packed = make == "packed_field";
    let make = Ident::new(make, last);
    let make = quote_spanned!(ty.span()=> __strata::#make);
    // A reference to the field proves that the field is not in a union and, unless the type is packed, that the field is aligned. A `*mut`
    // pointer proves that the field has exactly the given type, not a subtype.
    let is_place = (!is_packed).then(|| hygienic!(let _ = &__strata_value.#member;));
    let (pointer, cast) = (hygienic!(&raw const __strata_value.#member), quote_spanned!(last=> .cast_mut()));
    let pointer = quote_spanned!(ty.span()=> (#pointer));
    let way = hygienic!(|__strata_value: &Self| { #is_place #pointer #cast });
    let ignoring = entities::is_ignored(field).then(|| hygienic!(.ignoring_entities()));
    hygienic!(#make(#name, #offset, #docs, #way, #begin #ty #end #ignoring))
}

/// The text of a doc comment, without the space that its lines begin with.
fn docs(attrs: &[Attribute]) -> TokenStream {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(&pair.value),
        _ => None,
    });
    let text = |line: &Expr| match line {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    };
    let own = |line: String| line.strip_prefix(' ').map_or(line.clone(), str::to_owned);
    let lines: Vec<&Expr> = lines.collect();
    match lines.iter().map(|line| text(line).map(own)).collect::<Option<Vec<String>>>() {
        Some(texts) => texts.join("\n").to_token_stream(),
        None => hygienic!(__strata::concat!(#(#lines, "\n"),*)),
    }
}
