use strata_ecs::event::Event;
use strata_ecs::prelude::*;

macro_rules! component {
    ($(#[$meta:meta])* $vis:vis $name:ident($type:ty) = $storage:literal) => {
        $(#[$meta])*
        #[derive(Component)]
        #[component(storage = $storage)]
        $vis struct $name($type);
    };
}
macro_rules! system {
    ($name:ident, $($param:ident: $type:ty),* ; $body:block) => {
        #[system]
        fn $name($($param: $type),*) $body
    };
}
macro_rules! whole {
    ($item:item) => {
        #[system]
        $item
    };
}
macro_rules! filtered {
    ($name:ident with $filter:path, $component:ty) => {
        #[system(with($filter))]
        fn $name(value: &mut $component) {
            value.0 += 100;
        }
    };
}
macro_rules! bundle {
    ($name:ident { $($field:ident: $type:ty),* }) => {
        #[derive(Bundle)]
        struct $name { $($field: $type),* }
    };
}

macro_rules! either {
    ($name:ident { $($variant:ident($type:ty)),* }) => {
        #[derive(QueryData)]
        #[query_data(mutable)]
        enum $name { $($variant(&'static mut $type)),* }
    };
}

macro_rules! label {
    ($($derive:ident),* => $name:ident($($inner:ty),*)) => {
        #[derive($($derive,)* Clone, PartialEq, Eq, Hash, Debug)]
        struct $name($($inner),*);
    };
}
macro_rules! filter {
    ($name:ident($($filter:ty),*)) => {
        #[derive(QueryFilter)]
        struct $name($($filter),*);
    };
}

component!(#[derive(Debug)] pub A(u32) = "table");
component!(B(u32) = "sparse");
system!(add, a: &mut A, b: &B; { a.0 += b.0; });
whole! { fn double(a: &mut A) { a.0 *= 2; } }
filtered!(hundred with B, A);
either!(Either { First(A), Second(B) });
label!(SystemSet => Set(u8));
label!(ScheduleLabel => Label());
label!(Message, Event => Hit(u8));
filter!(Filter(With<A>, Without<Both2>));
component!(Both2(u8) = "table");
bundle!(Both { a: A, b: B });

fn main() {
    let _ = (Both2(1).0, Set(1).intern(), Label().intern(), Hit(1));
    let mut world = World::new();
    world.spawn(Both { a: A(1), b: B(2) });
    let mut schedule = Schedule::default();
    schedule.add_systems((add, double, hundred));
    schedule.run(&mut world);
    assert_eq!(world.query::<&A>().single(&world).unwrap().0, 106);
    assert!(matches!(world.query_filtered::<Either, Filter>().single(&world), Ok(EitherReadOnlyItem::First(A(106)))));
}
