//! A chain of four systems, done by `bevy_ecs`. Where it uses several threads it has as many as the machine.

use std::hint::black_box;

use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, ScheduleConfigs, SingleThreadedExecutor};
use bevy_ecs::system::ScheduleSystem;

use crate::bench::{Contestant, Sample};
use crate::contest::{Outcome, Workload, checked_in, in_a_row};
use crate::pipelines::by_hand::{self, ByHand};
use crate::pipelines::{DT, MILLION, TEN_MILLION, TEN_THOUSAND, Vec3, start, sum};

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "pipelines: chain of 4, 10k" => on_one_thread::<TEN_THOUSAND>(),
        "pipelines: chain of 4, 1M" => on_one_thread::<MILLION>(),
        "pipelines: chain of 4, 10M" => on_one_thread::<TEN_MILLION>(),
        "pipelines: two threads, 1M" => on_two_threads::<MILLION>(),
        "pipelines: two threads, 10M" => on_two_threads::<TEN_MILLION>(),
        _ => Vec::new(),
    }
}

fn on_one_thread<const ROWS: usize>() -> Vec<Contestant> {
    vec![
        Contestant::new("bevy_ecs: for_each", None, || sample::<ROWS>(each::configs(), false)),
        Contestant::new("bevy_ecs: contiguous, changes bypassed", None, || {
            sample::<ROWS>(contiguous::configs(), false)
        }),
    ]
}

fn on_two_threads<const ROWS: usize>() -> Vec<Contestant> {
    vec![Contestant::new("bevy_ecs: par_iter_mut", None, || sample::<ROWS>(split::configs(), true))]
}

fn sample<const ROWS: usize>(systems: ScheduleConfigs<ScheduleSystem>, parallel: bool) -> Sample {
    let runs = if ROWS > MILLION { 1 } else { 7 };
    in_a_row(checked_in(runs, Chain::new(ROWS, systems, parallel), ByHand::new(ROWS, by_hand::in_turn)))
}

#[derive(Clone, Copy, Component)]
struct Position(Vec3);

#[derive(Clone, Copy, Component)]
struct Velocity(Vec3);

#[derive(Clone, Copy, Component)]
struct Acceleration(Vec3);

#[derive(Resource)]
struct Dt(f32);

/// The four systems, with the iteration that they are given.
macro_rules! chain {
    ($module:ident, $iterate:ident) => {
        mod $module {
            use bevy_ecs::prelude::*;
            use bevy_ecs::schedule::ScheduleConfigs;
            use bevy_ecs::system::ScheduleSystem;

            use super::{Acceleration, Dt, Position, Velocity};

            fn damp(mut all: Query<&mut Velocity>) {
                all.$iterate().for_each(|mut velocity| velocity.0.damp());
            }

            fn accelerate(mut all: Query<(&mut Velocity, &Acceleration)>, dt: Res<Dt>) {
                let dt = dt.0;
                all.$iterate().for_each(|(mut velocity, acceleration)| velocity.0.advance(acceleration.0, dt));
            }

            fn movement(mut all: Query<(&mut Position, &Velocity)>, dt: Res<Dt>) {
                let dt = dt.0;
                all.$iterate().for_each(|(mut position, velocity)| position.0.advance(velocity.0, dt));
            }

            fn confine(mut all: Query<&mut Position>) {
                all.$iterate().for_each(|mut position| position.0.confine());
            }

            pub(super) fn configs() -> ScheduleConfigs<ScheduleSystem> {
                (damp, accelerate, movement, confine).chain()
            }
        }
    };
}

chain!(each, iter_mut);
chain!(split, par_iter_mut);

/// The four systems over slices, whose changes are not noted.
mod contiguous {
    use bevy_ecs::prelude::*;
    use bevy_ecs::schedule::ScheduleConfigs;
    use bevy_ecs::system::ScheduleSystem;

    use super::{Acceleration, Dt, Position, Velocity};

    const TABLES: &str = "all components are stored in tables";

    fn damp(mut all: Query<&mut Velocity>) {
        for mut velocities in all.contiguous_iter_mut().expect(TABLES) {
            velocities.bypass_change_detection().iter_mut().for_each(|velocity| velocity.0.damp());
        }
    }

    fn accelerate(mut all: Query<(&mut Velocity, &Acceleration)>, dt: Res<Dt>) {
        let dt = dt.0;
        for (mut velocities, accelerations) in all.contiguous_iter_mut().expect(TABLES) {
            for (velocity, acceleration) in velocities.bypass_change_detection().iter_mut().zip(accelerations) {
                velocity.0.advance(acceleration.0, dt);
            }
        }
    }

    fn movement(mut all: Query<(&mut Position, &Velocity)>, dt: Res<Dt>) {
        let dt = dt.0;
        for (mut positions, velocities) in all.contiguous_iter_mut().expect(TABLES) {
            for (position, velocity) in positions.bypass_change_detection().iter_mut().zip(velocities) {
                position.0.advance(velocity.0, dt);
            }
        }
    }

    fn confine(mut all: Query<&mut Position>) {
        for mut positions in all.contiguous_iter_mut().expect(TABLES) {
            positions.bypass_change_detection().iter_mut().for_each(|position| position.0.confine());
        }
    }

    pub(super) fn configs() -> ScheduleConfigs<ScheduleSystem> {
        (damp, accelerate, movement, confine).chain()
    }
}

struct Chain {
    world: World,
    schedule: Schedule,
}

impl Chain {
    fn new(rows: usize, systems: ScheduleConfigs<ScheduleSystem>, parallel: bool) -> Self {
        let (mut world, mut schedule) = (World::new(), Schedule::default());
        world.insert_resource(Dt(DT));
        world.spawn_batch((0..rows).map(|row| {
            let [position, velocity, acceleration] = start(row);
            (Position(position), Velocity(velocity), Acceleration(acceleration))
        }));
        if parallel {
            schedule.set_executor(MultiThreadedExecutor::new());
        } else {
            schedule.set_executor(SingleThreadedExecutor::new());
        }
        schedule.add_systems(systems);
        Self { world, schedule }
    }
}

impl Workload for Chain {
    fn run(&mut self) {
        let Self { world, schedule } = black_box(self);
        schedule.run(world);
    }

    fn outcome(&mut self) -> Outcome {
        let mut query = self.world.query::<(&Position, &Velocity, &Acceleration)>();
        query.update_archetypes(&self.world);
        let all = || query.iter_manual(&self.world);
        [
            sum(all().map(|(position, ..)| &position.0)),
            sum(all().map(|(_, velocity, _)| &velocity.0)),
            sum(all().map(|(.., acceleration)| &acceleration.0)),
        ]
    }
}
