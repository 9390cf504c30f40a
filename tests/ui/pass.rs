//! The programs that compile and run: those of `pass`, and the mended ones of `errors`, one module each. See `build.rs`.
//!
//! Programs that are about a crate of their own, by its attributes or by paths from its root, are in `crates`: each of them is
//! a test target in `Cargo.toml`.
#![deny(warnings)]

include!(concat!(env!("OUT_DIR"), "/cases.rs"));
