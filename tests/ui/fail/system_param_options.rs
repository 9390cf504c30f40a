use strata_ecs::prelude::*;

#[derive(SystemParam)]
#[system_param(crat = strata_ecs)]
struct Misspelt<'w>(&'w World);

#[derive(SystemParam)]
#[system_param]
struct Nothing<'w>(&'w World);

#[derive(SystemParam)]
struct OnAField<'w> {
    #[system_param(ignore)]
    world: &'w World,
}

fn main() {}
