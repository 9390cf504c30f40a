//! A schedule label is kept as long as the program may run, so it cannot borrow.
use strata_ecs::prelude::*;

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Fixed<'a>(&'a str);

fn main() {}
