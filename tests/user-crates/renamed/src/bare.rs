//! A module without the prelude of the standard library.
#![no_implicit_prelude]

use ::ecs_renamed::prelude::{Component, Mut, Query, Res, Resource, World, system};

/// A count.
#[derive(Component, ::core::fmt::Debug)]
#[component(crate = ::ecs_renamed)]
pub struct Count(pub u32);

/// An amount to add.
#[derive(Resource, ::core::fmt::Debug)]
#[resource(crate = ::ecs_renamed)]
pub struct Amount(pub u32);

/// Adds the amount.
#[system(crate = ::ecs_renamed)]
pub fn add(mut count: Mut<'_, Count>, amount: Res<'_, Amount>) {
    count.0 += amount.0;
}

/// The sum of all counts of a world.
pub fn sum(world: &mut World) -> u32 {
    fn total(all: Query<'_, '_, &Count>) -> u32 {
        ::core::iter::Iterator::sum(::core::iter::Iterator::map(all.iter(), |count| count.0))
    }
    ::core::result::Result::unwrap_or_default(::ecs_renamed::prelude::RunSystemOnce::run_system_once(world, total))
}
