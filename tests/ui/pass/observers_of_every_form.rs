//! Each form of `#[observer]`, in a module without the names of the prelude and with lints against what is unusual.
#![no_implicit_prelude]
#![deny(warnings)]

extern crate std;

use ::std::option::Option::{self, Some};
use ::std::result::Result::Ok;
use ::std::{assert_eq, marker};
use ::strata_ecs as by_another_name;
use ::strata_ecs::component::Component;
use ::strata_ecs::event::{Add, EntityEvent, Event, EventPattern, Remove};
use ::strata_ecs::observer;
use ::strata_ecs::observer::{Observer, On};
use ::strata_ecs::prelude::{Entity, Has, Mut, Query, Ref, Res, ResMut, Resource, With, World};

#[derive(Event)]
#[event(crate = by_another_name)]
struct Tick;

#[derive(EntityEvent)]
#[entity_event(crate = by_another_name)]
struct Hit(Entity);

#[derive(EntityEvent)]
struct Of<T: marker::Send + marker::Sync + 'static> {
    entity: Entity,
    _marker: marker::PhantomData<T>,
}

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armor(u32);
#[derive(Component)]
struct Marker<T>(T);

#[derive(Resource)]
struct Total(u32);

/// Without components.
#[observer]
fn plain(_: On<Tick>, mut total: ResMut<Total>) {
    total.0 += 1;
}

/// With all kinds of them.
#[observer(with(Armor), without(Marker<u8>), crate = by_another_name)]
fn all<'a>(
    on: On<Hit>,
    health: &'a mut Health,
    armor: Option<&'a Armor>,
    entity: Entity,
    is_marked: Has<Marker<u16>>,
    mut total: ResMut<Total>,
) {
    assert_eq!(on.0, entity);
    health.0 += armor.map_or(0, |armor| armor.0) + <u32 as ::std::convert::From<bool>>::from(is_marked);
    total.0 += 10;
}

#[observer]
fn guarded(_: On<Hit>, mut health: Mut<Health>, armor: Option<Ref<Armor>>, others: Query<&Marker<u8>, With<Armor>>) {
    if let Some(armor) = armor {
        health.0 += armor.0;
    }
    let _ = others.count();
}

#[observer]
fn generic<T: Component, E: marker::Send + marker::Sync + 'static>(_: On<Of<E>>, value: &T, mut total: ResMut<Total>) {
    let _ = value;
    total.0 += 100;
}

#[observer]
fn any_event<P: EventPattern<Event: EntityEvent>>(on: On<P>, health: &Health, total: Res<Total>) -> ::strata_ecs::error::Result {
    let _ = (on.event_target(), health.0, total.0);
    Ok(())
}

struct Game;

impl Game {
    #[observer(associated)]
    fn lost(on: On<Remove<Health>>, #[row] health: &Health, mut total: ResMut<Total>) {
        let _ = on.entity;
        total.0 += 1000 * health.0;
    }
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Total(0));
    world.add_observer(plain);
    world.add_observer(all);
    world.add_observer(guarded);
    world.add_observer(generic::<Health, u8>);
    world.add_observer(any_event::<Hit>);
    world.add_observer(any_event::<Add<Health>>);
    world.add_observer(Observer::new(Game::lost));
    world.trigger(Tick);
    let entity = world.spawn((Health(1), Armor(2), Marker(3_u16))).id();
    world.trigger(Hit(entity));
    world.trigger(Of::<u8> { entity, _marker: marker::PhantomData });
    world.despawn(entity);
    assert_eq!(world.resource::<Total>().0, 6111);
}
