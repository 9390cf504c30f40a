//! Options of comparisons of worlds.
//!
//! Tests: tests/snapshots/checksums.rs

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::TypeId;
use core::hash::Hasher;

use crate::component::{Component, ComponentDescriptor, ErasedRef, PersistenceKind, UnprovedType};
use crate::storage::resource::Resource;

/// A function that adds a value to a hash.
type HashValue = Arc<dyn Fn(ErasedRef<'_>, &mut dyn Hasher) + Send + Sync>;

/// A function that returns whether the values of a component, a relation or a resource are left out.
type IsLeftOut = Arc<dyn Fn(&ComponentDescriptor) -> bool + Send + Sync>;

/// Options of [`World::checksum_with`](crate::world::World::checksum_with) and
/// [`World::diff_with`](crate::world::World::diff_with). They determine which data is compared, and how.
///
/// ```
/// use std::collections::HashMap;
/// use std::hash::Hash;
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::StateOptions;
///
/// #[derive(Resource, Default)]
/// struct Prices(HashMap<String, u32>);
/// #[derive(Resource)]
/// struct Window(f32);
///
/// let mut world = World::new();
/// world.init_resource::<Prices>();
/// world.insert_resource(Window(1.0));
/// assert!(world.checksum().is_err()); // A `HashMap` has no `Hash`.
///
/// let options = StateOptions::new().without_resource::<Window>().with_hash(|prices: &Prices, mut state| {
///     let mut sorted: Vec<_> = prices.0.iter().collect();
///     sorted.sort();
///     sorted.hash(&mut state);
/// });
/// let before = world.checksum_with(&options).unwrap();
/// world.resource_mut::<Window>().0 = 2.0;
/// assert_eq!(world.checksum_with(&options).unwrap(), before);
/// world.resource_mut::<Prices>().0.insert("sword".into(), 3);
/// assert_ne!(world.checksum_with(&options).unwrap(), before);
/// ```
#[derive(Clone, Default)]
pub struct StateOptions {
    left_out: Vec<TypeId>,
    pub(super) without_unknown: bool,
    is_left_out: Option<IsLeftOut>,
    without_order: bool,
    hashes: Vec<(TypeId, HashValue)>,
}

impl StateOptions {
    /// Creates options that leave nothing out.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out the values of a component. It is still compared which entities have the component, since this affects
    /// the order of other values.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::StateOptions;
    ///
    /// #[derive(Component)]
    /// struct Sprite(f32);
    ///
    /// let mut worlds = [World::new(), World::new()];
    /// worlds[0].spawn(Sprite(1.0));
    /// worlds[1].spawn(Sprite(2.0));
    /// let options = StateOptions::new().without_component::<Sprite>();
    /// assert!(worlds[0].diff_with(&worlds[1], &options).unwrap().is_empty());
    /// ```
    #[must_use]
    pub fn without_component<C: Component>(mut self) -> Self {
        self.left_out.push(TypeId::of::<C>());
        self
    }

    /// Leaves out a resource.
    #[must_use]
    pub fn without_resource<R: Resource>(mut self) -> Self {
        self.left_out.push(TypeId::of::<R>());
        self
    }

    /// Leaves out all values that cannot be compared: values that are neither
    /// [plain](crate::component::ComponentFunctions::is_plain) nor `Hash`, and non-send values. A diff can also compare
    /// values that are `PartialEq`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::StateOptions;
    ///
    /// #[derive(Component)]
    /// struct Names(Vec<String>);
    ///
    /// let mut world = World::new();
    /// world.spawn(Names(Vec::new()));
    /// assert!(world.checksum().is_err());
    /// assert!(world.checksum_with(&StateOptions::new().without_unknown()).is_ok());
    /// ```
    #[must_use]
    pub fn without_unknown(mut self) -> Self {
        self.without_unknown = true;
        self
    }

    /// Leaves out the values of the components, relations and resources for which a function returns true. It is still
    /// compared which entities have them, like with [`without_component`](Self::without_component).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::StateOptions;
    ///
    /// #[derive(Component)]
    /// #[component(save = "skip")]
    /// struct Sprite(f32);
    ///
    /// let mut worlds = [World::new(), World::new()];
    /// worlds[0].spawn(Sprite(1.0));
    /// worlds[1].spawn(Sprite(2.0));
    /// let options = StateOptions::new().without_types(|descriptor| !descriptor.is_saved());
    /// assert_eq!(worlds[0].checksum_with(&options)?, worlds[1].checksum_with(&options)?);
    /// # Ok::<(), strata_ecs::snapshot::StateError>(())
    /// ```
    #[must_use]
    pub fn without_types(mut self, is_left_out: impl Fn(&ComponentDescriptor) -> bool + Send + Sync + 'static) -> Self {
        self.is_left_out = Some(match self.is_left_out.take() {
            Some(other) => Arc::new(move |descriptor| other(descriptor) || is_left_out(descriptor)),
            None => Arc::new(is_left_out),
        });
        self
    }

    /// Leaves out the order of entities. If a component is left out, it is also no longer compared which entities have
    /// it. The comparison then covers the entities, their other components, and the next ids. Without the order, a
    /// checksum takes `O(entities log entities + components)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::snapshot::StateOptions;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Sprite;
    ///
    /// let mut worlds = [World::new(), World::new()];
    /// for world in &mut worlds {
    ///     world.spawn_batch((0..3).map(Health));
    /// }
    /// let first = worlds[1].query::<Entity>().iter(&worlds[1]).next().unwrap();
    /// worlds[1].entity_mut(first).insert(Sprite);
    /// let options = StateOptions::new().without_component::<Sprite>().without_order();
    /// assert_eq!(worlds[0].checksum_with(&options)?, worlds[1].checksum_with(&options)?);
    /// assert!(worlds[0].diff_with(&worlds[1], &options)?.is_empty());
    /// # Ok::<(), strata_ecs::snapshot::StateError>(())
    /// ```
    #[must_use]
    pub fn without_order(mut self) -> Self {
        self.without_order = true;
        self
    }

    /// Sets how values of a type are hashed. `T` is the type of a component, a resource or a relation. A diff treats
    /// two values with equal hashes as equal.
    #[must_use]
    pub fn with_hash<T: 'static>(mut self, hash: impl Fn(&T, &mut dyn Hasher) + Send + Sync + 'static) -> Self {
        let hash = move |value: ErasedRef<'_>, hasher: &mut dyn Hasher| {
            if let Some(value) = value.downcast_ref::<T>() {
                hash(value, hasher);
            }
        };
        self.hashes.push((TypeId::of::<T>(), Arc::new(hash)));
        self
    }

    /// Returns the way in which values of a type are compared; `None` if there is no known way.
    pub(super) fn way(&self, descriptor: &ComponentDescriptor, use_eq: bool) -> Option<CompareMethod<'_>> {
        let type_id = descriptor.value_type_id();
        if type_id.is_some_and(|type_id| self.left_out.contains(&type_id)) {
            return Some(CompareMethod::LeftOut);
        }
        if self.is_left_out.as_ref().is_some_and(|is_left_out| is_left_out(descriptor)) {
            return Some(CompareMethod::LeftOut);
        }
        let functions = descriptor.functions();
        match self.hashes.iter().rev().find(|(of, _)| Some(*of) == type_id) {
            Some((_, hash)) => Some(CompareMethod::By(&**hash)),
            None if matches!(descriptor.persistence(), PersistenceKind::Skipped | PersistenceKind::Transient) => {
                Some(CompareMethod::LeftOut)
            }
            None if functions.is_plain() || descriptor.layout().size() == 0 => Some(CompareMethod::Bytes),
            None if functions.hash_fn().is_some() => Some(CompareMethod::Hash),
            None if descriptor.persistence() == PersistenceKind::Text => Some(CompareMethod::Text),
            None if use_eq && functions.eq_fn().is_some() => Some(CompareMethod::Eq),
            None if self.without_unknown => Some(CompareMethod::LeftOut),
            None => None,
        }
    }

    /// Returns whether the order of entities is compared.
    pub(super) fn has_order(&self) -> bool {
        !self.without_order
    }

    /// Returns whether the comparison includes which entities have a component, or which pairs of a relation exist.
    pub(super) fn counts(&self, descriptor: &ComponentDescriptor) -> bool {
        self.has_order() || !matches!(self.way(descriptor, true), Some(CompareMethod::LeftOut))
    }
}

impl_debug!([] StateOptions => |this, f| {
    let hashes: Vec<TypeId> = this.hashes.iter().map(|(of, _)| *of).collect();
    let mut shown = f.debug_struct("StateOptions");
    shown.field("left_out", &this.left_out).field("without_unknown", &this.without_unknown);
    shown.field("is_left_out", &this.is_left_out.is_some()).field("without_order", &this.without_order);
    shown.field("hashes", &hashes).finish()
});

/// The way in which values of a type are compared.
#[derive(Clone, Copy)]
pub(super) enum CompareMethod<'a> {
    LeftOut,
    /// The values are compared as bytes.
    Bytes,
    /// The values are compared by their `Hash`.
    Hash,
    /// The values are compared as text.
    Text,
    /// The values are compared by the hash function that the caller has set.
    By(&'a (dyn Fn(ErasedRef<'_>, &mut dyn Hasher) + Send + Sync)),
    /// The values are compared by their `PartialEq`.
    Eq,
}

/// The error that some data of a world cannot be compared: see [`StateOptions`].
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::snapshot::NotCompared;
///
/// #[derive(Component)]
/// struct Names(Vec<String>);
///
/// let mut world = World::new();
/// world.spawn(Names(Vec::new()));
/// let error = world.checksum().unwrap_err();
/// assert!(matches!(error.what[..], [NotCompared::Component(name)] if name.ends_with("Names")));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StateError {
    /// The data that cannot be compared.
    pub what: Vec<NotCompared>,
}

/// Data that cannot be [compared](StateError).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotCompared {
    /// Values of a component. The text is the type name of the component.
    Component(&'static str),
    /// Values of a relation. The text is the type name of the relation.
    Relation(&'static str),
    /// A resource, or messages. The text is the type name.
    Resource(&'static str),
    /// A value that stays on its thread. The text is its type name.
    NonSend(&'static str),
}

impl_display! {
    [] NotCompared => |this, f| match this {
        Self::Component(name) => UnprovedType::hash("component", name).fmt(f),
        Self::Relation(name) => UnprovedType::hash("relation", name).fmt(f),
        Self::Resource(name) => UnprovedType::hash("resource", name).fmt(f),
        Self::NonSend(name) => write!(f, "non-send value `{name}`"),
    }
}

impl_error!([] StateError => |this, f| {
    f.write_str("nothing is known of how to compare ")?;
    for (at, one) in this.what.iter().enumerate() {
        write!(f, "{}{one}", if at == 0 { "" } else { "; " })?;
    }
    f.write_str("; derive `Hash`, or say how in `StateOptions::with_hash`")
});
