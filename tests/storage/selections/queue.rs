//! Selections among other commands of a queue.

use strata_ecs::prelude::*;

use super::parts::*;

#[test]
fn commands_see_entities_that_earlier_ones_of_the_queue_have_spawned_and_pass_over_despawned_ones() {
    let mut world = World::new();
    let dead = world.spawn(Plain::make(1)).id();
    world.despawn(dead);
    let old = world.spawn(Plain::make(2)).id();
    let mut commands = world.commands();
    let new = commands.spawn(Plain::make(3)).id();
    let empty = commands.spawn_empty().id();
    commands.entity(empty).insert(Plain::make(4));
    commands.all::<With<Plain>>().insert(Unit);
    commands.many([dead, new, old, new]).insert(Aside::make(1));
    commands.entity(old).despawn();
    commands.many(vec![old, new, dead]).remove::<Plain>();
    commands.many([old, dead]).despawn();
    let late = commands.spawn(Plain::make(5)).id();
    world.flush();
    world.check_invariants();
    let has = |id| {
        let row = row_of(&world, id);
        (row[0], row[2].is_some(), row[8].is_some())
    };
    assert_eq!(has(new), (None, true, true));
    assert_eq!(has(empty), (Some(4), true, false));
    assert_eq!(has(late), (Some(5), false, false), "spawned after the selections");
    assert_eq!(world.len(), 3);
}

#[test]
fn commands_in_systems_select_when_they_are_carried_out() {
    fn freeze(mut commands: Commands<'_, '_>, query: Query<'_, '_, Entity, With<Plain>>) {
        let ids: Vec<Entity> = query.iter().collect();
        commands.many(ids).insert_from::<&Plain, _>(|plain| Aside::make(plain.0));
        commands.spawn((Plain::make(50), Tag));
        commands.all::<(With<Tag>, Without<Aside>)>().insert(Unit);
        commands.all::<With<Aside>>().remove::<Plain>();
    }
    let mut world = World::new();
    world.spawn_batch((0..5).map(Plain::make));
    world.run_system_once(freeze).expect("it runs");
    world.check_invariants();
    let mut aside: Vec<u32> = world.query::<&Aside>().iter(&world).map(Part::value).collect();
    aside.sort_unstable();
    assert_eq!(aside, [8, 9, 10, 11, 12]);
    assert_eq!(world.query_filtered::<&Plain, With<Unit>>().iter(&world).map(Part::value).collect::<Vec<_>>(), [50]);
    assert_eq!(world.query::<&Plain>().iter(&world).count(), 1);
}

#[test]
fn commands_that_are_dropped_with_their_queue_drop_what_they_hold() {
    use strata_tests::drops;
    drops::reset();
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..3).map(Heap::make)).collect();
    let held = Heap::make(3);
    let mut commands = world.commands();
    assert!(format!("{:?}", commands.all::<()>()).starts_with("SelectionCommands"));
    commands.all::<()>().insert((Heap::make(1), Unit));
    commands.many(ids).insert_with(move |_| held.clone());
    assert_eq!(drops::alive(), 5);
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn commands_leave_entities_alone_that_later_ones_of_the_queue_spawn() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(Plain::make));
    let mut commands = world.commands();
    commands.all::<()>().despawn();
    let hero = commands.spawn(Plain::make(7)).id();
    commands.all::<Without<Unit>>().insert(Aside::make(1));
    let late = commands.spawn(Plain::make(8)).id();
    world.flush();
    world.check_invariants();
    assert_eq!(world.get::<Plain>(hero).map(Part::value), Some(7), "it came after those that were despawned");
    assert!(world.get::<Aside>(hero).is_some() && world.get::<Plain>(late).is_some());
    assert!(world.get::<Aside>(late).is_none());
    assert_eq!(world.len(), 2);
}
