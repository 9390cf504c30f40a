//! The observers of one type of event, as a store keeps them: of a type that only a higher layer knows, which finds it again here without
//! a call.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::mem;

use crate::component::ComponentId;
use crate::entity::Entities;

/// The observers of one type of event.
pub(crate) trait EventObservers: Any + Send + Sync {
    /// Removes the observer with this number, which is dropped, and says which components no observer watches now. None if it is not
    /// there.
    fn remove(&mut self, number: usize, entities: &Entities) -> Option<Vec<Option<ComponentId>>>;

    /// Forgets entities that are not alive, and observers that watched only such. Those are dropped. Says which components no observer
    /// watches now.
    fn forget_dead(&mut self, entities: &Entities) -> Vec<Option<ComponentId>>;

    /// Whether an observer watches single entities.
    fn watch_entities(&self) -> bool;

    /// Whether an observer watches a component, or any.
    fn watches(&self, component: Option<ComponentId>) -> bool;
}

/// The place of the observers of one type of event. They are taken out while an event is told.
pub(super) struct ObserversPlace {
    /// The type of the value, which is kept while it is out. Both are written together.
    type_id: TypeId,
    value: Option<Box<dyn EventObservers>>,
}

impl ObserversPlace {
    pub(super) fn new<O: EventObservers>(observers: Box<O>) -> Self {
        Self { type_id: TypeId::of::<O>(), value: Some(observers) }
    }

    /// The observers, if no event of their type is being told.
    pub(super) fn get(&self) -> Option<&dyn EventObservers> {
        self.value.as_deref()
    }

    /// The same, to change them.
    pub(super) fn get_mut(&mut self) -> Option<&mut dyn EventObservers> {
        self.value.as_deref_mut()
    }

    /// Takes them out. Nothing if they are out already or have another type.
    #[inline(always)]
    pub(super) fn take<O: EventObservers>(&mut self) -> Option<Box<O>> {
        if self.type_id != TypeId::of::<O>() {
            return None;
        }
        let value = Box::into_raw(self.value.take()?);
        // SAFETY: the pointer has just come from a box. The value is an `O`: wherever one is stored its type is stored with it, and that
        // is the type of `O`.
        Some(unsafe { Box::from_raw(value.cast::<O>()) })
    }

    /// Puts them back.
    #[inline(always)]
    pub(super) fn put<O: EventObservers>(&mut self, observers: Box<O>) {
        self.type_id = TypeId::of::<O>();
        let before = self.value.replace(observers);
        debug_assert!(before.is_none());
        // There is none. So nothing has to be asked for that to be dropped.
        mem::forget(before);
    }
}
