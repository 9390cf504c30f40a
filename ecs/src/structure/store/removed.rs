//! Readers of removals.
//!
//! The operations record removals themselves (`change`, `bulk`, `despawn`), each at one place: after everything has moved, and before
//! anything is dropped.
//!
//! Tests: tests/changes/removed

use super::{Events, Store};
use crate::component::transition::ListenerMask;
use crate::component::{Component, ComponentId, ComponentInfo, ErasedValue};
use crate::structure::archetype::Archetypes;
use crate::structure::removal::{Removals, RemovedComponentReader, RemovedValueReader};

/// Calls `watch` with the removal logs and the metadata of a component. Registers the component if necessary.
fn watch_removals<C: Component, T>(store: &mut Store, watch: impl FnOnce(&mut Removals, &ComponentInfo) -> T) -> T {
    let id = store.register_component::<C>();
    let Some(info) = store.structure.archetypes.components.info(id) else {
        unreachable!("the component has just been registered")
    };
    watch(&mut store.events.removals, info)
}

/// Starts recording the removals of a component in a log.
fn record_removals<C: Component>(store: &mut Store, list: usize) {
    let id = store.register_component::<C>();
    store.structure.archetypes.set_removals(id, Some(list as u32));
}

/// Creates a reader of removals of a component. The removals are recorded from now on.
pub(crate) fn removed_reader<C: Component>(store: &mut Store) -> RemovedComponentReader<C> {
    let reader = watch_removals::<C, _>(store, Removals::read_entities);
    record_removals::<C>(store, reader.cursor.list());
    reader
}

/// Creates a reader of removals of the component with this id. The removals are recorded from now on.
pub(crate) fn removed_reader_by_id(store: &mut Store, id: ComponentId) -> Option<RemovedComponentReader<ErasedValue>> {
    let info = store.structure.archetypes.components.info(id)?;
    let reader = store.events.removals.read_entities(info);
    store.structure.archetypes.set_removals(id, Some(reader.cursor.list() as u32));
    Some(reader)
}

/// Creates a reader of removed values of a component. Removed values are kept from now on.
pub(crate) fn removed_value_reader<C: Component>(store: &mut Store) -> RemovedValueReader<C> {
    let reader = watch_removals::<C, _>(store, Removals::read_values);
    record_removals::<C>(store, reader.cursor.list());
    reader
}

/// Sets the maximum number of removals of a component that are kept.
pub(crate) fn set_removed_limit<C: Component>(store: &mut Store, limit: usize) {
    watch_removals::<C, _>(store, |removals, info| removals.set_limit(info, limit));
}

/// Panics if the flags of tables, plans or storages contradict the readers.
pub(super) fn check_removals<D>(events: &Events<D>, archetypes: &Archetypes) {
    let has_readers = events.removals.check();
    for info in archetypes.components.iter() {
        let watched = archetypes.components.is_watched(info.id());
        assert!(watched || !has_readers(info.id()), "{} is not watched", info.name());
    }
    for table in &archetypes.tables {
        let watched = table.components().iter().any(|&id| archetypes.components.is_watched(id));
        let told = table.interest().intersects(ListenerMask::REMOVALS);
        assert_eq!(watched, told, "whether removals from table {:?} are told", table.id());
    }
}

impl<D> Events<D> {
    /// Drops the recorded removals that all readers have read, and the logs of readers that no longer exist.
    #[inline]
    pub(crate) fn tidy_removals(&mut self, archetypes: &mut Archetypes) {
        if self.removals.is_watching() {
            self.tidy_removals_now(archetypes);
        }
    }

    #[cold]
    fn tidy_removals_now(&mut self, archetypes: &mut Archetypes) {
        self.removals.trim(|id| archetypes.set_removals(id, None));
    }
}
