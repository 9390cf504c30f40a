//! A number, a text or a list is not a component, and its type cannot be given the derive: put it into a struct of your own. The
//! name of the struct also says what the value is for.
use strata_ecs::prelude::*;

fn main() {
    World::new().spawn(5_u32);
}
