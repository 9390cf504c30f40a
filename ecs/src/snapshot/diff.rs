//! Finds all differences between two worlds.
//!
//! Tests: tests/snapshots/checksums.rs

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::hash::Hasher as _;

use hashbrown::HashMap;

use super::difference::Difference;
use super::parts::{check, name_of, resource_values};
use super::state_options::{CompareMethod, StateError, StateOptions};
use crate::component::{ComponentDescriptor, ComponentId, ComponentIdentity, ErasedRef, ErasedSlice};
use crate::entity::{Entity, TableId};
use crate::storage::table::Table;
use crate::structure::store::{Store, erased_pairs};
use crate::util::state_hash::StateHasher;
use crate::world::World;

impl World {
    /// Lists all differences between the data of this world and of another one. The order is: entities and values in
    /// the order of tables and rows, then sparse components, pairs, resources, and the next ids. The list is empty if
    /// all data that [`checksum`](Self::checksum) covers is equal in both worlds: see [Comparing
    /// worlds](crate::snapshot#comparing-worlds). `O(entities + components)`.
    ///
    /// # Errors
    ///
    /// If there is no known way to compare some values, because they are neither plain bytes nor `Hash` nor
    /// `PartialEq`. The error lists all of them. (By `PartialEq`, a value that contains a NaN differs from itself.)
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component, Debug)]
    /// struct Speed(f64);
    ///
    /// let mut worlds = [World::new(), World::new()];
    /// for (world, speed) in worlds.iter_mut().zip([0.1 + 0.2, 0.3]) {
    ///     world.spawn(Speed(1.0));
    ///     world.spawn(Speed(speed));
    /// }
    /// let differences = worlds[0].diff(&worlds[1])?;
    /// assert_eq!(differences.len(), 1);
    /// assert!(differences[0].to_string().starts_with("entity 1v1 in table"), "{}", differences[0]);
    /// # Ok::<(), strata_ecs::snapshot::StateError>(())
    /// ```
    pub fn diff(&self, other: &Self) -> Result<Vec<Difference>, StateError> {
        self.diff_with(other, &StateOptions::new())
    }

    /// Lists the differences like [`World::diff`], without the data that the options leave out.
    ///
    /// # Errors
    ///
    /// See [`World::diff`].
    pub fn diff_with(&self, other: &Self, options: &StateOptions) -> Result<Vec<Difference>, StateError> {
        let stores = [&self.store, &other.store];
        check(stores, options, true)?;
        let mut diff = WorldComparison { stores, options, ids: same_components(stores), found: Vec::new() };
        diff.tables();
        diff.storages();
        diff.pairs();
        diff.resources();
        if !stores[0].structure.entities.next_ids().eq(stores[1].structure.entities.next_ids()) {
            diff.found.push(Difference::NextIds);
        }
        Ok(diff.found)
    }
}

/// Maps each component of the first store to the same component in the second store, if that store has registered it.
fn same_components([here, there]: [&Store; 2]) -> Vec<Option<ComponentId>> {
    let others = there.structure.archetypes.components.iter();
    let others: HashMap<ComponentIdentity, ComponentId> =
        others.map(|info| (info.descriptor().identity(), info.id())).collect();
    let own = here.structure.archetypes.components.iter();
    own.map(|info| others.get(&info.descriptor().identity()).copied()).collect()
}

/// Returns the names of the components of a table.
fn names(store: &Store, table: &Table) -> String {
    let names: Vec<&str> =
        table.components().iter().map(|id| store.structure.archetypes.components.name(*id)).collect();
    format!("[{}]", names.join(", "))
}

/// Returns the table of a live entity.
fn table_of(store: &Store, entity: Entity) -> Option<&Table> {
    store.structure.archetypes.tables.get(store.structure.entities.get(entity)?.table)
}

fn shown(value: Option<ErasedRef<'_>>) -> Option<String> {
    value.map(|value| format!("{value:?}"))
}

/// The state of a comparison.
struct WorldComparison<'a> {
    stores: [&'a Store; 2],
    options: &'a StateOptions,
    /// For each component of the first store: its id in the second store.
    ids: Vec<Option<ComponentId>>,
    found: Vec<Difference>,
}

impl<'a> WorldComparison<'a> {
    fn there(&self, id: ComponentId) -> Option<ComponentId> {
        self.ids[id.index()]
    }

    /// Returns the table of the other store with the same number as a table of this one, if both have the same
    /// components.
    fn same_table(&self, here: &Table) -> Option<&'a Table> {
        let there = self.stores[1].structure.archetypes.tables.get(here.id())?;
        let has = |id: &ComponentId| self.there(*id).is_some_and(|id| there.contains(id));
        let is_same = here.components().len() == there.components().len() && here.components().iter().all(has);
        is_same.then_some(there)
    }

    fn tables(&mut self) {
        let ([here, there], options) = (self.stores, self.options);
        let [own, others] = [here, there].map(|store| store.structure.archetypes.tables.iter().len());
        let other = (0..own.max(others)).filter(|_| options.has_order()).find(|number| {
            let table = here.structure.archetypes.tables.get(TableId(*number as u32));
            table.is_none_or(|table| self.same_table(table).is_none())
        });
        if let Some(number) = other {
            let [here, there] = self.stores.map(|store| {
                let table = store.structure.archetypes.tables.get(TableId(number as u32));
                table.map(|table| names(store, table))
            });
            self.found.push(Difference::Table { number, here, there });
        }
        for table in here.structure.archetypes.tables.iter() {
            let same = self.same_table(table);
            match same.filter(|same| self.options.has_order() && same.entities() == table.entities()) {
                Some(same) => self.same_rows(table, same),
                None => {
                    self.rows(table);
                    let of = names(here, table);
                    self.order(of, table.entities(), same.map_or(&[][..], Table::entities), same.is_some());
                }
            }
        }
        for table in there.structure.archetypes.tables.iter() {
            for &entity in table.entities() {
                if !here.structure.entities.contains(entity) {
                    self.found.push(Difference::Entity { entity, is_here: false, table: names(there, table) });
                }
            }
        }
    }

    /// Reports the first row in which the entities differ, if the order is compared.
    fn order(&mut self, of: String, here: &[Entity], there: &[Entity], is_compared: bool) {
        let row = (0..here.len().max(there.len())).find(|row| here.get(*row) != there.get(*row));
        if let Some(row) = row.filter(|_| is_compared && self.options.has_order()) {
            let [here, there] = [here, there].map(|entities| entities.get(row).copied());
            self.found.push(Difference::Order { of, row, here, there });
        }
    }

    /// Compares the columns of two tables with the same components and entities.
    fn same_rows(&mut self, here: &Table, there: &Table) {
        let mut rows: Vec<(usize, Difference)> = Vec::new();
        for &id in here.components() {
            let own = self.stores[0].structure.erased_column(here.id(), id);
            let others = self.there(id).and_then(|id| self.stores[1].structure.erased_column(there.id(), id));
            let (Some(own), Some(others)) = (own, others) else { continue };
            for (row, value, other) in self.differing(own, others) {
                let entity = here.entities()[row];
                rows.push((row, self.value(here, entity, [Some(value), Some(other)])));
            }
        }
        rows.sort_by_key(|(row, _)| *row);
        self.found.extend(rows.into_iter().map(|(_, difference)| difference));
    }

    /// Compares the entities of a table whose rows differ from those of the other store.
    fn rows(&mut self, table: &Table) {
        let ([here, there], options) = (self.stores, self.options);
        for &entity in table.entities() {
            let Some(other) = table_of(there, entity) else {
                self.found.push(Difference::Entity { entity, is_here: true, table: names(here, table) });
                continue;
            };
            for &id in table.components().iter().filter(|id| counts(options, here, **id)) {
                let own = here.structure.value_by_id(entity, id);
                let other = self.there(id).and_then(|id| there.structure.value_by_id(entity, id));
                self.compare(table, entity, [own, other]);
            }
            for &id in other.components().iter().filter(|id| counts(options, there, **id)) {
                if !table.components().iter().any(|own| self.there(*own) == Some(id)) {
                    self.note_value(table, entity, [None, there.structure.value_by_id(entity, id)]);
                }
            }
        }
    }

    /// Compares two values of a component of an entity. `None` stands for a missing component.
    fn compare(&mut self, table: &Table, entity: Entity, values: [Option<ErasedRef<'_>>; 2]) {
        let differs = match values {
            [Some(own), Some(other)] => self.differ(own, other),
            [None, None] => false,
            _ => true,
        };
        if differs {
            self.note_value(table, entity, values);
        }
    }

    fn note_value(&mut self, table: &Table, entity: Entity, values: [Option<ErasedRef<'_>>; 2]) {
        let difference = self.value(table, entity, values);
        self.found.push(difference);
    }

    fn value(&self, table: &Table, entity: Entity, values: [Option<ErasedRef<'_>>; 2]) -> Difference {
        let component = values.iter().flatten().next().map_or("", |value| value.descriptor().name());
        let [here, there] = values.map(shown);
        Difference::Value { entity, table: names(self.stores[0], table), component, here, there }
    }

    /// Returns the rows in which values differ.
    fn differing<'v>(
        &self,
        own: ErasedSlice<'v>,
        others: ErasedSlice<'v>,
    ) -> Vec<(usize, ErasedRef<'v>, ErasedRef<'v>)> {
        if let (Some(CompareMethod::Bytes), Some(bytes)) = (self.way(own.descriptor()), own.plain_bytes())
            && Some(bytes) == others.plain_bytes()
        {
            return Vec::new();
        }
        let pairs = own.iter().zip(others.iter()).enumerate().map(|(row, (own, other))| (row, own, other));
        pairs.filter(|(_, own, other)| self.differ(*own, *other)).collect()
    }

    fn way(&self, descriptor: &ComponentDescriptor) -> Option<CompareMethod<'a>> {
        self.options.way(descriptor, true)
    }

    fn differ(&self, own: ErasedRef<'_>, other: ErasedRef<'_>) -> bool {
        fn hash(of: impl Fn(&mut StateHasher)) -> u64 {
            let mut hasher = StateHasher::default();
            of(&mut hasher);
            hasher.finish()
        }
        match self.way(own.descriptor()) {
            None | Some(CompareMethod::LeftOut) => false,
            Some(CompareMethod::Bytes) => own.plain_bytes() != other.plain_bytes(),
            Some(CompareMethod::Text) => own.text() != other.text(),
            Some(CompareMethod::Hash) => {
                let [own, other] = [own, other].map(|value| hash(|hasher| _ = value.hash(hasher)));
                own != other
            }
            Some(CompareMethod::By(by)) => {
                let [own, other] = [own, other].map(|value| hash(|hasher| by(value, hasher)));
                own != other
            }
            Some(CompareMethod::Eq) => own.try_eq(other) != Some(true),
        }
    }

    fn storages(&mut self) {
        let ([here, there], options) = (self.stores, self.options);
        let known: Vec<Option<ComponentId>> = self.ids.clone();
        for &id in here.structure.archetypes.components.sparse().iter().filter(|id| counts(options, here, **id)) {
            let other = known[id.index()];
            let entities = entities_with(here, id);
            for &entity in &entities {
                // Entities that are alive in one world only have already been reported.
                let Some(table) = table_of(here, entity) else { continue };
                if there.structure.entities.contains(entity) {
                    let value = other.and_then(|id| there.structure.value_by_id(entity, id));
                    self.compare(table, entity, [here.structure.value_by_id(entity, id), value]);
                }
            }
            let others = other.map_or_else(Vec::new, |id| entities_with(there, id));
            let of = format!("[{}]", here.structure.archetypes.components.name(id));
            let has_order = here.structure.archetypes.components.info(id).is_some_and(|info| info.layout().size() != 0);
            self.order(of, &entities, &others, has_order);
        }
        for &id in there.structure.archetypes.components.sparse().iter().filter(|id| counts(options, there, **id)) {
            let own = known
                .iter()
                .position(|known| *known == Some(id))
                .map(|own| here.structure.archetypes.components.iter().nth(own));
            let own = own.flatten().map(|info| info.id());
            for entity in entities_with(there, id) {
                let has = own.is_some_and(|own| here.structure.has(entity, own));
                if let Some(table) = table_of(here, entity).filter(|_| !has) {
                    self.note_value(table, entity, [None, there.structure.value_by_id(entity, id)]);
                }
            }
        }
    }

    fn pairs(&mut self) {
        let options = self.options;
        let [mut own, others] = self.stores.map(|store| {
            let places = store.relations.places.iter().enumerate();
            places.map(|(number, place)| (place.pairs.descriptor(), number)).collect::<Vec<_>>()
        });
        // Relations that only the other world has registered.
        for &(descriptor, _) in &others {
            if !own.iter().any(|(known, _)| known.is_same(descriptor)) {
                own.push((descriptor, usize::MAX));
            }
        }
        for (descriptor, number) in own.into_iter().filter(|(known, _)| options.counts(known)) {
            let other =
                others.iter().find(|(other, _)| other.is_same(descriptor)).map_or(usize::MAX, |(_, other)| *other);
            let [mut here, mut there] = [(0, number), (1, other)].map(|(store, number)| {
                let mut pairs: Vec<_> = erased_pairs(&self.stores[store].relations, number).collect();
                if !self.options.has_order() {
                    pairs.sort_unstable_by_key(|(ends, _)| *ends);
                }
                pairs.into_iter()
            });
            for row in 0.. {
                let pairs = [here.next(), there.next()];
                let differs = match &pairs {
                    [None, None] => break,
                    [Some((ends, value)), Some((others, other))] => ends != others || self.differ(*value, *other),
                    _ => true,
                };
                if differs {
                    let [here, there] = pairs
                        .map(|pair| pair.map(|([source, target], value)| format!("{source} to {target}, {value:?}")));
                    self.found.push(Difference::Pair { relation: descriptor.name(), row, here, there });
                    break;
                }
            }
        }
    }

    fn resources(&mut self) {
        let [here, there] = self.stores.map(|store| resource_values(store).collect::<Vec<_>>());
        let mut found = Vec::new();
        let find = |all: &[ErasedRef<'a>], descriptor: &ComponentDescriptor| {
            all.iter().copied().find(|other| other.descriptor().is_same(descriptor))
        };
        let counts =
            |value: &&ErasedRef<'_>| !matches!(self.way(value.descriptor()), None | Some(CompareMethod::LeftOut));
        for &value in here.iter().filter(counts) {
            let other = find(&there, value.descriptor());
            if other.is_none_or(|other| self.differ(value, other)) {
                found.push((value.descriptor(), [Some(value), other]));
            }
        }
        for &value in there.iter().filter(counts) {
            if find(&here, value.descriptor()).is_none() {
                found.push((value.descriptor(), [None, Some(value)]));
            }
        }
        found.sort_by_key(|(descriptor, _)| name_of(descriptor));
        self.found.extend(found.into_iter().map(|(descriptor, values)| {
            let [here, there] = values.map(shown);
            Difference::Resource { resource: descriptor.name(), here, there }
        }));
    }
}

/// Returns whether the comparison includes which entities have a component.
fn counts(options: &StateOptions, store: &Store, id: ComponentId) -> bool {
    store.structure.archetypes.components.info(id).is_some_and(|info| options.counts(info.descriptor()))
}

/// Returns the entities that have a sparse component, in the order of its values. Values without size have no order;
/// then the entities are ordered by index.
fn entities_with(store: &Store, id: ComponentId) -> Vec<Entity> {
    let Some(info) = store.structure.archetypes.components.info(id) else { return Vec::new() };
    let Some(storage) = store.structure.sparse.get(info.sparse_index()) else { return Vec::new() };
    let (entities, bits) = storage.members();
    let set = (0..bits.len() as u32 * 64).filter(|index| bits[*index as usize / 64] >> (index % 64) & 1 == 1);
    let tagged = set.filter_map(|index| store.structure.entities.at_index(index)).map(|(entity, _)| entity);
    entities.iter().copied().chain(tagged).collect()
}
