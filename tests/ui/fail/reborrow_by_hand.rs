//! What macros hand parameters on with is no API.

use strata_ecs::system::Reborrow;

fn main() {}
