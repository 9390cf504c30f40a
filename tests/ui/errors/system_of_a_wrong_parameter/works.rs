use strata_ecs::prelude::*;
use strata_ecs::system::SystemParamFunction;

fn logged<Marker>(system: impl SystemParamFunction<Marker>) {
    let _ = system;
}

fn main() {
    let count = 3;
    logged(move |all: Query<Entity>| assert!(all.count() < count));
}
