//! There are two kinds of storage: `"table"` for what is read often, which is the default, and `"sparse"` for what
//! comes and goes often.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(storage = "sparce")]
struct Stunned;

fn main() {
    World::new().spawn(Stunned);
}
