//! Four row systems in a chain, each of which reads the output of the previous one.
//!
//! Run one after the other, each system loads all its columns into the caches again; run block by block, the columns are loaded once. The
//! work on a row is written once, in this file, and all contestants call it.

pub(crate) mod by_hand;
mod mixed;
mod stages;
mod systems;

use std::sync::{Arc, OnceLock};

use strata_ecs::schedule::Pipelining;

use crate::support::bench::{Bench, Contestant, Sample};
use crate::support::contest::{Workload, checked_in, in_a_row};
use by_hand::{ByHand, Rows};
use systems::{Configs, How, Systems};

/// A size that shows the overhead of a pipeline.
pub(crate) const HUNDRED: usize = 100;
/// A size at which all columns fit into the second-level cache: 360 KB.
pub(crate) const TEN_THOUSAND: usize = 10_000;
/// A size at which the columns do not fit into the second-level cache: 36 MB.
pub(crate) const MILLION: usize = 1_000_000;
/// More than most last-level caches hold: 360 MB.
pub(crate) const TEN_MILLION: usize = 10_000_000;

/// The number of threads of the parallel contestants.
pub(crate) const THREADS: usize = 2;

/// The simulated time of a run, in seconds.
pub(crate) const DT: f32 = 1.0 / 60.0;
/// The factor by which a run damps a velocity.
const DAMPING: f32 = 0.99;
/// Half the edge of the box that nothing leaves.
const WALL: f32 = 100.0;

/// Three lanes, as in most games' positions.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

impl Vec3 {
    /// The first system: damps a velocity.
    #[inline(always)]
    pub(crate) fn damp(&mut self) {
        self.x *= DAMPING;
        self.y *= DAMPING;
        self.z *= DAMPING;
    }

    /// The second system (for a velocity and an acceleration) and the third system (for a position and a velocity).
    #[inline(always)]
    pub(crate) fn advance(&mut self, rate: Self, dt: f32) {
        self.x += rate.x * dt;
        self.y += rate.y * dt;
        self.z += rate.z * dt;
    }

    /// The fourth system: keeps a position in the box.
    #[inline(always)]
    pub(crate) fn confine(&mut self) {
        self.x = self.x.clamp(-WALL, WALL);
        self.y = self.y.clamp(-WALL, WALL);
        self.z = self.z.clamp(-WALL, WALL);
    }
}

/// The initial position, velocity and acceleration of a row. The velocities settle where damping and acceleration cancel out, so that all
/// runs compute with numbers of similar magnitude.
pub(crate) fn start(row: usize) -> [Vec3; 3] {
    let part = |of: usize, scale: f32| (row % of) as f32 * scale - of as f32 * scale * 0.5;
    [
        Vec3 { x: part(97, 2.0), y: part(89, 2.0), z: part(83, 2.0) },
        Vec3 { x: part(31, 0.5), y: part(29, 0.5), z: part(23, 0.5) },
        Vec3 { x: part(19, 1.0) + 0.25, y: part(17, 1.0) - 9.75, z: part(13, 1.0) + 0.25 },
    ]
}

/// The order-independent checksum of a column of vectors.
pub(crate) fn sum<'a>(vectors: impl Iterator<Item = &'a Vec3>) -> u64 {
    vectors.map(|v| u64::from(v.x.to_bits()) + u64::from(v.y.to_bits()) + u64::from(v.z.to_bits())).sum()
}

/// The threads of the parallel contestants.
pub(crate) fn pool() -> Arc<rayon::ThreadPool> {
    static POOL: OnceLock<Arc<rayon::ThreadPool>> = OnceLock::new();
    let build = || rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads can be started");
    Arc::clone(POOL.get_or_init(|| Arc::new(build())))
}

/// Every workload: the chain on one thread and on two, a chain over columns of other widths, and the stages of a row
/// system.
pub(crate) fn benches() -> Vec<Bench> {
    let mut benches = vec![
        on_one_thread::<HUNDRED>("pipelines: chain of 4, 100"),
        on_one_thread::<TEN_THOUSAND>("pipelines: chain of 4, 10k"),
        on_one_thread::<MILLION>("pipelines: chain of 4, 1M"),
        on_one_thread::<TEN_MILLION>("pipelines: chain of 4, 10M"),
        other_widths::<TEN_THOUSAND>("pipelines: mixed widths, 10k"),
        other_widths::<MILLION>("pipelines: mixed widths, 1M"),
        other_widths::<TEN_MILLION>("pipelines: mixed widths, 10M"),
        on_two_threads::<MILLION>("pipelines: two threads, 1M"),
        on_two_threads::<TEN_MILLION>("pipelines: two threads, 10M"),
    ];
    benches.extend(stages::benches());
    benches
}

/// Systems one after the other.
const IN_TURN: How = How { threads: false, pipelining: Pipelining::Never };
/// The default settings of a program.
const AS_IT_COMES: How = How { threads: false, pipelining: Pipelining::Auto };
/// Systems block by block.
const PIPELINED: How = How { threads: false, pipelining: Pipelining::Always };

/// A contestant that does what the baseline does: checked in a few runs, or in one if a run takes long.
fn checked<const ROWS: usize>(contestant: impl Workload, by_hand: impl Workload) -> Sample {
    in_a_row(checked_in(if ROWS > MILLION { 1 } else { 7 }, contestant, by_hand))
}

fn by_hand<const ROWS: usize>(pass: fn(Rows<'_>)) -> Sample {
    checked::<ROWS>(ByHand::new(ROWS, pass), ByHand::new(ROWS, by_hand::in_turn))
}

fn systems<const ROWS: usize>(systems: fn() -> Configs, how: How) -> Sample {
    checked::<ROWS>(Systems::new(ROWS, systems(), how), ByHand::new(ROWS, by_hand::in_turn))
}

fn bench<const ROWS: usize>(name: &'static str, contestants: Vec<Contestant>) -> Bench {
    Bench { file: "pipelines", name, rows: ROWS, contestants }
}

fn on_one_thread<const ROWS: usize>(name: &'static str) -> Bench {
    // If all rows fit into the cache, block by block gains nothing.
    let at_most = (ROWS > TEN_THOUSAND).then_some(0.5);
    let contestants = vec![
        Contestant::new("by hand, one after the other", None, || in_a_row(ByHand::new(ROWS, by_hand::in_turn))),
        Contestant::new("by hand, block by block", None, || by_hand::<ROWS>(by_hand::by_blocks)),
        Contestant::new("by hand, one loop", None, || by_hand::<ROWS>(by_hand::in_one_loop)),
        Contestant::new("by hand, AVX2, one after the other", None, || by_hand::<ROWS>(by_hand::in_turn_wide)),
        Contestant::new("by hand, AVX2, block by block", None, || by_hand::<ROWS>(by_hand::by_blocks_wide)),
        Contestant::new("row systems, pipelines never", None, || systems::<ROWS>(systems::whole, IN_TURN)),
        Contestant::new("row systems, pipelines always", None, || systems::<ROWS>(systems::whole, PIPELINED)),
        Contestant::new("row systems", at_most, || systems::<ROWS>(systems::whole, AS_IT_COMES)),
    ];
    bench::<ROWS>(name, contestants)
}

fn other_widths<const ROWS: usize>(name: &'static str) -> Bench {
    fn systems<const ROWS: usize>(how: How) -> Sample {
        checked::<ROWS>(mixed::Systems::new(ROWS, how), mixed::ByHand::in_turn(ROWS))
    }
    let contestants = vec![
        Contestant::new("by hand, one after the other", None, || in_a_row(mixed::ByHand::in_turn(ROWS))),
        Contestant::new("by hand, block by block", None, || {
            checked::<ROWS>(mixed::ByHand::by_blocks(ROWS), mixed::ByHand::in_turn(ROWS))
        }),
        Contestant::new("row systems, pipelines never", None, || systems::<ROWS>(IN_TURN)),
        Contestant::new("row systems, pipelines always", None, || systems::<ROWS>(PIPELINED)),
        Contestant::new("row systems", None, || systems::<ROWS>(AS_IT_COMES)),
    ];
    bench::<ROWS>(name, contestants)
}

/// Compared with the library on one thread, with pipelines.
fn on_two_threads<const ROWS: usize>(name: &'static str) -> Bench {
    const fn on_threads(how: How) -> How {
        How { threads: true, ..how }
    }
    let contestants = vec![
        Contestant::new("row systems, one thread", None, || systems::<ROWS>(systems::whole, AS_IT_COMES)),
        Contestant::new("by hand, one thread, block by block", None, || by_hand::<ROWS>(by_hand::by_blocks)),
        Contestant::new("by hand, one after the other", None, || by_hand::<ROWS>(by_hand::in_turn_on_threads)),
        Contestant::new("by hand, block by block", None, || by_hand::<ROWS>(by_hand::by_blocks_on_threads)),
        Contestant::new("row systems, pipelines never", None, || systems::<ROWS>(systems::split, on_threads(IN_TURN))),
        Contestant::new("row systems, pipelines always", None, || {
            systems::<ROWS>(systems::split, on_threads(PIPELINED))
        }),
        Contestant::new("row systems", Some(0.6), || systems::<ROWS>(systems::split, on_threads(AS_IT_COMES))),
    ];
    bench::<ROWS>(name, contestants)
}
