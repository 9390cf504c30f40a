use strata_ecs::prelude::*;

#[derive(Event)]
enum Alarm {
    Level(u32),
    Volume(f32),
}

fn main() {
    World::new().trigger(Alarm::Level(1));
    World::new().trigger(Alarm::Volume(0.5));
}
