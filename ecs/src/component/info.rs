//! The components that a world knows.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::TypeId;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::drop_glue::DropFn;
use super::kind::Kind;
use super::required::{Required, RequiredComponentsError, Requirements, Requires, check_definition, merge};
use super::watch::{TrackingRequest, Watch, Watched};
use super::{ChangeTracking, Component, ComponentId, SlotMap, StorageType};
use crate::origin::TRACKED;

/// What the storage must know of a component.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let id = world.register_component::<Health>();
/// let info = world.components().info(id).unwrap();
/// assert_eq!(info.id(), id);
/// assert!(info.name().ends_with("Health"));
/// ```
#[derive(Clone, Debug)]
pub struct ComponentInfo {
    id: ComponentId,
    /// What is the same in every world.
    kind: Kind,
    /// The number of the sparse storage, for those that have one.
    sparse: u32,
    /// What it requires, if that is anything.
    requires: Option<Box<Requires>>,
    /// Whether its changes are known.
    changes: Watched,
    /// Whether its removals are recorded.
    watched: bool,
}

/// Whether the changes of a component are known although nobody watches it. To know who made the last one, all of them have
/// to be.
fn is_always_tracked(track: ChangeTracking) -> bool {
    track == ChangeTracking::Always || (TRACKED && track != ChangeTracking::Never)
}

impl ComponentInfo {
    /// Whether it is known which values of the component have changed: since somebody asked, or because its definition
    /// says so.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(!world.components().info(id).unwrap().is_tracked());
    /// let changed = world.query_filtered::<Entity, Changed<Health>>();
    /// assert!(world.components().info(id).unwrap().is_tracked());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_tracked(&self) -> bool {
        self.changes.is_known()
    }

    /// How a column of the component asks for its changes to be tracked.
    pub(crate) fn tracking_request(&self) -> &Arc<TrackingRequest> {
        self.changes.request()
    }

    /// Whether nobody wants to know any more which values change.
    pub(crate) fn is_idle(&self) -> bool {
        !is_always_tracked(self.kind.track) && self.changes.is_idle()
    }

    /// The number of the component in its world.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.id(), id);
    /// ```
    #[must_use]
    pub const fn id(&self) -> ComponentId {
        self.id
    }

    /// The full name of the type, as in `my_game::Position`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert!(info.name().ends_with("::Health"));
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name
    }

    /// The type.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.type_id(), std::any::TypeId::of::<Health>());
    /// ```
    #[must_use]
    pub const fn type_id(&self) -> TypeId {
        self.kind.type_id
    }

    /// Size and alignment of one value.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.layout(), std::alloc::Layout::new::<Health>());
    /// ```
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.kind.layout
    }

    /// Whether dropping a value does anything.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Name(String);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Name>();
    /// assert!(world.components().info(id).unwrap().needs_drop());
    /// ```
    #[must_use]
    pub const fn needs_drop(&self) -> bool {
        self.kind.drop.is_some()
    }

    /// Where the values are stored.
    ///
    /// ```
    /// use strata_ecs::component::StorageType;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let info = world.components().info(id).unwrap();
    /// assert_eq!(info.storage(), StorageType::Table);
    /// ```
    #[must_use]
    pub const fn storage(&self) -> StorageType {
        self.kind.storage
    }

    /// Whether values can be cloned, as `World::clone_entity` does.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Clone)]
    /// struct Health(u32);
    /// #[derive(Component)]
    /// struct Connection;
    ///
    /// let mut world = World::new();
    /// world.spawn((Health(3), Connection));
    /// let can_clone: Vec<bool> = world.components().iter().map(|info| info.can_clone()).collect();
    /// assert_eq!(can_clone, [true, false]);
    /// ```
    #[must_use]
    pub const fn can_clone(&self) -> bool {
        self.kind.clone.is_some()
    }

    /// The components that this one brings along, directly or through others, in the order of nearness. See
    /// [`#[derive(Component)]`](derive@crate::prelude::Component).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Default)]
    /// # struct Health(u32);
    ///
    /// #[derive(Component)]
    /// #[require(Health)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// let monster = world.register_component::<Monster>();
    /// let health = world.component_id::<Health>().unwrap();
    /// let info = world.components().info(monster).unwrap();
    /// assert!(info.required_components().eq([health]));
    /// ```
    pub fn required_components(&self) -> impl ExactSizeIterator<Item = ComponentId> {
        self.required().iter().map(|required| required.id)
    }

    /// What the component requires, directly or through others.
    pub(crate) fn required(&self) -> &[Required] {
        self.requires.as_deref().map_or(&[], |requires| &requires.all)
    }

    /// Whether the component requires others.
    #[inline]
    pub(crate) fn has_requirements(&self) -> bool {
        self.requires.is_some()
    }

    /// What is the same in every world.
    pub(crate) const fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) const fn drop_fn(&self) -> Option<DropFn> {
        self.kind.drop
    }

    /// The number of the type in this process, if it has one.
    pub(crate) const fn slot(&self) -> Option<u32> {
        self.kind.slot
    }

    /// The number of the sparse storage. Only for sparse components.
    #[inline]
    pub(crate) fn sparse_index(&self) -> usize {
        debug_assert!(self.kind.storage == StorageType::Sparse);
        self.sparse as usize
    }
}

/// Every component that a world has met.
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
/// assert_eq!(components.len(), 2);
/// assert!(components.id::<Mana>().is_some());
/// ```
#[derive(Default)]
pub struct Components {
    infos: Vec<ComponentInfo>,
    ids: SlotMap,
    sparse: Vec<ComponentId>,
    /// Whether changes have been asked for that are not tracked.
    tracking_requested: Arc<AtomicBool>,
}

impl Components {
    /// The number of `T`, if this world has met it. `O(1)`, without hashing for types without parameters.
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

    /// The number of the component with this `TypeId`, if this world has met it.
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

    /// The number of `T`, which is registered now if need be.
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
        self.adopt(&Kind::of::<T>())
    }

    /// The number of a component whose type is known as data only, which is registered now if need be.
    pub(crate) fn adopt(&mut self, kind: &Kind) -> ComponentId {
        if let Some(number) = kind.slot.and_then(|slot| self.ids.get_by_slot(slot)) {
            return ComponentId(number);
        }
        match self.get_id(kind.type_id) {
            // A further number in the process of a type that is registered.
            Some(id) => {
                self.ids.enter(kind.type_id, kind.slot, id.0);
                id
            }
            None => {
                check_definition(kind, &|kind| self.get_id(kind.type_id).is_some());
                self.adopt_new(kind)
            }
        }
    }

    /// Registers a component whose definition has been checked, and those that it requires: all of them or, if memory runs
    /// out, none.
    fn adopt_new(&mut self, kind: &Kind) -> ComponentId {
        let mut new = Vec::new();
        let id = self.describe(kind, &mut new);
        let sparse = new.iter().filter(|info| info.kind.is_sparse()).count();
        self.infos.reserve(new.len());
        self.sparse.reserve(sparse);
        new.iter().for_each(|info| self.ids.reserve(new.len(), info.kind.slot));
        // There is room for everything.
        for info in new {
            self.ids.enter(info.kind.type_id, info.kind.slot, info.id.0);
            if info.kind.is_sparse() {
                self.sparse.push(info.id);
            }
            self.infos.push(info);
        }
        id
    }

    /// The number of a component. If it has none yet, `new` gets what is known of it and of those that it requires.
    fn describe(&self, kind: &Kind, new: &mut Vec<ComponentInfo>) -> ComponentId {
        let described = new.iter().find(|info| info.kind.type_id == kind.type_id).map(|info| info.id);
        if let Some(id) = self.get_id(kind.type_id).or(described) {
            return id;
        }
        let at = new.len();
        let id = ComponentId((self.infos.len() + at) as u32);
        let earlier = self.sparse.len() + new.iter().filter(|info| info.kind.is_sparse()).count();
        let sparse = if kind.is_sparse() { earlier as u32 } else { u32::MAX };
        let changes = Watched::new(is_always_tracked(kind.track), &self.tracking_requested);
        new.push(ComponentInfo { id, kind: *kind, sparse, requires: None, changes, watched: false });
        let mut direct = Vec::new();
        for (kind, constructor) in kind.requirements() {
            direct.push(Required { id: self.describe(&kind, new), constructor });
        }
        if !direct.is_empty() {
            let mut requires = Requires { direct, ..Requires::default() };
            let described = |id: ComponentId| new.get(id.index().wrapping_sub(self.infos.len()));
            requires.resolve(|id| described(id).map_or_else(|| self.required(id), ComponentInfo::required));
            new[at].requires = Some(Box::new(requires));
        }
        id
    }

    /// What a component requires, directly or through others.
    fn required(&self, id: ComponentId) -> &[Required] {
        self.info(id).map_or(&[], ComponentInfo::required)
    }

    /// What several components require, directly or through others, without themselves. Of what is required by more than one
    /// the first counts.
    pub(crate) fn required_by(&self, ids: &[ComponentId]) -> Box<[Required]> {
        self.required_by_with(ids, &Requirements::default())
    }

    /// The same, once components require more.
    pub(crate) fn required_by_with(&self, ids: &[ComponentId], more: &Requirements) -> Box<[Required]> {
        let mut all = Vec::new();
        for &id in ids {
            merge(&mut all, more.of(id).unwrap_or_else(|| self.required(id)));
        }
        all.retain(|required| !ids.contains(&required.id));
        all.into()
    }

    /// What components require once one of them requires another one, for [`Components::adopt_requirements`].
    ///
    /// # Errors
    ///
    /// If it does so already, or if the components would require each other.
    pub(crate) fn requirements_with(
        &self,
        by: ComponentId,
        required: Required,
    ) -> Result<Requirements, RequiredComponentsError> {
        let names = (self.name(by), self.name(required.id));
        if by == required.id || self.required(required.id).iter().any(|further| further.id == by) {
            return Err(RequiredComponentsError::CyclicRequirement { requiree: names.0, required: names.1 });
        }
        let mut requires = self.infos[by.index()].requires.clone().unwrap_or_default();
        if requires.direct.iter().any(|earlier| earlier.id == required.id) {
            return Err(RequiredComponentsError::DuplicateRegistration { requiree: names.0, required: names.1 });
        }
        requires.direct.push(required);
        let mut new = Requirements(Vec::new());
        let is_concerned = |info: &&ComponentInfo| info.id == by || info.required().iter().any(|other| other.id == by);
        let mut concerned: Vec<ComponentId> = self.infos.iter().filter(is_concerned).map(|info| info.id).collect();
        // Whoever requires a component requires more than that does, so it comes later.
        concerned.sort_unstable_by_key(|&id| (id != by, self.required(id).len(), id));
        for id in concerned {
            let of_this = if id == by { Some(requires.clone()) } else { self.infos[id.index()].requires.clone() };
            if let Some(mut requires) = of_this {
                requires.resolve(|id| new.of(id).unwrap_or_else(|| self.required(id)));
                new.0.push((id, requires));
            }
        }
        Ok(new)
    }

    /// Replaces what some components require. Needs no memory.
    pub(crate) fn adopt_requirements(&mut self, new: Requirements) {
        for (id, requires) in new.0 {
            self.infos[id.index()].requires = Some(requires);
        }
    }

    /// What is known of a component; `None` if the number is another world's.
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

    /// The full name of a component's type, for messages.
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

    /// How many components this world has met.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.register_component::<Health>();
    /// assert_eq!(world.components().len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether this world has met no component.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// assert!(world.components().is_empty());
    /// world.spawn(Health(3));
    /// assert!(!world.components().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// Everything that is known, in the order of registration.
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
    /// assert!(names[0].ends_with("Health") && names[1].ends_with("Mana"));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ComponentInfo> {
        self.infos.iter()
    }

    /// Whether changes have been asked for that are not tracked.
    #[inline]
    pub(crate) fn is_tracking_requested(&self) -> bool {
        self.tracking_requested.load(Relaxed)
    }

    /// The components of which changes have been asked for since the last call. `O(components)`.
    pub(crate) fn take_tracking_requests(&mut self) -> Vec<ComponentId> {
        self.tracking_requested.store(false, Relaxed);
        self.infos.iter().filter(|info| info.changes.take_request()).map(ComponentInfo::id).collect()
    }

    /// Sets whether the changes of a component are known; of one that is never tracked they are not.
    pub(crate) fn set_tracked(&mut self, id: ComponentId, tracked: bool) -> bool {
        let Some(info) = self.infos.get_mut(id.index()) else { return false };
        let tracked = tracked && info.kind.track != ChangeTracking::Never;
        info.changes.set_known(tracked);
        tracked
    }

    /// One who wants to know the changes of a component.
    pub(crate) fn watch(&mut self, id: ComponentId) -> Option<Watch> {
        self.infos.get_mut(id.index()).map(|info| info.changes.watch())
    }

    /// Whether the removals of a component are recorded.
    pub(crate) fn is_watched(&self, id: ComponentId) -> bool {
        self.info(id).is_some_and(|info| info.watched)
    }

    /// Whether the removals of some of these components are recorded.
    pub(crate) fn any_watched(&self, ids: &[ComponentId]) -> bool {
        ids.iter().any(|&id| self.is_watched(id))
    }

    /// Says whether the removals of a component are recorded. The caller tells the tables.
    pub(crate) fn set_watched(&mut self, id: ComponentId, watched: bool) {
        self.infos[id.index()].watched = watched;
    }

    /// The components with sparse storage, in the order of their storages.
    pub(crate) fn sparse(&self) -> &[ComponentId] {
        &self.sparse
    }
}
