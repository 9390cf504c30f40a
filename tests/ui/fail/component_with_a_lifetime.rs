use strata_ecs::prelude::*;

#[derive(Component)]
struct Borrowed<'a> {
    name: &'a str,
}

fn main() {
    World::new().spawn(Borrowed { name: "a" });
}
