//! `track` says when it is kept which values of a component have changed: `"on_demand"`, in worlds in which a system asks
//! for it, which is the default; `"always"`; or `"never"`.
use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "newer")]
struct Scratch(u32);

fn main() {
    World::new().spawn(Scratch(1));
}
