//! Programs that must not compile, with the expected errors, and programs that compile only on their own.
//!
//! The cases are in the folders of `tests/ui`, a file each: `fail` holds programs with one mistake, each with a file that contains the
//! expected error. `errors` is the index of errors: see `error_index.rs`. Programs that compile are no cases: `ui/pass.rs` and `ui/crates`.
//!
//! One run of cargo builds all cases. A few mistakes are found only where the compiler instantiates a generic function: these
//! cases are in `fail/when_built`, or are called `fails_when_built.rs`.
//!
//! After a change of wording, `TRYBUILD=overwrite cargo test -p strata-compile-tests ui::` rewrites the errors; read each one as a user who
//! does not know how the macros work. `-- ui:: trybuild=NAME` runs cases with this name.

use std::path::{Path, PathBuf};

use strata_tests::process::{child_of, is_child_for};

/// The package of the cases. trybuild builds them with all dependencies of the package it is started for, so that is not
/// the one of the tests, which need a lot that the cases do not.
fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("ui")
}

/// Builds the cases in a child process, for the package of the cases.
#[test]
fn mistakes_are_explained() {
    const NAME: &str = "ui::mistakes_are_explained";
    if is_child_for(NAME) {
        let cases = trybuild::TestCases::new();
        cases.compile_fail("fail/*.rs");
        cases.compile_fail("fail/when_built/*.rs");
        cases.compile_fail("errors/*/fails.rs");
        cases.compile_fail("errors/*/fails_when_built.rs");
        return;
    }
    let mut child = child_of(NAME);
    child.args(std::env::args().filter(|argument| argument.starts_with("trybuild=")));
    child.current_dir(package()).env("CARGO_MANIFEST_DIR", package());
    // It makes a stable compiler take what is unstable. `.ci/with_times` sets it, and it is not meant for the cases.
    child.env_remove("RUSTC_BOOTSTRAP");
    // A check would not find the mistakes of `when_built`.
    child.env("REAL_CARGO", env!("CARGO")).env("CARGO", env!("CARGO_BIN_EXE_building_cargo"));
    // Texts that change with each release of rustc are not compared.
    child.env("RUSTC_WORKSPACE_WRAPPER", env!("CARGO_BIN_EXE_plain_words"));
    // Nothing that is built here is looked at by a debugger.
    child.env("CARGO_PROFILE_DEV_DEBUG", "0");
    assert!(child.status().expect("the test binary can be started a second time").success(), "cases failed: see above");
}
