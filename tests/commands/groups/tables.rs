//! A group leaves nothing in the world except its result.

use super::*;

#[derive(Component)]
struct Other<const N: usize>;

/// How many tables a world has more after `action` than before.
fn new_tables(world: &mut World, action: impl FnOnce(&mut World)) -> usize {
    let before = world.tables().iter().count();
    action(world);
    world.check_invariants();
    world.tables().iter().count() - before
}

#[test]
fn a_group_makes_the_table_at_its_end_and_none_in_between() {
    let mut world = World::new();
    let new = new_tables(&mut world, |world| {
        let mut commands = world.commands();
        commands.spawn(Other::<0>).insert(Other::<1>).insert(Other::<2>).insert_if_new(Other::<3>).remove::<Other<1>>();
        world.flush();
    });
    assert_eq!(new, 1);
    let ids: Vec<usize> = world.tables().iter().map(|table| table.components().len()).collect();
    assert_eq!(ids, [0, 3]);
}

#[test]
fn a_group_on_a_living_entity_makes_one_table_at_most() {
    let mut world = World::new();
    let entity = world.spawn(Other::<0>).id();
    let one = new_tables(&mut world, |world| {
        let mut commands = world.commands();
        commands.entity(entity).insert(Other::<1>).insert((Other::<2>, Tag)).remove::<(Other<0>, Tag)>();
        world.flush();
    });
    let none = new_tables(&mut world, |world| {
        let mut commands = world.commands();
        commands.entity(entity).insert(Other::<3>).insert(Other::<4>).remove::<(Other<3>, Other<4>)>();
        world.flush();
    });
    assert_eq!((one, none), (1, 0));
    let location = world.entity(entity).location();
    world.commands().entity(entity).insert((Other::<5>, Tag)).remove::<Other<5>>();
    world.flush();
    assert_eq!(world.entity(entity).location(), location, "an entity that comes back to its table stays where it is");
}

#[test]
fn a_group_that_ends_in_a_despawn_or_is_for_a_dead_entity_makes_no_table() {
    let mut world = World::new();
    let [alive, dead] = [(); 2].map(|()| world.spawn(Other::<0>).id());
    world.despawn(dead);
    let new = new_tables(&mut world, |world| {
        let mut commands = world.commands();
        commands.entity(alive).insert(Other::<1>).insert(Other::<2>).despawn();
        commands.entity(dead).insert(Other::<3>).insert(Other::<4>);
        commands.entity(dead).insert(Other::<5>).insert(Other::<6>).despawn();
        commands.spawn(Other::<7>).insert(Other::<8>).despawn();
        world.flush();
    });
    assert_eq!((new, world.len()), (0, 0));
}

#[test]
fn replace_makes_no_table_in_between() {
    let mut world = World::new();
    let entity = world.spawn((Other::<0>, Other::<1>)).id();
    let new = new_tables(&mut world, |world| {
        world.entity_mut(entity).replace::<Other<0>, _>((Other::<2>, Other::<3>));
    });
    assert_eq!(new, 1);
}

#[test]
fn every_entity_of_a_loop_over_groups_ends_in_one_table() {
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(|_| Other::<0>)).collect();
    let new = new_tables(&mut world, |world| {
        let mut commands = world.commands();
        for entity in &entities {
            commands.entity(*entity).insert(Other::<1>).insert(Other::<2>).remove::<Other<0>>();
        }
        world.flush();
    });
    assert_eq!(new, 1);
    let bytes = world.allocated_bytes();
    for _ in 0..10 {
        let mut commands = world.commands();
        for entity in &entities {
            commands.entity(*entity).insert(Other::<1>).insert(Other::<2>).remove::<Other<0>>();
        }
        world.flush();
    }
    assert!(world.allocated_bytes() < bytes + 2000, "the same groups again need no memory that stays");
}

/// Meets a thousand bundles.
fn meet_a_thousand_bundles(world: &mut World) {
    macro_rules! tens {
        ($($t:literal)*) => { $( ones!($t; 0 1 2 3 4 5 6 7 8 9); )* };
    }
    macro_rules! ones {
        ($t:literal; $($o:literal)*) => { $( {
            ten_bundles::<{ 10 * $t + $o }>(world);
        } )* };
    }
    tens!(0 1 2 3 4 5 6 7 8 9);
}

/// Spawns ten bundles and removes them again by commands, and one of them also at once: each bundle that is spawned at once takes long to
/// compile.
fn ten_bundles<const N: usize>(world: &mut World) {
    world.spawn((Other::<N>, Numbered::<0>));
    macro_rules! meet {
        ($($o:literal)*) => { $( {
            let entity = world.commands().spawn((Other::<N>, Numbered::<$o>)).id();
            world.flush();
            world.commands().entity(entity).insert(Unit).remove::<(Other<N>, Numbered<$o>)>();
            world.flush();
        } )* };
    }
    meet!(0 1 2 3 4 5 6 7 8 9);
}

#[derive(Component)]
struct Numbered<const N: usize>;

#[test]
fn a_world_pays_nothing_for_the_bundles_of_others() {
    fn use_one(world: &mut World) -> usize {
        let entity = world.spawn(Unit).id();
        world.commands().entity(entity).insert(Tag).remove::<Unit>();
        world.flush();
        world.allocated_bytes()
    }
    let expected = use_one(&mut World::new());
    let mut world = World::new();
    let before = world.allocated_bytes();
    let mut other = World::new();
    meet_a_thousand_bundles(&mut other);
    assert!(other.allocated_bytes() > 100_000, "the other world has met them");
    assert_eq!(world.allocated_bytes(), before);
    assert_eq!(use_one(&mut world), expected);
    assert_eq!(use_one(&mut World::new()), expected);
}

#[test]
fn commands_that_are_recorded_and_dropped_leave_no_plans_and_no_tables() {
    let mut world = World::new();
    let entity = world.spawn(Unit).id();
    let bytes = world.allocated_bytes();
    let new = new_tables(&mut world, |world| {
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, world);
        commands.entity(entity).insert(Other::<1>).insert(Other::<2>).remove::<Unit>();
        drop(queue);
    });
    assert_eq!((new, world.allocated_bytes()), (0, bytes));
}
