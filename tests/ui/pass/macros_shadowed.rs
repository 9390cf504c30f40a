#![allow(unused_macros)]
macro_rules! vec { ($($t:tt)*) => { compile_error!("the user's vec") }; }
macro_rules! assert { ($($t:tt)*) => { compile_error!("the user's assert") }; }
macro_rules! panic { ($($t:tt)*) => { compile_error!("the user's panic") }; }
macro_rules! concat { ($($t:tt)*) => { compile_error!("the user's concat") }; }
macro_rules! stringify { ($($t:tt)*) => { compile_error!("the user's stringify") }; }
macro_rules! line { ($($t:tt)*) => { compile_error!("the user's line") }; }
macro_rules! column { ($($t:tt)*) => { compile_error!("the user's column") }; }
macro_rules! module_path { ($($t:tt)*) => { compile_error!("the user's module_path") }; }
macro_rules! option_env { ($($t:tt)*) => { compile_error!("the user's option_env") }; }
macro_rules! env { ($($t:tt)*) => { compile_error!("the user's env") }; }

use strata_ecs::event::Event;
use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
#[derive(Component)]
struct G<T: Send + Sync + 'static, const N: usize>([T; N]);
#[derive(Resource)]
struct R(u8);
#[derive(Bundle)]
struct B {
    a: A,
    g: G<u8, 2>,
}
#[derive(QueryData)]
struct Q {
    a: &'static A,
}
#[derive(QueryData)]
#[query_data(mutable)]
enum E {
    A(&'static mut A),
    G { g: &'static G<u8, 2> },
}
#[derive(Message, Event)]
struct M;
#[derive(SystemSet, ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Label;
#[derive(QueryFilter)]
struct F(With<A>);
#[system(with(G<u8, 2>))]
fn row(a: &mut A, r: Res<R>) {
    a.0 += r.0;
}

fn main() {
    let _ = (M, SystemSet::intern(&Label), ScheduleLabel::intern(&Label));
    let mut world = World::new();
    world.insert_resource(R(2));
    world.spawn(B { a: A(1), g: G([1, 2]) });
    let mut schedule = Schedule::default();
    schedule.add_systems(row);
    schedule.run(&mut world);
    let mut query = world.query::<Q>();
    if !matches!(world.query_filtered::<E, F>().single(&world), Ok(EReadOnlyItem::A(_))) {
        std::process::exit(2);
    }
    if query.single(&world).unwrap().a.0 != 3 {
        std::process::exit(1);
    }
}
