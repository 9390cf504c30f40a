//! The layers of `ecs/src`: every file uses only what stands before it.
//!
//! The order is the order of the `mod` items in `lib.rs`, and inside a folder that of its `mod.rs`. The checker lexes the
//! sources, so comments, doc comments and strings do not count, and it fails on
//!
//! - a path into a later module, whether imported or written out;
//! - a path through the crate root (`crate::World`), which hides which module is meant;
//! - a folder's `mod.rs` and a file in the folder that use each other (passing a name on is no use);
//! - `super::super`, which leaves the folder without naming where it goes;
//! - `unsafe` in a file that is not on [`UNSAFE_FILES`], and an entry there that is not needed;
//! - a file that no `mod` item reaches, because nothing above would look into it.
//!
//! A module named `tests` may use all of its parent. `pub use crate::reexports::name::*` passes on names of the public map.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fmt, fs};

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// The files of `ecs/src` that may contain the word `unsafe`.
const UNSAFE_FILES: &[&str] = &[
    "structure/bundle/mod.rs",
    "structure/bundle/parts.rs",
    "structure/bundle/row_writer.rs",
    "structure/bundle/transfer.rs",
    "structure/cell.rs",
    "query/change/entity.rs",
    "query/change/ticks.rs",
    "storage/column.rs",
    "storage/column/copy.rs",
    "util/aligned_memory.rs",
    "storage/column_places.rs",
    // A constant for lists of messages names a function for their clones.
    "component/description.rs",
    "component/constructor.rs",
    "system/commands/api.rs",
    "component/field.rs",
    "component/functions.rs",
    "component/erased_ref.rs",
    "component/erased_slice.rs",
    "component/erased_vec.rs",
    "entity/id_stream.rs",
    "entity/unique.rs",
    "util/id_map.rs",
    "util/interner.rs",
    "util/mailbox.rs",
    "storage/message/copy.rs",
    "storage/non_send.rs",
    "util/origin.rs",
    "util/pool/parts.rs",
    "util/prefetch.rs",
    "util/pool/share.rs",
    "query/ahead.rs",
    "query/block_iter.rs",
    "query/handle.rs",
    "query/contiguous.rs",
    "query/cursor.rs",
    "query/fetch.rs",
    "query/filter.rs",
    "query/fold.rs",
    "query/iter.rs",
    "query/lens.rs",
    "query/linked.rs",
    "query/find.rs",
    "query/many.rs",
    "query/combinations.rs",
    "query/matching_rows.rs",
    "query/nested.rs",
    "query/pairs.rs",
    "query/par.rs",
    "query/row_ranges.rs",
    "query/select.rs",
    "query/partition.rs",
    "query/terms/any_of.rs",
    "query/terms/changed.rs",
    "query/terms/component.rs",
    "query/terms/entity.rs",
    "query/terms/has.rs",
    "query/terms/new_pairs.rs",
    "query/terms/option.rs",
    "query/terms/or.rs",
    "query/terms/pairs.rs",
    "query/terms/slices.rs",
    "query/terms/source.rs",
    "query/terms/tuple.rs",
    "query/terms/whole.rs",
    "query/terms/spawned.rs",
    "query/terms/with.rs",
    "query/view.rs",
    "query/blocks.rs",
    "structure/queue/arena.rs",
    "structure/queue/pattern.rs",
    "relations/relation/payload.rs",
    "relations/relation/storage.rs",
    "relations/relationship/settled.rs",
    "structure/removal/log/copy.rs",
    "structure/removal/log.rs",
    "structure/removal/reader.rs",
    "structure/removal/record.rs",
    "storage/resource/copy.rs",
    "storage/resource.rs",
    "schedule/fused.rs",
    "schedule/parallel.rs",
    "schedule/run.rs",
    "schedule/steps.rs",
    "util/simd.rs",
    "storage/sparse/copy.rs",
    "storage/sparse/set.rs",
    "storage/sparse/storage.rs",
    "structure/store/addition.rs",
    "structure/store/apply.rs",
    "structure/store/bulk.rs",
    "structure/store/change.rs",
    "structure/store/change_spec.rs",
    "structure/store/copies.rs",
    "structure/store/columns.rs",
    "structure/store/despawn.rs",
    "structure/store/dynamic.rs",
    "structure/store/entity_at.rs",
    "structure/store/event_observers.rs",
    "structure/store/execute.rs",
    "structure/store/located.rs",
    "structure/store/make.rs",
    "structure/store/phases.rs",
    "structure/store/mod.rs",
    "structure/store/events.rs",
    "structure/store/required.rs",
    "structure/store/spawn.rs",
    "structure/store/structure.rs",
    "structure/store/transfer.rs",
    "system/base.rs",
    "system/blocks.rs",
    "system/function.rs",
    "system/linked_rows.rs",
    "system/par.rs",
    "system/param_function.rs",
    "system/rows.rs",
    "system/param.rs",
    "system/params/commands.rs",
    "system/params/deferred.rs",
    // Parameters whose type, or number, a builder says: as the others, each is a source, and a proof that it adds its access.
    "system/params/dynamic.rs",
    "system/params/filtered_resources.rs",
    "system/params/vec.rs",
    "system/params/lookup.rs",
    "system/params/non_send.rs",
    // What `single.rs` had, for all parameters.
    "system/params/query.rs",
    "system/params/removed.rs",
    "system/params/resource.rs",
    "system/params/set.rs",
    "system/params/single.rs",
    "system/params/tuples.rs",
    "system/params/world.rs",
    "system/tasks.rs",
    "storage/table.rs",
    "storage/table/bulk.rs",
    "storage/table/copy.rs",
    "storage/table/moves.rs",
    "storage/table/tables.rs",
    "storage/table/shrink.rs",
    "storage/table/watch.rs",
    "storage/tracking/column.rs",
    "storage/tracking/rows.rs",
    "world/cast.rs",
    // Its terms are not those of the library.
    "world/tests/dynamic_terms.rs",
    "world/tests/row_cursor.rs",
];

#[test]
fn every_file_uses_only_what_stands_before_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ecs/src");
    let mut sources = Sources::new();
    read_sources(&root, "", &mut sources);
    let complaints = check(&sources, UNSAFE_FILES);
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

fn read_sources(folder: &Path, prefix: &str, into: &mut Sources) {
    for entry in fs::read_dir(folder).expect("the folder of the core is readable") {
        let entry = entry.expect("its entries are readable");
        let name = entry.file_name().into_string().expect("file names are UTF-8");
        let path = entry.path();
        if path.is_dir() {
            read_sources(&path, &format!("{prefix}{name}/"), into);
        } else if name.ends_with(".rs") {
            into.insert(format!("{prefix}{name}"), fs::read_to_string(&path).expect("sources are UTF-8"));
        }
    }
}

/// File name relative to the source folder, and its text.
type Sources = BTreeMap<String, String>;
/// The segments of a module path, without `crate`.
type ModulePath = Vec<String>;

/// All complaints about `sources`, each with its file and line.
fn check(sources: &Sources, unsafe_files: &[&str]) -> Vec<String> {
    let mut scan = Scan::new(sources);
    scan.file("lib.rs", Vec::new());
    let mut judge = Judge { scan: &scan, complaints: Vec::new(), parent_uses: Vec::new(), child_uses: Vec::new() };
    for reference in &scan.references {
        judge.reference(reference);
    }
    judge.folders();
    let mut complaints = judge.complaints;
    complaints.extend(scan.complaints.iter().cloned());
    complaints.extend(scan.unreached());
    complaints.extend(scan.misplaced_unsafe(unsafe_files));
    complaints.dedup();
    complaints
}

/// A place in the sources to complain about.
#[derive(Clone, Debug)]
struct Spot {
    file: String,
    line: usize,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A module: where it is written and which modules it declares, in order.
#[derive(Debug, Default)]
struct Module {
    /// The module that owns the file: the module itself unless it is written inline.
    home: ModulePath,
    children: Vec<String>,
    /// Public imports: the name and what it stands for.
    reexports: BTreeMap<String, ModulePath>,
}

/// A path that was found in the code, made absolute.
#[derive(Debug)]
struct Reference {
    home: ModulePath,
    target: ModulePath,
    /// The name that a public import gives to the target.
    reexport: Option<String>,
    spot: Spot,
}

/// Where the scanner is.
#[derive(Clone)]
struct Place {
    file: String,
    /// The folder in which `mod x;` looks for its file, with a slash at the end.
    folder: String,
    home: ModulePath,
    module: ModulePath,
}

/// Reads files and collects modules, paths and uses of `unsafe`.
struct Scan<'a> {
    sources: &'a Sources,
    modules: BTreeMap<ModulePath, Module>,
    references: Vec<Reference>,
    unsafe_spots: Vec<Spot>,
    /// The words of every file, imports aside.
    words: BTreeMap<ModulePath, BTreeSet<String>>,
    reached: BTreeSet<String>,
    complaints: Vec<String>,
}

impl<'a> Scan<'a> {
    fn new(sources: &'a Sources) -> Self {
        Self {
            sources,
            modules: BTreeMap::new(),
            references: Vec::new(),
            unsafe_spots: Vec::new(),
            words: BTreeMap::new(),
            reached: BTreeSet::new(),
            complaints: Vec::new(),
        }
    }

    fn file(&mut self, file: &str, module: ModulePath) {
        self.reached.insert(file.to_owned());
        let tokens: TokenStream = self.sources[file].parse().unwrap_or_else(|e| panic!("{file} does not lex: {e}"));
        let folder = match file.strip_suffix("lib.rs").or_else(|| file.strip_suffix("mod.rs")) {
            Some(folder) => folder.to_owned(),
            None => format!("{}/", &file[..file.len() - ".rs".len()]),
        };
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
                    if word == "strata_ecs" || !ends_in_colons(&tokens[..i]) {
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
            "crate" | "strata_ecs" if !rest.is_empty() => Vec::new(),
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

    fn unreached(&self) -> Vec<String> {
        let unreached = self.sources.keys().filter(|file| !self.reached.contains(*file));
        unreached.map(|file| format!("{file}: no `mod` item leads here")).collect()
    }

    fn misplaced_unsafe(&self, allowed: &[&str]) -> Vec<String> {
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
    fn spot(&self, token: &TokenTree) -> Spot {
        Spot { file: self.file.clone(), line: token.span().start().line }
    }
}

/// One path of a `use` item.
#[derive(Clone)]
struct UsePath {
    segments: Vec<String>,
    alias: Option<String>,
    line: usize,
}

/// Takes a `use` tree apart into its paths.
fn use_tree(tokens: &[TokenTree], prefix: &[String]) -> Vec<UsePath> {
    let mut paths = Vec::new();
    for tree in tokens.split(|t| is_punct(t, ',')).filter(|tree| !tree.is_empty()) {
        let mut segments = prefix.to_vec();
        let (mut alias, mut group) = (None, false);
        for (i, token) in tree.iter().enumerate() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    alias = tree.get(i + 1).and_then(ident).map(Ident::to_string);
                    break;
                }
                TokenTree::Ident(word) if word == "self" && !segments.is_empty() => {}
                TokenTree::Ident(word) => segments.push(word.to_string()),
                TokenTree::Punct(punct) if punct.as_char() == '*' => segments.push("*".to_owned()),
                TokenTree::Group(inner) => {
                    let inner: Vec<TokenTree> = inner.stream().into_iter().collect();
                    paths.extend(use_tree(&inner, &segments));
                    group = true;
                }
                _ => {}
            }
        }
        if !group {
            paths.push(UsePath { segments, alias, line: tree[0].span().start().line });
        }
    }
    paths
}

/// The segments of the path that starts at the first token, as far as they are plain names.
fn plain_path(tokens: &[TokenTree]) -> Vec<String> {
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

fn ident(token: &TokenTree) -> Option<&Ident> {
    if let TokenTree::Ident(word) = token { Some(word) } else { None }
}

fn is_ident(token: &TokenTree, word: &str) -> bool {
    ident(token).is_some_and(|ident| ident == word)
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn ends_in_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [.., first, second] if is_punct(first, ':') && is_punct(second, ':'))
}

/// Decides which references are wrong.
struct Judge<'a> {
    scan: &'a Scan<'a>,
    complaints: Vec<String>,
    /// A folder's own file that uses one of the files in the folder: folder, file, where.
    parent_uses: Vec<(ModulePath, String, Spot)>,
    /// A file that uses what its folder's own file defines.
    child_uses: Vec<(ModulePath, String, Spot)>,
}

impl Judge<'_> {
    fn reference(&mut self, reference: &Reference) {
        if !reference.home.is_empty() {
            self.path(reference, &reference.target, 0);
        }
    }

    fn path(&mut self, reference: &Reference, path: &[String], depth: usize) {
        let Reference { home, reexport, spot, .. } = reference;
        let (module, rest) = self.resolve(path);
        let target = &self.scan.modules[module].home;
        let common = target.iter().zip(home).take_while(|(a, b)| a == b).count();
        if target.is_empty() {
            let name = path.join("::");
            let fix = "name the module that defines it";
            self.complaints.push(format!("{spot}: `crate::{name}` goes through the crate root: {fix}"));
        } else if target == home || home[common..].first().is_some_and(|m| m == "tests") && common == target.len() {
        } else if common == target.len() {
            let exports = &self.scan.modules[module].reexports;
            match rest.first() {
                Some(name) if depth < 8 && exports.contains_key(name) => {
                    self.path(reference, &exports[name], depth + 1);
                }
                Some(name) if name == "*" => {
                    self.complaints.push(format!("{spot}: a glob import of the folder hides what is used"));
                }
                _ => self.child_uses.push((target.clone(), home[common].clone(), spot.clone())),
            }
        } else if common == home.len() {
            let only_passed_on = |name: &String| self.scan.words.get(home).is_none_or(|words| !words.contains(name));
            if !reexport.as_ref().is_some_and(only_passed_on) {
                self.parent_uses.push((home.clone(), target[common].clone(), spot.clone()));
            }
        } else {
            let folder = &home[..common];
            let (own, other) = (&home[common], &target[common]);
            if self.position(folder, other) > self.position(folder, own) {
                self.complaints.push(format!("{spot}: upward: `{own}` uses `{other}`, which comes after it"));
            }
        }
    }

    /// The innermost module on the way along `path`, and the rest of the path.
    fn resolve<'p>(&self, path: &'p [String]) -> (&'p [String], &'p [String]) {
        let known = |n: &usize| self.scan.modules.contains_key(&path[..*n]);
        path.split_at((0..=path.len()).take_while(known).last().unwrap_or(0))
    }

    fn position(&self, folder: &[String], child: &str) -> Option<usize> {
        self.scan.modules[folder].children.iter().position(|c| c == child)
    }

    /// A folder's own file stands after the files that it uses and before those that use it.
    fn folders(&mut self) {
        for (folder, used, spot) in &self.parent_uses {
            for (other, user, user_spot) in &self.child_uses {
                if folder == other && self.position(folder, used) >= self.position(folder, user) {
                    let name = folder.join("/");
                    let text = format!("`{name}` uses `{used}` here, and `{user}` uses `{name}` at {user_spot}");
                    self.complaints.push(format!("{spot}: cycle: {text}"));
                }
            }
        }
    }
}

/// The checker itself, on small made-up sources.
mod the_checker {
    use super::{Sources, check};

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Sources = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        check(&sources, &[])
    }

    #[track_caller]
    fn refuses(files: &[(&str, &str)], expected: &str) {
        let complaints = complaints(files);
        assert_eq!(complaints.len(), 1, "{complaints:#?}");
        assert!(complaints[0].contains(expected), "{complaints:#?}");
    }

    #[track_caller]
    fn accepts(files: &[(&str, &str)]) {
        assert_eq!(complaints(files), Vec::<String>::new());
    }

    const LIB: (&str, &str) = ("lib.rs", "mod low; pub mod high; pub use high::High;");
    const HIGH: (&str, &str) = ("high.rs", "use crate::low::Low; pub struct High(Low);");

    #[test]
    fn accepts_paths_to_earlier_modules_and_to_other_crates() {
        let low = "use core::fmt::Debug; use alloc::{vec, high}; fn f(pub_: pub_::high::X) { super_(self.high) }";
        accepts(&[LIB, HIGH, ("low.rs", low)]);
    }

    #[test]
    fn refuses_an_import_of_a_later_module() {
        refuses(&[LIB, HIGH, ("low.rs", "\n\nuse crate::high::High;")], "low.rs:3: upward: `low` uses `high`");
    }

    #[test]
    fn refuses_a_later_module_deep_in_an_import_tree() {
        refuses(&[LIB, HIGH, ("low.rs", "use {crate::{low::X, high::{self as h}}, core::fmt};")], "upward");
    }

    #[test]
    fn refuses_a_path_into_a_later_module_in_code() {
        refuses(&[LIB, HIGH, ("low.rs", "fn f() { if true { g::<crate::high::High>(); } }")], "upward");
        refuses(&[LIB, HIGH, ("low.rs", "macro_rules! m { () => { $crate::high::High::new() } }")], "upward");
        refuses(&[LIB, HIGH, ("low.rs", "fn f(x: super::high::High) {}")], "upward");
    }

    #[test]
    fn refuses_the_crate_root() {
        refuses(&[LIB, HIGH, ("low.rs", "use crate::High;")], "`crate::High` goes through the crate root");
        refuses(&[LIB, HIGH, ("low.rs", "use crate::*;")], "crate root");
        refuses(&[LIB, HIGH, ("low.rs", "type X = ::strata_ecs::High;")], "crate root");
        refuses(&[LIB, HIGH, ("low.rs", "fn f() { super::High::new() }")], "crate root");
    }

    #[test]
    fn visibilities_are_no_imports() {
        accepts(&[LIB, HIGH, ("low.rs", "pub(crate) struct A; pub(in crate::high) struct B; pub(super) fn f() {}")]);
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        let low = "//! use crate::high::High;\n/// [`crate::high::High`] unsafe\n/* crate::High */\nconst X: &str = \"crate::high unsafe\";";
        accepts(&[LIB, HIGH, ("low.rs", low)]);
    }

    #[test]
    fn refuses_to_climb_twice() {
        let folder = [("lib.rs", "mod a; mod b;"), ("a.rs", ""), ("b/mod.rs", "mod c;")];
        refuses(&[folder[0], folder[1], folder[2], ("b/c.rs", "use super::super::a::A;")], "super::super");
    }

    #[test]
    fn the_order_inside_a_folder_counts() {
        let files = [("lib.rs", "mod b;"), ("b/mod.rs", "mod one; mod two; pub use self::two::Two;")];
        accepts(&[files[0], files[1], ("b/one.rs", ""), ("b/two.rs", "use super::one::One;")]);
        refuses(&[files[0], files[1], ("b/one.rs", "use super::two::Two;"), ("b/two.rs", "")], "upward");
        refuses(&[files[0], files[1], ("b/one.rs", "use crate::b::Two;"), ("b/two.rs", "")], "upward");
        refuses(&[files[0], files[1], ("b/one.rs", "use super::*;"), ("b/two.rs", "")], "glob");
    }

    #[test]
    fn a_folders_own_file_and_its_files_do_not_use_each_other() {
        let below = ("b/one.rs", "use super::Base;");
        accepts(&[("lib.rs", "mod b;"), ("b/mod.rs", "mod one; pub use one::One; struct Base;"), below]);
        accepts(&[("lib.rs", "mod b;"), ("b/mod.rs", "mod one; fn f() -> one::One {}"), ("b/one.rs", "")]);
        refuses(&[("lib.rs", "mod b;"), ("b/mod.rs", "mod one; use one::One; struct Base;"), below], "cycle");
        let passed_on_and_used = "mod one; pub use one::One; struct Base(One);";
        refuses(&[("lib.rs", "mod b;"), ("b/mod.rs", passed_on_and_used), below], "cycle");
        let both = "mod zero; mod one; use self::zero::Zero; struct Base;";
        accepts(&[("lib.rs", "mod b;"), ("b/mod.rs", both), ("b/zero.rs", ""), below]);
    }

    #[test]
    fn modules_named_tests_may_use_their_parent_and_no_more() {
        accepts(&[("lib.rs", "mod a;"), ("a.rs", "struct A; mod tests { use super::*; }")]);
        accepts(&[("lib.rs", "mod a;"), ("a.rs", "struct A; mod tests;"), ("a/tests.rs", "use super::*;")]);
        refuses(&[LIB, HIGH, ("low.rs", "mod tests { use crate::high::High; }")], "upward");
    }

    #[test]
    fn refuses_unsafe_outside_the_list_and_lists_that_are_too_long() {
        let files = [LIB, HIGH, ("low.rs", "\nfn f() { unsafe { g() } }")];
        refuses(&files, "low.rs:2: `unsafe`");
        let captures = ("low.rs", "\nfn f<'a>() -> impl Fn() + use<'a> { || unsafe { g() } }");
        refuses(&[LIB, HIGH, captures], "low.rs:2: `unsafe`");
        let sources: Sources = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        assert_eq!(check(&sources, &["low.rs"]), Vec::<String>::new());
        assert_eq!(check(&sources, &["low.rs", "high.rs"]).len(), 1);
    }

    #[test]
    fn refuses_files_that_it_would_not_look_into() {
        refuses(&[LIB, HIGH, ("low.rs", ""), ("lost.rs", "")], "lost.rs: no `mod` item leads here");
        refuses(&[LIB, HIGH, ("low.rs", "mod gone;")], "no file for `mod gone`");
        let lib = ("lib.rs", "#[path = \"b.rs\"] pub mod a; mod c;");
        refuses(&[lib, ("b.rs", "use crate::c::C;"), ("c.rs", "")], "b.rs:1: upward: `a` uses `c`");
    }
}
