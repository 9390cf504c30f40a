//! How the derives map the entities inside fields.
//!
//! Tests: tests/storage/descriptors/entities.rs

use alloc::boxed::Box;
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;
use core::any::Any;
#[cfg(feature = "std")]
use std::collections::HashSet;

use super::mapper::{EntityMapper, MapEntities};
use super::{Entity, EntityHashSet, UniqueEntityVec};
use crate::util::const_panic::fail;

/// How the entities inside values of `T` are mapped, according to the bounds that are known where it is created.
pub enum Mapping<T> {
    /// The type is not known to be `MapEntities`.
    Unknown,
    /// Values contain no entities.
    Empty,
    /// Values may contain entities, which this function maps.
    By(fn(&mut T, &mut dyn EntityMapper)),
}

impl_copy! { [T] Mapping<T>; }

impl<T> Mapping<T> {
    /// For a type that can be mapped.
    pub(crate) const fn new() -> Self
    where
        T: MapEntities,
    {
        if T::HOLDS_ENTITIES { Self::By(|value, mut mapper| value.map_entities(&mut mapper)) } else { Self::Empty }
    }

    /// For the type of a field that has a generic parameter. If its bounds do not prove that the type can be mapped, values are mapped
    /// whose type is a common one with entities.
    #[must_use]
    pub const fn or_by_type(self) -> Self
    where
        T: 'static,
    {
        match self {
            Self::Unknown => Self::By(map_by_type),
            known => known,
        }
    }

    /// Whether the type is known to be `MapEntities`.
    #[must_use]
    pub const fn is_known(self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// Whether values are known to contain entities.
    #[must_use]
    pub const fn holds_entities(self) -> bool {
        matches!(self, Self::By(_))
    }

    /// Maps the entities inside a value.
    pub fn map(self, value: &mut T, mapper: &mut dyn EntityMapper) {
        if let Self::By(map) = self {
            map(value, mapper);
        }
    }
}

/// Maps a value if it is an entity or a common collection of entities.
fn map_by_type<T: 'static>(value: &mut T, mapper: &mut dyn EntityMapper) {
    let value: &mut dyn Any = value;
    let mut mapper = mapper;
    macro_rules! map_as {
        ($($Type:ty,)*) => { $(
            if let Some(value) = value.downcast_mut::<$Type>() {
                return value.map_entities(&mut mapper);
            }
        )* };
    }
    map_as! {
        Entity, Option<Entity>, Vec<Entity>, Vec<Option<Entity>>, Option<Vec<Entity>>, VecDeque<Entity>, BTreeSet<Entity>,
        Box<Entity>, Option<Box<Entity>>, Box<[Entity]>, EntityHashSet, UniqueEntityVec, (Entity, Entity),
        Vec<(Entity, Entity)>, [Entity; 1], [Entity; 2], [Entity; 3], [Entity; 4],
    }
    #[cfg(feature = "std")]
    map_as! { HashSet<Entity>, }
}

/// Whether a field contains entities that are mapped.
#[derive(Clone, Copy, Debug)]
pub struct FieldMapping(bool);

impl FieldMapping {
    /// A field whose type implements `MapEntities`.
    pub const DEMANDED: Self = Self(true);

    /// Whether the field contains entities that are mapped.
    pub(crate) const fn holds_entities(self) -> bool {
        self.0
    }
}

/// The mapping of a field with this name and type. `inside` says whether the type mentions types that contain entities; `own` says whether
/// the struct has its own implementation of `MapEntities`, which handles the field.
///
/// # Panics
///
/// At compile time, if the field contains entities and cannot be mapped.
#[must_use]
#[track_caller]
pub const fn field_mapping<T>(name: &str, ty: &str, mapping: Mapping<T>, own: bool, inside: &[bool]) -> FieldMapping {
    let mut at = 0;
    while at < inside.len() {
        if inside[at] && !own && !mapping.is_known() {
            let what =
                ["the entities inside of field `", name, "` cannot be mapped: `", ty, "` is not `MapEntities`\n"];
            let help = [
                "help: derive `MapEntities` for the types in it that are yours, or write `#[entities(ignore)]` above the field if \
                 it is to keep the entities that it has",
            ];
            fail(&[&what, &help]);
        }
        at += 1;
    }
    FieldMapping(mapping.holds_entities())
}
