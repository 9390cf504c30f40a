//! Variables may have the names of systems: a system is a function, and so a local name wins.
#![deny(warnings)]

mod physics {
    use strata_ecs::prelude::*;

    #[derive(Component)]
    pub struct Velocity(pub f32);
    #[derive(Resource)]
    pub struct Gravity(pub f32);

    /// Makes everything fall.
    #[system]
    pub fn gravity(velocity: &mut Velocity, pull: Res<Gravity>) {
        velocity.0 -= pull.0;
    }

    /// The sum of all speeds.
    #[system]
    pub fn total(velocities: Query<&Velocity>) -> f32 {
        velocities.iter().map(|velocity| velocity.0).sum()
    }

    #[system(run_if(|| true))]
    pub fn reset<T: Component>(all: Query<Entity, With<T>>, mut velocities: Query<&mut Velocity>) {
        if all.is_empty() {
            velocities.iter_mut().for_each(|mut velocity| velocity.0 = 0.0);
        }
    }
}

use physics::*;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Marker;

fn fall(gravity: f32) -> f32 {
    let total = gravity * 2.0;
    let reset = |reset: f32| reset + total;
    match total {
        gravity if gravity > 100.0 => gravity,
        _ => reset(1.0),
    }
}

#[system]
fn named_as_others(gravity: &mut Velocity, total: Res<Gravity>) {
    let (gravity, total) = (&mut gravity.0, total.0);
    *gravity += total;
}

fn main() {
    assert_eq!(fall(2.0), 5.0);
    let mut world = World::new();
    world.insert_resource(Gravity(2.0));
    world.spawn(Velocity(1.0));
    let mut schedule = Schedule::default();
    schedule.add_systems((gravity, named_as_others, reset::<Velocity>).chain());
    schedule.run(&mut world);
    assert_eq!(world.run_system_once(total).unwrap(), 1.0);
    schedule.add_systems(reset::<Marker>.after(gravity));
    schedule.run(&mut world);
    assert_eq!(world.run_system_once(total).unwrap(), 0.0);
    assert_eq!(total(world.query::<&Velocity>().query(&world)).output, 0.0);
}
