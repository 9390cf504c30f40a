//! Tests that end the process, run in a child process of their own.

use std::process::{Command, Output};

const MARK: &str = "STRATA_TESTS_CHILD";
const ARGUMENT: &str = "STRATA_TESTS_CHILD_ARGUMENT";

/// Whether this process is the child started by [`run_in_child`] for the test `name`.
#[must_use]
pub fn is_child_for(name: &str) -> bool {
    std::env::var_os(MARK).is_some_and(|mark| mark == name)
}

/// The argument handed to this process, if it is the child started by [`run_in_child_with`] for the test `name`.
#[must_use]
pub fn child_argument(name: &str) -> Option<usize> {
    if !is_child_for(name) {
        return None;
    }
    std::env::var(ARGUMENT).ok()?.parse().ok()
}

/// Runs one test of this test binary again, in a child for which [`is_child_for`] holds.
///
/// # Panics
/// When the test binary cannot be started.
#[must_use]
pub fn run_in_child(name: &str) -> Output {
    run_in_child_with(name, 0)
}

/// As [`run_in_child`], with an argument that the child gets from [`child_argument`].
///
/// # Panics
/// When the test binary cannot be started.
#[must_use]
pub fn run_in_child_with(name: &str, argument: usize) -> Output {
    child_of(name).env(ARGUMENT, argument.to_string()).output().expect("the test binary can be started a second time")
}

/// The command that runs one test of this test binary again, in a child for which [`is_child_for`] holds.
///
/// # Panics
/// When the test binary has no path.
#[must_use]
pub fn child_of(name: &str) -> Command {
    let binary = std::env::current_exe().expect("a running test has a path");
    let mut child = Command::new(binary);
    child.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(MARK, name);
    // To find the lines of a large binary takes longer than most of what is tried.
    child.env("RUST_BACKTRACE", "0");
    child
}

/// Fails unless the child ended by `abort`, and not by a memory fault or in an orderly way.
///
/// # Panics
/// When the child ended otherwise; the text holds what it printed.
pub fn assert_aborted(output: &Output) {
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "the child ended in good order: {printed}");
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        const ABORT: i32 = 6;
        // A sanitizer turns the signal into an exit code of its own and prints which signal it was.
        let aborted = output.status.signal() == Some(ABORT) || printed.contains("SIGABRT");
        assert!(aborted, "the child was to abort, but ended with {}: {printed}", output.status);
    }
    assert!(!printed.contains("heap-use-after-free"), "{printed}");
}
