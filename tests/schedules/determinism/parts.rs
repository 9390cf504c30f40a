//! The components and resources of the worlds.

use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

/// A component with a number in it.
pub(crate) trait Value: Component<Mutability = Mutable> {
    fn get(&self) -> u64;
    fn set(&mut self, number: u64);
}

macro_rules! values {
    ($($(#[$attribute:meta])* $name:ident),*) => {
        $(
            #[derive(Component, Clone, Copy, PartialEq, Debug)]
            $(#[$attribute])*
            pub(crate) struct $name(pub(crate) u64);

            impl Value for $name {
                fn get(&self) -> u64 {
                    self.0
                }

                fn set(&mut self, number: u64) {
                    self.0 = number;
                }
            }
        )*
    };
}

values!(
    A,
    B,
    C,
    D,
    #[component(storage = "sparse")]
    E,
    #[component(storage = "sparse")]
    F
);

/// Splits tables.
#[derive(Component, Clone, Copy, Default)]
pub(crate) struct T;

/// Splits rows of a table.
#[derive(Component, Clone, Copy, Default)]
#[component(storage = "sparse")]
pub(crate) struct S;

/// The id of another entity, which may be dead.
#[derive(Component, Clone, Copy)]
pub(crate) struct Link(pub(crate) Entity);

/// Its values are kept when they are removed.
#[derive(Component)]
pub(crate) struct Kept(pub(crate) u64);

/// A pair of any two.
#[derive(Relation, Clone)]
pub(crate) struct Likes(pub(crate) u64);

/// A source ends with its one target.
#[derive(Relation, Clone)]
#[relation(exclusive, on_target_despawn = "cascade")]
pub(crate) struct Owns(pub(crate) u64);

#[derive(Resource, Default)]
pub(crate) struct One(pub(crate) u64);

#[derive(Resource, Default)]
pub(crate) struct Two(pub(crate) u64);

/// Comes and goes.
#[derive(Resource, Default)]
pub(crate) struct Extra(pub(crate) u64);

#[derive(Message, Clone)]
pub(crate) struct Note(pub(crate) u64);

#[derive(Message, Clone)]
pub(crate) struct Cry(pub(crate) Entity);

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Set(pub(crate) u8);

/// A number that depends on both, and on which is which.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(23).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ (a >> 29)
}
