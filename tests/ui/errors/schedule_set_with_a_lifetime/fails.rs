//! A system set is kept as long as the program may run, so it cannot borrow.
use strata_ecs::prelude::*;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Physics<'a>(&'a str);

fn main() {}
