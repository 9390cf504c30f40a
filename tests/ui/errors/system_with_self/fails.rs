//! A system belongs to no value: the schedule calls it with what it takes from the world. What would be `self` is a
//! component of the row, and gets a name and a type.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

impl Health {
    #[system]
    fn heal(&mut self) {
        self.0 += 1;
    }
}

fn main() {
    World::new().spawn(Health(1));
}
