use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn bare(_: ParamSet<(Query<&Health>, Health)>) {}

fn main() {}
