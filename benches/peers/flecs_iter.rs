//! Loops over entities, done by `flecs_ecs`.

use std::hint::black_box;

use flecs_ecs::prelude::*;

use crate::support::data::Vec3;
use crate::support::{Contestant, Sample, repeated};

#[derive(Clone, Copy, Component)]
struct Transform(#[expect(dead_code, reason = "only there to take room")] [[f32; 4]; 4]);

#[derive(Clone, Copy, Component)]
struct Position(Vec3);

#[derive(Clone, Copy, Component)]
struct Rotation(#[expect(dead_code, reason = "only there to take room")] Vec3);

#[derive(Clone, Copy, Component)]
struct Velocity(Vec3);

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "simple_iter 10k" => vec![Contestant::new("flecs_ecs: each", None, || each(10_000, true))],
        "simple_iter 1M" => vec![Contestant::new("flecs_ecs: each", None, || each(1_000_000, false))],
        _ => Vec::new(),
    }
}

/// Entities with the components of a body, or with those only that the loop is about.
fn each(rows: usize, bodies: bool) -> Sample {
    let (world, vector) = (World::new(), Vec3::splat(1.0));
    for _ in 0..rows {
        let entity = world.entity().set(Position(vector)).set(Velocity(vector));
        if bodies {
            entity.set(Transform([[1.0; 4]; 4])).set(Rotation(vector));
        }
    }
    let query = world.new_query::<(&mut Position, &Velocity)>();
    // The query goes before its world.
    let both = (query, world);
    repeated(move || black_box(&both).0.each(|(position, velocity)| position.0.add(velocity.0)))
}
