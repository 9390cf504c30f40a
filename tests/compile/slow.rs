//! The list of tests that start processes or take long, `tests/slow.txt`: each has a reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The texts by which a file that starts processes is recognized.
const STARTS: [&str; 4] = ["run_in_child", "child_of(", "Command::new", "TestCases::new"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The names in the list, such as `simd choice`.
fn listed() -> BTreeSet<String> {
    let list = fs::read_to_string(root().join("slow.txt")).expect("the list");
    let entries = list.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    entries
        .map(|line| {
            let (name, reason) = line.split_once(": ").unwrap_or_else(|| panic!("no reason: {line}"));
            assert!(!reason.trim().is_empty(), "no reason: {line}");
            name.to_owned()
        })
        .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of tests") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the program and the module of a file, as the list has them. If the module consists of several files, this is the module of the
/// folder.
fn name(file: &Path) -> String {
    let relative = file.strip_prefix(root()).expect("a file of the tests").with_extension("");
    let parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    format!("{} {}", parts[0], parts[1..].join("::"))
}

#[test]
fn tests_that_start_processes_are_in_the_list() {
    let listed = listed();
    let mut files = Vec::new();
    sources(&root(), &mut files);
    for file in files {
        let source = fs::read_to_string(&file).expect("a source file");
        let name = name(&file);
        let is_of_no_program = name.starts_with("src ")
            || ["compile slow", "compile plain_words", "compile building_cargo", "compile without_passes"]
                .contains(&name.as_str());
        if is_of_no_program || !STARTS.iter().any(|call| source.contains(call)) {
            continue;
        }
        let is_listed = listed.iter().any(|entry| name == *entry || name.starts_with(&format!("{entry}::")));
        assert!(is_listed, "{}: starts processes, and `{name}` is not in tests/slow.txt", file.display());
    }
}

#[test]
fn the_list_names_nothing_that_is_gone() {
    for entry in listed() {
        let (program, module) = entry.split_once(' ').unwrap_or_else(|| panic!("no module: {entry}"));
        let path = module.replace("::", "/");
        let folder = root().join(program);
        let is_there = |path: &str| folder.join(path).with_extension("rs").exists() || folder.join(path).is_dir();
        // The last part may be a test. One that stands in `main.rs` has no module in its name.
        let (file, test) = path.rsplit_once('/').unwrap_or(("main", path.as_str()));
        let is_test = || {
            let source = fs::read_to_string(folder.join(file).with_extension("rs")).unwrap_or_default();
            source.contains(&format!("fn {test}("))
        };
        assert!(is_there(&path) || is_test(), "{entry}: neither a module nor a test");
    }
}
