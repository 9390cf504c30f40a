//! Each name that bevy_ecs has, too, is where bevy_ecs has it.
//!
//! `bevy_paths.txt` lists the public paths of bevy_ecs 0.20.1, without the name of the crate. The test lexes the sources of the core for
//! the names of public items, wherever they are. If a name is the last part of a path of the list, the path has to be one of the
//! imports in `tests/systems/bevy_paths.rs`: that file compiles, so each of its paths exists. `STRATA_OVERWRITE=1` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::{TokenStream, TokenTree};

/// Paths of bevy_ecs that do not exist here although the name does, and why.
const ELSEWHERE: &[(&str, &str)] =
    &[("storage::SparseSet", "the one in the sources is inside of the storage of one component and not public")];

const HEAD: &str = "\
//! The paths of bevy_ecs 0.20.1 that exist here. Written by `tests/compile/bevy_paths.rs`, which says what must be among them.

#![expect(unused_imports, reason = \"that the imports compile is what is tested\")]

";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The names of the public items of a file, and of those in modules inside of it.
fn public_names(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        match word(token).as_deref() {
            Some("pub") => public_item(&tokens[i + 1..], names),
            Some("macro_rules") => names.extend(tokens.get(i + 2).and_then(word)),
            Some("mod") => {
                if let Some(TokenTree::Group(body)) = tokens.get(i + 2) {
                    public_names(body.stream(), names);
                }
            }
            _ => {}
        }
    }
}

/// The name, or the names, of an item that begins with `pub`. One that is public in the crate only begins with a parenthesis.
fn public_item(tokens: &[TokenTree], names: &mut BTreeSet<String>) {
    const KINDS: [&str; 7] = ["struct", "enum", "union", "trait", "type", "fn", "const"];
    let end =
        tokens.iter().position(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ';')).unwrap_or(tokens.len());
    match tokens.first().and_then(word).as_deref() {
        Some("use") => imported_names(&tokens[1..end], names),
        Some("const" | "unsafe" | "async")
            if tokens.get(1).and_then(word).is_some_and(|word| KINDS.contains(&&*word)) =>
        {
            public_item(&tokens[1..], names);
        }
        Some("unsafe") => public_item(&tokens[1..], names),
        Some(kind) if KINDS.contains(&kind) => names.extend(tokens.get(1).and_then(word)),
        _ => {}
    }
}

/// The names that a `use` tree makes: the last word of each of its branches.
fn imported_names(tree: &[TokenTree], names: &mut BTreeSet<String>) {
    for branch in tree.split(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ',')) {
        match branch.last() {
            Some(TokenTree::Group(group)) => {
                imported_names(&group.stream().into_iter().collect::<Vec<_>>(), names);
            }
            Some(last) => names.extend(word(last)),
            None => {}
        }
    }
}

fn word(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    }
}

fn names_in(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the folder of the core is readable") {
        let path = entry.expect("its entries are readable").path();
        if path.is_dir() {
            names_in(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("sources are UTF-8");
            public_names(text.parse().expect("sources lex"), names);
        }
    }
}

/// The paths that have to exist here.
fn expected() -> Vec<String> {
    let mut names = BTreeSet::new();
    names_in(&root().join("ecs/src"), &mut names);
    let list = fs::read_to_string(root().join("tests/compile/bevy_paths.txt")).expect("the list is there");
    let elsewhere: BTreeMap<_, _> = ELSEWHERE.iter().copied().collect();
    let is_here =
        |path: &&str| names.contains(path.rsplit("::").next().unwrap_or(path)) && !elsewhere.contains_key(path);
    let mut paths: Vec<String> = list.lines().filter(is_here).map(str::to_owned).collect();
    assert!(paths.len() > 200, "the names of the core were not found: {paths:?}");
    paths.sort_by_key(|path| path.to_lowercase());
    paths
}

#[test]
fn names_of_bevy_ecs_are_at_its_paths() {
    let imports: String = expected().iter().map(|path| format!("use strata_ecs::{path} as _;\n")).collect();
    let file = root().join("tests/systems/bevy_paths.rs");
    let wanted = format!("{HEAD}{imports}");
    if env::var_os("STRATA_OVERWRITE").is_some() {
        fs::write(&file, &wanted).expect("the file can be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    let missing: Vec<&str> = wanted.lines().filter(|line| !found.contains(line)).collect();
    assert!(
        missing.is_empty(),
        "names of bevy_ecs that exist here must be at its paths, too: add them in `ecs/src/reexports.rs`, then write the imports with \
         STRATA_OVERWRITE=1. If one means something else here, say so in `ELSEWHERE`.\n{}",
        missing.join("\n")
    );
}

#[test]
fn what_is_elsewhere_is_in_the_list_and_not_at_its_path() {
    let list = fs::read_to_string(root().join("tests/compile/bevy_paths.txt")).expect("the list is there");
    for (path, reason) in ELSEWHERE {
        assert!(list.lines().any(|line| line == *path), "`{path}` is not a path of bevy_ecs ({reason})");
    }
}

#[test]
fn names_are_found_in_all_forms() {
    let code = "pub struct A; pub(crate) struct Hidden; pub unsafe trait B {} pub use x::{C, d::E as F}; pub const fn g() {} \
                mod inner { pub type H = u8; } impl A { pub fn method() {} } pub const I: u8 = 0; use x::Private; macro_rules! m { () => {} }";
    let mut names = BTreeSet::new();
    public_names(code.parse().unwrap(), &mut names);
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["A", "B", "C", "F", "H", "I", "g", "m"]);
}
