//! An allocation that fails and unwinds: every operation leaves a world that is in order, wherever it happens.
//!
//! A program without the standard library panics when memory runs out, and a handler on a nightly compiler can do the same. So
//! each allocation of each operation fails here once, and then all of them from there on, until the first one unwinds.
//! Afterwards the world has to be consistent and of use, and each value has to be dropped exactly once.
//!
//! The handler exists on nightly compilers only: the step of the sanitizer compiles this with `--cfg strata_nightly`.
//! `STRATA_OPERATION` names a single operation to run.

mod kinds;
mod operations;
mod relations;
mod run;
mod stage;
mod systems;
