use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armor(u32);

fn heal(mut query: Query<AnyOf<(&mut Health, &Armor)>>) {
    for (health, armor) in query.iter_mut() {
        if let Some(mut health) = health {
            health.0 += armor.map_or(1, |armor| armor.0);
        }
    }
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn((Health(1), Armor(2))).id();
    world.run_system_once(heal).unwrap();
    assert_eq!(world.get::<Health>(entity).unwrap().0, 3);
}
