use strata_ecs::prelude::*;

struct Item(u32);

#[derive(Component)]
struct Inventory(Vec<Item>);

#[system]
fn count(inventory: &Inventory) {
    assert!(inventory.0.len() < 100);
}

fn main() {
    let mut world = World::new();
    world.spawn(Inventory(vec![Item(1)]));
    world.run_system_once(count).unwrap();
}
