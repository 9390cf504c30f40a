use strata_ecs::prelude::*;

#[derive(Clone, Component)]
#[component(clone = "always")]
struct Always;

#[derive(Clone, Component)]
#[component(clone = never)]
struct Bare;

#[derive(Clone, Component)]
#[component(clone("never"))]
struct List;

fn main() {
    World::new().spawn((Always, Bare, List));
}
