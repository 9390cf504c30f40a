//! `#[derive(SystemSet)]` and `#[derive(ScheduleLabel)]`
//!
//! A label is cloned, compared, hashed and printed through a type-erased value. A generated constant checks the traits that this requires
//! and reports all missing ones in one error.
//!
//! Tests: tests/systems/labels.rs

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt as _;

use crate::attr::{CRATE, Grammar, private_path};
use crate::ctxt::Ctxt;
use crate::expand::{reject_lifetimes, scope};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};

/// A label trait.
struct Label {
    /// Name of the trait.
    name: &'static str,
    /// The trait in a sentence: `a system set`.
    what: &'static str,
    /// Name of the helper attribute.
    helper: &'static str,
    /// The options of the attribute.
    grammar: Grammar,
}

const SYSTEM_SET: Label = Label {
    name: "SystemSet",
    what: "a system set",
    helper: "system_set",
    grammar: Grammar { attribute: "#[system_set]", known: &[CRATE] },
};

const SCHEDULE_LABEL: Label = Label {
    name: "ScheduleLabel",
    what: "a schedule label",
    helper: "schedule_label",
    grammar: Grammar { attribute: "#[schedule_label]", known: &[CRATE] },
};

/// Expands `derive(SystemSet)`.
pub(crate) fn system_set(cx: &Ctxt, item: &Item) -> TokenStream {
    expand(cx, item, &SYSTEM_SET)
}

/// Expands `derive(ScheduleLabel)`.
pub(crate) fn schedule_label(cx: &Ctxt, item: &Item) -> TokenStream {
    expand(cx, item, &SCHEDULE_LABEL)
}

/// Expands the derive of a label trait.
fn expand(cx: &Ctxt, item: &Item, label: &Label) -> TokenStream {
    let Label { name, what, helper, grammar } = label;
    let options = grammar.collect(cx, helper, &item.attrs);
    let private = private_path(cx, grammar, &options);
    if item.kind == Kind::Union {
        let message =
            format!("a union cannot be {what}: it cannot be compared\nhelp: derive {name} on a struct or an enum");
        cx.error_at(item.keyword, message);
    }
    reject_lifetimes(cx, &item.generics, &format!("{what} may live as long as the program"), "store an owned value");
    item.reject_inner_helper(cx, helper);
    scope(&private, &implementation(cx, item, label))
}

/// Returns the implementation, and the constant that it uses.
fn implementation(cx: &Ctxt, item: &Item, label: &Label) -> TokenStream {
    let trait_name = Ident::new(label.name, Span::mixed_site());
    let ident = &item.ident;
    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let mut bounds = Vec::new();
    if !item.generics.params.is_empty() {
        bounds.push(hygienic!(Self: __strata::Send + __strata::Sync + 'static));
    }
    let mut constant = TokenStream::new();
    let parts = if !cx.is_clean() {
        // The implementation is emitted after errors too, so that uses of the type give no further errors.
        hygienic!(__strata::LabelParts::<Self>::missing())
    } else if item.generics.params.is_empty() {
        constant = parts(item, label.what);
        hygienic!(__STRATA_PARTS)
    } else {
        bounds.push(hygienic! {
            Self: __strata::Clone + __strata::PartialEq + __strata::Eq + __strata::Hash + __strata::Debug
        });
        hygienic!(__strata::LabelParts::<Self>::of())
    };
    let where_clause = where_with(&item.generics, &bounds);
    hygienic! {
        #constant
        #[automatically_derived]
        impl #impl_generics __strata::#trait_name for #ident #type_generics #where_clause {
            fn dyn_clone(&self) -> __strata::Box<dyn __strata::#trait_name> {
                __strata::Box::new(#parts.clone_label(self))
            }
            fn dyn_eq(&self, __strata_other: &dyn __strata::#trait_name) -> __strata::bool {
                #parts.eq_label(self, __strata_other)
            }
            fn dyn_hash(&self, __strata_state: &mut dyn __strata::Hasher) {
                #parts.hash_label(self, __strata_state);
            }
            fn dyn_fmt(&self, __strata_f: &mut __strata::Formatter<'_>) -> __strata::FmtResult {
                #parts.fmt_label(self, __strata_f)
            }
        }
    }
}

/// Returns the constant with the label's type-erased functions, and a constant that fails to compile if a trait is missing. For a type
/// without parameters, the check looks up constants of the probe: the inherent constant exists if the type implements the trait, otherwise
/// the trait's constant is found.
fn parts(item: &Item, what: &str) -> TokenStream {
    let ident = &item.ident;
    let name = ident.unraw().to_string();
    let span = Span::mixed_site().located_at(ident.span());
    let demand = quote_spanned! {span=>
        __strata::demand_label(
            #name,
            #what,
            __StrataProbe::CLONE.is_some(),
            __StrataProbe::PARTIAL_EQ.is_some(),
            __StrataProbe::EQ,
            __StrataProbe::HASH.is_some(),
            __StrataProbe::DEBUG.is_some(),
        )
    };
    hygienic! {
        use __strata::LabelLacks as _;
        type __StrataProbe = __strata::LabelProbe<#ident>;
        const __STRATA_PARTS: __strata::LabelParts<#ident> =
            __strata::LabelParts::new(__StrataProbe::CLONE, __StrataProbe::PARTIAL_EQ, __StrataProbe::HASH, __StrataProbe::DEBUG);
        const _: () = #demand;
    }
}
