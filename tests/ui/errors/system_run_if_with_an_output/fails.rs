//! A system whose condition does not hold is not run, so there is no value that it could return. `()` and `Ok(())`
//! go without saying.
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
    all.count()
}

fn main() {
    let _ = World::new().run_system_once(count);
}
