use strata_ecs::prelude::*;
use strata_ecs::system::LocalBuilder;

#[derive(SystemParam)]
#[system_param(builder)]
struct Countdown<'s> {
    left: Local<'s, u32>,
}

fn next(mut countdown: Countdown) -> u32 {
    *countdown.left -= 1;
    *countdown.left
}

fn main() {
    let builder = CountdownBuilder { left: LocalBuilder(3) };
    assert_eq!(World::new().run_system_once((builder,).build_system(next)).unwrap(), 2);
}
