//! Constructs components that are required by loaded components and that the file does not know.
//!
//! If the file knows a component that an entity does not have, the component was removed from the entity and is not constructed.
//!
//! Tests: tests/snapshots/versions.rs

use std::collections::{BTreeMap, HashMap, HashSet};

use strata_ecs::change::Tick;
use strata_ecs::component::{ComponentDescriptor, ComponentId, ComponentIdentity, StorageType};
use strata_ecs::prelude::{Entity, World};
use strata_ecs::snapshot::{NewColumnContents, StorageContents};

use crate::tables::{Inserted, Table};
use crate::types::name_of;

/// The required components of loaded components, and the entities that get sparse ones.
pub(crate) struct Requirements<'w> {
    world: &'w World,
    /// The ids in the world of the components that have values in the file, by their numbers in the file.
    ids: HashMap<u32, ComponentId>,
    known: HashSet<ComponentIdentity>,
    /// Whether the tables of the file name their left-out components.
    are_apart: bool,
    /// The sparse components to construct.
    sparse: BTreeMap<ComponentId, Sparse>,
}

/// The entities that get a constructed sparse component, in groups by the components that require it.
#[derive(Default)]
struct Sparse {
    entities: Vec<Entity>,
    found: HashSet<Entity>,
    groups: Vec<(Vec<ComponentId>, usize)>,
}

impl Sparse {
    fn add(&mut self, entities: impl Iterator<Item = Entity>, by: &[ComponentId]) {
        let before = self.entities.len();
        self.entities.extend(entities.filter(|entity| self.found.insert(*entity)));
        self.groups.push((by.to_vec(), self.entities.len() - before));
    }
}

impl<'w> Requirements<'w> {
    /// Registers the components of a file, and their required components. `numbered` are the components with values, with their numbers in
    /// the file. `known` are all components that the file knows.
    pub(crate) fn of(
        world: &'w mut World,
        numbered: impl Iterator<Item = (u32, &'static ComponentDescriptor)>,
        known: HashSet<ComponentIdentity>,
        are_apart: bool,
    ) -> Self {
        // A component that cannot be registered is skipped, as if it required nothing: building the snapshot reports it later.
        let register =
            |(number, descriptor)| Some((number, world.register_component_with_descriptor(descriptor).ok()?));
        let ids = numbered.filter_map(register).collect();
        Self { world, ids, known, are_apart, sparse: BTreeMap::new() }
    }

    /// Returns whether tables with different left-out components stay separate.
    pub(crate) fn are_apart(&self) -> bool {
        self.are_apart
    }

    fn descriptor(&self, id: ComponentId) -> Option<&'static ComponentDescriptor> {
        self.world.components().info(id).map(|info| info.descriptor())
    }

    fn is_known(&self, descriptor: &ComponentDescriptor) -> bool {
        // A side of a relationship counts as known, because it follows from the other side.
        self.known.contains(&descriptor.identity()) || StorageContents::other_side_of(descriptor).is_some()
    }

    /// Returns all components that a component requires, directly or through others.
    fn required_by(&self, id: ComponentId) -> Vec<ComponentId> {
        self.world.components().info(id).map_or_else(Vec::new, |info| info.required_components().collect())
    }

    /// Returns the ids of the components with these numbers in the file.
    fn ids_of(&self, numbers: impl Iterator<Item = u32>) -> Vec<ComponentId> {
        numbers.filter_map(|number| self.ids.get(&number).copied()).collect()
    }

    /// Adds to each table the components that its components require, or records the required component if it is sparse.
    pub(crate) fn add_to_tables(&mut self, tables: &mut [Table<'_>]) {
        for table in tables {
            let by = self.ids_of(table.columns.iter().map(|(number, _)| *number));
            for required in by.iter().flat_map(|id| self.required_by(*id)).collect::<Vec<_>>() {
                let Some(descriptor) = self.descriptor(required) else { continue };
                if by.contains(&required) || table.constructed.contains(&required) {
                    continue;
                }
                if descriptor.storage() == Some(StorageType::Sparse) {
                    if !self.is_known(descriptor) {
                        self.sparse.entry(required).or_default().add(table.entities.iter().copied(), &by);
                    }
                    continue;
                }
                let name = name_of(descriptor);
                let was_there = table.left_out.iter().position(|left_out| *left_out == name);
                if let Some(at) = was_there {
                    table.left_out.remove(at);
                }
                if was_there.is_some() || (!self.are_apart && !self.is_known(descriptor)) {
                    table.constructed.push(required);
                    table.constructed.sort_unstable();
                }
            }
        }
    }

    /// Records the sparse components that sparse components require. Returns the required components that are stored in tables, by entity.
    pub(crate) fn add_to_entities<'b, 's>(
        &mut self,
        tables: &[Table<'_>],
        storages: impl Iterator<Item = (u32, &'s [Entity])>,
    ) -> Inserted<'b> {
        let (mut inserted, mut places) = (Inserted::new(), HashMap::new());
        for (number, entities) in storages {
            let Some(&id) = self.ids.get(&number) else { continue };
            for required in self.required_by(id) {
                let Some(descriptor) = self.descriptor(required).filter(|descriptor| !self.is_known(descriptor)) else {
                    continue;
                };
                if descriptor.storage() == Some(StorageType::Sparse) {
                    self.sparse.entry(required).or_default().add(entities.iter().copied(), &[id]);
                    continue;
                }
                if self.are_apart {
                    continue;
                }
                if places.is_empty() {
                    let of_table = |table: &Table<'_>| table.entities.clone();
                    let all = tables
                        .iter()
                        .enumerate()
                        .flat_map(|(at, table)| of_table(table).into_iter().map(move |entity| (entity, at)));
                    places = all.collect();
                }
                for entity in entities {
                    let has = |at: &usize| tables[*at].constructed.contains(&required);
                    if places.get(entity).is_some_and(|at| !has(at)) {
                        inserted.entry(*entity).or_default().constructed.push(required);
                    }
                }
            }
        }
        inserted
    }

    /// Constructs the required columns of a table.
    pub(crate) fn columns(&self, table: &Table<'_>, sparse: &[u32], stamp: Tick) -> Vec<NewColumnContents> {
        let numbers = table.columns.iter().map(|(number, _)| *number).chain(sparse.iter().copied());
        let (by, rows) = (self.ids_of(numbers), table.entities.len());
        let construct = |id: &ComponentId| NewColumnContents::of_required(self.world, *id, &[(&by, rows)], stamp);
        table.constructed.iter().filter_map(construct).collect()
    }

    /// Constructs the required sparse sets, each with its entities.
    pub(crate) fn storages(self, stamp: Tick) -> Vec<(Vec<Entity>, NewColumnContents)> {
        let world = self.world;
        let construct = |(id, sparse): (ComponentId, Sparse)| {
            let groups: Vec<(&[ComponentId], usize)> =
                sparse.groups.iter().map(|(by, count)| (&by[..], *count)).collect();
            Some((sparse.entities, NewColumnContents::of_required(world, id, &groups, stamp)?))
        };
        self.sparse.into_iter().filter_map(construct).collect()
    }
}
