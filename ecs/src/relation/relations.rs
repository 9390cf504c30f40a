//! All relations of a store.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::storage::{ErasedPairs, PairClones, PairStorage};
use super::traits::Relation;
use crate::component::{ComponentDescriptor, ComponentId, SlotMap};
use crate::entity::Entity;
use crate::tick::Tick;

/// A relation in a store, which is a `C`.
pub(crate) struct RelationPlace<C: 'static> {
    pub(crate) pairs: Box<dyn ErasedPairs>,
    /// The components of sources and of targets.
    pub(crate) components: [ComponentId; 2],
    /// Their storages.
    pub(crate) storages: [usize; 2],
    pub(crate) functions: &'static PairFunctions<C>,
}

/// What is done with a relation of which the store does not know the type.
pub(crate) struct PairFunctions<C: 'static> {
    /// The number of the relation in another store, which meets it now if need be.
    pub(crate) register: fn(&mut C) -> usize,
    /// Gives an entity the component of sources, or that of targets, where something is told of it.
    pub(crate) mark: [fn(&mut C, Entity); 2],
    /// Makes the pairs that [`ErasedPairs::clone_from`] has cloned, of an entity.
    pub(crate) relate_clones: fn(&mut C, Entity, Box<dyn PairClones>),
    /// Whether something is told of pairs that have come.
    pub(crate) is_observed: fn(&C) -> bool,
    /// Tells what has become of pairs, and drops the values of those that have gone.
    pub(crate) notify: fn(&mut C),
}

/// The relations of a store, which is a `C`.
pub(crate) struct Relations<C: 'static> {
    numbers: SlotMap,
    pub(crate) places: Vec<RelationPlace<C>>,
}

impl_default!([C: 'static] Relations<C> => Self { numbers: SlotMap::default(), places: Vec::new() });

impl<C: 'static> Relations<C> {
    /// The number of a relation, if the store has met it.
    #[inline]
    pub(crate) fn number<R: Relation>(&self) -> Option<usize> {
        self.numbers.get(R::slot()).map(|number| number as usize)
    }

    /// Returns the number of a relation by the descriptor of its values, if the store knows it.
    pub(crate) fn number_of(&self, relation: &ComponentDescriptor) -> Option<usize> {
        self.places.iter().position(|place| place.pairs.descriptor().identity() == relation.identity())
    }

    /// Notes a relation, and returns its number.
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

    /// The pairs of a relation.
    #[inline]
    pub(crate) fn get<R: Relation>(&self) -> Option<&PairStorage<R>> {
        let pairs: &dyn Any = &*self.places.get(self.number::<R>()?)?.pairs;
        pairs.downcast_ref()
    }

    /// The pairs of the relation with this number, which is `R`.
    #[inline]
    pub(crate) fn get_mut<R: Relation>(&mut self, number: usize) -> Option<&mut PairStorage<R>> {
        let pairs: &mut dyn Any = &mut *self.places.get_mut(number)?.pairs;
        pairs.downcast_mut()
    }

    /// The relation whose sources (0) or targets (1) have a component.
    pub(crate) fn end_of(&self, component: ComponentId) -> Option<(usize, usize)> {
        let place = |(number, place): (usize, &RelationPlace<C>)| {
            Some((number, place.components.iter().position(|&id| id == component)?))
        };
        self.places.iter().enumerate().find_map(place)
    }

    /// How many pairs of an entity there are, as a source (0) or as a target (1).
    #[inline]
    pub(crate) fn count(&self, number: usize, end: usize, entity: Entity) -> usize {
        self.places[number].pairs.index().count(end, entity)
    }

    /// Whether something is to be told of pairs.
    #[inline]
    pub(crate) fn have_events(&self) -> bool {
        self.places.iter().any(|place| place.pairs.has_pending())
    }

    /// Keeps ticks from growing too old.
    pub(crate) fn clamp_ticks(&self, now: Tick) {
        self.places.iter().for_each(|place| place.pairs.clamp_ticks(now));
    }

    /// Gives back memory that is not needed.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.places.iter_mut().for_each(|place| place.pairs.shrink_to_fit());
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        let pairs = self.places.iter().map(|place| place.pairs.allocated_bytes());
        self.places.capacity() * size_of::<RelationPlace<C>>() + pairs.sum::<usize>()
    }
}
