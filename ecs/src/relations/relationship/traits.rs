//! The two components of a relationship.
//!
//! Tests: tests/relationships/definitions.rs, tests/relationships/links.rs

use super::collection::RelationshipSourceCollection;
use crate::component::{Component, Mutable};
use crate::entity::Entity;

/// A component that contains another entity, the *target*. The target has the component [`RelationshipTarget`](Self::RelationshipTarget),
/// which lists its *sources*: the entities whose `Relationship` contains the target.
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
/// The values of a relationship are immutable: to change the target, insert another value. Both components are stored outside of the
/// tables, so that linking and unlinking moves no entity.
///
/// Both sides agree after each operation, before observers and hooks run. If a destructor or an observer panics during an operation, the
/// sides agree again after the next operation, or after [`World::flush`](crate::world::World::flush).
///
/// If a value cannot form a link, it is reported as a [`CommandError`](crate::store::CommandError), and the component is removed. This is
/// the case if the target is not alive, or if the target is the entity itself and `allow_self_referential` is not given. With
/// `linked_spawn` it is also the case if the target is already linked to the entity, directly or through others. So links with
/// `linked_spawn` always lead to a root.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no target: it is not a relationship",
    label = "not a relationship",
    note = "a relationship is a struct with `#[derive(Component)]` and `#[relationship(relationship_target = Component)]`"
)]
pub trait Relationship: Component + Sized {
    /// The component that lists the sources.
    type RelationshipTarget: RelationshipTarget<Relationship = Self>;

    /// Whether an entity may be its own target.
    const ALLOW_SELF_REFERENTIAL: bool = false;

    /// Returns the target.
    fn get(&self) -> Entity;

    /// Creates a value with a target.
    fn from(entity: Entity) -> Self;

    /// Sets another target. The value must not be in a world, because the list of its target would not be updated.
    fn set_risky(&mut self, entity: Entity);
}

/// A component that lists the *sources* of its entity: the entities whose [`Relationship`](Self::Relationship) contains this entity. The
/// component is added with the first source and removed with the last source.
///
/// The library updates the component when sources change. Code that borrows the component mutably can reorder the sources. If such code
/// swaps two values or takes a value out, the sides disagree; `collection_mut_risky` can also cause this. A
/// [`SourceList`](super::SourceList) stores its target, so swapped lists are detected. Both lists are repaired by the first operation that
/// adds a source to one of them, removes a source from one of them, or uses a whole list, as `despawn`, `move_components` and the cloning
/// of linked entities do. Until then, code that only reads the component sees the swapped list. An empty list that is inserted by hand is
/// kept until sources have been added and removed.
///
/// Removing the component removes the relationship of all sources that it lists. With `#[relationship_target(relationship = ..,
/// linked_spawn)]` the sources are despawned with the entity.
#[diagnostic::on_unimplemented(
    message = "`{Self}` lists no sources: it is not the target of a relationship",
    label = "not the target of a relationship",
    note = "a target is a struct with `#[derive(Component)]` and `#[relationship_target(relationship = Component)]`"
)]
pub trait RelationshipTarget: Component<Mutability = Mutable> + Sized {
    /// Whether sources are despawned with the entity.
    const LINKED_SPAWN: bool;

    /// The component that contains the target.
    type Relationship: Relationship<RelationshipTarget = Self>;

    /// The collection in which the sources are listed.
    type Collection: RelationshipSourceCollection;

    /// Returns the sources.
    fn collection(&self) -> &Self::Collection;

    /// Returns the sources, to reorder them. Adding or removing a source would make the sides disagree.
    fn collection_mut_risky(&mut self) -> &mut Self::Collection;

    /// Creates a value with these sources. When the value is inserted into an entity, only the sources whose relationship contains this
    /// entity are kept.
    fn from_collection_risky(collection: Self::Collection) -> Self;

    /// Creates an empty value with room for `capacity` sources.
    fn with_capacity(capacity: usize) -> Self {
        Self::from_collection_risky(Self::Collection::with_capacity(capacity))
    }

    /// Returns the sources.
    #[inline]
    fn iter(&self) -> SourceIter<'_, Self> {
        self.collection().iter()
    }

    /// Returns the number of sources.
    #[inline]
    fn len(&self) -> usize {
        self.collection().len()
    }

    /// Returns whether there are no sources.
    #[inline]
    fn is_empty(&self) -> bool {
        self.collection().is_empty()
    }
}

/// An iterator over the sources of a [`RelationshipTarget`].
pub type SourceIter<'w, R> = <<R as RelationshipTarget>::Collection as RelationshipSourceCollection>::SourceIter<'w>;

/// The type of the field of a relationship that contains the target.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the target of a relationship is an `Entity`, and not a `{Self}`",
    label = "not an entity"
)]
pub trait TargetField {
    /// Returns the target.
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
