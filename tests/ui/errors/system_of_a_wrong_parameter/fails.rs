//! A function of yours that takes systems asks for `SystemParamFunction`: all parameters come from the world, by
//! value. A value that is known beforehand is captured by the closure.
use strata_ecs::prelude::*;
use strata_ecs::system::SystemParamFunction;

fn logged<Marker>(system: impl SystemParamFunction<Marker>) {
    let _ = system;
}

fn main() {
    logged(|count: u32| assert!(count > 0));
    World::new();
}
