//! The chain as row systems of a schedule.

use std::hint::black_box;

use strata_ecs::prelude::*;
use strata_ecs::schedule::{
    MultiThreadedExecutor, Pipelining, ScheduleConfigs, ScheduleSystem, SingleThreadedExecutor,
};

use super::{DT, Vec3, pool, start, sum};
use crate::support::contest::{Outcome, Workload};

#[derive(Clone, Copy, Component)]
struct Position(Vec3);

#[derive(Clone, Copy, Component)]
struct Velocity(Vec3);

#[derive(Clone, Copy, Component)]
struct Acceleration(Vec3);

/// The simulated time of a run, in seconds.
#[derive(Resource)]
struct Dt(f32);

/// The four systems, with the given options.
macro_rules! chain {
    ($(#[$doc:meta])* $module:ident, #[$system:meta]) => {
        $(#[$doc])*
        mod $module {
            use strata_ecs::prelude::*;
            use strata_ecs::schedule::{ScheduleConfigs, ScheduleSystem};

            use super::{Acceleration, Dt, Position, Velocity};

            #[$system]
            pub(super) fn damp(velocity: &mut Velocity) {
                velocity.0.damp();
            }

            #[$system]
            pub(super) fn accelerate(velocity: &mut Velocity, acceleration: &Acceleration, dt: Res<Dt>) {
                velocity.0.advance(acceleration.0, dt.0);
            }

            #[$system]
            pub(super) fn movement(position: &mut Position, velocity: &Velocity, dt: Res<Dt>) {
                position.0.advance(velocity.0, dt.0);
            }

            #[$system]
            pub(super) fn confine(position: &mut Position) {
                position.0.confine();
            }

            pub(super) fn configs() -> ScheduleConfigs<ScheduleSystem> {
                (damp, accelerate, movement, confine).chain()
            }
        }
    };
}

chain!(whole, #[system]);
chain!(
    /// With rows divided among several threads.
    split,
    #[system(par)]
);
chain!(
    /// With loops that are compiled once, for the baseline.
    plain,
    #[system(simd = off)]
);

/// The systems of a schedule.
pub(crate) type Configs = ScheduleConfigs<ScheduleSystem>;

/// All four, each over all rows by itself.
pub(super) fn whole() -> Configs {
    whole::configs()
}

/// All four, with `simd = off`.
pub(super) fn plain() -> Configs {
    plain::configs()
}

/// All four, with `par`.
pub(super) fn split() -> Configs {
    split::configs()
}

/// The third alone.
pub(super) fn movement() -> Configs {
    whole::movement.into_configs()
}

/// The third alone, with `simd = off`.
pub(super) fn movement_plain() -> Configs {
    plain::movement.into_configs()
}

/// The third alone, with `par`.
pub(super) fn movement_split() -> Configs {
    split::movement.into_configs()
}

/// How a schedule runs its systems.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// On several threads.
    pub(super) threads: bool,
    /// The pipeline setting of the schedule.
    pub(super) pipelining: Pipelining,
}

/// A schedule with the given systems and settings.
pub(super) fn schedule(systems: Configs, how: How) -> Schedule {
    let mut schedule = Schedule::default();
    if how.threads {
        schedule.set_executor(MultiThreadedExecutor::new());
    } else {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
    schedule.set_pipelining(how.pipelining);
    schedule.add_systems(systems);
    schedule
}

/// A world of one table, and the schedule.
pub(super) struct Systems {
    world: World,
    schedule: Schedule,
}

impl Systems {
    pub(super) fn new(rows: usize, systems: Configs, how: How) -> Self {
        let mut world = World::new();
        world.set_thread_pool(pool());
        world.insert_resource(Dt(DT));
        world.spawn_batch((0..rows).map(|row| {
            let [position, velocity, acceleration] = start(row);
            (Position(position), Velocity(velocity), Acceleration(acceleration))
        }));
        Self { world, schedule: schedule(systems, how) }
    }
}

impl Workload for Systems {
    fn run(&mut self) {
        let Self { world, schedule } = black_box(self);
        schedule.run(world);
    }

    fn outcome(&mut self) -> Outcome {
        let mut query = self.world.query::<(&Position, &Velocity, &Acceleration)>();
        let mut sums = [0; 3];
        for (positions, velocities, accelerations) in query.contiguous_iter(&self.world) {
            sums[0] += sum(positions.iter().map(|position| &position.0));
            sums[1] += sum(velocities.iter().map(|velocity| &velocity.0));
            sums[2] += sum(accelerations.iter().map(|acceleration| &acceleration.0));
        }
        sums
    }
}
