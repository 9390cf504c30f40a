//! The checker itself, on small made-up sources.

use super::judge::check;
use crate::tokens::Sources;

fn complaints(files: &[(&str, &str)]) -> Vec<String> {
    let sources: Sources = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    check(&sources, "strata_ecs", &[])
}

#[track_caller]
fn refuses(files: &[(&str, &str)], expected: &str) {
    let complaints = complaints(files);
    assert_eq!(complaints.len(), 1, "{complaints:#?}");
    assert!(complaints[0].contains(expected), "{complaints:#?}");
}

#[track_caller]
fn accepts(files: &[(&str, &str)]) {
    assert_eq!(complaints(files), Vec::<String>::new());
}

const LIB: (&str, &str) = ("lib.rs", "mod low; pub mod high; pub use high::High;");
const HIGH: (&str, &str) = ("high.rs", "use crate::low::Low; pub struct High(Low);");

#[test]
fn accepts_paths_to_earlier_modules_and_to_other_crates() {
    let low = "use core::fmt::Debug; use alloc::{vec, high}; fn f(pub_: pub_::high::X) { super_(self.high) }";
    accepts(&[LIB, HIGH, ("low.rs", low)]);
}

#[test]
fn refuses_an_import_of_a_later_module() {
    refuses(&[LIB, HIGH, ("low.rs", "\n\nuse crate::high::High;")], "low.rs:3: upward: `low` uses `high`");
}

#[test]
fn refuses_a_later_module_deep_in_an_import_tree() {
    refuses(&[LIB, HIGH, ("low.rs", "use {crate::{low::X, high::{self as h}}, core::fmt};")], "upward");
}

#[test]
fn refuses_a_path_into_a_later_module_in_code() {
    refuses(&[LIB, HIGH, ("low.rs", "fn f() { if true { g::<crate::high::High>(); } }")], "upward");
    refuses(&[LIB, HIGH, ("low.rs", "macro_rules! m { () => { $crate::high::High::new() } }")], "upward");
    refuses(&[LIB, HIGH, ("low.rs", "fn f(x: super::high::High) {}")], "upward");
}

#[test]
fn refuses_the_crate_root() {
    refuses(&[LIB, HIGH, ("low.rs", "use crate::High;")], "`crate::High` goes through the crate root");
    refuses(&[LIB, HIGH, ("low.rs", "use crate::*;")], "crate root");
    refuses(&[LIB, HIGH, ("low.rs", "type X = ::strata_ecs::High;")], "crate root");
    refuses(&[LIB, HIGH, ("low.rs", "fn f() { super::High::new() }")], "crate root");
}

#[test]
fn visibilities_are_no_imports() {
    accepts(&[LIB, HIGH, ("low.rs", "pub(crate) struct A; pub(in crate::high) struct B; pub(super) fn f() {}")]);
}

#[test]
fn comments_and_strings_are_no_code() {
    let low = "//! use crate::high::High;\n/// [`crate::high::High`] unsafe\n/* crate::High */\nconst X: &str = \"crate::high unsafe\";";
    accepts(&[LIB, HIGH, ("low.rs", low)]);
}

#[test]
fn refuses_to_climb_twice() {
    let folder = [("lib.rs", "mod a; mod b;"), ("a.rs", ""), ("b/mod.rs", "mod c;")];
    refuses(&[folder[0], folder[1], folder[2], ("b/c.rs", "use super::super::a::A;")], "super::super");
}

#[test]
fn the_order_inside_a_folder_counts() {
    let files = [("lib.rs", "mod b;"), ("b/mod.rs", "mod one; mod two; pub use self::two::Two;")];
    accepts(&[files[0], files[1], ("b/one.rs", ""), ("b/two.rs", "use super::one::One;")]);
    refuses(&[files[0], files[1], ("b/one.rs", "use super::two::Two;"), ("b/two.rs", "")], "upward");
    refuses(&[files[0], files[1], ("b/one.rs", "use crate::b::Two;"), ("b/two.rs", "")], "upward");
    refuses(&[files[0], files[1], ("b/one.rs", "use super::*;"), ("b/two.rs", "")], "glob");
}

#[test]
fn a_folders_own_file_and_its_files_do_not_use_each_other() {
    let below = ("b/one.rs", "use super::Base;");
    accepts(&[("lib.rs", "mod b;"), ("b/mod.rs", "mod one; pub use one::One; struct Base;"), below]);
    accepts(&[("lib.rs", "mod b;"), ("b/mod.rs", "mod one; fn f() -> one::One {}"), ("b/one.rs", "")]);
    refuses(&[("lib.rs", "mod b;"), ("b/mod.rs", "mod one; use one::One; struct Base;"), below], "cycle");
    let passed_on_and_used = "mod one; pub use one::One; struct Base(One);";
    refuses(&[("lib.rs", "mod b;"), ("b/mod.rs", passed_on_and_used), below], "cycle");
    let both = "mod zero; mod one; use self::zero::Zero; struct Base;";
    accepts(&[("lib.rs", "mod b;"), ("b/mod.rs", both), ("b/zero.rs", ""), below]);
}

#[test]
fn modules_named_tests_may_use_their_parent_and_no_more() {
    accepts(&[("lib.rs", "mod a;"), ("a.rs", "struct A; mod tests { use super::*; }")]);
    accepts(&[("lib.rs", "mod a;"), ("a.rs", "struct A; mod tests;"), ("a/tests.rs", "use super::*;")]);
    refuses(&[LIB, HIGH, ("low.rs", "mod tests { use crate::high::High; }")], "upward");
}

#[test]
fn refuses_unsafe_outside_the_list_and_lists_that_are_too_long() {
    let files = [LIB, HIGH, ("low.rs", "\nfn f() { unsafe { g() } }")];
    refuses(&files, "low.rs:2: `unsafe`");
    let captures = ("low.rs", "\nfn f<'a>() -> impl Fn() + use<'a> { || unsafe { g() } }");
    refuses(&[LIB, HIGH, captures], "low.rs:2: `unsafe`");
    let sources: Sources = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    assert_eq!(check(&sources, "strata_ecs", &["low.rs"]), Vec::<String>::new());
    assert_eq!(check(&sources, "strata_ecs", &["low.rs", "high.rs"]).len(), 1);
}

#[test]
fn refuses_files_that_it_would_not_look_into() {
    refuses(&[LIB, HIGH, ("low.rs", ""), ("lost.rs", "")], "lost.rs: no `mod` item leads here");
    refuses(&[LIB, HIGH, ("low.rs", "mod gone;")], "no file for `mod gone`");
    let lib = ("lib.rs", "#[path = \"b.rs\"] pub mod a; mod c;");
    refuses(&[lib, ("b.rs", "use crate::c::C;"), ("c.rs", "")], "b.rs:1: upward: `a` uses `c`");
}
