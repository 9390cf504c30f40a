//! Every way in which a component gets onto entities brings along what it requires, and calls each constructor as often as
//! values are missing.

use strata_tests::drops;

use super::*;

/// How many entities the ways for many handle.
pub(crate) const MANY: usize = 20;

/// A way to give entities a component.
pub(crate) struct Way<R> {
    pub(crate) name: &'static str,
    /// Gives the component to new entities.
    pub(crate) run: fn(&mut World, Vec<R>) -> Vec<Entity>,
}

/// A way to give a component to entities that are there.
pub(crate) struct WayIn<R> {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut World, &[Entity], R),
}

fn one_by_one<R>(values: Vec<R>, spawn: impl FnMut(R) -> Entity) -> Vec<Entity> {
    values.into_iter().map(spawn).collect()
}

pub(crate) fn spawning<R: Requirer>() -> Vec<Way<R>> {
    vec![
        Way { name: "spawn", run: |world, all| one_by_one(all, |value| world.spawn(value).id()) },
        Way {
            name: "spawn of a tuple",
            run: |world, all| one_by_one(all, |value| world.spawn((Other(1), value)).id()),
        },
        Way { name: "try_spawn", run: |world, all| one_by_one(all, |value| world.try_spawn(value).unwrap().id()) },
        Way {
            name: "spawn_at",
            run: |world, all| {
                let first = world.entities().len() as u32 + 100;
                let at = |(index, value)| world.spawn_at(Entity::from_raw_u32(index).unwrap(), value).unwrap().id();
                (first..).zip(all).map(at).collect()
            },
        },
        Way { name: "spawn_batch", run: |world, all| world.spawn_batch(all).collect() },
        Way {
            name: "extend",
            run: |world, all| {
                let before: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
                world.extend(all.into_iter().map(|value| (value, Other(1))));
                let ids = world.iter_entities().map(|entity| entity.id());
                ids.filter(|id| !before.contains(id)).collect()
            },
        },
        Way { name: "spawn_columns", run: |world, all| world.spawn_columns(all).unwrap().collect() },
        Way {
            name: "spawn_columns_at",
            run: |world, all| {
                let first = world.entities().len() as u32 + 100;
                let ids: Vec<Entity> =
                    (first..).take(all.len()).map(|index| Entity::from_raw_u32(index).unwrap()).collect();
                let others = vec![Other(1); all.len()];
                world.spawn_columns_at(&ids, (others, all)).unwrap();
                ids
            },
        },
        Way {
            name: "spawn_dynamic",
            run: |world, all| one_by_one(all, |value| world.spawn_dynamic(EntityBuilder::new().add(value)).id()),
        },
        Way {
            name: "commands",
            run: |world, all| {
                let mut commands = world.commands();
                let ids = one_by_one(all, |value| commands.spawn(value).id());
                world.flush();
                ids
            },
        },
        Way {
            name: "single commands",
            run: |world, all| {
                one_by_one(all, |value| {
                    let id = world.commands().spawn(value).insert(Other(3)).id();
                    world.flush();
                    id
                })
            },
        },
        Way {
            name: "commands whose ids are not asked for",
            run: |world, all| {
                let before: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
                all.into_iter().for_each(|value| {
                    world.commands().spawn(value);
                });
                world.flush();
                let ids = world.iter_entities().map(|entity| entity.id());
                ids.filter(|id| !before.contains(id)).collect()
            },
        },
        Way {
            name: "Commands::spawn_batch",
            run: |world, all| {
                let before: Vec<Entity> = world.iter_entities().map(|entity| entity.id()).collect();
                world.commands().spawn_batch(all);
                world.flush();
                let ids = world.iter_entities().map(|entity| entity.id());
                ids.filter(|id| !before.contains(id)).collect()
            },
        },
    ]
}

pub(crate) fn inserting<R: Requirer>() -> Vec<WayIn<R>> {
    fn each<R: Requirer>(world: &mut World, ids: &[Entity], value: &R, insert: impl Fn(&mut EntityWorldMut<'_>, R)) {
        for id in ids {
            insert(&mut world.entity_mut(*id), value.clone());
        }
    }
    fn commands<R: Requirer>(
        world: &mut World,
        ids: &[Entity],
        value: &R,
        insert: impl Fn(&mut EntityCommands<'_>, R),
    ) {
        for id in ids {
            insert(&mut world.commands().entity(*id), value.clone());
        }
        world.flush();
    }
    vec![
        WayIn {
            name: "insert",
            run: |world, ids, value| {
                each(world, ids, &value, |entity, value| {
                    entity.insert(value);
                })
            },
        },
        WayIn {
            name: "insert of a tuple",
            run: |world, ids, value| {
                each(world, ids, &value, |entity, value| {
                    entity.insert((value, Other(5)));
                })
            },
        },
        WayIn {
            name: "insert_if_new",
            run: |world, ids, value| {
                each(world, ids, &value, |entity, value| {
                    entity.insert_if_new(value);
                })
            },
        },
        WayIn {
            name: "insert_dynamic",
            run: |world, ids, value| {
                each(world, ids, &value, |entity, value| {
                    entity.insert_dynamic(EntityBuilder::new().add(value));
                });
            },
        },
        WayIn {
            name: "replace",
            run: |world, ids, value| {
                each(world, ids, &value, |entity, value| {
                    entity.replace::<Other, R>(value);
                })
            },
        },
        WayIn {
            name: "exchange",
            run: |world, ids, value| {
                each(world, ids, &value, |entity, value| {
                    entity.exchange::<(), R>(value).unwrap();
                });
            },
        },
        WayIn {
            name: "commands",
            run: |world, ids, value| {
                commands(world, ids, &value, |entity, value| {
                    entity.insert(value);
                })
            },
        },
        WayIn {
            name: "commands in another order",
            run: |world, ids, value| {
                let ids: Vec<Entity> = ids.iter().rev().copied().collect();
                commands(world, &ids, &value, |entity, value| {
                    entity.try_insert(value);
                });
            },
        },
        WayIn {
            name: "insert_if_new by command",
            run: |world, ids, value| {
                commands(world, ids, &value, |entity, value| {
                    entity.insert_if_new(value);
                })
            },
        },
        WayIn {
            name: "two commands",
            run: |world, ids, value| {
                commands(world, ids, &value, |entity, value| {
                    entity.insert(Other(1)).insert(value);
                });
            },
        },
        WayIn { name: "many", run: |world, ids, value| assert_eq!(world.many(ids).insert(value), ids.len()) },
        WayIn {
            name: "many, backwards",
            run: |world, ids, value| {
                let ids: Vec<Entity> = ids.iter().rev().copied().collect();
                assert_eq!(world.many(&ids).insert_with(|_| value.clone()), ids.len());
            },
        },
        WayIn {
            name: "insert_columns",
            run: |world, ids, value| {
                let values = vec![value; ids.len()];
                assert_eq!(world.many(ids).insert_columns(&values[..]), Ok(ids.len()));
            },
        },
        WayIn {
            name: "insert_batch",
            run: |world, ids, value| {
                world.insert_batch(ids.iter().map(|id| (*id, value.clone())));
            },
        },
        WayIn {
            name: "many by command",
            run: |world, ids, value| {
                world.commands().many(ids).insert(value);
                world.flush();
            },
        },
    ]
}

fn spawned<R: Requirer>() {
    for way in spawning::<R>() {
        drops::reset();
        calls();
        let mut world = World::new();
        for count in [1, MANY, 3] {
            let values = (0..count as u32).map(R::new).collect();
            let ids = (way.run)(&mut world, values);
            assert_eq!(calls(), R::EACH.map(|each| each * count), "{}", way.name);
            assert_eq!(ids.len(), count, "{}", way.name);
            for (value, id) in (0..).zip(ids) {
                assert_eq!(world.get(id), Some(&R::new(value)), "{}", way.name);
                assert_eq!(found(&world, id), made::<R>(), "{}", way.name);
            }
            world.check_invariants();
        }
        let per_entity: usize = R::EACH[..3].iter().sum();
        assert_eq!(drops::alive(), per_entity * world.len(), "{}", way.name);
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn spawning_brings_along_what_is_missing() {
    spawned::<InTable>();
    spawned::<OfSparse>();
    spawned::<Both>();
    spawned::<Sparse>();
    spawned::<Nothing>();
}

/// Entities of several shapes: without anything, and with some of what is required.
fn assorted(world: &mut World) -> Vec<Entity> {
    let mut ids = Vec::new();
    for number in 0..MANY as u32 {
        ids.push(world.spawn(Other(number)).id());
        ids.push(world.spawn((Other(number), Loose::new(number))).id());
        ids.push(world.spawn((Other(number), Dense::new(number))).id());
        ids.push(world.spawn((Dense::new(number), Far(number, Token::new()), Loose::new(number))).id());
        ids.push(world.spawn((Mark, Loose::new(number))).id());
        ids.push(world.spawn_empty().id());
    }
    ids
}

fn inserted<R: Requirer>() {
    for way in inserting::<R>() {
        drops::reset();
        let mut world = World::new();
        let ids = assorted(&mut world);
        calls();
        let before: Vec<_> = ids.iter().map(|id| found(&world, *id)).collect();
        (way.run)(&mut world, &ids, R::new(7));
        world.check_invariants();
        let (dense, loose, far, mark) = made::<R>();
        let mut expected = [0; 4];
        for (id, old) in ids.iter().zip(before) {
            assert_eq!(world.get(*id), Some(&R::new(7)), "{}", way.name);
            let now = (old.0.or(dense), old.1.or(loose), old.2.or(far), old.3 || mark);
            assert_eq!(found(&world, *id), now, "{}", way.name);
            let gained = [
                old.0.is_none() && dense.is_some(),
                old.1.is_none() && loose.is_some(),
                old.2.is_none() && far.is_some(),
                !old.3 && mark,
            ];
            expected.iter_mut().zip(gained).for_each(|(sum, gained)| *sum += usize::from(gained));
        }
        assert_eq!(calls(), expected, "{}", way.name);
        // Once more, nothing is missing.
        (way.run)(&mut world, &ids, R::new(8));
        assert_eq!(calls(), [0; 4], "{}", way.name);
        world.check_invariants();
        drop(world);
        drops::assert_all_dropped_once();
    }
}

#[test]
fn inserting_brings_along_what_is_missing_and_keeps_what_is_there() {
    inserted::<InTable>();
    inserted::<OfSparse>();
    inserted::<Both>();
    inserted::<Sparse>();
    inserted::<Nothing>();
}

#[test]
fn a_whole_table_moves_with_what_is_required() {
    calls();
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..100).map(Other)).collect();
    assert_eq!(world.all::<With<Other>>().insert(InTable(1)), 100);
    assert_eq!(calls(), [100, 0, 100, 0]);
    world.check_invariants();
    assert!(ids.iter().all(|id| found(&world, *id) == made::<InTable>()));
}

#[test]
fn there_is_one_move_and_no_table_between() {
    let mut world = World::new();
    let generation = world.tables().generation();
    let spawned = world.spawn(Both(1)).id();
    assert_eq!(world.tables().generation(), generation + 1);
    let columns = world.tables().get(world.entity(spawned).location().table).unwrap().components().len();
    assert_eq!(columns, 3);
    let other = world.spawn(Other(1)).id();
    let generation = world.tables().generation();
    world.entity_mut(other).insert(Both(2));
    assert_eq!(world.tables().generation(), generation + 1);
}

#[test]
fn clones_and_migrants_get_nothing_that_the_original_lacks() {
    #[derive(Component, Clone, Debug, PartialEq, Default)]
    struct Part(u32);
    #[derive(Component, Clone, Debug, PartialEq, Default)]
    #[component(storage = "sparse")]
    struct Aside(u32);
    #[derive(Component, Clone, Debug, PartialEq)]
    #[require(Part, Aside)]
    struct Whole;

    let mut world = World::new();
    let complete = world.spawn((Whole, Part(3))).id();
    let stripped = world.spawn(Whole).remove::<(Part, Aside)>().id();
    let copies = [complete, stripped].map(|entity| world.clone_entity(entity).unwrap());
    assert_eq!((world.get(copies[0]), world.get(copies[0])), (Some(&Part(3)), Some(&Aside(0))));
    assert!(world.get::<Part>(copies[1]).is_none() && world.get::<Aside>(copies[1]).is_none());
    assert_eq!(world.get(copies[1]), Some(&Whole));
    let mut other = World::new();
    let map = world.all::<With<Whole>>().move_to(&mut other);
    other.check_invariants();
    let moved = map.get(stripped).unwrap();
    assert!(other.get::<Part>(moved).is_none() && other.get::<Aside>(moved).is_none());
    assert_eq!(other.get(map.get(complete).unwrap()), Some(&Part(3)));
    // The other world knows what is required, too.
    assert_eq!(other.spawn(Whole).get(), Some(&Part(0)));
    // A builder's components are inserted like any others.
    let mut parts = other.entity_mut(moved).take_all();
    let again = other.spawn_dynamic(&mut parts).id();
    assert_eq!(other.get(again), Some(&Part(0)));
}

#[test]
fn room_can_be_reserved_for_what_comes_along() {
    let mut world = World::new();
    world.try_reserve::<Both>(1000).unwrap();
    let bytes = world.allocated_bytes();
    world.spawn_batch((0..1000).map(Both));
    assert_eq!(world.allocated_bytes(), bytes);
}
