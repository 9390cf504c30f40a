//! `#[derive(Event)]` and `#[derive(EntityEvent)]`
//!
//! Tests: ecs-derive/src/golden.rs, tests/observers/entities.rs

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned as _;
use syn::{Field, Meta, Type};

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::component::key;
use crate::ctxt::Ctxt;
use crate::expand::{reject_lifetimes, scope, slot};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Body, Item, Kind, member};

const TRIGGER: Known = Known { name: "trigger", usage: "trigger = Type" };
const PROPAGATE: Known = Known { name: "propagate", usage: "propagate = &'static Component" };
const AUTO_PROPAGATE: Known = Known { name: "auto_propagate", usage: "auto_propagate" };

/// The options of `#[event(..)]`.
const EVENT: Grammar = Grammar { attribute: "#[event]", known: &[TRIGGER, CRATE] };

/// The options of `#[entity_event(..)]`.
const ENTITY_EVENT: Grammar =
    Grammar { attribute: "#[entity_event]", known: &[PROPAGATE, AUTO_PROPAGATE, TRIGGER, CRATE] };

/// The attribute of the field that holds the target.
const TARGET: &str = "event_target";

/// Expands `derive(Event)`.
pub(crate) fn event(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = EVENT.collect(cx, "event", &item.attrs);
    let private = private_path(cx, &EVENT, &options);
    item.reject_inner_helper(cx, "event");
    let trigger = type_of(cx, &options, TRIGGER).unwrap_or_else(|| hygienic!(__strata::GlobalTrigger));
    scope(&private, &implementation(cx, item, &trigger, "an event owns its data", "Event"))
}

/// Expands `derive(EntityEvent)`.
pub(crate) fn entity_event(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = ENTITY_EVENT.collect(cx, "entity_event", &item.attrs);
    let private = private_path(cx, &ENTITY_EVENT, &options);
    item.reject_inner_helper(cx, "entity_event");
    let given = |known: Known| options.iter().find(|option| option.name == known.name);
    let auto = given(AUTO_PROPAGATE).is_some();
    let goes_on = auto || given(PROPAGATE).is_some();
    let trigger = match type_of(cx, &options, TRIGGER) {
        Some(trigger) => {
            if let Some(option) = given(PROPAGATE).or_else(|| given(AUTO_PROPAGATE)) {
                let message = "an event with `trigger` finds its observers by that type: `propagate` says another way\n\
                               help: keep one of the two";
                cx.error_at(option.name.span(), message);
            }
            trigger
        }
        None if goes_on => {
            let along = type_of(cx, &options, PROPAGATE).unwrap_or_else(|| hygienic!(&'static __strata::ChildOf));
            hygienic!(__strata::PropagateEntityTrigger<#auto, Self, #along>)
        }
        None => hygienic!(__strata::EntityTrigger),
    };
    let mut items = implementation(cx, item, &trigger, "an event owns its data", "EntityEvent");
    let target = target(cx, item);
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let where_clause = where_with(&item.generics, &bounds(item));
    let ident = &item.ident;
    let get = match &target {
        Some((target, ty)) => {
            let span = Span::mixed_site().located_at(*ty);
            quote_spanned!(span=> __strata::ContainsEntity::entity(&self.#target))
        }
        None => hygienic!(__strata::Entity::PLACEHOLDER),
    };
    items.extend(hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::EntityEvent for #ident #type_generics #where_clause {
            #[inline]
            fn event_target(&self) -> __strata::Entity {
                #get
            }
        }
    });
    if goes_on {
        let set = target.map_or_else(
            || hygienic!(let _ = entity;),
            |(target, _)| hygienic!(self.#target = __strata::Into::into(entity);),
        );
        items.extend(hygienic! {
            #[automatically_derived]
            impl #impl_generics __strata::SetEntityEventTarget for #ident #type_generics #where_clause {
                #[inline]
                fn set_event_target(&mut self, entity: __strata::Entity) {
                    #set
                }
            }
        });
    }
    scope(&private, &items)
}

/// Returns the bounds of an implementation for a type with parameters.
fn bounds(item: &Item) -> Vec<TokenStream> {
    let mut bounds = Vec::new();
    if !item.generics.params.is_empty() {
        bounds.push(hygienic!(Self: __strata::Send + __strata::Sync + 'static));
    }
    bounds
}

/// Returns the implementation of `Event`.
fn implementation(cx: &Ctxt, item: &Item, trigger: &TokenStream, owns: &str, name: &str) -> TokenStream {
    if item.kind == Kind::Union {
        let message = format!(
            "a union cannot be an event: nothing tells which field to drop\nhelp: derive {name} on a struct or an enum"
        );
        cx.error_at(item.keyword, message);
    }
    reject_lifetimes(cx, &item.generics, owns, "store an owned value");
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let where_clause = where_with(&item.generics, &bounds(item));
    let (ident, key, slot) = (&item.ident, key(item), slot(&item.ident, &item.generics));
    hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::Event for #ident #type_generics #where_clause {
            type Trigger<'__strata> = #trigger;
            const KEY: __strata::Option<__strata::ComponentKey> = __strata::Some(#key);
            #slot
        }
    }
}

/// Returns the type that an option sets, if the option is present.
fn type_of(cx: &Ctxt, options: &[Opt], known: Known) -> Option<TokenStream> {
    let option = options.iter().find(|option| option.name == known.name)?;
    match &option.value {
        Value::Equals(tokens) if syn::parse2::<Type>(tokens.clone()).is_ok() => Some(tokens.clone()),
        Value::Flag if known.name == PROPAGATE.name => None,
        _ => {
            cx.error_at(option.value_span(), format_args!("`{}` is set to a type: `{}`", known.name, known.usage));
            None
        }
    }
}

/// Returns the field that holds the target, and the span of its type. It is the field with the attribute, else the field `entity`, else the
/// only field.
fn target(cx: &Ctxt, item: &Item) -> Option<(TokenStream, Span)> {
    if item.kind != Kind::Struct {
        cx.error_at(
            item.keyword,
            "an event of an entity is a struct: one of its fields holds the entity\n\
             help: put the enum into a field of such a struct",
        );
        return None;
    }
    let fields = item.fields(cx);
    let mut marked = fields.iter().enumerate().filter(|(_, field)| is_marked(cx, field));
    let found = marked.next();
    if let Some((_, second)) = marked.next() {
        let second = second.attrs.iter().find(|attr| attr.path().is_ident(TARGET));
        cx.error_over(second.map(|attr| &attr.meta), "an event has one target: `#[event_target]` stands on two fields");
    }
    let named =
        || fields.iter().enumerate().find(|(_, field)| field.ident.as_ref().is_some_and(|name| name == "entity"));
    let only = || (fields.len() == 1).then(|| fields.iter().enumerate().next()).flatten();
    let found = found.or_else(named).or_else(only);
    if found.is_none() {
        let message = match &item.body {
            Body::Unit => {
                "an event of an entity has a field for it: `struct Hit { entity: Entity }` or `struct Hit(Entity);`"
            }
            _ => {
                "which field holds the entity that the event is for? call it `entity`, or write `#[event_target]` above it"
            }
        };
        cx.error_at(item.ident.span(), message);
    }
    found.map(|(at, field)| (member(at, field), field.ty.span()))
}

/// Returns whether a field has the attribute.
fn is_marked(cx: &Ctxt, field: &Field) -> bool {
    let mut is_marked = false;
    for attr in field.attrs.iter().filter(|attr| attr.path().is_ident(TARGET)) {
        if !matches!(attr.meta, Meta::Path(_)) {
            cx.error_over(&attr.meta, "`#[event_target]` has no options");
        }
        is_marked = true;
    }
    is_marked
}
