//! Prints the cost per unit as the number of systems, tables, entities, components or commands grows, and the slope of each series.
//!
//! ```text
//! cargo bench -p strata-benches --bench scale                    # every series
//! cargo bench -p strata-benches --bench scale -- conflicting     # series whose names contain one of the words
//! cargo bench -p strata-benches --bench scale -- --smoke         # each once, with few systems, to see that it runs
//! ```
//!
//! A schedule is *young* in its first runs, in which it measures its systems and decides which of them to run in parallel, and *old* after
//! many runs. The slope is the exponent with which the total time grows: 1 is linear. A slope above 1.2 is called superlinear; the cause
//! may be the caches, if it occurs where the data outgrows one. Some series have a maximum slope; the run fails if it is exceeded.

use std::time::Instant;

use strata_ecs::prelude::*;
use strata_ecs::schedule::{Executor, MultiThreadedExecutor, SingleThreadedExecutor};

#[expect(dead_code, reason = "other benchmarks need the rest")]
#[path = "support/schedule/many.rs"]
mod many;
/// Under the path that the macros of `many` use.
mod schedule {
    pub(crate) use crate::many;
}

#[path = "support/series.rs"]
mod series;

use many::hundred;

#[derive(Component)]
struct Cell<const N: usize>(u64);

/// Writes one of a hundred components.
fn writes<const N: usize>(mut cells: Query<'_, '_, &mut Cell<N>>) {
    for mut cell in &mut cells {
        cell.0 = cell.0.wrapping_add(1);
    }
}

#[inline(never)]
fn add<const N: usize>(schedule: &mut Schedule) {
    schedule.add_systems(writes::<N>);
}

#[inline(never)]
fn spawn<const N: usize>(world: &mut World) {
    world.spawn((Cell::<N>(0),));
}

/// All systems write the same component, so that no two of them run in parallel.
fn conflicting(schedule: &mut Schedule, count: usize) {
    (0..count).for_each(|_| add::<0>(schedule));
}

/// Systems that write a hundred components in turn.
fn spread(schedule: &mut Schedule, count: usize) {
    for _ in 0..count / many::HUNDRED {
        macro_rules! add {
            ($number:expr) => {
                add::<$number>(schedule);
            };
        }
        hundred!(add);
    }
}

/// Times in nanoseconds for each system and run.
struct Times {
    young: f64,
    old: f64,
}

/// The number of young runs after the first run, in which systems are prepared.
const YOUNG: u32 = 16;

fn measure(fill: fn(&mut Schedule, usize), executor: Executor, count: usize, old: u32) -> Times {
    let (mut world, mut schedule) = (World::new(), Schedule::default());
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be started");
    world.set_thread_pool(std::sync::Arc::new(threads));
    macro_rules! spawn {
        ($number:expr) => {
            spawn::<$number>(&mut world);
        };
    }
    hundred!(spawn);
    fill(&mut schedule, count);
    schedule.set_executor(executor);
    schedule.run(&mut world);
    let mut timed = |runs: u32| {
        let start = Instant::now();
        for _ in 0..runs {
            schedule.run(&mut world);
        }
        start.elapsed().as_nanos() as f64 / f64::from(runs) / count as f64
    };
    Times { young: timed(YOUNG), old: timed(old) }
}

/// The exponent with which the time of a run grows; `first` and `last` are times per unit.
fn slope(counts: &[usize], first: f64, last: f64) -> f64 {
    let growth = *counts.last().expect("there are several") as f64 / counts[0] as f64;
    1.0 + (last / first).ln() / growth.ln()
}

/// The slope, and a word if it is steep.
fn shown(slope: f64) -> String {
    format!("{slope:.2}{}", if slope > 1.2 { ", superlinear" } else { "" })
}

/// Measures the series that are not about schedules.
fn grow(is_smoke: bool, is_meant: &dyn Fn(&str) -> bool) {
    for series in series::ALL.iter().filter(|series| is_meant(series.name)) {
        println!("{}: ns {}", series.name, if series.is_of_run { "a run" } else { "for each" });
        let counts = if is_smoke { &series.counts[..1] } else { series.counts };
        let times: Vec<f64> = counts.iter().map(|&count| (series.measure)(count)).collect();
        for (count, time) in counts.iter().zip(&times) {
            let shown = if series.is_of_run { time * *count as f64 } else { *time };
            println!("  {count:>7} {} {shown:>10.2}", series.unit);
        }
        if let [first, .., last] = times[..] {
            let slope = slope(counts, first, last);
            println!("  slope {}", shown(slope));
            if let Some(steepest) = series.steepest {
                assert!(slope <= steepest, "{}: the slope is {slope:.2}, more than {steepest}", series.name);
            }
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let is_smoke = arguments.iter().any(|argument| argument == "--smoke");
    let words: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let (counts, old): (&[usize], u32) = if is_smoke { (&[100, 200], 1) } else { (&[100, 1000, 5000], 256) };
    let is_meant = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    grow(is_smoke, &is_meant);
    let series: [(&str, fn(&mut Schedule, usize)); 2] =
        [("all conflicting", conflicting), ("over 100 components", spread)];
    let executors: [(&str, Executor); 2] =
        [("one thread", SingleThreadedExecutor::new().into()), ("parallel", MultiThreadedExecutor::new().into())];
    for (series, fill) in series {
        for (name, executor) in executors {
            let title = format!("{series}, {name}");
            if !is_meant(&title) {
                continue;
            }
            println!("{title}: ns for each system and run, young / old");
            let times: Vec<_> = counts.iter().map(|count| measure(fill, executor, *count, old)).collect();
            for (count, Times { young, old }) in counts.iter().zip(&times) {
                println!("  {count:>5} systems {young:>10.1} / {old:>8.1}");
            }
            let (first, last) = (&times[0], &times[times.len() - 1]);
            let (young, old) = (slope(counts, first.young, last.young), slope(counts, first.old, last.old));
            println!("  slope {} / {}", shown(young), shown(old));
        }
    }
}
