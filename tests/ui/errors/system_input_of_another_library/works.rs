use strata_ecs::prelude::*;

#[derive(Resource)]
struct Total(u32);

mod shop {
    use strata_ecs::prelude::*;

    #[derive(SystemParam)]
    pub struct In<'w, T: Resource> {
        pub shelf: Res<'w, T>,
    }
}

#[system]
fn read(#[param] shop: shop::In<Total>) -> u32 {
    shop.shelf.0
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Total(1));
    assert_eq!(world.run_system_once(read).unwrap(), 1);
}
