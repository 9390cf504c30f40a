//! The index of errors: every message that the macros and traits can give, each with code that fails and the same code
//! mended.
//!
//! `ui/errors` has a folder for each: `fails.rs`, which begins with an explanation, `fails.stderr` and `works.rs`. A mistake that only a
//! build finds, see `ui.rs`, is in `fails_when_built.rs` instead. The compile tests build all of them. Here the page is written from them,
//! and nothing may be missing from it. After a change, `STRATA_OVERWRITE=1 cargo test -p strata-compile-tests error_index::` rewrites the
//! page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

const PAGE: &str = "../ecs/src/guide/error_index.md";

const HEAD: &str = "Every error of the macros and of the traits that user code meets: what it means, code that gives it, and \
                    the same code mended.\n\n\
                    The names in the messages are those of the example. What rustc adds below a message (which traits exist, \
                    which bound asked for one) is left out here.\n";

/// The folders of `ui/errors` begin with one of these words.
const GROUPS: [(&str, &str); 16] = [
    ("component", "Components"),
    ("resource", "Resources"),
    ("bundle", "Bundles"),
    ("query", "Queries and filters"),
    ("system", "Systems"),
    ("param", "Parameters of systems"),
    ("conflict", "Conflicts"),
    ("command", "Commands and entities"),
    ("schedule", "Schedules and labels"),
    ("message", "Messages and events"),
    ("observer", "Observers"),
    ("relation", "Relations"),
    ("relationship", "Relationships"),
    ("macro", "All macros"),
    ("plugin", "Plugins, of strata-app"),
    ("state", "States, of strata-app"),
];

/// One error.
struct Entry {
    name: String,
    explanation: String,
    fails: String,
    works: String,
    stderr: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn entries() -> Vec<Entry> {
    let mut folders: Vec<PathBuf> = fs::read_dir(root().join("ui/errors"))
        .expect("the folder of the errors")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders.iter().map(|folder| entry(folder)).collect()
}

fn entry(folder: &Path) -> Entry {
    let fails = if folder.join("fails.rs").exists() { "fails" } else { "fails_when_built" };
    let source = read(&folder.join(fails).with_extension("rs"));
    let is_explanation = |line: &&str| line.starts_with("//!");
    let explanation: Vec<&str> =
        source.lines().take_while(is_explanation).map(|line| line.trim_start_matches("//!").trim()).collect();
    let program: Vec<&str> = source.lines().skip_while(is_explanation).collect();
    Entry {
        name: folder.file_name().expect("a name").to_string_lossy().into_owned(),
        explanation: explanation.join("\n"),
        fails: program.join("\n").trim().to_owned(),
        works: read(&folder.join("works.rs")).trim().to_owned(),
        stderr: read(&folder.join(fails).with_extension("stderr")),
    }
}

impl Entry {
    /// The first line of the message.
    fn title(&self) -> &str {
        let line = self.stderr.lines().find(|line| line.starts_with("error")).unwrap_or_default();
        line.split_once(": ").map_or(line, |(_, message)| message)
    }

    /// The other lines of the message.
    fn help(&self) -> String {
        let lines = self.stderr.lines().skip_while(|line| !line.starts_with("error")).skip(1);
        let help: Vec<&str> = lines.take_while(|line| !line.trim_start().starts_with("-->")).map(str::trim).collect();
        if help.is_empty() { String::new() } else { format!("```text\n{}\n```\n\n", help.join("\n")) }
    }

    fn section(&self) -> String {
        let Self { explanation, fails, works, .. } = self;
        let (title, help) = (self.title(), self.help());
        format!(
            "### {title}\n\n{help}{explanation}\n\n```rust,compile_fail\n{fails}\n```\n\nMended:\n\n```rust\n{works}\n```\n"
        )
    }
}

fn page(entries: &[Entry]) -> String {
    let mut page = HEAD.to_owned();
    for (prefix, heading) in GROUPS {
        write!(page, "\n## {heading}\n").expect("strings take everything");
        for entry in entries.iter().filter(|entry| entry.name.split('_').next() == Some(prefix)) {
            write!(page, "\n{}", entry.section()).expect("strings take everything");
        }
    }
    page
}

#[test]
fn the_page_is_written_from_the_tested_cases() {
    let entries = entries();
    for entry in &entries {
        let word = entry.name.split('_').next().unwrap_or_default();
        assert!(GROUPS.iter().any(|(prefix, _)| *prefix == word), "{}: there is no group `{word}`", entry.name);
        assert!(!entry.explanation.is_empty(), "{}: `fails.rs` begins with no explanation", entry.name);
        let errors = entry.stderr.lines().filter(|line| line.starts_with("error")).count();
        assert_eq!(errors, 1, "{}: one mistake is to give one error", entry.name);
    }
    let (page, path) = (page(&entries), root().join(PAGE));
    if std::env::var_os("STRATA_OVERWRITE").is_some() {
        fs::write(&path, &page).expect("the page is written");
    }
    assert!(read(&path) == page, "the page differs: run with STRATA_OVERWRITE=1");
}

/// Replaces whitespace in the output of the compiler by single spaces.
fn normalise(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts of the string literals outside of attributes and tests that may be messages.
fn literals(tokens: TokenStream, found: &mut Vec<String>) {
    // The punctuation before a token: `#` or `#!` before an attribute.
    let mut before = String::new();
    let mut words: Vec<String> = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Group(group) => {
                let after_pound = before.ends_with('#') || before.ends_with("#!");
                let is_attribute = after_pound && group.delimiter() == Delimiter::Bracket;
                let skipped = ["expect", "tests", "eprintln", "assert", "panic"];
                let is_skipped = words.iter().rev().take(2).any(|word| skipped.contains(&word.as_str()));
                if !is_attribute && !is_skipped {
                    literals(group.stream(), found);
                }
                words.clear();
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
                    && !is_documentation(inner)
                {
                    found.push(unescape(inner));
                }
            }
            TokenTree::Ident(ident) => words.push(ident.to_string()),
            TokenTree::Punct(_) => {}
        }
        match &token {
            TokenTree::Punct(punct) => before.push(punct.as_char()),
            _ => before.clear(),
        }
    }
}

/// Whether the text documents what a macro writes: that ends with a full stop, and messages do not.
fn is_documentation(text: &str) -> bool {
    text.ends_with('.')
}

fn unescape(text: &str) -> String {
    let mut output = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', Some('\n')) => while chars.next_if(|char| char.is_whitespace()).is_some() {},
            ('\\', Some('n')) => {
                chars.next();
                output.push('\n');
            }
            ('\\', Some(_)) => output.extend(chars.next()),
            _ => output.push(char),
        }
    }
    output
}

/// The parts of a message between its placeholders that are long enough to be recognised.
fn parts(message: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for line in message.lines() {
        let mut rest = line;
        while let Some(open) = rest.find('{') {
            parts.push(&rest[..open]);
            rest = rest[open..].split_once('}').map_or("", |(_, rest)| rest);
        }
        parts.push(rest);
    }
    parts.into_iter().map(normalise).filter(|part| part.split(' ').count() >= 3).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The texts of a crate that `choose` finds in each file, with the file.
fn messages(folder: &str, choose: fn(TokenStream, &mut Vec<String>)) -> BTreeMap<String, PathBuf> {
    let mut files = Vec::new();
    sources(&root().join(folder), &mut files);
    let mut messages = BTreeMap::new();
    for file in files {
        let tokens: TokenStream = read(&file).parse().expect("a source of ours");
        let mut found = Vec::new();
        choose(tokens, &mut found);
        messages.extend(found.into_iter().map(|text| (text, file.clone())));
    }
    messages
}

/// The `message`s of `#[diagnostic::on_unimplemented]`.
fn unimplemented(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for window in tokens.windows(3) {
        if let [TokenTree::Ident(name), TokenTree::Punct(_), TokenTree::Literal(literal)] = window
            && *name == "message"
            && let Some(inner) = literal.to_string().strip_prefix('"').and_then(|text| text.strip_suffix('"'))
        {
            found.push(unescape(inner));
        }
    }
    for token in tokens {
        if let TokenTree::Group(group) = token {
            unimplemented(group.stream(), found);
        }
    }
}

/// Fails for each text of which a part is in no error of the index.
fn assert_all_shown(messages: &BTreeMap<String, PathBuf>, what: &str) {
    let shown: String = entries().iter().map(|entry| normalise(&entry.stderr) + "\n").collect();
    let missing: Vec<String> = messages
        .iter()
        .filter(|(text, _)| parts(text).iter().any(|part| !shown.contains(part.as_str())))
        .map(|(text, file)| format!("{}: {text}", file.file_name().unwrap_or_default().to_string_lossy()))
        .collect();
    assert!(messages.len() > 10, "the search for {what} has gone blind");
    assert!(missing.is_empty(), "{} {what} are not in the index:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn every_message_of_the_macros_is_in_the_index() {
    assert_all_shown(&messages("../ecs-derive/src", literals), "messages of the macros");
}

#[test]
fn every_message_of_a_trait_is_in_the_index() {
    let mut messages_of_traits = messages("../ecs/src", unimplemented);
    messages_of_traits.extend(messages("../ecs/app/src", unimplemented));
    assert_all_shown(&messages_of_traits, "messages of traits");
}
