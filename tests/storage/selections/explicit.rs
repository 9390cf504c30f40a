//! Whole tables, parts of tables, no entity at all, and what a selection says of itself.

use std::collections::BTreeSet;

use strata_ecs::prelude::*;
use strata_tests::drops;
use strata_tests::panics::expect_panic;

use super::parts::*;

/// Entities of one table whose values are 0, 10, 20 and so on.
fn spawned<B: Make>(world: &mut World, count: usize) -> Vec<Entity> {
    world.spawn_batch((0..count).map(|nth| B::make(10 * nth as u32))).collect()
}

/// Where the value of an entity is.
fn place(world: &World, entity: Entity) -> usize {
    std::ptr::from_ref(world.get::<Plain>(entity).expect("everyone here has it")).addr()
}

fn places(world: &World, entities: &[Entity]) -> Vec<usize> {
    entities.iter().map(|&entity| place(world, entity)).collect()
}

#[test]
fn a_whole_table_hands_its_memory_to_an_empty_one() {
    drops::reset();
    let mut world = World::new();
    let ids = spawned::<(Plain, Heap)>(&mut world, 100);
    let before = places(&world, &ids);
    for round in 0..5 {
        assert_eq!(world.all::<()>().insert(Unit), 100);
        assert_eq!(places(&world, &ids), before, "round {round}");
        world.check_invariants();
        assert_eq!(world.all::<()>().remove::<Unit>(), 100);
        assert_eq!(places(&world, &ids), before, "round {round}");
        world.check_invariants();
    }
    for (nth, &id) in ids.iter().enumerate() {
        assert_eq!(world.get::<Heap>(id).map(Part::value), Some(10 * nth as u32 + 1));
    }
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn back_and_forth_does_not_make_the_world_grow() {
    drops::reset();
    let mut world = World::new();
    spawned::<(Plain, Wide)>(&mut world, 100);
    let round = |world: &mut World| {
        assert_eq!(world.all::<()>().insert_with(|entity| Heap::make(entity.index())), 100);
        assert_eq!(world.all::<With<Heap>>().remove::<(Unit, Heap)>(), 100);
        world.allocated_bytes()
    };
    for _ in 0..3 {
        round(&mut world);
    }
    let before = round(&mut world);
    for _ in 0..20 {
        assert_eq!(round(&mut world), before);
    }
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn a_table_that_was_left_by_all_takes_new_entities_and_more() {
    drops::reset();
    let mut world = World::new();
    let first = spawned::<(Plain, Heap)>(&mut world, 50);
    world.all::<()>().insert(Wide::make(1));
    let second = spawned::<(Plain, Heap)>(&mut world, 70);
    world.check_invariants();
    assert_eq!(world.all::<Without<Wide>>().insert_with(|_| (Bell::make(0), Wide::make(2), Unit)), 70);
    assert_eq!(world.all::<With<Bell>>().remove::<(Bell, Unit)>(), 70, "behind the other fifty");
    world.check_invariants();
    for ids in [first, second] {
        for (nth, id) in ids.into_iter().enumerate() {
            assert_eq!(world.get::<Heap>(id).map(Part::value), Some(10 * nth as u32 + 1));
            assert!(world.get::<Wide>(id).is_some());
        }
    }
    world.shrink_to_fit();
    world.check_invariants();
    drop(world);
    drops::assert_all_dropped_once();
}

/// A change of some entities of a table; returns which components the entities have afterwards, if they are alive.
type Attempt = (fn(EntitySelection<'_>) -> usize, Option<fn(&mut Row)>);

const ATTEMPTS: [Attempt; 5] = [
    (
        |selection| selection.insert_with(|entity| (Wide::make(entity.index()), Bell::make(0))),
        Some(|row| (row[3], row[4]) = (Some(0), Some(u32::MAX))),
    ),
    (|selection| selection.insert((Heap::make(7), Unit)), Some(|row| (row[1], row[2]) = (Some(8), Some(0)))),
    (|selection| selection.insert((Heap::make(7), Loose::make(1))), Some(|row| (row[1], row[5]) = (Some(8), Some(6)))),
    (|selection| selection.remove::<(Heap, Wide)>(), Some(|row| row[1] = None)),
    (|selection| selection.despawn(), None),
];

/// Makes a change of the entities in these rows of a table with so many, and looks at all of them.
fn attempt(rows: &[usize], of: usize, (change, effect): Attempt, others: usize) {
    drops::reset();
    let mut world = World::new();
    let ids = spawned::<(Plain, Heap)>(&mut world, of);
    // Rows in the tables to which the entities move.
    for _ in 0..others {
        world.spawn(Plain::make(1));
        world.spawn((Plain::make(1), Heap::make(1), Unit));
        world.spawn((Plain::make(1), Heap::make(1), Wide::make(1), Bell::make(1)));
    }
    let list: Vec<Entity> = rows.iter().map(|&row| ids[row]).collect();
    let chosen: BTreeSet<usize> = rows.iter().copied().collect();
    assert_eq!(change(world.many(&list)), chosen.len());
    world.check_invariants();
    for (nth, &id) in ids.iter().enumerate() {
        let mut row = [None; KINDS];
        give(&mut row, <(Plain, Heap)>::MASK, 10 * nth as u32);
        match (chosen.contains(&nth), effect) {
            (true, None) => assert!(!world.contains(id)),
            (selected, effect) => {
                if let Some(effect) = effect.filter(|_| selected) {
                    effect(&mut row);
                    row[4] = row[4].map(|_| id.index() + 4);
                }
                assert_eq!(row_of(&world, id), row, "{nth} of {of}, rows {rows:?}");
            }
        }
    }
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn any_rows_of_a_table_change_in_any_order_of_the_list() {
    for subset in 0..32_usize {
        let mut rows: Vec<usize> = (0..5).filter(|row| subset & (1 << row) != 0).collect();
        for order in 0..4 {
            match order {
                1 => rows.reverse(),
                2 => rows.extend_from_within(..),
                3 => {
                    let by = subset % rows.len().max(1);
                    rows.rotate_left(by);
                }
                _ => (),
            }
            for change in ATTEMPTS {
                attempt(&rows, 5, change, 0);
                attempt(&rows, 5, change, 2);
            }
        }
    }
}

#[test]
fn few_and_many_rows_of_a_large_table_change() {
    for of in [63, 64, 65, 200, 300] {
        let every = |step: usize| (0..of).step_by(step).rev().collect::<Vec<_>>();
        let lists = [
            vec![of - 1, 0],
            vec![0, of - 1],
            vec![of / 2, of - 1, 0],
            vec![of / 2; 3],
            vec![of - 1],
            every(1),
            every(2),
            every(67),
        ];
        for rows in lists {
            for change in ATTEMPTS {
                attempt(&rows, of, change, 1);
            }
        }
    }
}

#[test]
fn no_entity_is_selected_and_nothing_happens() {
    let mut world = World::new();
    let dead = spawned::<Plain>(&mut world, 3);
    dead.iter().for_each(|&entity| assert!(world.despawn(entity)));
    spawned::<Heap>(&mut world, 3);
    let unknown = Entity::from_raw_u32(1000).expect("a valid index");
    let lists = [vec![], dead.clone(), vec![Entity::PLACEHOLDER, unknown, dead[0]]];
    for list in lists {
        let nothing = world.many(&list);
        assert_eq!((nothing.len(), nothing.is_empty(), nothing.ids()), (0, true, vec![]));
        assert_eq!(format!("{nothing:?}"), "{}");
        assert_eq!(nothing.insert(Unit), 0);
        assert_eq!(world.many(&list).insert_with(|_| -> Unit { panic!("no entity is there") }), 0);
        assert_eq!(world.many(&list).insert_from::<Entity, Unit>(|_| panic!("no entity is there")), 0);
        assert_eq!(world.many(&list).insert_columns(&[] as &[Plain]), Ok(0));
        assert_eq!((world.many(&list).remove::<Heap>(), world.many(&list).despawn()), (0, 0));
    }
    assert_eq!(world.all::<With<Plain>>().insert(Unit), 0, "the table is there, but has no rows");
    assert_eq!(world.all::<With<Aside>>().despawn(), 0);
    assert_eq!(world.all::<()>().insert_from::<&Wide, Unit>(|_| panic!("no entity has it")), 0);
    assert_eq!(world.insert_batch(dead.iter().map(|&entity| (entity, Unit))), 0);
    assert_eq!((world.len(), world.query::<&Unit>().iter(&world).count()), (3, 0));
    world.check_invariants();
}

#[test]
fn a_selection_says_which_entities_are_in_it_and_does_nothing_by_itself() {
    let mut world = World::new();
    let ids = spawned::<Plain>(&mut world, 4);
    let heaps = spawned::<Heap>(&mut world, 2);
    drop(world.all::<()>());
    let selection = world.many(&[ids[2], heaps[0], ids[1], ids[2]]);
    assert_eq!((selection.len(), selection.is_empty()), (3, false));
    assert_eq!(selection.ids(), [ids[1], ids[2], heaps[0]], "table by table");
    assert_eq!(format!("{selection:?}"), format!("{{{:?}, {:?}, {:?}}}", ids[1], ids[2], heaps[0]));
    assert_eq!(world.all::<()>().len(), 6);
    world.check_invariants();
}

#[test]
fn reserved_ids_are_selected() {
    let mut world = World::new();
    let first: Vec<Entity> = world.reserve_entities(3).collect();
    assert_eq!(world.all::<()>().insert(Plain::make(1)), 3);
    let second: Vec<Entity> = world.reserve_entities(2).collect();
    assert_eq!(world.many(&[second[1], first[0]]).insert(Unit), 2);
    assert_eq!(world.all::<Without<Plain>>().len(), 2);
    assert_eq!(world.query::<(&Plain, &Unit)>().iter(&world).count(), 1);
    world.check_invariants();
}

#[test]
fn values_come_in_the_order_of_the_ids_for_parts_of_several_tables() {
    let mut world = World::new();
    let plain = spawned::<Plain>(&mut world, 80);
    let heaps = spawned::<(Plain, Heap)>(&mut world, 80);
    let chosen: Vec<Entity> = (0..80).rev().step_by(3).flat_map(|row| [heaps[row], plain[(row * 7) % 80]]).collect();
    let mut called = Vec::new();
    let selection = world.many(&chosen);
    let ids = selection.ids();
    selection.insert_with(|entity| {
        called.push(entity);
        (Unit, Aside::make(called.len() as u32))
    });
    assert_eq!(called, ids, "no table stays, so the order is kept");
    for (nth, &id) in ids.iter().enumerate() {
        assert_eq!(world.get::<Aside>(id).map(Part::value), Some(nth as u32 + 1 + 8));
    }
    let selection = world.many(&chosen);
    let ids = selection.ids();
    let values: Vec<Wide> = (0..ids.len()).map(|nth| Wide::make(nth as u32)).collect();
    assert_eq!(selection.insert_columns(&values[..]), Ok(ids.len()));
    for (nth, &id) in ids.iter().enumerate() {
        assert_eq!(world.get::<Wide>(id).map(Part::value), Some(nth as u32 + 4));
    }
    world.check_invariants();
}

#[test]
fn slices_of_the_wrong_length_are_refused_and_nothing_happens() {
    drops::reset();
    let mut world = World::new();
    let ids = spawned::<(Plain, Heap)>(&mut world, 3);
    let before: Vec<Row> = ids.iter().map(|&id| row_of(&world, id)).collect();
    let plain = |count: u32| (0..count).map(Plain::make).collect::<Vec<_>>();
    let wide = |count: u32| (0..count).map(Wide::make).collect::<Vec<_>>();
    let (plain_name, wide_name) = (std::any::type_name::<Plain>(), std::any::type_name::<Wide>());
    let text = |name: &str, count| format!("the slice of `{name}` has {count} values for 3 entities");
    let error = world.all::<()>().insert_columns(&plain(2)[..]).expect_err("one is missing");
    assert_eq!(error.to_string(), text(plain_name, 2));
    let error = world.all::<()>().insert_columns((&wide(4)[..], &plain(3)[..])).expect_err("one too many");
    assert_eq!(error.to_string(), text(wide_name, 4));
    let error = world.all::<()>().insert_columns((&plain(3)[..], &wide(0)[..])).expect_err("no value");
    assert_eq!(error.to_string(), text(wide_name, 0));
    let error = world.all::<()>().insert_columns((&plain(5)[..], &wide(6)[..])).expect_err("both");
    assert_eq!(error.to_string(), text(plain_name, 5), "the first one is named");
    let error = world.many(&[]).insert_columns(&plain(1)[..]).expect_err("for no entity");
    assert_eq!(error.to_string(), format!("the slice of `{plain_name}` has 1 values for 0 entities"));
    assert_eq!(ids.iter().map(|&id| row_of(&world, id)).collect::<Vec<_>>(), before);
    world.check_invariants();
    assert_eq!(drops::alive(), 3);
    drop(world);
    drops::assert_all_dropped_once();
}

/// A component with a type parameter: the compiler does not know whether two of them are the same.
#[derive(Component, Clone)]
struct Held<T: Send + Sync + 'static>(T);

#[test]
fn a_bundle_that_has_a_component_twice_is_refused_and_nothing_happens() {
    drops::reset();
    let mut world = World::new();
    let ids = spawned::<(Plain, Heap)>(&mut world, 3);
    let before: Vec<Row> = ids.iter().map(|&id| row_of(&world, id)).collect();
    let wide: Vec<Wide> = (0..3).map(Wide::make).collect();
    let expect = |action: &mut dyn FnMut()| {
        let text = expect_panic(action);
        assert!(text.contains("Wide") || text.contains("Heap"), "{text}");
    };
    expect(&mut || _ = world.all::<()>().insert((Held(Wide::make(1)), Held(Wide::make(2)))));
    expect(&mut || _ = world.all::<()>().insert_with(|_| (Held(Heap::make(1)), (Unit, Held(Heap::make(2))))));
    expect(&mut || _ = world.all::<()>().insert_from::<&Heap, _>(|_| (Held(Wide::make(1)), Held(Wide::make(2)))));
    expect(&mut || _ = world.all::<()>().insert_columns((&wide[..], &wide[..])));
    expect(&mut || _ = world.all::<()>().remove::<(Heap, Heap)>());
    assert_eq!(ids.iter().map(|&id| row_of(&world, id)).collect::<Vec<_>>(), before);
    world.check_invariants();
    drop((wide, world));
    drops::assert_all_dropped_once();
}
