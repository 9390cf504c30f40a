use strata_ecs::prelude::*;

#[derive(Message)]
struct Sent(u32);
#[derive(Event)]
struct Happened(u32);

fn observe(_: On<Sent>) {}
#[system]
fn read(_: MessageReader<Happened>) {}
#[system]
fn write(_: MessageWriter<Happened>) {}

fn main() {
    let mut world = World::new();
    world.trigger(Sent(1));
    world.write_message(Happened(1));
    world.commands().trigger(Sent(1));
    world.commands().write_message(Happened(1));
}
