use strata_ecs::prelude::*;

#[derive(Event)]
struct Arrival;

#[observer]
fn greet(_: On<Arrival>) {
    println!("hello");
}

fn main() {
    let mut world = World::new();
    world.add_observer(greet);
    world.trigger(Arrival);
}
