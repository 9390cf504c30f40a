//! Columns of entities whose values are made where they belong.

use std::cell::Cell;
use std::iter::repeat_n;

use strata_ecs::prelude::*;
use strata_ecs::store::SpawnColumnsError;
use strata_tests::drops::{self, Token};
use strata_tests::panics;

#[derive(Component, Debug, PartialEq, Clone)]
struct Name(String);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Flag;
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[repr(align(256))]
struct Wide(u8);
#[derive(Component, Debug, PartialEq, Clone)]
#[component(storage = "sparse")]
struct Aside(String);
#[derive(Component)]
struct Held(Token);
#[derive(Component)]
struct AlsoHeld(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct HeldAside(Token);
#[derive(Component)]
#[require(Wide = Wide(3))]
struct Needing(Token);

fn name(row: usize) -> Name {
    Name(format!("row {row}"))
}

#[test]
fn each_value_is_made_from_its_position() {
    let mut world = World::new();
    let before = world.spawn((name(100), Flag, Wide(9), Aside("before".into()))).id();
    let columns = (
        (0..50).map(name),
        (0..50).map(|_| Flag),
        (10..60).map(|row| Wide(row as u8)),
        (0..50).map(|row| Aside(format!("aside {row}"))),
    );
    let ids: Vec<Entity> = world.spawn_columns(columns).unwrap().collect();
    assert_eq!((ids.len(), world.len()), (50, 51));
    for (row, &id) in ids.iter().enumerate() {
        assert_eq!(world.get(id), Some(&name(row)));
        assert_eq!(world.get(id), Some(&Wide(row as u8 + 10)));
        assert_eq!(world.get(id), Some(&Aside(format!("aside {row}"))));
        assert!(world.entity(id).contains::<Flag>());
    }
    assert_eq!(world.get(before), Some(&name(100)));
    let tables = |id: Entity| world.entity(id).location().table;
    assert_eq!(tables(before), tables(ids[0]));
    world.check_invariants();
}

#[test]
fn a_function_may_borrow_what_is_around_it_and_is_called_in_order() {
    let (calls, mut rows) = (Cell::new(0), Vec::new());
    let mut world = World::new();
    let columns = (
        (0..20).map(|row| {
            rows.push(row);
            name(row)
        }),
        (0..20).map(|_| Wide(calls.replace(calls.get() + 1))),
    );
    assert_eq!(world.spawn_columns(columns).unwrap().len(), 20);
    assert_eq!((calls.get(), rows), (20, (0..20).collect::<Vec<usize>>()));
}

#[test]
fn no_rows_call_no_function() {
    let mut world = World::new();
    let never = |_| -> Name { panic!("nothing is to be made") };
    assert_eq!(world.spawn_columns(((0..0).map(never), (5..5).map(|_| Flag))).unwrap().len(), 0);
    assert!(world.is_empty());
    world.check_invariants();
}

#[test]
fn nothing_is_made_if_the_lengths_differ() {
    drops::reset();
    let mut world = World::new();
    let never = |_| -> Name { panic!("nothing is to be made") };
    let held = vec![Held(Token::new()), Held(Token::new())];
    let error = world.spawn_columns(((0..3).map(never), held, (0..2).map(|_| Flag))).unwrap_err();
    assert_eq!((error.found(), error.expected()), (3, 2));
    assert!(world.is_empty() && error.component().ends_with("Name"));
    drops::assert_all_dropped_once();
}

#[test]
fn a_panic_of_a_function_leaves_no_trace_wherever_it_comes() {
    const ROWS: usize = 5;
    for fails_at in 0..=4 * ROWS {
        drops::reset();
        let mut world = World::new();
        world.spawn((Held(Token::new()), AlsoHeld(Token::new()), Wide(0)));
        let calls = Cell::new(0);
        let token = || {
            assert!(calls.replace(calls.get() + 1) != fails_at, "this call panics");
            Token::new()
        };
        let given: Vec<Wide> = vec![Wide(1); ROWS];
        let columns = (
            (0..ROWS).map(|_| Held(token())),
            (0..ROWS).map(|_| HeldAside(token())),
            given,
            ((0..ROWS).map(|_| AlsoHeld(token())), (0..ROWS).map(|_| Needing(token()))),
        );
        match panics::catch(|| world.spawn_columns(columns).map(|ids| ids.len())) {
            Ok(ids) => assert_eq!((fails_at, ids, world.len()), (4 * ROWS, Ok(ROWS), ROWS + 1)),
            Err(text) => {
                assert!(fails_at < 4 * ROWS && text == "this call panics", "{fails_at}: {text}");
                assert_eq!((world.len(), drops::alive()), (1, 2));
            }
        }
        world.check_invariants();
        assert_eq!(world.spawn_columns((0..ROWS).map(|_| Held(Token::new()))).unwrap().len(), ROWS);
        world.check_invariants();
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn what_is_made_brings_along_what_it_requires() {
    drops::reset();
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_columns((0..3).map(|_| Needing(Token::new()))).unwrap().collect();
    assert!(ids.iter().all(|&id| world.get(id) == Some(&Wide(3)) && world.get::<Needing>(id).unwrap().0.id() < 100));
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_batch_and_given_ids_take_such_columns() {
    let mut world = World::new();
    let mut batch = ColumnBatch::new();
    batch.add((0..4).map(name)).add(repeat_n(Flag, 4));
    let ids: Vec<Entity> = world.spawn_columns(batch).unwrap().collect();
    assert_eq!(world.get(ids[3]), Some(&name(3)));
    let given = [7, 9].map(|index| Entity::from_raw_u32(index).unwrap());
    world.spawn_columns_at(&given, (0..2).map(name)).unwrap();
    assert_eq!(world.get(given[1]), Some(&name(1)));
    let error = world.spawn_columns_at(&given, (0..3).map(name)).unwrap_err();
    assert_eq!(error, SpawnColumnsError::WrongCount { ids: 2, rows: 3 });
    world.check_invariants();
}
