use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Paused(bool);

fn unpause(mut paused: ResMut<Paused>) -> bool {
    paused.0 = false;
    true
}

#[system(run_if(unpause))]
fn heal(health: &mut Health) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems(heal);
}
