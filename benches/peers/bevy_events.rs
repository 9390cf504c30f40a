//! Events, observers and hooks of components, done by `bevy_ecs`.

use std::hint::black_box;

use bevy_ecs::prelude::*;
use bevy_ecs::traversal::Traversal;

use crate::bevy::{Extra, Kept, Position, body};
use crate::support::{Contestant, Sample, fresh, repeated, undone};

const ROWS: usize = 10_000;

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "10k global events, one observer" => vec![Contestant::new("bevy_ecs: world.trigger", None, global)],
        "10k entity events, one observer each" => vec![Contestant::new("bevy_ecs: world.trigger", None, of_entities)],
        "an event that goes up 10 levels" => vec![
            Contestant::new("bevy_ecs: ten events", None, ten_events),
            Contestant::new("bevy_ecs: auto_propagate", None, propagated),
        ],
        "spawn 10k x 4, others observed" => vec![Contestant::new("bevy_ecs: world.spawn", None, spawn)],
        "add_remove by id 10k, others observed" => vec![Contestant::new("bevy_ecs: entity_mut", None, add_remove)],
        "despawn by id 10k, others observed" => vec![Contestant::new("bevy_ecs: world.despawn", None, despawn)],
        "insert by id 10k, one observer" => vec![
            Contestant::new("bevy_ecs: one observer that does nothing", None, || insert(watch_extra)),
            Contestant::new("bevy_ecs: unobserved", None, || insert(|_| {})),
        ],
        "spawn_batch 10k x 4, on_add hook" => vec![
            Contestant::new("bevy_ecs: a hook that does nothing", None, || spawn_batch(hook_position)),
            Contestant::new("bevy_ecs: without a hook", None, || spawn_batch(|_| {})),
        ],
        "insert by query 10k, observers" => by_query::<10_000>(),
        "insert by query 1M, observers" => by_query::<1_000_000>(),
        _ => Vec::new(),
    }
}

#[derive(Resource, Default)]
struct Total(u64);

#[derive(Event)]
struct Beat {
    damage: u64,
}

#[derive(EntityEvent)]
struct Hit {
    entity: Entity,
    damage: u64,
}

#[derive(Component)]
struct HangsOn(Entity);

impl<E> Traversal<E> for &'static HangsOn {
    fn traverse(item: Self::Item<'_, '_>, _: &E) -> Option<Entity> {
        Some(item.0)
    }
}

#[derive(EntityEvent)]
#[entity_event(auto_propagate, propagate = &'static HangsOn)]
struct Pull {
    entity: Entity,
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Total>();
    world
}

fn global() -> Sample {
    let mut world = world();
    world.add_observer(|beat: On<Beat>, mut total: ResMut<Total>| total.0 += beat.damage);
    repeated(move || (0..ROWS as u64).for_each(|damage| world.trigger(Beat { damage })))
}

fn of_entities() -> Sample {
    let mut world = world();
    let entities: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| ())).collect();
    for &entity in &entities {
        world.entity_mut(entity).observe(|hit: On<Hit>, mut total: ResMut<Total>| total.0 += hit.damage);
    }
    repeated(move || entities.iter().for_each(|&entity| world.trigger(Hit { entity, damage: 1 })))
}

const LEVELS: usize = 10;
const PULLS: usize = 1_000;

fn chain() -> (World, Vec<Entity>) {
    let mut world = world();
    let mut chain = vec![world.spawn_empty().id()];
    while chain.len() < LEVELS {
        chain.push(world.spawn(HangsOn(chain[chain.len() - 1])).id());
    }
    (world, chain)
}

fn ten_events() -> Sample {
    let (mut world, chain) = chain();
    world.add_observer(|hit: On<Hit>, mut total: ResMut<Total>| total.0 += hit.damage);
    repeated(move || {
        for _ in 0..PULLS {
            chain.iter().for_each(|&entity| world.trigger(Hit { entity, damage: 1 }));
        }
    })
}

fn propagated() -> Sample {
    let (mut world, chain) = chain();
    world.add_observer(|_: On<Pull>, mut total: ResMut<Total>| total.0 += 1);
    repeated(move || (0..PULLS).for_each(|_| world.trigger(Pull { entity: chain[LEVELS - 1] })))
}

/// Components that no entity of the workloads has.
#[derive(Component)]
struct Heat;
#[derive(Component)]
struct Serial;
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Loose;

fn observe_others(world: &mut World) {
    world.add_observer(|_: On<Add<Heat>>| {});
    world.add_observer(|_: On<Remove<(Heat, Serial)>>| {});
    world.add_observer(|_: On<Insert<Loose>>| {});
    world.register_component_hooks::<Serial>().on_add(|_, _| {}).on_remove(|_, _| {});
}

fn observed() -> World {
    let mut world = World::new();
    observe_others(&mut world);
    world
}

fn spawn() -> Sample {
    fresh(observed, |mut world| {
        let body = body();
        for _ in 0..ROWS {
            world.spawn(body);
        }
        world
    })
}

fn add_remove() -> Sample {
    let mut world = observed();
    let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| Kept(1.0))).collect();
    repeated(move || {
        let extra = black_box(Extra(1.0));
        for &id in &ids {
            world.entity_mut(id).insert(extra);
        }
        for &id in &ids {
            world.entity_mut(id).remove::<Extra>();
        }
    })
}

fn despawn() -> Sample {
    let filled = || {
        let mut world = observed();
        let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| body())).collect();
        (world, ids)
    };
    fresh(filled, |(mut world, ids)| {
        for &id in &ids {
            world.despawn(id);
        }
        (world, ids)
    })
}

fn watch_extra(world: &mut World) {
    world.add_observer(|add: On<Add<Extra>>| {
        black_box(add.entity);
    });
}

fn remove_extra(world: &mut World) {
    let mut extras = world.query_filtered::<Entity, With<Extra>>();
    let ids: Vec<Entity> = extras.iter(world).collect();
    assert!(!ids.is_empty());
    for id in ids {
        world.entity_mut(id).remove::<Extra>();
    }
}

fn insert(observe: fn(&mut World)) -> Sample {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..ROWS).map(|_| Kept(1.0))).collect();
    observe(&mut world);
    let insert = |(world, ids): &mut (World, Vec<Entity>)| {
        let extra = black_box(Extra(1.0));
        for &id in &*ids {
            world.entity_mut(id).insert(extra);
        }
    };
    undone((world, ids), insert, |(world, _)| remove_extra(world))
}

fn hook_position(world: &mut World) {
    world.register_component_hooks::<Position>().on_add(|_, context| {
        black_box(context.entity);
    });
}

fn spawn_batch(hook: fn(&mut World)) -> Sample {
    let make = move || {
        let mut world = World::new();
        hook(&mut world);
        world
    };
    fresh(make, |mut world| {
        let body = body();
        world.spawn_batch((0..ROWS).map(|_| body));
        world
    })
}

/// There are no observers of batches, and no insertion by query: the entities are listed first.
fn insert_all<const COUNT: usize>(observe: fn(&mut World)) -> Sample {
    let mut world = world();
    observe(&mut world);
    world.spawn_batch((0..COUNT).map(|_| Kept(1.0)));
    let mut kept = world.query_filtered::<Entity, With<Kept>>();
    let insert = move |world: &mut World| {
        let extra = black_box(Extra(1.0));
        let ids: Vec<Entity> = kept.iter(world).collect();
        assert_eq!(ids.len(), COUNT);
        world.insert_batch(ids.into_iter().map(|id| (id, extra)));
    };
    undone(world, insert, remove_extra)
}

fn count_extras(world: &mut World) {
    world.add_observer(|_: On<Insert<Extra>>, mut total: ResMut<Total>| total.0 += 1);
}

fn by_query<const COUNT: usize>() -> Vec<Contestant> {
    vec![
        Contestant::new("bevy_ecs: insert_batch, one of each", None, || insert_all::<COUNT>(count_extras)),
        Contestant::new("bevy_ecs: insert_batch, nothing observed", None, || insert_all::<COUNT>(|_| {})),
    ]
}
