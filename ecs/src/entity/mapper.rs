//! Replaces the entities inside values by other entities, for instance after a load, a clone, or a move to another world.
//!
//! Tests: tests/storage/descriptors/entities.rs

use alloc::collections::BTreeMap;
#[cfg(feature = "std")]
use core::hash::BuildHasher;
#[cfg(feature = "std")]
use std::collections::HashMap;

use super::{Entity, EntityHashMap, EntityMap};

/// Maps entities to other entities.
///
/// A map from entities to entities is a mapper: an [`EntityMap`], a `HashMap` or a `BTreeMap`. It leaves entities that are not in the map
/// unchanged. A pair `(from, to)` is a mapper that replaces only `from`. `()` is a mapper that changes nothing.
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
    /// Returns the entity that replaces `source`.
    fn get_mapped(&mut self, source: Entity) -> Entity;

    /// Makes `target` replace `source` from now on.
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

/// Implements the trait for maps. They replace the entities that they contain, and leave others unchanged.
macro_rules! maps {
    ($([$($generics:tt)*] $Map:ty;)*) => { $(
        impl<$($generics)*> EntityMapper for $Map {
            fn get_mapped(&mut self, source: Entity) -> Entity {
                self.get(&source).copied().unwrap_or(source)
            }

            fn set_mapped(&mut self, source: Entity, target: Entity) {
                self.insert(source, target);
            }
        }
    )* };
}

maps! { [] BTreeMap<Entity, Entity>; [] EntityHashMap<Entity>; }
#[cfg(feature = "std")]
maps! { [S: BuildHasher] HashMap<Entity, Entity, S>; }

impl EntityMapper for EntityMap {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        self.get(source).unwrap_or(source)
    }

    /// `O(entities)` for an entity that is not in the map.
    fn set_mapped(&mut self, source: Entity, target: Entity) {
        self.set(source, target);
    }
}

/// A value that may contain entities, which can be replaced by other entities.
///
/// A field of a component, relation or resource is mapped if the type of the field implements this trait: see
/// [`#[derive(Component)]`](derive@crate::prelude::Component). If a component itself implements this trait, it is mapped by that
/// implementation. [`#[derive(MapEntities)]`](derive@crate::entity::MapEntities) implements the trait for the types of fields.
///
/// The trait is implemented for [`Entity`], and for common types without entities: numbers, `bool`, `char`, strings and durations. It is
/// also implemented for tuples, arrays, `Option`, `Result`, `Box`, `Arc`, ranges, locks and collections of such types.
///
/// # Limits
///
/// A field whose type does not implement this trait is skipped: the entities inside the field keep their old ids. The derives report such a
/// field only if the type as written mentions a type with entities, like `Wrapper<Entity>`. The derives do not see the fields of your own
/// structs. So derive `MapEntities` for each struct or enum that contains entities and is the type of a field. A field with
/// `#[entities(ignore)]` is never mapped.
///
/// ```
/// use strata_ecs::entity::MapEntities;
/// use strata_ecs::prelude::*;
///
/// #[derive(MapEntities)]
/// struct Squad {
///     leader: Entity,
///     ranks: Vec<(Entity, u32)>,
/// }
///
/// let mut world = World::new();
/// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
/// let mut squad = Squad { leader: a, ranks: vec![(a, 1), (b, 2)] };
/// squad.map_entities(&mut (a, c));
/// assert_eq!((squad.leader, squad.ranks), (c, vec![(c, 1), (b, 2)]));
/// ```
#[diagnostic::on_unimplemented(
    message = "the entities inside of `{Self}` cannot be mapped: derive `MapEntities` for it",
    label = "holds no entities, or does not say how they are mapped",
    note = "`Entity`, numbers and strings can be mapped, and what keeps values that can be: tuples, `Option`, `Box`, arrays and collections",
    note = "a field with `#[entities(ignore)]` keeps the entities that it has"
)]
pub trait MapEntities {
    /// Whether values may contain entities. If false, [`map_entities`](Self::map_entities) is never called for the values of a component.
    ///
    /// ```
    /// use strata_ecs::entity::MapEntities;
    /// use strata_ecs::prelude::*;
    ///
    /// assert!(<Vec<Option<Entity>>>::HOLDS_ENTITIES);
    /// assert!(!<Vec<Option<u32>>>::HOLDS_ENTITIES);
    /// ```
    const HOLDS_ENTITIES: bool = true;

    /// Replaces each entity inside the value.
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M);
}

impl MapEntities for Entity {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        *self = mapper.get_mapped(*self);
    }
}

/// Replaces the entities inside a field. The derives call this function for a field with the attribute `#[entities]`.
pub fn map_inside<T: MapEntities + ?Sized, M: EntityMapper>(field: &mut T, mapper: &mut M) {
    field.map_entities(mapper);
}
