//! Each method that bevy_ecs has and the type here lacks is on the page `from_bevy`.
//!
//! `bevy_methods.txt` lists the public methods of the types and traits of bevy_ecs 0.20.1, without those that are unsafe. For each type
//! that exists here under the path that it has in bevy, the test searches the methods in the sources of the core: among the methods of the
//! type, the methods of traits that it implements, and the methods that macros write. `guide/from_bevy_methods.md` must list exactly the
//! missing methods. `STRATA_OVERWRITE=1` rewrites that page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::public_paths::Crates;

const HEAD: &str = "\
# Methods that are not here

Methods of types that bevy_ecs has, too, which the type here lacks. For some the list above names another one. Reflection, relations, what
runs without checks and the inside of bevy_ecs stay out.

";

/// Types that give access to the methods of others, or are other names of them.
const DEREFS: &[(&str, &str)] = &[
    ("DeferredWorld", "World"),
    ("EcsError", "BoxError"),
    ("BevyError", "EcsError"),
    ("ContiguousRef", "RefSlice"),
    ("MutUntyped", "ErasedMut"),
];

#[derive(Default)]
struct Methods {
    /// By the name of a type or trait.
    own: BTreeMap<String, BTreeSet<String>>,
    /// By the name of a type: the traits that it implements.
    traits: BTreeMap<String, BTreeSet<String>>,
    /// By the name of a macro: the functions that it writes, and the names that it mentions or is called with. Those among them that are
    /// types may have the functions.
    macros: BTreeMap<String, Macro>,
}

#[derive(Default)]
struct Macro {
    functions: BTreeSet<String>,
    names: BTreeSet<String>,
    /// The macros that its body calls.
    calls: BTreeSet<String>,
}

impl Methods {
    fn has(&self, owner: &str, method: &str) -> bool {
        let has = |owner: &str| self.own.get(owner).is_some_and(|own| own.contains(method));
        let derefs = DEREFS.iter().filter(|(from, _)| *from == owner);
        self.macros.iter().any(|(name, of)| of.names.contains(owner) && self.writes(name, method, 4))
            || has(owner)
            || self.traits.get(owner).is_some_and(|traits| traits.iter().any(|name| has(name)))
            || derefs.into_iter().any(|(_, to)| self.has(to, method))
    }

    /// Whether a macro, or one that it calls, writes a function. `depth` ends the search where macros call themselves.
    fn writes(&self, name: &str, method: &str, depth: usize) -> bool {
        let Some(of) = self.macros.get(name) else { return false };
        of.functions.contains(method)
            || depth > 0 && of.calls.iter().any(|called| called != name && self.writes(called, method, depth - 1))
    }

    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            match word(token).as_deref() {
                Some("impl") => self.read_impl(&tokens[at + 1..]),
                Some("trait") => {
                    if let (Some(name), Some(body)) = (tokens.get(at + 1).and_then(word), body(&tokens[at..])) {
                        self.own.entry(name).or_default().extend(functions(body, false));
                    }
                }
                Some("mod") => {
                    if let Some(TokenTree::Group(inner)) = tokens.get(at + 2) {
                        self.read(inner.stream());
                    }
                }
                _ if is(token, '!') => self.read_macro(&tokens, at),
                _ => {}
            }
        }
    }

    /// The definition or the call of a macro, of which this is the exclamation mark.
    fn read_macro(&mut self, tokens: &[TokenTree], at: usize) {
        let Some(called) = at.checked_sub(1).and_then(|before| word(&tokens[before])) else { return };
        let Some(group) = tokens[at + 1..].iter().take(2).find_map(group) else { return };
        let is_definition = called == "macro_rules";
        let name = if is_definition { tokens.get(at + 1).and_then(word) } else { Some(called) };
        let of = self.macros.entry(name.unwrap_or_default()).or_default();
        of.functions.extend(all_functions(group.clone()));
        of.names.extend(all_words(group.clone()));
        if is_definition {
            of.calls.extend(all_calls(group));
        }
    }

    /// Reads the tokens after the word `impl`, if they are an item.
    fn read_impl(&mut self, tokens: &[TokenTree]) {
        let (Some(body), head) = (body(tokens), head(tokens)) else { return };
        let head = without_generics(head);
        let for_at = (0..head.len()).find(|&at| {
            word(&head[at]).as_deref() == Some("for") && !head.get(at + 1).is_some_and(|next| is(next, '<'))
        });
        let (of_trait, owner) = match for_at {
            Some(at) => (Some(&head[..at]), &head[at + 1..]),
            None => (None, head),
        };
        let Some(owner) = last_name(owner) else { return };
        for called in all_calls(body.clone()) {
            self.macros.entry(called).or_default().names.insert(owner.clone());
        }
        self.own.entry(owner.clone()).or_default().extend(functions(body, of_trait.is_none()));
        self.traits.entry(owner).or_default().extend(of_trait.and_then(last_name));
    }
}

fn word(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    }
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn group(token: &TokenTree) -> Option<TokenStream> {
    match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    }
}

/// Returns the tokens before the body of an item.
fn head(tokens: &[TokenTree]) -> &[TokenTree] {
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    &tokens[..tokens.iter().position(is_end).unwrap_or(tokens.len())]
}

/// The body of an item; `None` if it ends before.
fn body(tokens: &[TokenTree]) -> Option<TokenStream> {
    let head = head(tokens);
    let ends = head.iter().any(|token| is(token, ';') || is(token, '='));
    // The head of a trait may have bounds with a `=`, in angle brackets.
    let ends = ends && head.iter().any(|token| is(token, ';'));
    if ends { None } else { tokens.get(head.len()).and_then(group) }
}

/// Behind `<..>`, if that comes first.
fn without_generics(tokens: &[TokenTree]) -> &[TokenTree] {
    if !tokens.first().is_some_and(|first| is(first, '<')) {
        return tokens;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        let is_arrow = at > 0 && is(&tokens[at - 1], '-');
        if is(token, '<') {
            depth += 1;
        } else if is(token, '>') && !is_arrow {
            depth -= 1;
            if depth == 0 {
                return &tokens[at + 1..];
            }
        }
    }
    &[]
}

/// The name of a type or trait, of which this is the path.
fn last_name(path: &[TokenTree]) -> Option<String> {
    let mut start = 0;
    while let Some(token) = path.get(start) {
        // A lifetime is a sign and a word.
        start += match word(token).as_deref() {
            Some("mut" | "dyn" | "const") => 1,
            None if is(token, '&') => 1,
            None if is(token, '\'') => 2,
            _ => break,
        };
    }
    let mut name = None;
    for token in path.get(start..)? {
        match token {
            TokenTree::Ident(_) if name.is_none() => name = word(token),
            TokenTree::Punct(punct) if punct.as_char() == ':' => name = None,
            _ => break,
        }
    }
    name
}

/// The functions of a body: the public ones only, or all.
fn functions(body: TokenStream, public: bool) -> Vec<String> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut names = Vec::new();
    let mut is_public = false;
    for (at, token) in tokens.iter().enumerate() {
        match word(token).as_deref() {
            Some("pub") => is_public = group(&tokens[at + 1]).is_none(),
            Some("fn") => {
                if is_public || !public {
                    names.extend(tokens.get(at + 1).and_then(word));
                }
                is_public = false;
            }
            _ => {}
        }
        if is(token, '!') {
            names.extend(tokens.get(at + 1).and_then(group).into_iter().flat_map(all_functions));
        }
    }
    names
}

/// All functions, wherever they stand.
fn all_functions(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut names: Vec<String> = tokens.iter().filter_map(group).flat_map(all_functions).collect();
    let named = tokens.iter().zip(tokens.iter().skip(1)).filter(|(token, _)| word(token).as_deref() == Some("fn"));
    names.extend(named.filter_map(|(_, name)| word(name)));
    names
}

/// All words, wherever they stand.
fn all_words(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let inner = tokens.iter().filter_map(group).flat_map(all_words);
    tokens.iter().filter_map(word).chain(inner).collect()
}

/// The names of all macros that are called, wherever they stand.
fn all_calls(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let inner = tokens.iter().filter_map(group).flat_map(all_calls);
    let called = tokens.iter().zip(tokens.iter().skip(1)).filter(|(_, sign)| is(sign, '!'));
    called.filter_map(|(name, _)| word(name)).chain(inner).collect()
}

fn read_folder(folder: &Path, methods: &mut Methods) {
    for entry in fs::read_dir(folder).expect("the folder of the core is readable") {
        let path = entry.expect("its entries are readable").path();
        if path.is_dir() {
            read_folder(&path, methods);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("sources are UTF-8");
            methods.read(text.parse().expect("sources lex"));
        }
    }
}

/// The page as it has to be.
fn expected(root: &Path) -> String {
    let mut methods = Methods::default();
    read_folder(&root.join("ecs/src"), &mut methods);
    let paths = Crates::read().paths("strata_ecs");
    let here: BTreeSet<&str> = paths.iter().filter_map(|path| path.rsplit("::").next()).collect();
    let list = fs::read_to_string(root.join("tests/compile/bevy_methods.txt")).expect("the list is there");
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (owner, method) in list.lines().filter_map(|line| line.split_once("::")) {
        if here.contains(owner) && !methods.has(owner, method) {
            missing.entry(owner).or_default().push(format!("`{method}`"));
        }
    }
    let count: usize = missing.values().map(Vec::len).sum();
    assert!((100..800).contains(&count), "the methods of the core were not found: {count} are missing");
    let lines = missing.into_iter().map(|(owner, methods)| format!("- `{owner}`: {}.\n", methods.join(", ")));
    format!("{HEAD}{}", lines.collect::<String>())
}

#[test]
fn methods_of_bevy_ecs_that_are_missing_are_on_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = root.join("ecs/src/guide/from_bevy_methods.md");
    let wanted = expected(&root);
    if env::var_os("STRATA_OVERWRITE").is_some() {
        fs::write(&page, &wanted).expect("the page can be written");
    }
    let found = fs::read_to_string(&page).unwrap_or_default();
    let [wanted, found] = [&wanted, &found].map(|text| text.lines().collect::<BTreeSet<_>>());
    let different: Vec<_> = wanted.symmetric_difference(&found).copied().collect();
    assert!(
        different.is_empty(),
        "the page does not list the methods that are missing: write it with STRATA_OVERWRITE=1, and see that what is listed has no other \
         name here that `from_bevy.md` should tell.\n{}",
        different.join("\n")
    );
}

#[test]
fn methods_are_found_in_all_forms() {
    let code = "impl<'a, T: Fn() -> u8> module::A<'a, T> where T: X { pub fn of_a(&self) {} fn private() {} pub(crate) fn hidden() {} \
                pub const fn constant() {} } \
                impl<T> Named for &'a mut B<T> { fn of_trait(); } trait Named: Sized { fn first(); fn given() { fn inner() {} } } \
                macro_rules! m { () => { impl C { pub fn of_macro() {} } }; ($x:ident) => { inner!(); } } m!(E); \
                macro_rules! inner { () => { pub fn of_inner() {} } } mod inner { impl D { pub fn of_d() {} } } \
                fn f(x: impl Fn()) -> impl Iterator { x }";
    let mut methods = Methods::default();
    methods.read(code.parse().unwrap());
    for (owner, method) in [
        ("A", "of_a"),
        ("A", "constant"),
        ("C", "of_macro"),
        ("E", "of_macro"),
        ("E", "of_inner"),
        ("B", "of_trait"),
        ("B", "given"),
        ("Named", "first"),
        ("D", "of_d"),
    ] {
        assert!(methods.has(owner, method), "{owner}::{method}");
    }
    for (owner, method) in [
        ("A", "of_macro"),
        ("D", "of_inner"),
        ("A", "private"),
        ("A", "hidden"),
        ("A", "of_d"),
        ("B", "inner"),
        ("D", "f"),
    ] {
        assert!(!methods.has(owner, method), "{owner}::{method}");
    }
}
