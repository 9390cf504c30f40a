//! Bundles that are put together at run time.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{TypeId, type_name};
use core::fmt;
use core::mem::ManuallyDrop;

use super::{SpawnError, Store};
use crate::bundle::{BundleParts, Leaf, Sink};
use crate::component::{Component, ComponentId, Components, StorageType, Values};
use crate::entity::{Entity, EntityError};

/// One component of a bundle that is put together at run time.
///
/// # Safety
///
/// - `put` is that of the leaf of the component that `register` registers.
unsafe trait ErasedPart: Send + Sync {
    fn register(&self, components: &mut Components) -> ComponentId;

    /// # Safety
    ///
    /// - As for [`BundleParts::put`].
    unsafe fn put(&mut self, sink: &mut Sink<'_>);
}

// SAFETY: both are those of `Leaf<C>`.
unsafe impl<C: Component> ErasedPart for Leaf<C> {
    fn register(&self, components: &mut Components) -> ComponentId {
        components.register::<C>()
    }

    unsafe fn put(&mut self, sink: &mut Sink<'_>) {
        // SAFETY: the caller's promise.
        unsafe { BundleParts::put(self, sink) }
    }
}

/// A leaf on the heap. The value goes there directly, since it may be large.
fn boxed_leaf<C: Component>(component: C) -> Box<Leaf<C>> {
    let component = ManuallyDrop::new(component);
    let mut leaf = Box::<Leaf<C>>::new_uninit();
    // SAFETY: the value is not used again, nor dropped; `fill` initialises the leaf.
    unsafe {
        Leaf::fill(leaf.as_mut_ptr(), &raw const *component);
        leaf.assume_init()
    }
}

struct Part {
    type_id: TypeId,
    name: &'static str,
    sparse: bool,
    leaf: Box<dyn ErasedPart>,
}

/// A bundle whose components are chosen at run time.
///
/// Adding a component of a type that is there already replaces it. Spawning empties the builder, which can be used again.
/// Each component costs one allocation.
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
pub struct EntityBuilder {
    parts: Vec<Part>,
}

impl EntityBuilder {
    /// A builder without components.
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

    /// Adds a component. One of the same type is replaced and dropped. `O(components)`.
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
        let part = Part {
            type_id: TypeId::of::<C>(),
            name: type_name::<C>(),
            sparse: C::STORAGE == StorageType::Sparse,
            leaf: boxed_leaf(component),
        };
        match self.parts.iter_mut().find(|old| old.type_id == part.type_id) {
            Some(old) => drop(core::mem::replace(old, part)),
            None => self.parts.push(part),
        }
        self
    }

    /// Whether a component of this type has been added.
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
    /// assert!(builder.has::<Health>() && !builder.has::<Mana>());
    /// ```
    #[must_use]
    pub fn has<C: Component>(&self) -> bool {
        self.parts.iter().any(|part| part.type_id == TypeId::of::<C>())
    }

    /// How many components have been added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// builder.add(Health(3)).add(Mana(7));
    /// assert_eq!(builder.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether no component has been added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut builder = EntityBuilder::new();
    /// assert!(builder.is_empty());
    /// assert!(!builder.add(Health(3)).is_empty());
    /// ```
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

impl fmt::Debug for EntityBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.parts.iter().map(|part| part.name)).finish()
    }
}

impl Store {
    /// Brings values of several components into the order of a bundle; returned is its number. Its sparse storages exist
    /// afterwards.
    ///
    /// # Panics
    ///
    /// Never, if no component comes twice.
    pub(super) fn register_values(&mut self, values: &mut Vec<Values>) -> u32 {
        let adopt = |value: Values| (self.components.adopt(value.kind()), value);
        let mut parts: Vec<(ComponentId, Values)> = values.drain(..).map(adopt).collect();
        self.add_sparse_storages();
        parts.sort_unstable_by_key(|(id, _)| *id);
        let ids: Vec<ComponentId> = parts.iter().map(|(id, _)| *id).collect();
        values.extend(parts.into_iter().map(|(_, value)| value));
        self.bundles.register_dynamic(&ids)
    }

    /// The parts in the order of their components, and the number of the bundle.
    fn register_dynamic(&mut self, parts: Vec<Part>) -> (u32, Vec<Part>, bool) {
        let has_sparse = parts.iter().any(|part| part.sparse);
        let mut parts: Vec<(ComponentId, Part)> =
            parts.into_iter().map(|part| (part.leaf.register(&mut self.components), part)).collect();
        self.add_sparse_storages();
        parts.sort_by_key(|(id, _)| *id);
        let ids: Vec<ComponentId> = parts.iter().map(|(id, _)| *id).collect();
        let number = self.bundles.register_dynamic(&ids);
        (number, parts.into_iter().map(|(_, part)| part).collect(), has_sparse)
    }

    /// Makes an entity with the components of a builder, which is empty afterwards.
    pub(crate) fn spawn_dynamic(&mut self, builder: &mut EntityBuilder) -> Entity {
        self.flush();
        let (number, mut parts, has_sparse) = self.register_dynamic(core::mem::take(&mut builder.parts));
        // SAFETY: the parts are those of the bundle with this number, in its order.
        let spawned: Result<Entity, SpawnError> =
            unsafe { self.spawn_with(number, None, has_sparse, |sink| put_all(&mut parts, sink)) };
        spawned.unwrap_or_else(|error| error.raise())
    }

    /// Adds the components of a builder to an entity. The builder is empty afterwards.
    ///
    /// # Errors
    ///
    /// If the entity is not alive. The builder keeps its components.
    pub(crate) fn insert_dynamic(&mut self, entity: Entity, builder: &mut EntityBuilder) -> Result<(), EntityError> {
        self.flush();
        let location = self.entities.locate(entity)?;
        let (number, mut parts, has_sparse) = self.register_dynamic(core::mem::take(&mut builder.parts));
        // SAFETY: the parts are those of the bundle with this number, in its order; the entity is at this location.
        let done = unsafe { self.insert_with(number, entity, location, has_sparse, |sink| put_all(&mut parts, sink)) };
        done.unwrap_or_else(|error| error.raise());
        Ok(())
    }
}

/// Puts all parts. Old values are in the parts afterwards.
fn put_all(parts: &mut [Part], sink: &mut Sink<'_>) {
    for part in parts {
        // SAFETY: this is called by `spawn_with` and `insert_with` only, which give a sink for the bundle that consists
        // of exactly these parts in this order.
        unsafe { part.leaf.put(sink) }
    }
}
