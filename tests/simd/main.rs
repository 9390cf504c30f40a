//! Loops that are compiled for several instruction sets: all variants have the same results, and the one that is asked for
//! is used.

mod choice;
mod identity;

use std::sync::{Mutex, MutexGuard, PoisonError};

use strata_ecs::simd::InstructionSet;

/// The instruction set is set for the whole process, so tests that change it take turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the instruction sets of this processor.
fn sets() -> Vec<InstructionSet> {
    let all = [InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512];
    all.into_iter().filter(|set| *set <= InstructionSet::detected()).collect()
}
