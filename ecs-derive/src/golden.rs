//! Golden tests of the macro output: `golden/NAME.in.rs` expands to `golden/NAME.out.rs`.
//!
//! The diff of these files shows changes of the expansions. `STRATA_OVERWRITE=1 cargo test -p strata-ecs-derive golden` rewrites them.

use std::path::Path;
use std::{env, fs};

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{Attribute, Item, Meta};

use crate::expand::{derive, formatted};
use crate::{bundle, component, event, query_data, system};

/// Compares the expansion of `golden/NAME.in.rs` with `golden/NAME.out.rs`. The arguments of `expand` are the tokens of the first attribute
/// and the item below it.
fn compare(name: &str, expand: fn(TokenStream, TokenStream) -> TokenStream) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let input = fs::read_to_string(folder.join(format!("{name}.in.rs"))).expect("an input");
    let mut item: Item = syn::parse_str(&input).expect("an item");
    let attrs: &mut Vec<Attribute> = match &mut item {
        Item::Struct(item) => &mut item.attrs,
        Item::Fn(item) => &mut item.attrs,
        _ => panic!("{name}: a struct or a function"),
    };
    let ours = |attr: &Attribute| ["derive", "system", "observer"].iter().any(|name| attr.path().is_ident(name));
    let at = attrs.iter().position(ours).expect("an attribute of ours");
    let attribute = match attrs.remove(at).meta {
        Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    let output = formatted(&expand(attribute, item.into_token_stream())).expect("rustfmt is installed");
    let path = folder.join(format!("{name}.out.rs"));
    if env::var_os("STRATA_OVERWRITE").is_some() {
        fs::write(&path, &output).expect("the output is written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(output == expected, "{name}: the expansion has changed to\n{output}");
}

#[test]
fn component() {
    compare("component", |_, item| derive(item, component::expand));
}

#[test]
fn bundle() {
    compare("bundle", |_, item| derive(item, bundle::expand));
}

#[test]
fn query_data() {
    compare("query_data", |_, item| derive(item, query_data::expand));
}

#[test]
fn component_entities() {
    compare("component_entities", |_, item| derive(item, component::expand));
}

#[test]
fn event() {
    compare("event", |_, item| derive(item, event::event));
}

#[test]
fn entity_event() {
    compare("entity_event", |_, item| derive(item, event::entity_event));
}

#[test]
fn row_system() {
    compare("row_system", system::expand);
}

#[test]
fn row_system_turned_off() {
    compare("row_system_turned_off", system::expand);
}

#[test]
fn world_system() {
    compare("world_system", system::expand);
}

#[test]
fn observer() {
    compare("observer", system::expand_observer);
}
