#![allow(dead_code, non_upper_case_globals)]
use strata_ecs::event::Event;
use strata_ecs::prelude::{
    Bundle, Component, Message, Or, Query, QueryData, QueryFilter, Res, Resource, Schedule, ScheduleLabel, SystemParam,
    SystemSet, With, Without, World, system,
};

struct Option;
struct Result;
struct Vec;
struct Box;
struct String;
trait Iterator {}
trait IntoIterator {}
trait Send {}
trait Sync {}
trait Sized {}
trait Default {}
trait Clone {}
trait Copy {}
trait Deref {}
trait Fn {}
trait From {}
trait Into {}
#[allow(non_snake_case)]
fn Some() {}
#[allow(non_snake_case)]
fn None() {}
#[allow(non_snake_case)]
fn Ok() {}
#[allow(non_snake_case)]
fn Err() {}

#[derive(Component)]
struct Entity(u8);
#[derive(Component)]
struct Phantom<T: std::marker::Send + std::marker::Sync + 'static>(std::marker::PhantomData<T>);
#[derive(Resource)]
struct Total(u32);
#[derive(Bundle)]
struct Pair {
    entity: Entity,
    phantom: Phantom<u8>,
}
#[derive(QueryData)]
struct Read {
    entity: &'static Entity,
    phantom: std::option::Option<&'static Phantom<u8>>,
}

#[derive(QueryData)]
#[query_data(mutable)]
enum Either {
    Entity { entity: &'static mut Entity, phantom: &'static Phantom<u16> },
    Phantom(&'static Phantom<u8>),
    Some,
}

#[derive(Message, Event)]
struct Hit(u8);
#[derive(SystemSet, std::clone::Clone, PartialEq, Eq, Hash, Debug)]
enum Set {
    Some(u8),
    None,
}
#[derive(ScheduleLabel, std::clone::Clone, PartialEq, Eq, Hash, Debug)]
struct Label<Option>(Option);

#[system]
fn row(value: &mut Entity, phantom: &Phantom<u8>, total: Res<Total>) {
    let _ = phantom;
    value.0 += total.0 as u8;
}

#[system]
fn all(read: Query<Read>) {
    assert_eq!(read.count(), 1);
}

#[derive(SystemParam)]
struct Params<'w, 's, P: Other = u8> {
    read: Query<'w, 's, Read>,
    total: std::option::Option<Res<'w, Total>>,
    inner: constants::Inner<'w, 's>,
    marker: std::marker::PhantomData<P>,
}
mod constants {
    const got: u8 = 1;
    const this: u8 = 1;
    #[derive(super::SystemParam)]
    pub(crate) struct Inner<'w, 's>(super::Query<'w, 's, &'static super::Entity>);
}
trait Other: 'static {}
impl Other for u8 {}

#[system]
fn params(value: &Entity, params: Params) {
    assert!(value.0 == 2 && params.read.count() == 1 && params.total.is_some());
}

#[derive(QueryFilter)]
struct Filter<Option: Component> {
    some: With<Entity>,
    none: Without<Option>,
    or: Or<(With<Entity>, With<Phantom<u8>>)>,
}

#[system]
fn either(mut either: Query<Either, Filter<Phantom<u32>>>) {
    for item in &mut either {
        match item {
            EitherItem::Entity { mut entity, phantom: _ } => entity.0 += 1,
            EitherItem::Phantom(_) | EitherItem::Some => {}
        }
    }
}

fn main() {
    assert_ne!(Set::Some(1).intern(), Set::None.intern());
    assert_eq!(Label(1).intern(), Label(1).intern());
    let mut world = World::new();
    world.insert_resource(Total(1));
    world.spawn(Pair { entity: Entity(1), phantom: Phantom(std::marker::PhantomData) });
    let mut schedule = Schedule::default();
    schedule.add_systems((row, all, either, params));
    schedule.run(&mut world);
}
