//! Messages that one system sends and another reads, compared with a vector that is filled, read and cleared.

use std::hint::black_box;

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleSystem;

use super::{Bench, Contestant, Sample, repeated};

const ROWS: usize = 100_000;

/// Two bodies and how hard they hit each other.
#[derive(Clone, Copy, Message)]
pub(crate) struct Collision {
    pub(crate) first: u32,
    pub(crate) second: u32,
    pub(crate) force: f32,
}

impl Collision {
    pub(crate) fn new(number: u32) -> Self {
        Self { first: number, second: number ^ 1, force: 0.5 }
    }
}

#[derive(Resource, Default)]
struct Total(u64);

/// Adds the checksum of one message to `total`.
pub(crate) fn weigh(total: u64, first: u32, second: u32, force: f32) -> u64 {
    total.wrapping_add(u64::from(first ^ second)).wrapping_add(u64::from(force.to_bits()))
}

fn read(mut collisions: MessageReader<'_, '_, Collision>, mut total: ResMut<'_, Total>) {
    let mut sum = 0;
    for collision in collisions.read() {
        sum = weigh(sum, collision.first, collision.second, collision.force);
    }
    total.0 = sum;
}

fn write(mut collisions: MessageWriter<'_, Collision>) {
    for number in 0..black_box(ROWS as u32) {
        collisions.write(Collision::new(number));
    }
}

fn write_batch(mut collisions: MessageWriter<'_, Collision>) {
    collisions.write_batch((0..black_box(ROWS as u32)).map(Collision::new));
}

/// A schedule of a writer and a reader.
fn schedule<Marker>(writer: impl IntoScheduleConfigs<ScheduleSystem, Marker>) -> Sample {
    let mut world = World::new();
    world.init_resource::<Total>();
    let mut schedule = Schedule::default();
    schedule.add_systems(writer).add_systems(read);
    repeated(move || {
        schedule.run(&mut world);
        black_box(world.resource::<Total>().0);
    })
}

/// The sum over the vector, which is then cleared.
fn read_vector(vector: &mut Vec<Collision>) {
    let mut sum = 0;
    for collision in black_box(&*vector) {
        sum = weigh(sum, collision.first, collision.second, collision.force);
    }
    black_box(sum);
    vector.clear();
}

/// No limit is promised for messages that are sent in one batch: this is bound by memory bandwidth, and messages need twice as much memory
/// as the vector, since they are kept for two runs. Two vectors that are used in turns take as long, or longer.
pub(super) fn benches() -> Vec<Bench> {
    vec![
        Bench {
            file: "access",
            name: "messages: 100k sent and read",
            rows: ROWS,
            contestants: vec![
                Contestant::new("a vector, push", None, || {
                    let mut vector = Vec::new();
                    repeated(move || {
                        let vector = black_box(&mut vector);
                        for number in 0..black_box(ROWS as u32) {
                            vector.push(Collision::new(number));
                        }
                        read_vector(vector);
                    })
                }),
                Contestant::new("write, read", Some(1.3), || schedule(write)),
            ],
        },
        Bench {
            file: "access",
            name: "messages: 100k sent at once and read",
            rows: ROWS,
            contestants: vec![
                Contestant::new("a vector, extend", None, || {
                    let mut vector = Vec::new();
                    repeated(move || {
                        let vector = black_box(&mut vector);
                        vector.extend((0..black_box(ROWS as u32)).map(Collision::new));
                        read_vector(vector);
                    })
                }),
                Contestant::new("write_batch, read", None, || schedule(write_batch)),
            ],
        },
    ]
}
