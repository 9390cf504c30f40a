//! User code gets worlds, not what is in them.

use strata_ecs::system::MadeFromStore;

fn main() {}
