//! Row systems in every shape, with every instruction set that the processor has.

mod bodies;
mod values;

use std::hint::black_box;
use std::time::Instant;

use strata_ecs::__private::{Shaped, Wide};
use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;
use strata_ecs::simd::{InstructionSet, Variants};

use super::support::{Bench, Contestant, Sample};

/// Enough rows to amortize the overhead, few enough for the second-level cache.
const ROWS: usize = 10_000;

/// The index of the library's chosen shape among the contestants of an instruction set: after all shapes.
pub(crate) const CHOSEN: usize = 5;

const SETS: [InstructionSet; 3] = [InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512];

/// The instruction sets that can be compared here.
pub(crate) fn sets() -> &'static [InstructionSet] {
    let count = SETS.iter().filter(|&&set| set <= InstructionSet::detected()).count();
    &SETS[..count]
}

/// One loop body.
trait Body: 'static {
    /// Its name in the table.
    const NAME: &'static str;

    /// Spawns the rows.
    fn spawn(world: &mut World, rows: usize);

    /// The system that runs the body.
    fn system<V: Variants>() -> ScheduleSystem;

    /// The checksum of the rows.
    fn outcome(world: &mut World) -> u64;
}

/// A world with rows, and a schedule that visits them.
fn prepared<B: Body, V: Variants>(rows: usize) -> (World, Schedule) {
    let (mut world, mut schedule) = (World::new(), Schedule::default());
    world.insert_resource(black_box(bodies::Step(0.001)));
    B::spawn(&mut world, rows);
    schedule.add_systems(B::system::<V>());
    (world, schedule)
}

fn sample<B: Body, V: Variants, const SET: usize>() -> Sample {
    let (mut world, mut schedule) = prepared::<B, V>(ROWS);
    Box::new(move |runs| {
        SETS[SET].limit();
        let start = Instant::now();
        for _ in 0..runs {
            schedule.run(black_box(&mut world));
        }
        start.elapsed()
    })
}

/// The contestants of an instruction set: each shape, then the chosen shape.
macro_rules! contestants {
    ($B:ident, $set:literal) => {
        [
            Contestant::new("all rows", None, sample::<$B, Shaped<1>, $set>),
            Contestant::new("4", None, sample::<$B, Shaped<4>, $set>),
            Contestant::new("8", None, sample::<$B, Shaped<8>, $set>),
            Contestant::new("16", None, sample::<$B, Shaped<16>, $set>),
            Contestant::new("32", None, sample::<$B, Shaped<32>, $set>),
            Contestant::new("chosen", Some(1.05), sample::<$B, Wide, $set>),
        ]
    };
}

fn bench<B: Body>() -> Bench {
    let all = [contestants!(B, 0), contestants!(B, 1), contestants!(B, 2)];
    let contestants = all.into_iter().take(sets().len()).flatten().collect();
    Bench { file: "shapes", name: B::NAME, rows: ROWS, contestants }
}

/// Checks that all shapes with all instruction sets give the same result, also with rows after the last full block.
fn compare_shapes<B: Body>() {
    fn outcome<B: Body, V: Variants>(rows: usize) -> u64 {
        let (mut world, mut schedule) = prepared::<B, V>(rows);
        for _ in 0..3 {
            schedule.run(&mut world);
        }
        B::outcome(&mut world)
    }
    for rows in [1, 30, 63, 1000] {
        InstructionSet::Baseline.limit();
        let expected = outcome::<B, Shaped<1>>(rows);
        for set in sets() {
            set.limit();
            let outcomes = [
                outcome::<B, Shaped<1>>(rows),
                outcome::<B, Shaped<4>>(rows),
                outcome::<B, Shaped<8>>(rows),
                outcome::<B, Shaped<16>>(rows),
                outcome::<B, Shaped<32>>(rows),
                outcome::<B, Wide>(rows),
            ];
            assert_eq!(outcomes, [expected; CHOSEN + 1], "{}: {set:?}, {rows} rows", B::NAME);
        }
    }
}

macro_rules! list {
    ($($body:ident)*) => {
        /// All bodies with all shapes and instruction sets.
        pub(crate) fn benches() -> Vec<Bench> {
            vec![$(bench::<bodies::$body>()),*]
        }

        /// Checks that the result does not depend on how a loop is compiled.
        pub(crate) fn compare() {
            $(compare_shapes::<bodies::$body>();)*
        }
    };
}

list! {
    StepVec2 StepVec3 StepVec4 Integrate DampNumber DampVec3 ClampVec3 MinMaxVec3 NormalizeVec3 LengthVec3 Seek Bounce
    MultiplyMatrices TransformPoint InvertMatrix ComposeMatrix FloatsAndBytes DoublesAndFloats Cooldown Health
    XorShift HashMix Saturating EightNumbers EightVec3 MultiplyAdd ByEntity CopyVec3 FillNumber Flag
    LibraryInverse LibraryProduct LibraryRotation LibrarySlerp LibraryLookAt LibraryEuler LibraryNormal LibraryBetween
    LibraryPerspective LibrarySteering
}
