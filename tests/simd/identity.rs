//! Each body in each way, with each instruction set, on random values: the results are the same, bit for bit. What Rust
//! leaves open is not compared: the bits of a NaN, and which zero `min` and `max` give.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use strata_ecs::prelude::World;
use strata_ecs::simd::InstructionSet;
use strata_simd_loops::{LOOPS, Loop, Random, Row, SUMS, Table, Totals, Way, read, spawn, write};
use strata_tests::effort;

use crate::{alone, sets};

fn tables() -> impl Strategy<Value = Vec<Table>> {
    let len = prop_oneof![1 => Just(0usize), 2 => 1..9usize, 4 => 9..130usize, 1 => 130..400usize];
    vec((len, any::<bool>(), any::<bool>()).prop_map(|(len, maybe, other)| Table { len, maybe, other }), 0..5)
}

/// Runs a body on the rows as they were in the beginning.
fn result(world: &mut World, rows: &[Row], set: InstructionSet, way: &Way) -> Vec<Row> {
    set.limit();
    write(world, rows);
    (way.run)(world);
    read(world)
}

fn check_ways<'a>(
    world: &mut World,
    rows: &[Row],
    name: &str,
    expected: &Way,
    ways: impl IntoIterator<Item = &'a Way>,
) {
    let wanted = result(world, rows, InstructionSet::Baseline, expected);
    for way in ways {
        for set in sets() {
            let found = result(world, rows, set, way);
            for (row, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
                if let Some(difference) = wanted.difference(found) {
                    panic!("{name}, as {} with {set:?}, row {row} of {}: {difference}", way.name, rows.len());
                }
            }
        }
    }
}

fn check_sums(world: &mut World) {
    let mut wanted = None;
    for set in sets() {
        for way in SUMS {
            set.limit();
            world.insert_resource(Totals::default());
            (way.run)(world);
            let found = *world.resource::<Totals>();
            let wanted = *wanted.get_or_insert(found);
            assert!(wanted.same(&found), "as {} with {set:?}: {wanted:?} and {found:?}", way.name);
        }
    }
}

fn check(tables: &[Table], seed: u64) {
    let mut world = World::new();
    spawn(&mut world, tables, &mut Random::new(seed));
    let rows = read(&mut world);
    assert_eq!(rows.len(), tables.iter().map(|table| table.len).sum::<usize>());
    for Loop { name, expected, ways, some } in LOOPS {
        check_ways(&mut world, &rows, name, expected, ways.iter().copied().flatten());
        if let Some((expected, way)) = some {
            check_ways(&mut world, &rows, name, expected, [way]);
        }
    }
    write(&mut world, &rows);
    check_sums(&mut world);
}

#[test]
fn the_variants_of_a_loop_agree_bit_for_bit() {
    let _alone = alone();
    let config =
        Config { cases: effort::cases(64), failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    proptest!(config, |(tables in tables(), seed in any::<u64>())| check(&tables, seed));
    InstructionSet::detected().limit();
}

/// Without this, that all agree could mean that nothing was done.
#[test]
fn every_body_changes_something() {
    let _alone = alone();
    let mut world = World::new();
    spawn(&mut world, &[Table { len: 300, maybe: true, other: false }], &mut Random::new(1));
    let rows = read(&mut world);
    let mut changed = |way: &Way| {
        let after = result(&mut world, &rows, InstructionSet::Baseline, way);
        rows.iter().zip(&after).filter(|(row, after)| row.difference(after).is_some()).count()
    };
    for Loop { name, expected, some, .. } in LOOPS {
        let all = changed(expected);
        assert!(all > 100, "{name} has changed {all} rows");
        if let Some((expected, _)) = some {
            let some = changed(expected);
            assert!((20..all).contains(&some), "{name} has changed {some} of {all} rows");
        }
    }
}
