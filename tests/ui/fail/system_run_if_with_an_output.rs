use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Paused(bool);

fn running(paused: Res<Paused>) -> bool {
    !paused.0
}

#[system(run_if(running))]
fn count(all: Query<&Health>) -> usize {
    all.iter().filter(|health| health.0 > 0).count()
}

fn main() {
    World::new().run_system_once(count).unwrap();
}
