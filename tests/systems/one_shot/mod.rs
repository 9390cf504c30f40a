//! Systems and their parameters without a schedule of their own: registered systems, states of parameters, schedules by label.

mod registered;
mod schedules;
mod states;

use strata_ecs::prelude::*;
use strata_tests::alloc;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct A(u32);

#[derive(Resource, Debug, PartialEq, Default)]
struct Total(u32);

#[derive(Resource, Debug, PartialEq, Default)]
struct Log(Vec<String>);

impl Log {
    fn add(&mut self, text: impl Into<String>) {
        self.0.push(text.into());
    }
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Total>();
    world.init_resource::<Log>();
    world
}

fn log(world: &World) -> Vec<&str> {
    world.resource::<Log>().0.iter().map(String::as_str).collect()
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;

#[test]
fn running_allocates_nothing() {
    fn add(In(n): In<u32>, mut total: ResMut<'_, Total>, mut runs: Local<'_, u32>) -> u32 {
        *runs += 1;
        total.0 += n;
        *runs
    }
    fn skipped(_: Single<'_, '_, &A>, _: Populated<'_, '_, &A>) {
        unreachable!("there is none");
    }
    let mut world = world();
    let id = world.register_system(add);
    let mut state = SystemState::<(Res<'_, Total>, Query<'_, '_, &A>)>::new(&mut world);
    world.get_resource_or_init::<Schedules>().add_systems(Update, (skipped, (|| 100).pipe(add).map(|_| ())));
    let mut run = |world: &mut World| {
        world.run_system_with(id, 1).expect("it runs");
        world.run_system_cached_with(add, 10).expect("it runs");
        assert!(state.get(world).is_ok_and(|(total, all)| total.0 > 0 && all.is_empty()));
        world.run_schedule(Update);
    };
    // The second run of a schedule is measured, and makes room for what has been measured.
    (0..3).for_each(|_| run(&mut world));
    let ((), calls) = alloc::counting(|| (0..10).for_each(|_| run(&mut world)));
    assert_eq!(calls, 0);
    assert_eq!(world.run_system_with(id, 0), Ok(14));
    assert_eq!(world.run_system_cached_with(add, 0), Ok(14));
    assert_eq!(world.resource::<Total>(), &Total(13 * 111));
}
