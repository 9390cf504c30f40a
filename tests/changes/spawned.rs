//! The entities that a system sees as spawned.

use std::collections::BTreeSet;

use strata_ecs::prelude::*;
use strata_ecs::query::{SpawnDetails, Spawned};

#[derive(Component, Clone, Debug, PartialEq)]
struct Number(u32);
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Beside(u32);
#[derive(Component, Clone)]
struct Other;

fn new_ones(new: Query<'_, '_, Entity, Spawned>, all: Query<'_, '_, (Entity, SpawnDetails)>) -> BTreeSet<Entity> {
    let new: BTreeSet<Entity> = new.iter().collect();
    let told = all.iter().filter(|(_, spawn)| spawn.is_spawned()).map(|(entity, _)| entity).collect();
    assert_eq!(new, told);
    new
}

/// A world with some entities, and a system that has seen them.
fn world() -> (World, impl Fn(&mut World) -> BTreeSet<Entity>) {
    let mut world = World::new();
    world.spawn_batch((0..10).map(Number));
    world.spawn((Number(10), Beside(10)));
    let system = world.register_system(new_ones);
    let run = move |world: &mut World| world.run_system(system).expect("it runs");
    assert_eq!(run(&mut world).len(), 11, "all are new for a system that has never run");
    assert!(run(&mut world).is_empty());
    (world, run)
}

#[test]
fn however_an_entity_is_spawned_it_is_new_once() {
    let (mut world, run) = world();
    let original = world.spawn((Number(1), Beside(1))).id();
    assert_eq!(run(&mut world), BTreeSet::from([original]));
    let spawns: [fn(&mut World, Entity) -> Vec<Entity>; 13] = [
        |world, _| {
            let mut other = World::new();
            other.spawn_batch((0..4).map(|number| (Number(number), Beside(number))));
            other.spawn(Number(1));
            let moved = other.all::<With<Number>>().move_to(world);
            moved.iter().map(|(_, here)| here).collect()
        },
        |world, _| vec![world.spawn_empty().id()],
        |world, _| vec![world.spawn(Other).id(), world.spawn((Other, Number(3))).id()],
        |world, _| world.spawn_batch((0..100).map(Number)).collect(),
        |world, _| world.spawn_batch((0..3).map(|number| (Number(number), Beside(number)))).collect(),
        |world, _| {
            let made = world.commands().spawn((Number(1), Beside(1))).id();
            world.flush();
            vec![made]
        },
        |world, _| {
            let made = world.commands().spawn_empty().id();
            world.flush();
            vec![made]
        },
        |world, _| {
            for number in 0..70 {
                world.commands().spawn(Number(number));
            }
            world.commands().queue(|world: &mut World| {
                world.spawn(Other);
            });
            let before: BTreeSet<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
            world.flush();
            world.iter_entities().map(|entity| entity.id()).filter(|id| !before.contains(id)).collect()
        },
        |world, _| {
            let id = world.reserve_entity();
            world.flush();
            vec![id]
        },
        |world, original| vec![world.clone_entity(original).expect("it can be cloned")],
        |world, _| {
            let mut other = World::new();
            let from = other.spawn((Number(4), Beside(5), Other)).id();
            let mut parts = other.entity_mut(from).take_all();
            vec![world.spawn_dynamic(&mut parts).id()]
        },
        |world, _| {
            let dead = world.spawn(Number(1)).id();
            world.despawn(dead);
            let again = world.spawn(Number(2)).id();
            assert_eq!(again.index(), dead.index());
            vec![again]
        },
        |world, _| {
            let made: Vec<Entity> = world.spawn_batch((0..3).map(Number)).collect();
            for &entity in &made {
                world.entity_mut(entity).insert((Other, Beside(1)));
            }
            made
        },
    ];
    for (number, spawn) in spawns.into_iter().enumerate() {
        let made: BTreeSet<Entity> = spawn(&mut world, original).into_iter().collect();
        assert!(!made.is_empty());
        assert_eq!(run(&mut world), made, "way {number}");
        assert!(run(&mut world).is_empty(), "way {number}");
    }
}

#[test]
fn what_happens_to_an_entity_later_does_not_spawn_it() {
    let (mut world, run) = world();
    let all: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
    for &entity in &all[..5] {
        world.entity_mut(entity).insert((Other, Beside(1))).remove::<Number>();
    }
    world.entity_mut(all[6]).clear();
    world.all::<With<Number>>().insert(Other);
    world.despawn(all[7]);
    world.shrink_to_fit();
    assert!(run(&mut world).is_empty());
}

#[test]
fn a_filter_goes_with_other_terms() {
    let mut world = World::new();
    let numbers: Vec<Entity> = world.spawn_batch((0..4).map(Number)).collect();
    let mut new = world.query_filtered::<&Number, (Spawned, Without<Other>)>();
    let mut either = world.query_filtered::<Entity, Or<(Spawned, With<Other>)>>();
    world.clear_trackers();
    assert_eq!(new.iter(&world).count(), 0);
    world.entity_mut(numbers[2]).insert(Other);
    let made = world.spawn(Number(9)).id();
    world.spawn((Number(10), Other));
    assert_eq!(new.iter(&world).collect::<Vec<_>>(), [&Number(9)]);
    assert_eq!(either.iter(&world).count(), 3);
    assert!(
        either.contains(&world, made) && either.contains(&world, numbers[2]) && !either.contains(&world, numbers[0])
    );
    assert_eq!(world.explain_query_filtered::<Entity, Spawned>().matched_entities(), 2);
    assert!(format!("{}", world.explain_query_filtered::<SpawnDetails, Spawned>()).contains("Spawned"));
}

#[test]
fn ticks_that_wrap_around_spawn_nothing() {
    let (mut world, run) = world();
    for _ in 0..5 {
        world.skip_change_ticks(1 << 30);
        assert!(run(&mut world).is_empty());
    }
    let made = world.spawn(Number(1)).id();
    world.skip_change_ticks(1 << 29);
    assert_eq!(run(&mut world), BTreeSet::from([made]));
}

#[test]
fn details_say_when_and_by_what() {
    let mut world = World::new();
    let mut details = world.query::<SpawnDetails>();
    let before = world.increment_change_tick();
    let id = world.spawn(Number(1)).id();
    let spawn = details.get(&world, id).expect("every entity matches");
    assert!(spawn.is_spawned() && spawn.is_spawned_after(before));
    let now = world.increment_change_tick();
    world.increment_change_tick();
    let spawn = details.get(&world, id).expect("every entity matches");
    assert!(!spawn.is_spawned_after(now));
    assert_eq!(spawn.spawn_tick(), now, "the tick of the time in which it was spawned");
    assert_eq!(spawn.spawned_by(), world.entity(id).spawned_by());
}
