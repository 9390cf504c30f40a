//! Reading and checking the struct or enum of `#[derive(QueryData)]`.
//!
//! Tests: tests/queries/derive.rs, tests/queries/enums.rs

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Fields, Generics, Lifetime, Member, Path, Token, Type, Visibility};

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::ctxt::Ctxt;
use crate::expand::reject_lifetimes;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Body, Item, Kind};
use crate::tuple::nest;
use crate::types::peel;

/// The options of `#[query_data(..)]`.
const GRAMMAR: Grammar = Grammar {
    attribute: "#[query_data]",
    known: &[
        Known { name: "mutable", usage: "mutable" },
        Known { name: "contiguous", usage: "contiguous(all | mutable | immutable)" },
        Known { name: "derive", usage: "derive(Debug, ..)" },
        CRATE,
    ],
};

/// One field of a struct or a variant.
pub(super) struct Field {
    /// Doc comments of the field.
    pub(super) attrs: Vec<Attribute>,
    /// Visibility, also of the field of the item.
    pub(super) vis: Visibility,
    /// Name or number of the field.
    pub(super) member: Member,
    /// A variable for the field. Its name cannot resolve to a constant of the user.
    pub(super) variable: Ident,
    /// The query term, as written.
    pub(super) written: Type,
    /// The query term, with a lifetime in each reference.
    pub(super) ty: TokenStream,
}

impl Field {
    /// Returns the span at which errors about the type of the field are shown.
    pub(super) fn here(&self) -> Span {
        Span::mixed_site().located_at(self.written.span())
    }

    /// Moves the spans of the tokens, so that errors in them are shown at the type of the field.
    pub(super) fn show_here(&self, tokens: &TokenStream) -> TokenStream {
        let place = self.written.span();
        let moved = |mut token: TokenTree| {
            token.set_span(token.span().located_at(place));
            token
        };
        tokens.clone().into_iter().map(moved).collect()
    }
}

/// The syntax of the fields of a struct or a variant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `{ a: A }`
    Named,
    /// `(A)`
    Tuple,
    /// No fields and no delimiters.
    Unit,
}

/// Fields that are fetched together: the fields of a variant, or of the struct.
pub(super) struct Variant {
    /// Doc comments of the variant.
    pub(super) attrs: Vec<Attribute>,
    /// Name of the variant; `None` for the struct.
    pub(super) ident: Option<Ident>,
    /// The syntax of the fields.
    pub(super) style: Style,
    /// The fields.
    pub(super) fields: Vec<Field>,
}

impl Variant {
    /// Returns the fields' types as a nested tuple.
    pub(super) fn tuple(&self) -> TokenStream {
        nest(&self.fields.iter().map(|field| &field.ty).collect::<Vec<_>>())
    }

    /// Returns the variables of the fields as a nested tuple.
    pub(super) fn pattern(&self) -> TokenStream {
        nest(&self.fields.iter().map(|field| &field.variable).collect::<Vec<_>>())
    }

    /// Returns `Type::Variant { field: variable, .. }`, which is a pattern and an expression for each style.
    pub(super) fn literal(&self, type_name: &Ident) -> TokenStream {
        let variant = self.ident.iter();
        let fields = self.fields.iter().map(|Field { member, variable, .. }| hygienic!(#member: #variable));
        hygienic!(#type_name #(::#variant)* { #(#fields),* })
    }
}

/// The struct or enum as the expansion needs it.
pub(super) struct Model<'a> {
    /// The input.
    pub(super) item: &'a Item,
    /// Path of the core's module.
    pub(super) private: TokenStream,
    /// `#[query_data(mutable)]`
    pub(super) mutable: bool,
    /// Which types have a struct of slices: `#[query_data(contiguous(..))]`.
    pub(super) contiguous: Contiguous,
    /// The traits that the items derive.
    pub(super) derives: Vec<Path>,
    /// The variants of an enum, or the struct.
    pub(super) variants: Vec<Variant>,
    /// Name of the item.
    pub(super) item_name: Ident,
    /// Name of the struct of slices, if requested.
    pub(super) contiguous_name: Ident,
    /// Name of the read-only twin.
    pub(super) read_only_name: Ident,
    /// Name of the item of the read-only twin.
    pub(super) read_only_item_name: Ident,
    /// Name of the struct of slices of the read-only twin, if requested.
    pub(super) read_only_contiguous_name: Ident,
}

/// Which types yield a struct of slices instead of a tuple.
#[derive(Clone, Copy, Default)]
pub(super) struct Contiguous {
    /// The user's type.
    pub(super) own: bool,
    /// The read-only twin.
    pub(super) read_only: bool,
}

impl Model<'_> {
    /// Returns whether the user's type is an enum.
    pub(super) fn is_enum(&self) -> bool {
        self.item.kind == Kind::Enum
    }

    /// Returns the where clause of the generated items, with the predicates `more`.
    ///
    /// The clause requires each field to be query data, so that rustc reports a field that is not query data once, at its type. The clause
    /// of a generic type does not: under such a bound, the compiler could not resolve the item types of the fields.
    pub(super) fn where_with(&self, more: &[TokenStream]) -> TokenStream {
        let mut bounds = Vec::new();
        if self.item.generics.params.is_empty() {
            bounds.extend(self.fields().map(|field| {
                let (ty, private) = (&field.ty, field.show_here(&self.private));
                quote_spanned!(field.here()=> #ty: #private::QueryData)
            }));
        }
        bounds.extend_from_slice(more);
        where_with(&self.item.generics, &bounds)
    }

    /// Returns the fields of all variants.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Field> {
        self.variants.iter().flat_map(|variant| &variant.fields)
    }

    /// Returns the generics of the items: the lifetimes `'w` (world) and `'s` (state), followed by the generics of the user's type.
    pub(super) fn item_generics(&self) -> Generics {
        let mut generics = self.item.generics.clone();
        generics.params.insert(0, syn::parse_quote_spanned!(Span::mixed_site()=> 'w));
        generics.params.insert(1, syn::parse_quote_spanned!(Span::mixed_site()=> 's));
        generics
    }
}

/// Reads the type. If no items can be generated for it, returns only the path of the core's module.
pub(super) fn read<'a>(cx: &Ctxt, item: &'a Item) -> Result<Model<'a>, TokenStream> {
    let options = GRAMMAR.collect(cx, "query_data", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    let derives = derives(cx, &options);
    let mutable = flag(cx, &options, "mutable");
    let contiguous = contiguous(cx, item, &options);
    item.reject_inner_helper(cx, "query_data");
    let Some(variants) = variants(cx, item) else { return Err(private) };
    let what = if item.kind == Kind::Enum { "a query enum" } else { "a query struct" };
    reject_lifetimes(
        cx,
        &item.generics,
        &format!("{what} says what to borrow, not for how long"),
        "write `&'static T` and `&'static mut T` in the fields",
    );
    if !crate::generics::lifetimes(&item.generics).is_empty() {
        return Err(private);
    }
    // Once an error has been reported, a missing `mutable` is treated as present, to avoid follow-up errors.
    let mutable = mutable || !cx.is_clean() || reports_mutable_fields(cx, item, &variants);
    Ok(Model {
        item,
        private,
        mutable,
        // A read-only type is its own read-only form, so the option for the read-only form applies to the type itself.
        contiguous: Contiguous { own: contiguous.own || (!mutable && contiguous.read_only), ..contiguous },
        derives,
        variants,
        item_name: format_ident!("{}Item", item.ident),
        contiguous_name: format_ident!("{}ContiguousItem", item.ident),
        read_only_name: format_ident!("{}ReadOnly", item.ident),
        read_only_item_name: format_ident!("{}ReadOnlyItem", item.ident),
        read_only_contiguous_name: format_ident!("{}ReadOnlyContiguousItem", item.ident),
    })
}

/// Returns the variants of an enum, or a struct as a single variant.
fn variants(cx: &Ctxt, item: &Item) -> Option<Vec<Variant>> {
    let variants = match item.kind {
        Kind::Enum => item.variants(cx)?.into_iter().map(variant).collect(),
        Kind::Struct => {
            let style = match item.body {
                Body::Unit => Style::Unit,
                Body::Tuple(_) => Style::Tuple,
                Body::Braced(_) => Style::Named,
            };
            let fields = item.fields(cx);
            if !cx.is_clean() && fields.is_empty() {
                return None;
            }
            vec![Variant { attrs: Vec::new(), ident: None, style, fields: read_fields(fields) }]
        }
        Kind::Union => {
            cx.error_at(item.keyword, "derive(QueryData) takes structs and enums, this is a union");
            return None;
        }
    };
    check(cx, item, &variants).then_some(variants)
}

/// Reports types that would match nothing, fetch nothing or never be yielded. Returns whether items can be generated.
fn check(cx: &Ctxt, item: &Item, variants: &[Variant]) -> bool {
    if variants.is_empty() {
        let message = "a query enum without variants matches no entity: give it a variant such as `Name(&'static T)`";
        cx.error_at(item.keyword, message);
        return false;
    }
    if variants.iter().all(|variant| variant.fields.is_empty()) {
        let message = if item.kind == Kind::Enum {
            "a query enum without fields asks for nothing: give a variant a field, as in `Name(&'static T)`"
        } else {
            "a query struct without fields asks for nothing: give it a field such as `field: &'static T`"
        };
        cx.error_at(item.keyword, message);
        return false;
    }
    let Some(at) = variants.iter().position(|variant| variant.fields.is_empty()) else { return true };
    if let (Some(all), Some(behind)) = (&variants[at].ident, variants.get(at + 1).and_then(|next| next.ident.as_ref()))
    {
        let message = format!(
            "the variant `{behind}` is never yielded: `{all}` before it asks for nothing, so every entity matches that\n\
             help: move `{all}` to the end"
        );
        cx.error_at(behind.span(), message);
    }
    true
}

/// Converts a variant to the form that the expansion needs.
fn variant(variant: syn::Variant) -> Variant {
    let (style, fields) = match variant.fields {
        Fields::Named(fields) => (Style::Named, fields.named),
        Fields::Unnamed(fields) => (Style::Tuple, fields.unnamed),
        Fields::Unit => (Style::Unit, Punctuated::new()),
    };
    let fields = read_fields(fields.into_iter().collect());
    Variant { attrs: docs(variant.attrs), ident: Some(variant.ident), style, fields }
}

/// Converts fields to the form that the expansion needs.
fn read_fields(fields: Vec<syn::Field>) -> Vec<Field> {
    let field = |(at, field): (usize, syn::Field)| {
        let ty = with_lifetimes(field.ty.to_token_stream());
        let (member, name) = match field.ident {
            Some(ident) => (Member::Named(ident.clone()), ident.unraw().to_string()),
            None => (Member::from(at), at.to_string()),
        };
        let variable = format_ident!("__strata_{name}", span = Span::mixed_site());
        Field { attrs: docs(field.attrs), vis: field.vis, member, variable, written: field.ty, ty }
    };
    fields.into_iter().enumerate().map(field).collect()
}

/// Returns the doc comments among the attributes.
fn docs(attrs: Vec<Attribute>) -> Vec<Attribute> {
    attrs.into_iter().filter(|attr| attr.path().is_ident("doc")).collect()
}

/// Adds `'static` to references that lack a lifetime. rustc reports such references in the user's struct.
fn with_lifetimes(tokens: TokenStream) -> TokenStream {
    let mut output = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_reference = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '&');
        output.extend([match token {
            TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
                let mut inner = Group::new(group.delimiter(), with_lifetimes(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            token => token,
        }]);
        let has_lifetime = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '\'');
        if is_reference && !has_lifetime {
            Lifetime::new("'static", Span::mixed_site()).to_tokens(&mut output);
        }
    }
    output
}

/// Returns whether the flag `name` is set.
fn flag(cx: &Ctxt, options: &[Opt], name: &str) -> bool {
    let Some(option) = options.iter().find(|option| option.name == name) else { return false };
    if !matches!(option.value, Value::Flag) {
        GRAMMAR.misuse(cx, option);
    }
    true
}

/// Reads the option `contiguous(..)`.
fn contiguous(cx: &Ctxt, item: &Item, options: &[Opt]) -> Contiguous {
    let Some(option) = options.iter().find(|option| option.name == "contiguous") else { return Contiguous::default() };
    let targets = match &option.value {
        Value::List(tokens) => Punctuated::<Ident, Token![,]>::parse_terminated.parse2(tokens.clone()).ok(),
        _ => None,
    };
    let mut asked = Contiguous::default();
    for target in targets.iter().flatten() {
        match &*target.to_string() {
            "all" => asked = Contiguous { own: true, read_only: true },
            "mutable" => asked.own = true,
            "immutable" => asked.read_only = true,
            _ => {
                GRAMMAR.misuse_at(cx, option, target.span());
                return Contiguous::default();
            }
        }
    }
    if !asked.own && !asked.read_only {
        GRAMMAR.misuse(cx, option);
    } else if item.kind == Kind::Enum {
        let message = "each row of a query enum yields a variant of its own, so rows do not make up a slice\n\
                       help: remove `contiguous(..)`, or query for a struct";
        cx.error_at(option.name.span(), message);
        return Contiguous::default();
    }
    asked
}

/// Returns the paths in `derive(..)`.
fn derives(cx: &Ctxt, options: &[Opt]) -> Vec<Path> {
    let Some(option) = options.iter().find(|option| option.name == "derive") else { return Vec::new() };
    match &option.value {
        Value::List(tokens) if !tokens.is_empty() => {
            let paths = Punctuated::<Path, Token![,]>::parse_terminated.parse2(tokens.clone());
            cx.ok(paths).map(|paths| paths.into_iter().collect()).unwrap_or_default()
        }
        _ => {
            GRAMMAR.misuse(cx, option);
            Vec::new()
        }
    }
}

/// Reports the first field whose syntax is mutable, in a type that is not marked `mutable`. Returns whether there is such a field.
fn reports_mutable_fields(cx: &Ctxt, item: &Item, variants: &[Variant]) -> bool {
    let writes = |field: &&Field| match peel(&field.written) {
        Type::Reference(reference) => reference.mutability.is_some(),
        _ => false,
    };
    let Some((variant, field)) =
        variants.iter().find_map(|variant| variant.fields.iter().find(writes).map(|field| (variant, field)))
    else {
        return false;
    };
    let name = field.member.to_token_stream();
    let of = variant.ident.as_ref().map_or_else(String::new, |variant| format!(" of `{variant}`"));
    let kind = if item.kind == Kind::Enum { "enum" } else { "struct" };
    let message = format!(
        "the field `{name}`{of} writes to its component, but `{}` is a read-only query\n\
         help: add `#[query_data(mutable)]` to the {kind}, or write `&'static T`",
        item.ident
    );
    cx.error_over(&field.written, message);
    true
}
