//! The smallest program: components, a row system, a world system and a schedule.
//!
//! ```text
//! cargo run --example hello
//! ```

use strata_ecs::prelude::*;

#[derive(Component)]
struct Name(&'static str);
#[derive(Component)]
struct Position(usize);
#[derive(Component)]
struct Speed(usize);

/// A row system: its parameters are components, so it runs once for each entity that has both of them.
#[system]
fn run(position: &mut Position, speed: &Speed) {
    position.0 += speed.0;
}

/// A world system: its parameter is a query, so it runs once.
#[system]
fn print(all: Query<(&Name, &Position)>) {
    for (name, position) in &all {
        println!("{:>1$}", name.0, position.0);
    }
    println!("{:-<60}", "");
}

fn main() {
    let mut world = World::new();
    world.spawn((Name("tortoise"), Position(10), Speed(3)));
    world.spawn((Name("hare"), Position(10), Speed(12)));
    // The tree has no speed, so `run` does not visit it.
    world.spawn((Name("tree"), Position(40)));

    let mut schedule = Schedule::default();
    schedule.add_systems((run, print).chain());
    for _ in 0..4 {
        schedule.run(&mut world);
    }
    println!(
        "The tree has no speed, so `run` does not move it. Next: give it one, or see `cargo run --release --example boids`."
    );
}
