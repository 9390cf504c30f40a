use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[system]
struct Struct;

#[system]
trait Trait {}

#[system]
mod module {}

#[system]
const CONSTANT: u8 = 1;

#[system]
impl A {}

fn main() {}
