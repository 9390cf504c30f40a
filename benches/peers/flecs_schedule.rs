//! Schedules, done by `flecs_ecs`. Its pipeline puts systems one after the other; several threads share the rows of one.

use std::hint::black_box;
use std::mem::swap;

use flecs_ecs::prelude::*;

use crate::schedule::THREADS;
use crate::schedule::heavy::{self, Columns};
use crate::schedule::many::{THOUSAND, thousand};
use crate::schedule::swaps::{self, LARGE, SMALL, value};
use crate::support::changes::{Outcome, Workload, checked, in_a_row};
use crate::support::data::Vec3;
use crate::support::{Contestant, Sample, repeated};

#[derive(Clone, Copy, Component)]
struct Position(Vec3);

#[derive(Clone, Copy, Component)]
struct Velocity(#[expect(dead_code, reason = "only there to take room")] Vec3);

#[derive(Clone, Copy, Component)]
struct Rotation(#[expect(dead_code, reason = "only there to take room")] Vec3);

#[derive(Clone, Copy, Component)]
struct A(f32);

#[derive(Clone, Copy, Component)]
struct B(f32);

#[derive(Clone, Copy, Component)]
struct C(f32);

#[derive(Clone, Copy, Component)]
struct D(f32);

#[derive(Clone, Copy, Component)]
struct E(f32);

#[derive(Clone, Copy, Component)]
struct Matrix(Columns);

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "schedule/100 empty systems" => both(|| empty_systems(100, false), || empty_systems(100, true)),
        "schedule/1000 empty systems" => both(|| empty_systems(THOUSAND, false), || empty_systems(THOUSAND, true)),
        "schedule/schedule3 4 x 10k" => both(|| swapped(SMALL, false), || swapped(SMALL, true)),
        "schedule/schedule3 4 x 500k" => both(|| swapped(LARGE, false), || swapped(LARGE, true)),
        "schedule/heavy_compute 1000" => vec![Contestant::new("flecs_ecs: par_each, two threads", None, || {
            in_a_row(checked(Heavy::new(), heavy::ByHand::<false>::new()))
        })],
        _ => Vec::new(),
    }
}

fn both(one: fn() -> Sample, several: fn() -> Sample) -> Vec<Contestant> {
    vec![
        Contestant::new("flecs_ecs: each", None, one),
        Contestant::new("flecs_ecs: par_each, two threads", None, several),
    ]
}

fn world(parallel: bool) -> World {
    let world = World::new();
    if parallel {
        world.set_threads(THREADS as i32);
    }
    world
}

#[inline(never)]
fn add_empty<const N: usize>(world: &World, parallel: bool) {
    if parallel {
        world.system::<&Position>().par_each(|_| {
            black_box(N);
        });
    } else {
        world.system::<&Position>().each(|_| {
            black_box(N);
        });
    }
}

/// There is one entity: a system that no table matches is left out of the pipeline.
fn empty_systems(count: usize, parallel: bool) -> Sample {
    let (world, vector) = (world(parallel), Vec3::splat(1.0));
    world.entity().set(Position(vector)).set(Velocity(vector));
    macro_rules! add {
        ($number:expr) => {
            if $number < count {
                add_empty::<$number>(&world, parallel);
            }
        };
    }
    thousand!(add);
    repeated(move || {
        black_box(&world).progress();
    })
}

struct Swaps(World);

impl Swaps {
    fn new(rows: usize, parallel: bool) -> Self {
        let world = world(parallel);
        for row in 0..rows {
            world.entity().set(A(value(0, row))).set(B(value(1, row)));
        }
        for row in 0..rows {
            world.entity().set(A(value(0, row))).set(B(value(1, row))).set(C(value(2, row)));
        }
        for row in 0..rows {
            let entity = world.entity().set(A(value(0, row))).set(B(value(1, row))).set(C(value(2, row)));
            entity.set(D(value(3, row)));
        }
        for row in 0..rows {
            let entity = world.entity().set(A(value(0, row))).set(B(value(1, row))).set(C(value(2, row)));
            entity.set(E(value(4, row)));
        }
        if parallel {
            world.system::<(&mut A, &mut B)>().par_each(|(a, b)| swap(&mut a.0, &mut b.0));
            world.system::<(&mut C, &mut D)>().par_each(|(c, d)| swap(&mut c.0, &mut d.0));
            world.system::<(&mut C, &mut E)>().par_each(|(c, e)| swap(&mut c.0, &mut e.0));
        } else {
            world.system::<(&mut A, &mut B)>().each(|(a, b)| swap(&mut a.0, &mut b.0));
            world.system::<(&mut C, &mut D)>().each(|(c, d)| swap(&mut c.0, &mut d.0));
            world.system::<(&mut C, &mut E)>().each(|(c, e)| swap(&mut c.0, &mut e.0));
        }
        Self(world)
    }
}

/// The sum of the values of a component.
macro_rules! sum {
    ($world:expr, $component:ident) => {{
        let mut sum = 0;
        $world.new_query::<&$component>().each(|value| sum += swaps::sum(std::iter::once(value.0)));
        sum
    }};
}

impl Workload for Swaps {
    fn run(&mut self) {
        black_box(&self.0).progress();
    }

    fn outcome(&mut self) -> Outcome {
        let world = &self.0;
        swaps::outcome([sum!(world, A), sum!(world, B), sum!(world, C), sum!(world, D), sum!(world, E)])
    }
}

fn swapped(rows: usize, parallel: bool) -> Sample {
    in_a_row(checked(Swaps::new(rows, parallel), swaps::ByHand::<false>::new(rows)))
}

struct Heavy(World);

impl Heavy {
    fn new() -> Self {
        let (world, vector) = (world(true), Vec3::splat(1.0));
        for row in 0..heavy::ROWS {
            let entity = world.entity().set(Matrix(heavy::matrix(row))).set(Position(heavy::start(row)));
            entity.set(Rotation(vector)).set(Velocity(vector));
        }
        world
            .system::<(&Matrix, &mut Position)>()
            .par_each(|(matrix, position)| heavy::work(&matrix.0, &mut position.0));
        Self(world)
    }
}

impl Workload for Heavy {
    fn run(&mut self) {
        black_box(&self.0).progress();
    }

    fn outcome(&mut self) -> Outcome {
        let mut positions = Vec::new();
        self.0.new_query::<&Position>().each(|position| positions.push(position.0));
        heavy::outcome(positions.into_iter())
    }
}
