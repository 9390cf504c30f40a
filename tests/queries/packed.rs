//! Queries of which the rows are those of a sparse storage: they find what a look at each entity finds, however one goes
//! through them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use strata_ecs::entity_disabling::Disabled;

use super::*;

#[derive(Component, Debug, PartialEq, Eq, Clone)]
#[component(storage = "sparse")]
struct Name(String);

/// Entities in many tables that have come and gone, with all combinations of sparse components.
fn crowd(seed: u32) -> World {
    let mut world = World::new();
    let mut random = seed;
    let mut next = move |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % below
    };
    let mut living = Vec::new();
    for number in 0..400 {
        let mut entity = world.spawn_empty();
        if next(2) == 0 {
            entity.insert(A(number));
        }
        if next(3) == 0 {
            entity.insert(C);
        }
        if next(2) == 0 {
            entity.insert(S(number));
        }
        if next(3) == 0 {
            entity.insert(Name(number.to_string()));
        }
        if next(4) == 0 {
            entity.insert(Tag);
        }
        living.push(entity.id());
        match next(6) {
            0 => assert!(world.despawn(living.swap_remove(next(living.len() as u32) as usize))),
            1 => drop(world.entity_mut(living[next(living.len() as u32) as usize]).remove::<S>()),
            2 => drop(world.entity_mut(living[next(living.len() as u32) as usize]).remove::<(Name, Tag)>()),
            _ => {}
        }
    }
    world
}

/// Checks each way to go through a query against `expected`, which looks at one entity.
macro_rules! agrees {
    ($world:ident, $D:ty, $F:ty, |$entity:ident| $expected:expr, |$item:pat_param| $shown:expr) => {{
        let expected: BTreeMap<Entity, String> = {
            let all = $world.iter_entities().filter(|$entity| !$entity.contains::<Disabled>());
            all.filter_map(|$entity| $expected.map(|value| ($entity.id(), format!("{value:?}")))).collect()
        };
        let mut query = $world.query_filtered::<(Entity, $D), $F>();
        let mut show = |(entity, $item): (Entity, _)| (entity, format!("{:?}", $shown));
        let by_loop: Vec<_> = {
            let mut all = Vec::new();
            for item in query.iter(&$world) {
                all.push(show(item));
            }
            all
        };
        assert_eq!(by_loop.iter().cloned().collect::<BTreeMap<_, _>>(), expected);
        assert_eq!(by_loop.len(), expected.len(), "a row came twice");
        let mut by_for_each = Vec::new();
        query.iter(&$world).for_each(|item| by_for_each.push(show(item)));
        assert_eq!(by_for_each, by_loop);
        let mut halfway = query.iter(&$world);
        let mut parts: Vec<_> = halfway.by_ref().take(by_loop.len() / 2).map(&mut show).collect();
        parts.extend(halfway.map(&mut show));
        assert_eq!(parts, by_loop);
        assert_eq!(query.iter(&$world).count(), by_loop.len());
        assert_eq!(query.query(&$world).count(), by_loop.len());
        assert_eq!(query.iter(&$world).nth(7).map(&mut show), by_loop.get(7).cloned());
        assert_eq!(
            query.iter(&$world).position(|item| Some(&show(item)) == by_loop.last()),
            by_loop.len().checked_sub(1)
        );
        let sorted: Vec<_> = query.iter(&$world).sort::<Entity>().map(&mut show).collect();
        assert_eq!(sorted, expected.clone().into_iter().collect::<Vec<_>>());
        for (entity, value) in &by_loop {
            assert_eq!(query.get(&$world, *entity).map(&mut show).ok().as_ref(), Some(&(*entity, value.clone())));
        }
        let list: Vec<Entity> = $world
            .iter_entities()
            .map(|entity| entity.id())
            .chain([Entity::PLACEHOLDER])
            .flat_map(|id| [id, id])
            .collect();
        let twice: Vec<_> =
            expected.iter().flat_map(|(entity, value)| [(*entity, value.clone()), (*entity, value.clone())]).collect();
        for reversed in [false, true] {
            let list = || list.iter().rev().filter(move |_| reversed).chain(list.iter().filter(move |_| !reversed));
            let mut one_by_one = Vec::new();
            for item in query.iter_many(&$world, list()).matched() {
                one_by_one.push(show(item));
            }
            let mut inside = Vec::new();
            query.iter_many(&$world, list()).matched().for_each(|item| inside.push(show(item)));
            assert_eq!(inside, one_by_one);
            inside.sort();
            assert_eq!(inside, twice);
        }
        let by_threads = Mutex::new(BTreeMap::new());
        query.par_iter(&$world).for_each(|(entity, $item)| {
            assert_eq!(by_threads.lock().expect("no panic").insert(entity, format!("{:?}", $shown)), None);
        });
        assert_eq!(by_threads.into_inner().expect("no panic"), expected);
        expected.len()
    }};
}

#[test]
fn each_way_to_go_through_values_outside_the_tables_finds_the_same() {
    let mut found = 0;
    for seed in 0..12 {
        let mut world = crowd(seed);
        for round in 0..2 {
            found += agrees!(world, &S, (), |e| e.get::<S>(), |s| s);
            found += agrees!(world, Ref<'_, S>, (), |e| e.get_ref::<S>(), |s| s);
            found += agrees!(world, (&S, &Name), (), |e| e.get::<S>().zip(e.get::<Name>()), |s| s);
            found += agrees!(world, &S, Without<Name>, |e| e.get::<S>().filter(|_| !e.contains::<Name>()), |s| s);
            found += agrees!(world, &Name, With<Tag>, |e| e.get::<Name>().filter(|_| e.contains::<Tag>()), |s| s);
            found += agrees!(world, &Name, With<S>, |e| e.get::<Name>().filter(|_| e.contains::<S>()), |s| s);
            found += agrees!(
                world,
                (),
                (With<Name>, With<S>),
                |e| (e.contains::<S>() && e.contains::<Name>()).then_some(()),
                |s| s
            );
            found += agrees!(world, (&S, Option<&Name>), (), |e| e.get::<S>().map(|s| (s, e.get::<Name>())), |s| s);
            found += agrees!(world, (&S, Has<Tag>), (), |e| e.get::<S>().map(|s| (s, e.contains::<Tag>())), |s| s);
            found += agrees!(world, (&S, Has<A>), (), |e| e.get::<S>().map(|s| (s, e.contains::<A>())), |s| s);
            found += agrees!(world, (&S, &A), (), |e| e.get::<S>().zip(e.get::<A>()), |s| s);
            found += agrees!(world, &S, Without<C>, |e| e.get::<S>().filter(|_| !e.contains::<C>()), |s| s);
            found += agrees!(world, &Tag, (), |e| e.get::<Tag>(), |s| s);
            found += agrees!(world, (&Tag, &S), (), |e| e.get::<Tag>().zip(e.get::<S>()), |s| s);
            found += agrees!(world, (&A, &Tag), (), |e| e.get::<A>().zip(e.get::<Tag>()), |s| s);
            found += agrees!(
                world,
                &A,
                (With<S>, Without<Tag>),
                |e| e.get::<A>().filter(|_| e.contains::<S>() && !e.contains::<Tag>()),
                |s| s
            );
            found += agrees!(
                world,
                (&A, Option<&C>),
                (With<Name>, With<Tag>, With<A>),
                |e| e.get::<A>().filter(|_| e.contains::<Name>() && e.contains::<Tag>()).map(|a| (a, e.get::<C>())),
                |s| s
            );
            if round == 0 {
                // Tables whose entities do not match: the values of these are among the others.
                let some: Vec<Entity> = world.query_filtered::<Entity, With<S>>().iter(&world).step_by(5).collect();
                some.into_iter().for_each(|entity| {
                    world.entity_mut(entity).insert(Disabled);
                });
            }
        }
    }
    assert!(found > 10_000, "the worlds are not empty");
}

#[system]
fn double(s: &mut S) {
    s.0 *= 2;
}

#[system(changed(S))]
fn double_where_changed(s: &mut S) {
    s.0 *= 2;
}

#[test]
fn each_way_to_change_values_outside_the_tables_changes_each_once_and_is_noticed() {
    for seed in 0..6 {
        for way in 0..7 {
            let mut world = crowd(seed);
            if seed % 2 == 1 {
                let some: Vec<Entity> = world.query_filtered::<Entity, With<S>>().iter(&world).step_by(5).collect();
                some.into_iter().for_each(|entity| {
                    world.entity_mut(entity).insert(Disabled);
                });
            }
            let values = |world: &World| -> Vec<(Entity, Option<u32>, bool)> {
                world.iter_entities().map(|e| (e.id(), e.get::<S>().map(|s| s.0), e.contains::<Disabled>())).collect()
            };
            let before = values(&world);
            let mut changed = world.query_filtered::<Entity, (Changed<S>, Without<Disabled>)>();
            let mut added = world.query_filtered::<Entity, (Added<S>, Without<Disabled>)>();
            world.clear_trackers();
            assert_eq!(changed.iter(&world).count(), 0);
            let mut query = world.query::<&mut S>();
            let mut schedule = Schedule::default();
            match way {
                0 => {
                    for mut s in query.iter_mut(&mut world) {
                        s.0 *= 2;
                    }
                }
                1 => query.iter_mut(&mut world).for_each(|mut s| s.0 *= 2),
                2 => query.contiguous_iter_mut(&mut world).for_each(|some| some.iter_mut().for_each(|s| s.0 *= 2)),
                3 => query.par_iter_mut(&mut world).for_each(|mut s| s.0 *= 2),
                4 => schedule.add_systems(double).run(&mut world),
                5 => schedule.add_systems(double_where_changed).run(&mut world),
                _ => {
                    let mut iter = query.iter_mut(&mut world);
                    iter.next().expect("someone has one").0 *= 2;
                    iter.for_each(|mut s| s.0 *= 2);
                }
            }
            let expected: Vec<_> = before
                .iter()
                .map(|&(entity, s, disabled)| (entity, s.map(|s| if disabled { s } else { s * 2 }), disabled))
                .collect();
            assert_eq!(values(&world), expected, "way {way}");
            let mut seen: Vec<Entity> = changed.iter(&world).collect();
            seen.sort_unstable();
            let mut written: Vec<Entity> =
                before.iter().filter(|(_, s, disabled)| s.is_some() && !disabled).map(|(entity, ..)| *entity).collect();
            written.sort_unstable();
            assert_eq!(seen, written, "way {way}");
            assert_eq!(added.iter(&world).count(), 0);
            world.check_invariants();
        }
    }
}

#[test]
fn values_of_one_component_outside_the_tables_are_one_slice() {
    let mut world = World::new();
    zoo(&mut world);
    let slices: Vec<usize> = world.query::<&S>().contiguous_iter(&world).map(<[S]>::len).collect();
    assert_eq!(slices, [numbers(|i| i % 4 == 0 || i % 7 == 0).len()]);
    let both = world
        .query::<(Entity, &S)>()
        .contiguous_iter(&world)
        .map(|(entities, values)| (entities.len(), values.len()))
        .collect::<Vec<_>>();
    assert_eq!(both, [(slices[0], slices[0])]);
    assert!(world.query::<(&S, Has<Tag>)>().contiguous_iter(&world).all(|(values, _)| values.len() == 1));
}

#[test]
fn changing_components_outside_the_tables_together_comes_to_the_same_as_one_by_one() {
    for seed in 0..40 {
        let (mut together, mut single) = (crowd(seed), crowd(seed));
        let mut changed = [&mut together, &mut single].map(|world| world.query_filtered::<(Entity, &S), Changed<S>>());
        for step in 0..12_u32 {
            let all: Vec<Entity> = together.iter_entities().map(|entity| entity.id()).collect();
            // Some of them twice, in another order, and one that is not there.
            let list: Vec<Entity> = (0..all.len() as u32 / 2)
                .map(|nth| all[(nth.wrapping_mul(2_654_435_761) ^ ((seed + step) * 97)) as usize % all.len()])
                .chain([Entity::PLACEHOLDER])
                .collect();
            let mut distinct = list.clone();
            distinct.sort_unstable();
            distinct.dedup();
            distinct.retain(|entity| *entity != Entity::PLACEHOLDER);
            let value = |entity: Entity| S(entity.index() + step);
            let count = match (seed + step) % 4 {
                0 => together.many(&list).insert_with(value),
                1 => together.many(&list).remove::<S>(),
                2 => together.many(&list).remove::<Tag>(),
                _ => together.many(&list).insert(Tag),
            };
            assert_eq!(count, distinct.len());
            for &entity in &distinct {
                let mut entity = single.entity_mut(entity);
                match (seed + step) % 4 {
                    0 => drop(entity.insert(value(entity.id()))),
                    1 => drop(entity.remove::<S>()),
                    2 => drop(entity.remove::<Tag>()),
                    _ => drop(entity.insert(Tag)),
                }
            }
            if step % 5 == 4 {
                assert_eq!(together.all::<With<S>>().remove::<S>(), single.query::<&S>().iter(&single).count());
                single.query_filtered::<Entity, With<S>>().iter(&single).collect::<Vec<_>>().into_iter().for_each(
                    |entity| {
                        single.entity_mut(entity).remove::<S>();
                    },
                );
            }
            let state = |world: &World| -> Vec<_> {
                world
                    .iter_entities()
                    .map(|e| (e.id(), e.get::<S>().copied(), e.get::<Name>().cloned(), e.contains::<Tag>()))
                    .collect()
            };
            assert_eq!(state(&together), state(&single), "seed {seed}, step {step}");
            let mut news = Vec::new();
            for (world, changed) in [&mut together, &mut single].into_iter().zip(&mut changed) {
                let mut new: Vec<(Entity, S)> = changed.iter(world).map(|(entity, s)| (entity, *s)).collect();
                new.sort_unstable();
                news.push(new);
                world.clear_trackers();
                world.check_invariants();
            }
            assert_eq!(news[0], news[1], "seed {seed}, step {step}");
        }
    }
}
