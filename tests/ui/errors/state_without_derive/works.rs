use strata_app::prelude::*;

#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]
struct Level(u32);

fn uses<S: States>() {}

fn main() {
    uses::<Level>();
}
