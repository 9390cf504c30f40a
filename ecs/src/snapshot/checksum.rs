//! Computes a checksum of the contents of a world.
//!
//! Tests: tests/snapshots/checksums.rs

use alloc::string::String;
use alloc::vec::Vec;
use core::hash::Hasher as _;

use super::parts::{ComponentNames, check, name_of, resource_values};
use super::state_options::{CompareMethod, StateError, StateOptions};
use crate::component::{ComponentDescriptor, ErasedRef, ErasedSlice};
use crate::entity::Entity;
use crate::structure::store::{Store, erased_pairs};
use crate::util::state_hash::StateHasher;
use crate::world::World;

impl World {
    /// Returns a checksum of all data in the world, including the order of the data: see [Comparing
    /// worlds](crate::snapshot#comparing-worlds). Worlds in which the same operations ran have equal checksums, in
    /// every process on machines with the same byte order. Different worlds have equal checksums with a probability of
    /// 1 in 2^64. The algorithm may change between versions of this library. `O(entities + components)`: plain bytes
    /// are read about as fast as memory allows.
    ///
    /// # Errors
    ///
    /// If there is no known way to hash some values. The error lists all of them.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32, f32);
    ///
    /// let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch([Position(1.0, 2.0), Position(3.0, 4.0)]).collect();
    /// let before = world.checksum()?;
    /// world.get_mut::<Position>(ids[1]).unwrap().0 += 1.0;
    /// assert_ne!(world.checksum()?, before);
    /// world.get_mut::<Position>(ids[1]).unwrap().0 -= 1.0;
    /// assert_eq!(world.checksum()?, before);
    /// # Ok::<(), strata_ecs::snapshot::StateError>(())
    /// ```
    pub fn checksum(&self) -> Result<u64, StateError> {
        self.checksum_with(&StateOptions::new())
    }

    /// Returns a checksum like [`World::checksum`], without the data that the options leave out.
    ///
    /// # Errors
    ///
    /// See [`World::checksum`].
    pub fn checksum_with(&self, options: &StateOptions) -> Result<u64, StateError> {
        let store = &self.store;
        check([store], options, false)?;
        let (names, mut sum) = (ComponentNames::of(store), ChecksumState { options, hasher: StateHasher::default() });
        match options.has_order() {
            true => sum.tables(store, &names),
            false => sum.entities_by_id(store, &names),
        }
        sum.storages(store, &names);
        sum.pairs(store);
        sum.resources(store);
        store.structure.entities.next_ids().for_each(|number| sum.hasher.word(number));
        Ok(sum.hasher.finish())
    }
}

/// The state of a checksum computation.
struct ChecksumState<'a> {
    options: &'a StateOptions,
    hasher: StateHasher,
}

impl<'a> ChecksumState<'a> {
    /// Hashes tables and their rows in their order.
    fn tables(&mut self, store: &Store, names: &ComponentNames) {
        for table in store.structure.archetypes.tables.iter() {
            let columns = names.sort(table.components());
            self.hasher.write_usize(columns.len());
            self.entities(table.entities());
            for (name, id) in columns {
                self.name(name);
                if let Some(values) = store.structure.erased_column(table.id(), *id) {
                    self.values(values);
                }
            }
        }
    }

    /// Hashes entities in the order of their ids, with those of their table-stored components that are compared.
    fn entities_by_id(&mut self, store: &'a Store, names: &'a ComponentNames) {
        let mut entities: Vec<(Entity, usize, usize)> = Vec::new();
        let mut columns: Vec<Vec<(&String, ErasedSlice<'_>, Option<CompareMethod<'_>>)>> = Vec::new();
        for (at, table) in store.structure.archetypes.tables.iter().enumerate() {
            entities.extend(table.entities().iter().enumerate().map(|(row, entity)| (*entity, at, row)));
            let named = names.sort(table.components());
            let values = named.filter_map(|(name, id)| Some((name, store.structure.erased_column(table.id(), *id)?)));
            let values = values.filter(|(_, values)| self.options.counts(values.descriptor()));
            columns.push(values.map(|(name, values)| (name, values, self.way(values.descriptor()))).collect());
        }
        entities.sort_unstable_by_key(|(entity, ..)| *entity);
        self.hasher.write_usize(entities.len());
        for (entity, table, row) in entities {
            self.hasher.word(entity.to_bits());
            self.hasher.write_usize(columns[table].len());
            for (name, values, way) in &columns[table] {
                self.name(name);
                if let Some(value) = values.get(row) {
                    self.value_by(*way, value);
                }
            }
        }
    }

    /// Hashes the values in those sparse storages that are compared.
    fn storages(&mut self, store: &Store, names: &ComponentNames) {
        for (name, id) in &names.sorted {
            let Some(values) = store.structure.erased_storage(*id).filter(|values| !values.is_empty()) else {
                continue;
            };
            let Some(info) = store.structure.archetypes.components.info(*id) else { continue };
            if !self.options.counts(info.descriptor()) {
                continue;
            }
            let (entities, bits) = store.structure.sparse[info.sparse_index()].members();
            self.name(name);
            if !self.options.has_order() && !entities.is_empty() {
                let mut members: Vec<_> = entities.iter().copied().zip(values.iter()).collect();
                members.sort_unstable_by_key(|(entity, _)| *entity);
                self.hasher.write_usize(members.len());
                for (entity, value) in members {
                    self.hasher.word(entity.to_bits());
                    self.value(value);
                }
                continue;
            }
            self.entities(entities);
            // The bit list may have trailing zero words, which must not affect the hash.
            let words = bits.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
            self.hasher.words(bits[..words].iter().copied());
            self.values(values);
        }
    }

    /// Hashes the pairs of the relations that are compared, ordered by the names of the relations.
    fn pairs(&mut self, store: &Store) {
        let relations = store.relations.places.iter().enumerate();
        let mut relations: Vec<(String, usize)> =
            relations.map(|(number, place)| (name_of(place.pairs.descriptor()), number)).collect();
        relations.sort_unstable();
        for (name, number) in relations {
            let pairs = &store.relations.places[number].pairs;
            if pairs.index().len() == 0 || !self.options.counts(pairs.descriptor()) {
                continue;
            }
            self.name(&name);
            let mut pairs: Vec<([Entity; 2], ErasedRef<'_>)> = erased_pairs(&store.relations, number).collect();
            if !self.options.has_order() {
                pairs.sort_unstable_by_key(|(ends, _)| *ends);
            }
            for (ends, value) in pairs {
                self.entities(&ends);
                self.value(value);
            }
        }
    }

    /// Hashes the resources that are compared, ordered by name.
    fn resources(&mut self, store: &Store) {
        let mut all: Vec<_> = resource_values(store).map(|value| (name_of(value.descriptor()), value)).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, value) in all {
            if !matches!(self.options.way(value.descriptor(), false), Some(CompareMethod::LeftOut)) {
                self.name(&name);
                self.value(value);
            }
        }
    }

    fn name(&mut self, name: &str) {
        self.hasher.write(name.as_bytes());
    }

    fn entities(&mut self, entities: &[Entity]) {
        self.hasher.words(entities.iter().map(|entity| entity.to_bits()));
    }

    fn values(&mut self, values: ErasedSlice<'_>) {
        match self.way(values.descriptor()) {
            Some(CompareMethod::Bytes | CompareMethod::Hash) => {
                values.hash(&mut self.hasher);
            }
            Some(CompareMethod::By(hash)) => values.iter().for_each(|value| hash(value, &mut self.hasher)),
            _ => {}
        }
    }

    fn value(&mut self, value: ErasedRef<'_>) {
        self.value_by(self.way(value.descriptor()), value);
    }

    fn value_by(&mut self, way: Option<CompareMethod<'_>>, value: ErasedRef<'_>) {
        match way {
            Some(CompareMethod::Bytes | CompareMethod::Hash) => {
                value.hash(&mut self.hasher);
            }
            Some(CompareMethod::Text) => self.hasher.write(value.text().unwrap_or_default().as_bytes()),
            Some(CompareMethod::By(hash)) => hash(value, &mut self.hasher),
            _ => {}
        }
    }

    fn way(&self, descriptor: &ComponentDescriptor) -> Option<CompareMethod<'a>> {
        self.options.way(descriptor, false)
    }
}
