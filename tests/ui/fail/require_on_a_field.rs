use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

#[derive(Component)]
struct Monster {
    #[require(Health)]
    level: u32,
}

fn main() {
    let _ = (Health(1).0, Monster { level: 1 }.level);
}
