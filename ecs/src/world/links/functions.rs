//! The function table of each relationship, which can be found by the component of either side.
//!
//! Tests: tests/relationships/definitions.rs

use alloc::vec::Vec;
use core::mem::swap;

use super::list::{ListOf, adopt, collect, link, list_these, listed, named_in_world, sources, unlink, unlist};
use crate::component::{
    Component, ComponentDescriptor, ComponentId, Description, ErasedRefMut, ErasedSlice, ErasedVec, RelationSide,
};
use crate::entity::Entity;
use crate::query::change::WriteEntity;
use crate::relations::relationship::{Relationship, RelationshipSourceCollection, RelationshipTarget};
use crate::structure::store::{EntityBuilder, LeavingSource, LinkFn, Store};
use crate::world::cast::World;

/// The functions of one relationship.
#[derive(Clone, Copy)]
pub(in crate::world) struct LinkFunctions {
    /// The component of the sources.
    pub(in crate::world) source: fn() -> &'static ComponentDescriptor,
    /// The component of the targets.
    pub(in crate::world) target_list: fn() -> &'static ComponentDescriptor,
    pub(in crate::world) is_linked: bool,
    pub(in crate::world) allows_self: bool,
    /// Returns the target of an entity.
    pub(super) target: fn(&World, Entity) -> Option<Entity>,
    /// Returns the sources in the list of an entity, without repairing the list; `None` if the entity has no list.
    pub(super) listed: fn(&World, Entity) -> Option<Vec<Entity>>,
    /// Returns the sources that an entity lists; `None` if the entity has no list. If a program has swapped the list
    /// with another one, it is repaired first.
    pub(super) sources: fn(&mut Store, ComponentId, Entity) -> Option<Vec<Entity>>,
    /// Appends the sources that an entity lists. Returns false if one of them is not linked to the entity.
    pub(super) collect: fn(&mut Store, ComponentId, Entity, &mut Vec<Entity>) -> bool,
    /// Links sources to their targets.
    pub(super) link: LinkFn<Store>,
    /// Removes sources from the lists of entities that are no longer their targets.
    pub(super) unlink: LinkFn<Store>,
    /// Removes sources from the list of one target, which all of them leave.
    pub(super) unlist: fn(&mut Store, ComponentId, &[LeavingSource]),
    /// Validates a list that was inserted into a target, and makes the links agree with it.
    pub(super) adopt: fn(&mut Store, ComponentId, Entity),
    /// Replaces the sources in the list of an entity, if it has a list.
    pub(super) list_these: fn(&mut Store, Entity, &[Entity]),
    /// Sets the target of a source, before listeners have been notified of the previous target.
    pub(super) retarget: fn(&mut Store, Entity, Entity),
    /// Returns the target that a component contains, and replaces it if a new one is given.
    pub(super) rename: fn(ErasedRefMut<'_>, Option<Entity>) -> Option<Entity>,
    /// Returns the targets that components contain. The components are in no world.
    pub(in crate::world) named_by: fn(ErasedSlice<'_>) -> Option<Vec<Entity>>,
    /// Removes the sources from a list that is in no world.
    pub(super) empty: fn(ErasedRefMut<'_>),
    /// Sets the target of a source by a structural operation. The other fields of the component keep their values.
    pub(super) rename_target: fn(&mut Store, Entity, Entity),
    /// Whether the component that lists sources has other fields.
    pub(super) list_has_more: bool,
    /// Moves the other fields of the component that lists sources out of a target. They become part of a value without
    /// sources.
    pub(super) take_others: fn(&mut Store, Entity, &mut EntityBuilder),
    /// Calls a function for each source in lists that are in no world. The arguments are the index of the list, the
    /// index in the list, and the source. Returns false if the values are of another type.
    pub(in crate::world) listed_by: fn(ErasedSlice<'_>, &mut dyn FnMut(usize, usize, Entity)) -> bool,
    /// Records in lists that are in no world which targets they belong to.
    pub(in crate::world) note_targets: fn(&mut ErasedVec, &[Entity]),
}

impl LinkFunctions {
    const fn of<R: Relationship>() -> Self {
        Self {
            source: || ComponentDescriptor::of::<R>(),
            target_list: || ComponentDescriptor::of::<R::RelationshipTarget>(),
            is_linked: R::RelationshipTarget::LINKED_SPAWN,
            allows_self: R::ALLOW_SELF_REFERENTIAL,
            target: named_in_world::<R>,
            listed: listed::<R>,
            sources: sources::<R>,
            collect: collect::<R>,
            link: link::<R>,
            unlink: unlink::<R>,
            unlist: unlist::<R>,
            adopt: adopt::<R>,
            list_these: list_these::<R>,
            retarget: |store, source, target| {
                let named = WriteEntity::new(store, source).into_mut_told::<R>();
                named.into_iter().for_each(|mut named| named.set_risky(target));
            },
            rename: |component, target| {
                let component = component.into_mut::<R>()?;
                target.into_iter().for_each(|target| component.set_risky(target));
                Some(component.get())
            },
            named_by: |components| Some(components.downcast_ref::<R>()?.iter().map(R::get).collect()),
            empty: |component| {
                let list = component.into_mut::<R::RelationshipTarget>();
                list.into_iter().for_each(|list| list.collection_mut_risky().clear());
            },
            rename_target: |store, source, target| {
                let source = World::from_store_mut(store).get_entity_mut(source);
                _ = source.map(|mut source| source.modify_component(|named: &mut R| named.set_risky(target)));
            },
            list_has_more: size_of::<R::RelationshipTarget>() > size_of::<ListOf<R>>(),
            take_others: take_others::<R>,
            listed_by: listed_by::<R>,
            note_targets: |components, targets| {
                let lists = components.as_mut_slice::<R::RelationshipTarget>().into_iter().flatten();
                lists.zip(targets).for_each(|(list, &target)| list.collection_mut_risky().set_target(target));
            },
        }
    }
}

fn take_others<R: Relationship>(store: &mut Store, target: Entity, others: &mut EntityBuilder) {
    if let Some(mut list) = WriteEntity::new(store, target).into_mut::<R::RelationshipTarget>() {
        let mut taken = R::RelationshipTarget::from_collection_risky(ListOf::<R>::new());
        swap(&mut *list, &mut taken);
        swap(list.collection_mut_risky(), taken.collection_mut_risky());
        others.add(taken);
    }
}

fn listed_by<R: Relationship>(components: ErasedSlice<'_>, see: &mut dyn FnMut(usize, usize, Entity)) -> bool {
    let Some(lists) = components.downcast_ref::<R::RelationshipTarget>() else { return false };
    for (row, list) in lists.iter().enumerate() {
        list.iter().enumerate().for_each(|(place, source)| see(row, place, source));
    }
    true
}

/// Provides a static address for the functions of a relationship.
struct LinkFunctionsOf<R>(R);

impl<R: Relationship> LinkFunctionsOf<R> {
    const FUNCTIONS: &'static LinkFunctions = &LinkFunctions::of::<R>();
}

impl<C: Component> Description<C> {
    /// Marks the component as the source side of a relationship: it contains the target. The derive calls this.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_relationship(self) -> Self
    where
        C: Relationship,
    {
        self.with_relation(RelationSide::source(LinkFunctionsOf::<C>::FUNCTIONS))
    }

    /// Marks the component as the target side of a relationship: it lists the sources. The derive calls this. Cloning
    /// an entity does not clone the list, since the sources stay linked to the original.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_relationship_target(self) -> Self
    where
        C: RelationshipTarget,
    {
        self.with_clone_only_in_copies()
            .with_relation(RelationSide::target(LinkFunctionsOf::<C::Relationship>::FUNCTIONS))
    }
}

/// Returns the relationship that a component is a side of, and whether it is the component of the sources.
pub(in crate::world) fn side_of(component: &ComponentDescriptor) -> Option<(&'static LinkFunctions, bool)> {
    let side = component.relation()?;
    Some((side.functions()?, side.is_source))
}

/// Like [`side_of`], for a component of a store.
pub(super) fn relation(store: &Store, id: ComponentId) -> Option<(&'static LinkFunctions, bool)> {
    side_of(store.structure.archetypes.components.info(id)?.descriptor())
}

/// Returns the id of the component of the sources.
pub(super) fn id_of(store: &mut Store, functions: &LinkFunctions) -> Option<ComponentId> {
    store.register_descriptor((functions.source)()).ok()
}

/// Returns the function that links sources, if the component is the source side of a relationship.
pub(in crate::world) fn linking(store: &Store, id: ComponentId) -> Option<LinkFn<Store>> {
    let (functions, is_source) = relation(store, id)?;
    is_source.then_some(functions.link)
}
