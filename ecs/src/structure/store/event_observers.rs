//! The observers of one type of event, as a store keeps them. Only a higher layer knows their concrete type.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::cell::UnsafeCell;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU8, Ordering};

use super::lifecycle_events::LifecycleEvents;
use crate::component::{ComponentId, LifecycleMask};
use crate::entity::Entities;

/// The results of removing observers, which the caller has to act on.
#[derive(Default)]
pub(crate) struct RemovedObservers {
    /// The components that no observer of the type of event watches any more.
    pub(crate) unwatched: Vec<Option<ComponentId>>,
    /// The numbers of the observers.
    pub(crate) numbers: Vec<usize>,
    /// The removed observers. The caller drops them last, since that is user code.
    pub(crate) observers: Vec<Box<dyn Any + Send + Sync>>,
}

/// The observers of one type of event. The store has the type `C`.
pub(crate) trait EventObservers<C: 'static>: Any + Send + Sync {
    /// Notifies the observers of those lifecycle events that have one of these kinds: the kinds for which this type of event is dispatched.
    /// If `only` is given, notifies only the observer with this number.
    fn notify(&mut self, events: &LifecycleEvents, kinds: LifecycleMask, only: Option<usize>, store: &mut C);

    /// Removes the observer with this number. Returns `None` if there is no such observer.
    fn remove(&mut self, number: usize, entities: &Entities) -> Option<RemovedObservers>;

    /// Forgets entities that are not alive, and removes observers that watch no other entities.
    fn forget_dead(&mut self, entities: &Entities, removed: &mut RemovedObservers);

    /// Frees memory that the current observers do not need.
    fn shrink_to_fit(&mut self, entities: &Entities);

    /// Returns whether an observer watches single entities.
    fn watch_entities(&self) -> bool;

    /// Returns whether an observer watches a component, or any component.
    fn watches(&self, component: Option<ComponentId>) -> bool;
}

/// The place of the observers of one type of event. During a dispatch they are taken, and nothing else has access to them.
pub(super) struct ObserversPlace<C: 'static> {
    /// The type of the observers.
    type_id: TypeId,
    shared: NonNull<SharedObservers<dyn EventObservers<C>>>,
}

/// Observers, and whether they are taken.
struct SharedObservers<O: ?Sized> {
    /// [`FREE`], [`TAKEN`] or [`ORPHANED`].
    state: AtomicU8,
    /// The name of the type of event.
    event: &'static str,
    observers: UnsafeCell<O>,
}

/// The observers belong to their place.
const FREE: u8 = 0;
/// The observers are taken. Their place keeps its pointer to them.
const TAKEN: u8 = 1;
/// The observers are taken, and their place is gone.
const ORPHANED: u8 = 2;

// SAFETY: the place owns the observers, which are `Send`. They are taken only for as long as the store that has the place is borrowed.
unsafe impl<C: 'static> Send for ObserversPlace<C> {}
// SAFETY: `&ObserversPlace` gives access to `&dyn EventObservers` only, which is `Sync`, and the state is atomic.
unsafe impl<C: 'static> Sync for ObserversPlace<C> {}

impl<C: 'static> ObserversPlace<C> {
    pub(super) fn new<O: EventObservers<C>>(event: &'static str, observers: O) -> Self {
        let shared: Box<SharedObservers<dyn EventObservers<C>>> =
            Box::new(SharedObservers { state: AtomicU8::new(FREE), event, observers: UnsafeCell::new(observers) });
        Self { type_id: TypeId::of::<O>(), shared: NonNull::from(Box::leak(shared)) }
    }

    /// Returns the name of the type of event.
    pub(super) fn event(&self) -> &'static str {
        self.shared().event
    }

    #[inline(always)]
    fn shared(&self) -> &SharedObservers<dyn EventObservers<C>> {
        // SAFETY: the memory is freed when the place is dropped, or later. `TakenObservers` makes references to the observers, which are in
        // a cell, and shared references to the state.
        unsafe { self.shared.as_ref() }
    }

    #[inline(always)]
    fn is_free(&self) -> bool {
        self.shared().state.load(Ordering::Relaxed) == FREE
    }

    /// Returns the observers, unless they are taken.
    pub(super) fn get(&self) -> Option<&dyn EventObservers<C>> {
        // SAFETY: the observers are not taken, and taking them needs `&mut self`.
        self.is_free().then(|| unsafe { &*self.shared().observers.get() })
    }

    /// Returns the observers mutably, unless they are taken.
    pub(super) fn get_mut(&mut self) -> Option<&mut dyn EventObservers<C>> {
        // SAFETY: the observers are not taken, and `&mut self` is the only reference to the place.
        self.is_free().then(|| unsafe { &mut *self.shared().observers.get() })
    }

    /// Takes the observers for a dispatch. Returns `None` if they are taken, or have another type.
    #[inline(always)]
    pub(super) fn take<O: EventObservers<C>>(&mut self) -> Option<TakenObservers<O>> {
        if self.type_id != TypeId::of::<O>() {
            return None;
        }
        let TakenObservers { shared } = *ManuallyDrop::new(self.take_any()?);
        // The type of the observers is `O`: `type_id`, which was set when the place was made, has been compared.
        Some(TakenObservers { shared: shared.cast() })
    }

    /// Takes the observers as [`take`](Self::take) does, without a check of their type.
    #[inline(always)]
    pub(super) fn take_any(&mut self) -> Option<TakenObservers<dyn EventObservers<C>>> {
        self.is_free().then(|| {
            self.shared().state.store(TAKEN, Ordering::Relaxed);
            TakenObservers { shared: self.shared }
        })
    }
}

impl<C: 'static> Drop for ObserversPlace<C> {
    fn drop(&mut self) {
        if self.is_free() {
            // SAFETY: the pointer is from a box. The observers are not taken, and the place is not used afterwards.
            drop(unsafe { Box::from_raw(self.shared.as_ptr()) });
        } else {
            // `TakenObservers`, which still uses the memory, frees it.
            self.shared().state.store(ORPHANED, Ordering::Relaxed);
        }
    }
}

/// Observers that are taken for a dispatch. On drop they go back to their place, or are dropped if the place no longer exists.
pub(crate) struct TakenObservers<O: ?Sized> {
    shared: NonNull<SharedObservers<O>>,
}

impl<O: ?Sized> Deref for TakenObservers<O> {
    type Target = O;

    #[inline(always)]
    fn deref(&self) -> &O {
        // SAFETY: the state is not `FREE`, so the only references to the observers are made by this one, which is borrowed. The memory is
        // freed when this one is dropped, or later.
        unsafe { &*self.shared.as_ref().observers.get() }
    }
}

impl<O: ?Sized> DerefMut for TakenObservers<O> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut O {
        // SAFETY: the state is not `FREE` until this is dropped, so there is no other reference to the observers: their place makes none,
        // and there is one `TakenObservers` at a time, which is borrowed exclusively. The memory is freed by this one, or by the place
        // when it is free.
        unsafe { &mut *self.shared.as_ref().observers.get() }
    }
}

impl<O: ?Sized> Drop for TakenObservers<O> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the memory is freed below, or by the place when the state is `FREE`.
        let state = unsafe { &self.shared.as_ref().state };
        if state.load(Ordering::Relaxed) == TAKEN {
            state.store(FREE, Ordering::Relaxed);
        } else {
            drop_orphans(self.shared);
        }
    }
}

#[cold]
#[inline(never)]
fn drop_orphans<O: ?Sized>(shared: NonNull<SharedObservers<O>>) {
    // SAFETY: the pointer is from a box. The place no longer exists, and this is the last pointer to the observers.
    drop(unsafe { Box::from_raw(shared.as_ptr()) });
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use super::*;

    struct Listed<T>(T);

    impl<T: Send + Sync + 'static> EventObservers<()> for Listed<T> {
        fn notify(&mut self, _: &LifecycleEvents, _: LifecycleMask, _: Option<usize>, (): &mut ()) {}

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
    fn a_dispatch_has_the_observers_alone() {
        let alive = Arc::new(());
        let mut place = ObserversPlace::new("event", Listed(Arc::clone(&alive)));
        assert!(place.take::<Listed<()>>().is_none());
        let taken = place.take::<Listed<Arc<()>>>().unwrap();
        assert!(place.get().is_none() && place.get_mut().is_none() && place.take::<Listed<Arc<()>>>().is_none());
        drop(taken);
        assert!(place.get().is_some() && place.get_mut().is_some() && place.take::<Listed<Arc<()>>>().is_some());
        drop(place);
        assert_eq!(Arc::strong_count(&alive), 1);
    }

    #[test]
    fn observers_outlive_their_place_while_they_are_taken() {
        let alive = Arc::new(());
        let mut place = ObserversPlace::new("event", Listed(Arc::clone(&alive)));
        let mut taken = place.take::<Listed<Arc<()>>>().unwrap();
        drop(place);
        assert_eq!(Arc::strong_count(&taken.0), 2);
        taken.0 = Arc::clone(&alive);
        drop(taken);
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}
