//! Each name that bevy_ecs has, too, is where bevy_ecs has it.
//!
//! `bevy_paths.txt` lists the public paths of bevy_ecs 0.20.1, without the name of the crate. If the last part of such a path is the name
//! of a public item here, the path is among the [public paths](crate::public_paths) of the core.

use std::collections::BTreeSet;
use std::fs;

use crate::public_paths::Crates;
use crate::tokens::root;

#[test]
fn names_of_bevy_ecs_are_at_its_paths() {
    let paths = Crates::read().paths("strata_ecs");
    let names: BTreeSet<&str> = paths.iter().filter_map(|path| path.rsplit("::").next()).collect();
    let list = fs::read_to_string(root().join("tests/compile/bevy_paths.txt")).expect("the list is there");
    let expected = list.lines().filter(|path| names.contains(path.rsplit("::").next().unwrap_or(path)));
    let expected: Vec<String> = expected.map(|path| format!("strata_ecs::{path}")).collect();
    assert!(expected.len() > 200, "the names of the core were not found: {expected:?}");
    let missing: Vec<&String> = expected.iter().filter(|path| !paths.contains(*path)).collect();
    assert!(
        missing.is_empty(),
        "names of bevy_ecs that exist here must be at its paths, too: add them in `ecs/src/reexports.rs`.\n{missing:#?}"
    );
}
