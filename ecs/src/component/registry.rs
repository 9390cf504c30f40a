//! The registered components of a world, by id.
//!
//! Tests: tests/storage/components.rs, tests/storage/erased/descriptors.rs

mod recorded;
mod requirement_sets;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::TypeId;
use core::sync::atomic::AtomicBool;

use super::descriptor::{ComponentDescriptor, ComponentIdentity};
use super::hooks::{ComponentHook, Hooks};
use super::info::{ComponentInfo, is_always_tracked};
use super::kinds::LifecycleMask;
use super::name::StableNameError;
use super::registration::RegisterComponentError;
use super::relation::RelationSide;
use super::required::{ComponentRequirements, Required, check_definition};
use super::watch::TrackingState;
use super::{Component, ComponentId, SlotMap};

/// Returns the kinds of the hooks of a component and, if it is a side of a relationship, the kinds of events that the store needs.
fn hooked(component: &ComponentDescriptor, hooks: &Hooks) -> LifecycleMask {
    hooks.kinds().of_hooks().union(component.relation.map_or(LifecycleMask::NONE, RelationSide::kinds))
}

/// Marks a slot without a sparse storage.
const NO_STORAGE: u32 = u32::MAX;

/// The registered components of a world. [`Disabled`](crate::entity_disabling::Disabled) is registered in each world.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Mana(u32);
///
/// let mut world = World::new();
/// world.spawn((Health(3), Mana(7)));
/// let components = world.components();
/// assert_eq!(components.len(), 3);
/// assert!(components.id::<Mana>().is_some());
/// ```
#[derive(Default)]
pub struct Components {
    infos: Vec<ComponentInfo>,
    /// The lifecycle events that observers of all components are notified of.
    observed_of_all: LifecycleMask,
    /// Whether any component of the world has hooks, or is a side of a relationship.
    has_hooks: bool,
    /// Whether any component of the world is a side of a relationship.
    has_relations: bool,
    ids: SlotMap,
    sparse: Vec<ComponentId>,
    /// The index of the sparse storage of a component, by slot number; [`NO_STORAGE`] if the component is stored in tables or requires
    /// another component.
    sole_storages: Vec<u32>,
    /// The components that exclude entities from queries.
    disabling: Vec<ComponentId>,
    /// Whether an attribute gave one of the components its stable name.
    has_given_names: bool,
    /// Whether a query has requested changes of any component that are not tracked.
    tracking_requested: Arc<AtomicBool>,
}

impl Components {
    /// Returns the id of `T`; `None` if it is not registered in this world. `O(1)`; for types without parameters nothing is hashed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert_eq!(world.components().id::<Health>(), Some(id));
    /// assert_eq!(world.components().id::<Mana>(), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn id<T: Component>(&self) -> Option<ComponentId> {
        self.ids.get::<T>(T::slot()).map(ComponentId)
    }

    /// Same as [`id`](Self::id), under bevy_ecs's name.
    #[must_use]
    pub fn component_id<T: Component>(&self) -> Option<ComponentId> {
        self.id::<T>()
    }

    /// Same as [`id`](Self::id), under bevy_ecs's name. In this crate every component with an id is registered.
    #[must_use]
    pub fn valid_component_id<T: Component>(&self) -> Option<ComponentId> {
        self.id::<T>()
    }

    /// Returns the id of the component with this `TypeId`, if it is registered in this world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let type_id = std::any::TypeId::of::<Health>();
    /// assert_eq!(world.components().get_id(type_id), Some(id));
    /// ```
    #[must_use]
    pub fn get_id(&self, type_id: TypeId) -> Option<ComponentId> {
        self.ids.get_by_type(type_id).map(ComponentId)
    }

    /// Returns the id of `T`, and registers it if necessary.
    ///
    /// ```
    /// use strata_ecs::component::Components;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut components = Components::default();
    /// let id = components.register::<Health>();
    /// assert_eq!(components.register::<Health>(), id);
    /// assert_eq!(components.len(), 1);
    /// ```
    #[inline]
    pub fn register<T: Component>(&mut self) -> ComponentId {
        match self.id::<T>() {
            Some(id) => id,
            None => self.register_new::<T>(),
        }
    }

    #[cold]
    fn register_new<T: Component>(&mut self) -> ComponentId {
        self.adopt(ComponentDescriptor::of::<T>())
    }

    /// Returns the id of a component from its descriptor, and registers it if necessary.
    ///
    /// # Panics
    ///
    /// If [`Components::try_adopt`] returns an error, with its text.
    pub(crate) fn adopt(&mut self, component: &'static ComponentDescriptor) -> ComponentId {
        self.try_adopt(component).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the id of a component from its descriptor, and registers it if necessary.
    ///
    /// # Errors
    ///
    /// If the descriptor describes a resource, if another component has the same name, or if the requirements of the component are not
    /// valid.
    pub(crate) fn try_adopt(
        &mut self,
        component: &'static ComponentDescriptor,
    ) -> Result<ComponentId, RegisterComponentError> {
        if component.storage().is_none() {
            return Err(RegisterComponentError::NotAComponent(component.name()));
        }
        let slot = component.slot();
        if let Some(number) = slot.and_then(|slot| self.ids.get_by_slot(slot)) {
            return Ok(ComponentId(number));
        }
        match self.find(component)? {
            Some(id) => {
                // The type is already registered under another slot, so this slot is entered as well.
                self.reserve_sole_storage(slot);
                self.ids.enter(component.type_id(), slot, id.0);
                self.note_sole_storage(slot, id);
                Ok(id)
            }
            None => {
                // `is_known` is also true if `find` fails because another component has the name: `describe` reports that error.
                let is_known = |component: &ComponentDescriptor| !matches!(self.find(component), Ok(None));
                check_definition(component, &is_known).map_err(RegisterComponentError::Requirements)?;
                self.adopt_new(component)
            }
        }
    }

    /// Returns the id of a component; `None` if it is not registered in this world.
    ///
    /// # Errors
    ///
    /// If another component with the same name is registered.
    fn find(&self, component: &ComponentDescriptor) -> Result<Option<ComponentId>, RegisterComponentError> {
        match component.identity() {
            ComponentIdentity::Type(type_id) => Ok(self.get_id(type_id)),
            ComponentIdentity::Name(_) => find_named(&self.infos, component),
        }
    }

    /// Registers a component whose definition has been checked, and the components that it requires. If an allocation fails, none of them
    /// is registered.
    fn adopt_new(&mut self, component: &'static ComponentDescriptor) -> Result<ComponentId, RegisterComponentError> {
        let mut new = Vec::new();
        let id = self.describe(component, &mut new)?;
        self.check_names(&new)?;
        let sparse = new.iter().filter(|info| info.descriptor.is_sparse()).count();
        // `ComponentInfo::slot` may run user code, which may panic, and may return another slot at the next call. So it is called once per
        // component, before any change.
        let slots: Vec<Option<u32>> = new.iter().map(ComponentInfo::slot).collect();
        self.infos.reserve(new.len());
        self.sparse.reserve(sparse);
        slots.iter().for_each(|&slot| {
            self.ids.reserve(new.len(), slot);
            self.reserve_sole_storage(slot);
        });
        // From here on nothing can fail: all memory is reserved, and no user code runs.
        for (info, slot) in new.into_iter().zip(slots) {
            self.ids.enter(info.type_id(), slot, info.id.0);
            if info.descriptor.is_sparse() {
                self.sparse.push(info.id);
            }
            self.has_given_names |= info.has_given_name();
            self.has_hooks |= !info.hooked.is_empty();
            self.has_relations |= info.descriptor.relation.is_some();
            let id = info.id;
            self.infos.push(info);
            self.note_sole_storage(slot, id);
        }
        Ok(id)
    }

    /// Returns the index of the sparse storage of `T`. `None` if `T` is not registered, is stored in tables, or requires other components.
    #[inline]
    pub(crate) fn sole_storage<T: Component>(&self) -> Option<usize> {
        if let Some(slot) = T::slot() {
            return match self.sole_storages.get(slot.number() as usize) {
                Some(&number) if number != NO_STORAGE => Some(number as usize),
                _ => None,
            };
        }
        self.info(self.id::<T>()?).and_then(ComponentInfo::sole_storage)
    }

    /// Reserves memory for [`Components::note_sole_storage`].
    fn reserve_sole_storage(&mut self, slot: Option<u32>) {
        if let Some(at) = slot.map(|slot| slot as usize)
            && self.sole_storages.len() <= at
        {
            self.sole_storages.resize(at + 1, NO_STORAGE);
        }
    }

    /// Stores the number of a component's sparse storage under the slot of its type. If the component requires another component, stores
    /// [`NO_STORAGE`]. Does not allocate.
    fn note_sole_storage(&mut self, slot: Option<u32>, id: ComponentId) {
        let number = self.infos[id.index()].sole_storage().map_or(NO_STORAGE, |number| number as u32);
        if let Some(noted) = slot.and_then(|slot| self.sole_storages.get_mut(slot as usize)) {
            *noted = number;
        }
    }

    /// Checks the stable names of components that are about to be registered, against each other and against the names of registered
    /// components.
    ///
    /// # Errors
    ///
    /// If two components have the same name, which an attribute gave to one of them.
    fn check_names(&self, new: &[ComponentInfo]) -> Result<(), RegisterComponentError> {
        if !self.has_given_names && !new.iter().any(ComponentInfo::has_given_name) {
            return Ok(());
        }
        for (at, info) in new.iter().enumerate() {
            let others = self.infos.iter().chain(&new[..at]);
            if let Some(name) = info.descriptor.stable_name
                && let Some(other) = others.into_iter().find(|other| other.excludes(&name))
            {
                let [first, second] = [other.name(), info.name()];
                return Err(RegisterComponentError::SameStableName { name, first, second });
            }
        }
        Ok(())
    }

    /// Returns the id of a component. If it is not registered yet, appends its info and the infos of the components that it
    /// requires to `new`.
    ///
    /// # Errors
    ///
    /// If one of these components has the name of another component.
    fn describe(
        &self,
        component: &'static ComponentDescriptor,
        new: &mut Vec<ComponentInfo>,
    ) -> Result<ComponentId, RegisterComponentError> {
        if let Some(id) = self.find(component)?.or(find_named(new, component)?) {
            return Ok(id);
        }
        let at = new.len();
        let id = ComponentId((self.infos.len() + at) as u32);
        let earlier = self.sparse.len() + new.iter().filter(|info| info.descriptor.is_sparse()).count();
        let sparse = if component.is_sparse() { earlier as u32 } else { u32::MAX };
        let hooks = (component.hooks)();
        let changes = TrackingState::new(is_always_tracked(component.track), &self.tracking_requested);
        new.push(ComponentInfo {
            id,
            descriptor: component,
            sparse,
            requires: None,
            changes,
            removals: None,
            observed: LifecycleMask::NONE,
            hooks,
            hooked: hooked(component, &hooks),
        });
        let mut direct = Vec::new();
        for (required, constructor) in component.requirements() {
            direct.push(Required { id: self.describe(required, new)?, constructor });
        }
        if !direct.is_empty() {
            let mut requires = ComponentRequirements { direct, ..ComponentRequirements::default() };
            let described = |id: ComponentId| new.get(id.index().wrapping_sub(self.infos.len()));
            requires.resolve(|id| described(id).map_or_else(|| self.required(id), ComponentInfo::required));
            new[at].requires = Some(Box::new(requires));
        }
        Ok(id)
    }

    /// Returns the id of the component with this [stable name](crate::component::StableName). `O(components)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "health")]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert_eq!(world.components().get_id_by_name("health"), Ok(id));
    /// ```
    ///
    /// # Errors
    ///
    /// If no component with this name is registered, or if it is the default name of several components.
    pub fn get_id_by_name(&self, name: &str) -> Result<ComponentId, StableNameError> {
        let mut found =
            self.infos.iter().filter(|info| info.descriptor.stable_name.is_some_and(|other| other == *name));
        match (found.next(), found.next()) {
            (Some(first), None) => Ok(first.id),
            (Some(first), Some(second)) => {
                Err(StableNameError::Ambiguous { name: name.into(), first: first.name(), second: second.name() })
            }
            (None, _) => Err(StableNameError::Unknown(name.into())),
        }
    }

    /// Returns the info of a component; `None` if the id belongs to another world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(world.components().info(id).is_some());
    /// assert!(World::new().components().info(id).is_none());
    /// ```
    #[inline]
    #[must_use]
    pub fn info(&self, id: ComponentId) -> Option<&ComponentInfo> {
        self.infos.get(id.index())
    }

    /// Same as [`info`](Self::info), under bevy_ecs's name.
    #[inline]
    #[must_use]
    pub fn get_info(&self, id: ComponentId) -> Option<&ComponentInfo> {
        self.info(id)
    }

    /// Same as [`len`](Self::len), under bevy_ecs's name.
    #[must_use]
    pub fn num_registered(&self) -> usize {
        self.len()
    }

    /// Same as [`iter`](Self::iter), under bevy_ecs's name.
    pub fn iter_registered(&self) -> impl ExactSizeIterator<Item = &ComponentInfo> {
        self.iter()
    }

    /// Returns the full name of a component's type, for messages.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(world.components().name(id).ends_with("Health"));
    /// assert_eq!(World::new().components().name(id), "an unknown component");
    /// ```
    #[must_use]
    pub fn name(&self, id: ComponentId) -> &'static str {
        self.info(id).map_or("an unknown component", ComponentInfo::name)
    }

    /// Returns the number of registered components.
    #[must_use]
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Returns whether no component is registered. Each world has at least [`Disabled`](crate::entity_disabling::Disabled).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// assert!(strata_ecs::component::Components::default().is_empty());
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert!(!world.components().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// Returns the infos of all components, in the order of registration.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Mana(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3), Mana(7)));
    /// let names: Vec<&str> = world.components().iter().map(|info| info.name()).collect();
    /// assert!(names[1].ends_with("Health") && names[2].ends_with("Mana"));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ComponentInfo> {
        self.infos.iter()
    }

    /// Returns the lifecycle events that observers and hooks of a component are notified of.
    #[inline]
    pub(crate) fn observed(&self, id: ComponentId) -> LifecycleMask {
        self.info(id).map_or(LifecycleMask::NONE, |info| info.observed.union(info.hooked).union(self.observed_of_all))
    }

    /// Returns the hook of a component for a kind of event.
    #[inline]
    pub(crate) fn hook(&self, id: ComponentId, kind: LifecycleMask) -> Option<ComponentHook> {
        self.info(id)?.hooks.get(kind)
    }

    /// Returns the side of a relationship or relation that a component is; `None` if it is not a side.
    fn side(&self, id: ComponentId) -> Option<RelationSide> {
        self.info(id)?.descriptor.relation
    }

    /// Returns whether the component is the target side of a relationship: its values list the sources.
    pub(crate) fn lists_sources(&self, id: ComponentId) -> bool {
        self.side(id).is_some_and(|side| side.lists_sources())
    }

    /// Returns whether the component is the source side of a relationship: its values contain a target.
    pub(crate) fn names_target(&self, id: ComponentId) -> bool {
        self.side(id).is_some_and(|side| side.names_target())
    }

    /// Returns whether the component marks entities that are in pairs of a relation.
    pub(crate) fn is_of_pairs(&self, id: ComponentId) -> bool {
        self.side(id).is_some_and(|side| side.is_of_pairs)
    }

    /// Returns whether any component of the world is a side of a relationship.
    #[inline]
    pub(crate) fn has_relations(&self) -> bool {
        self.has_relations
    }

    /// Returns whether any component of the world has hooks, or is a side of a relationship.
    #[inline]
    pub(crate) fn has_hooks(&self) -> bool {
        self.has_hooks
    }

    /// Adds a hook of a kind to a component. If the component already has a hook of this kind, returns false without changes. The caller
    /// updates the tables and plans.
    pub(crate) fn add_hook(&mut self, id: ComponentId, kind: LifecycleMask, hook: ComponentHook) -> bool {
        let info = &mut self.infos[id.index()];
        let is_new = info.hooks.add(kind, hook);
        if is_new {
            info.hooked = hooked(info.descriptor, &info.hooks);
            self.has_hooks = true;
        }
        is_new
    }

    /// Sets the lifecycle events that the observers of a component are notified of. If `id` is `None`, sets the events that the observers
    /// of all components are notified of. The caller updates the tables and plans.
    pub(crate) fn set_observed(&mut self, id: Option<ComponentId>, kinds: LifecycleMask) {
        match id {
            Some(id) => self.infos[id.index()].observed = kinds,
            None => self.observed_of_all = kinds,
        }
    }

    /// Returns the lifecycle events that the observers of a component are notified of, without observers of all components and hooks. If
    /// `id` is `None`, returns those that observers of all components are notified of.
    pub(crate) fn observed_only(&self, id: Option<ComponentId>) -> LifecycleMask {
        match id {
            Some(id) => self.info(id).map_or(LifecycleMask::NONE, |info| info.observed),
            None => self.observed_of_all,
        }
    }

    /// Returns the disabling components. A query skips entities with such a component unless it has a term for the component: see
    /// [`entity_disabling`](crate::entity_disabling).
    ///
    /// ```
    /// use strata_ecs::entity_disabling::Disabled;
    /// use strata_ecs::prelude::*;
    ///
    /// let world = World::new();
    /// let disabled = world.component_id::<Disabled>().unwrap();
    /// assert_eq!(world.components().disabling(), [disabled]);
    /// ```
    #[must_use]
    #[doc(alias("DefaultQueryFilters", "disabling_ids"))]
    pub fn disabling(&self) -> &[ComponentId] {
        &self.disabling
    }

    /// Makes a table-stored component a disabling component. Returns whether it was not disabling before.
    pub(crate) fn add_disabling(&mut self, id: ComponentId) -> bool {
        let is_new = !self.disabling.contains(&id);
        if is_new {
            self.disabling.push(id);
        }
        is_new
    }

    /// Returns the components with sparse storage, in the order of their storages.
    pub(crate) fn sparse(&self) -> &[ComponentId] {
        &self.sparse
    }
}

/// Returns the id of the component in `infos` that has the identity of `component`.
///
/// # Errors
///
/// If another component has the same name.
fn find_named(
    infos: &[ComponentInfo],
    component: &ComponentDescriptor,
) -> Result<Option<ComponentId>, RegisterComponentError> {
    match infos.iter().find(|info| info.descriptor.identity() == component.identity()) {
        Some(info) if !info.descriptor.is_same(component) => {
            Err(RegisterComponentError::DifferentDefinition(component.name()))
        }
        found => Ok(found.map(ComponentInfo::id)),
    }
}
