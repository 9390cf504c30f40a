use strata_ecs::prelude::*;

#[derive(Message)]
struct Hit(u32);

fn sum(mut hits: MessageReader<Hit>) -> u32 {
    hits.read().map(|hit| hit.0).sum()
}

fn main() {
    let mut world = World::new();
    world.write_message(Hit(1));
    assert_eq!(world.run_system_once(sum).unwrap(), 1);
}
