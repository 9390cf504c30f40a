//! The public paths of `strata-ecs`, `strata-app` and `strata-save`: each name in each public module, re-exports included.
//!
//! The paths are found in the tokens of the sources, by the module tree and the imports. Not listed are items and modules that are hidden
//! from the documentation, enum variants, methods, and items of features that the tests do not enable. A function that a macro defines is
//! listed if the macro is called at the level of the module; other names that macros define are listed where an import names them.
//!
//! `tests/systems/public_paths.rs` imports every path, so each of them exists. The test here fails if a path is not in that file, or a
//! path in it is no longer found. `STRATA_OVERWRITE=1 cargo test -p strata-compile-tests public_paths::` adds new paths. A path that is
//! gone breaks programs of users: delete its line by hand if that is intended.

use std::collections::{BTreeMap, BTreeSet};
use std::{env, fs};

use proc_macro2::{Delimiter, Group, TokenTree};

use crate::tokens::{
    Sources, group_of, ident, inner, is_ident, is_punct, module_folder, read_sources, root, use_tree, word,
};

/// The crates, and the folders of their sources.
const CRATES: [(&str, &str); 3] =
    [("strata_ecs", "ecs/src"), ("strata_app", "ecs/app/src"), ("strata_save", "ecs/save/src")];

/// The features that the tests enable.
const FEATURES: [&str; 5] = ["std", "parallel", "serde", "lz4", "text"];

const HEAD: &str = "\
//! All public paths. Written by `tests/compile/public_paths.rs`, whose head tells how.

#![expect(unused_imports, reason = \"that the imports compile is what is tested\")]

";

/// The path of a module, from the name of its crate.
type Key = Vec<String>;

/// The names that a module declares.
#[derive(Debug, Default)]
struct Module {
    /// The public items and modules that are not hidden.
    public: BTreeSet<String>,
    imports: Vec<Import>,
}

/// One path of a `use` item.
#[derive(Debug)]
struct Import {
    /// Whether it re-exports the name and is not hidden.
    is_public: bool,
    name: String,
    path: Vec<String>,
}

/// The properties that the attributes of an item determine.
#[derive(Default)]
struct Attributes {
    is_left_out: bool,
    is_hidden: bool,
    is_exported: bool,
    path: Option<String>,
}

/// The modules of all crates.
#[derive(Default)]
pub(crate) struct Crates {
    modules: BTreeMap<Key, Module>,
    /// Macros that define public functions.
    function_macros: BTreeSet<String>,
}

/// The file and the module that are being read.
#[derive(Clone)]
struct Place<'a> {
    sources: &'a Sources,
    /// The folder in which `mod x;` looks for its file, with a slash at the end.
    folder: String,
    module: Key,
}

impl Crates {
    pub(crate) fn read() -> Self {
        let mut crates = Self::default();
        for (name, folder) in CRATES {
            crates.read_crate(name, &read_sources(&root().join(folder)));
        }
        crates
    }

    fn read_crate(&mut self, name: &str, sources: &Sources) {
        self.file("lib.rs", vec![name.to_owned()], sources);
    }

    fn file(&mut self, file: &str, module: Key, sources: &Sources) {
        let tokens = sources[file].parse().unwrap_or_else(|error| panic!("{file} does not lex: {error}"));
        let tokens: proc_macro2::TokenStream = tokens;
        self.items(&tokens.into_iter().collect::<Vec<_>>(), &Place { sources, folder: module_folder(file), module });
    }

    /// Reads the items of a module.
    fn items(&mut self, tokens: &[TokenTree], place: &Place<'_>) {
        self.modules.entry(place.module.clone()).or_default();
        let mut attributes = Attributes::default();
        let mut i = 0;
        while i < tokens.len() {
            match &tokens[i..] {
                [hash, bang, _, ..] if is_punct(hash, '#') && is_punct(bang, '!') => i += 3,
                [hash, TokenTree::Group(attribute), ..] if is_punct(hash, '#') => {
                    attributes.add(&inner(attribute));
                    i += 2;
                }
                rest => {
                    let end = item_end(rest);
                    let attributes = std::mem::take(&mut attributes);
                    if !attributes.is_left_out {
                        self.item(&rest[..end], &attributes, place);
                    }
                    i += end;
                }
            }
        }
    }

    fn item(&mut self, tokens: &[TokenTree], attributes: &Attributes, place: &Place<'_>) {
        let (mut tokens, mut is_public) = (tokens, false);
        if let [first, rest @ ..] = tokens
            && is_ident(first, "pub")
        {
            let limit = rest.first().and_then(|token| group_of(token, Delimiter::Parenthesis));
            (is_public, tokens) = (limit.is_none(), &rest[usize::from(limit.is_some())..]);
        }
        let is_listed = is_public && !attributes.is_hidden;
        while let [first, second, ..] = tokens
            && ["const", "unsafe", "async", "extern"].iter().any(|word| is_ident(first, word))
            && ident(second)
                .is_some_and(|next| ["fn", "unsafe", "async", "trait", "extern"].iter().any(|word| next == word))
        {
            tokens = &tokens[1..];
        }
        let name = tokens.get(1).and_then(word).unwrap_or_default();
        match tokens.first().and_then(word).as_deref() {
            Some("use") => self.import(tokens, is_listed, place),
            Some("mod") => self.submodule(&name, tokens.get(2), is_listed, attributes, place),
            Some("struct" | "enum" | "union" | "trait" | "type" | "fn" | "static" | "const") if is_listed => {
                self.declare(&place.module, name);
            }
            Some("macro_rules") => {
                let name = tokens.get(2).and_then(word).unwrap_or_default();
                if tokens.get(3).is_some_and(defines_functions) {
                    self.function_macros.insert(name.clone());
                }
                if attributes.is_exported && !attributes.is_hidden {
                    self.declare(&place.module[..1], name);
                }
            }
            Some(called) if self.function_macros.contains(called) => {
                let TokenTree::Group(body) = &tokens[2] else { return };
                let body = inner(body);
                let functions =
                    body.windows(2).filter(|pair| is_ident(&pair[0], "fn")).filter_map(|pair| word(&pair[1]));
                functions.for_each(|function| self.declare(&place.module, function));
            }
            _ => {}
        }
    }

    fn declare(&mut self, module: &[String], name: String) {
        self.modules.entry(module.to_vec()).or_default().public.insert(name);
    }

    fn import(&mut self, tokens: &[TokenTree], is_public: bool, place: &Place<'_>) {
        for path in use_tree(&tokens[1..tokens.len() - 1], &[]) {
            let last = path.segments.last().cloned().unwrap_or_default();
            let import = Import { is_public, name: path.alias.unwrap_or(last), path: path.segments };
            self.modules.entry(place.module.clone()).or_default().imports.push(import);
        }
    }

    fn submodule(
        &mut self,
        name: &str,
        body: Option<&TokenTree>,
        is_listed: bool,
        attributes: &Attributes,
        place: &Place<'_>,
    ) {
        if is_listed {
            self.declare(&place.module, name.to_owned());
        }
        let mut module = place.module.clone();
        module.push(name.to_owned());
        let folder = &place.folder;
        if let Some(TokenTree::Group(body)) = body {
            self.items(&inner(body), &Place { sources: place.sources, folder: format!("{folder}{name}/"), module });
            return;
        }
        let files = match &attributes.path {
            Some(path) => vec![format!("{folder}{path}")],
            None => vec![format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")],
        };
        let file = files.iter().find(|file| place.sources.contains_key(*file));
        self.file(file.unwrap_or_else(|| panic!("no file for `mod {name}`: {files:?}")), module, place.sources);
    }

    /// The public names of a module, each with the module that it stands for, if it is one.
    fn names(&self, module: &[String], depth: usize) -> BTreeMap<String, Option<Key>> {
        let mut names: BTreeMap<String, Option<Key>> = BTreeMap::new();
        let Some(contents) = self.modules.get(module).filter(|_| depth < 9) else { return names };
        // A module and a macro may have one name.
        let mut add = |name: String, module: Option<Key>| {
            let known = names.entry(name).or_default();
            *known = known.take().or(module);
        };
        for import in contents.imports.iter().filter(|import| import.is_public) {
            if import.name == "*" {
                let path = &import.path[..import.path.len() - 1];
                let target = self.module_at(module, path, 0);
                let target = target.unwrap_or_else(|| panic!("{module:?} re-exports all names of an unknown {path:?}"));
                self.names(&target, depth + 1).into_iter().for_each(|(name, module)| add(name, module));
            } else if import.name != "_" {
                add(import.name.clone(), self.module_at(module, &import.path, 0));
            }
        }
        for name in &contents.public {
            add(name.clone(), self.child(module, name, 0));
        }
        names
    }

    /// The module that a path in `from` leads to, if it leads to a module.
    fn module_at(&self, from: &[String], path: &[String], depth: usize) -> Option<Key> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => from[..1].to_vec(),
            "self" => from.to_vec(),
            "super" => from[..from.len() - 1].to_vec(),
            name => match self.child(from, name, depth) {
                Some(child) => child,
                None => Some(vec![name.to_owned()]).filter(|name| self.modules.contains_key(name))?,
            },
        };
        rest.iter().try_fold(start, |module, name| self.child(&module, name, depth))
    }

    /// The module with a name in a module: declared there, or imported.
    fn child(&self, module: &[String], name: &str, depth: usize) -> Option<Key> {
        if name == "super" {
            return Some(module[..module.len() - 1].to_vec());
        }
        let key = [module, &[name.to_owned()]].concat();
        if self.modules.contains_key(&key) {
            return Some(key);
        }
        let contents = self.modules.get(module).filter(|_| depth < 9)?;
        let found = contents.imports.iter().filter(|import| import.name == name || import.name == "*");
        found.filter(|import| import.path.first().is_some_and(|first| first != name)).find_map(|import| {
            if import.name == name {
                return self.module_at(module, &import.path, depth + 1);
            }
            let target = self.module_at(module, &import.path[..import.path.len() - 1], depth + 1)?;
            self.child(&target, name, depth + 1)
        })
    }

    /// The public paths of a crate, from the name of the crate.
    pub(crate) fn paths(&self, name: &str) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        self.add_paths(&[name.to_owned()], name, &mut Vec::new(), &mut paths);
        paths
    }

    fn add_paths(&self, module: &[String], prefix: &str, within: &mut Vec<Key>, paths: &mut BTreeSet<String>) {
        within.push(module.to_vec());
        for (name, inner) in self.names(module, 0) {
            let path = format!("{prefix}::{name}");
            // The modules of another crate are among the paths of that one.
            if let Some(inner) = inner.filter(|inner| inner[0] == module[0] && !within.contains(inner)) {
                self.add_paths(&inner, &path, within, paths);
            }
            paths.insert(path);
        }
        within.pop();
    }
}

impl Attributes {
    /// Adds an attribute: the tokens in its brackets.
    fn add(&mut self, tokens: &[TokenTree]) {
        let arguments = tokens.get(1).and_then(|token| group_of(token, Delimiter::Parenthesis)).map(inner);
        match (tokens.first().and_then(word).as_deref(), arguments) {
            (Some("cfg"), Some(condition)) => self.is_left_out |= !holds(&condition),
            (Some("doc"), Some(arguments)) => self.is_hidden |= arguments.iter().any(|word| is_ident(word, "hidden")),
            (Some("macro_export"), _) => self.is_exported = true,
            (Some("path"), None) => self.path = Some(tokens[2].to_string().trim_matches('"').to_owned()),
            _ => {}
        }
    }
}

/// Whether a condition of `cfg` holds in the tests' build of the crates. Conditions on the target do.
fn holds(condition: &[TokenTree]) -> bool {
    let parts = |group: &Group| {
        let parts: Vec<bool> =
            inner(group).split(|token| is_punct(token, ',')).filter(|part| !part.is_empty()).map(holds).collect();
        parts
    };
    match condition {
        [name, TokenTree::Group(group)] if is_ident(name, "all") => parts(group).iter().all(|part| *part),
        [name, TokenTree::Group(group)] if is_ident(name, "any") => parts(group).iter().any(|part| *part),
        [name, TokenTree::Group(group)] if is_ident(name, "not") => !parts(group)[0],
        [name, _, value] if is_ident(name, "feature") => FEATURES.contains(&value.to_string().trim_matches('"')),
        [name] => !["test", "doc", "doctest", "docsrs", "loom", "miri"].iter().any(|word| is_ident(name, word)),
        _ => true,
    }
}

/// Whether the arms of a macro contain `pub fn $name`.
fn defines_functions(body: &TokenTree) -> bool {
    let TokenTree::Group(body) = body else { return false };
    let tokens = inner(body);
    let here = tokens
        .windows(3)
        .any(|three| is_ident(&three[0], "pub") && is_ident(&three[1], "fn") && is_punct(&three[2], '$'));
    here || tokens.iter().any(defines_functions)
}

/// The length of an item. Imports, constants and aliases end with a semicolon, others also with their first block.
fn item_end(tokens: &[TokenTree]) -> usize {
    let words: Vec<String> = tokens.iter().take(4).filter_map(word).filter(|word| word != "pub").take(2).collect();
    let has_block = match words.first().map(String::as_str) {
        Some("use" | "type" | "static") => false,
        Some("const") => ["fn", "unsafe", "async", "extern"].contains(&words.get(1).map_or("", String::as_str)),
        _ => true,
    };
    let ends = |token: &TokenTree| is_punct(token, ';') || has_block && group_of(token, Delimiter::Brace).is_some();
    tokens.iter().position(ends).map_or(tokens.len(), |at| at + 1)
}

#[test]
fn the_list_has_all_public_paths() {
    let crates = Crates::read();
    let found: BTreeSet<String> = CRATES.iter().flat_map(|(name, _)| crates.paths(name)).collect();
    let file = root().join("tests/systems/public_paths.rs");
    let listed = |text: &str| -> BTreeSet<String> {
        let path = |line: &str| Some(line.strip_prefix("use ")?.strip_suffix(" as _;")?.to_owned());
        text.lines().filter_map(path).collect()
    };
    let mut list = listed(&fs::read_to_string(&file).unwrap_or_default());
    if env::var_os("STRATA_OVERWRITE").is_some() {
        list.extend(found.iter().cloned());
        let imports: String = list.iter().map(|path| format!("use {path} as _;\n")).collect();
        fs::write(&file, format!("{HEAD}{imports}")).expect("the file can be written");
    }
    let new: Vec<&String> = found.difference(&list).collect();
    let gone: Vec<&String> = list.difference(&found).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new public paths, to be added with STRATA_OVERWRITE=1: {new:#?}\npublic paths that are gone, which breaks programs of users: {gone:#?}"
    );
}

/// The reader itself, on small made-up crates.
mod the_reader {
    use super::{Crates, Sources};

    #[track_caller]
    fn finds(files: &[(&str, &str)], expected: &[&str]) {
        let sources: Sources = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let mut crates = Crates::default();
        crates.read_crate("k", &sources);
        let paths: Vec<String> = crates.paths("k").into_iter().collect();
        assert_eq!(paths, expected);
    }

    #[test]
    fn items_of_all_kinds_are_found() {
        let items = "pub struct A; pub(crate) struct No; pub unsafe trait B {} pub const fn c() { pub struct No; } pub const D: u8 = { 3 }; \
                     pub type E = u8; pub union F { a: u8 } pub enum G { No } pub fn h() {} impl A { pub fn no() {} } \
                     #[macro_export] macro_rules! i { () => {} } macro_rules! no { () => {} } pub static J: u8 = 3; pub async fn l() {}";
        finds(
            &[("lib.rs", items)],
            &["k::A", "k::B", "k::D", "k::E", "k::F", "k::G", "k::J", "k::c", "k::h", "k::i", "k::l"],
        );
    }

    #[test]
    fn names_are_found_in_public_modules_only() {
        let files = [("lib.rs", "pub mod a; mod b; pub mod c { pub struct C; }"), ("a/mod.rs", "pub struct A;")];
        finds(&[files[0], files[1], ("b.rs", "pub struct No;")], &["k::a", "k::a::A", "k::c", "k::c::C"]);
        finds(&[("lib.rs", "#[path = \"b.rs\"] pub mod a;"), ("b.rs", "pub struct A;")], &["k::a", "k::a::A"]);
    }

    #[test]
    fn imports_make_names() {
        let lib = "mod a { pub struct A; pub mod deep { pub fn d() {} } } pub use self::a::{A as B, deep}; use a::A; pub use a::A as _;";
        finds(&[("lib.rs", lib)], &["k::B", "k::deep", "k::deep::d"]);
    }

    #[test]
    fn imports_of_all_names_make_the_public_ones() {
        let lib = "mod a { pub use super::b::*; pub struct A; struct No; } mod b { pub use other::B; pub use crate::c; } \
                   mod c { pub struct C; } pub use a::*;";
        finds(&[("lib.rs", lib)], &["k::A", "k::B", "k::c", "k::c::C"]);
    }

    #[test]
    fn hidden_items_and_those_of_other_builds_are_left_out() {
        let lib = "#[doc(hidden)] pub struct No; #[cfg(test)] pub struct No; #[cfg(feature = \"std\")] pub struct A; \
                   #[cfg(not(any(feature = \"std\", test)))] pub struct No; #[cfg(all(target_arch = \"x86_64\", not(loom)))] pub struct B; \
                   #[doc(hidden)] pub mod no { pub struct C; } pub use no::C;";
        finds(&[("lib.rs", lib)], &["k::A", "k::B", "k::C"]);
    }

    #[test]
    fn functions_that_a_macro_defines_are_found() {
        let lib = "macro_rules! make { ($(fn $name:ident;)*) => { $(pub fn $name() {})* } } make! { fn a; fn b; } no! { fn c; }";
        finds(&[("lib.rs", lib)], &["k::a", "k::b"]);
    }

    #[test]
    fn modules_that_contain_each_other_end() {
        finds(
            &[("lib.rs", "pub mod a { pub use super::b; } pub mod b { pub use super::a; }")],
            &["k::a", "k::a::b", "k::a::b::a", "k::b", "k::b::a", "k::b::a::b"],
        );
    }
}
