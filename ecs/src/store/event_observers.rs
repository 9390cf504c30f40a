//! The observers of one type of event, as a store keeps them: of a type that only a higher layer knows, which finds it again here without
//! a call.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::component::ComponentId;
use crate::entity::Entities;

/// What is left to do for observers that have been removed.
#[derive(Default)]
pub(crate) struct RemovedObservers {
    /// Which components no observer of their type of event watches now.
    pub(crate) unwatched: Vec<Option<ComponentId>>,
    /// The numbers of the observers.
    pub(crate) numbers: Vec<usize>,
    /// To be dropped when all else is done: that is user code.
    pub(crate) observers: Vec<Box<dyn Any + Send + Sync>>,
}

/// The observers of one type of event.
pub(crate) trait EventObservers: Any + Send + Sync {
    /// Removes the observer with this number. None if it is not there.
    fn remove(&mut self, number: usize, entities: &Entities) -> Option<RemovedObservers>;

    /// Forgets entities that are not alive, and removes observers that watched only such.
    fn forget_dead(&mut self, entities: &Entities, removed: &mut RemovedObservers);

    /// Gives memory back that is not needed for the observers that are there.
    fn shrink_to_fit(&mut self, entities: &Entities);

    /// Whether an observer watches single entities.
    fn watch_entities(&self) -> bool;

    /// Whether an observer watches a component, or any.
    fn watches(&self, component: Option<ComponentId>) -> bool;
}

/// The observers of one type of event. While an event is told they are the teller's, and nothing else gets at them.
pub(super) struct ObserversPlace {
    /// The type of the value.
    type_id: TypeId,
    shared: NonNull<Shared<dyn EventObservers>>,
}

/// Observers, and who has them.
struct Shared<O: ?Sized> {
    /// [`FREE`], [`TOLD`] or [`ORPHANED`].
    state: AtomicU8,
    observers: UnsafeCell<O>,
}

/// They belong to their place.
const FREE: u8 = 0;
/// They are a teller's; their place keeps its pointer to them.
const TOLD: u8 = 1;
/// They are a teller's, and their place is gone.
const ORPHANED: u8 = 2;

// SAFETY: the place owns the observers, which are `Send`; a teller has them only for as long as it has their store.
unsafe impl Send for ObserversPlace {}
// SAFETY: by `&ObserversPlace` there is only `&dyn EventObservers`, which is `Sync`, and the state is atomic.
unsafe impl Sync for ObserversPlace {}

impl ObserversPlace {
    pub(super) fn new<O: EventObservers>(observers: O) -> Self {
        let shared: Box<Shared<dyn EventObservers>> =
            Box::new(Shared { state: AtomicU8::new(FREE), observers: UnsafeCell::new(observers) });
        Self { type_id: TypeId::of::<O>(), shared: NonNull::from(Box::leak(shared)) }
    }

    fn shared(&self) -> &Shared<dyn EventObservers> {
        // SAFETY: the memory is freed when the place is dropped, or later. A teller makes references to the observers, which are in a cell,
        // but none to what is around them that is not shared.
        unsafe { self.shared.as_ref() }
    }

    fn is_free(&self) -> bool {
        self.shared().state.load(Ordering::Relaxed) == FREE
    }

    /// The observers, if no event of their type is being told.
    pub(super) fn get(&self) -> Option<&dyn EventObservers> {
        // SAFETY: no teller has them, and none gets them without `&mut self`.
        self.is_free().then(|| unsafe { &*self.shared().observers.get() })
    }

    /// The same, to change them.
    pub(super) fn get_mut(&mut self) -> Option<&mut dyn EventObservers> {
        // SAFETY: as above, and there is no other reference to the place.
        self.is_free().then(|| unsafe { &mut *self.shared().observers.get() })
    }

    /// Takes them, to tell them an event. Nothing if they are being told, or have another type.
    #[inline(always)]
    pub(super) fn take<O: EventObservers>(&mut self) -> Option<TakenObservers<O>> {
        if self.type_id != TypeId::of::<O>() {
            return None;
        }
        let shared = self.shared.cast::<Shared<O>>();
        // SAFETY: the type of the value is `O`, as was said when it was made; for the memory see `shared`.
        let state = unsafe { &shared.as_ref().state };
        if state.load(Ordering::Relaxed) != FREE {
            return None;
        }
        state.store(TOLD, Ordering::Relaxed);
        Some(TakenObservers { shared })
    }
}

impl Drop for ObserversPlace {
    fn drop(&mut self) {
        if self.is_free() {
            // SAFETY: the pointer is from a box, no teller has it, and it is not used afterwards.
            drop(unsafe { Box::from_raw(self.shared.as_ptr()) });
        } else {
            // The teller frees them.
            self.shared().state.store(ORPHANED, Ordering::Relaxed);
        }
    }
}

/// Observers that are told of an event. When this is dropped their place has them again; if that is gone they are dropped.
pub(crate) struct TakenObservers<O: EventObservers> {
    shared: NonNull<Shared<O>>,
}

impl<O: EventObservers> Deref for TakenObservers<O> {
    type Target = O;

    #[inline(always)]
    fn deref(&self) -> &O {
        // SAFETY: as below.
        unsafe { &*self.shared.as_ref().observers.get() }
    }
}

impl<O: EventObservers> DerefMut for TakenObservers<O> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut O {
        // SAFETY: the state is not `FREE` until this is dropped, so there is no other reference to the observers: their place makes none,
        // and there is one `TakenObservers` at a time, which is borrowed exclusively. The memory is freed by this one, or by the place
        // when it is free.
        unsafe { &mut *self.shared.as_ref().observers.get() }
    }
}

impl<O: EventObservers> Drop for TakenObservers<O> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the memory is freed below, or by the place when the state is `FREE`.
        let state = unsafe { &self.shared.as_ref().state };
        if state.load(Ordering::Relaxed) == TOLD {
            state.store(FREE, Ordering::Relaxed);
        } else {
            drop_orphans(self.shared);
        }
    }
}

#[cold]
#[inline(never)]
fn drop_orphans<O: EventObservers>(shared: NonNull<Shared<O>>) {
    // SAFETY: the pointer is from a box. The place is gone, and the only teller drops its last reference.
    drop(unsafe { Box::from_raw(shared.as_ptr()) });
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use super::*;

    struct Told<T>(T);

    impl<T: Send + Sync + 'static> EventObservers for Told<T> {
        fn remove(&mut self, _: usize, _: &Entities) -> Option<RemovedObservers> {
            None
        }

        fn forget_dead(&mut self, _: &Entities, _: &mut RemovedObservers) {}

        fn shrink_to_fit(&mut self, _: &Entities) {}

        fn watch_entities(&self) -> bool {
            false
        }

        fn watches(&self, _: Option<ComponentId>) -> bool {
            false
        }
    }

    #[test]
    fn a_teller_has_the_observers_alone() {
        let alive = Arc::new(());
        let mut place = ObserversPlace::new(Told(Arc::clone(&alive)));
        assert!(place.take::<Told<()>>().is_none());
        let taken = place.take::<Told<Arc<()>>>().unwrap();
        assert!(place.get().is_none() && place.get_mut().is_none() && place.take::<Told<Arc<()>>>().is_none());
        drop(taken);
        assert!(place.get().is_some() && place.get_mut().is_some() && place.take::<Told<Arc<()>>>().is_some());
        drop(place);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn observers_outlive_their_place_while_they_are_told() {
        let alive = Arc::new(());
        let mut place = ObserversPlace::new(Told(Arc::clone(&alive)));
        let mut taken = place.take::<Told<Arc<()>>>().unwrap();
        drop(place);
        assert_eq!(Arc::strong_count(&taken.0), 2);
        taken.0 = Arc::clone(&alive);
        drop(taken);
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}
