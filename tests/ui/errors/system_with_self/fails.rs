//! A system does not belong to a value: the schedule calls it with parameters from the world. Instead of `self`, use a
//! component of the row, with a name and a type.
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
