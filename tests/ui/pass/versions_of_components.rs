//! Components with versions, among names that their expansion must not take from here.
#![allow(dead_code)]

use strata_ecs::component::ComponentDescriptor;
use strata_ecs::prelude::*;

struct UpgradeList;
#[derive(serde::Deserialize)]
struct Old(u8);

#[derive(Component)]
#[component(name = "life", version = 3, alias("health", "hp"), save = "skip")]
#[component(upgrade(1 = |Old(now)| Self(now), 2 = Life::from_pair))]
struct Life(u8);

impl Life {
    fn from_pair((now, _): (u8, u8)) -> Self {
        Self(now)
    }
}

fn empty<T>(_: Old) -> Pile<T> {
    Pile(Vec::new())
}

#[derive(Component)]
#[component(version = 2, upgrade = empty::<T>, alias = "heap")]
struct Pile<T>(Vec<T>);

#[test]
fn main() {
    let list = UpgradeList;
    let UpgradeList = list;
    let life = ComponentDescriptor::of::<Life>();
    assert_eq!((life.version(), life.aliases(), life.is_saved()), (3, &["health", "hp"][..], false));
    assert_eq!(ComponentDescriptor::of::<Pile<u8>>().version(), 2);
}
