//! Several steps for one entity at once: what would not be there at the end is not made, and the rest is as one by one.

use strata_tests::drops;

use super::*;

/// An entity to which `commands` happen at once, and one to which they happen one by one.
fn both(prepare: impl Fn(&mut EntityWorldMut<'_>), steps: &[fn(&mut EntityCommands<'_>)], expected: [usize; 4]) {
    for count in [1, 20] {
        drops::reset();
        let mut world = World::new();
        let mut entities = || -> Vec<Entity> {
            let spawn = |_| {
                let mut entity = world.spawn(Other(0));
                prepare(&mut entity);
                entity.id()
            };
            (0..count).map(spawn).collect()
        };
        let (together, apart) = (entities(), entities());
        for entity in &apart {
            for step in steps {
                step(&mut world.commands().entity(*entity));
                world.flush();
            }
        }
        calls();
        for entity in &together {
            let mut commands = world.commands();
            let mut entity = commands.entity(*entity);
            steps.iter().for_each(|step| step(&mut entity));
        }
        world.flush();
        assert_eq!(calls(), expected.map(|each| each * count));
        world.check_invariants();
        for (together, apart) in together.iter().zip(&apart) {
            assert_eq!(found(&world, *together), found(&world, *apart));
        }
        drops::assert_none_twice();
        let values = |id: &Entity| {
            let (dense, loose, far, _) = found(&world, *id);
            [dense, loose, far].iter().flatten().count()
        };
        assert_eq!(together.iter().chain(&apart).map(values).sum::<usize>(), drops::alive());
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_value_that_a_later_command_gives_is_not_made() {
    both(
        |_| {},
        &[
            |entity| {
                entity.insert(Both(1));
            },
            |entity| {
                entity.insert((Dense::new(5), Loose::new(6)));
            },
        ],
        [0, 0, 1, 1],
    );
}

#[test]
fn a_value_that_a_later_command_removes_is_not_made() {
    both(
        |_| {},
        &[
            |entity| {
                entity.insert(Both(1));
            },
            |entity| {
                entity.remove::<(Far, Loose, Mark)>();
            },
        ],
        [1, 0, 0, 0],
    );
}

#[test]
fn a_value_that_is_required_again_is_made_once() {
    both(
        |_| {},
        &[
            |entity| {
                entity.insert(Both(1));
            },
            |entity| {
                entity.remove::<(Dense, Loose, Mark)>();
            },
            |entity| {
                entity.insert(Sparse(2));
            },
            |entity| {
                entity.insert(OfSparse(2));
            },
        ],
        [1, 1, 1, 1],
    );
}

#[test]
fn a_value_that_was_removed_before_is_replaced() {
    both(
        |entity| {
            entity.insert((Dense::new(5), Loose::new(6), Far(7, Token::new()), Mark));
        },
        &[
            |entity| {
                entity.remove::<(Dense, Loose, Mark)>();
            },
            |entity| {
                entity.insert(Both(1));
            },
        ],
        [1, 1, 0, 1],
    );
}

#[test]
fn a_value_that_was_removed_in_a_table_that_stays_is_replaced() {
    both(
        |entity| {
            entity.insert((Both(3), Dense::new(5), Loose::new(6)));
        },
        &[
            |entity| {
                entity.remove::<(Dense, Loose)>();
            },
            |entity| {
                entity.insert(Both(1));
            },
        ],
        [1, 1, 0, 0],
    );
}

#[test]
fn a_value_that_is_there_is_not_made() {
    both(
        |entity| {
            entity.insert((Dense::new(5), Loose::new(6)));
        },
        &[
            |entity| {
                entity.insert(Other(4));
            },
            |entity| {
                entity.insert(Both(1));
            },
        ],
        [0, 0, 0, 1],
    );
}

#[test]
fn a_value_that_is_only_given_if_new_comes_after_what_is_required() {
    both(
        |_| {},
        &[
            |entity| {
                entity.insert(Both(1));
            },
            |entity| {
                entity.insert_if_new((Dense::new(5), Loose::new(6)));
            },
        ],
        [1, 1, 1, 1],
    );
}

#[test]
fn a_value_given_before_counts() {
    both(
        |_| {},
        &[
            |entity| {
                entity.insert((Dense::new(5), Loose::new(6)));
            },
            |entity| {
                entity.insert_if_new(Both(1));
            },
            |entity| {
                entity.insert(Both(2));
            },
        ],
        [0, 0, 1, 1],
    );
}

#[test]
fn spawn_commands_make_only_what_stays() {
    drops::reset();
    for count in [1, 20] {
        let mut world = World::new();
        calls();
        let ids: Vec<Entity> = (0..count)
            .map(|_| world.commands().spawn(Both(1)).insert(Dense::new(5)).remove::<Loose>().insert(InTable(1)).id())
            .collect();
        world.flush();
        assert_eq!(calls(), [0, 0, count, count]);
        assert!(ids.iter().all(|id| found(&world, *id) == (Some(5), None, Some(MADE), true)));
        world.check_invariants();
    }
    drops::assert_all_dropped_once();
}

#[test]
fn replacing_and_exchanging_make_what_went() {
    drops::reset();
    let mut world = World::new();
    let spawn = |world: &mut World| world.spawn((Dense::new(5), Loose::new(6), Mark)).id();
    let (replaced, exchanged) = (spawn(&mut world), spawn(&mut world));
    calls();
    world.entity_mut(replaced).replace::<(Dense, Loose), Both>(Both(1));
    assert_eq!(calls(), [1, 1, 0, 0]);
    assert_eq!(found(&world, replaced), (Some(MADE), Some(MADE), Some(MADE), true));
    let (dense, loose) = world.entity_mut(exchanged).exchange::<(Dense, Loose), Both>(Both(1)).unwrap();
    assert_eq!((dense.0, loose.0, calls()), (5, 6, [1, 1, 0, 0]));
    drop((dense, loose));
    assert_eq!(found(&world, exchanged), (Some(MADE), Some(MADE), Some(MADE), true));
    world.check_invariants();
    // In one table.
    world.entity_mut(replaced).replace::<Dense, Both>(Both(2));
    let (dense, loose) = world.entity_mut(exchanged).exchange::<(Dense, Loose), Both>(Both(2)).unwrap();
    assert_eq!((dense.0, loose.0, calls()), (MADE, MADE, [2, 1, 0, 0]));
    assert_eq!(found(&world, exchanged), (Some(MADE), Some(MADE), Some(MADE), true));
    world.check_invariants();
    drop((dense, loose));
    assert_eq!(drops::alive(), 6);
    drop(world);
    drops::assert_all_dropped_once();
}
