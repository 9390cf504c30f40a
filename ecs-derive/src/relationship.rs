//! `#[relationship(..)]` and `#[relationship_target(..)]` of `#[derive(Component)]`.
//!
//! Tests: tests/relationships/definitions.rs

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Field, Meta, Path, Visibility};

use crate::attr::{Grammar, Known, Opt, Value};
use crate::ctxt::Ctxt;
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind, member};

/// The attribute of the component that names a target, and of the field that holds it.
const SOURCE: &str = "relationship";
/// The attribute of the component that lists sources.
const TARGET: &str = "relationship_target";

/// The options of `#[relationship(..)]`.
const SOURCE_GRAMMAR: Grammar = Grammar {
    attribute: "#[relationship]",
    known: &[
        Known { name: "relationship_target", usage: "relationship_target = Component" },
        Known { name: "allow_self_referential", usage: "allow_self_referential" },
    ],
};

/// The options of `#[relationship_target(..)]`.
const TARGET_GRAMMAR: Grammar = Grammar {
    attribute: "#[relationship_target]",
    known: &[
        Known { name: "relationship", usage: "relationship = Component" },
        Known { name: "linked_spawn", usage: "linked_spawn" },
    ],
};

/// Returns whether a field lists the sources of a relationship. `count` is the number of fields of the item.
pub(crate) fn is_list_of_sources(item: &Item, field: &Field, count: usize) -> bool {
    let has = |attrs: &[Attribute], name: &str| attrs.iter().any(|attr| attr.path().is_ident(name));
    has(&item.attrs, TARGET) && (count == 1 || has(&field.attrs, SOURCE))
}

/// The side of a relationship that a component is.
pub(crate) enum Side {
    /// The component contains a target.
    Source {
        /// The component of the target.
        other: Path,
        /// Whether an entity may be its own target.
        allows_self: bool,
    },
    /// The component lists sources.
    Target {
        /// The component of the sources.
        other: Path,
        /// Whether sources are despawned with the entity.
        is_linked: bool,
    },
}

impl Side {
    /// Returns the side that the attributes declare; `None` if the component is not part of a relationship.
    pub(crate) fn of(cx: &Ctxt, item: &Item) -> Option<Self> {
        let given = |name: &str| item.attrs.iter().find(|attr| attr.path().is_ident(name));
        let (source, target) = (given(SOURCE), given(TARGET));
        if let (Some(_), Some(target)) = (source, target) {
            let message = "a component is one side of a relationship: `#[relationship]` names a target, and \
                           `#[relationship_target]` lists the entities that do\n\
                           help: keep one of the two";
            cx.error_over(target.path(), message);
        }
        if source.is_some() {
            let options = SOURCE_GRAMMAR.collect(cx, SOURCE, &item.attrs);
            let allows_self = flag(cx, &SOURCE_GRAMMAR, &options, "allow_self_referential");
            let other = other(cx, &SOURCE_GRAMMAR, &options, "relationship_target", source)?;
            return Some(Self::Source { other, allows_self });
        }
        target?;
        let options = TARGET_GRAMMAR.collect(cx, TARGET, &item.attrs);
        let is_linked = flag(cx, &TARGET_GRAMMAR, &options, "linked_spawn");
        Some(Self::Target { other: other(cx, &TARGET_GRAMMAR, &options, "relationship", target)?, is_linked })
    }

    /// Marks a description as this side of a relationship.
    pub(crate) fn describe(&self, description: &TokenStream) -> TokenStream {
        match self {
            Self::Source { .. } => hygienic!(#description.as_relationship()),
            Self::Target { .. } => hygienic!(#description.as_relationship_target()),
        }
    }

    /// Returns whether values of the component can be changed in place.
    pub(crate) fn is_mutable(&self) -> bool {
        matches!(self, Self::Target { .. })
    }

    /// Returns the implementation of the relationship trait for this side.
    pub(crate) fn implementation(&self, cx: &Ctxt, item: &Item) -> TokenStream {
        let Some((at, field, others)) = self.field(cx, item) else {
            // The error is already reported; a fallback avoids further errors.
            return self.implementation_of(item, &self.refused());
        };
        let member = member(at, &field);
        let rest = others.iter().map(|(at, field)| {
            let (member, ty) = (crate::item::member(*at, field), &field.ty);
            let span = Span::mixed_site().located_at(ty.span());
            quote_spanned!(span=> #member: <#ty as __strata::Default>::default())
        });
        let ty = &field.ty;
        let span = Span::mixed_site().located_at(ty.span());
        let items = match self {
            Self::Source { other, allows_self } => {
                let get = quote_spanned!(span=> <#ty as __strata::TargetField>::target(&self.#member));
                let made = quote_spanned!(span=> <#ty as __strata::TargetField>::of(entity));
                hygienic! {
                    type RelationshipTarget = #other;
                    const ALLOW_SELF_REFERENTIAL: __strata::bool = #allows_self;
                    #[inline]
                    fn get(&self) -> __strata::Entity {
                        #get
                    }
                    #[inline]
                    fn from(entity: __strata::Entity) -> Self {
                        Self { #member: #made, #(#rest),* }
                    }
                    #[inline]
                    fn set_risky(&mut self, entity: __strata::Entity) {
                        self.#member = #made;
                    }
                }
            }
            Self::Target { other, is_linked } => hygienic! {
                const LINKED_SPAWN: __strata::bool = #is_linked;
                type Relationship = #other;
                type Collection = #ty;
                #[inline]
                fn collection(&self) -> &Self::Collection {
                    &self.#member
                }
                #[inline]
                fn collection_mut_risky(&mut self) -> &mut Self::Collection {
                    &mut self.#member
                }
                #[inline]
                fn from_collection_risky(collection: Self::Collection) -> Self {
                    Self { #member: collection, #(#rest),* }
                }
            },
        };
        self.implementation_of(item, &items)
    }

    /// Returns the implementation of the relationship trait with these items.
    fn implementation_of(&self, item: &Item, items: &TokenStream) -> TokenStream {
        let ident = &item.ident;
        let (impl_generics, type_generics, _) = item.generics.split_for_impl();
        let mut bounds = Vec::new();
        if !item.generics.params.is_empty() {
            bounds.push(hygienic!(Self: __strata::Send + __strata::Sync + 'static));
        }
        let where_clause = where_with(&item.generics, &bounds);
        let name = self.trait_name();
        hygienic! {
            #[automatically_derived]
            impl #impl_generics __strata::#name for #ident #type_generics #where_clause { #items }
        }
    }

    /// Returns the name of the relationship trait for this side.
    fn trait_name(&self) -> Ident {
        let name = match self {
            Self::Source { .. } => "Relationship",
            Self::Target { .. } => "RelationshipTarget",
        };
        Ident::new(name, Span::mixed_site())
    }

    /// Returns fallback items of the trait, for a component whose field could not be determined. They are never called.
    fn refused(&self) -> TokenStream {
        match self {
            Self::Source { other, .. } => hygienic! {
                type RelationshipTarget = #other;
                fn get(&self) -> __strata::Entity {
                    __strata::Entity::PLACEHOLDER
                }
                fn from(_: __strata::Entity) -> Self {
                    loop {}
                }
                fn set_risky(&mut self, _: __strata::Entity) {}
            },
            Self::Target { other, .. } => hygienic! {
                const LINKED_SPAWN: __strata::bool = false;
                type Relationship = #other;
                type Collection = __strata::Entity;
                fn collection(&self) -> &Self::Collection {
                    loop {}
                }
                fn collection_mut_risky(&mut self) -> &mut Self::Collection {
                    loop {}
                }
                fn from_collection_risky(_: Self::Collection) -> Self {
                    loop {}
                }
            },
        }
    }

    /// Returns the index and the field that holds the target or the sources, and the other fields. It is the field with `#[relationship]`,
    /// or the only field.
    fn field(&self, cx: &Ctxt, item: &Item) -> Option<(usize, Field, Vec<(usize, Field)>)> {
        let holds = match self {
            Self::Source { .. } => "the target",
            Self::Target { .. } => "the sources",
        };
        if item.kind != Kind::Struct {
            let message = format!(
                "a side of a relationship is a struct: one of its fields holds {holds}\n\
                 help: put the enum into a field of such a struct"
            );
            cx.error_at(item.keyword, message);
            return None;
        }
        let mut fields: Vec<(usize, Field)> = item.fields(cx).into_iter().enumerate().collect();
        let marked: Vec<usize> = fields.iter().filter(|(_, field)| is_marked(cx, field)).map(|(at, _)| *at).collect();
        let at = match (&marked[..], fields.len()) {
            (&[at], _) => at,
            ([], 1) => 0,
            ([_, second, ..], _) => {
                let message = format!("`#[relationship]` stands on two fields: one of them holds {holds}");
                cx.error_over(&fields[*second].1.ty, message);
                return None;
            }
            ([], _) => {
                let message = match fields.len() {
                    0 => format!("a side of a relationship has a field for {holds}"),
                    _ => format!("which field holds {holds}? write `#[relationship]` above it"),
                };
                cx.error_at(item.ident.span(), message);
                return None;
            }
        };
        let (at, field) = fields.remove(at);
        if let (Self::Target { .. }, false) = (self, matches!(field.vis, Visibility::Inherited)) {
            let message = "the sources are private: code that adds or removes one would make both sides disagree\n\
                           help: leave out the visibility, and read them with `iter`, or by a method of your own";
            cx.error_over(&field.vis, message);
        }
        Some((at, field, fields))
    }
}

/// Returns whether an option is given. Reports the option if it has a value.
fn flag(cx: &Ctxt, grammar: &Grammar, options: &[Opt], name: &str) -> bool {
    let Some(option) = options.iter().find(|option| option.name == name) else { return false };
    if !matches!(option.value, Value::Flag) {
        grammar.misuse(cx, option);
    }
    true
}

/// Returns the component of the other side.
fn other(cx: &Ctxt, grammar: &Grammar, options: &[Opt], name: &str, attr: Option<&Attribute>) -> Option<Path> {
    let Some(option) = options.iter().find(|option| option.name == name) else {
        let attribute = grammar.attribute;
        let path = attr.map(|attr| attr.path().to_token_stream());
        cx.error_over(path, format!("`{attribute}` names the component of the other side: `{name} = Component`"));
        return None;
    };
    match &option.value {
        Value::Equals(tokens) if !tokens.is_empty() => cx.ok(syn::parse2(tokens.clone())),
        _ => {
            grammar.misuse(cx, option);
            None
        }
    }
}

/// Returns whether a field has the attribute.
fn is_marked(cx: &Ctxt, field: &Field) -> bool {
    let mut is_marked = false;
    for attr in field.attrs.iter().filter(|attr| attr.path().is_ident(SOURCE)) {
        if !matches!(attr.meta, Meta::Path(_)) {
            cx.error_over(&attr.meta, "`#[relationship]` on a field has no options: those stand above the type");
        }
        is_marked = true;
    }
    is_marked
}
