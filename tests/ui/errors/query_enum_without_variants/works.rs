use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[derive(QueryData)]
enum Target {
    Shielded(&'static Shield),
    Naked(&'static Health),
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(1));
    assert_eq!(world.query::<Target>().iter(&world).count(), 1);
}
