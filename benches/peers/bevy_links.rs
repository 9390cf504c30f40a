//! Hierarchies, done by `bevy_ecs`.

use crate::support::Contestant;
use crate::support::links::Which;

#[path = "../support/links/alike.rs"]
mod alike;

mod ecs {
    pub(super) use bevy_ecs::prelude::*;
}

pub(crate) fn contestants(bench: &str) -> Vec<Contestant> {
    match bench {
        "hierarchy: spawn 1000 x 10" => one("bevy_ecs: world.spawn, ChildOf", alike::spawn),
        "hierarchy: walk 1000 x 10" => one("bevy_ecs: &Children, query.get", alike::walk),
        "hierarchy: despawn 1000 x 10" => one("bevy_ecs: world.despawn", alike::despawn),
        "hierarchy: re-parent 10k" => vec![
            Contestant::new("bevy_ecs: insert(ChildOf)", None, alike::re_parent),
            Contestant::new("bevy_ecs: add_children, ten at once", None, alike::re_parent_together),
        ],
        "hierarchy: despawn one of 10k, read the rest" => vec![
            Contestant::new("bevy_ecs: without a parent, a list read", None, alike::alone),
            Contestant::new("bevy_ecs: the first sibling", None, || alike::sibling(Which::First)),
            Contestant::new("bevy_ecs: the middle sibling", None, || alike::sibling(Which::Middle)),
            Contestant::new("bevy_ecs: the last sibling", None, || alike::sibling(Which::Last)),
        ],
        "predator-prey 500 x 2000" => one("bevy_ecs: a reverse index by hand", crate::bevy_hunt::sample),
        _ => Vec::new(),
    }
}

fn one(name: &'static str, prepare: fn() -> crate::support::Sample) -> Vec<Contestant> {
    vec![Contestant::new(name, None, prepare)]
}
