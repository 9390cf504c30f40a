use strata_ecs::prelude::*;

/// A function that takes any text is one that takes a static one, but a system is looked for by its own type.
fn of_static(id: SystemId<(), for<'a> fn(&'a str)>) -> SystemId<(), fn(&'static str)> {
    id
}

fn main() {
    let mut world = World::new();
    let id = world.register_system(|| -> for<'a> fn(&'a str) { |_| () });
    world.run_system(of_static(id)).unwrap()("");
}
