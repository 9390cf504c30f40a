//! One error for each type, which names all that is missing.

use strata_ecs::prelude::*;

#[derive(SystemSet)]
struct Nothing;

#[derive(SystemSet, Clone, PartialEq, Debug)]
enum Physics {
    Forces,
    Collisions,
}

#[derive(Clone, PartialEq, Eq, Debug, ScheduleLabel)]
struct Startup;

#[derive(PartialEq, Eq, Hash, Debug)]
#[derive(ScheduleLabel)]
struct NotClone(u8);

#[derive(Clone)]
#[derive(SystemSet)]
struct Most;

fn main() {
    let _ = (Nothing.intern(), Physics::Forces.intern(), Physics::Collisions.intern());
    let _ = (Startup.intern(), NotClone(1).intern(), Most.intern());
}
