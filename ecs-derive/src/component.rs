//! `#[derive(Component)]`
//!
//! Tests: ecs-derive/src/golden.rs, tests/storage/components.rs, tests/ui/pass/shapes_of_components.rs

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, LitStr};

use crate::attr::{CRATE, Grammar, Known, Opt, Value, private_path};
use crate::ctxt::Ctxt;
use crate::demands::{Demands, HASH, SERIALIZE};
use crate::description::{EDITABLE, NAME, PLAIN, description, plain};
use crate::entities;
use crate::expand::{reject_lifetimes, scope, slot};
use crate::generics::{const_params, type_params, where_with};
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};
use crate::place::place;
use crate::relationship::Side;
use crate::require;
use crate::saving::{ALIAS, SAVE, Saving, UPGRADE, VERSION};
use crate::suggest::nearest;
use crate::types::ends;

/// The options of `#[component(..)]`.
const GRAMMAR: Grammar = Grammar {
    attribute: "#[component]",
    known: &[
        Known { name: "storage", usage: "storage = \"table\" | \"sparse\"" },
        Known { name: "track", usage: "track = \"on_demand\" | \"always\" | \"never\"" },
        Known { name: "immutable", usage: "immutable" },
        Known { name: SUMMARY_TICK, usage: SUMMARY_TICK },
        Known { name: "clone", usage: "clone | clone = \"never\"" },
        HASH,
        SERIALIZE,
        Known { name: "map_entities", usage: "map_entities | map_entities = function" },
        Known { name: "on_add", usage: "on_add = function" },
        Known { name: "on_insert", usage: "on_insert = function" },
        Known { name: "on_discard", usage: "on_discard = function" },
        Known { name: "on_remove", usage: "on_remove = function" },
        Known { name: "on_despawn", usage: "on_despawn = function" },
        NAME,
        VERSION,
        ALIAS,
        UPGRADE,
        SAVE,
        PLAIN,
        EDITABLE,
        CRATE,
    ],
};

/// bevy_ecs's option for columns that summarize the ticks of their rows. Here all columns with ticks do so.
const SUMMARY_TICK: &str = "summary_tick";

/// The names of the storages.
const STORAGES: [&str; 2] = ["table", "sparse"];
/// The values of the option `track`.
const TRACKINGS: [&str; 3] = ["on_demand", "always", "never"];

/// Expands the derive.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = GRAMMAR.collect(cx, "component", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    let (storage, track) = (storage(cx, &options), track(cx, &options));
    let mutability = mutability(cx, &options);
    for option in options.iter().filter(|option| option.name == SUMMARY_TICK) {
        if !matches!(option.value, Value::Flag) {
            GRAMMAR.misuse(cx, option);
        }
    }
    let clone = clone_policy(cx, &options);
    let demanded = if let ClonePolicy::Demanded(span) = clone { Some(span) } else { None };
    let demands = Demands::of(cx, &GRAMMAR, &options, demanded);
    let plain = plain(cx, item, &GRAMMAR, &options);
    let (check_plain, check_entities) = (plain.check(item), entities::check(item, "Component"));
    let saving = Saving::of(cx, &GRAMMAR, &options, "the component");
    let required = require::collect(cx, item);
    let hooks = hooks(cx, &options);
    check(cx, item);
    let side = Side::of(cx, item);
    let (storage, mutability) = of_side(cx, &options, side.as_ref(), storage, mutability);

    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let mut bounds = Vec::new();
    if !item.generics.params.is_empty() {
        bounds.push(hygienic!(Self: __strata::Send + __strata::Sync + 'static));
    }
    bounds.extend(demands.bounds(item));
    bounds.extend(require::bounds(item, &required));
    let requirements = require::method(&required);
    let where_clause = where_with(&item.generics, &bounds);
    let (ident, key, slot) = (&item.ident, key(item), slot(&item.ident, &item.generics));
    let description = description(cx, item, &GRAMMAR, &options, |found| {
        let found = saving.describe(with_cloning(&clone, &demands, plain.describe(with_mapping(cx, &options, found))));
        side.as_ref().map_or_else(|| found.clone(), |side| side.describe(&found))
    });
    let upgrades = saving.upgrades;
    let relationship = side.map(|side| side.implementation(cx, item));
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::Component for #ident #type_generics #where_clause {
            type Mutability = __strata::#mutability;
            const STORAGE_TYPE: __strata::StorageType = __strata::StorageType::#storage;
            #track
            const KEY: __strata::ComponentKey = #key;
            #description
            #(#hooks)*
            #requirements
            #upgrades
            #slot
        }
        #relationship
        #check_plain
        #check_entities
    };
    scope(&private, &implementation)
}

/// The storage and mutability of a component, which a relationship determines if the component is a side of one.
fn of_side(
    cx: &Ctxt,
    options: &[Opt],
    side: Option<&Side>,
    storage: TokenStream,
    mutability: TokenStream,
) -> (TokenStream, TokenStream) {
    let Some(side) = side else { return (storage, mutability) };
    if let Some(option) = options.iter().find(|option| option.name == "storage") {
        let message = "the components of a relationship are stored outside of the tables\nhelp: leave `storage` out";
        cx.error_at(option.name.span(), message);
    }
    (quote!(Sparse), if side.is_mutable() { mutability } else { quote!(Immutable) })
}

/// Reports types and options that cannot form a component.
fn check(cx: &Ctxt, item: &Item) {
    if item.kind == Kind::Union {
        let message = "a union cannot be a component: nothing tells which field to drop\n\
                       help: derive Component on a struct or an enum";
        cx.error_at(item.keyword, message);
    }
    reject_lifetimes(
        cx,
        &item.generics,
        "a component owns its data",
        "store an owned value, or the `Entity` that has the data",
    );
    item.reject_inner_helper(cx, "component");
}

/// The variant of `StorageType` that the options ask for.
fn storage(cx: &Ctxt, options: &[Opt]) -> TokenStream {
    let Some(literal) = GRAMMAR.literal(cx, options, "storage") else { return quote!(Table) };
    let name = literal.value();
    match name.as_str() {
        "table" | "Table" => quote!(Table),
        "sparse" | "SparseSet" => quote!(Sparse),
        _ => {
            let meant = meant(&name, STORAGES);
            let message = format!("there is no storage \"{name}\"{meant}\nvalid storages: \"table\", \"sparse\"");
            cx.error_at(literal.span(), message);
            quote!(Table)
        }
    }
}

/// The constant for change tracking, if it is not `on_demand`.
fn track(cx: &Ctxt, options: &[Opt]) -> TokenStream {
    let Some(literal) = GRAMMAR.literal(cx, options, "track") else { return TokenStream::new() };
    let name = literal.value();
    let variant = match name.as_str() {
        "on_demand" => return TokenStream::new(),
        "always" => quote!(Always),
        "never" => quote!(Never),
        _ => {
            let meant = meant(&name, TRACKINGS);
            let message = format!(
                "`track` cannot be \"{name}\"{meant}\n\
                 valid values: \"on_demand\", \"always\", \"never\""
            );
            cx.error_at(literal.span(), message);
            return TokenStream::new();
        }
    };
    hygienic!(const TRACK: __strata::ChangeTracking = __strata::ChangeTracking::#variant;)
}

/// The `Mutability` type of the component.
fn mutability(cx: &Ctxt, options: &[Opt]) -> TokenStream {
    let Some(option) = options.iter().find(|option| option.name == "immutable") else { return quote!(Mutable) };
    if !matches!(option.value, Value::Flag) {
        GRAMMAR.misuse(cx, option);
    }
    quote!(Immutable)
}

/// The options that name hooks.
const HOOKS: [&str; 5] = ["on_add", "on_insert", "on_discard", "on_remove", "on_despawn"];

/// The functions that return the hooks of the component.
fn hooks(cx: &Ctxt, options: &[Opt]) -> Vec<TokenStream> {
    let named = options.iter().filter(|option| HOOKS.iter().any(|hook| option.name == hook));
    let function = |option: &Opt| {
        let name = &option.name;
        let hook = hook(cx, option)?;
        let mut ident = name.clone();
        ident.set_span(Span::mixed_site());
        Some(hygienic! {
            fn #ident() -> __strata::Option<__strata::ComponentHook> {
                let hook: __strata::ComponentHook = #hook;
                __strata::Some(hook)
            }
        })
    };
    named.filter_map(function).collect()
}

/// A hook, as an expression that evaluates to a function. An expression other than a path or a closure is evaluated each time the hook
/// runs, so it may return any closure.
fn hook(cx: &Ctxt, option: &Opt) -> Option<TokenStream> {
    let name = &option.name;
    let tokens = match &option.value {
        // A flag names the associated function of the same name.
        Value::Flag => return Some(quote_spanned!(name.span()=> Self::#name)),
        Value::Equals(tokens) if !tokens.is_empty() => tokens,
        Value::Equals(_) | Value::List(_) => {
            GRAMMAR.misuse(cx, option);
            return None;
        }
    };
    match cx.ok(syn::parse2::<Expr>(tokens.clone()))? {
        Expr::Lit(literal) => {
            let message = format!(
                "a hook is a function, and not a value\n\
                 help: name one that takes a `DeferredWorld` and a `HookContext`, without quotes: `{name} = function`"
            );
            cx.error_over(literal, message);
            None
        }
        hook @ (Expr::Path(_) | Expr::Closure(_)) => Some(hook.into_token_stream()),
        made => {
            let place = Span::mixed_site().located_at(ends(&made).0);
            let call = quote_spanned!(place=> (#made)(__strata_world, __strata_context));
            Some(hygienic!(|__strata_world, __strata_context| #call))
        }
    }
}

/// Adds the mapping of the entities inside values to a description: by the type's `MapEntities`, or by a function.
fn with_mapping(cx: &Ctxt, options: &[Opt], found: TokenStream) -> TokenStream {
    let Some(option) = options.iter().find(|option| option.name == "map_entities") else { return found };
    match &option.value {
        Value::Flag => {
            // The tokens get the option's span, so that errors point at the option.
            let span = Span::mixed_site().located_at(option.name.span());
            let demanded = quote_spanned!(span=> found.with_map_entities());
            hygienic!({
                let found = #found;
                #demanded
            })
        }
        Value::Equals(tokens) if !tokens.is_empty() => match cx.ok(syn::parse2::<Expr>(tokens.clone())) {
            Some(closure @ Expr::Closure(_)) => hygienic!(#found.with_map_entities_by(#closure)),
            Some(function @ Expr::Path(_)) => {
                let place = Span::mixed_site().located_at(ends(&function).0);
                let call = quote_spanned!(place=> (#function)(__strata_value, &mut __strata_mapper));
                hygienic!(#found.with_map_entities_by(|__strata_value, mut __strata_mapper| #call))
            }
            Some(_) => {
                GRAMMAR.misuse(cx, option);
                found
            }
            None => found,
        },
        Value::Equals(_) | Value::List(_) => {
            GRAMMAR.misuse(cx, option);
            found
        }
    }
}

/// Suggests the nearest valid name, if one is near enough.
fn meant<const N: usize>(name: &str, valid: [&'static str; N]) -> String {
    nearest(name, valid).map_or_else(String::new, |nearest| format!(": did you mean \"{nearest}\"?"))
}

/// Which values can be cloned.
enum ClonePolicy {
    /// Values of types that are `Clone`.
    Detected,
    /// All: a type that is not `Clone` is an error at this place.
    Demanded(Span),
    /// None.
    Never,
}

/// The policy that the options ask for.
fn clone_policy(cx: &Ctxt, options: &[Opt]) -> ClonePolicy {
    let Some(option) = options.iter().find(|option| option.name == "clone") else { return ClonePolicy::Detected };
    let literal = match &option.value {
        Value::Flag => return ClonePolicy::Demanded(option.name.span()),
        Value::Equals(tokens) => syn::parse2::<LitStr>(tokens.clone()).ok(),
        Value::List(_) => None,
    };
    match literal {
        Some(literal) if literal.value() != "never" => {
            let name = literal.value();
            let message = format!(
                "`clone` cannot be \"{name}\"\nvalid forms: `clone`, for types that must be `Clone`; \
                 `clone = \"never\"`, for values that are not to be cloned; or neither"
            );
            cx.error_at(literal.span(), message);
        }
        Some(_) => {}
        None => GRAMMAR.misuse(cx, option),
    }
    ClonePolicy::Never
}

/// The description with the options about cloning and other traits. The core determines whether a type is `Clone`.
fn with_cloning(policy: &ClonePolicy, demands: &Demands, found: TokenStream) -> TokenStream {
    let found = demands.describe(found);
    match policy {
        ClonePolicy::Detected | ClonePolicy::Demanded(_) => found,
        ClonePolicy::Never => hygienic!(#found.without_clone()),
    }
}

/// The key that distinguishes this type from others at compile time.
///
/// The core compares the position of the item according to the compiler (`line!`, the outermost macro call) with the position of the
/// derive's own tokens. They differ if a `macro_rules!` wrote the derive; then the key is not exact. A position does not show whether a
/// macro has copied the user's tokens, so the copies are counted.
pub(crate) fn key(item: &Item) -> TokenStream {
    let name = item.ident.unraw().to_string();
    let consts = const_params(&item.generics).into_iter().map(|param| {
        let mut param = param.clone();
        param.set_span(Span::mixed_site().located_at(param.span()));
        hygienic!(.mix(#param as __strata::u128))
    });
    let inexact = (!type_params(&item.generics).is_empty()).then(|| hygienic!(.inexact()));
    let [line, column, copy] = place(&name);
    hygienic! {
        __strata::key!(#name, [#line, #column], #copy)
        #(#consts)*
        #inexact
    }
}
