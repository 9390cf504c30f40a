use strata_ecs::prelude::*;

#[derive(SystemParam)]
struct Other<'a> {
    world: &'a World,
}

#[derive(SystemParam)]
struct Bounded<'w, 's: 'w> {
    commands: Commands<'w, 's>,
}

#[derive(SystemParam)]
struct InClause<'w, 's>(Commands<'w, 's>)
where
    'w: 's;

fn uses(_: Other, _: Bounded, _: InClause) {}

fn main() {
    Schedule::default().add_systems(uses);
}
