//! Sources and tokens, as the tests of this program read them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, Ident, TokenTree};

/// File name relative to a source folder, and its text.
pub(crate) type Sources = BTreeMap<String, String>;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files below a folder.
pub(crate) fn read_sources(folder: &Path) -> Sources {
    let mut sources = Sources::new();
    read_into(folder, "", &mut sources);
    assert!(!sources.is_empty(), "no sources in {}", folder.display());
    sources
}

fn read_into(folder: &Path, prefix: &str, into: &mut Sources) {
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let entry = entry.expect("its entries are readable");
        let name = entry.file_name().into_string().expect("file names are UTF-8");
        let path = entry.path();
        if path.is_dir() {
            read_into(&path, &format!("{prefix}{name}/"), into);
        } else if name.ends_with(".rs") {
            into.insert(format!("{prefix}{name}"), fs::read_to_string(&path).expect("sources are UTF-8"));
        }
    }
}

/// The folder in which `mod x;` in a file looks for its file: empty, or with a slash at the end.
pub(crate) fn module_folder(file: &str) -> String {
    for name in ["lib.rs", "mod.rs", "main.rs"] {
        if let Some(folder) = file.strip_suffix(name).filter(|folder| folder.is_empty() || folder.ends_with('/')) {
            return folder.to_owned();
        }
    }
    format!("{}/", file.trim_end_matches(".rs"))
}

pub(crate) fn ident(token: &TokenTree) -> Option<&Ident> {
    if let TokenTree::Ident(word) = token { Some(word) } else { None }
}

pub(crate) fn word(token: &TokenTree) -> Option<String> {
    ident(token).map(Ident::to_string)
}

pub(crate) fn is_ident(token: &TokenTree, word: &str) -> bool {
    ident(token).is_some_and(|ident| ident == word)
}

pub(crate) fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// The group, if the token is one with this delimiter.
pub(crate) fn group_of(token: &TokenTree, delimiter: Delimiter) -> Option<&Group> {
    if let TokenTree::Group(group) = token { Some(group).filter(|group| group.delimiter() == delimiter) } else { None }
}

/// The tokens of a group.
pub(crate) fn inner(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

/// One path of a `use` item.
#[derive(Clone, Debug)]
pub(crate) struct UsePath {
    pub(crate) segments: Vec<String>,
    pub(crate) alias: Option<String>,
    pub(crate) line: usize,
}

/// Takes a `use` tree apart into its paths.
pub(crate) fn use_tree(tokens: &[TokenTree], prefix: &[String]) -> Vec<UsePath> {
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
