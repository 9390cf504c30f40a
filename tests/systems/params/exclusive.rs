//! The further parameters of a function that takes the whole world.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

/// Despawns what has more than it may, and says how often it has run.
fn trim(world: &mut World, all: &mut QueryState<(Entity, &A)>, mut runs: Local<'_, u32>) -> (u32, usize) {
    *runs += 1;
    let too_much: Vec<Entity> = all.iter(world).filter(|(_, a)| a.0 > 5).map(|(entity, _)| entity).collect();
    too_much.iter().for_each(|&entity| assert!(world.despawn(entity)));
    (*runs, too_much.len())
}

/// Reads through a state, and spawns by the world and by the state.
fn add(
    world: &mut World,
    state: &mut SystemState<(Query<'_, '_, &mut A>, Commands<'_, '_>)>,
    (mut runs, nothing): (Local<'_, u32>, PhantomData<u8>),
) {
    let PhantomData = nothing;
    *runs += 1;
    let (mut all, mut commands) = state.get_mut(world).unwrap();
    all.iter_mut().for_each(|mut a| a.0 += 1);
    commands.spawn(A(0));
    let before = world.len();
    state.apply(world);
    assert_eq!(world.len(), before + 1);
    world.spawn(B(*runs));
}

#[test]
fn it_keeps_its_own_from_run_to_run() {
    let mut world = World::new();
    world.insert_resource(Total(0));
    world.spawn_batch([A(3), A(6)]);
    let mut schedule = Schedule::default();
    let sum = |In((runs, gone)): In<(u32, usize)>, mut total: ResMut<'_, Total>| total.0 += 100 * runs + gone as u32;
    schedule.add_systems((add, trim.pipe(sum)).chain());
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>(), &Total(101));
    schedule.run(&mut world);
    schedule.run(&mut world);
    // 7 went in the first run and 6 in the third.
    assert_eq!(world.resource::<Total>(), &Total(100 + 200 + 300 + 2));
    let numbers: Vec<u32> = world.query::<&B>().iter(&world).map(|b| b.0).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn changes_are_new_since_its_last_run() {
    fn changed(
        world: &mut World,
        all: &mut QueryState<Entity, Changed<A>>,
        mut first: Local<'_, Option<Entity>>,
    ) -> usize {
        let count = all.iter(world).count();
        let first = *first.get_or_insert_with(|| world.spawn(A(9)).id());
        // Its own changes are not new to it.
        world.get_mut::<A>(first).unwrap().0 += 1;
        count
    }
    let mut world = World::new();
    let entity = world.spawn(A(1)).id();
    let id = world.register_system(changed);
    assert_eq!(world.run_system(id).unwrap(), 1);
    assert_eq!(world.run_system(id).unwrap(), 0);
    world.get_mut::<A>(entity).unwrap().0 = 2;
    assert_eq!(world.run_system(id).unwrap(), 1);
    assert_eq!(world.run_system(id).unwrap(), 0);
}

#[test]
fn it_takes_an_input() {
    fn scaled(In(factor): In<u32>, world: &mut World, mut sum: Local<'_, u32>) -> u32 {
        *sum += factor * world.len() as u32;
        *sum
    }
    fn through(InMut(value): InMut<'_, u32>, world: &mut World, mut runs: Local<'_, u32>) {
        *runs += 1;
        *value += *runs + world.len() as u32;
    }
    let mut world = World::new();
    world.spawn_batch([A(1), A(2)]);
    let id = world.register_system(scaled);
    assert_eq!(world.run_system_with(id, 10).unwrap(), 20);
    assert_eq!(world.run_system_with(id, 1).unwrap(), 22);
    let mut system = IntoSystem::into_system(through);
    let mut value = 0;
    system.run(&mut value, &mut world).unwrap();
    system.run(&mut value, &mut world).unwrap();
    assert_eq!(value, 3 + 4);
    assert_eq!(world.run_system_once(|_: &mut World, n: Local<'_, u32>| *n).unwrap(), 0);
}

#[test]
fn in_another_world_it_begins_anew() {
    struct Len(usize);
    impl FromWorld for Len {
        fn from_world(world: &mut World) -> Self {
            Self(world.len())
        }
    }
    fn at_first(
        world: &mut World,
        all: &mut QueryState<&A>,
        len: Local<'_, Len>,
        mut runs: Local<'_, u32>,
    ) -> (usize, usize, u32) {
        *runs += 1;
        (len.0, all.iter(world).count(), *runs)
    }
    let [mut one, mut other] = [World::new(), World::new()];
    one.spawn(A(1));
    other.spawn_batch([A(1), A(2)]);
    let mut system = IntoSystem::into_system(at_first);
    assert_eq!(system.run((), &mut one).unwrap(), (1, 1, 1));
    one.spawn(A(2));
    assert_eq!(system.run((), &mut one).unwrap(), (1, 2, 2));
    assert_eq!(system.run((), &mut other).unwrap(), (2, 2, 1));
    assert_eq!(system.run((), &mut one).unwrap(), (2, 2, 1));

    // A system before it exchanges the worlds.
    one.insert_resource(Total(0));
    other.insert_resource(Total(0));
    let mut spare = Some(other);
    let mut schedule = Schedule::default();
    let exchange = move |world: &mut World| std::mem::swap(world, spare.as_mut().unwrap());
    let note = |In((len, all, runs)): In<(usize, usize, u32)>, mut total: ResMut<'_, Total>| {
        assert_eq!((len, all, runs), (2, 2, 1));
        total.0 += 1;
    };
    schedule.add_systems((exchange, at_first.pipe(note)).chain());
    schedule.run(&mut one);
    assert_eq!(one.resource::<Total>(), &Total(1));
}

#[test]
fn a_local_that_breaks_leaves_the_system_unprepared() {
    struct Fragile;
    impl FromWorld for Fragile {
        fn from_world(world: &mut World) -> Self {
            assert!(world.len() > 1, "too few");
            Self
        }
    }
    let mut world = World::new();
    let mut system = IntoSystem::into_system(|world: &mut World, _: Local<'_, Fragile>, mut runs: Local<'_, usize>| {
        *runs += 1;
        *runs + world.len()
    });
    assert!(catch_unwind(AssertUnwindSafe(|| system.run((), &mut world))).is_err());
    world.spawn_batch([A(1), A(2)]);
    assert_eq!(system.run((), &mut world).unwrap(), 3);
    assert_eq!(system.run((), &mut world).unwrap(), 4);
}
