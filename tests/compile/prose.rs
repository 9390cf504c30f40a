//! Plain English: phrases that technical English does not use are rare, and each SAFETY comment is a proof of its own.
//!
//! [`PHRASES`] are turns of phrase that documentation of the Rust ecosystem has about once per 10,000 words. The comments and docs of the
//! crates, and their Markdown pages and string literals, may have eight. Code blocks and SAFETY comments are not counted. CHANGELOG.md is
//! history and is not read. Replacing a phrase by another unusual one is no improvement: write what the code does.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::lexer::{Piece, texts};
use crate::tokens::{read_sources, root};

/// A phrase: its name, and the words of each of its forms. A word may have alternatives, separated by `|`.
type Phrase = (&'static str, &'static [&'static str]);

/// Phrases that are found anywhere.
const PHRASES: &[Phrase] = &[
    ("told", &["told|Told"]),
    ("behind (for after)", &["behind"]),
    ("that of", &["that|That of"]),
    ("is none", &["is|are|has|have none"]),
    ("as far as", &["as far as"]),
    ("beside", &["beside"]),
    ("meanwhile", &["meanwhile|Meanwhile"]),
    ("anew", &["anew"]),
    ("such a one", &["such a one", "such one"]),
    ("persons for code", &["whoever|Whoever|somebody|Somebody|nobody|Nobody", PERSON]),
    ("foretold, heard", &["foretold|foretell|unheard|heard|hears"]),
    ("books (for bookkeeping)", &["books"]),
];
const PERSON: &str = "who|Who comes|has|is|wants|looks|asks|takes|waits|finds|runs|changes|knows";

/// Words that begin a sentence, before a word in lower case.
const FRONTED: [Phrase; 2] = [("fronted What", &["What"]), ("fronted Of", &["Of"])];

/// Words that follow `behind` where it is a technical term, as in "behind a lock".
const BEHIND_THESE: [&str; 9] = ["feature", "flag", "lock", "mutex", "pointer", "reference", "interface", "trait", "`"];

/// Groups of texts, and how many phrases each may have per 10,000 words.
const MOST: [(&str, usize); 4] = [
    ("comments and docs of the crates", 8),
    ("Markdown pages, and string literals of the crates", 8),
    ("comments of tests, benches and examples", 8),
    ("string literals of tests, benches and examples", 32),
];

/// The sources of the crates.
const CRATES: [&str; 4] = ["ecs/src", "ecs-derive/src", "ecs/app/src", "ecs/save/src"];
/// All other sources.
const OTHERS: [&str; 6] = ["tests", "benches", "examples", "ecs/app/tests", "ecs/app/examples", "ecs/examples"];

/// Comments that refer to another comment instead of a proof.
const REFERENCES: [&str; 9] =
    ["as above", "see above", "as before", "as below", "see below", "same as", "the same as", "likewise", "ditto"];

/// A text with its file.
type Place = (String, Piece);

fn words(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphabetic() || c == '\'';
    text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).count()
}

/// The rest of the text after the words of a form, if the text begins with them.
fn after_form<'t>(text: &'t str, form: &str) -> Option<&'t str> {
    let mut rest = text;
    for (at, alternatives) in form.split(' ').enumerate() {
        if at > 0 {
            rest = rest.strip_prefix(' ')?;
        }
        let starts = |word: &str| rest.strip_prefix(word).filter(|rest| !rest.starts_with(is_word));
        rest = alternatives.split('|').find_map(starts)?;
    }
    Some(rest)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether `rest`, the text after the word `behind`, begins with one of [`BEHIND_THESE`].
fn is_usual_behind(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(' ') else { return false };
    let articles = ["a ", "an ", "the ", "one "];
    let nouns = articles.iter().filter_map(|article| rest.strip_prefix(article)).chain([rest]);
    let after_word = |text: &str| {
        text.split_once(' ').filter(|(word, _)| word.chars().all(is_word)).map(|(_, rest)| rest.to_owned())
    };
    let mut nouns = nouns.flat_map(|text| [Some(text.to_owned()), after_word(text)]).flatten();
    nouns.any(|text| BEHIND_THESE.iter().any(|noun| text.starts_with(noun)))
}

/// The phrases in a text.
fn phrases(text: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for (at, _) in text.char_indices() {
        let (before, rest) = text.split_at(at);
        let begins_sentence = at == 0 || [". ", ": ", "; "].iter().any(|end| before.ends_with(end));
        for (name, forms) in FRONTED.iter().filter(|_| begins_sentence) {
            let follows = |rest: &str| {
                rest.strip_prefix(' ').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
            };
            if forms.iter().any(|form| after_form(rest, form).is_some_and(follows)) {
                found.push(*name);
            }
        }
        if before.ends_with(is_word) {
            continue;
        }
        for (name, forms) in PHRASES {
            let rest = forms.iter().find_map(|form| after_form(rest, form));
            if rest.is_some_and(|rest| !(name.starts_with("behind") && is_usual_behind(rest))) {
                found.push(*name);
            }
        }
    }
    found
}

/// Texts without code blocks and SAFETY comments.
fn without_code(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut in_code = false;
    let is_prose = |(_, text): &Piece| {
        let is_fence = text.starts_with("```");
        in_code ^= is_fence;
        !is_fence && !in_code && !text.starts_with("SAFETY")
    };
    pieces.into_iter().filter(is_prose).collect()
}

/// The comments and the strings of the sources in folders.
fn sources(folders: &[&str]) -> [Vec<Place>; 2] {
    let [mut comments, mut strings] = [Vec::new(), Vec::new()];
    for folder in folders.iter().filter(|folder| root().join(folder).exists()) {
        // The test itself lists the phrases.
        let sources = read_sources(&root().join(folder)).into_iter().filter(|(file, _)| file != "compile/prose.rs");
        for (file, source) in sources {
            let found = texts(&source);
            let place = |piece: Piece| (format!("{folder}/{file}"), piece);
            comments.extend(without_code(found.comments).into_iter().map(place));
            strings.extend(found.strings.into_iter().map(place));
        }
    }
    [comments, strings]
}

/// The Markdown pages of the project.
fn pages() -> Vec<Place> {
    let (mut folders, mut pages): (Vec<PathBuf>, Vec<PathBuf>) = (vec![root()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is readable") {
            let path = entry.expect("its entries are readable").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !["target", ".git", "node_modules"].contains(&name.as_str()) {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") && name != "CHANGELOG.md" {
                pages.push(path);
            }
        }
    }
    pages.iter().flat_map(|page| lines_of(page)).collect()
}

fn lines_of(page: &Path) -> Vec<Place> {
    let text = fs::read_to_string(page).expect("the page is UTF-8");
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim().to_owned())).collect();
    let name = page.strip_prefix(root()).unwrap_or(page).display().to_string();
    without_code(lines).into_iter().map(|piece| (name.clone(), piece)).collect()
}

#[test]
fn unusual_phrases_are_rare() {
    let [comments, mut strings] = sources(&CRATES);
    let [other_comments, other_strings] = sources(&OTHERS);
    strings.extend(pages());
    let mut complaints = String::new();
    for ((group, most), places) in MOST.iter().zip([comments, strings, other_comments, other_strings]) {
        let words: usize = places.iter().map(|(_, (_, text))| words(text)).sum();
        let mut found = Vec::new();
        for (file, (line, text)) in &places {
            found.extend(phrases(text).into_iter().map(|phrase| format!("  {file}:{line}: {phrase}: {text}\n")));
        }
        assert!(words > 10_000, "{group}: only {words} words were found");
        if found.len() * 10_000 > most * words {
            let count = found.len();
            let all: String = found.into_iter().collect();
            _ = write!(
                complaints,
                "{group}: {count} unusual phrases in {words} words, more than {most} per 10,000:\n{all}"
            );
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

/// The SAFETY comments of a source: the line, and the text with the lines that continue it.
fn safety_comments(source: &str) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    let mut last = 0;
    for (line, text) in texts(source).comments {
        match text.strip_prefix("SAFETY:") {
            Some(text) => {
                all.push((line, text.trim().to_owned()));
                last = line;
            }
            None if line == last + 1 => {
                if let Some((_, safety)) = all.last_mut() {
                    safety.push(' ');
                    safety.push_str(&text);
                    last = line;
                }
            }
            None => {}
        }
    }
    all
}

/// Whether a SAFETY comment refers to another one, or only says that someone has promised something.
fn is_no_proof(text: &str) -> bool {
    let text = text.to_lowercase();
    let promise = text.trim_end_matches('.');
    REFERENCES.iter().any(|reference| text.starts_with(reference))
        || ["the caller's promise", "the caller promises", "promised by the caller", "by contract"].contains(&promise)
}

#[test]
fn safety_comments_are_proofs_of_their_own() {
    let mut complaints = Vec::new();
    for folder in CRATES.iter().chain(&OTHERS).filter(|folder| root().join(folder).exists()) {
        for (file, source) in read_sources(&root().join(folder)) {
            let refused = safety_comments(&source).into_iter().filter(|(_, text)| is_no_proof(text));
            complaints.extend(refused.map(|(line, text)| format!("{folder}/{file}:{line}: {text}")));
        }
    }
    assert!(
        complaints.is_empty(),
        "a SAFETY comment answers the conditions of the call below it, one by one:\n{}",
        complaints.join("\n")
    );
}

#[test]
fn phrases_are_found_in_all_forms() {
    let text = "What is told. Of those that are; What has none: who asks hears of such a one, as far as Nobody is told that of it.";
    let mut found = phrases(text);
    found.sort_unstable();
    let expected = [
        "as far as",
        "foretold, heard",
        "fronted Of",
        "fronted What",
        "fronted What",
        "is none",
        "persons for code",
        "persons for code",
        "such a one",
        "that of",
        "told",
        "told",
    ];
    assert_eq!(found, expected);
    let usual = "What? Often, an `Of` type is behind a feature, behind the `Arc`, behind a shared reference; toldest, WhoHas, besides";
    assert_eq!(phrases(usual), Vec::<&str>::new());
    assert_eq!(phrases("it comes behind the row"), ["behind (for after)"]);
}

#[test]
fn references_are_told_from_proofs() {
    for text in ["as above.", "See above: it is so.", "the same as in `write`", "The caller's promise."] {
        assert!(is_no_proof(text), "{text}");
    }
    for text in ["the row is in use, as above.", "the caller's promise that `row` is in use is passed on."] {
        assert!(!is_no_proof(text), "{text}");
    }
    let comments = safety_comments("// SAFETY: one\n// two\nf();\n// three\n// SAFETY: four\n");
    assert_eq!(comments, [(1, "one two".to_owned()), (5, "four".to_owned())]);
}
