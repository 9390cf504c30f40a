#![forbid(unsafe_code)]
#![deny(warnings)]
#![no_implicit_prelude]

#[derive(::strata_ecs::prelude::Component)]
struct Position {
    x: f32,
}

#[derive(::strata_ecs::prelude::Component)]
#[component(storage = "sparse")]
struct Stunned;

#[derive(::strata_ecs::prelude::Resource)]
struct Dt(f32);

#[derive(::strata_ecs::prelude::Bundle)]
struct Body {
    position: Position,
    stunned: Stunned,
}

#[derive(::strata_ecs::prelude::QueryData)]
#[query_data(mutable)]
struct Both {
    position: &'static mut Position,
    stunned: ::strata_ecs::prelude::Has<Stunned>,
}

#[derive(::strata_ecs::prelude::QueryData)]
#[query_data(mutable)]
enum Either {
    Stunned(&'static Stunned, &'static mut Position),
    Position { position: &'static mut Position },
    Other,
}

#[derive(::strata_ecs::prelude::QueryFilter)]
struct Free {
    position: ::strata_ecs::prelude::With<Position>,
    stunned: ::strata_ecs::prelude::Without<Stunned>,
}

#[::strata_ecs::prelude::system]
fn either(mut all: ::strata_ecs::prelude::Query<Either, ::strata_ecs::prelude::Or<(Free,)>>) {
    for item in &mut all {
        match item {
            EitherItem::Stunned(_, mut position) => position.x += 0.0,
            EitherItem::Position { mut position } => position.x += 0.0,
            EitherItem::Other => {}
        }
    }
}

#[derive(::strata_ecs::prelude::Message, ::strata_ecs::event::Event)]
struct Hit;

#[derive(
    ::strata_ecs::prelude::SystemSet,
    ::std::clone::Clone,
    ::std::cmp::PartialEq,
    ::std::cmp::Eq,
    ::std::hash::Hash,
    ::std::fmt::Debug,
)]
enum Set {
    One,
    Two(u8),
}

#[derive(
    ::strata_ecs::prelude::ScheduleLabel,
    ::std::clone::Clone,
    ::std::cmp::PartialEq,
    ::std::cmp::Eq,
    ::std::hash::Hash,
    ::std::fmt::Debug,
)]
struct Label<T>(T);

#[::strata_ecs::prelude::system(without(Stunned))]
fn movement(position: &mut Position, dt: ::strata_ecs::prelude::Res<Dt>) {
    position.x += dt.0;
}

#[::strata_ecs::prelude::system]
fn count(all: ::strata_ecs::prelude::Query<Both>) -> ::strata_ecs::prelude::Result {
    for item in &all {
        ::std::assert_eq!(item.position.x, if item.stunned { 1.0 } else { 3.0 });
    }
    ::std::result::Result::Ok(())
}

#[derive(::strata_ecs::prelude::SystemParam)]
struct Params<'w, 's> {
    dt: ::strata_ecs::prelude::Res<'w, Dt>,
    positions: ::strata_ecs::prelude::Query<'w, 's, &'static Position>,
    runs: ::strata_ecs::prelude::Local<'s, u8>,
}

fn params(mut params: Params<'_, '_>) {
    *params.runs += 1;
    ::std::assert_eq!(params.dt.0, 2.0);
    ::std::assert_eq!(params.positions.count(), 2);
}

fn main() {
    let _ = Hit;
    ::std::assert_ne!(
        ::strata_ecs::prelude::SystemSet::intern(&Set::One),
        ::strata_ecs::prelude::SystemSet::intern(&Set::Two(1)),
    );
    let _ = ::strata_ecs::prelude::ScheduleLabel::intern(&Label(1_u8));
    let mut world = ::strata_ecs::prelude::World::new();
    world.insert_resource(Dt(2.0));
    world.spawn(Body { position: Position { x: 1.0 }, stunned: Stunned });
    world.spawn(Position { x: 1.0 });
    let mut schedule = <::strata_ecs::prelude::Schedule as ::std::default::Default>::default();
    schedule.add_systems((movement, count, either, params));
    schedule.run(&mut world);
}
