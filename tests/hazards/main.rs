//! Hazards that the library must survive. Each file lists the promises of one group; a test fails if the code that keeps its promise is
//! removed.
//!
//! After every blow the same is demanded: no value dropped twice, the world's invariants hold, and the world goes on
//! working.

mod callbacks;
mod commands;
mod deferred;
mod destructors;
mod exchanges;
mod forgotten;
mod exchanged_anywhere;
mod exchanged_transfers;
mod exchanged_worlds;
mod ids;
mod ignored_fields;
mod layout;
mod lent;
mod no_ops;
mod preparing;
mod queries;
mod rows;
mod two_panics;
mod worn_ids;

use strata_ecs::prelude::*;
use strata_tests::drops;

/// The world works: it spawns, moves, finds and despawns.
fn assert_usable(world: &mut World) {
    #[derive(Component, Debug, PartialEq)]
    struct Probe(u32);
    #[derive(Component, Debug, PartialEq)]
    struct Further(String);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Aside;

    world.check_invariants();
    let before = world.len();
    let entities: Vec<Entity> = world.spawn_batch((0..20).map(Probe)).collect();
    for entity in &entities {
        world.entity_mut(*entity).insert((Further(String::from("further")), Aside));
    }
    world.check_invariants();
    for (value, entity) in (0..).zip(&entities) {
        assert_eq!(world.get::<Probe>(*entity), Some(&Probe(value)));
    }
    let mut query = world.query_filtered::<&Probe, (With<Aside>, With<Further>)>();
    assert_eq!(query.iter(world).count(), 20);
    for entity in entities {
        assert!(world.despawn(entity));
    }
    assert_eq!(query.iter(world).count(), 0);
    assert_eq!(world.len(), before);
    world.check_invariants();
}

/// Ends a test: the world is dropped quietly, and every value has died exactly once.
fn finish(world: World) {
    drops::disarm();
    drop(world);
    drops::assert_all_dropped_once();
}
