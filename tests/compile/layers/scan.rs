//! Reads the modules of a crate and the paths in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use crate::tokens::{Sources, UsePath, ident, is_ident, is_punct, module_folder, use_tree};

/// The segments of a module path, without `crate`.
pub(super) type ModulePath = Vec<String>;

/// A place in the sources to complain about.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) file: String,
    pub(super) line: usize,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A module: where it is written and which modules it declares, in order.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The module that owns the file: the module itself unless it is written inline.
    pub(super) home: ModulePath,
    pub(super) children: Vec<String>,
    /// Public imports: the name and what it stands for.
    pub(super) reexports: BTreeMap<String, ModulePath>,
}

/// A path that was found in the code, made absolute.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) home: ModulePath,
    pub(super) target: ModulePath,
    /// The name that a public import gives to the target.
    pub(super) reexport: Option<String>,
    pub(super) spot: Spot,
}

/// Where the scanner is.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) file: String,
    /// The folder in which `mod x;` looks for its file, with a slash at the end.
    pub(super) folder: String,
    pub(super) home: ModulePath,
    pub(super) module: ModulePath,
}

/// Reads files and collects modules, paths and uses of `unsafe`.
pub(super) struct Scan<'a> {
    pub(super) sources: &'a Sources,
    /// The name by which the crate may name itself.
    name: &'a str,
    pub(super) modules: BTreeMap<ModulePath, Module>,
    pub(super) references: Vec<Reference>,
    pub(super) unsafe_spots: Vec<Spot>,
    /// The words of every file, imports aside.
    pub(super) words: BTreeMap<ModulePath, BTreeSet<String>>,
    pub(super) reached: BTreeSet<String>,
    pub(super) complaints: Vec<String>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(sources: &'a Sources, name: &'a str) -> Self {
        Self {
            sources,
            name,
            modules: BTreeMap::new(),
            references: Vec::new(),
            unsafe_spots: Vec::new(),
            words: BTreeMap::new(),
            reached: BTreeSet::new(),
            complaints: Vec::new(),
        }
    }

    pub(super) fn file(&mut self, file: &str, module: ModulePath) {
        self.reached.insert(file.to_owned());
        let tokens: TokenStream = self.sources[file].parse().unwrap_or_else(|e| panic!("{file} does not lex: {e}"));
        let folder = module_folder(file);
        let place = Place { file: file.to_owned(), folder, home: module.clone(), module };
        self.module(tokens, &place);
    }

    /// The contents of a module: first which children it has, then everything in it.
    fn module(&mut self, tokens: TokenStream, place: &Place) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let children = tokens.windows(2).filter(|pair| is_ident(&pair[0], "mod")).filter_map(|pair| ident(&pair[1]));
        let entry = self.modules.entry(place.module.clone()).or_default();
        entry.home.clone_from(&place.home);
        entry.children.extend(children.map(Ident::to_string));
        self.body(&tokens, place);
    }

    fn body(&mut self, tokens: &[TokenTree], place: &Place) {
        let mut public = false;
        // What `#[path = ".."]` said of the item that follows.
        let mut path_attribute = None;
        let mut i = 0;
        while i < tokens.len() {
            let spot = place.spot(&tokens[i]);
            let rest = &tokens[i..];
            match &tokens[i] {
                TokenTree::Ident(word) if word == "pub" => {
                    public = true;
                    i += 1 + usize::from(matches!(rest.get(1), Some(TokenTree::Group(_))));
                    continue;
                }
                // `use<'a>` says what a type captures.
                TokenTree::Ident(word) if word == "use" && !rest.get(1).is_some_and(|next| is_punct(next, '<')) => {
                    let end = rest.iter().position(|t| is_punct(t, ';')).unwrap_or(rest.len());
                    for path in use_tree(&rest[1..end], &[]) {
                        self.import(path, public, place);
                    }
                    i += end;
                }
                TokenTree::Ident(word) if word == "mod" => i += self.declaration(rest, path_attribute.take(), place),
                TokenTree::Ident(word) => {
                    if word == "unsafe" {
                        self.unsafe_spots.push(spot.clone());
                    }
                    self.words.entry(place.home.clone()).or_default().insert(word.to_string());
                    if word == self.name || !ends_in_colons(&tokens[..i]) {
                        let path = plain_path(rest);
                        i += 3 * (path.len() - 1);
                        self.refer(path, None, spot, place);
                    }
                }
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    if let [name, _, TokenTree::Literal(file)] = &inner[..]
                        && group.delimiter() == Delimiter::Bracket
                        && is_ident(name, "path")
                    {
                        path_attribute = Some(file.to_string().trim_matches('"').to_owned());
                    }
                    self.body(&inner, place);
                }
                _ => {}
            }
            public = false;
            i += 1;
        }
    }

    /// `mod name { .. }` or `mod name;`; how many tokens to skip besides the word `mod`.
    fn declaration(&mut self, tokens: &[TokenTree], path: Option<String>, place: &Place) -> usize {
        let Some(name) = tokens.get(1).and_then(ident).map(Ident::to_string) else { return 0 };
        let mut inner = place.clone();
        inner.module.push(name.clone());
        if let Some(TokenTree::Group(group)) = tokens.get(2) {
            inner.folder = format!("{}{name}/", place.folder);
            self.module(group.stream(), &inner);
            return 2;
        }
        let files = match path {
            Some(path) => vec![format!("{}{path}", place.folder)],
            None => vec![format!("{}{name}.rs", place.folder), format!("{}{name}/mod.rs", place.folder)],
        };
        match files.iter().find(|file| self.sources.contains_key(*file)) {
            Some(file) => self.file(file, inner.module),
            None => self.complaints.push(format!("{}: no file for `mod {name}`", place.spot(&tokens[0]))),
        }
        1
    }

    fn import(&mut self, path: UsePath, public: bool, place: &Place) {
        // The map of public modules gives names of higher layers to lower ones. These pass them on, and use none.
        if public
            && path.segments.starts_with(&["crate".into(), "reexports".into()])
            && path.segments[2..].last().is_some_and(|last| last == "*")
        {
            return;
        }
        let spot = Spot { file: place.file.clone(), line: path.line };
        let reexport = path.alias.or_else(|| path.segments.last().cloned()).filter(|_| public);
        let Some(target) = self.refer(path.segments, reexport.clone(), spot, place) else { return };
        if let (Some(name), Some(module)) = (reexport, self.modules.get_mut(&place.module)) {
            module.reexports.insert(name, target);
        }
    }

    /// Notes a path if it leads into this crate, and returns it from the crate's root.
    fn refer(&mut self, path: Vec<String>, reexport: Option<String>, spot: Spot, place: &Place) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" if !rest.is_empty() => Vec::new(),
            name if name == self.name && !rest.is_empty() => Vec::new(),
            "self" if !rest.is_empty() => place.module.clone(),
            "super" if rest.first().is_some_and(|next| next == "super") => {
                self.complaints.push(format!("{spot}: `super::super` hides where the path goes: start it at `crate`"));
                return None;
            }
            "super" if !rest.is_empty() => place.module[..place.module.len().saturating_sub(1)].to_vec(),
            child if self.modules.get(&place.module)?.children.iter().any(|c| c == child) => {
                let mut target = place.module.clone();
                target.push(first.clone());
                target
            }
            _ => return None,
        };
        target.extend(rest.iter().cloned());
        self.references.push(Reference { home: place.home.clone(), target: target.clone(), reexport, spot });
        Some(target)
    }

    pub(super) fn unreached(&self) -> Vec<String> {
        let unreached = self.sources.keys().filter(|file| !self.reached.contains(*file));
        unreached.map(|file| format!("{file}: no `mod` item leads here")).collect()
    }

    pub(super) fn misplaced_unsafe(&self, allowed: &[&str]) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut files = BTreeSet::new();
        for spot in &self.unsafe_spots {
            if files.insert(spot.file.as_str()) && !allowed.contains(&spot.file.as_str()) {
                complaints.push(format!("{spot}: `unsafe` in a file that is not on the list"));
            }
        }
        for file in allowed.iter().filter(|file| !files.contains(**file)) {
            complaints.push(format!("{file}: on the list of files with `unsafe`, and has none"));
        }
        complaints
    }
}

impl Place {
    pub(super) fn spot(&self, token: &TokenTree) -> Spot {
        Spot { file: self.file.clone(), line: token.span().start().line }
    }
}

/// Returns the segments of the path that starts at the first token, up to the first segment that is not a plain name.
pub(super) fn plain_path(tokens: &[TokenTree]) -> Vec<String> {
    let mut path = vec![tokens[0].to_string()];
    let mut i = 1;
    while let [first, second, TokenTree::Ident(name), ..] = &tokens[i..] {
        if !is_punct(first, ':') || !is_punct(second, ':') {
            break;
        }
        path.push(name.to_string());
        i += 3;
    }
    path
}

pub(super) fn ends_in_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [.., first, second] if is_punct(first, ':') && is_punct(second, ':'))
}
