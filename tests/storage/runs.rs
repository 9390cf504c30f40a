//! Runs of the same change: what the world remembers of the last one is right, or not used, whatever happens in between.

use std::sync::atomic::{AtomicU32, Ordering};

use strata_ecs::prelude::*;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Number<const N: usize>(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Kept(u64);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Extra(u16);

#[derive(Component, Debug, Default, PartialEq)]
struct Brought(u8);

fn spawn<const N: usize>(world: &mut World) -> Entity {
    world.spawn((Number::<N>(N as u32), Kept(N as u64))).id()
}

#[test]
fn more_types_in_turns_than_are_remembered() {
    let mut world = World::new();
    let spawns: [fn(&mut World) -> Entity; 12] = [
        spawn::<0>,
        spawn::<1>,
        spawn::<2>,
        spawn::<3>,
        spawn::<4>,
        spawn::<5>,
        spawn::<6>,
        spawn::<7>,
        spawn::<8>,
        spawn::<9>,
        spawn::<10>,
        spawn::<11>,
    ];
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.extend(spawns.iter().map(|spawn| spawn(&mut world)));
        world.check_invariants();
    }
    // One type of bundle, from twelve tables in turns.
    for &id in &ids {
        world.entity_mut(id).insert(Extra(id.index() as u16));
    }
    world.check_invariants();
    for (at, &id) in ids.iter().enumerate() {
        assert_eq!(world.get::<Kept>(id), Some(&Kept(at as u64 % 12)));
        assert_eq!(world.get::<Extra>(id), Some(&Extra(id.index() as u16)));
    }
    assert_eq!(world.get::<Number<11>>(ids[23]), Some(&Number(11)));
    for &id in &ids {
        world.entity_mut(id).remove::<Extra>();
    }
    world.check_invariants();
    assert!(ids.iter().all(|&id| !world.entity(id).contains::<Extra>()));
    assert_eq!(world.get::<Number<7>>(ids[19]), Some(&Number(7)));
}

#[test]
fn more_components_than_are_remembered() {
    let mut world = World::new();
    let bundle = |n: u32| {
        let first = (Number::<0>(n), Number::<1>(n + 1), Number::<2>(n + 2), Number::<3>(n + 3), Number::<4>(n + 4));
        (first, (Number::<5>(n + 5), Number::<6>(n + 6), Number::<7>(n + 7), Kept(n.into()), Extra(n as u16)))
    };
    let ids: Vec<Entity> = (0..50).map(|n| world.spawn(bundle(n)).id()).collect();
    world.check_invariants();
    for (n, &id) in (0..).zip(&ids) {
        let found = world.entity(id).get_components::<(&Number<0>, &Number<7>, &Kept, &Extra)>().unwrap();
        assert_eq!(found, (&Number(n), &Number(n + 7), &Kept(n.into()), &Extra(n as u16)));
    }
}

#[test]
fn what_a_component_requires_since_then_is_made() {
    let mut world = World::new();
    let id = world.spawn(Kept(1)).id();
    world.despawn(id);
    world.register_required_components::<Kept, Brought>();
    let id = world.spawn(Kept(2)).id();
    assert_eq!(world.get::<Brought>(id), Some(&Brought(0)));
    let id = world.spawn(Extra(2)).id();
    world.entity_mut(id).insert(Kept(3));
    assert_eq!(world.get::<Brought>(id), Some(&Brought(0)));
    world.check_invariants();
}

#[test]
fn a_constructor_that_panics_leaves_the_world_as_it_was_and_is_called_once_for_each_entity() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    #[derive(Component, Clone, Copy)]
    #[require(Made = made())]
    struct Requires;
    #[derive(Component)]
    struct Made(Box<u32>);
    fn made() -> Made {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        assert!(call != 5, "the sixth");
        Made(Box::new(call))
    }
    let mut world = World::new();
    for n in 0..5 {
        world.spawn((Requires, Extra(n)));
    }
    let sixth = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| _ = world.spawn((Requires, Extra(5)))));
    assert!(sixth.is_err());
    world.check_invariants();
    assert_eq!((world.len(), CALLS.load(Ordering::Relaxed)), (5, 6));
    world.spawn((Requires, Extra(6)));
    assert_eq!((world.len(), CALLS.load(Ordering::Relaxed)), (6, 7));
}

#[test]
fn listeners_that_come_and_go_are_told_of_what_happens_while_they_are_there() {
    #[derive(Resource, Default)]
    struct Told(Vec<(&'static str, Entity)>);
    let mut world = World::new();
    world.init_resource::<Told>();
    let spawn = |world: &mut World| world.spawn((Kept(1), Extra(1))).id();
    let turn = |world: &mut World, id: Entity| {
        world.entity_mut(id).insert(Number::<1>(1));
        world.entity_mut(id).remove::<Number<1>>();
    };
    let [a, b] = [spawn(&mut world), spawn(&mut world)];
    turn(&mut world, a);
    turn(&mut world, b);
    let added = world
        .add_observer(|on: On<'_, '_, Add<Extra>>, mut told: ResMut<'_, Told>| told.0.push(("add", on.event().entity)));
    let inserted = world.add_observer(|on: On<'_, '_, Insert<Number<1>>>, mut told: ResMut<'_, Told>| {
        told.0.push(("insert", on.event().entity))
    });
    let removed = world.add_observer(|on: On<'_, '_, Remove<Number<1>>>, mut told: ResMut<'_, Told>| {
        told.0.push(("remove", on.event().entity))
    });
    let gone = world.add_observer(|on: On<'_, '_, Despawn<Kept>>, mut told: ResMut<'_, Told>| {
        told.0.push(("end", on.event().entity))
    });
    let c = spawn(&mut world);
    turn(&mut world, c);
    turn(&mut world, a);
    world.despawn(b);
    let expected = [("add", c), ("insert", c), ("remove", c), ("insert", a), ("remove", a), ("end", b)];
    assert_eq!(std::mem::take(&mut world.resource_mut::<Told>().0), expected);
    for observer in [added, inserted, removed, gone] {
        world.remove_observer(observer);
    }
    let d = spawn(&mut world);
    turn(&mut world, d);
    world.despawn(a);
    assert!(world.resource::<Told>().0.is_empty());
    world.check_invariants();
}

#[test]
fn changes_and_removals_are_noticed_from_the_moment_at_which_somebody_asks() {
    let mut world = World::new();
    let spawn = |world: &mut World| world.spawn((Kept(1), Extra(1))).id();
    let ids: Vec<Entity> = (0..4).map(|_| spawn(&mut world)).collect();
    for &id in &ids {
        world.entity_mut(id).insert(Number::<1>(1));
        world.entity_mut(id).remove::<Number<1>>();
    }
    #[derive(Resource, Default)]
    struct Seen(Vec<Entity>, Vec<Entity>, Vec<Entity>);
    world.init_resource::<Seen>();
    let look = |added: Query<'_, '_, Entity, Added<Kept>>,
                numbered: Query<'_, '_, Entity, Added<Number<1>>>,
                mut removed: RemovedComponents<'_, '_, Extra>,
                mut seen: ResMut<'_, Seen>| {
        *seen = Seen(added.iter().collect(), numbered.iter().collect(), removed.read().collect());
    };
    let mut schedule = Schedule::default();
    schedule.add_systems(look);
    schedule.run(&mut world);
    let new = spawn(&mut world);
    world.entity_mut(ids[1]).insert(Number::<1>(1));
    world.entity_mut(ids[2]).insert(Number::<1>(1));
    world.entity_mut(ids[2]).remove::<Number<1>>();
    world.entity_mut(ids[3]).remove::<Extra>();
    world.despawn(ids[0]);
    schedule.run(&mut world);
    let seen = world.resource::<Seen>();
    assert_eq!((&seen.0[..], &seen.1[..]), (&[new][..], &[ids[1]][..]));
    assert_eq!(seen.2, [ids[3], ids[0]]);
    world.check_invariants();
}

#[test]
fn reserved_ids_become_entities_before_anything_else() {
    let mut world = World::new();
    let [a, b] = [1, 2].map(|n| world.spawn(Kept(n)).id());
    let reserved = world.entities().reserve().unwrap();
    let c = world.spawn(Kept(3)).id();
    assert!(world.entities().contains(reserved) && reserved != c);
    world.despawn(a);
    let reserved = world.entities().reserve().unwrap();
    assert_eq!(reserved.index(), a.index());
    assert!(world.despawn(b) && world.entities().contains(reserved));
    let reserved = world.entities().reserve().unwrap();
    world.entity_mut(c).insert(Extra(1));
    assert!(world.entities().contains(reserved));
    world.check_invariants();
    assert_eq!(world.get::<Kept>(c), Some(&Kept(3)));
}

#[test]
fn the_last_row_and_the_only_one_end_and_indexes_are_used_again() {
    let mut world = World::new();
    for round in 0..3u64 {
        let ids: Vec<Entity> = (0..5).map(|n| world.spawn((Kept(round * 10 + n), Extra(1))).id()).collect();
        for (left, nth) in [(4, 4), (3, 0), (2, 2), (1, 1), (0, 3)] {
            assert!(world.despawn(ids[nth]) && !world.despawn(ids[nth]));
            assert_eq!(world.len(), left);
            world.check_invariants();
            for (n, &id) in (0..).zip(&ids) {
                assert!(world.get::<Kept>(id).is_none_or(|kept| *kept == Kept(round * 10 + n)));
            }
        }
        assert!(ids.iter().all(|&id| id.generation() == 1 + round as u32));
    }
}
