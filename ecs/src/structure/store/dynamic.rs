//! Bundles that are assembled at run time.
//!
//! Tests: tests/storage/builder.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::TypeId;

use super::Store;
use super::addition::{InsertOp, removing_components, retaining};
use super::located::LocatedEntity;
use crate::component::{Component, ComponentDescriptor, ComponentId, ComponentInfo, ErasedVec};
use crate::entity::Entity;
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::structure::bundle::{Bundle, BundleParts, RowWriter, Token, with_moving_ptr, with_parts};
use crate::structure::graph::{ChangeKey, ChangeStep};
use crate::util::alloc_error::AllocError;

/// A bundle whose components are chosen at run time.
///
/// Adding a component replaces an existing component of the same type. Spawning empties the builder, which can be used again. Each
/// component costs one allocation.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Name(&'static str);
/// #[derive(Component)]
/// struct Flying;
///
/// let mut world = World::new();
/// let mut builder = EntityBuilder::new();
/// builder.add(Name("bat"));
/// if true {
///     builder.add(Flying);
/// }
/// let bat = world.spawn_dynamic(&mut builder).id();
/// assert!(world.entity(bat).contains::<Flying>());
/// assert!(builder.is_empty());
/// ```
#[derive(Default)]
#[doc(alias("BuiltEntity", "EntityArchetype"))]
pub struct EntityBuilder {
    /// One value of each component.
    pub(super) parts: Vec<ErasedVec>,
}

impl EntityBuilder {
    /// Creates a builder without components.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let mut builder = EntityBuilder::new();
    /// world.spawn_dynamic(&mut builder);
    /// assert_eq!(world.len(), 1);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { parts: Vec::new() }
    }

    /// Adds a component. If the builder has a component of the same type, that one is replaced and dropped. `O(components)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3)).add(Mana(7)).add(Health(4));
    /// assert_eq!(builder.len(), 2);
    ///
    /// let mut world = World::new();
    /// assert_eq!(world.spawn_dynamic(&mut builder).get(), Some(&Health(4)));
    /// ```
    pub fn add<C: Component>(&mut self, component: C) -> &mut Self {
        drop(self.put(ErasedVec::of_box(ComponentDescriptor::of::<C>(), Box::new(component))));
        self
    }

    /// Adds a value and returns the value that it replaces, if any.
    pub(super) fn put(&mut self, value: ErasedVec) -> Option<ErasedVec> {
        match self.parts.iter_mut().find(|old| old.descriptor().identity() == value.descriptor().identity()) {
            Some(old) => Some(core::mem::replace(old, value)),
            None => {
                self.parts.push(value);
                None
            }
        }
    }

    /// Adds the components of a bundle, one after the other. They replace the components of the same types that the builder has; the
    /// replaced components are dropped at the end.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3)).add_bundle((Health(4), Mana(7)));
    /// assert_eq!(builder.len(), 2);
    /// assert_eq!(builder.get(), Some(&Health(4)));
    /// ```
    pub fn add_bundle<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let mut values = Vec::new();
        with_moving_ptr(bundle, |bundle| with_parts(bundle, |parts| parts.erase(&mut values, Token::new())));
        let mut replaced = Vec::new();
        for value in values {
            replaced.extend(self.put(value));
        }
        self
    }

    fn position<C: Component>(&self) -> Option<usize> {
        self.parts.iter().position(|part| part.descriptor().is::<C>())
    }

    /// Returns the component of this type, if it has been added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3));
    /// assert_eq!(builder.get::<Health>(), Some(&Health(3)));
    /// assert_eq!(builder.get::<Mana>(), None);
    /// ```
    #[must_use]
    pub fn get<C: Component>(&self) -> Option<&C> {
        self.parts[self.position::<C>()?].first()
    }

    /// Removes the component of this type from the builder and returns it; `None` if the builder does not have it. The other components
    /// keep their order.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3));
    /// assert_eq!(builder.take(), Some(Health(3)));
    /// assert_eq!(builder.take::<Health>(), None);
    /// ```
    #[must_use = "`remove` drops the component"]
    pub fn take<C: Component>(&mut self) -> Option<C> {
        let at = self.position::<C>()?;
        self.parts.remove(at).into_one().ok()
    }

    /// Drops the component of this type. Returns false if the builder does not have it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3));
    /// assert!(builder.remove::<Health>());
    /// assert!(!builder.remove::<Health>());
    /// ```
    pub fn remove<C: Component>(&mut self) -> bool {
        let Some(at) = self.position::<C>() else { return false };
        drop(self.parts.remove(at));
        true
    }

    /// Returns the full type names of the components, in the order in which they were added.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &'static str> {
        self.parts.iter().map(|part| part.descriptor().name())
    }

    /// Returns the types of the components, in the order in which they were added.
    ///
    /// ```
    /// use std::any::TypeId;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3));
    /// assert_eq!(builder.type_ids().next(), Some(TypeId::of::<Health>()));
    /// ```
    pub fn type_ids(&self) -> impl Iterator<Item = TypeId> {
        self.parts.iter().filter_map(|part| part.descriptor().type_id())
    }

    /// Returns whether a component of this type has been added.
    #[must_use]
    pub fn has<C: Component>(&self) -> bool {
        self.position::<C>().is_some()
    }

    /// Returns the number of components that have been added.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns whether no component has been added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Drops all components that have been added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3)).clear();
    /// assert!(builder.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.parts.clear();
    }
}

impl_debug!([] EntityBuilder => |this, f| f.debug_set().entries(this.names()).finish());

/// Sorts values of several different components into the order of a bundle. Returns the change that adds the bundle; `step` makes the step
/// of the change from the number of the bundle. Creates the sparse storages of the components, and of the components that they require.
///
/// # Panics
///
/// If a component requires itself. The values are dropped.
pub(super) fn change_with<V>(
    store: &mut Store,
    values: &mut Vec<V>,
    descriptor: fn(&V) -> &'static ComponentDescriptor,
    step: fn(u32) -> ChangeStep,
) -> ChangeKey {
    let ids = store.structure.archetypes.adopt_values(values, descriptor);
    store.note_new_components();
    ChangeKey::of(step(store.structure.archetypes.register_dynamic(&ids)))
}

/// Returns the insertion of one value of each of several components. `step` makes the step of the change from the number of a bundle; the
/// step must add components. Values that the change does not write stay in `values`.
fn adding_values<'v>(
    store: &mut Store,
    values: &'v mut Vec<ErasedVec>,
    step: fn(u32) -> ChangeStep,
) -> InsertOp<impl FnOnce(&mut RowWriter<'_>) + use<'v>> {
    let change = change_with(store, values, ErasedVec::descriptor, step);
    let write = |writer: &mut RowWriter<'_>| {
        for value in values {
            let target = writer.next_target();
            // SAFETY: the values are in the order of the bundle, and each part of a builder is one value. Only `InsertOp::write` calls this
            // closure, and its caller guarantees that the plan of the writer is a plan of the change.
            unsafe { writer.write_value(target, value) }
        }
    };
    // SAFETY: the change adds the bundle of these values, and nothing else.
    unsafe { InsertOp::new(change, write) }
}

/// Spawns an entity with the components of a builder. `step` makes the step of the change from the number of a bundle. The builder is empty
/// afterwards.
pub(crate) fn spawn_values(store: &mut Store, builder: &mut EntityBuilder, step: fn(u32) -> ChangeStep) -> Entity {
    store.flush();
    let mut parts = core::mem::take(&mut builder.parts);
    let addition = adding_values(store, &mut parts, step);
    store.spawn_with(addition, None).unwrap_or_else(|error| error.raise())
}

impl LocatedEntity<'_> {
    /// Inserts the components of a builder. `step` makes the step of the change from the number of a bundle. The builder is empty
    /// afterwards.
    ///
    /// # Errors
    ///
    /// If there is no memory. The values are still in the builder, and the entity is unchanged.
    pub(super) fn insert_values(
        mut self,
        builder: &mut EntityBuilder,
        step: fn(u32) -> ChangeStep,
    ) -> Result<(), AllocError> {
        let mut parts = core::mem::take(&mut builder.parts);
        let addition = self.prepare(|store| adding_values(store, &mut parts, step));
        let done = self.try_add(addition);
        if done.is_err() {
            builder.parts = parts;
        }
        done.map(|_| ())
    }

    /// Moves the values of the wanted components out of the entity; if `wanted` is `None`, moves the values of all components. The returned
    /// builder has the table-stored components first, then the sparse ones. Components that the entity does not have are skipped. The
    /// entity stays alive, without the taken components.
    pub(super) fn take_values(mut self, wanted: Option<&[ComponentId]>) -> EntityBuilder {
        let loss = self.prepare(|store| match wanted {
            Some(ids) => removing_components(store, ids),
            None => retaining::<()>(store),
        });
        let (store, entity, location) = (self.store(), self.entity(), self.location());
        let is_taken = |id: ComponentId| wanted.is_none_or(|ids| ids.contains(&id));
        let ids = store.structure.archetypes.components.sparse();
        let storages = store.structure.storages_of(entity).filter(|&storage| is_taken(ids[storage]));
        let storages: Vec<usize> = storages.collect();
        let in_table =
            store.structure.archetypes.tables.get(location.table).map_or(&[][..], |table| table.components());
        let columns: Vec<usize> = (0..in_table.len()).filter(|&at| is_taken(in_table[at])).collect();
        let taken = columns.iter().map(|&at| in_table[at]).chain(storages.iter().map(|&storage| ids[storage]));
        let infos = taken.filter_map(|id| store.structure.archetypes.components.info(id));
        let room = |info: &ComponentInfo| ErasedVec::with_room_for_one(info.descriptor());
        let mut parts: Vec<ErasedVec> = infos.map(room).collect();
        let read = |table: &Table, sparse: &mut [SparseStorage]| {
            let (in_table, in_sparse) = parts.split_at_mut(columns.len());
            for (&at, part) in columns.iter().zip(in_table) {
                // SAFETY: the entity's row is one of the table and holds a value of the part's component in this column. The change below
                // removes the value without dropping it.
                unsafe { part.fill(table.column(at).get(location.row as usize).as_ptr()) }
            }
            for (&storage, part) in storages.iter().zip(in_sparse) {
                if let Some(value) = sparse[storage].retire(entity) {
                    // SAFETY: the value belongs to the part's component; the storage forgets it.
                    unsafe { part.fill(value.as_ptr()) };
                    sparse[storage].forget_retired();
                }
            }
        };
        // SAFETY: all values that the change takes away have been moved out.
        unsafe { self.take_lost(loss, read) };
        EntityBuilder { parts }
    }
}
