//! Queries: every term, filter and way to run one.

mod access;
mod builder;
mod cache;
mod combinations;
mod derive;
mod derive_changes;
mod derive_slices;
mod disabling;
mod disabling_histories;
mod enum_model;
mod enums;
mod explain;
mod filtered;
mod filters;
mod iteration;
mod lens;
mod lists;
mod many_columns;
mod nested;
mod packed;
mod parallel_lists;
mod sorting;
mod strides;
mod terms;
mod whole_entities;

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq, Eq, Clone, Copy, PartialOrd, Ord, Default)]
struct A(u32);
#[derive(Component, Debug, PartialEq, Eq, Clone, PartialOrd, Ord)]
struct B(String);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct C;
#[derive(Component, Debug, PartialEq, Eq, Clone, Copy, PartialOrd, Ord)]
#[component(storage = "sparse")]
struct S(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
#[component(storage = "sparse")]
struct Tag;

/// Entities in five tables and an empty one, some with sparse components; `A` counts up in the order of the ids returned.
///
/// Number `i` has `B` if `i % 2 == 0`, `C` if `i % 3 == 0`, `S` if `i % 4 == 0`, `Tag` if `i % 5 == 0`; every seventh
/// has no `A` but `S`.
fn zoo(world: &mut World) -> Vec<Entity> {
    let emptied = world.spawn((A(0), B(String::new()), C, Other)).id();
    world.despawn(emptied);
    (0..60)
        .map(|i| {
            let mut entity = world.spawn_empty();
            if i % 7 != 0 {
                entity.insert(A(i));
            }
            if i % 2 == 0 {
                entity.insert(B(i.to_string()));
            }
            if i % 3 == 0 {
                entity.insert(C);
            }
            if i % 4 == 0 || i % 7 == 0 {
                entity.insert(S(i));
            }
            if i % 5 == 0 {
                entity.insert(Tag);
            }
            entity.id()
        })
        .collect()
}

#[derive(Component)]
struct Other;

/// The numbers below 60 for which `test` holds.
fn numbers(test: impl Fn(u32) -> bool) -> Vec<u32> {
    (0..60).filter(|i| test(*i)).collect()
}

/// The numbers of the entities that a query over `Entity` with the filter `F` finds.
fn found<F: QueryFilter>(world: &mut World, entities: &[Entity]) -> Vec<u32> {
    let mut found: Vec<u32> = world
        .query_filtered::<Entity, F>()
        .iter(world)
        .map(|entity| u32::try_from(entities.iter().position(|other| *other == entity).expect("known")).expect("small"))
        .collect();
    found.sort_unstable();
    found
}
