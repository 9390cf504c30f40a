#![allow(dead_code)]

mod core {}
mod std {}
mod alloc {}
mod strata_ecs {}
#[allow(non_camel_case_types)]
struct bevy;

mod user {
    mod core {}
    mod strata_ecs {}
    use ::strata_ecs::event::Event;
    use ::strata_ecs::prelude::*;

    #[derive(Component)]
    struct A(u8);
    #[derive(Resource)]
    struct R;
    #[derive(Bundle)]
    struct B {
        a: A,
    }
    #[derive(QueryData)]
    struct Q {
        a: &'static A,
    }
    #[derive(QueryData)]
    enum E {
        A(&'static A),
    }
    #[derive(Message, Event)]
    struct M;
    #[derive(SystemSet, ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Label;
    #[derive(QueryFilter)]
    struct F(With<A>);
    #[system]
    fn row(a: &mut A, _r: Res<R>) {
        a.0 += 1;
    }
    pub fn run() {
        let _ = (M, SystemSet::intern(&Label), ScheduleLabel::intern(&Label));
        let mut world = World::new();
        world.insert_resource(R);
        world.spawn(B { a: A(1) });
        let mut schedule = Schedule::default();
        schedule.add_systems(row);
        schedule.run(&mut world);
        assert_eq!(world.query::<Q>().single(&world).unwrap().a.0, 2);
        assert!(matches!(world.query_filtered::<E, F>().single(&world), Ok(EItem::A(A(2)))));
    }
}

fn main() {
    user::run();
}
