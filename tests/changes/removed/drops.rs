//! Values that are kept: each is dropped once, when no reader can read it any more, and a `Drop` that panics harms no other value.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;

#[derive(Component)]
struct Held(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct Loose(Token);
#[derive(Component)]
struct Other(Token);

fn world(count: usize) -> (World, Vec<Entity>) {
    drops::reset();
    let mut world = World::new();
    let ids =
        world.spawn_batch((0..count).map(|_| (Held(Token::new()), Loose(Token::new()), Other(Token::new())))).collect();
    (world, ids)
}

#[test]
fn a_value_lives_until_the_slowest_reader_has_passed_it() {
    let (mut world, ids) = world(3);
    let [mut fast, mut slow] = [(); 2].map(|()| world.removed_value_reader::<Held>());
    world.entity_mut(ids[0]).remove::<Held>();
    fast.clear(&world);
    world.entity_mut(ids[1]).remove::<Held>();
    assert_eq!(drops::alive(), 9);
    assert_eq!(slow.read(&world).count(), 2);
    assert_eq!(drops::alive(), 9, "reading drops nothing");
    world.entity_mut(ids[2]).remove::<Held>();
    assert_eq!(drops::alive(), 8, "the fast one has not read the second");
    fast.clear(&world);
    slow.clear(&world);
    world.shrink_to_fit();
    assert_eq!(drops::alive(), 6);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_frame_drops_in_the_end_what_its_systems_have_read() {
    fn read(mut removed: RemovedValues<'_, '_, Held>, mut loose: RemovedValues<'_, '_, Loose>) {
        assert!(removed.read().all(|(_, held)| drops::is_alive(held.0.id())));
        loose.clear();
    }
    let (mut world, ids) = world(3);
    let mut schedule = Schedule::default();
    schedule.add_systems(read);
    schedule.initialize(&mut world).expect("the schedule has an order");
    world.despawn(ids[1]);
    assert_eq!(drops::alive(), 8);
    world.frame(|world| {
        schedule.run(world);
        assert_eq!(drops::alive(), 8);
    });
    assert_eq!(drops::alive(), 6);
    // The frame that a schedule makes by running again.
    world.despawn(ids[0]);
    schedule.run(&mut world);
    assert_eq!(drops::alive(), 5);
    schedule.run(&mut world);
    assert_eq!(drops::alive(), 3);
}

#[test]
fn values_that_the_world_keeps_at_its_end_are_dropped_once() {
    let (mut world, ids) = world(5);
    let held = world.removed_value_reader::<Held>();
    let _loose = world.removed_value_reader::<Loose>();
    world.despawn(ids[0]);
    world.entity_mut(ids[1]).remove::<(Held, Loose)>();
    world.many(&ids[2..4]).despawn();
    assert_eq!(drops::alive(), 15 - 3);
    drop(held);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn the_values_of_a_reader_that_is_gone_go_with_the_next_occasion() {
    let (mut world, ids) = world(3);
    let reader = world.removed_value_reader::<Held>();
    world.despawn(ids[0]);
    assert_eq!(drops::alive(), 7);
    drop(reader);
    world.despawn(ids[1]);
    assert_eq!(drops::alive(), 3);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn values_beyond_the_limit_are_dropped() {
    let (mut world, ids) = world(6);
    let reader = world.removed_value_reader::<Held>();
    world.set_removed_limit::<Held>(2);
    world.many(&ids[..3]).despawn();
    assert_eq!((drops::alive(), reader.len(&world)), (3 * 3 + 2, 2));
    world.despawn(ids[3]);
    assert_eq!((drops::alive(), reader.missed(&world)), (2 * 3 + 2, 2));
    world.set_removed_limit::<Held>(0);
    assert_eq!(drops::alive(), 2 * 3);
    world.clear_entities();
    assert_eq!((drops::alive(), reader.missed(&world)), (0, 6));
    drops::assert_none_twice();
}

#[test]
fn a_drop_that_panics_loses_no_removal() {
    type Way = fn(&mut World, Entity);
    let ways: [Way; 6] = [
        |world, id| _ = world.despawn(id),
        |world, id| _ = world.entity_mut(id).clear(),
        |world, id| _ = world.entity_mut(id).remove::<(Held, Loose, Other)>(),
        |world, id| _ = world.many(&[id]).despawn(),
        |world, id| _ = world.many(&[id]).remove::<(Held, Other)>(),
        |world, _| world.clear_entities(),
    ];
    for way in ways {
        let (mut world, ids) = world(3);
        let mut entities = world.removed_reader::<Held>();
        let mut values = world.removed_value_reader::<Held>();
        world.entity_mut(ids[1]).insert(Other(Token::armed()));
        expect_panic(|| way(&mut world, ids[1]));
        world.check_invariants();
        assert!(entities.read(&world).any(|id| id == ids[1]));
        let (_, held) = values.read(&world).find(|(id, _)| *id == ids[1]).unwrap();
        assert!(drops::is_alive(held.0.id()));
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_kept_value_whose_drop_panics_is_gone_and_the_others_are_dropped() {
    for sparse in [false, true] {
        let (mut world, ids) = world(4);
        let (held, loose) = (world.removed_value_reader::<Held>(), world.removed_value_reader::<Loose>());
        if sparse {
            world.entity_mut(ids[1]).insert(Loose(Token::armed()));
        } else {
            world.entity_mut(ids[1]).insert(Held(Token::armed()));
        }
        for &id in &ids[..3] {
            world.despawn(id);
        }
        drop((held, loose));
        expect_panic(|| world.despawn(ids[3]));
        world.check_invariants();
        assert!(world.is_empty());
        assert_eq!(drops::alive(), 0);
        let mut reader = world.removed_value_reader::<Held>();
        let id = world.spawn(Held(Token::new())).id();
        world.despawn(id);
        assert_eq!(reader.read(&world).count(), 1);
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_kept_value_whose_drop_panics_at_the_end_of_a_frame_leaves_the_schedule_usable() {
    fn read(mut removed: RemovedValues<'_, '_, Loose>) {
        removed.read().for_each(|(_, loose)| assert!(drops::is_alive(loose.0.id())));
    }
    let (mut world, ids) = world(2);
    world.entity_mut(ids[0]).insert(Loose(Token::armed()));
    let mut schedule = Schedule::default();
    schedule.add_systems(read);
    schedule.initialize(&mut world).expect("the schedule has an order");
    world.despawn(ids[0]);
    schedule.run(&mut world);
    // It begins with the end of the frame before.
    expect_panic(|| schedule.run(&mut world));
    world.check_invariants();
    world.despawn(ids[1]);
    world.frame(|world| schedule.run(world));
    assert_eq!(drops::alive(), 0);
    drops::assert_none_twice();
}

#[test]
fn a_world_with_a_kept_value_whose_drop_panics_drops_the_others() {
    let (mut world, ids) = world(3);
    let _readers = (world.removed_value_reader::<Held>(), world.removed_value_reader::<Loose>());
    world.entity_mut(ids[0]).insert(Held(Token::armed()));
    world.many(&ids[..2]).despawn();
    expect_panic(|| drop(world));
    drops::assert_all_dropped_once();
}

thread_local! {
    static DROPPED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// No bytes, but a `Drop`.
macro_rules! counting {
    ($($(#[$attribute:meta])* $T:ident)*) => {
        $(#[derive(Component, Clone)]
        $(#[$attribute])*
        struct $T;

        impl Drop for $T {
            fn drop(&mut self) {
                DROPPED.set(DROPPED.get() + 1);
            }
        })*
    };
}

counting! {
    Unit
    #[component(storage = "sparse")] Tag
}

#[test]
fn values_without_bytes_are_kept_and_dropped_by_number() {
    let mut world = World::new();
    let (units, mut tags) = (world.removed_value_reader::<Unit>(), world.removed_value_reader::<Tag>());
    DROPPED.set(0);
    world.spawn_batch((0..1000).map(|_| (Unit, Tag)));
    world.all::<()>().despawn();
    assert_eq!((DROPPED.get(), units.len(&world), tags.read(&world).count()), (0, 1000, 1000));
    world.spawn_batch((0..10).map(|_| (Unit, Tag)));
    world.clear_entities();
    assert_eq!((DROPPED.get(), units.len(&world), tags.len(&world)), (1000, 1010, 10));
    drop(world);
    assert_eq!(DROPPED.get(), 2020);
}

#[derive(Component)]
#[repr(align(4096))]
struct Aligned(u8);

#[test]
fn kept_values_are_aligned_while_the_list_grows() {
    let mut world = World::new();
    let mut reader = world.removed_value_reader::<Aligned>();
    for round in 0..50u8 {
        let id = world.spawn(Aligned(round)).id();
        world.despawn(id);
    }
    for (number, (_, value)) in reader.read(&world).enumerate() {
        assert_eq!((std::ptr::from_ref(value).addr() % 4096, usize::from(value.0)), (0, number));
    }
}

#[test]
fn values_of_large_components_are_kept_up_to_a_number_of_bytes() {
    const SIZE: usize = 1 << 18;
    #[derive(Component)]
    struct Large([u8; SIZE]);

    let mut world = World::new();
    let values = world.removed_value_reader::<Large>();
    let mut entities = world.removed_reader::<Large>();
    let lose = |count: usize, world: &mut World| {
        for _ in 0..count {
            let id = world.spawn_columns((vec![Large([0; SIZE])],)).expect("one column").next().expect("one entity");
            world.despawn(id);
        }
    };
    lose(258, &mut world);
    assert_eq!((values.len(&world), values.missed(&world)), (256, 2));
    assert_eq!((entities.read(&world).count(), entities.missed(&world)), (258, 0));
    // A limit that was set holds instead.
    world.set_removed_limit::<Large>(260);
    lose(5, &mut world);
    assert_eq!((values.len(&world), values.missed(&world)), (260, 3));
    world.check_invariants();
}
