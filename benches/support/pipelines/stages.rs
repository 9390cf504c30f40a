//! The gain of each stage of a row system: the loop as written, its shape, wider instructions, several systems block by block, and several
//! threads. `plot_row_systems` looks up the contestants by name.

use strata_ecs::simd::InstructionSet;

use super::by_hand::{self, ByHand};
use super::systems::{self, Configs, How, Systems};
use super::{AS_IT_COMES, IN_TURN, MILLION, TEN_THOUSAND, checked};
use crate::support::bench::{Bench, Contestant, Sample};
use crate::support::contest::in_a_row;

/// The third system alone, with columns that fit into the second-level cache and columns that do not, and all four systems.
pub(super) fn benches() -> Vec<Bench> {
    vec![
        one_system::<TEN_THOUSAND>("stages: pos += vel * dt, 10k"),
        one_system::<MILLION>("stages: pos += vel * dt, 1M"),
        chain::<TEN_THOUSAND>("stages: chain of 4, 10k"),
        chain::<MILLION>("stages: chain of 4, 1M"),
    ]
}

/// Runs a sample with the given instruction set as the upper limit.
fn with_at_most(set: InstructionSet, mut sample: Sample) -> Sample {
    Box::new(move |runs| {
        let before = InstructionSet::current();
        set.limit();
        let taken = sample(runs);
        before.limit();
        taken
    })
}

fn one_by_hand<const ROWS: usize>() -> ByHand {
    ByHand::new(ROWS, by_hand::movement)
}

/// The default row system, limited to an instruction set.
fn one<const ROWS: usize>(set: InstructionSet, system: fn() -> Configs, how: How) -> Sample {
    with_at_most(set, checked::<ROWS>(Systems::new(ROWS, system(), how), one_by_hand::<ROWS>()))
}

fn four<const ROWS: usize>(set: InstructionSet, systems: fn() -> Configs, how: How) -> Sample {
    with_at_most(set, super::systems::<ROWS>(systems, how))
}

const SHAPE: InstructionSet = InstructionSet::Baseline;
/// The best instruction set of the processor.
const BEST: InstructionSet = InstructionSet::Avx512;
const ON_THREADS: How = How { threads: true, ..AS_IT_COMES };

fn one_system<const ROWS: usize>(name: &'static str) -> Bench {
    use systems::{movement, movement_plain, movement_split};
    let contestants = vec![
        Contestant::new("by hand", None, || in_a_row(one_by_hand::<ROWS>())),
        Contestant::new("plain loop", None, || one::<ROWS>(BEST, movement_plain, AS_IT_COMES)),
        Contestant::new("loop shape", None, || one::<ROWS>(SHAPE, movement, AS_IT_COMES)),
        Contestant::new("dispatch", None, || one::<ROWS>(BEST, movement, AS_IT_COMES)),
        Contestant::new("two threads", None, || one::<ROWS>(BEST, movement_split, ON_THREADS)),
    ];
    Bench { file: "stages", name, rows: ROWS, contestants }
}

fn chain<const ROWS: usize>(name: &'static str) -> Bench {
    use systems::{plain, split, whole};
    let contestants = vec![
        Contestant::new("by hand", None, || in_a_row(ByHand::new(ROWS, by_hand::in_turn))),
        Contestant::new("plain loop", None, || four::<ROWS>(BEST, plain, IN_TURN)),
        Contestant::new("loop shape", None, || four::<ROWS>(SHAPE, whole, IN_TURN)),
        Contestant::new("dispatch", None, || four::<ROWS>(BEST, whole, IN_TURN)),
        Contestant::new("pipeline", None, || four::<ROWS>(BEST, whole, AS_IT_COMES)),
        Contestant::new("two threads", None, || four::<ROWS>(BEST, split, ON_THREADS)),
    ];
    Bench { file: "stages", name, rows: ROWS, contestants }
}
