use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
type Life<'a> = &'a Health;

#[system]
fn check(#[row] life: Life) {
    assert!(life.0 > 0);
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(3));
    world.run_system_once(check).unwrap();
}
