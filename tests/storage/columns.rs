//! Many entities made of columns, and ids reserved or taken in bulk.

use std::cell::Cell;
use std::iter::repeat_n;
use std::marker::PhantomData;

use strata_ecs::bundle::ColumnBundle;
use strata_ecs::entity::EntityError;
use strata_ecs::prelude::*;
use strata_ecs::store::SpawnColumnsError;
use strata_tests::drops::{self, Token};
use strata_tests::panics;

#[derive(Component, Debug, PartialEq, Clone)]
struct Name(String);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Speed(f64);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Flag;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[repr(align(256))]
struct Wide(u8);
#[derive(Component, Debug, PartialEq, Clone)]
#[component(storage = "sparse")]
struct Aside(String);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component)]
struct Held(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct HeldAside(Token);

/// The compiler does not know whether two of them are the same.
#[derive(Component)]
struct HeldIn<T: Send + Sync + 'static>(Token, PhantomData<T>);

impl<T: Send + Sync + 'static> HeldIn<T> {
    fn new() -> Self {
        Self(Token::new(), PhantomData)
    }
}

thread_local! {
    /// How many clones of [`Fragile`] succeed before one panics.
    static CLONES: Cell<usize> = const { Cell::new(usize::MAX) };
}

#[derive(Component)]
struct Fragile(Token);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        let left = CLONES.get();
        assert!(left > 0, "this clone panics");
        CLONES.set(left - 1);
        Self(Token::new())
    }
}

fn name(number: usize) -> Name {
    Name(format!("name {number}"))
}

fn index(index: u32) -> Entity {
    Entity::from_raw_u32(index).expect("a valid index")
}

#[test]
fn every_row_becomes_an_entity_with_its_values() {
    let mut world = World::new();
    world.spawn((name(99), Speed(9.0), Flag, Wide(9), Aside("old".into()), Tag));
    let names: Vec<Name> = (0..100).map(name).collect();
    let asides: Box<[Aside]> = (0..100).map(|n| Aside(format!("aside {n}"))).collect();
    let wides: [Wide; 100] = std::array::from_fn(|n| Wide(n as u8));
    let columns = (names, asides, wides, repeat_n(Speed(2.5), 100), (vec![Flag; 100], repeat_n(Tag, 100)));
    let ids: Vec<Entity> = world.spawn_columns(columns).expect("the columns are equally long").collect();
    assert_eq!((ids.len(), world.len()), (100, 101));
    for (n, &id) in ids.iter().enumerate() {
        assert_eq!(world.get::<Name>(id), Some(&name(n)));
        assert_eq!(world.get::<Aside>(id), Some(&Aside(format!("aside {n}"))));
        assert_eq!(world.get::<Wide>(id), Some(&Wide(n as u8)));
        assert_eq!(world.get::<Speed>(id), Some(&Speed(2.5)));
        assert!(world.entity(id).contains::<Flag>() && world.entity(id).contains::<Tag>());
    }
    world.check_invariants();
    for &id in ids.iter().step_by(3) {
        world.despawn(id);
    }
    world.check_invariants();
}

#[test]
fn columns_share_the_table_of_a_spawn() {
    let mut world = World::new();
    world.spawn((Speed(1.0), Flag));
    world.spawn_columns(([Flag, Flag], vec![Speed(2.0), Speed(3.0)])).expect("the columns are equally long");
    let mut query = world.query::<&Speed>();
    let slices: Vec<&[Speed]> = query.contiguous_iter(&world).collect();
    assert_eq!(slices, [[Speed(1.0), Speed(2.0), Speed(3.0)]]);
}

#[test]
fn no_rows_are_no_entities() {
    let mut world = World::new();
    assert_eq!(world.spawn_columns(Vec::<Name>::new()).expect("one column").len(), 0);
    assert_eq!(world.spawn_columns((Vec::<Name>::new(), [Tag; 0], repeat_n(Speed(1.0), 0))).expect("empty").len(), 0);
    assert_eq!(world.spawn_columns(ColumnBatch::new()).expect("no columns").len(), 0);
    world.spawn_columns_at(&[], Vec::<Aside>::new()).expect("nothing is asked for");
    assert!(world.is_empty());
    world.check_invariants();
}

#[test]
fn vectors_with_more_room_than_values_are_fine() {
    let mut world = World::new();
    let mut names = Vec::with_capacity(50);
    names.extend((0..3).map(name));
    let ids: Vec<Entity> = world.spawn_columns(names).expect("one column").collect();
    assert_eq!(world.get::<Name>(ids[2]), Some(&name(2)));
}

#[test]
fn ids_come_in_the_order_of_single_spawns() {
    let make = || {
        let mut world = World::new();
        let ids: Vec<Entity> = world.spawn_batch((0..10).map(name)).collect();
        for at in [3, 7, 1] {
            world.despawn(ids[at]);
        }
        let _reserved = world.reserve_entity();
        world
    };
    let (mut one, mut many) = (make(), make());
    let expected: Vec<Entity> = (0..6).map(|n| one.spawn((name(n), Tag)).id()).collect();
    let columns = ((0..6).map(name).collect::<Vec<_>>(), [Tag; 6]);
    let ids: Vec<Entity> = many.spawn_columns(columns).expect("equally long").collect();
    assert_eq!(ids, expected);
    many.check_invariants();
}

#[test]
fn a_batch_is_put_together_at_run_time() {
    let mut world = World::new();
    let mut batch = ColumnBatch::new();
    batch.add(vec![Speed(1.0); 7]).add([Flag; 2]).add(vec![Speed(1.0), Speed(2.0)]).add([Tag; 2]);
    assert_eq!((batch.len(), batch.is_empty()), (3, false));
    assert!(batch.has::<Speed>() && batch.has::<Tag>() && !batch.has::<Name>());
    assert!(format!("{batch:?}").contains("Speed\": 2"), "{batch:?}");
    let ids: Vec<Entity> = world.spawn_columns(batch).expect("equally long").collect();
    assert_eq!(world.get::<Speed>(ids[1]), Some(&Speed(2.0)));
    world.check_invariants();
    drops::reset();
    let mut batch = ColumnBatch::new();
    batch.add(vec![Held(Token::new()), Held(Token::new())]).add([Held(Token::new())]);
    assert_eq!((drops::alive(), drops::dropped()), (1, 2));
    batch.clear();
    assert!(batch.is_empty());
    batch.add([HeldAside(Token::new())]);
    drop(batch);
    drops::assert_all_dropped_once();
}

/// The text of the error for columns that are not equally long.
fn length_error(columns: impl ColumnBundle) -> String {
    let mut world = World::new();
    let error = world.spawn_columns(columns).expect_err("the columns are not equally long");
    assert!(world.is_empty());
    world.check_invariants();
    error.to_string()
}

#[test]
fn the_odd_column_is_named() {
    assert_eq!(
        length_error((vec![Speed(1.0); 4], [Flag; 3])),
        "the column of `storage::columns::Flag` has length 3, but that of `storage::columns::Speed` has length 4"
    );
    assert_eq!(
        length_error((vec![Speed(1.0); 4], [Flag; 3], repeat_n(Tag, 3))),
        "the column of `storage::columns::Speed` has length 4, but that of `storage::columns::Flag` has length 3"
    );
    let mut batch = ColumnBatch::new();
    batch.add(vec![Speed(1.0); 2]).add([Flag; 0]).add([Tag; 2]);
    assert_eq!(
        length_error(batch),
        "the column of `storage::columns::Flag` has length 0, but that of `storage::columns::Speed` has length 2"
    );
}

#[test]
fn columns_of_different_lengths_are_dropped_and_nothing_is_cloned() {
    drops::reset();
    CLONES.set(0);
    let column = vec![Held(Token::new()), Held(Token::new())];
    length_error((column, repeat_n(Fragile(Token::new()), 3)));
    assert_eq!(drops::dropped(), 3);
    drops::assert_all_dropped_once();
}

#[test]
fn a_component_twice_is_a_panic_that_names_it() {
    drops::reset();
    let mut world = World::new();
    let columns = (vec![HeldIn::<u8>::new()], [Flag], [HeldIn::<u8>::new(), HeldIn::new()]);
    let text = panics::expect_panic(|| world.spawn_columns(columns).map(|ids| ids.len()));
    assert!(text.starts_with("columns `(alloc::vec::Vec<storage::columns::HeldIn<u8>>, "), "{text}");
    assert!(text.contains("has component `storage::columns::HeldIn<u8>` twice"), "{text}");
    assert!(world.is_empty());
    world.check_invariants();
    drops::assert_all_dropped_once();
}

#[test]
fn a_panic_in_a_clone_leaves_no_trace_wherever_it_comes() {
    for clones in 0..5 {
        drops::reset();
        let mut world = World::new();
        world.spawn(Held(Token::new()));
        CLONES.set(clones);
        let held: Vec<Held> = (0..5).map(|_| Held(Token::new())).collect();
        let aside: Vec<HeldAside> = (0..5).map(|_| HeldAside(Token::new())).collect();
        let columns = (held, repeat_n(Fragile(Token::new()), 5), aside);
        let spawned = panics::catch(|| world.spawn_columns(columns).map(|ids| ids.len()));
        match spawned {
            Ok(ids) => assert_eq!((clones, ids), (4, Ok(5))),
            Err(text) => {
                assert!(clones < 4 && text == "this clone panics", "{clones}: {text}");
                assert_eq!((world.len(), drops::alive()), (1, 1));
            }
        }
        world.check_invariants();
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn spawned_values_belong_to_the_world_alone() {
    drops::reset();
    let mut world = World::new();
    let held: Vec<Held> = (0..20).map(|_| Held(Token::new())).collect();
    let aside: Box<[HeldAside]> = (0..20).map(|_| HeldAside(Token::new())).collect();
    let ids: Vec<Entity> = world.spawn_columns((held, aside)).expect("equally long").collect();
    assert_eq!((drops::alive(), drops::dropped()), (40, 0));
    world.despawn(ids[4]);
    assert_eq!((drops::alive(), drops::dropped()), (38, 2));
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_panic_in_a_drop_of_refused_columns_still_drops_the_rest() {
    for armed in 0..4 {
        drops::reset();
        let mut world = World::new();
        let token = |at| if at == armed { Token::armed() } else { Token::new() };
        let columns = (vec![Held(token(0)), Held(token(1))], [HeldAside(token(2))], vec![Flag; 2]);
        let kept = Held(token(3));
        let result = panics::catch(|| world.spawn_columns(columns).map(|ids| ids.len()));
        assert_eq!(result.is_err(), armed < 3);
        assert_eq!(drops::alive(), 1);
        assert!(world.is_empty());
        world.check_invariants();
        drops::disarm();
        drop(kept);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn given_ids_are_used() {
    let mut world = World::new();
    let old: Vec<Entity> = world.spawn_batch((0..6).map(name)).collect();
    for at in [4, 2, 5] {
        world.despawn(old[at]);
    }
    let ids = [Entity::from_bits((7 << 32) | 2), index(20), Entity::from_bits((2 << 32) | 5), index(9)];
    let columns = ((10..14).map(name).collect::<Vec<_>>(), [Tag; 4]);
    world.spawn_columns_at(&ids, columns).expect("all ids can be used");
    for (n, &id) in (10..).zip(&ids) {
        assert_eq!(world.get::<Name>(id), Some(&name(n)));
        assert!(world.entity(id).contains::<Tag>());
    }
    world.check_invariants();
    // The free index and those of the gaps are handed out, and no other.
    let more: Vec<u32> = (0..15).map(|_| world.spawn_empty().id().index()).collect();
    let mut sorted = more.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [4, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21], "{more:?}");
    world.check_invariants();
}

#[test]
fn given_ids_are_all_used_or_none() {
    drops::reset();
    let mut world = World::new();
    let alive = world.spawn(Speed(1.0)).id();
    let gone = world.spawn(Speed(1.0)).id();
    world.despawn(gone);
    let next = Entity::from_bits((2 << 32) | 1);
    let far = index(1 << 30);
    let again = Entity::from_bits((5 << 32) | 3);
    let cases: [(&[Entity], SpawnColumnsError); 7] = [
        (&[next], SpawnColumnsError::WrongCount { ids: 1, rows: 2 }),
        (&[next, alive], SpawnColumnsError::Entity(EntityError::Alive(alive))),
        (&[next, gone], SpawnColumnsError::Duplicate(gone)),
        (&[index(3), gone], SpawnColumnsError::Entity(EntityError::Despawned(gone.into()))),
        (&[index(3), again], SpawnColumnsError::Duplicate(again)),
        (&[far, next], SpawnColumnsError::TooFar(far)),
        (&[next, Entity::PLACEHOLDER], SpawnColumnsError::Entity(EntityError::Unknown(Entity::PLACEHOLDER))),
    ];
    for (ids, expected) in cases {
        let columns =
            (vec![Held(Token::new()), Held(Token::new())], vec![HeldAside(Token::new()), HeldAside(Token::new())]);
        assert_eq!(world.spawn_columns_at(ids, columns), Err(expected));
        assert_eq!((world.len(), drops::alive()), (1, 0));
        assert_eq!(world.entities().index_bound(), 2);
        world.check_invariants();
    }
    let error = world.spawn_columns_at(&[next], (vec![Speed(1.0)], [Flag; 2])).expect_err("not equally long");
    assert!(matches!(error, SpawnColumnsError::Lengths(_)));
    assert_eq!(world.spawn_empty().id(), next);
}

#[test]
fn the_errors_say_what_is_wrong_with_the_ids() {
    let id = index(3);
    let text = |error: SpawnColumnsError| error.to_string();
    assert_eq!(
        text(SpawnColumnsError::WrongCount { ids: 1, rows: 2 }),
        "there must be an id for each row: 1 ids were given for columns of length 2"
    );
    assert_eq!(
        text(SpawnColumnsError::Duplicate(id)),
        format!("entity {id} cannot be spawned: index 3 is twice in the list")
    );
    assert_eq!(
        text(SpawnColumnsError::TooFar(id)),
        format!("entity {id} cannot be spawned: more than 1048576 unused indexes would be below it")
    );
}

#[test]
fn many_ids_beyond_the_gap_are_fine_if_they_fill_it() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..(1 << 20) + 10).rev().map(index).collect();
    world.spawn_columns_at(&ids, vec![Flag; ids.len()]).expect("no index stays unused");
    assert_eq!(world.len(), ids.len());
    assert_eq!(world.entities().index_bound(), ids.len());
}

#[test]
fn ids_are_reserved_in_bulk_as_one_by_one() {
    let make = || {
        let mut world = World::new();
        let ids: Vec<Entity> = world.spawn_batch((0..6).map(name)).collect();
        world.despawn(ids[2]);
        world.despawn(ids[4]);
        world
    };
    let (mut one, mut many) = (make(), make());
    for count in [1, 3, 0, 4] {
        let reserved = many.reserve_entities(count);
        assert_eq!(reserved.len(), count);
        let expected: Vec<Entity> = (0..count).map(|_| one.reserve_entity()).collect();
        assert_eq!(reserved.collect::<Vec<_>>(), expected);
    }
    // These are not looked at, and they are reserved all the same.
    drop(many.reserve_entities(2));
    many.flush();
    one.flush();
    assert_eq!(many.len(), one.len() + 2);
    many.check_invariants();
    let text = panics::expect_panic(|| many.reserve_entities(usize::MAX).len());
    assert_eq!(text, "no entity ids are left: every index is in use or retired");
    let before = many.len();
    many.flush();
    assert_eq!(many.len(), before);
}

#[test]
fn ids_reserved_from_many_threads_differ() {
    let mut world = World::new();
    let mut ids: Vec<Entity> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| (1..50).flat_map(|n| world.reserve_entities(n)).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("reserving does not panic")).collect()
    });
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4 * (1..50).sum::<usize>());
    world.flush();
    assert_eq!(world.len(), ids.len());
    world.check_invariants();
}

#[test]
fn reserved_room_is_enough() {
    let mut world = World::new();
    world.spawn((name(1), Aside("first".into()), Tag));
    world.reserve::<(Name, Aside, Tag)>(3000);
    let before = world.allocated_bytes();
    for n in 0..3000 {
        world.spawn((name(n), Aside(String::new()), Tag));
    }
    assert_eq!(world.allocated_bytes(), before);
    world.check_invariants();
    assert!(world.try_reserve::<Name>(usize::MAX).is_err());
    assert!(world.try_reserve::<Tag>(usize::MAX).is_err());
    assert!(world.try_reserve::<Aside>(1 << 40).is_err());
    world.check_invariants();
}

#[test]
fn a_world_is_extended_by_bundles() {
    let mut world = World::new();
    world.extend((0..5).map(|n| (name(n), Tag)));
    world.extend([Flag, Flag]);
    assert_eq!(world.len(), 7);
    world.check_invariants();
}

#[test]
fn two_columns_of_one_component_are_refused_at_the_caller() {
    fn spawn<T: Send + Sync + 'static>(world: &mut World) {
        let mut batch = ColumnBatch::new();
        batch.add(vec![Speed(1.0)]);
        _ = world.spawn_columns((vec![HeldIn::<T>::new()], batch, vec![Speed(2.0)]));
    }
    drops::reset();
    let mut world = World::new();
    let ((file, _), text) = panics::expect_panic_at(|| spawn::<u8>(&mut world));
    assert!(file.ends_with("columns.rs") && text.contains("Speed` twice"), "{file}: {text}");
    let twice = (vec![HeldIn::<u8>::new()], vec![HeldIn::<u8>::new()]);
    let ((file, line), text) = panics::expect_panic_at(|| _ = world.spawn_columns_at(&[index(3)], twice));
    assert!(file.ends_with("columns.rs") && line + 1 == line!(), "{file}:{line}");
    assert!(text.contains("HeldIn<u8>` twice"), "{text}");
    assert!(world.is_empty());
    let mut batch = ColumnBatch::new();
    batch.add(vec![Speed(1.0)]);
    world.spawn_columns((vec![HeldIn::<u8>::new()], batch, vec![HeldIn::<u16>::new()])).unwrap();
    assert_eq!(world.len(), 1);
    drop(world);
    drops::assert_all_dropped_once();
}
