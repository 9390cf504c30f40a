//! Runs cargo for trybuild, and replaces `check` by `build`.
//!
//! Without programs that have to run, trybuild only checks its cases, all of them by one run of cargo. Some mistakes are
//! found where the compiler instantiates a generic function, which a check does not do.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    // Set by `ui.rs`: `CARGO` names this program.
    let cargo = std::env::var_os("REAL_CARGO").expect("`ui.rs` names cargo");
    let arguments =
        std::env::args_os().skip(1).map(|argument| if argument == "check" { "build".into() } else { argument });
    let status = Command::new(&cargo).args(arguments).env("CARGO", &cargo).status().expect("cargo starts");
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
