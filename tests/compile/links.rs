//! Links in Markdown files lead to files that exist, and none to a home of the project that is not public yet.

use std::fs;
use std::path::{Path, PathBuf};

/// The Markdown files that a reader of the repository opens.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [
        ".",
        "docs",
        "ecs/app",
        "examples",
        "examples/air_traffic/data",
        "examples/air_traffic/map",
        ".github/ISSUE_TEMPLATE",
    ];
    let mut pages = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(root.join(folder)).expect("the folder is readable") {
            let path = entry.expect("its entries are readable").path();
            if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    assert!(pages.len() >= 8, "the pages have moved: {pages:?}");
    pages
}

/// The targets of the links and pictures of a text.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

/// The headings of a text, in the form in which links name them.
fn anchors(text: &str) -> Vec<String> {
    let headings =
        text.lines().filter_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_files_that_exist() {
    let mut dangling = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page is UTF-8");
        for link in links(&text).filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap_or(&page).join(file) };
            let has_anchor = || {
                let text = fs::read_to_string(&target).unwrap_or_default();
                anchor.is_empty() || anchors(&text).iter().any(|other| other == anchor)
            };
            if !target.exists() || !has_anchor() {
                dangling.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dangling.is_empty(), "{dangling:#?}");
}

#[test]
fn no_link_leads_to_a_home_that_is_not_public() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page is UTF-8");
        let away = links(&text).find(|link| link.contains("github.com/strata-ecs") || link.contains("docs.rs/strata"));
        assert_eq!(away, None, "{}", page.display());
    }
}

/// All Rust sources below a folder, one after the other.
fn sources(folder: &Path) -> String {
    let entries =
        fs::read_dir(folder).expect("the folder is readable").map(|entry| entry.expect("so is the entry").path());
    let text = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => sources(&path),
        Some(extension) if extension == "rs" => fs::read_to_string(&path).expect("the file is UTF-8"),
        _ => String::new(),
    };
    entries.map(text).collect()
}

#[test]
fn the_search_knows_the_words_that_the_front_page_promises() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let front = fs::read_to_string(root.join("ecs/src/guide/front.md")).expect("the page is there");
    let (_, promise) =
        front.split_once("The search also knows the terms of other libraries").expect("the page promises words");
    let promise = promise.split("\n\n").next().unwrap_or(promise);
    let words: Vec<&str> = promise.split('`').skip(1).step_by(2).collect();
    assert!(words.len() >= 6, "{words:?}");
    let sources = sources(&root.join("ecs/src"));
    let aliases: String = sources.split("#[doc(alias(").skip(1).filter_map(|rest| rest.split(")]").next()).collect();
    for word in words {
        assert!(aliases.contains(&format!("\"{word}\"")), "`{word}` is the alias of nothing");
    }
}

#[test]
fn links_and_headings_are_found() {
    let text = "# A page: of `two` parts\n[one](a.md#b) and ![a picture](images/x.svg \"title\")\n## Second part\n";
    assert_eq!(links(text).collect::<Vec<_>>(), ["a.md#b", "images/x.svg"]);
    assert_eq!(anchors(text), ["a-page-of-two-parts", "second-part"]);
}
