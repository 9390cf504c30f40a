//! Files and functions that are too long.

use crate::code::{MOST_FILE_LINES, MOST_FUNCTION_LINES, read_code};
use crate::tokens::Sources;

pub(super) fn check(sources: &Sources) -> Vec<String> {
    let mut complaints = Vec::new();
    for (file, code) in read_code(sources) {
        let lines = code.lines_without_tests();
        if lines > MOST_FILE_LINES {
            complaints.push(format!("{file}: {lines} lines, more than {MOST_FILE_LINES}: it has several subjects"));
        }
        for function in code.functions().iter().filter(|function| function.lines > MOST_FUNCTION_LINES) {
            let (name, line, lines) = (function.name, function.line, function.lines);
            complaints.push(format!("{file}:{line}: `{name}` has {lines} lines, more than {MOST_FUNCTION_LINES}"));
        }
    }
    complaints
}

#[test]
fn long_files_and_functions_are_refused() {
    let body = "\n".repeat(59);
    let sources: Sources = [
        ("a.rs".to_owned(), format!("fn a() {{{body}}}\nfn b() {{\n{body}}}\n#[test]\nfn c() {{\n{body}}}\n")),
        ("b.rs".to_owned(), "\n".repeat(600)),
        ("c.rs".to_owned(), "\n".repeat(601)),
    ]
    .into();
    let complaints = check(&sources);
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    assert!(complaints[0].starts_with("a.rs:61: `b` has 61 lines"), "{complaints:?}");
    assert!(complaints[1].starts_with("c.rs: 601 lines"), "{complaints:?}");
}
