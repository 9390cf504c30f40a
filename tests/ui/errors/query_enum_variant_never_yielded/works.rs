use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[derive(QueryData)]
enum Target {
    Shielded(&'static Shield),
    Other,
}

fn main() {
    let mut world = World::new();
    world.spawn((Health(1), Shield(2)));
    assert!(world.query::<Target>().iter(&world).all(|target| matches!(target, TargetItem::Shielded(_))));
}
