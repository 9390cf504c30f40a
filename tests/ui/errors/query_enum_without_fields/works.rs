use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Shield(u32);

#[derive(QueryData)]
enum Target {
    Shielded(&'static Shield),
    Naked,
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(1));
    world.spawn(Shield(2));
    let shields = |target| if let TargetItem::Shielded(shield) = target { shield.0 } else { 0 };
    assert_eq!(world.query::<Target>().iter(&world).map(shields).sum::<u32>(), 2);
}
