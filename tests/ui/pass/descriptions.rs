#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic, unused_qualifications)]
#![no_implicit_prelude]
//! Everything that the derives describe, where nothing has its usual name.

use ::strata_ecs::component::{ComponentDescriptor, Describe};
use ::strata_ecs::entity::MapEntities;
use ::strata_ecs::prelude::{Component, Resource, World};

/// Names that the output of the macros might take for others.
#[expect(dead_code, reason = "they are only in the way")]
mod in_the_way {
    pub(crate) enum Option {
        Some,
        None,
    }
    pub(crate) struct String;
    pub(crate) trait Clone {}
    pub(crate) trait Default {}
    pub(crate) trait Debug {}
    pub(crate) trait PartialEq {}
    pub(crate) trait Send {}
    pub(crate) struct Field;
    pub(crate) struct Fields;
    pub(crate) struct Description;
    pub(crate) struct Probe;
    pub(crate) struct Unproved;
}
#[expect(unused_imports, reason = "they are only in the way")]
use in_the_way::*;

/// A part.
#[derive(Describe, MapEntities)]
#[describe(name = "part")]
pub struct Part {
    /// The entity that it belongs to.
    pub owner: ::strata_ecs::prelude::Entity,
    value: u8,
}

struct Private(u8);

/// A component with fields of every kind.
#[derive(Component, ::std::clone::Clone)]
pub struct Whole<T, const N: usize>
where
    T: ::std::clone::Clone + Describe + ::std::marker::Send + ::std::marker::Sync,
{
    /// Which one.
    pub value: T,
    #[expect(clippy::type_complexity, reason = "any type may stand here")]
    callback: ::std::option::Option<[fn(&T, &mut [u8; N]) -> ::std::result::Result<u8, ()>; N]>,
    r#type: (),
}

/// A component with entities.
#[derive(Component)]
#[component(name = "with_entities")]
pub enum Held {
    /// One.
    One(::strata_ecs::prelude::Entity, #[entities] Part),
    /// Many.
    Many {
        /// All.
        #[entities]
        value: ::std::vec::Vec<Part>,
        /// How many.
        mapper: u8,
    },
}

/// A resource.
#[derive(Resource)]
#[resource(name = "settings")]
pub struct Settings(Private, #[entities] ::std::option::Option<Part>);

fn main() {
    #[derive(Component)]
    struct Local {
        value: Private,
    }
    let mut world = World::new();
    let owner = world.spawn(Local { value: Private(1) }).id();
    let whole = Whole::<u8, 2> { value: 1, callback: ::std::option::Option::None, r#type: () };
    ::std::assert!(whole.callback.is_none() && matches_unit(whole.r#type));
    world.spawn((whole, Held::One(owner, Part { owner, value: 1 })));
    let many = Held::Many { value: ::std::vec![Part { owner, value: 1 }], mapper: 1 };
    ::std::assert!(::std::matches!(many, Held::Many { mapper: 1, .. }));
    world.spawn(many);
    world.insert_resource(Settings(Private(1), ::std::option::Option::None));
    let settings = world.resource::<Settings>();
    ::std::assert_eq!(settings.0.0 + settings.1.as_ref().map_or(0, |part| part.value), 1);
    ::std::assert_eq!(world.get::<Local>(owner).map_or(0, |local| local.value.0), 1);
    ::std::assert_eq!(ComponentDescriptor::of::<Whole<u8, 2>>().fields().len(), 3);
    ::std::assert!(ComponentDescriptor::of::<Held>().functions().map_entities_fn().is_some());
}

fn matches_unit((): ()) -> bool {
    true
}
