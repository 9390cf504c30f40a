//! Each file has its tests in the same folder, or names them in a line `//! Tests: PATH, PATH`.

use crate::code::read_code;
use crate::tokens::Sources;

const LINE: &str = "//! Tests: ";
/// Such a line where the documentation of the module is public.
const HIDDEN_LINE: &str = "// Tests: ";
/// Compiled only without the feature `parallel`, with which no test is run.
const UNTESTED: &str = "util/pool/alone.rs";

/// Complaints about files, apart from the root and files of tests. `exists` tells whether there is a path in the workspace.
pub(super) fn check(sources: &Sources, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut complaints = Vec::new();
    for (file, code) in read_code(sources).into_iter().filter(|(file, _)| *file != "lib.rs") {
        let line = |line: &'static str| sources[file].lines().filter_map(move |text| text.strip_prefix(line));
        let lines: Vec<&str> = line(LINE).chain(line(HIDDEN_LINE)).collect();
        if lines.is_empty() && !code.has_tests() && file != UNTESTED {
            complaints.push(format!("{file}: it names no tests: add a line `{LINE}tests/AREA/file.rs`"));
        }
        for path in lines.iter().flat_map(|line| line.split(", ")).filter(|path| !exists(path)) {
            complaints.push(format!("{file}: it names the tests `{path}`, which do not exist"));
        }
    }
    complaints
}

#[test]
fn files_without_tests_are_refused() {
    let files = [
        ("lib.rs", "#[cfg(test)] mod golden;"),
        ("golden.rs", ""),
        ("own.rs", "#[cfg(test)]\nmod tests {}"),
        ("named.rs", "//! Text.\n//!\n//! Tests: tests/a.rs, tests/b"),
        ("public.rs", "//! Text.\n// Tests: tests/a.rs"),
        ("none.rs", "//! Tests exist."),
        ("wrong.rs", "//! Tests: tests/a.rs, tests/c.rs"),
    ];
    let sources: Sources = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let complaints = check(&sources, |path| ["tests/a.rs", "tests/b"].contains(&path));
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    assert!(complaints[0].starts_with("none.rs: it names no tests"), "{complaints:?}");
    assert!(complaints[1].contains("wrong.rs: it names the tests `tests/c.rs`"), "{complaints:?}");
}
