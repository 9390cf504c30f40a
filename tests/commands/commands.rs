//! Commands: changes recorded now and applied later, in order.

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct A(u32);
#[derive(Component, Debug, PartialEq, Clone)]
struct B(String);
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Resource, Debug, PartialEq, Default)]
struct Total(u32);
#[derive(Component)]
struct Held(Token);

fn run<M>(world: &mut World, system: impl IntoSystem<(), (), M>) {
    world.run_system_once(system).expect("the system runs");
}

#[test]
fn nothing_happens_before_they_are_applied() {
    let mut world = World::new();
    let entity = world.spawn(A(1)).id();
    run(&mut world, move |mut commands: Commands<'_, '_>, all: Query<'_, '_, &A>| {
        commands.entity(entity).insert(B(String::from("b"))).remove::<A>();
        commands.spawn(A(2));
        assert_eq!(all.count(), 1);
    });
    assert_eq!(world.get::<B>(entity), Some(&B(String::from("b"))));
    assert_eq!(world.query::<&A>().iter(&world).count(), 1);
    world.check_invariants();
}

#[test]
fn every_command_does_what_the_world_does() {
    let mut world = World::new();
    let doomed = world.spawn((A(1), Tag)).id();
    let changed = world.spawn((A(2), B(String::from("old")))).id();
    world.insert_resource(Total(7));
    run(&mut world, move |mut commands: Commands<'_, '_>| {
        commands.entity(doomed).despawn();
        commands.entity(changed).insert((B(String::from("new")), Tag)).remove::<A>();
        commands.spawn_empty();
        commands.spawn((A(3), Tag)).insert(B(String::from("three")));
        commands.spawn_batch((10..20).map(A));
        commands.remove_resource::<Total>();
        commands.queue(|world: &mut World| {
            world.spawn(A(30));
        });
    });
    assert!(!world.contains(doomed));
    assert_eq!(world.get::<B>(changed), Some(&B(String::from("new"))));
    assert!(world.entity(changed).contains::<Tag>());
    assert!(!world.entity(changed).contains::<A>());
    assert!(!world.contains_resource::<Total>());
    assert_eq!(world.query::<&A>().iter(&world).count(), 12);
    assert_eq!(world.query_filtered::<&B, With<A>>().single(&world).expect("one"), &B(String::from("three")));
    assert_eq!(world.len(), 14);
    world.check_invariants();
}

#[test]
fn resources_are_inserted_and_made_by_default() {
    let mut world = World::new();
    run(&mut world, |mut commands: Commands<'_, '_>| commands.insert_resource(Total(3)));
    assert_eq!(*world.resource::<Total>(), Total(3));
    run(&mut world, |mut commands: Commands<'_, '_>| {
        commands.init_resource::<Total>();
    });
    assert_eq!(*world.resource::<Total>(), Total(3));
    world.remove_resource::<Total>();
    run(&mut world, |mut commands: Commands<'_, '_>| {
        commands.init_resource::<Total>();
    });
    assert_eq!(*world.resource::<Total>(), Total(0));
}

#[test]
fn a_spawned_id_is_known_at_once_and_usable_in_later_commands() {
    let mut world = World::new();
    let id = world
        .run_system_once(|mut commands: Commands<'_, '_>| {
            let first = commands.spawn(A(1)).id();
            let second = commands.spawn_empty().id();
            assert_ne!(first, second);
            commands.entity(first).insert(B(String::from("b")));
            commands.entity(second).despawn();
            (first, second)
        })
        .expect("the system runs");
    assert_eq!(world.get::<A>(id.0), Some(&A(1)));
    assert_eq!(world.get::<B>(id.0), Some(&B(String::from("b"))));
    assert!(!world.contains(id.1));
    world.check_invariants();
}

#[test]
fn commands_are_applied_in_the_order_given() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    run(&mut world, move |mut commands: Commands<'_, '_>| {
        commands.entity(entity).insert(A(1));
        commands.queue(move |world: &mut World| {
            let a = world.get::<A>(entity).copied().expect("inserted before");
            world.insert_resource(Total(a.0));
        });
        commands.entity(entity).insert(A(2));
        commands.entity(entity).remove::<A>();
        commands.entity(entity).insert(A(3));
    });
    assert_eq!(*world.resource::<Total>(), Total(1));
    assert_eq!(world.get::<A>(entity), Some(&A(3)));
    world.check_invariants();
}

#[test]
fn the_world_lends_commands_too() {
    let mut world = World::new();
    let entity = world.commands().spawn(A(5)).id();
    world.flush();
    assert_eq!(world.get::<A>(entity), Some(&A(5)));
    world.check_invariants();
}

#[test]
fn get_entity_tells_at_once_that_an_entity_is_gone() {
    let mut world = World::new();
    let dead = world.spawn(A(1)).id();
    let alive = world.spawn(A(2)).id();
    world.despawn(dead);
    run(&mut world, move |mut commands: Commands<'_, '_>| {
        assert!(commands.get_entity(dead).is_err());
        commands.get_entity(alive).expect("it lives").insert(Tag);
    });
    assert!(world.entity(alive).contains::<Tag>());
}

#[test]
fn commands_that_are_never_applied_drop_what_they_hold_once() {
    drops::reset();
    let mut world = World::new();
    {
        let mut commands = world.commands();
        commands.spawn((A(1), Held(Token::new())));
        let held = Held(Token::new());
        commands.queue(move |world: &mut World| {
            world.spawn(held);
        });
    }
    drop(world);
    drops::assert_all_dropped_once();
    assert_eq!(drops::dropped(), 2);
}

#[test]
fn a_command_that_queues_commands_is_followed_by_them() {
    let mut world = World::new();
    run(&mut world, |mut commands: Commands<'_, '_>| {
        commands.queue(|world: &mut World| {
            world.commands().spawn(A(1));
            world.commands().queue(|world: &mut World| {
                world.commands().spawn(A(2));
            });
        });
    });
    world.flush();
    assert_eq!(world.query::<&A>().iter(&world).count(), 2);
    world.check_invariants();
}

#[test]
fn commands_with_over_aligned_and_zero_sized_content_are_applied() {
    #[derive(Component, Debug, PartialEq)]
    #[repr(align(4096))]
    struct Page(u8);
    #[derive(Component)]
    struct Unit;
    let mut world = World::new();
    run(&mut world, |mut commands: Commands<'_, '_>| {
        for value in 0..20 {
            commands.spawn((Page(value), Unit));
            commands.spawn(A(u32::from(value)));
        }
    });
    let mut pages: Vec<u8> = world.query_filtered::<&Page, With<Unit>>().iter(&world).map(|page| page.0).collect();
    pages.sort_unstable();
    assert!(pages.iter().copied().eq(0..20));
    for page in world.query::<&Page>().iter(&world) {
        assert_eq!(std::ptr::from_ref(page).addr() % 4096, 0);
    }
}

#[test]
fn a_thousand_systems_worth_of_commands_leave_the_world_in_order() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    fn spawner(mut commands: Commands<'_, '_>, mut round: Local<'_, u32>) {
        *round += 1;
        for value in 0..*round % 7 {
            commands.spawn((A(value), B(value.to_string())));
        }
    }
    fn reaper(mut commands: Commands<'_, '_>, old: Query<'_, '_, (Entity, &A)>) {
        for (entity, a) in &old {
            if a.0 % 2 == 0 {
                commands.entity(entity).despawn();
            } else {
                commands.entity(entity).insert(Tag).remove::<B>();
            }
        }
    }
    schedule.add_systems((spawner, reaper).chain());
    for _ in 0..200 {
        schedule.run(&mut world);
        world.check_invariants();
    }
    assert!(world.query::<&A>().iter(&world).all(|a| a.0 % 2 == 1));
    assert_eq!(world.query::<&B>().iter(&world).count(), 0);
}
