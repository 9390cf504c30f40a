//! `#[derive(Resource)]`

use proc_macro2::TokenStream;

use crate::attr::{CRATE, Grammar, private_path};
use crate::component::key;
use crate::ctxt::Ctxt;
use crate::expand::{reject_lifetimes, scope, slot};
use crate::generics::where_with;
use crate::hygiene::hygienic;
use crate::item::{Item, Kind};

/// The options of `#[resource(..)]`.
const GRAMMAR: Grammar = Grammar { attribute: "#[resource]", known: &[CRATE] };

/// Expands the derive.
pub(crate) fn expand(cx: &Ctxt, item: &Item) -> TokenStream {
    let options = GRAMMAR.collect(cx, "resource", &item.attrs);
    let private = private_path(cx, &GRAMMAR, &options);
    if item.kind == Kind::Union {
        let message = "a union cannot be a resource: nothing tells which field to drop\n\
                       help: derive Resource on a struct or an enum";
        cx.error_at(item.keyword, message);
    }
    reject_lifetimes(cx, &item.generics, "a resource owns its data", "store an owned value");
    item.reject_inner_helper(cx, "resource");

    let (impl_generics, type_generics, _) = item.generics.split_for_impl();
    let mut bounds = Vec::new();
    if !item.generics.params.is_empty() {
        bounds.push(hygienic!(Self: __strata::Send + __strata::Sync + 'static));
    }
    let where_clause = where_with(&item.generics, &bounds);
    let (ident, key, slot) = (&item.ident, key(item), slot(&item.ident, &item.generics));
    let implementation = hygienic! {
        #[automatically_derived]
        impl #impl_generics __strata::Resource for #ident #type_generics #where_clause {
            const KEY: __strata::Option<__strata::ComponentKey> = __strata::Some(#key);
            #slot
        }
    };
    scope(&private, &implementation)
}
