//! One entity of a store that nothing else uses meanwhile: the only way by which operations on it leave this folder.
//!
//! Where an entity is changes with every operation, and user code may do anything in between. So a location is kept here, and only
//! while nothing but this can have changed it.

use core::mem::MaybeUninit;

use super::addition::removing_components;
use super::located::Located;
use super::{CloneError, EntityBuilder, Store, WorldId, clone_entity};
use crate::alloc_error::AllocError;
use crate::bundle::{Bundle, give, give_here};
use crate::component::ComponentId;
use crate::entity::{Entity, EntityError, Location};
use crate::graph::ChangeStep;
use crate::guard::OnDrop;

/// An entity and the store that it lives in.
pub(crate) struct EntityAt<'s> {
    store: &'s mut Store,
    entity: Entity,
    /// Where the entity is, while that is known for certain. It is forgotten whenever user code could change it, and
    /// before an operation that a panicking `Drop` could leave half way.
    location: Option<Location>,
    /// The world of the entity. Where user code could change the store, it could exchange it for that of another world as well.
    world: WorldId,
}

impl<'s> EntityAt<'s> {
    /// An entity, to change it.
    ///
    /// # Errors
    ///
    /// If it is not alive.
    #[inline]
    pub(crate) fn find(store: &'s mut Store, entity: Entity) -> Result<Self, EntityError> {
        store.flush();
        let location = Some(store.structure.entities.locate(entity)?);
        let world = store.id;
        Ok(Self { store, entity, location, world })
    }

    /// As [`find`](Self::find), for callers that have nothing to do otherwise. A result that is made and looked at again goes through
    /// memory, which takes as long as a small change.
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

    /// An entity that has just been made in this world, to change it. Another world may be here since.
    #[inline]
    pub(crate) fn new(store: &'s mut Store, entity: Entity, world: WorldId) -> Self {
        Self { store, entity, location: None, world }
    }
}

/// What every operation says that needs a live entity if there is none.
#[cold]
#[track_caller]
fn gone(error: EntityError) -> ! {
    panic!("{error}")
}

/// What every operation says that needs the entity if another world is here.
#[cold]
#[track_caller]
fn exchanged(entity: Entity) -> ! {
    panic!(
        "entity {entity} is not in this world: it was exchanged for another world by a command, an observer, or a function that had it"
    )
}

/// The methods that change the entity panic with its name if it is not alive any more.
impl<'s> EntityAt<'s> {
    #[inline]
    pub(crate) fn id(&self) -> Entity {
        self.entity
    }

    /// Whether the store is that of the entity's world.
    #[inline]
    fn is_in_its_world(&self) -> bool {
        self.location.is_some() || self.store.id == self.world
    }

    /// The id of the entity in the store that is here: one that no entity has if that is the store of another world.
    #[inline]
    pub(crate) fn target(&self) -> Entity {
        if self.is_in_its_world() { self.entity } else { Entity::PLACEHOLDER }
    }

    /// The id of the entity, for an operation on the store that is here.
    ///
    /// # Panics
    ///
    /// If that is the store of another world.
    #[inline]
    #[track_caller]
    pub(crate) fn expect_target(&self) -> Entity {
        if self.is_in_its_world() { self.entity } else { exchanged(self.entity) }
    }

    #[inline]
    pub(crate) fn store(&self) -> &Store {
        self.store
    }

    /// The store, of which the caller may do anything.
    #[inline]
    pub(crate) fn store_mut(&mut self) -> &mut Store {
        self.location = None;
        self.store
    }

    #[inline]
    pub(crate) fn into_store(self) -> &'s mut Store {
        self.store
    }

    /// Where the entity is.
    #[track_caller]
    pub(crate) fn location(&self) -> Location {
        self.store.structure.entities.locate(self.expect_target()).unwrap_or_else(|error| gone(error))
    }

    /// The entity where it is, for one operation; what was known of its location is forgotten. The caller is the origin of what
    /// follows.
    #[inline(always)]
    #[track_caller]
    fn located(&mut self) -> Located<'_> {
        self.store.by_caller();
        self.located_for_origin()
    }

    /// As `located`, but the origin of what follows stays.
    #[inline(always)]
    #[track_caller]
    fn located_for_origin(&mut self) -> Located<'_> {
        let location = match self.location.take() {
            Some(location) => location,
            None => {
                self.expect_target();
                self.store.flush();
                self.location()
            }
        };
        // SAFETY: the entity is there: what was known is forgotten whenever anything but this could change the store.
        unsafe { Located::new(self.store, self.entity, location) }
    }

    /// Adds the components of a bundle.
    #[inline(always)]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn insert<B: Bundle>(&mut self, bundle: B) {
        let located = self.located();
        self.location = give_here(
            bundle,
            #[inline(always)]
            |bundle| located.insert(bundle),
        );
    }

    /// The same; the origin is that of the operation that this is a part of.
    pub(crate) fn insert_for_origin<B: Bundle>(&mut self, bundle: B) {
        let located = self.located_for_origin();
        self.location = give(bundle, |bundle| located.insert(bundle));
    }

    /// Adds those components of a bundle that the entity does not have. The origin is as for
    /// [`insert_for_origin`](Self::insert_for_origin).
    pub(crate) fn insert_if_new_for_origin<B: Bundle>(&mut self, bundle: B) {
        let located = self.located_for_origin();
        self.location = give(bundle, |bundle| located.insert_if_new(bundle));
    }

    /// The caller is the origin of what follows.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn by_caller(&mut self) -> &mut Self {
        self.store.by_caller();
        self
    }

    /// Adds the components of a builder, which is empty afterwards; if there is no memory the values stay in it. The origin is that of
    /// the command that is applied, unless [`by_caller`](Self::by_caller) has set another one.
    pub(crate) fn insert_dynamic(&mut self, builder: &mut EntityBuilder) -> Result<(), AllocError> {
        self.located_for_origin().insert_values(builder, ChangeStep::Insert)
    }

    /// As [`insert_dynamic`](Self::insert_dynamic), without what the components require.
    pub(crate) fn insert_exactly(&mut self, builder: &mut EntityBuilder) -> Result<(), AllocError> {
        self.located_for_origin().insert_values(builder, ChangeStep::InsertExactly)
    }

    /// Removes the components of a bundle, as far as the entity has them.
    #[inline(always)]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn remove<B: Bundle>(&mut self) {
        self.located().remove::<B>();
    }

    /// Removes these components of the world, as far as the entity has them. The origin is as for
    /// [`insert_dynamic`](Self::insert_dynamic).
    pub(crate) fn remove_components(&mut self, ids: &[ComponentId]) {
        let loss = removing_components(self.store, ids);
        self.located_for_origin().lose(loss);
    }

    /// Removes all components but those of a bundle and those that these require.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn retain<B: Bundle>(&mut self) {
        self.located().retain::<B>();
    }

    /// Removes the components of `Old`, as far as the entity has them, and adds those of `New`, in one move.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn replace<Old: Bundle, New: Bundle>(&mut self, new: New) {
        let located = self.located();
        give(new, |new| located.replace::<Old, New>(new));
    }

    /// Tells what an operation that was broken off has left to be told, before another one holds its news.
    fn flush_events(&mut self) {
        if self.store.events.has_pending {
            self.location = None;
            self.store.flush_events();
        }
    }

    /// Takes the components of a bundle out, if the entity has all of them.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn take<B: Bundle>(&mut self) -> Option<B> {
        self.flush_events();
        let located = self.located();
        let mut taken = MaybeUninit::<B>::uninit();
        // SAFETY: the address is that of room for a bundle, which is there if this returns true.
        let is_there = located.defer_events(|located| unsafe { located.take::<B>(taken.as_mut_ptr()) });
        if !is_there {
            return None;
        }
        // SAFETY: the bundle is there.
        Some(unsafe { told(self.store, taken) })
    }

    /// Takes the components of `Old` out and adds those of `New`, in one move; `New` comes back if one of the old ones is missing.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn exchange<Old: Bundle, New: Bundle>(&mut self, new: New) -> Result<Old, New> {
        self.flush_events();
        let mut located = self.located();
        // Without optimisation each use of a value costs as much stack again, and components may be large.
        if !located.has_bundle::<Old>() {
            return Err(new);
        }
        let mut old = MaybeUninit::<Old>::uninit();
        // SAFETY: the address is that of room for the old bundle, which is there afterwards.
        unsafe {
            give(new, |new| located.defer_events(|located| located.exchange::<Old, New>(new, old.as_mut_ptr())));
            Ok(told(self.store, old))
        }
    }

    /// Takes these components of the world out, as far as the entity has them, or all. The origin is as for
    /// [`insert_dynamic`](Self::insert_dynamic).
    pub(crate) fn take_values(&mut self, wanted: Option<&[ComponentId]>) -> EntityBuilder {
        self.located_for_origin().take_values(wanted)
    }

    /// Makes an entity of clones of all components.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) fn clone_and_spawn(&mut self) -> Result<Entity, CloneError> {
        let entity = self.target();
        self.location = None;
        clone_entity(self.store.by_caller(), entity)
    }
}

/// Ends an operation that has taken a bundle out, which is dropped if what is told of it panics.
///
/// # Safety
///
/// - The bundle is there.
#[inline]
unsafe fn told<B>(store: &mut Store, taken: MaybeUninit<B>) -> B {
    let mut taken = taken;
    if store.events.has_pending {
        let held = OnDrop::new(&mut taken, |taken| {
            // SAFETY: the bundle is there, as the caller promises, and nothing uses it any more.
            unsafe { taken.assume_init_drop() }
        });
        store.flush_events();
        core::mem::forget(held);
    }
    // SAFETY: the caller's promise.
    unsafe { taken.assume_init() }
}
