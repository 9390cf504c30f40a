use strata_ecs::component::ChangeTracking;
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "never")]
struct Scratch(u32);

fn main() {
    World::new().spawn(Scratch(1));
    assert_eq!(Scratch::TRACK, ChangeTracking::Never);
}
