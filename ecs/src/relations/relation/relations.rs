//! The relations of a store.
//!
//! Tests: tests/relationships/pairs/operations.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::storage::{ErasedPairs, PairClones, PairStorage};
use super::traits::Relation;
use crate::component::{ComponentDescriptor, ComponentId, SlotMap};
use crate::entity::Entity;
use crate::storage::tick::Tick;

/// A relation in a store of type `C`.
pub(crate) struct RelationPlace<C: 'static> {
    pub(crate) pairs: Box<dyn ErasedPairs>,
    /// The components that mark the sources and the targets.
    pub(crate) components: [ComponentId; 2],
    /// The indexes of the sparse storages of these components.
    pub(crate) storages: [usize; 2],
    pub(crate) functions: &'static PairFunctions<C>,
}

/// Type-erased functions for a relation.
pub(crate) struct PairFunctions<C: 'static> {
    /// Registers the relation in another store, if it is missing there, and returns its number.
    pub(crate) register: fn(&mut C) -> usize,
    /// Add the component that marks sources, or targets, to an entity, with lifecycle events.
    pub(crate) mark: [fn(&mut C, Entity); 2],
    /// Makes pairs of an entity from clones that [`ErasedPairs::clone_from`] returned.
    pub(crate) relate_clones: fn(&mut C, Entity, Box<dyn PairClones>),
    /// Returns whether there are observers of new pairs.
    pub(crate) is_observed: fn(&C) -> bool,
    /// Triggers the pending events of pairs, and drops the values of removed pairs.
    pub(crate) notify: fn(&mut C),
}

/// The relations of a store of type `C`.
pub(crate) struct Relations<C: 'static> {
    numbers: SlotMap,
    pub(crate) places: Vec<RelationPlace<C>>,
}

impl_default!([C: 'static] Relations<C> => Self { numbers: SlotMap::default(), places: Vec::new() });

impl<C: 'static> Relations<C> {
    /// Returns the number of a relation; `None` if it is not registered.
    #[inline]
    pub(crate) fn number<R: Relation>(&self) -> Option<usize> {
        self.numbers.get(R::slot()).map(|number| number as usize)
    }

    /// Returns the number of the relation with this descriptor; `None` if it is not registered.
    pub(crate) fn number_of(&self, relation: &ComponentDescriptor) -> Option<usize> {
        self.places.iter().position(|place| place.pairs.descriptor().identity() == relation.identity())
    }

    /// Registers a relation, and returns its number.
    pub(crate) fn register<R: Relation>(
        &mut self,
        components: [ComponentId; 2],
        storages: [usize; 2],
        functions: &'static PairFunctions<C>,
    ) -> usize {
        let make = |_| {
            let pairs: Box<dyn ErasedPairs> = Box::new(PairStorage::<R>::new());
            RelationPlace { pairs, components, storages, functions }
        };
        self.numbers.register(R::slot(), &mut self.places, make) as usize
    }

    /// Returns the pairs of a relation; `None` if it is not registered.
    #[inline]
    pub(crate) fn get<R: Relation>(&self) -> Option<&PairStorage<R>> {
        let pairs: &dyn Any = &*self.places.get(self.number::<R>()?)?.pairs;
        pairs.downcast_ref()
    }

    /// Returns the pairs of the relation with this number. The relation must be `R`.
    #[inline]
    pub(crate) fn get_mut<R: Relation>(&mut self, number: usize) -> Option<&mut PairStorage<R>> {
        let pairs: &mut dyn Any = &mut *self.places.get_mut(number)?.pairs;
        pairs.downcast_mut()
    }

    /// Returns the number of the relation whose sources or targets a component marks, and the end: 0 for sources, 1 for targets.
    pub(crate) fn end_of(&self, component: ComponentId) -> Option<(usize, usize)> {
        let place = |(number, place): (usize, &RelationPlace<C>)| {
            Some((number, place.components.iter().position(|&id| id == component)?))
        };
        self.places.iter().enumerate().find_map(place)
    }

    /// Returns the number of pairs of which an entity is the source (`end` is 0) or the target (`end` is 1).
    #[inline]
    pub(crate) fn count(&self, number: usize, end: usize, entity: Entity) -> usize {
        self.places[number].pairs.index().count(end, entity)
    }

    /// Returns whether there are pending events of pairs.
    #[inline]
    pub(crate) fn have_events(&self) -> bool {
        self.places.iter().any(|place| place.pairs.has_pending())
    }

    /// Clamps ticks that are too old.
    pub(crate) fn clamp_ticks(&self, now: Tick) {
        self.places.iter().for_each(|place| place.pairs.clamp_ticks(now));
    }

    /// Frees unused memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.places.iter_mut().for_each(|place| place.pairs.shrink_to_fit());
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        let pairs = self.places.iter().map(|place| place.pairs.allocated_bytes());
        self.places.capacity() * size_of::<RelationPlace<C>>() + pairs.sum::<usize>()
    }
}
