#![deny(warnings)]
use strata_ecs::prelude::*;

fn main() {
    #[derive(Component)]
    struct A(u8);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct S;
    #[derive(Resource)]
    struct R(u8);
    #[derive(Bundle)]
    struct B {
        a: A,
        s: S,
    }
    #[derive(QueryData)]
    struct Q {
        a: &'static A,
    }
    #[system(with(S))]
    fn row(a: &mut A, r: Res<R>) {
        a.0 += r.0;
    }
    #[system]
    fn census(all: Query<Q>) {
        assert_eq!(all.single().unwrap().a.0, 3);
    }

    let mut world = World::new();
    world.insert_resource(R(2));
    world.spawn(B { a: A(1), s: S });
    let mut schedule = Schedule::default();
    schedule.add_systems((row, census));
    schedule.run(&mut world);
}
