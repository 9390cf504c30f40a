use strata_ecs::prelude::*;

#[derive(Event)]
struct Alarm;

#[observer]
fn wake_up(_alarm: On<Alarm>) {}

fn main() {
    let mut world = World::new();
    world.add_observer(wake_up);
    world.trigger(Alarm);
}
