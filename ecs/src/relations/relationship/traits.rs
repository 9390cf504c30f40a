//! The two components of a relationship.
//!
//! Tests: tests/relationships/definitions.rs, tests/relationships/links.rs

use super::collection::RelationshipSourceCollection;
use crate::component::{Component, Mutable};
use crate::entity::Entity;

/// A component that names another entity, the *target*. The component [`RelationshipTarget`](Self::RelationshipTarget) of the target lists
/// the entities that name it, its *sources*.
///
/// Derive it together with [`Component`](derive@crate::component::Component):
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// #[relationship(relationship_target = Crew)]
/// struct AboardOf(Entity);
///
/// #[derive(Component)]
/// #[relationship_target(relationship = AboardOf)]
/// struct Crew(Vec<Entity>);
///
/// let mut world = World::new();
/// let ship = world.spawn_empty().id();
/// let [cook, captain] = [(); 2].map(|()| world.spawn(AboardOf(ship)).id());
/// assert!(world.get::<Crew>(ship).unwrap().iter().eq([cook, captain]));
/// world.despawn(cook);
/// assert!(world.get::<Crew>(ship).unwrap().iter().eq([captain]));
/// world.entity_mut(captain).remove::<AboardOf>();
/// assert!(world.get::<Crew>(ship).is_none());
/// ```
///
/// Its values are immutable: to name another target, insert another value. Both components are stored outside of the tables, so that
/// linking and unlinking moves no entity.
///
/// Both sides agree after each operation, before observers and hooks run. If a destructor or an observer panics during an operation, they
/// agree after the next one, or after [`World::flush`](crate::world::World::flush).
///
/// A value that cannot form a link is reported as a [`CommandError`](crate::store::CommandError), and the component is removed: if the
/// target is not alive; if the target is the entity itself, unless `allow_self_referential` is given; and, with `linked_spawn`, if the
/// target is already linked to the entity, directly or through others, so that such links always lead to a root.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no target: it is not a relationship",
    label = "not a relationship",
    note = "a relationship is a struct with `#[derive(Component)]` and `#[relationship(relationship_target = Component)]`"
)]
pub trait Relationship: Component + Sized {
    /// The component of the target.
    type RelationshipTarget: RelationshipTarget<Relationship = Self>;

    /// Whether an entity may name itself.
    const ALLOW_SELF_REFERENTIAL: bool = false;

    /// The target.
    fn get(&self) -> Entity;

    /// Creates a value that names a target.
    fn from(entity: Entity) -> Self;

    /// Sets another target. Only for values that are not in a world: there, the list of the target would not be updated.
    fn set_risky(&mut self, entity: Entity);
}

/// A component that lists the entities that name this one: the entities with its [`Relationship`](Self::Relationship). It is added with the
/// first of them and removed with the last one.
///
/// It changes with its sources. Code that borrows it mutably can reorder them; swapping two values, or taking one through the reference,
/// makes the sides disagree, as `collection_mut_risky` can. A [`SourceList`](super::SourceList) stores its target: if two lists are
/// swapped, both are repaired by the first operation that adds a source to one of them or removes one, or that uses a whole list, as
/// `despawn`, `move_components` and clones of linked entities do. Code that only reads the component sees the swapped list until then. An
/// empty list that is inserted by hand is kept until sources have been added and removed.
///
/// Removing it removes the relationship of all sources that it lists. With `#[relationship_target(relationship = .., linked_spawn)]` the
/// sources are despawned with the entity.
#[diagnostic::on_unimplemented(
    message = "`{Self}` lists no sources: it is not the target of a relationship",
    label = "not the target of a relationship",
    note = "a target is a struct with `#[derive(Component)]` and `#[relationship_target(relationship = Component)]`"
)]
pub trait RelationshipTarget: Component<Mutability = Mutable> + Sized {
    /// Whether sources are despawned with the entity.
    const LINKED_SPAWN: bool;

    /// The component of the sources.
    type Relationship: Relationship<RelationshipTarget = Self>;

    /// The collection in which the sources are listed.
    type Collection: RelationshipSourceCollection;

    /// The sources.
    fn collection(&self) -> &Self::Collection;

    /// The sources, to reorder them. Adding or removing a source would make the sides disagree.
    fn collection_mut_risky(&mut self) -> &mut Self::Collection;

    /// Creates a value with these sources. When it is inserted, the sources that name the entity are kept.
    fn from_collection_risky(collection: Self::Collection) -> Self;

    /// Creates an empty value with room for `capacity` sources.
    fn with_capacity(capacity: usize) -> Self {
        Self::from_collection_risky(Self::Collection::with_capacity(capacity))
    }

    /// The sources.
    #[inline]
    fn iter(&self) -> SourceIter<'_, Self> {
        self.collection().iter()
    }

    /// The number of sources.
    #[inline]
    fn len(&self) -> usize {
        self.collection().len()
    }

    /// Whether there are no sources.
    #[inline]
    fn is_empty(&self) -> bool {
        self.collection().is_empty()
    }
}

/// An iterator over the sources of a [`RelationshipTarget`].
pub type SourceIter<'w, R> = <<R as RelationshipTarget>::Collection as RelationshipSourceCollection>::SourceIter<'w>;

/// The field of a relationship that holds its target.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the target of a relationship is an `Entity`, and not a `{Self}`",
    label = "not an entity"
)]
pub trait TargetField {
    /// The target.
    fn target(&self) -> Entity;

    /// Creates the value from a target.
    fn of(entity: Entity) -> Self;
}

impl TargetField for Entity {
    #[inline]
    fn target(&self) -> Entity {
        *self
    }

    #[inline]
    fn of(entity: Entity) -> Self {
        entity
    }
}
