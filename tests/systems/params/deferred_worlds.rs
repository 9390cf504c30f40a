//! Systems that have all of the world, to change its values.

use strata_ecs::prelude::*;
use strata_ecs::system::{BoxedSystem, SystemName};
use strata_ecs::world::DeferredWorld;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Health(u32);
#[derive(Resource, Default, Debug, PartialEq)]
struct Seen(Vec<u32>);

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Seen>();
    world
}

/// Ends of what it finds, and makes one more.
fn hurt(mut world: DeferredWorld<'_>, mut runs: Local<'_, u32>, mut state: Local<'_, Option<Entity>>) {
    *runs += 1;
    if let Some(last) = state.take() {
        let mut health = world.get_mut::<Health>(last).unwrap();
        health.0 -= *runs;
        let health = health.0;
        world.resource_mut::<Seen>().0.push(health);
    }
    *state = Some(world.commands().spawn(Health(10)).id());
}

#[test]
fn it_runs_alone_with_what_is_its_own() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((hurt, (|all: Query<'_, '_, &Health>| assert!(!all.is_empty())).after(hurt)));
    (0..3).for_each(|_| schedule.run(&mut world));
    assert_eq!((world.resource::<Seen>(), world.len()), (&Seen(vec![8, 7]), 3));
}

#[test]
fn it_takes_an_input_and_returns_something() {
    fn heal(In(by): In<u32>, mut world: DeferredWorld<'_>, mut total: Local<'_, u32>, _: SystemName) -> u32 {
        *total += by;
        let total = *total;
        world.resource_mut::<Seen>().0.push(total);
        total
    }
    let mut world = world();
    let id = world.register_system(heal);
    assert_eq!([2, 3].map(|by| world.run_system_with(id, by).unwrap()), [2, 5]);
    assert_eq!(world.resource::<Seen>().0, [2, 5]);
    assert_eq!(world.run_system_once(|world: DeferredWorld<'_>| world.len()).unwrap(), 0);
    assert_eq!(world.run_system_once_with(|In(n): In<u32>, _: DeferredWorld<'_>| n + 1, 4).unwrap(), 5);
}

#[test]
fn it_keeps_nothing_of_another_world() {
    let mut system: BoxedSystem<(), u32> = IntoSystem::into_system(|_: DeferredWorld<'_>, mut runs: Local<'_, u32>| {
        *runs += 1;
        *runs
    });
    assert!(system.access().is_exclusive());
    let [mut a, mut b] = [world(), world()];
    let runs = [system.run((), &mut a), system.run((), &mut a), system.run((), &mut b), system.run((), &mut a)];
    assert_eq!(runs.map(Result::unwrap), [1, 2, 1, 1]);
}
