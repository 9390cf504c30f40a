//! Operations whose events are delivered together.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::prelude::*;

#[derive(Component, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Health(u32);
#[derive(Resource, Default, Debug)]
struct Seen(Vec<(Entity, Option<Health>)>);

/// A world that records which entities have got a value, each with the value of its parent at that time.
fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Seen>();
    world.add_observer(|add: On<Insert<Health>>, up: Query<&ChildOf>, all: Query<&Health>, mut seen: ResMut<Seen>| {
        let parent = up.get(add.entity).ok().and_then(|parent| all.get(parent.parent()).ok());
        seen.0.push((add.entity, parent.copied()));
    });
    world
}

fn seen(world: &World) -> Vec<(Entity, Option<Health>)> {
    let mut seen = world.resource::<Seen>().0.clone();
    seen.sort();
    seen
}

#[test]
fn events_of_what_comes_wait_for_the_end_of_the_closure() {
    let mut world = world();
    let [parent, child, gone] = world.with_deferred_events(|world| {
        let parent = world.spawn_empty().id();
        let child = world.spawn((Health(1), ChildOf(parent))).id();
        let gone = world.spawn(Health(2)).id();
        world.entity_mut(parent).insert(Health(3));
        world.entity_mut(child).insert(Health(4));
        world.despawn(gone);
        assert!(seen(world).is_empty());
        assert!(world.snapshot().is_err());
        [parent, child, gone]
    });
    assert!(!world.contains(gone));
    // The child has got a value twice.
    assert_eq!(seen(&world), [(parent, None), (child, Some(Health(3))), (child, Some(Health(3)))]);
    world.check_invariants();
}

#[test]
fn events_of_a_world_that_the_closure_puts_elsewhere_are_delivered_there() {
    let (mut one, mut other) = (world(), world());
    let (first, second) = one.with_deferred_events(|world| {
        let first = world.spawn(Health(1)).id();
        std::mem::swap(world, &mut other);
        (first, world.spawn(Health(2)).id())
    });
    // `one` is the world that was the other one, whose events nothing defers.
    assert_eq!(seen(&one), [(second, None)]);
    other.flush();
    assert_eq!(seen(&other), [(first, None)]);
    let third = other.spawn(Health(3)).id();
    assert_eq!(seen(&other).len(), 2);
    assert!(seen(&other).contains(&(third, None)));
    one.check_invariants();
    other.check_invariants();
    assert!(other.snapshot_with(&strata_ecs::snapshot::SnapshotOptions::new().without_resource::<Seen>()).is_ok());
}

#[test]
fn a_world_that_the_closure_puts_elsewhere_is_free_when_the_closure_has_ended() {
    for panics in [false, true] {
        for nested in [false, true] {
            let mut here = World::new();
            here.init_resource::<Seen>();
            here.add_observer(|add: On<Insert<Health>>, mut seen: ResMut<Seen>| seen.0.push((add.entity, None)));
            let options = strata_ecs::snapshot::SnapshotOptions::new().without_resource::<Seen>();
            let before = here.snapshot_with(&options).unwrap();
            let mut aside = World::new();
            let ended = catch_unwind(AssertUnwindSafe(|| {
                let mut take = |world: &mut World| {
                    let parent = world.spawn(Health(1)).id();
                    world.spawn((Health(2), ChildOf(parent)));
                    aside = std::mem::take(world);
                    assert!(aside.snapshot_with(&options).is_err(), "the closure goes on");
                    assert!(!panics, "on the way");
                };
                here.with_deferred_events(|world| match nested {
                    true => world.with_deferred_events(take),
                    false => take(world),
                });
            }));
            assert_eq!(ended.is_err(), panics);
            let snapshot = aside.snapshot_with(&options).expect("the closure has ended");
            assert_eq!(aside.try_clone_with(&options).expect("the closure has ended").len(), 2);
            // The events come with the next operation.
            aside.spawn(Health(3));
            assert_eq!(seen(&aside).len(), 3);
            aside.check_invariants();
            aside.restore(&snapshot).expect("the closure has ended");
            assert_eq!(aside.query::<(&Health, &ChildOf)>().iter(&aside).count(), 1);
            assert_eq!(aside.query::<(&Health, &Children)>().iter(&aside).count(), 1);
            aside.restore(&before).expect("the closure has ended");
            aside.check_invariants();
            here.check_invariants();
        }
    }
}

#[test]
fn a_panic_of_the_closure_leaves_events_for_the_next_operation() {
    let mut world = world();
    let mut first = Entity::PLACEHOLDER;
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        world.with_deferred_events(|world| {
            first = world.spawn(Health(1)).id();
            panic!("on the way");
        })
    }));
    assert!(panicked.is_err());
    let second = world.spawn(Health(2)).id();
    assert_eq!(seen(&world), [(first, None), (second, None)]);
    world.check_invariants();
}

#[test]
fn an_observer_sees_each_value_of_an_entity_that_a_batch_names_again() {
    #[derive(Resource, Default)]
    struct Values(Vec<u32>);

    for keeps in [false, true] {
        let mut world = World::new();
        world.init_resource::<Values>();
        world.add_observer(|insert: On<Insert<Health>>, all: Query<&Health>, mut values: ResMut<Values>| {
            values.0.push(all.get(insert.entity).unwrap().0);
        });
        let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
        let batch = [(a, Health(1)), (b, Health(2)), (a, Health(3)), (a, Health(4)), (b, Health(5))];
        let count = if keeps { world.insert_batch_if_new(batch) } else { world.insert_batch(batch) };
        assert_eq!(count, 5);
        let seen: &[u32] = if keeps { &[1, 2] } else { &[1, 2, 3, 4, 5] };
        assert_eq!(world.resource::<Values>().0, seen);
    }
}

#[test]
fn entities_of_a_batch_that_move_or_end_before_the_end_of_the_closure_are_told_as_what_they_are() {
    #[derive(Component)]
    struct Other;

    let mut world = world();
    let before = world.spawn(Health(9)).id();
    world.resource_mut::<Seen>().0.clear();
    let ids = world.with_deferred_events(|world| {
        let ids: Vec<Entity> = world.spawn_batch((0..6).map(Health)).collect();
        world.entity_mut(ids[0]).insert(Other);
        world.despawn(ids[2]);
        // The last row of the batch takes the place of one that was there before.
        world.despawn(before);
        world.entity_mut(ids[4]).remove::<Health>();
        ids
    });
    let expected = [ids[0], ids[1], ids[3], ids[5]].map(|id| (id, None));
    assert_eq!(seen(&world), expected);
    world.check_invariants();
}
