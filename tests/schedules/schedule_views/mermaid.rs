//! Checks the part of the language of Mermaid that a schedule may be written in.

use std::collections::BTreeSet;

/// Fails unless the text is a flow chart: each line is a statement, each name is defined, and quoted text has nothing in it
/// that would end it or be taken for markup.
#[track_caller]
pub(crate) fn check(text: &str) {
    let text = match text.strip_prefix("---\ntitle: \"") {
        Some(rest) => {
            let (title, rest) = rest.split_once("\"\n---\n").expect("the title ends");
            assert!(!title.replace("\\\"", "").contains(['"', '\n']), "{title}");
            rest
        }
        None => text,
    };
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("flowchart TD"));
    let mut defined = BTreeSet::new();
    let mut used = BTreeSet::new();
    let mut classes = BTreeSet::new();
    let mut depth = 0_usize;
    for line in lines {
        let statement = line.trim_start();
        if let Some(comment) = statement.strip_prefix("%% ") {
            assert!(!comment.contains(['{', '}', '"']), "{line}");
        } else if let Some(set) = statement.strip_prefix("subgraph ") {
            depth += 1;
            assert!(defined.insert(node(set)), "twice: {line}");
        } else if statement == "end" {
            depth = depth.checked_sub(1).expect("there is a subgraph to end");
        } else if let Some(class) = statement.strip_prefix("class ") {
            let (name, class) = class.split_once(' ').expect("a node has a class");
            used.insert(name.to_owned());
            assert!(classes.contains(class), "{line}");
        } else if let Some(class) = statement.strip_prefix("classDef ") {
            let (class, style) = class.split_once(' ').expect("a class has a style");
            assert!(["alone stroke-width:4px", "pipeline stroke-dasharray:5"].contains(&&*format!("{class} {style}")));
            classes.insert(class);
        } else if let Some((from, to)) = arrow(statement) {
            used.extend([from, to]);
        } else {
            assert!(defined.insert(node(statement)), "twice: {line}");
        }
    }
    assert_eq!(depth, 0, "a subgraph does not end");
    let unknown: Vec<_> = used.difference(&defined).collect();
    assert!(unknown.is_empty(), "{unknown:?} in {text}");
}

fn name(text: &str) -> String {
    assert!(!text.is_empty() && text.chars().all(|character| character.is_ascii_alphanumeric()), "{text}");
    text.to_owned()
}

/// The name of a node, of which the text is quoted and in brackets.
fn node(text: &str) -> String {
    let brackets = [("[\"", "\"]"), ("([\"", "\"])"), ("{{\"", "\"}}")];
    for (open, close) in brackets {
        if let Some((id, rest)) = text.split_once(open)
            && id.chars().all(|character| character.is_ascii_alphanumeric())
        {
            label(rest.strip_suffix(close).unwrap_or_else(|| panic!("{text} does not end")));
            return name(id);
        }
    }
    panic!("no node: {text}")
}

fn label(text: &str) {
    let plain = text.replace("<br/>", "");
    assert!(!plain.is_empty() && !plain.contains(['"', '<', '>', '`', '{', '}', '&', '\\']), "{text}");
    // `#` begins an entity: a number, and `;`.
    for entity in plain.split('#').skip(1) {
        let (number, _) = entity.split_once(';').unwrap_or_else(|| panic!("{text}"));
        assert!(number.parse::<u32>().is_ok_and(|number| char::from_u32(number).is_some()), "{text}");
    }
}

fn arrow(text: &str) -> Option<(String, String)> {
    let (from, rest) = text.split_once(' ')?;
    let rest = ["-->", "-.->", "==>"].iter().find_map(|shaft| rest.strip_prefix(shaft))?;
    let to = match rest.strip_prefix("|\"") {
        Some(quoted) => {
            // The label may have spaces in it.
            let (text, to) = quoted.split_once("\"| ").unwrap_or_else(|| panic!("{text}"));
            label(text);
            to
        }
        None => rest.trim_start(),
    };
    Some((name(from), name(to)))
}

#[test]
fn the_checker_refuses_what_is_no_flow_chart() {
    let broken = [
        "flowchart TD\n    a[\"x\"y\"]",
        "flowchart TD\n    a[\"Vec<T>\"]",
        "flowchart TD\n    a[\"x\"]\n    a --> b",
        "flowchart TD\n    subgraph a[\"x\"]",
        "flowchart TD\n    a[\"x #y\"]",
        "flowchart TD\n    a[\"x\"]\n    a ~> a",
        "graph\n",
    ];
    for text in broken {
        strata_tests::panics::expect_panic(|| check(text));
    }
    check("flowchart TD\n    a[\"x #60; y\"]\n    a -.->|\"because of z\"| a");
}
