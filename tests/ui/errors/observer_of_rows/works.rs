use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(EntityEvent)]
struct Hit(Entity);

#[system]
fn hurt(hit: On<Hit>, mut all: Query<&mut Health>) {
    if let Ok(mut health) = all.get_mut(hit.0) {
        health.0 -= 1;
    }
}

fn main() {
    let mut world = World::new();
    world.add_observer(hurt);
    let orc = world.spawn(Health(3)).id();
    world.trigger(Hit(orc));
    assert_eq!(world.get::<Health>(orc).unwrap().0, 2);
}
