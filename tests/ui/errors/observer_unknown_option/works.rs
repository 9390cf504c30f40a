use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[observer(without(Name))]
fn hurt(_: On<Add<Health>>, health: &mut Health) {
    health.0 -= 1;
}

fn main() {
    World::new().add_observer(hurt);
}
