use strata_ecs::prelude::*;

#[derive(Resource)]
struct Paused(bool);
use strata_ecs::system::ReadOnlySystemParam;

fn only_reads<P: ReadOnlySystemParam>() {}

fn main() {
    only_reads::<Res<Paused>>();
    assert!(Paused(true).0);
}
