//! Where a function asks for parameters that only read, one that writes is refused.
use strata_ecs::prelude::*;

#[derive(Resource)]
struct Paused(bool);
use strata_ecs::system::ReadOnlySystemParam;

fn only_reads<P: ReadOnlySystemParam>() {}

fn main() {
    only_reads::<ResMut<Paused>>();
}
