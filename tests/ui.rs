//! What must compile, and what must not: with which words the compiler says so.
//!
//! `ui/pass` holds programs that compile without a warning and run; `ui/fail` programs with one mistake each, beside the
//! error that a user sees. After a change of wording, `TRYBUILD=overwrite cargo test -p strata-tests --test ui` writes
//! the errors anew; read each one as somebody who does not know how the macros work.

/// Set where a build of the cases proves nothing: under a sanitizer, which looks at what runs.
const SKIP: &str = "STRATA_SKIP_COMPILE_TESTS";

#[test]
fn legal_programs_compile_and_run_and_mistakes_are_explained() {
    if std::env::var_os(SKIP).is_some() {
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    cases.compile_fail("ui/fail/*.rs");
    // The index of errors: see `error_index.rs`.
    cases.compile_fail("ui/errors/*/fails.rs");
    cases.pass("ui/errors/*/works.rs");
}
