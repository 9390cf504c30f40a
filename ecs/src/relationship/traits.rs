//! The two components of a relationship.

use super::collection::RelationshipSourceCollection;
use crate::component::{Component, Mutable};
use crate::entity::Entity;

/// A component that names another entity, the *target*, on which the entities that name it, its *sources*, are listed: in the component
/// [`RelationshipTarget`](Self::RelationshipTarget).
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
/// Both sides agree behind each operation, before observers and hooks are told of it. If a destructor or an observer panics in the middle of one, they do
/// behind the next one, or [`World::flush`](crate::world::World::flush).
///
/// What makes no link is reported as a [`CommandError`](crate::store::CommandError), and the component is removed: a target that is not
/// alive; the entity itself, unless `allow_self_referential` is given; and, if the target has `linked_spawn`, one that is linked to the
/// entity already, directly or through others, so that such links always lead to a root.
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

    /// A value that names a target.
    fn from(entity: Entity) -> Self;

    /// Names another target. Only for values that are in no world: there the target would not know of it.
    fn set_risky(&mut self, entity: Entity);
}

/// A component that lists the entities that name this one: those with its [`Relationship`](Self::Relationship). It comes with the first
/// of them, and goes with the last.
///
/// It changes by what becomes of its sources. Code that borrows it mutably can bring them into another order; to exchange two values, or to
/// take one away through the reference, makes both sides disagree, as `collection_mut_risky` can. A [`SourceList`](super::SourceList) knows
/// whose it is: if two are exchanged, both are mended when a source comes to one of them or goes, or its entity ends. One without sources that is inserted
/// by hand stays until sources have come and gone.
///
/// To remove it removes the relationship of all that it lists. With `#[relationship_target(relationship = .., linked_spawn)]` they end
/// with the entity.
#[diagnostic::on_unimplemented(
    message = "`{Self}` lists no sources: it is not the target of a relationship",
    label = "not the target of a relationship",
    note = "a target is a struct with `#[derive(Component)]` and `#[relationship_target(relationship = Component)]`"
)]
pub trait RelationshipTarget: Component<Mutability = Mutable> + Sized {
    /// Whether sources end with the entity.
    const LINKED_SPAWN: bool;

    /// The component of the sources.
    type Relationship: Relationship<RelationshipTarget = Self>;

    /// How the sources are listed.
    type Collection: RelationshipSourceCollection;

    /// The sources.
    fn collection(&self) -> &Self::Collection;

    /// The sources, to change their order. To add or remove some would make both sides disagree.
    fn collection_mut_risky(&mut self) -> &mut Self::Collection;

    /// A value with these sources. When it is inserted, those of them stay that name the entity.
    fn from_collection_risky(collection: Self::Collection) -> Self;

    /// A value without sources, with room for so many.
    fn with_capacity(capacity: usize) -> Self {
        Self::from_collection_risky(Self::Collection::with_capacity(capacity))
    }

    /// The sources.
    #[inline]
    fn iter(&self) -> SourceIter<'_, Self> {
        self.collection().iter()
    }

    /// How many sources there are.
    #[inline]
    fn len(&self) -> usize {
        self.collection().len()
    }

    /// Whether there are none.
    #[inline]
    fn is_empty(&self) -> bool {
        self.collection().is_empty()
    }
}

/// Goes through the sources of a [`RelationshipTarget`].
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

    /// A target.
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
