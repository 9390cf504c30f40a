#![deny(warnings, missing_docs, rust_2018_idioms)]
//! Systems in an `impl`.
use strata_ecs::prelude::*;

/// A component.
#[derive(Component, Debug, PartialEq)]
pub struct Position(pub f32);
#[derive(Component)]
struct Frozen;
/// A resource.
#[derive(Resource)]
pub struct Dt(pub f32);

/// Holds systems.
pub struct Physics;

impl Physics {
    const GRAVITY: f32 = 10.0;

    /// Documented.
    #[system(associated, without(Frozen))]
    pub fn fall(position: &mut Position, dt: Res<'_, Dt>) {
        position.0 -= Physics::GRAVITY * dt.0;
    }

    #[system(associated)]
    fn count<'w, 's>(all: Query<'w, 's, Entity, With<Position>>, mut runs: Local<'s, usize>) -> usize {
        *runs += 1;
        all.count() * *runs
    }

    #[system(associated)]
    fn check(position: &Position) -> Result {
        if position.0.is_nan() { Err("not a number")? }
        Ok(())
    }
}

/// Has parameters.
pub struct Of<T>(T);

impl<T> Of<T> {
    /// Does not use them.
    #[system(associated)]
    pub fn rise(#[cfg(any())] nothing: Missing, position: &mut Position) {
        position.0 += 1.0;
    }
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Dt(0.5));
    let entity = world.spawn(Position(0.0)).id();
    world.spawn((Position(1.0), Frozen));
    let mut schedule = Schedule::default();
    schedule.add_systems((Physics::fall, Physics::check, Of::<u8>::rise).chain());
    schedule.run(&mut world);
    assert_eq!(world.get(entity), Some(&Position(-4.0)));
    assert_eq!(world.run_system_once(Physics::count).unwrap(), 2);

    let mut position = Position(1.0);
    Physics::fall(&mut position, Res::from(&Dt(1.0)));
    Of::<()>::rise(&mut position);
    assert_eq!(position, Position(-8.0));
    let _ = Of(1).0;
}
