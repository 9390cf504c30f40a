//! `#[derive(Resource)]` and `#[derive(Message)]`
//!
//! Traits that only require an owned type. The derive adds the key and the process-wide number of the type.
//!
//! Tests: tests/storage/resources.rs, tests/ui/pass/messages.rs

use proc_macro2::{Ident, Span, TokenStream};

use crate::attr::{CRATE, Grammar, Known, private_path};
use crate::component::key;
use crate::ctxt::Ctxt;
use crate::demands::{CLONE, Demands, HASH, SERIALIZE};
use crate::description::{Editable, NAME, description, fields};
use crate::entities;
use crate::expand::{reject_lifetimes, scope, slot};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};
use crate::persistence::{self, PERSISTENCE, TRANSIENT};
use crate::saving::{ALIAS, SAVE, Saving, UPGRADE, VERSION};

/// A trait that this module derives.
struct Marker {
    /// Name of the trait.
    name: &'static str,
    /// The trait in a sentence: `a resource`.
    what: &'static str,
    /// Name of the helper attribute.
    helper: &'static str,
    /// The options of the attribute.
    grammar: Grammar,
}

/// The option with the hint in errors about a missing resource.
const MISSING: Known = Known { name: "missing", usage: "missing = \"what_inserts_it\"" };

const RESOURCE: Marker = Marker {
    name: "Resource",
    what: "a resource",
    helper: "resource",
    grammar: Grammar {
        attribute: "#[resource]",
        known: &[CLONE, HASH, SERIALIZE, TRANSIENT, SAVE, PERSISTENCE, NAME, VERSION, ALIAS, UPGRADE, MISSING, CRATE],
    },
};

const MESSAGE: Marker = Marker {
    name: "Message",
    what: "a message",
    helper: "message",
    grammar: Grammar { attribute: "#[message]", known: &[CLONE, HASH, TRANSIENT, SAVE, PERSISTENCE, CRATE] },
};

/// Expands `derive(Resource)`.
pub(crate) fn resource(cx: &Ctxt, item: &Item) -> TokenStream {
    expand(cx, item, &RESOURCE)
}

/// Expands `derive(Message)`.
pub(crate) fn message(cx: &Ctxt, item: &Item) -> TokenStream {
    expand(cx, item, &MESSAGE)
}

/// Expands the derive of a trait.
fn expand(cx: &Ctxt, item: &Item, marker: &Marker) -> TokenStream {
    let Marker { name, what, helper, grammar } = marker;
    let options = grammar.collect(cx, helper, &item.attrs);
    let private = private_path(cx, grammar, &options);
    if item.kind == Kind::Union {
        let message = format!(
            "a union cannot be {what}: nothing tells which field to drop\nhelp: derive {name} on a struct or an enum"
        );
        cx.error_at(item.keyword, message);
    }
    reject_lifetimes(cx, &item.generics, &format!("{what} owns its data"), "store an owned value");
    item.reject_inner_helper(cx, helper);

    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let mut bounds = Vec::new();
    if !item.generics.params.is_empty() {
        bounds.push(hygienic!(Self: __strata::Send + __strata::Sync + 'static));
    }
    let demands = Demands::of_flags(cx, grammar, &options);
    bounds.extend(demands.bounds(item));
    let persistence = persistence::method(cx, grammar, &options);
    let where_clause = where_with(&item.generics, &bounds);
    let (ident, key, slot) = (&item.ident, key(item), slot(&item.ident, &item.generics));
    let has_name = grammar.known.iter().any(|known| known.name == NAME.name);
    let (description, upgrades) = match has_name {
        true => {
            let saving = Saving::of(cx, grammar, &options, &what.replacen('a', "the", 1));
            let description =
                description(cx, item, grammar, &options, |found| saving.describe(demands.describe(found)));
            (description, saving.upgrades)
        }
        // A message is saved as part of its list of messages, so its own description has no name; it has only fields and functions such as
        // `Clone`.
        false => {
            let fields = fields(item, Editable::Public).unwrap_or_else(|| hygienic!(&[]));
            let found = demands.describe(hygienic!(__strata::describe!(Self, __strata::None, #fields)));
            let description = hygienic!(const DESCRIPTION: __strata::Description<Self> = #found;);
            (description, None)
        }
    };
    let missing = grammar
        .literal(cx, &options, MISSING.name)
        .map(|text| hygienic!(const MISSING: &'static __strata::str = #text;));
    let trait_name = Ident::new(name, Span::mixed_site());
    let check = has_name.then(|| entities::check(item, name));
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::#trait_name for #ident #type_generics #where_clause {
            const KEY: __strata::Option<__strata::ComponentKey> = __strata::Some(#key);
            #description
            #missing
            #upgrades
            #persistence
            #slot
        }
        #check
    };
    scope(&private, &implementation)
}
