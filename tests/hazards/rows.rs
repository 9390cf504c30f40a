//! Rows, ids and what becomes of them.

use std::collections::HashSet;

use strata_ecs::store::{SpawnAtError, SpawnColumnsError};
use strata_tests::drops::{self, Token};
use strata_tests::panics::catch;

use super::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Mark(u32);
#[derive(Component, Debug, PartialEq, Clone)]
struct Name(String);
#[derive(Component)]
struct Held(Token);
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Aside(u32);

#[test]
fn despawning_any_row_keeps_every_other_entity_at_its_values() {
    for rows in 1..6_usize {
        for place in 0..rows {
            let mut world = World::new();
            let entities: Vec<Entity> =
                (0..rows as u32).map(|i| world.spawn((Mark(i), Name(i.to_string()), Aside(i))).id()).collect();
            assert!(world.despawn(entities[place]));
            world.check_invariants();
            for (i, entity) in (0..).zip(&entities) {
                let expected = (i != place as u32).then_some(Mark(i));
                assert_eq!(world.get::<Mark>(*entity).copied(), expected, "row {place} of {rows}");
                assert_eq!(world.get::<Name>(*entity).cloned(), expected.map(|mark| Name(mark.0.to_string())));
                assert_eq!(world.get::<Aside>(*entity).map(|aside| aside.0), expected.map(|mark| mark.0));
            }
        }
    }
}

#[test]
fn moving_any_row_keeps_every_other_entity_at_its_values() {
    for place in 0..5_usize {
        let mut world = World::new();
        let entities: Vec<Entity> = (0..5).map(|i| world.spawn((Mark(i), Name(i.to_string()))).id()).collect();
        world.entity_mut(entities[place]).insert(Held(Token::new())).remove::<Name>();
        world.check_invariants();
        for (i, entity) in (0..).zip(&entities) {
            assert_eq!(world.get::<Mark>(*entity), Some(&Mark(i)));
            assert_eq!(world.get::<Name>(*entity).is_some(), i != place as u32);
        }
    }
}

#[test]
fn a_stale_id_never_reaches_the_new_tenant_of_its_index() {
    let mut world = World::new();
    let stale = world.spawn(Mark(1)).id();
    assert!(world.despawn(stale));
    assert!(!world.despawn(stale));
    let tenant = world.spawn((Mark(2), Aside(2))).id();
    assert_eq!(stale.index(), tenant.index());
    assert!(!world.despawn(stale));
    assert!(world.try_despawn(stale).is_err());
    assert!(world.get_entity_mut(stale).is_err());
    assert!(world.get_mut::<Mark>(stale).is_none());
    assert!(world.get::<Aside>(stale).is_none());
    let mut query = world.query::<&mut Mark>();
    assert!(query.get_mut(&mut world, stale).is_err());
    assert_eq!(query.iter_many(&world, [stale]).matched().count(), 0);
    assert_eq!(world.get::<Mark>(tenant), Some(&Mark(2)));
    world.check_invariants();
}

#[test]
fn a_slot_at_its_last_generation_is_retired() {
    let mut world = World::new();
    let index = {
        let entity = world.spawn(Mark(0)).id();
        world.despawn(entity);
        entity.index()
    };
    let last = find_last_generation(index);
    if world.spawn_at(last, Mark(1)).is_err() {
        // The world refuses ids that it did not hand out, so no caller can bring a slot to its end.
        assert_usable(&mut world);
        return;
    }
    assert!(world.despawn(last));
    let fresh: Vec<Entity> = (0..100).map(|i| world.spawn(Mark(i)).id()).collect();
    assert!(fresh.iter().all(|entity| entity.index() != index), "a retired index came back");
    assert!(!world.contains(last));
    world.check_invariants();
}

/// The id with this index and the highest generation there is.
fn find_last_generation(index: u32) -> Entity {
    let with_high = |high: u32| Entity::try_from_bits((u64::from(high) << 32) | u64::from(index));
    let with_low = |low: u32| Entity::try_from_bits((u64::from(index) << 32) | u64::from(low));
    [u32::MAX, u32::MAX - 1, u32::MAX >> 1]
        .into_iter()
        .flat_map(|generation| [with_high(generation), with_low(generation)])
        .flatten()
        .filter(|entity| entity.index() == index)
        .max_by_key(|entity| entity.generation())
        .expect("the last generation has bits")
}

#[test]
fn garbage_bits_name_no_living_entity_and_make_the_world_no_larger() {
    let mut world = World::new();
    world.spawn_batch((0..10).map(Mark));
    let living: HashSet<u64> = world.iter_entities().map(|entity| entity.id().to_bits()).collect();
    let mut bits: Vec<u64> =
        vec![0, 1, u64::MAX, u64::MAX - 1, 1 << 32, 1 << 63, u64::from(u32::MAX), u64::from(u32::MAX) << 32];
    bits.extend((0..64).map(|shift| 0x9e37_79b9_7f4a_7c15_u64.rotate_left(shift)));
    bits.extend((0..64).map(|shift| 1_u64 << shift));
    let mut query = world.query::<&Mark>();
    for bits in bits {
        let Some(entity) = Entity::try_from_bits(bits) else { continue };
        assert_eq!(entity.to_bits(), bits);
        if living.contains(&bits) {
            continue;
        }
        assert!(!world.contains(entity), "{bits:#x}");
        assert!(world.get::<Mark>(entity).is_none());
        assert!(world.get_entity(entity).is_err());
        assert!(!world.despawn(entity));
        assert!(world.try_despawn(entity).is_err());
        assert!(query.get(&world, entity).is_err());
    }
    assert!(Entity::try_from_bits(0).is_none(), "zero bits are kept for the niche");
    assert_eq!(world.len(), 10);
    assert_usable(&mut world);
}

#[test]
fn bits_that_are_no_id_panic_in_from_bits() {
    let text = catch(|| Entity::from_bits(0)).expect_err("zero is no id");
    assert!(text.contains("bits"), "{text}");
}

#[test]
fn spawning_at_an_index_far_beyond_all_others_is_refused_and_allocates_nothing() {
    let mut world = World::new();
    let before = world.entities().allocated_bytes();
    for index in [u32::MAX - 1, u32::MAX - 10, (1 << 20) + 1] {
        let huge = Entity::from_raw_u32(index).expect("an index");
        let error = world.spawn_at(huge, Mark(1)).map(|entity| entity.id()).unwrap_err();
        assert_eq!(error, SpawnAtError::TooFar(huge));
        let error = world.spawn_columns_at(&[huge], vec![Mark(1)]).unwrap_err();
        assert_eq!(error, SpawnColumnsError::TooFar(huge));
        assert!(!world.contains(huge) && world.is_empty());
    }
    assert_eq!(world.entities().allocated_bytes(), before);
    // No entity has the last index, of any generation.
    assert_eq!(Entity::from_raw_u32(u32::MAX), None);
    let beyond = Entity::from_bits(1 << 32 | u64::from(u32::MAX));
    assert_eq!(world.spawn_at(beyond, Mark(1)).err(), Some(SpawnAtError::TooFar(beyond)));
    // The furthest that may be asked for: memory is bounded by the distance.
    let far = Entity::from_raw_u32(1 << 20).expect("an index");
    assert_eq!(world.spawn_at(far, Mark(1)).map(|entity| entity.id()), Ok(far));
    assert!(world.entities().allocated_bytes() < 40 << 20);
    assert_usable(&mut world);
}

#[test]
fn spawning_at_a_living_or_dead_id_is_refused_and_changes_nothing() {
    drops::reset();
    let mut world = World::new();
    let living = world.spawn((Mark(1), Held(Token::new()))).id();
    assert!(world.spawn_at(living, (Mark(2), Held(Token::new()), Aside(1))).is_err());
    assert_eq!(drops::alive(), 1, "the refused bundle is dropped");
    assert_eq!(world.get::<Mark>(living), Some(&Mark(1)));
    assert!(world.get::<Aside>(living).is_none());
    let dead = world.spawn(Mark(3)).id();
    world.despawn(dead);
    let tenant = world.spawn(Mark(4)).id();
    assert_eq!(dead.index(), tenant.index());
    assert!(world.spawn_at(dead, Mark(5)).is_err());
    assert_eq!(world.get::<Mark>(tenant), Some(&Mark(4)));
    assert_eq!(world.len(), 2);
    let reserved = world.reserve_entity();
    assert!(world.spawn_at(reserved, Mark(6)).is_err(), "a reserved id belongs to the caller that reserved it");
    assert!(world.get::<Mark>(reserved).is_none());
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn reservations_that_are_never_flushed_are_harmless() {
    let world = World::new();
    let first = world.reserve_entity();
    let many: Vec<Entity> = world.reserve_entities(1000).collect();
    assert!(!many.contains(&first));
    drop(world);
}

#[test]
fn a_reserved_id_is_safe_to_use_before_the_flush() {
    let mut world = World::new();
    let reserved = world.reserve_entity();
    assert!(world.get::<Mark>(reserved).is_none());
    let mut query = world.query::<Entity>();
    assert!(query.iter(&world).all(|entity| entity != reserved));
    world.flush();
    assert!(query.get(&world, reserved).is_ok());
    assert_usable(&mut world);
}

#[test]
fn ids_reserved_on_many_threads_are_unique_and_all_live_after_the_flush() {
    const THREADS: usize = 8;
    const EACH: usize = 2000;
    let mut world = World::new();
    let old: Vec<Entity> = world.spawn_batch((0..5000).map(Mark)).collect();
    for entity in old.iter().step_by(2) {
        world.despawn(*entity);
    }
    let shared = &world;
    let reserved: Vec<Entity> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(move || {
                    let mut mine: Vec<Entity> = (0..EACH / 2).map(|_| shared.reserve_entity()).collect();
                    mine.extend(shared.reserve_entities(EACH / 2));
                    mine
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let unique: HashSet<Entity> = reserved.iter().copied().collect();
    assert_eq!(unique.len(), THREADS * EACH);
    assert!(old.iter().all(|entity| !unique.contains(entity)));
    world.flush();
    assert_eq!(world.len(), 2500 + THREADS * EACH);
    assert!(reserved.iter().all(|entity| world.contains(*entity)));
    assert_usable(&mut world);
}

/// An iterator of ten marks that lies about how many it has.
struct Liar {
    items: std::ops::Range<u32>,
    hint: (usize, Option<usize>),
}

impl Iterator for Liar {
    type Item = (Mark, Held);
    fn next(&mut self) -> Option<Self::Item> {
        self.items.next().map(|value| (Mark(value), Held(Token::new())))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.hint
    }
}

#[test]
fn a_batch_counts_what_comes_and_not_what_was_promised() {
    let hints = [
        (0, None),
        (0, Some(0)),
        (3, Some(3)),
        (9, Some(11)),
        (11, Some(11)),
        (100, Some(5)),
        (1 << 20, None),
        (usize::MAX, None),
    ];
    for hint in hints.into_iter().chain([(usize::MAX, Some(usize::MAX))]) {
        drops::reset();
        let mut world = World::new();
        let ids: Vec<Entity> = world.spawn_batch(Liar { items: 0..10, hint }).collect();
        assert_eq!(ids.len(), 10, "{hint:?}");
        assert_eq!(world.len(), 10, "{hint:?}");
        for (value, entity) in (0..).zip(&ids) {
            assert_eq!(world.get::<Mark>(*entity), Some(&Mark(value)), "{hint:?}");
        }
        let next = world.spawn(Mark(10)).id();
        assert_eq!(next.index(), 10, "{hint:?}: ids that were reserved and not used are lost");
        assert_usable(&mut world);
        finish(world);
    }
}

#[test]
fn operations_without_effect_grow_nothing() {
    let mut world = World::new();
    let entity = world.spawn((Mark(1), Aside(1))).id();
    world.spawn(Mark(2));
    let mut query = world.query::<&Mark>();
    let place = |world: &World| std::ptr::from_ref(world.get::<Mark>(entity).expect("present")).addr();
    let before = place(&world);
    for i in 0..1000 {
        world.entity_mut(entity).insert(()).remove::<()>().remove::<Name>().remove::<(Held, Name)>();
        world.entity_mut(entity).insert(Mark(i)).insert(Aside(i));
        assert!(world.entity_mut(entity).take::<(Name, Mark)>().is_none());
    }
    assert_eq!(place(&world), before);
    assert_eq!(query.contiguous_iter(&world).map(<[Mark]>::len).sum::<usize>(), 2);
    assert_eq!(world.get::<Mark>(entity), Some(&Mark(999)));
    assert_usable(&mut world);
}

#[derive(Component, Debug, PartialEq)]
struct Bit<const I: usize>(u32);

/// Adds the component if the entity lacks it, else removes it.
fn toggle<const I: usize>(world: &mut World, entity: Entity, value: u32) {
    let mut entity = world.entity_mut(entity);
    if entity.contains::<Bit<I>>() {
        entity.remove::<Bit<I>>();
    } else {
        entity.insert(Bit::<I>(value));
    }
}

#[test]
fn a_hundred_thousand_tables_are_right() {
    type Toggle = fn(&mut World, Entity, u32);
    macro_rules! toggles {
        ($($i:literal)*) => { [$(toggle::<$i> as Toggle),*] };
    }
    let toggles = toggles!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    let mut world = World::new();
    let walker = world.spawn(Mark(0)).id();
    let mut both = world.query_filtered::<&Mark, (With<Bit<3>>, Without<Bit<5>>)>();
    // A Gray code visits each of the 2^17 sets once, changing one component at a time.
    for step in 1..1_u32 << 17 {
        toggles[step.trailing_zeros() as usize](&mut world, walker, step);
        let set = step ^ (step >> 1);
        if step % 2048 == 0 {
            let expected = set & (1 << 3) != 0 && set & (1 << 5) == 0;
            assert_eq!(both.iter(&world).count(), usize::from(expected), "step {step}");
        }
        if step % 64 == 0 {
            let stay = world.spawn((Mark(step), Bit::<3>(step), Bit::<16>(step))).id();
            world.despawn(stay);
        }
    }
    assert_eq!(world.get::<Mark>(walker), Some(&Mark(0)));
    assert_eq!(world.get::<Bit<16>>(walker), Some(&Bit::<16>(1 << 16)));
    assert!(!world.entity(walker).contains::<Bit<15>>());
    assert_usable(&mut world);
}

#[test]
fn an_entity_of_five_hundred_components_is_right() {
    macro_rules! tens {
        ($world:ident $entity:ident $do:ident; $($t:literal)*) => { $( hundred!($world $entity $do $t; 0 1 2 3 4 5 6 7 8 9); )* };
    }
    macro_rules! hundred {
        ($world:ident $entity:ident $do:ident $t:literal; $($i:literal)*) => {
            $( $do::<{ $t * 10 + $i }>(&mut $world, $entity); )*
        };
    }
    fn insert<const I: usize>(world: &mut World, entity: Entity) {
        world.entity_mut(entity).insert(Bit::<I>(I as u32));
    }
    fn check<const I: usize>(world: &mut World, entity: Entity) {
        assert_eq!(world.get::<Bit<I>>(entity), Some(&Bit::<I>(I as u32)));
    }
    fn remove<const I: usize>(world: &mut World, entity: Entity) {
        assert_eq!(world.entity_mut(entity).take::<Bit<I>>(), Some(Bit::<I>(I as u32)));
    }
    let mut world = World::new();
    let (entity, other) = (world.spawn(Mark(1)).id(), world.spawn(Mark(2)).id());
    macro_rules! all {
        ($entity:ident $do:ident) => {
            tens!(world $entity $do; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
                  33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49);
        };
    }
    all!(entity insert);
    all!(other insert);
    all!(entity check);
    assert_eq!(world.query::<(&Bit<0>, &Bit<499>)>().iter(&world).count(), 2);
    world.check_invariants();
    assert!(world.despawn(other));
    all!(entity check);
    all!(entity remove);
    assert_eq!(world.get::<Mark>(entity), Some(&Mark(1)));
    assert_usable(&mut world);
}

#[test]
fn a_table_made_between_two_runs_is_seen_by_cached_queries_and_edges() {
    #[derive(Component)]
    struct Early;
    #[derive(Component)]
    struct Late;
    let mut world = World::new();
    let entity = world.spawn((Mark(1), Early)).id();
    let mut with_late = world.query_filtered::<&Mark, With<Late>>();
    let mut without_early = world.query_filtered::<&Mark, Without<Early>>();
    assert_eq!((with_late.iter(&world).count(), without_early.iter(&world).count()), (0, 0));
    world.entity_mut(entity).insert(Late);
    assert_eq!((with_late.iter(&world).count(), without_early.iter(&world).count()), (1, 0));
    world.entity_mut(entity).remove::<Early>();
    assert_eq!((with_late.iter(&world).count(), without_early.iter(&world).count()), (1, 1));
    // The same tables by other ways: each edge leads where the direct one leads.
    world.spawn((Late, Mark(2)));
    world.spawn(Mark(3)).insert((Early, Late)).remove::<Early>();
    assert_eq!(with_late.contiguous_iter(&world).filter(|slice| !slice.is_empty()).count(), 1);
    assert_eq!(with_late.iter(&world).count(), 3);
    assert_usable(&mut world);
}
