use strata_ecs::prelude::*;

use std::rc::Rc;

#[derive(Component)]
struct Shared(Rc<u8>);

fn main() {
    World::new().spawn(Shared(Rc::new(1)));
}
