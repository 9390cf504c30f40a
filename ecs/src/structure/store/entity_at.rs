//! Exclusive access to one entity of a store. Code outside of this folder changes an entity only through this access.
//!
//! The location of an entity changes with every operation, and user code may run in between. So the location is cached here only while
//! nothing else can have changed it.
//!
//! Tests: tests/model/edits.rs, tests/hazards/exchanged_anywhere.rs

use core::mem::MaybeUninit;

use super::addition::removing_components;
use super::located::LocatedEntity;
use super::{CloneError, EntityBuilder, Store, WorldId, clone_entity};
use crate::component::ComponentId;
use crate::entity::{Entity, EntityError, Location};
use crate::structure::bundle::{Bundle, with_moving_ptr, with_moving_ptr_inline};
use crate::structure::graph::ChangeStep;
use crate::util::alloc_error::AllocError;
use crate::util::guard::OnDrop;

/// An entity and its store.
pub(crate) struct StoreEntityMut<'s> {
    store: &'s mut Store,
    entity: Entity,
    /// The location of the entity, while it is known for certain. It is cleared before user code that could change it may run, and before
    /// an operation that a panicking `Drop` could leave half way.
    location: Option<Location>,
    /// The world of the entity. User code that could change the store could also exchange it for the store of another world.
    world: WorldId,
}

impl<'s> StoreEntityMut<'s> {
    /// Returns exclusive access to an entity.
    ///
    /// # Errors
    ///
    /// If the entity is not alive.
    #[inline]
    pub(crate) fn find(store: &'s mut Store, entity: Entity) -> Result<Self, EntityError> {
        store.flush();
        let location = Some(store.structure.entities.locate(entity)?);
        let world = store.id;
        Ok(Self { store, entity, location, world })
    }

    /// As [`find`](Self::find), but panics instead of returning a `Result`. Building a `Result` and matching it again goes through memory,
    /// which takes as long as a small change.
    ///
    /// # Panics
    ///
    /// If the entity is not alive.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn expect(store: &'s mut Store, entity: Entity) -> Self {
        store.flush();
        let Some(location) = store.structure.entities.get(entity) else {
            gone(store.structure.entities.why_not(entity))
        };
        let world = store.id;
        Self { store, entity, location: Some(location), world }
    }

    /// Returns exclusive access to an entity that has just been spawned in the world with this id. The store may belong to another world by
    /// now.
    #[inline]
    pub(crate) fn new(store: &'s mut Store, entity: Entity, world: WorldId) -> Self {
        Self { store, entity, location: None, world }
    }
}

/// Panics because an operation needs a live entity.
#[cold]
#[track_caller]
fn gone(error: EntityError) -> ! {
    panic!("{error}")
}

/// Panics because the world of an entity has been exchanged for another one.
#[cold]
#[track_caller]
fn exchanged(entity: Entity) -> ! {
    panic!(
        "entity {entity} is not in this world: it was exchanged for another world by a command, an observer, or a function that had it"
    )
}

/// If the entity is not alive any more, methods that change it panic, with a message that names the entity.
impl<'s> StoreEntityMut<'s> {
    #[inline]
    pub(crate) fn id(&self) -> Entity {
        self.entity
    }

    /// Returns whether the store belongs to the entity's world.
    #[inline]
    fn is_in_its_world(&self) -> bool {
        self.location.is_some() || self.store.id == self.world
    }

    /// Returns the id of the entity in the current store. If the store belongs to another world, returns an id that no entity has.
    #[inline]
    pub(crate) fn target(&self) -> Entity {
        if self.is_in_its_world() { self.entity } else { Entity::PLACEHOLDER }
    }

    /// Returns the id of the entity for an operation on the current store.
    ///
    /// # Panics
    ///
    /// If the store belongs to another world.
    #[inline]
    #[track_caller]
    pub(crate) fn expect_target(&self) -> Entity {
        if self.is_in_its_world() { self.entity } else { exchanged(self.entity) }
    }

    #[inline]
    pub(crate) fn store(&self) -> &Store {
        self.store
    }

    /// Returns the store, for arbitrary changes by the caller.
    #[inline]
    pub(crate) fn store_mut(&mut self) -> &mut Store {
        self.location = None;
        self.store
    }

    #[inline]
    pub(crate) fn into_store(self) -> &'s mut Store {
        self.store
    }

    /// Returns the location of the entity.
    #[track_caller]
    pub(crate) fn location(&self) -> Location {
        match self.store.structure.entities.locate(self.expect_target()) {
            Ok(location) => location,
            // Not in a closure: its panic would name this line instead of the caller's.
            Err(error) => gone(error),
        }
    }

    /// Locates the entity for one operation and clears the cached location. The calling line becomes the caller (origin) of the operation.
    #[inline(always)]
    #[track_caller]
    fn located(&mut self) -> LocatedEntity<'_> {
        self.store.track_caller();
        self.located_for_origin()
    }

    /// As `located`, but the caller (origin) stays the same.
    #[inline(always)]
    #[track_caller]
    fn located_for_origin(&mut self) -> LocatedEntity<'_> {
        let location = match self.location.take() {
            Some(location) => location,
            None => {
                self.expect_target();
                self.store.flush();
                self.location()
            }
        };
        // SAFETY: the entity is at this location: the cached location is cleared whenever anything else could change the store.
        unsafe { LocatedEntity::new(self.store, self.entity, location) }
    }

    /// Inserts the components of a bundle.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn insert<B: Bundle>(&mut self, bundle: B) {
        let located = self.located();
        self.location = with_moving_ptr_inline(
            bundle,
            #[inline(always)]
            |bundle| located.insert(bundle),
        );
    }

    /// Inserts the components of a bundle as [`insert`](Self::insert) does, as a part of another operation: the caller (origin) stays the
    /// same.
    #[track_caller]
    pub(crate) fn insert_for_origin<B: Bundle>(&mut self, bundle: B) {
        let located = self.located_for_origin();
        self.location = with_moving_ptr(bundle, |bundle| located.insert(bundle));
    }

    /// Inserts the components of a bundle that the entity does not have. The caller (origin) is as for
    /// [`insert_for_origin`](Self::insert_for_origin).
    #[track_caller]
    pub(crate) fn insert_if_new_for_origin<B: Bundle>(&mut self, bundle: B) {
        let located = self.located_for_origin();
        self.location = with_moving_ptr(bundle, |bundle| located.insert_if_new(bundle));
    }

    /// Sets the calling line as the caller (origin) of the operations that follow.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn track_caller(&mut self) -> &mut Self {
        self.store.track_caller();
        self
    }

    /// Inserts the components of a builder. The builder is empty afterwards; if there is no memory, it keeps the values. The caller
    /// (origin) is the one of the command in progress, unless [`track_caller`](Self::track_caller) has set another one.
    #[track_caller]
    pub(crate) fn insert_dynamic(&mut self, builder: &mut EntityBuilder) -> Result<(), AllocError> {
        self.located_for_origin().insert_values(builder, ChangeStep::Insert)
    }

    /// As [`insert_dynamic`](Self::insert_dynamic), without required components.
    #[track_caller]
    pub(crate) fn insert_exactly(&mut self, builder: &mut EntityBuilder) -> Result<(), AllocError> {
        self.located_for_origin().insert_values(builder, ChangeStep::InsertExactly)
    }

    /// Removes the components of a bundle that the entity has.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn remove<B: Bundle>(&mut self) {
        self.located().remove::<B>();
    }

    /// Removes those of the given components that the entity has. The caller (origin) is as for [`insert_dynamic`](Self::insert_dynamic).
    #[track_caller]
    pub(crate) fn remove_components(&mut self, ids: &[ComponentId]) {
        let loss = removing_components(self.store, ids);
        self.located_for_origin().lose(loss);
    }

    /// Removes all components except those of a bundle and those that these require.
    #[track_caller]
    pub(crate) fn retain<B: Bundle>(&mut self) {
        self.located().retain::<B>();
    }

    /// Removes the components of `Old` that the entity has, and inserts `New`, in one structural change.
    #[track_caller]
    pub(crate) fn replace<Old: Bundle, New: Bundle>(&mut self, new: New) {
        let located = self.located();
        with_moving_ptr(new, |new| located.replace::<Old, New>(new));
    }

    /// Delivers the pending events of an operation that was aborted by a panic, before another operation defers its events.
    fn flush_events(&mut self) {
        if self.store.events.has_pending {
            self.location = None;
            self.store.flush_events();
        }
    }

    /// Moves the components of a bundle out of the entity, if it has all of them.
    #[track_caller]
    pub(crate) fn take<B: Bundle>(&mut self) -> Option<B> {
        self.flush_events();
        let located = self.located();
        let mut taken = MaybeUninit::<B>::uninit();
        // SAFETY: the address is valid for a bundle, which is initialized if this returns true.
        let is_there = located.defer_events(|located| unsafe { located.take::<B>(taken.as_mut_ptr()) });
        if !is_there {
            return None;
        }
        // SAFETY: the bundle is initialized, since `take` returned true.
        Some(unsafe { flush_then_take(self.store, taken) })
    }

    /// Moves the components of `Old` out of the entity and inserts `New`, in one structural change. If a component of `Old` is missing,
    /// returns `new` as the error.
    #[track_caller]
    pub(crate) fn exchange<Old: Bundle, New: Bundle>(&mut self, new: New) -> Result<Old, New> {
        self.flush_events();
        let mut located = self.located();
        // Values are moved as rarely as possible: without optimisation each move copies the value to another place of the stack.
        if !located.has_bundle::<Old>() {
            return Err(new);
        }
        let mut old = MaybeUninit::<Old>::uninit();
        // SAFETY: the address is valid for the old bundle, which is initialized afterwards.
        unsafe {
            with_moving_ptr(new, |new| {
                located.defer_events(|located| located.exchange::<Old, New>(new, old.as_mut_ptr()))
            });
            Ok(flush_then_take(self.store, old))
        }
    }

    /// Moves those of the wanted components that the entity has out of it. If `wanted` is `None`, moves all components. The caller (origin)
    /// is as for [`insert_dynamic`](Self::insert_dynamic).
    #[track_caller]
    pub(crate) fn take_values(&mut self, wanted: Option<&[ComponentId]>) -> EntityBuilder {
        self.located_for_origin().take_values(wanted)
    }

    /// Spawns a clone of the entity with all its components.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn clone_and_spawn(&mut self) -> Result<Entity, CloneError> {
        let entity = self.target();
        self.location = None;
        clone_entity(self.store.track_caller(), entity)
    }
}

/// Ends an operation that has moved a bundle out of an entity, and returns the bundle. If a listener panics, the bundle is dropped.
///
/// # Safety
///
/// - The bundle is initialized.
#[inline]
unsafe fn flush_then_take<B>(store: &mut Store, taken: MaybeUninit<B>) -> B {
    let mut taken = taken;
    if store.events.has_pending {
        let held = OnDrop::new(&mut taken, |taken| {
            // SAFETY: forwarded: the bundle is initialized. Nothing uses it any more.
            unsafe { taken.assume_init_drop() }
        });
        store.flush_events();
        core::mem::forget(held);
    }
    // SAFETY: forwarded: the bundle is initialized.
    unsafe { taken.assume_init() }
}
