//! Internal iteration over more columns than a loop has for short functions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::query::{BatchingStrategy, QueryFilter, QueryItem, QueryState};

use super::*;

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Wide<const N: usize>([f32; 3]);

type Columns = (
    (Entity, &'static mut Wide<0>, &'static mut Wide<1>, &'static mut Wide<2>),
    (&'static mut Wide<3>, &'static mut Wide<4>, &'static mut Wide<5>, &'static Wide<6>),
);

fn wide<const N: usize>(row: usize) -> Wide<N> {
    Wide([row as f32, N as f32, 1.0])
}

/// Two tables of 70 rows.
fn world() -> World {
    let mut world = World::new();
    for row in 0..140 {
        let half = (wide::<0>(row), wide::<1>(row), wide::<2>(row), wide::<3>(row));
        let mut entity = world.spawn((half, (wide::<4>(row), wide::<5>(row), wide::<6>(row))));
        if row >= 70 {
            entity.insert(wide::<7>(row));
        }
    }
    world
}

#[test]
fn a_fold_writes_each_column_and_no_other_one() {
    let mut world = world();
    let mut query = world.query::<Columns>();
    let mut rows = 0;
    query.iter_mut(&mut world).for_each(|((_, mut a, mut b, mut c), (mut d, mut e, mut f, g))| {
        rows += 1;
        a.0[0] += g.0[0];
        b.0[1] += a.0[0];
        c.0[2] += b.0[1];
        d.0[0] += c.0[2];
        e.0[1] += d.0[0];
        f.0[2] += e.0[1];
    });
    assert_eq!(rows, 140);
    for (row, ((_, a, b, c), (d, e, f, g))) in query.iter(&world).enumerate() {
        let n = row as f32;
        assert_eq!((a.0, b.0), ([2.0 * n, 0.0, 1.0], [n, 1.0 + 2.0 * n, 1.0]));
        assert_eq!((c.0, d.0), ([n, 2.0, 2.0 + 2.0 * n], [2.0 + 3.0 * n, 3.0, 1.0]));
        assert_eq!((e.0, f.0), ([n, 6.0 + 3.0 * n, 1.0], [n, 5.0, 7.0 + 3.0 * n]));
        assert_eq!(g, &wide::<6>(row));
    }
}

#[test]
fn a_fold_notes_exactly_what_it_changes_where_one_of_many_columns_is_watched() {
    let mut world = world();
    let mut watch = world.query_filtered::<Entity, Changed<Wide<4>>>();
    assert_eq!(watch.iter(&world).count(), 140);
    world.clear_trackers();
    let mut query = world.query::<Columns>();
    let mut changed = Vec::new();
    query.iter_mut(&mut world).for_each(|((entity, mut a, ..), (_, mut e, ..))| {
        a.0[0] += 1.0;
        if e.0[0] % 3.0 == 0.0 {
            e.0[1] = 9.0;
            changed.push(entity);
        }
    });
    assert_eq!(watch.iter(&world).collect::<Vec<_>>(), changed);
    assert_eq!(changed.len(), 47);
}

#[test]
fn items_taken_before_and_kept_from_a_fold_stay_valid() {
    let mut world = world();
    let mut query = world.query::<Columns>();
    let mut rows = query.iter_mut(&mut world);
    let mut kept: Vec<_> = rows.by_ref().take(3).collect();
    rows.for_each(|mut item| {
        // An item of an earlier row is written while the loop goes on.
        if let Some(((_, first, ..), _)) = kept.last_mut() {
            first.0[2] += 1.0;
        }
        item.0.1.0[2] += 1.0;
        kept.push(item);
    });
    for ((_, a, ..), (.., g)) in &mut kept {
        a.0[2] += g.0[2];
    }
    drop(kept);
    let thirds: Vec<f32> = query.iter(&world).map(|((_, a, ..), _)| a.0[2]).collect();
    assert_eq!(thirds[..4], [2.0, 2.0, 3.0, 4.0]);
    assert!(thirds[3..139].iter().all(|&third| third == 4.0));
    assert_eq!(thirds[139], 3.0);
}

/// What `step` goes through.
type Mixed =
    (Entity, &'static mut Wide<0>, Option<&'static mut Wide<7>>, Has<Sparse>, (&'static mut Wide<1>, &'static Wide<2>));

#[derive(Component)]
#[component(storage = "sparse")]
struct Sparse;

fn step((_, mut a, b, is_sparse, (mut c, d)): QueryItem<'_, '_, Mixed>) {
    for axis in 0..3 {
        a.0[axis] += d.0[axis];
        c.0[axis] -= a.0[axis];
    }
    if let Some(mut b) = b {
        b.0[0] += c.0[0];
    }
    if is_sparse {
        a.0[1] = -1.0;
    }
}

fn mixed_world() -> World {
    let mut world = world();
    let all: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    for entity in all.iter().step_by(3) {
        world.entity_mut(*entity).insert(Sparse);
    }
    world
}

type Row = (Entity, [f32; 3], Option<[f32; 3]>, [f32; 3]);

fn rows(world: &mut World) -> Vec<Row> {
    let mut all = world.query::<(Entity, &Wide<0>, Option<&Wide<7>>, &Wide<1>)>();
    all.iter(world).map(|(entity, a, b, c)| (entity, a.0, b.map(|b| b.0), c.0)).collect()
}

/// Each way through the rows that a query with a filter matches leaves the same world.
fn assert_equal_in_all_forms<F: QueryFilter + 'static>() {
    let run = |way: fn(&mut World, &mut QueryState<Mixed, F>)| {
        let mut world = mixed_world();
        let mut query = world.query_filtered::<Mixed, F>();
        way(&mut world, &mut query);
        rows(&mut world)
    };
    let expected = run(|world, query| {
        for item in query.iter_mut(world) {
            step(item);
        }
    });
    let ways: [fn(&mut World, &mut QueryState<Mixed, F>); 4] = [
        |world, query| query.iter_mut(world).for_each(step),
        |world, query| assert_ne!(query.iter_mut(world).map(step).count(), 0),
        |world, query| query.query_mut(world).par_iter_mut().for_each(step),
        |world, query| {
            let mut iter = query.iter_mut(world);
            iter.by_ref().take(5).for_each(step);
            iter.fold((), |(), item| step(item));
        },
    ];
    assert_ne!(expected, rows(&mut mixed_world()));
    for way in ways {
        assert_eq!(run(way), expected);
    }
}

#[test]
fn each_form_of_loop_leaves_the_same_values() {
    assert_equal_in_all_forms::<()>();
    assert_equal_in_all_forms::<With<Wide<7>>>();
    assert_equal_in_all_forms::<Without<Wide<7>>>();
    assert_equal_in_all_forms::<With<Sparse>>();
    assert_equal_in_all_forms::<Without<Sparse>>();
    assert_equal_in_all_forms::<Or<(With<Sparse>, With<Wide<7>>)>>();
}

/// The rows of which a query says that they are changed, after a loop that changes the first column of all rows up to one, where it
/// panics, and the second column of every tenth row.
fn changed_until_a_panic(world: &mut World, parallel: bool) -> [Vec<usize>; 2] {
    let mut watch = world.query::<(Ref<'_, Wide<0>>, Ref<'_, Wide<1>>, &Wide<6>)>();
    _ = watch.iter(world).filter(|(a, b, _)| a.is_changed() || b.is_changed()).count();
    world.clear_trackers();
    let mut query = world.query::<(&mut Wide<0>, &mut Wide<1>, &Wide<6>)>();
    let step = |(mut a, mut b, number): (Mut<'_, Wide<0>>, Mut<'_, Wide<1>>, &Wide<6>)| {
        a.0[1] = 5.0;
        if number.0[0] % 10.0 == 0.0 {
            b.0[1] = 5.0;
        }
        assert!(number.0[0] != 100.0, "the loop ends here");
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| match parallel {
        false => query.iter_mut(world).for_each(step),
        true => query.query_mut(world).par_iter_mut().batching_strategy(BatchingStrategy::fixed(1000)).for_each(step),
    }));
    assert!(outcome.is_err());
    let number = |number: &Wide<6>| number.0[0] as usize;
    let first = watch.iter(world).filter(|(a, ..)| a.is_changed()).map(|(.., at)| number(at)).collect();
    let second = watch.iter(world).filter(|(_, b, _)| b.is_changed()).map(|(.., at)| number(at)).collect();
    [first, second]
}

#[test]
fn what_was_changed_before_a_panic_is_noted_and_nothing_else() {
    for parallel in [false, true] {
        // Once with a log of what changes, and then without, since too much has.
        let mut world = world();
        for _ in 0..3 {
            let [first, second] = changed_until_a_panic(&mut world, parallel);
            assert_eq!(first, (0..=100).collect::<Vec<_>>());
            assert_eq!(second, (0..=100).step_by(10).collect::<Vec<_>>());
        }
    }
}

#[test]
fn of_two_watched_columns_exactly_those_rows_are_changed_that_were_written() {
    let mut world = World::new();
    world.spawn_batch((0..1000).map(|row| (wide::<0>(row), wide::<1>(row), wide::<2>(row))));
    let mut first = world.query_filtered::<Entity, Changed<Wide<0>>>();
    let mut second = world.query_filtered::<Entity, Changed<Wide<1>>>();
    let mut query = world.query::<(Entity, &mut Wide<0>, &mut Wide<1>, &mut Wide<2>)>();
    for every in [1, 7, 1000, 2, 1] {
        assert!(first.iter(&world).count() + second.iter(&world).count() > 0);
        world.clear_trackers();
        let (mut expected, mut nth) = (Vec::new(), 0);
        query.iter_mut(&mut world).for_each(|(entity, mut a, mut b, mut c)| {
            a.0[0] += 1.0;
            c.0[0] += 1.0;
            if nth % every == 0 {
                b.0[0] += 1.0;
                expected.push(entity);
            }
            nth += 1;
        });
        assert_eq!(first.iter(&world).count(), 1000);
        assert_eq!(second.iter(&world).collect::<Vec<_>>(), expected);
    }
}
