#![deny(warnings)]
use strata_ecs::prelude::*;

mod parts {
    #[derive(strata_ecs::prelude::Component)]
    pub struct Position(pub u8);
    #[derive(strata_ecs::prelude::Component)]
    pub struct Wrap<T: Send + Sync + 'static>(pub T);
}
type Place = parts::Position;
type Wrapped = parts::Wrap<u8>;
use parts::Position as Renamed;

#[system]
fn alias(place: &mut Place, wrapped: &Wrapped) {
    place.0 += wrapped.0;
}
#[system(with(crate::parts::Position, Wrapped))]
fn path(place: &mut crate::parts::Wrap<u8>, entity: strata_ecs::prelude::Entity) {
    place.0 += u8::from(entity != Entity::PLACEHOLDER);
}
#[system]
fn qualified(
    place: strata_ecs::prelude::Mut<self::parts::Position>,
    has: ::strata_ecs::prelude::Has<parts::Wrap<u8>>,
    wrapped: ::std::option::Option<&Wrapped>,
    query: ::strata_ecs::prelude::Query<::strata_ecs::prelude::Entity>,
) {
    assert!(has && wrapped.is_some());
    place.into_inner().0 += query.count() as u8;
}
#[system]
fn renamed(place: &mut Renamed) {
    place.0 += 1;
}

fn main() {
    let mut world = World::new();
    world.spawn((parts::Position(1), parts::Wrap(2_u8)));
    let mut schedule = Schedule::default();
    schedule.add_systems((alias, path, qualified, renamed));
    schedule.run(&mut world);
    assert_eq!(world.query::<&Place>().single(&world).unwrap().0, 5);
    assert_eq!(world.query::<&Wrapped>().single(&world).unwrap().0, 3);
}
