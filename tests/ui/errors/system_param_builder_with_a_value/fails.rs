//! `#[system_param(builder)]` makes a builder whose name is the name of the struct followed by `Builder`. It has no options.
use strata_ecs::prelude::*;

#[derive(SystemParam)]
#[system_param(builder = CountdownBuilder)]
struct Countdown<'s> {
    left: Local<'s, u32>,
}

fn main() {}
