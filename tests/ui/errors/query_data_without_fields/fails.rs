//! Each field of a query struct is something to ask for, and without fields there is nothing to get. To find out
//! whether entities match, use a filter, or ask for their `Entity`.
use strata_ecs::prelude::*;

#[derive(QueryData)]
struct Anything {}

fn main() {
    World::new().query::<Anything>();
}
