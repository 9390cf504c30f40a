//! Selects how the derives map the entities inside fields.
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

/// States how the entities inside values of `T` are mapped. It depends on the bounds of `T` that are known where the `Mapping` is created.
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
    /// Returns the mapping of a type that implements `MapEntities`.
    pub(crate) const fn new() -> Self
    where
        T: MapEntities,
    {
        if T::HOLDS_ENTITIES { Self::By(|value, mut mapper| value.map_entities(&mut mapper)) } else { Self::Empty }
    }

    /// Returns the mapping for a field whose type contains a generic parameter. If the bounds do not prove that the type is `MapEntities`,
    /// a value is mapped if its type is one of the common types with entities.
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

    /// Returns whether the type is known to be `MapEntities`.
    #[must_use]
    pub const fn is_known(self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// Returns whether values may contain entities that the mapping replaces.
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

/// Maps a value if its type is [`Entity`] or a common collection of entities.
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

/// States whether a field contains entities that are mapped.
#[derive(Clone, Copy, Debug)]
pub struct FieldMapping(bool);

impl FieldMapping {
    /// The result for a field that is always mapped, since its type implements `MapEntities`.
    pub const DEMANDED: Self = Self(true);

    /// Returns whether the field contains entities that are mapped.
    pub(crate) const fn holds_entities(self) -> bool {
        self.0
    }
}

/// Returns whether a field contains entities that are mapped. `name` and `ty` are the name and the type of the field, for the error.
/// `inside` states for each type that the type of the field mentions whether it contains entities. `own` states whether the struct has its
/// own implementation of `MapEntities`, which handles the field.
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
