//! Events: observers compared with a hand-written list of boxed closures.
#![expect(elided_lifetimes_in_paths, reason = "systems as users write them")]

use std::hint::black_box;

use strata_ecs::event::Traversal;
use strata_ecs::prelude::*;

use super::books::Books;
use super::{Bench, Contestant, Sample, repeated};

const EVENTS: usize = 10_000;

pub(super) fn benches() -> Vec<Bench> {
    vec![global(), of_entities(), propagated()]
}

#[derive(EntityEvent)]
struct Hit {
    entity: Entity,
    damage: u64,
}

#[derive(Event)]
struct Beat {
    damage: u64,
}

#[derive(Resource, Default)]
struct Total(u64);

/// A boxed closure that is called for each event.
type Listener<E> = Box<dyn FnMut(&mut E)>;

fn global() -> Bench {
    fn closures() -> Sample {
        let mut total = 0;
        let mut listeners: Vec<Listener<Beat>> = vec![Box::new(move |beat| total = black_box(total + beat.damage))];
        repeated(move || {
            for damage in 0..EVENTS as u64 {
                let mut beat = Beat { damage };
                black_box(&mut listeners).iter_mut().for_each(|listener| listener(&mut beat));
            }
        })
    }
    fn observer() -> Sample {
        let mut world = World::new();
        world.init_resource::<Total>();
        world.add_observer(|beat: On<Beat>, mut total: ResMut<Total>| total.0 += beat.damage);
        repeated(move || (0..EVENTS as u64).for_each(|damage| world.trigger(Beat { damage })))
    }
    fn by_hand() -> Sample {
        let mut books = Books::new(&[]);
        books.observe(None, |beat: &mut Beat, events| *events.total() += beat.damage);
        repeated(move || {
            (0..EVENTS as u64).for_each(|damage| black_box(&mut books).trigger(None, &mut Beat { damage }))
        })
    }
    Bench {
        file: "events",
        name: "10k global events, one observer",
        rows: EVENTS,
        contestants: vec![
            Contestant::new("a list of boxed closures", None, closures),
            Contestant::new("world.trigger", Some(3.0), observer),
            Contestant::new("honest limit: one observer by hand, with all books", None, by_hand),
        ],
    }
}

fn of_entities() -> Bench {
    fn closures() -> Sample {
        let mut lists: Vec<Vec<Listener<Hit>>> = Vec::new();
        for _ in 0..EVENTS {
            let mut total = 0;
            lists.push(vec![Box::new(move |hit| total = black_box(total + hit.damage))]);
        }
        let entities: Vec<Entity> = World::new().spawn_batch((0..EVENTS).map(|_| ())).collect();
        repeated(move || {
            for (list, &entity) in black_box(&mut lists).iter_mut().zip(&entities) {
                let mut hit = Hit { entity, damage: 1 };
                list.iter_mut().for_each(|listener| listener(&mut hit));
            }
        })
    }
    fn observers() -> Sample {
        let mut world = World::new();
        world.init_resource::<Total>();
        let entities: Vec<Entity> = world.spawn_batch((0..EVENTS).map(|_| ())).collect();
        for &entity in &entities {
            world.entity_mut(entity).observe(|hit: On<Hit>, mut total: ResMut<Total>| total.0 += hit.damage);
        }
        repeated(move || entities.iter().for_each(|&entity| world.trigger(Hit { entity, damage: 1 })))
    }
    fn by_hand() -> Sample {
        let entities: Vec<Entity> = World::new().spawn_batch((0..EVENTS).map(|_| ())).collect();
        let mut books = Books::new(&entities);
        for &entity in &entities {
            books.observe(Some(entity), |hit: &mut Hit, events| *events.total() += hit.damage);
        }
        repeated(move || {
            for &entity in &entities {
                black_box(&mut books).trigger(Some(entity), &mut Hit { entity, damage: 1 });
            }
        })
    }
    Bench {
        file: "events",
        name: "10k entity events, one observer each",
        rows: EVENTS,
        contestants: vec![
            Contestant::new("a list of boxed closures each", None, closures),
            Contestant::new("world.trigger", Some(4.0), observers),
            Contestant::new("honest limit: observers by hand, with all books", None, by_hand),
        ],
    }
}

#[derive(Component)]
struct HangsOn(Entity);

impl<E> Traversal<E> for &HangsOn {
    fn traverse(item: &HangsOn, _: &E) -> Option<Entity> {
        Some(item.0)
    }
}

#[derive(EntityEvent)]
#[entity_event(auto_propagate, propagate = &'static HangsOn)]
struct Pull {
    entity: Entity,
}

/// An event that propagates through ten levels, compared with ten events.
fn propagated() -> Bench {
    const LEVELS: usize = 10;
    const PULLS: usize = 1_000;
    fn world() -> (World, Vec<Entity>) {
        let mut world = World::new();
        world.init_resource::<Total>();
        let mut chain = vec![world.spawn_empty().id()];
        while chain.len() < LEVELS {
            chain.push(world.spawn(HangsOn(chain[chain.len() - 1])).id());
        }
        (world, chain)
    }
    fn single() -> Sample {
        let (mut world, chain) = world();
        world.add_observer(|hit: On<Hit>, mut total: ResMut<Total>| total.0 += hit.damage);
        repeated(move || {
            for _ in 0..PULLS {
                chain.iter().for_each(|&entity| world.trigger(Hit { entity, damage: 1 }));
            }
        })
    }
    fn along() -> Sample {
        let (mut world, chain) = world();
        world.add_observer(|_: On<Pull>, mut total: ResMut<Total>| total.0 += 1);
        repeated(move || (0..PULLS).for_each(|_| world.trigger(Pull { entity: chain[LEVELS - 1] })))
    }
    Bench {
        file: "events",
        name: "an event that goes up 10 levels",
        rows: PULLS * LEVELS,
        contestants: vec![
            Contestant::new("ten events", None, single),
            Contestant::new("auto_propagate", Some(1.5), along),
        ],
    }
}
