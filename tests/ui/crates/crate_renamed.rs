#![deny(warnings)]
extern crate strata_ecs as ecs_renamed;

use ecs_renamed::event::Event;
use ecs_renamed::prelude::*;

#[derive(Component)]
#[component(crate = ecs_renamed)]
struct A(u8);
#[derive(Component)]
#[component(storage = "sparse", crate = ::ecs_renamed)]
struct S;
#[derive(Resource)]
#[resource(crate = ecs_renamed)]
struct R(u8);
#[derive(Bundle)]
#[bundle(crate = ecs_renamed)]
struct B {
    a: A,
    s: S,
}
#[derive(QueryData)]
#[query_data(mutable, crate = ecs_renamed)]
struct Q {
    a: &'static mut A,
}
#[derive(QueryData)]
#[query_data(crate = ecs_renamed)]
enum E {
    A(&'static A),
}
#[derive(QueryFilter)]
#[query_filter(crate = ecs_renamed)]
struct F(With<A>);
#[derive(Message)]
#[message(crate = ecs_renamed)]
struct M;
#[derive(Event)]
#[event(crate = ecs_renamed)]
struct Ev;
#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
#[system_set(crate = ecs_renamed)]
struct Set;
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
#[schedule_label(crate = ecs_renamed)]
struct Label;
#[system(with(S), crate = ecs_renamed)]
fn row(a: &mut A, r: Res<R>) {
    a.0 += r.0;
}

fn main() {
    let _ = (M, Ev, Set.intern(), Label.intern());
    let mut world = World::new();
    world.insert_resource(R(2));
    world.spawn(B { a: A(1), s: S });
    let mut schedule = Schedule::default();
    schedule.add_systems(row);
    schedule.run(&mut world);
    assert_eq!(world.query::<Q>().single(&world).unwrap().a.0, 3);
    let mut query = world.query_filtered::<E, F>();
    let EItem::A(a) = query.single(&world).unwrap();
    assert_eq!(a.0, 3);
}
