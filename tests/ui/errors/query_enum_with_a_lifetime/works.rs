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
    let strength = |target: TargetItem| match target {
        TargetItem::Shielded(shield) => shield.0,
        TargetItem::Naked(health) => health.0,
    };
    assert_eq!(world.query::<Target>().iter(&world).map(strength).sum::<u32>(), 2);
}
