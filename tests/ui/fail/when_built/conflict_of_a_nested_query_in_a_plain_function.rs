use strata_ecs::prelude::*;
use strata_ecs::query::NestedQuery;

#[derive(Component)]
struct Health(u32);

fn spread(mut all: Query<(&mut Health, NestedQuery<&Health>)>) {
    for (mut health, others) in &mut all {
        health.0 += others.iter().map(|health| health.0).sum::<u32>();
    }
}

fn main() {
    Schedule::default().add_systems(spread);
}
