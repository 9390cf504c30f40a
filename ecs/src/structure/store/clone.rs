//! Cloning entities.
//!
//! Tests: tests/storage/cloning.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::dynamic::spawn_values;
use super::{EntityBuilder, Store};
use crate::component::{ComponentId, ErasedRef, ErasedVec, UnprovedType};
use crate::entity::{Entity, EntityError, EntityMapper};
use crate::relations::relation::PairClones;
use crate::structure::bundle::Bundle;
use crate::structure::graph::ChangeStep;

/// An entity could not be cloned. Nothing was spawned.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::store::CloneError;
///
/// #[derive(Component, Clone)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Connection;
///
/// let mut world = World::new();
/// let entity = world.spawn((Health(3), Connection)).id();
/// match world.clone_entity(entity) {
///     Err(CloneError::NotClone { components, .. }) => assert!(components[0].ends_with("Connection")),
///     _ => unreachable!(),
/// }
/// assert_eq!(world.len(), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CloneError {
    /// The entity is not alive.
    Entity(EntityError),
    /// Some components of the entity cannot be cloned.
    NotClone {
        /// The entity.
        entity: Entity,
        /// The full type names of all components that cannot be cloned: first the table-stored ones, in the order in which the world
        /// registered them, then the sparse ones.
        components: Vec<&'static str>,
    },
}

impl_error! {
    [] CloneError => |this, f| match this {
        Self::Entity(error) => error.fmt(f),
        Self::NotClone { entity, components } => {
            write!(f, "entity {entity} cannot be cloned, since these of its components cannot: ")?;
            for (at, component) in components.iter().enumerate() {
                let comma = if at == 0 { "" } else { "; " };
                write!(f, "{comma}{}", UnprovedType::clone("component", component))?;
            }
            Ok(())
        }
    },
    Entity(EntityError)
}

/// Clones all components of an entity into a builder.
pub(crate) fn clone_components(store: &Store, entity: Entity) -> Result<EntityBuilder, CloneError> {
    clone_some(store, entity, |_| true)
}

/// Returns the components of a bundle, and the components that they require.
pub(crate) fn bundle_components<B: Bundle>(store: &mut Store) -> (Vec<ComponentId>, Vec<ComponentId>) {
    let bundle = store.register_bundle::<B>();
    let contents = store.structure.archetypes.contents(bundle);
    (contents.explicit.to_vec(), contents.required.iter().map(|required| required.id).collect())
}

/// Clones those components of an entity that `is_meant` selects into a builder. Components that list linked sources and marker components
/// of pairs are skipped, since cloning does not change the links and pairs of the entity.
pub(crate) fn clone_some(
    store: &Store,
    entity: Entity,
    is_meant: impl Fn(ComponentId) -> bool,
) -> Result<EntityBuilder, CloneError> {
    store.structure.entities.locate(entity)?;
    let components = &store.structure.archetypes.components;
    let is_cloned = |&id: &ComponentId| is_meant(id) && !components.lists_sources(id) && !components.is_of_pairs(id);
    let ids = store.structure.components_of(entity).filter(is_cloned);
    let all: Vec<ErasedRef<'_>> = ids.filter_map(|id| store.structure.value_by_id(entity, id)).collect();
    let refused = all.iter().filter(|value| value.descriptor().functions().clone_fn().is_none());
    let components: Vec<&'static str> = refused.map(|value| value.descriptor().name()).collect();
    if !components.is_empty() {
        return Err(CloneError::NotClone { entity, components });
    }
    let mut parts = Vec::with_capacity(all.len());
    parts.extend(all.into_iter().filter_map(ErasedVec::clone_of));
    Ok(EntityBuilder { parts })
}

/// Spawns a clone of an entity with all its components.
pub(crate) fn clone_entity(store: &mut Store, entity: Entity) -> Result<Entity, CloneError> {
    // The clone must not get components that the original lacks, even if one of its components requires them.
    spawn_clone_of_some(store, entity, |_, _| true, ChangeStep::InsertExactly)
}

/// Spawns a clone of an entity with the components and pairs that `is_meant` selects. `step` makes the step that inserts the components
/// from the number of a bundle.
pub(crate) fn spawn_clone_of_some(
    store: &mut Store,
    entity: Entity,
    is_meant: impl Fn(&Store, ComponentId) -> bool,
    step: fn(u32) -> ChangeStep,
) -> Result<Entity, CloneError> {
    store.flush();
    let mut clones = clone_some(store, entity, |id| is_meant(store, id))?;
    let pairs = clone_pairs(store, entity, &is_meant, &|_| false)?;
    if pairs.is_empty() {
        return Ok(spawn_values(store, &mut clones, step));
    }
    Ok(store.batched(|store| {
        let clone = spawn_values(store, &mut clones, step);
        relate_clones(store, clone, pairs);
        clone
    }))
}

/// Clones the pairs of which an entity is the source, of those relations whose component of sources `is_meant` selects. `is_cloned` returns
/// whether an entity is cloned together with the source.
///
/// # Errors
///
/// If the values of a relation cannot be cloned.
pub(crate) fn clone_pairs(
    store: &mut Store,
    source: Entity,
    is_meant: impl Fn(&Store, ComponentId) -> bool,
    is_cloned: &dyn Fn(Entity) -> bool,
) -> Result<ClonedPairs, CloneError> {
    let mut cloned = Vec::new();
    for number in 0..store.relations.places.len() {
        let place = &store.relations.places[number];
        if place.pairs.index().count(0, source) == 0 || !is_meant(store, place.components[0]) {
            continue;
        }
        let pairs = &mut store.relations.places[number].pairs;
        match pairs.clone_from(source, is_cloned) {
            Some(clones) => cloned.push((number, clones)),
            None => {
                return Err(CloneError::NotClone {
                    entity: source,
                    components: alloc::vec![pairs.descriptor().name()],
                });
            }
        }
    }
    Ok(ClonedPairs(cloned))
}

/// Makes an entity the source of cloned pairs.
pub(crate) fn relate_clones(store: &mut Store, source: Entity, cloned: ClonedPairs) {
    for (number, clones) in cloned.0 {
        (store.relations.places[number].functions.relate_clones)(store, source, clones);
    }
}

/// Clones of the pairs of an entity, each with the number of the relation.
#[derive(Default)]
pub(crate) struct ClonedPairs(Vec<(usize, Box<dyn PairClones>)>);

impl ClonedPairs {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Maps the targets, and the entities inside of values, to their clones.
    pub(super) fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        self.0.iter_mut().for_each(|(_, clones)| clones.map_entities(mapper));
    }
}
