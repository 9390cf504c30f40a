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
    world.spawn((Health(1), Shield(2)));
    let mut targets = world.query::<Target>();
    assert_eq!(targets.iter(&world).count(), 1);
}
