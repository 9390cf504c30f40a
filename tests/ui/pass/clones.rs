#![forbid(unsafe_code, unused_imports)]
#![deny(warnings)]
#![no_implicit_prelude]

use ::strata_ecs::prelude::{Component, World};

/// Not the real one.
#[allow(dead_code)]
trait Clone {
    fn clone(&self) {}
}

/// The names that the output of the macro uses.
#[allow(dead_code)]
enum Option {
    Some,
    None,
}

#[derive(Component)]
struct Unique;

impl Clone for Unique {}

impl Unique {
    /// Nothing to do with components.
    fn cloner(&self) -> u8 {
        7
    }
}

#[derive(::std::clone::Clone, Component)]
struct Common;

#[derive(::std::clone::Clone, Component)]
#[component(clone, storage = "sparse")]
struct Generic<T, const N: usize>
where
    T: ::std::marker::Copy,
{
    #[allow(dead_code)]
    items: [T; N],
}

#[derive(::std::clone::Clone, Component)]
#[component(clone = "never")]
struct Secret;

fn main() {
    ::std::assert_eq!(Unique.cloner(), 7);
    let mut world = World::new();
    let copied = world.spawn((Common, Generic { items: [1, 2] })).id();
    ::std::assert!(world.clone_entity(copied).is_ok());
    let unique = world.spawn((Common, Unique)).id();
    ::std::assert!(world.clone_entity(unique).is_err());
    let secret = world.spawn(Secret).id();
    ::std::assert!(world.clone_entity(secret).is_err());
}
