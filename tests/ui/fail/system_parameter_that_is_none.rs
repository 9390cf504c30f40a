use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Resource)]
struct Score(u32);

fn number(count: u32) {
    assert!(count > 0);
}

fn bare_resource(score: Score) {
    assert!(score.0 > 0);
}

fn main() {
    Schedule::default().add_systems(number);
    Schedule::default().add_systems(bare_resource);
}
