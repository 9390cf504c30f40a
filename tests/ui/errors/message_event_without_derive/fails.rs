//! An event is a type that says so.
use strata_ecs::event::Event;

struct Hit(u32);

fn uses<T: Event>(_: T) {}

fn main() {
    uses(Hit(1));
}
