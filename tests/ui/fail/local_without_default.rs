use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

struct Config(u8);

fn counts(config: Local<Config>) {
    assert!(config.0 > 0);
}

fn main() {
    Schedule::default().add_systems(counts);
}
