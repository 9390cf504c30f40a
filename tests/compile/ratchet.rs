//! Ceilings for the size of the code: a figure may fall, and may not rise unnoticed.
//!
//! The rules of the counts are those of the house metrics, on the same tree with the same results: code lines are lines with a token
//! outside of tests; types are `struct`, `enum` and `union` items in any scope, and a shared name is one that several of these or of the
//! traits have; an unsafe block is `unsafe {`; files are counted with comments, functions from `fn` to the closing brace, both without
//! tests. See [`crate::code`] for what counts as a test.

use std::collections::BTreeMap;
use std::fs;

use crate::code::{MOST_FILE_LINES, MOST_FUNCTION_LINES, read_code};
use crate::tokens::{read_sources, root};

/// The counts of the core, and of ARCHITECTURE.md, with their ceilings. The test prints the counts. A change that lowers a count also lowers
/// the ceiling.
const CEILINGS: [(&str, usize); 10] = [
    ("code lines", 66_394),
    ("types", 1_054),
    ("traits", 183),
    ("names with several types", 7),
    ("entries of `ecs/src`", 18),
    ("files with unsafe", 141),
    ("unsafe blocks", 738),
    ("files over 600 lines", 0),
    ("functions over 60 lines", 0),
    ("words of ARCHITECTURE.md", 1_800),
];

fn counts() -> BTreeMap<&'static str, usize> {
    let core = root().join("ecs/src");
    let sources = read_sources(&core);
    let files = read_code(&sources);
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut counts: BTreeMap<&str, usize> = CEILINGS.iter().map(|(name, _)| (*name, 0)).collect();
    let mut add = |name: &'static str, count: usize| *counts.entry(name).or_default() += count;
    for code in files.values() {
        add("code lines", code.code_lines());
        add("files over 600 lines", usize::from(code.lines_without_tests() > MOST_FILE_LINES));
        add("functions over 60 lines", code.functions().iter().filter(|it| it.lines > MOST_FUNCTION_LINES).count());
        let mut has_unsafe = false;
        for (word, next) in code.words() {
            match word.text.as_str() {
                "struct" | "enum" | "union" | "trait" if next.is_word => {
                    add(if word.text == "trait" { "traits" } else { "types" }, 1);
                    *names.entry(&next.text).or_default() += 1;
                }
                "unsafe" => {
                    has_unsafe = true;
                    add("unsafe blocks", usize::from(next.text == "{"));
                }
                _ => {}
            }
        }
        add("files with unsafe", usize::from(has_unsafe));
    }
    add("names with several types", names.values().filter(|count| **count > 1).count());
    add("entries of `ecs/src`", fs::read_dir(core).expect("the folder is readable").count());
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page is there");
    add("words of ARCHITECTURE.md", architecture.split_whitespace().count());
    counts
}

#[test]
fn counts_are_at_most_their_ceilings() {
    let counts = counts();
    CEILINGS.iter().for_each(|(name, ceiling)| println!("{name}: {} of {ceiling}", counts[name]));
    let over = CEILINGS.iter().filter(|(name, ceiling)| counts[name] > *ceiling);
    let complaints: Vec<String> = over
        .map(|(name, ceiling)| {
            format!(
                "{name}: {}, and at most {ceiling} are allowed. Find something to remove; raising a ceiling is a decision of the maintainers, \
                 lowering one is always welcome",
                counts[name]
            )
        })
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
