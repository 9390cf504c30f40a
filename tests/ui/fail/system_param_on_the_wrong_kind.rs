use strata_ecs::prelude::*;

#[derive(SystemParam)]
enum Either<'w> {
    World(&'w World),
}

#[derive(SystemParam)]
union Overlaid<'w> {
    world: &'w World,
}

#[system]
fn uses(either: Either) {
    let _ = either;
}

fn main() {
    Schedule::default().add_systems(uses);
}
