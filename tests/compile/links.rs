//! Links in Markdown files lead to files that exist, and none to a home of the project that is not public yet.

use std::fs;
use std::path::{Path, PathBuf};

/// The Markdown files that a reader of the repository opens.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders =
        [".", "docs", "examples", "examples/air_traffic/data", "examples/air_traffic/map", ".github/ISSUE_TEMPLATE"];
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

#[test]
fn links_and_headings_are_found() {
    let text = "# A page: of `two` parts\n[one](a.md#b) and ![a picture](images/x.svg \"title\")\n## Second part\n";
    assert_eq!(links(text).collect::<Vec<_>>(), ["a.md#b", "images/x.svg"]);
    assert_eq!(anchors(text), ["a-page-of-two-parts", "second-part"]);
}
