use strata_ecs::prelude::*;
use strata_ecs::system::{Deferred, SystemBuffer, SystemMeta};
use strata_ecs::world::DeferredWorld;

#[derive(Resource, Default)]
struct Log(Vec<String>);

#[derive(Default)]
struct Lines(Vec<String>);

impl SystemBuffer for Lines {
    fn queue(&mut self, _: &SystemMeta, mut world: DeferredWorld) {
        world.resource_mut::<Log>().0.append(&mut self.0);
    }
}

fn collect(mut lines: Deferred<Lines>) {
    lines.0.push("one".into());
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.run_system_once(collect).unwrap();
    assert_eq!(world.resource::<Log>().0, ["one"]);
}
