//! Runs rustc for what the kernels of `vectorization` depend on, and leaves out LLVM's passes.
//!
//! The kernels take generic and inlined functions from there, in the form before LLVM; the machine code is not looked at. It takes most of
//! the time of a release build.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let (rustc, arguments) = arguments.split_first().expect("cargo names the compiler");
    let mut command = Command::new(rustc);
    command.args(arguments);
    if !arguments.iter().any(|argument| argument == "strata_assembly_kernels") {
        command.arg("-Cno-prepopulate-passes");
    }
    let status = command.status().expect("the compiler starts");
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
