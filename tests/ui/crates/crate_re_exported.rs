mod engine {
    pub mod deep {
        pub use strata_ecs as ecs;
    }
}

mod game {
    use crate::engine::deep::ecs::prelude::*;

    #[derive(Component)]
    #[component(crate = crate::engine::deep::ecs)]
    pub struct A(pub u8);

    #[derive(Resource)]
    #[resource(crate = super::engine::deep::ecs)]
    pub struct R(pub u8);

    #[derive(Bundle)]
    #[bundle(crate = crate::engine::deep::ecs)]
    pub struct B {
        pub a: A,
    }

    #[system(crate = crate::engine::deep::ecs)]
    pub fn row(a: &mut A, r: Res<R>) {
        a.0 += r.0;
    }
}

use engine::deep::ecs::prelude::*;

fn main() {
    let mut world = World::new();
    world.insert_resource(game::R(2));
    world.spawn(game::B { a: game::A(1) });
    let mut schedule = Schedule::default();
    schedule.add_systems(game::row);
    schedule.run(&mut world);
    assert_eq!(world.query::<&game::A>().single(&world).unwrap().0, 3);
}
