//! A field of a bundle that is ignored and panics when it is dropped: user code that runs while a bundle is taken apart.

use std::mem::MaybeUninit;

use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component, Clone, Copy)]
struct A(u32);
#[derive(Component, Clone, Copy)]
struct B(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[repr(align(64))]
struct Line(u8);

#[derive(Default)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "the bomb went off");
    }
}

#[derive(Bundle)]
struct Trap {
    line: Line,
    #[bundle(ignore)]
    bomb: Bomb,
}

fn trap() -> Trap {
    Trap { line: Line(1), bomb: Bomb }
}

#[test]
fn a_command_whose_bundle_panics_while_it_is_recorded_leaves_the_queue_whole() {
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    for round in 0..3 {
        expect_panic(|| Commands::new(&mut queue, &world).spawn(trap()).id());
        let mut commands = Commands::new(&mut queue, &world);
        commands.spawn(A(round));
        commands.spawn((A(round), Line(3)));
    }
    queue.apply(&mut world);
    assert_usable(&mut world);
    assert_eq!(world.query::<&A>().iter(&world).map(|a| a.0).sum::<u32>(), 6);
    assert!(world.query::<&Line>().iter(&world).all(|line| *line == Line(3)));
    expect_panic(|| Commands::new(&mut queue, &world).spawn(trap()).id());
    Commands::new(&mut queue, &world).spawn(A(1));
    drop(queue);
}

#[test]
fn a_bundle_that_panics_while_it_is_spawned_takes_no_id() {
    let mut world = World::new();
    let id = world.spawn_empty().id();
    world.despawn(id);
    let next = Entity::from_raw_u32(5000).expect("it is a valid index");
    expect_panic(|| world.spawn(trap()).id());
    expect_panic(|| world.spawn_batch([trap()]).count());
    expect_panic(|| world.spawn_at(next, trap()).is_ok());
    assert_usable(&mut world);
    assert!(world.spawn_at(next, A(1)).is_ok());
    let fresh = world.spawn(A(2)).id();
    assert_ne!(fresh, next);
    assert_usable(&mut world);
}

#[test]
fn values_that_are_not_initialised_can_be_moved_about() {
    #[derive(Component)]
    struct Byte(MaybeUninit<u8>);
    let mut world = World::new();
    let ids: Vec<Entity> = (0..20).map(|at| world.spawn((Byte(MaybeUninit::uninit()), A(at))).id()).collect();
    for id in &ids {
        world.entity_mut(*id).insert(B(1)).remove::<A>();
    }
    for id in &ids {
        world.commands().entity(*id).insert(A(1)).insert(Byte(MaybeUninit::uninit()));
    }
    world.flush();
    assert_eq!(world.query::<(&Byte, &A, &B)>().iter(&world).count(), 20);
    assert_usable(&mut world);
}

#[test]
fn indexes_become_free_in_the_order_of_the_commands() {
    for count in [3, 8, 30] {
        let mut world = World::new();
        let ids: Vec<Entity> = world.spawn_batch((0..count).map(A)).collect();
        let mut commands = world.commands();
        ids.iter().rev().for_each(|id| commands.entity(*id).despawn());
        world.flush();
        assert_eq!(world.spawn_empty().id().index(), ids[0].index(), "{count}: the last one despawned comes first");
        assert_usable(&mut world);
    }
}
