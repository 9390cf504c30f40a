use strata_ecs::event::Event;
use strata_ecs::prelude::*;

#[derive(Message)]
union Bits {
    float: f32,
    integer: u32,
}

#[derive(Event)]
struct Borrowed<'a>(&'a str);

#[derive(Message)]
#[message(crat = strata_ecs)]
struct Misspelt;

#[derive(Event)]
#[event()]
struct Empty;

#[derive(Event)]
enum Inside {
    #[event(crate = strata_ecs)]
    One,
}

#[derive(Message)]
#[massage(crate = strata_ecs)]
struct NoSuchAttribute;

fn main() {}
