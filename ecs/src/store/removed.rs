//! Readers of removals.
//!
//! What entities lose is told by the operations themselves (`change`, `bulk`, `despawn`), each at one place: when everything has
//! moved, and nothing has been dropped.

use super::Store;
use crate::component::{Component, ComponentId, ComponentInfo, ErasedValue};
use crate::removal::{Log, Removals, RemovedComponentReader, RemovedValueReader};
use crate::transition::Interest;

impl Store {
    /// What is known of a component, which is registered now if need be.
    fn watch_removals<C: Component, T>(&mut self, watch: impl FnOnce(&mut Removals, &ComponentInfo) -> T) -> T {
        let id = self.register_component::<C>();
        let Some(info) = self.archetypes.components.info(id) else {
            unreachable!("the component has just been registered")
        };
        watch(&mut self.listeners.removals, info)
    }

    /// Removals of a component are recorded from now on, in a list.
    fn record_removals<C: Component>(&mut self, list: usize) {
        let id = self.register_component::<C>();
        self.archetypes.set_removals(id, Some(list as u32));
    }

    /// A new reader of removals of a component; they are recorded from now on.
    pub(crate) fn removed_reader<C: Component>(&mut self) -> RemovedComponentReader<C> {
        let reader = self.watch_removals::<C, _>(Removals::read_entities);
        self.record_removals::<C>(reader.cursor.list());
        reader
    }

    /// A new reader of removals of the component with this number; they are recorded from now on.
    pub(crate) fn removed_reader_by_id(&mut self, id: ComponentId) -> Option<RemovedComponentReader<ErasedValue>> {
        let info = self.archetypes.components.info(id)?;
        let reader = self.listeners.removals.read_entities(info);
        self.archetypes.set_removals(id, Some(reader.cursor.list() as u32));
        Some(reader)
    }

    /// A new reader of removed values of a component; they are kept from now on.
    pub(crate) fn removed_value_reader<C: Component>(&mut self) -> RemovedValueReader<C> {
        let reader = self.watch_removals::<C, _>(Removals::read_values);
        self.record_removals::<C>(reader.cursor.list());
        reader
    }

    /// How many removals of a component are kept at most.
    pub(crate) fn set_removed_limit<C: Component>(&mut self, limit: usize) {
        self.watch_removals::<C, _>(|removals, info| removals.set_limit(info, limit));
    }

    /// The list that a reader reads; none if it is another store's.
    #[inline]
    pub(crate) fn removed<C>(&self, reader: &RemovedComponentReader<C>) -> Option<&Log> {
        self.listeners.removals.entities(reader.cursor.list()).filter(|log| reader.cursor.is_of(log))
    }

    /// The list that a reader reads; none if it is another store's. Its values are of type `C` otherwise.
    #[inline]
    pub(crate) fn removed_values<C: Component>(&self, reader: &RemovedValueReader<C>) -> Option<&Log> {
        self.listeners.removals.values(reader.cursor.list()).filter(|log| reader.cursor.is_of(log))
    }

    /// Lets go of what all readers of removals have read, and of what readers that are no more have not.
    #[inline]
    pub(crate) fn tidy_removals(&mut self) {
        if self.listeners.removals.is_watching() {
            self.tidy_removals_now();
        }
    }

    #[cold]
    fn tidy_removals_now(&mut self) {
        let Self { listeners, archetypes, .. } = self;
        listeners.removals.tidy(|id| archetypes.set_removals(id, None));
    }

    /// Panics if the flags are wrong.
    pub(super) fn check_removals(&self) {
        let has_readers = self.listeners.removals.check();
        for info in self.archetypes.components.iter() {
            let watched = self.archetypes.components.is_watched(info.id());
            assert!(watched || !has_readers(info.id()), "{} is not watched", info.name());
        }
        for table in &self.archetypes.tables {
            let watched = self.archetypes.components.any_watched(table.components());
            let told = table.interest().has(Interest::REMOVALS);
            assert_eq!(watched, told, "whether removals from table {:?} are told", table.id());
        }
    }
}
