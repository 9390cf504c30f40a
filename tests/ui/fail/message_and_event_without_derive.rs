use strata_ecs::event::Event;
use strata_ecs::prelude::*;

use std::cell::Cell;

struct Hit;

#[derive(Message)]
struct Counter(Cell<u8>);

fn send(_: impl Message) {}
fn trigger(_: impl Event) {}

fn main() {
    send(Hit);
    trigger(Hit);
    send(Counter(Cell::new(1)));
}
