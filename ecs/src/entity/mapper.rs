//! Exchanging the entities that values hold for others: after a load, a clone, or a move to another world.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::hash::{BuildHasher, Hash};
#[cfg(feature = "std")]
use std::collections::{HashMap, HashSet};

use super::{Entity, EntityMap};

/// Tells which entity stands for another one.
///
/// A mapper is a map from entities to entities (an [`EntityMap`], a `HashMap` or a `BTreeMap`), of which entities that are not
/// in it stay as they are; a pair `(from, to)`, which maps everything to one entity; or `()`, which maps nothing.
///
/// ```
/// use strata_ecs::entity::{EntityMapper, MapEntities};
/// use strata_ecs::prelude::*;
///
/// /// Counts what it is asked.
/// struct Counting(usize);
///
/// impl EntityMapper for Counting {
///     fn get_mapped(&mut self, source: Entity) -> Entity {
///         self.0 += 1;
///         source
///     }
///
///     fn set_mapped(&mut self, _: Entity, _: Entity) {}
/// }
///
/// let mut world = World::new();
/// let mut entities = vec![world.spawn_empty().id(), world.spawn_empty().id()];
/// let mut mapper = Counting(0);
/// entities.map_entities(&mut mapper);
/// assert_eq!(mapper.0, 2);
/// ```
#[doc(alias("EntityRemapUtility"))]
pub trait EntityMapper {
    /// The entity that stands for this one.
    fn get_mapped(&mut self, source: Entity) -> Entity;

    /// Says which entity stands for one from now on.
    fn set_mapped(&mut self, source: Entity, target: Entity);
}

impl EntityMapper for &mut dyn EntityMapper {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        (**self).get_mapped(source)
    }

    fn set_mapped(&mut self, source: Entity, target: Entity) {
        (**self).set_mapped(source, target);
    }
}

impl EntityMapper for () {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        source
    }

    fn set_mapped(&mut self, _: Entity, _: Entity) {}
}

impl EntityMapper for (Entity, Entity) {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        if source == self.0 { self.1 } else { source }
    }

    fn set_mapped(&mut self, source: Entity, target: Entity) {
        *self = (source, target);
    }
}

impl EntityMapper for EntityMap {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        self.get(source).unwrap_or(source)
    }

    /// `O(entities)` for an entity that is not in the map.
    fn set_mapped(&mut self, source: Entity, target: Entity) {
        self.set(source, target);
    }
}

impl EntityMapper for BTreeMap<Entity, Entity> {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        self.get(&source).copied().unwrap_or(source)
    }

    fn set_mapped(&mut self, source: Entity, target: Entity) {
        self.insert(source, target);
    }
}

#[cfg(feature = "std")]
impl<S: BuildHasher> EntityMapper for HashMap<Entity, Entity, S> {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        self.get(&source).copied().unwrap_or(source)
    }

    fn set_mapped(&mut self, source: Entity, target: Entity) {
        self.insert(source, target);
    }
}

/// A value that holds entities, which can be exchanged for others.
///
/// Fields of components and resources are mapped if they have the type [`Entity`] or the attribute `#[entities]`, see
/// [`#[derive(Component)]`](derive@crate::prelude::Component); a component that implements this trait itself is mapped by that.
/// [`#[derive(MapEntities)]`](derive@crate::entity::MapEntities) implements it for the types of fields.
///
/// ```
/// use strata_ecs::entity::MapEntities;
/// use strata_ecs::prelude::*;
///
/// #[derive(MapEntities)]
/// struct Squad {
///     leader: Entity,
///     #[entities]
///     members: Vec<Entity>,
/// }
///
/// let mut world = World::new();
/// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
/// let mut squad = Squad { leader: a, members: vec![a, b] };
/// squad.map_entities(&mut (a, c));
/// assert_eq!((squad.leader, squad.members), (c, vec![c, b]));
/// ```
#[diagnostic::on_unimplemented(
    message = "the entities inside of `{Self}` cannot be mapped: derive `MapEntities` for it",
    label = "holds no entities, or does not say how they are mapped",
    note = "`Entity` can be mapped, and what keeps values that can be: `Option`, `Box`, arrays and the collections"
)]
pub trait MapEntities {
    /// Replaces each entity inside by the one that stands for it.
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M);
}

impl MapEntities for Entity {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        *self = mapper.get_mapped(*self);
    }
}

impl<T: MapEntities> MapEntities for Box<T> {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        (**self).map_entities(mapper);
    }
}

macro_rules! map_items {
    ($([$($generics:tt)*] $Type:ty,)*) => { $(
        impl<T: MapEntities, $($generics)*> MapEntities for $Type {
            fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
                self.iter_mut().for_each(|item| item.map_entities(mapper));
            }
        }
    )* };
}

map_items! { [] Option<T>, [] [T], [] Vec<T>, [] VecDeque<T>, [const N: usize] [T; N], }

/// The value with other entities inside.
fn mapped<T: MapEntities, M: EntityMapper>(mut value: T, mapper: &mut M) -> T {
    value.map_entities(mapper);
    value
}

impl<T: MapEntities + Ord> MapEntities for BTreeSet<T> {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        *self = core::mem::take(self).into_iter().map(|item| mapped(item, mapper)).collect();
    }
}

impl<K: MapEntities + Ord, V: MapEntities> MapEntities for BTreeMap<K, V> {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        let old = core::mem::take(self);
        *self = old.into_iter().map(|(key, value)| (mapped(key, mapper), mapped(value, mapper))).collect();
    }
}

#[cfg(feature = "std")]
impl<T: MapEntities + Eq + Hash, S: BuildHasher + Default> MapEntities for HashSet<T, S> {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        *self = core::mem::take(self).into_iter().map(|item| mapped(item, mapper)).collect();
    }
}

#[cfg(feature = "std")]
impl<K: MapEntities + Eq + Hash, V: MapEntities, S: BuildHasher + Default> MapEntities for HashMap<K, V, S> {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        let old = core::mem::take(self);
        *self = old.into_iter().map(|(key, value)| (mapped(key, mapper), mapped(value, mapper))).collect();
    }
}

/// What the derives call for a field of a type with the name `Entity`: it is mapped if that is this crate's.
pub fn map_entity<T: 'static, M: EntityMapper>(field: &mut T, mapper: &mut M) {
    if let Some(entity) = (field as &mut dyn core::any::Any).downcast_mut::<Entity>() {
        entity.map_entities(mapper);
    }
}

/// What the derives call for a field with the attribute `#[entities]`.
pub fn map_inside<T: MapEntities + ?Sized, M: EntityMapper>(field: &mut T, mapper: &mut M) {
    field.map_entities(mapper);
}
