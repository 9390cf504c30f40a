//! Row systems with the widest instruction set of the processor, compared with slices that are compiled for the baseline, like the rest of
//! the program, and for wider sets, which a program cannot choose at compile time.

#![expect(unsafe_code, reason = "a function for a wider instruction set is called where the processor has it")]

use std::hint::black_box;

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;
use strata_ecs::simd::InstructionSet;

use super::data::{BODY, Position, Velocity};
use super::{Bench, Contestant, Sample, repeated};

const ROWS: usize = 10_000;

/// The constants of the loops.
#[derive(Clone, Copy, Resource)]
struct Constants {
    step: f32,
    factor: f32,
    least: f32,
    most: f32,
}

/// With these constants, values stay in a normal range however often the loops run.
const CONSTANTS: Constants = Constants { step: 1e-3, factor: 1.0, least: -10.0, most: 10.0 };

/// A loop by hand.
trait Kernel: 'static {
    /// Implementations are `#[inline(always)]`, so that they are compiled for the caller's instruction set.
    fn run(positions: &mut [Position], velocities: &mut [Velocity], constants: &Constants);
}

#[inline(never)]
fn baseline<K: Kernel>(positions: &mut [Position], velocities: &mut [Velocity], constants: &Constants) {
    K::run(positions, velocities, constants);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt")]
fn avx2<K: Kernel>(positions: &mut [Position], velocities: &mut [Velocity], constants: &Constants) {
    K::run(positions, velocities, constants);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,movbe,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
fn avx512<K: Kernel>(positions: &mut [Position], velocities: &mut [Velocity], constants: &Constants) {
    K::run(positions, velocities, constants);
}

/// A loop by hand with an instruction set, or with the widest one that the processor has.
fn by_hand<K: Kernel>(set: InstructionSet) -> Sample {
    let (mut positions, mut velocities) = (vec![BODY.1; ROWS], vec![BODY.3; ROWS]);
    let set = set.min(InstructionSet::detected());
    repeated(move || {
        let (positions, velocities) = (black_box(&mut *positions), black_box(&mut *velocities));
        let constants = &black_box(CONSTANTS);
        match set {
            // SAFETY: `set` is at most the detected set, so the processor has all features that `avx2` enables.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { avx2::<K>(positions, velocities, constants) },
            // SAFETY: `set` is at most the detected set, so the processor has all features that `avx512` enables.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { avx512::<K>(positions, velocities, constants) },
            _ => baseline::<K>(positions, velocities, constants),
        }
    })
}

fn row_system<Marker>(system: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Sample {
    let (mut world, mut schedule) = (World::new(), Schedule::default());
    world.insert_resource(CONSTANTS);
    world.spawn_batch((0..ROWS).map(|_| BODY));
    schedule.add_systems(system);
    repeated(move || schedule.run(black_box(&mut world)))
}

struct Movement;

impl Kernel for Movement {
    #[inline(always)]
    fn run(positions: &mut [Position], velocities: &mut [Velocity], _: &Constants) {
        for (position, velocity) in positions.iter_mut().zip(velocities) {
            position.0.add(velocity.0);
        }
    }
}

#[system]
fn movement(position: &mut Position, velocity: &Velocity) {
    position.0.add(velocity.0);
}

struct Step;

impl Kernel for Step {
    #[inline(always)]
    fn run(positions: &mut [Position], velocities: &mut [Velocity], constants: &Constants) {
        for (position, velocity) in positions.iter_mut().zip(velocities) {
            position.0.add(velocity.0.scaled(constants.step));
        }
    }
}

#[system]
fn step(position: &mut Position, velocity: &Velocity, constants: Res<Constants>) {
    position.0.add(velocity.0.scaled(constants.step));
}

struct Damping;

impl Kernel for Damping {
    #[inline(always)]
    fn run(_: &mut [Position], velocities: &mut [Velocity], constants: &Constants) {
        for velocity in velocities {
            velocity.0 = velocity.0.scaled(constants.factor);
        }
    }
}

#[system]
fn damping(velocity: &mut Velocity, constants: Res<Constants>) {
    velocity.0 = velocity.0.scaled(constants.factor);
}

struct Clamp;

impl Kernel for Clamp {
    #[inline(always)]
    fn run(positions: &mut [Position], _: &mut [Velocity], constants: &Constants) {
        for position in positions {
            position.0.clamp(constants.least, constants.most);
        }
    }
}

#[system]
fn clamp(position: &mut Position, constants: Res<Constants>) {
    position.0.x = position.0.x.clamp(constants.least, constants.most);
    position.0.y = position.0.y.clamp(constants.least, constants.most);
    position.0.z = position.0.z.clamp(constants.least, constants.most);
}

/// Clamps with a method that asserts the order of the bounds: the optimiser reads and compares the bounds for each row, because it does not
/// find out early enough that rows and bounds do not alias.
#[system]
fn clamp_by_method(position: &mut Position, constants: Res<Constants>) {
    position.0.clamp(constants.least, constants.most);
}

/// A row system, compared with slices for the baseline and with slices for AVX2.
macro_rules! pair {
    ($kernel:ident, $system:ident, $name:literal) => {
        [
            Bench {
                file: "simd",
                name: concat!($name, " 10k, detected"),
                rows: ROWS,
                contestants: vec![
                    Contestant::new("slices by hand", None, || by_hand::<$kernel>(InstructionSet::Baseline)),
                    Contestant::new("row system", Some(0.5), || row_system($system)),
                    Contestant::new("slices by hand, AVX2", None, || by_hand::<$kernel>(InstructionSet::Avx2)),
                    Contestant::new("slices by hand, AVX-512", None, || by_hand::<$kernel>(InstructionSet::Avx512)),
                ],
            },
            Bench {
                file: "simd",
                name: concat!($name, " 10k, beside AVX2"),
                rows: ROWS,
                contestants: vec![
                    Contestant::new("slices by hand, AVX2", None, || by_hand::<$kernel>(InstructionSet::Avx2)),
                    Contestant::new("row system", Some(1.1), || row_system($system)),
                ],
            },
        ]
    };
}

pub(super) fn benches() -> Vec<Bench> {
    [
        pair!(Movement, movement, "vec3 += vec3"),
        pair!(Step, step, "vec3 += vec3 * dt"),
        pair!(Damping, damping, "vec3 *= factor"),
        pair!(Clamp, clamp, "vec3, clamp"),
        pair!(Clamp, clamp_by_method, "vec3, clamp by a method"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
