//! Reading and checking the struct of `#[derive(QueryData)]`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident};
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Generics, Lifetime, Path, Token, Type, Visibility};

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::ctxt::Ctxt;
use crate::expand::reject_lifetimes;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Body, Item, Kind};
use crate::types::peel;

/// The options of `#[query_data(..)]`.
const GRAMMAR: Grammar = Grammar {
    attribute: "#[query_data]",
    known: &[Known { name: "mutable", usage: "mutable" }, Known { name: "derive", usage: "derive(Debug, ..)" }, CRATE],
};

/// One field of the struct.
pub(super) struct Field {
    /// Doc comments and `cfg`s of the field.
    pub(super) attrs: Vec<Attribute>,
    /// Visibility, which the item's field gets too.
    pub(super) vis: Visibility,
    /// Name of the field.
    pub(super) ident: Ident,
    /// The query term, as written.
    pub(super) written: Type,
    /// The query term, with a lifetime in each reference.
    pub(super) ty: TokenStream,
}

/// The struct as the expansion needs it.
pub(super) struct Model<'a> {
    /// The input.
    pub(super) item: &'a Item,
    /// Path of the core's module.
    pub(super) private: TokenStream,
    /// `#[query_data(mutable)]`
    pub(super) mutable: bool,
    /// What the item structs derive.
    pub(super) derives: Vec<Path>,
    /// The fields.
    pub(super) fields: Vec<Field>,
    /// Name of the item struct.
    pub(super) item_name: Ident,
    /// Name of the read-only twin.
    pub(super) read_only_name: Ident,
    /// Name of the item of the read-only twin.
    pub(super) read_only_item_name: Ident,
}

impl Model<'_> {
    /// A variable for each field, named so that no constant of the user's can be taken for it.
    pub(super) fn variables(&self) -> Vec<Ident> {
        let variable = |field: &Field| format_ident!("__strata_{}", field.ident.unraw(), span = Span::mixed_site());
        self.fields.iter().map(variable).collect()
    }

    /// Demands of each field to be query data, wherever the field's type is named: so one that is none is reported at its
    /// type and nowhere else. Types with parameters are left alone, because a demand hides what is known of them.
    pub(super) fn bounds(&self) -> Vec<TokenStream> {
        if !self.item.generics.params.is_empty() {
            return Vec::new();
        }
        let bound = |field: &Field| {
            let (ty, query_data) = (&field.ty, self.query_data_at(field));
            hygienic!(#ty: #query_data)
        };
        self.fields.iter().map(bound).collect()
    }

    /// The path of the trait `QueryData`, underlined like the type of the field.
    pub(super) fn query_data_at(&self, field: &Field) -> TokenStream {
        let (private, place) = (&self.private, field.written.span());
        let located = |mut token: TokenTree| {
            token.set_span(token.span().located_at(place));
            token
        };
        hygienic!(#private::QueryData).into_iter().map(located).collect()
    }

    /// The where clause of what names the fields' types.
    pub(super) fn where_clause(&self) -> TokenStream {
        where_with(&self.item.generics, &self.bounds())
    }

    /// The generics of the item structs: those of the struct behind the lifetime `'w` of the borrow.
    pub(super) fn with_lifetime(&self) -> Generics {
        let mut generics = self.item.generics.clone();
        generics.params.insert(0, syn::parse_quote_spanned!(Span::mixed_site()=> 'w));
        generics
    }
}

/// Reads the struct. If it has no fields that an item could be made of, there is only the path of the core's module.
pub(super) fn read<'a>(cx: &Ctxt, item: &'a Item) -> Result<Model<'a>, TokenStream> {
    let options = GRAMMAR.collect(cx, "query_data", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    let derives = derives(cx, &options);
    let mutable = flag(cx, &options, "mutable");
    item.reject_inner_helper(cx, "query_data");
    let Some(body) = named_fields(cx, item) else { return Err(private) };
    reject_lifetimes(
        cx,
        &item.generics,
        "a query struct says what to borrow, not for how long",
        "write `&'static T` and `&'static mut T` in the fields",
    );
    if !crate::generics::lifetimes(&item.generics).is_empty() {
        return Err(private);
    }
    let fields: Vec<Field> = body.into_iter().filter_map(field).collect();
    // A missing `mutable` is taken as given after its report, so that nothing else fails for the same reason.
    let mutable = mutable || !cx.is_clean() || reports_mutable_fields(cx, item, &fields);
    Ok(Model {
        item,
        private,
        mutable,
        derives,
        fields,
        item_name: format_ident!("{}Item", item.ident),
        read_only_name: format_ident!("{}ReadOnly", item.ident),
        read_only_item_name: format_ident!("{}ReadOnlyItem", item.ident),
    })
}

/// The fields, which must have names.
fn named_fields(cx: &Ctxt, item: &Item) -> Option<Vec<syn::Field>> {
    let message = match (item.kind, &item.body) {
        (Kind::Struct, Body::Braced(tokens)) if !tokens.is_empty() => {
            return Some(item.fields(cx)).filter(|fields| !fields.is_empty());
        }
        (Kind::Struct, Body::Tuple(_)) => {
            "the fields of a query struct have names\n\
             help: write `struct Name { field: &'static T }`, or query the tuple itself"
        }
        (Kind::Struct, _) => {
            "a query struct without fields asks for nothing\n\
             help: give it a field such as `field: &'static T`, or `entity: Entity`"
        }
        (Kind::Enum | Kind::Union, _) => {
            let kind = if item.kind == Kind::Enum { "an enum" } else { "a union" };
            let message = format!(
                "{kind} cannot be asked for by a query: it gets all fields of a struct\n\
                 help: derive QueryData on a struct, with `Option<&'static T>` for what an entity may lack"
            );
            cx.error_at(item.keyword, message);
            return None;
        }
    };
    cx.error_at(item.keyword, message);
    None
}

/// One field as the expansion needs it.
fn field(field: syn::Field) -> Option<Field> {
    let attrs = field.attrs.into_iter().filter(|attr| attr.path().is_ident("doc")).collect();
    let ty = with_lifetimes(field.ty.to_token_stream());
    Some(Field { attrs, vis: field.vis, ident: field.ident?, written: field.ty, ty })
}

/// The tokens with `'static` in references that lack a lifetime: rustc reports those in the user's struct.
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

/// Whether the flag `name` is set.
fn flag(cx: &Ctxt, options: &[Opt], name: &str) -> bool {
    let Some(option) = options.iter().find(|option| option.name == name) else { return false };
    if !matches!(option.value, Value::Flag) {
        GRAMMAR.misuse(cx, option);
    }
    true
}

/// The paths in `derive(..)`.
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

/// Reports the first field that is visibly mutable in a struct that is not marked so.
fn reports_mutable_fields(cx: &Ctxt, item: &Item, fields: &[Field]) -> bool {
    let writes = |field: &&Field| match peel(&field.written) {
        Type::Reference(reference) => reference.mutability.is_some(),
        _ => false,
    };
    let Some(field) = fields.iter().find(writes) else { return false };
    let message = format!(
        "the field `{}` writes to its component, but `{}` is a read-only query\n\
         help: add `#[query_data(mutable)]` to the struct, or write `&'static T`",
        field.ident, item.ident
    );
    cx.error_over(&field.written, message);
    true
}
