//! Messages, done by `bevy_ecs`.

use std::hint::black_box;

use bevy_ecs::message::{MessageRegistry, message_update_system};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;

use crate::support::messages::{self, weigh};
use crate::support::{Contestant, Sample, repeated};

const ROWS: usize = 100_000;

#[derive(Clone, Copy, Message)]
struct Collision(messages::Collision);

#[derive(Resource, Default)]
struct Total(u64);

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "messages: 100k sent and read" => {
            vec![Contestant::new("bevy_ecs: write, read", None, || schedule(write.into_configs()))]
        }
        "messages: 100k sent at once and read" => {
            vec![Contestant::new("bevy_ecs: write_batch, read", None, || schedule(write_batch.into_configs()))]
        }
        _ => Vec::new(),
    }
}

fn read(mut collisions: MessageReader<Collision>, mut total: ResMut<Total>) {
    let mut sum = 0;
    for Collision(collision) in collisions.read() {
        sum = weigh(sum, collision.first, collision.second, collision.force);
    }
    total.0 = sum;
}

fn write(mut collisions: MessageWriter<Collision>) {
    for number in 0..black_box(ROWS as u32) {
        collisions.write(Collision(messages::Collision::new(number)));
    }
}

fn write_batch(mut collisions: MessageWriter<Collision>) {
    collisions.write_batch((0..black_box(ROWS as u32)).map(|number| Collision(messages::Collision::new(number))));
}

/// A schedule that updates messages, and of a writer and a reader.
fn schedule(writer: bevy_ecs::schedule::ScheduleConfigs<bevy_ecs::system::ScheduleSystem>) -> Sample {
    let mut world = World::new();
    world.init_resource::<Total>();
    MessageRegistry::register_message::<Collision>(&mut world);
    let mut schedule = Schedule::default();
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.add_systems((message_update_system, writer, read).chain());
    repeated(move || {
        schedule.run(&mut world);
        black_box(world.resource::<Total>().0);
    })
}
