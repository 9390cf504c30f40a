use strata_ecs::prelude::*;

#[derive(Resource)]
struct Total(u32);

#[system]
fn add(In(amount): In<u32>, mut total: ResMut<Total>) {
    total.0 += amount;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Total(1));
    world.run_system_once_with(add, 3).unwrap();
    assert_eq!(world.resource::<Total>().0, 4);
}
