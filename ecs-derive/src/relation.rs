//! `#[derive(Relation)]`
//!
//! Tests: tests/relationships/pairs

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::component::key;
use crate::ctxt::Ctxt;
use crate::demands::{CLONE, Demands, HASH, SERIALIZE};
use crate::description::{NAME, description};
use crate::entities;
use crate::expand::{reject_lifetimes, scope, slot};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};
use crate::saving::{ALIAS, Saving, UPGRADE, VERSION};
use crate::suggest::nearest;

/// The options of `#[relation(..)]`.
const GRAMMAR: Grammar = Grammar {
    attribute: "#[relation]",
    known: &[
        Known { name: "on_target_despawn", usage: "on_target_despawn = \"release\" | \"cascade\" | \"ignore\"" },
        Known { name: "exclusive", usage: "exclusive" },
        Known { name: "symmetric", usage: "symmetric" },
        Known { name: "acyclic", usage: "acyclic" },
        CLONE,
        HASH,
        SERIALIZE,
        NAME,
        VERSION,
        ALIAS,
        UPGRADE,
        CRATE,
    ],
};

/// The valid values of `on_target_despawn`.
const POLICIES: [&str; 3] = ["release", "cascade", "ignore"];

/// Expands the derive.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = GRAMMAR.collect(cx, "relation", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    check(cx, item, &options);
    let [exclusive, symmetric, acyclic] = ["exclusive", "symmetric", "acyclic"].map(|name| flag(cx, &options, name));
    let policy = policy(cx, &options);
    let saving = Saving::of(cx, &GRAMMAR, &options, "the relation");

    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let mut bounds = Vec::new();
    if !item.generics.params.is_empty() {
        bounds.push(hygienic!(Self: __strata::Send + __strata::Sync + 'static));
    }
    let demands = Demands::of_flags(cx, &GRAMMAR, &options);
    bounds.extend(demands.bounds(item));
    let where_clause = where_with(&item.generics, &bounds);
    let (ident, key, slot) = (&item.ident, key(item), slot(&item.ident, &item.generics));
    let description = description(cx, item, &GRAMMAR, &options, |found| saving.describe(demands.describe(found)));
    let clone = demands.clone_fn().unwrap_or_else(|| {
        hygienic!({
            use __strata::NoClone as _;
            __strata::CloneProbe::<Self>::CLONE
        })
    });
    let (upgrades, check_entities) = (saving.upgrades, entities::check(item, "Relation"));
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::Relation for #ident #type_generics #where_clause {
            const ON_TARGET_DESPAWN: __strata::OnTargetDespawn = __strata::OnTargetDespawn::#policy;
            const EXCLUSIVE: __strata::bool = #exclusive;
            const SYMMETRIC: __strata::bool = #symmetric;
            const ACYCLIC: __strata::bool = #acyclic;
            const KEY: __strata::ComponentKey = #key;
            #description
            const CLONE: __strata::Option<fn(&Self) -> Self> = #clone;
            #upgrades
            #slot
        }
        #check_entities
    };
    scope(&private, &implementation)
}

/// Reports items that cannot be relations, and options that contradict each other.
fn check(cx: &Ctxt, item: &Item, options: &[Opt]) {
    if item.kind == Kind::Union {
        let message = "a union cannot be a relation: nothing tells which field to drop\n\
                       help: derive Relation on a struct or an enum";
        cx.error_at(item.keyword, message);
    }
    reject_lifetimes(
        cx,
        &item.generics,
        "a relation owns its data",
        "store an owned value; the two entities are not part of it",
    );
    item.reject_inner_helper(cx, "relation");
    let given = |name: &str| options.iter().find(|option| option.key() == name);
    if let (Some(_), Some(acyclic)) = (given("symmetric"), given("acyclic")) {
        let message = "a pair of a symmetric relation is a circle already: it leads from each of its entities to the other one\n\
                       help: keep one of `symmetric` and `acyclic`";
        cx.error_at(acyclic.name.span(), message);
    }
    let is_ignored =
        || GRAMMAR.literal(cx, options, "on_target_despawn").is_some_and(|literal| literal.value() == "ignore");
    if let (Some(symmetric), Some(_)) = (given("symmetric"), given("on_target_despawn"))
        && is_ignored()
    {
        let message = "both entities of a pair of a symmetric relation are its targets: with `\"ignore\"` it would not end with either\n\
                       help: leave out `symmetric`, or write `\"release\"` or `\"cascade\"`";
        cx.error_at(symmetric.name.span(), message);
    }
}

/// Returns whether an option is given. Reports the option if it has a value.
fn flag(cx: &Ctxt, options: &[Opt], name: &str) -> bool {
    let Some(option) = options.iter().find(|option| option.name.unraw() == name) else { return false };
    if !matches!(option.value, Value::Flag) {
        GRAMMAR.misuse(cx, option);
    }
    true
}

/// Returns the variant of `OnTargetDespawn` that the options select.
fn policy(cx: &Ctxt, options: &[Opt]) -> TokenStream {
    let is_given = options.iter().any(|option| option.key() == "on_target_despawn");
    let literal = if is_given { GRAMMAR.literal(cx, options, "on_target_despawn") } else { None };
    let Some(literal) = literal else { return quote!(Release) };
    let name = literal.value();
    match name.as_str() {
        "release" => quote!(Release),
        "cascade" => quote!(Cascade),
        "ignore" => quote!(Ignore),
        _ => {
            let meant = nearest(&name, POLICIES.iter().copied())
                .map_or_else(String::new, |name| format!(": did you mean \"{name}\"?"));
            let message = format!(
                "nothing is called \"{name}\" that may become of a pair whose target is despawned{meant}\n\
                 valid: \"release\", \"cascade\", \"ignore\""
            );
            cx.error_at(literal.span(), message);
            quote!(Release)
        }
    }
}
