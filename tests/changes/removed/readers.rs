//! Several readers, readers that lag, and readers that are no more.

use strata_ecs::prelude::*;
use strata_tests::panics::expect_panic;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Burning(u32);

fn lose(world: &mut World, count: u32) -> Vec<Entity> {
    let ids: Vec<Entity> = world.spawn_batch((0..count).map(|n| (Health(n), Burning(n)))).collect();
    for &id in &ids {
        world.despawn(id);
    }
    ids
}

#[test]
fn a_reader_begins_with_the_next_removal() {
    let mut world = World::new();
    let mut first = world.removed_reader::<Health>();
    let early = lose(&mut world, 2);
    let mut second = world.removed_reader::<Health>();
    let late = lose(&mut world, 2);
    assert_eq!(second.read(&world).collect::<Vec<_>>(), late);
    assert_eq!(first.read(&world).collect::<Vec<_>>(), [early, late].concat());
}

#[test]
fn what_an_iterator_has_not_given_stays_unread() {
    let mut world = World::new();
    let (mut reader, mut values) = (world.removed_reader::<Health>(), world.removed_value_reader::<Health>());
    let ids = lose(&mut world, 5);
    assert_eq!(reader.read(&world).nth(1), Some(ids[1]));
    assert_eq!(reader.read(&world).len(), 3);
    drop(reader.read(&world));
    assert_eq!(reader.read(&world).fold(0, |count, _| count + 1), 3);
    assert!(reader.is_empty(&world));
    assert_eq!(values.read(&world).nth(1).map(|(id, health)| (id, health.0)), Some((ids[1], 1)));
    assert_eq!(values.read(&world).next().map(|(id, health)| (id, health.0)), Some((ids[2], 2)));
    assert_eq!(values.read(&world).nth(2).map(|(id, _)| id), None);
    assert!(values.is_empty(&world));
    lose(&mut world, 3);
    reader.clear(&world);
    assert_eq!((reader.len(&world), reader.missed(&world), values.len(&world)), (0, 0, 3));
}

#[test]
fn a_fold_that_panics_has_read_what_it_got() {
    let mut world = World::new();
    let mut reader = world.removed_reader::<Health>();
    let ids = lose(&mut world, 5);
    expect_panic(|| reader.read(&world).for_each(|id| assert_ne!(id, ids[2])));
    assert_eq!(reader.read(&world).collect::<Vec<_>>(), ids[3..]);
}

#[test]
fn a_reader_that_lags_counts_what_it_has_missed_and_no_other_does() {
    let mut world = World::new();
    world.set_removed_limit::<Health>(10);
    let [mut slow, mut fast] = [(); 2].map(|()| world.removed_reader::<Health>());
    let mut values = world.removed_value_reader::<Health>();
    let mut last = Vec::new();
    for _ in 0..10 {
        last = lose(&mut world, 7);
        assert_eq!(fast.read(&world).collect::<Vec<_>>(), last);
    }
    assert_eq!((slow.len(&world), slow.missed(&world), fast.missed(&world)), (10, 60, 0));
    assert_eq!((values.len(&world), values.missed(&world)), (10, 60));
    assert_eq!(values.read(&world).map(|(_, health)| health.0).collect::<Vec<_>>(), [4, 5, 6, 0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(slow.read(&world).skip(3).collect::<Vec<_>>(), last);
    assert_eq!((slow.take_missed(&world), slow.take_missed(&world), values.take_missed(&world)), (60, 0, 60));
    lose(&mut world, 12);
    assert_eq!((slow.missed(&world), slow.len(&world)), (2, 10));
    slow.clear(&world);
    assert_eq!(slow.missed(&world), 2, "what was missed stays missed");
}

#[test]
fn one_operation_on_more_than_the_limit_keeps_the_last() {
    let mut world = World::new();
    world.set_removed_limit::<Burning>(3);
    let ids: Vec<Entity> = world.spawn_batch((0..20).map(|n| (Health(n), Burning(n)))).collect();
    let (mut reader, values) = (world.removed_reader::<Burning>(), world.removed_value_reader::<Burning>());
    world.all::<()>().despawn();
    assert_eq!(reader.read(&world).collect::<Vec<_>>(), ids[17..]);
    assert_eq!((reader.missed(&world), values.missed(&world), values.len(&world)), (17, 17, 3));
    world.set_removed_limit::<Burning>(1);
    assert_eq!((reader.missed(&world), values.missed(&world), values.len(&world)), (17, 19, 1));
}

#[test]
fn memory_is_bounded_by_the_limit_and_not_by_time() {
    let mut world = World::new();
    world.set_removed_limit::<Health>(1000);
    let (_lags, _values) = (world.removed_reader::<Health>(), world.removed_value_reader::<Health>());
    lose(&mut world, 5000);
    let before = world.allocated_bytes();
    for _ in 0..20 {
        lose(&mut world, 5000);
        assert!(world.allocated_bytes() <= before + 64 * 1024);
    }
}

#[test]
fn memory_follows_what_is_unread() {
    let mut world = World::new();
    let mut reader = world.removed_reader::<Health>();
    lose(&mut world, 100);
    reader.clear(&world);
    let before = world.allocated_bytes();
    for _ in 0..100 {
        lose(&mut world, 100);
        assert_eq!(reader.read(&world).count(), 100);
    }
    assert!(world.allocated_bytes() <= before + 100 * 8, "what all have read makes room for the next");
}

#[test]
fn nothing_is_recorded_without_a_reader() {
    let mut world = World::new();
    let bytes = |world: &mut World| {
        lose(world, 1000);
        world.shrink_to_fit();
        let before = world.allocated_bytes();
        let id = world.spawn((Health(1), Burning(1))).id();
        let with_one = world.allocated_bytes();
        world.despawn(id);
        (before, world.allocated_bytes() - with_one)
    };
    let (before, expected) = bytes(&mut world);
    let reader = world.removed_reader::<Health>();
    let values = world.removed_value_reader::<Burning>();
    let (with_readers, _) = bytes(&mut world);
    assert!(with_readers >= before + 1000 * 16);
    drop((reader, values));
    world.shrink_to_fit();
    let (after, growth) = bytes(&mut world);
    assert!(after < before + 2048 && growth == expected, "{after} {before} {growth}");
    world.check_invariants();
}

#[test]
fn a_new_reader_after_the_last_one_is_gone_begins_anew() {
    let mut world = World::new();
    drop(world.removed_reader::<Health>());
    lose(&mut world, 3);
    world.shrink_to_fit();
    lose(&mut world, 3);
    let mut reader = world.removed_reader::<Health>();
    let ids = lose(&mut world, 3);
    assert_eq!((reader.missed(&world), reader.read(&world).collect::<Vec<_>>()), (0, ids));
}

#[test]
fn a_reader_knows_its_world() {
    let mut world = World::new();
    let mut other = World::new();
    let mut reader = world.removed_reader::<Health>();
    let _others = other.removed_reader::<Health>();
    let text = expect_panic(|| reader.read(&other).count());
    assert!(text.contains("Health") && text.contains("another world"), "{text}");
    let values = world.removed_value_reader::<Health>();
    drop(world);
    expect_panic(|| values.len(&other));
}

#[test]
fn readers_say_what_they_are() {
    let mut world = World::new();
    let mut reader = world.removed_reader::<Health>();
    let ids = lose(&mut world, 1);
    assert!(format!("{reader:?}").starts_with("RemovedComponentReader<"));
    assert_eq!(format!("{:?}", reader.read(&world)), format!("RemovedIter({ids:?})"));
}
