//! The entities that a query visits, arranged in trees by a relationship.
//!
//! Each entity that the query visits is a *node*, and so is each target of such an entity. A node has a place: the table and the
//! row of its entity. Its *depth* is 0 if the entity has no target, or a target that is not visited; otherwise it is one more than
//! the depth of the target. Nodes of one depth are never sources and targets of each other, so they can be visited in any order. In
//! ascending order of their places most of them are in consecutive rows.
//!
//! The forest is updated from two records of changes: of the rows of its tables ([`Table::for_each_row_since`]), and of links
//! (`Links::changed_since`). The cost is proportional to the number of changes and to the number of nodes whose depth changes. If
//! the records do not reach back to the last update, all rows of a table, or all links, are compared. A new forest is updated from
//! an empty one. The result depends only on rows and targets.
//!
//! Tests: tests/relationships/down.rs, tests/relationships/forests.rs
//!
//! [`Table::for_each_row_since`]: crate::table::Table::for_each_row_since

mod runs;
mod nodes;
mod tables;
mod seen;

use alloc::vec::Vec;

use self::nodes::{NO_NODE, Nodes};
use self::runs::{Levels, push_row};
pub(crate) use self::runs::{Place, RowRun};
use self::seen::{Links, changed_links};
pub(crate) use self::tables::ForestTable;
use self::tables::ForestTables;
use crate::component::ComponentId;
use crate::entity::{Entity, Pages, TableId};
use crate::structure::store::Store;

/// The optional parts of a forest that its user needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForestNeeds {
    /// All nodes, by depth.
    pub(crate) levels: bool,
    /// For each node, its visited sources in the order of their places.
    pub(crate) sources: bool,
    /// The nodes whose target has changed since the last update.
    pub(crate) changes: bool,
    /// In addition to `changes`, the nodes of the old and new targets.
    pub(crate) changed_targets: bool,
}

/// The entities that a query visits, arranged in trees.
#[derive(Default)]
pub(crate) struct Forest {
    tables: ForestTables,
    nodes: Nodes,
    /// All visited nodes, by depth.
    levels: Levels,
    /// Nodes at which cycles are cut: such a node has a target, but no node above it.
    cut: Vec<u32>,
    /// The version of the relationship's links at the last update. `notes` is the number of link changes that were recorded until
    /// then.
    version: u64,
    notes: u64,
    /// Nodes whose target has changed, new nodes, and nodes that gained or lost a source. [`take_changed`](Self::take_changed)
    /// empties the list.
    changed: Vec<u32>,
    /// The entities and targets with which the next update has to compare. If `None`, these are the entities and targets of the
    /// nodes.
    seen: Option<Links>,
    /// Whether the forest has been computed and the last update did not fail.
    is_known: bool,
    /// Whether changed targets are tracked (`ForestNeeds::changes`).
    tells_changes: bool,
    work: Work,
}

/// Reusable memory for an update.
#[derive(Default)]
struct Work {
    /// Rows whose entities may have changed.
    rows: Vec<Place>,
    /// Nodes that have lost their places, sorted by entity.
    moved: Vec<(Entity, u32)>,
    /// Nodes that are visited now and were not before.
    entered: Vec<u32>,
    /// Nodes whose depth has to be recomputed, together with the nodes below them.
    seeds: Vec<u32>,
    /// Entities that may have gained or lost a source.
    targets: Vec<Entity>,
}

/// If a list of [`Work`] has a larger capacity after an update, the memory of the lists is freed.
const MOST_REUSED: usize = 1024;

impl Forest {
    /// Updates the forest. `tables` are the visited tables, in ascending order.
    pub(crate) fn update(
        &mut self,
        store: &Store,
        relation: ComponentId,
        needs: ForestNeeds,
        tables: impl Iterator<Item = TableId> + Clone,
    ) {
        self.tells_changes = needs.changes;
        let is_current = self.is_known
            && self.version == store.events.links.version(relation)
            && self.tables.are_current(&store.structure.archetypes.tables, tables.clone());
        if !is_current {
            self.apply_changes(store, relation, needs, tables);
        }
    }

    #[cold]
    #[inline(never)]
    fn apply_changes(
        &mut self,
        store: &Store,
        relation: ComponentId,
        needs: ForestNeeds,
        tables: impl Iterator<Item = TableId> + Clone,
    ) {
        let known = &store.structure.archetypes.tables;
        let is_new = !self.is_known || !self.tables.add_visited(known, tables.clone());
        if is_new {
            self.forget();
            self.tables.add_visited(known, tables);
        }
        self.is_known = false;
        self.detach_moved(store);
        self.attach_moved(store, needs);
        self.find_targets(store, relation, needs, is_new);
        self.release_moved();
        self.cut.extend(self.nodes.find_depths_below(&mut self.work.seeds));
        for &node in &self.cut {
            let Place { table, row } = self.nodes.places[node as usize];
            self.tables[table].above[row as usize] = NO_NODE;
        }
        self.change_levels(needs, is_new);
        if needs.sources && needs.levels {
            self.nodes.sort_all();
        }
        self.nodes.forget_unsorted();
        self.find_changed(store, needs);
        self.version = store.events.links.version(relation);
        self.notes = store.events.links.notes();
        self.shrink_work();
        self.is_known = true;
    }

    /// Removes all nodes and tables. The next update compares with the removed links.
    fn forget(&mut self) {
        if self.seen.is_none() {
            // After an update that has failed, everything counts as changed.
            self.seen = Some(if self.is_known { self.seen() } else { Links::new() });
        }
        self.tables.clear();
        self.nodes.clear();
        self.levels.clear();
        self.cut.clear();
        self.changed.clear();
        self.work = Work::default();
    }

    fn shrink_work(&mut self) {
        let Work { rows, moved, entered, seeds, targets } = &mut self.work;
        rows.clear();
        moved.clear();
        entered.clear();
        targets.clear();
        let greatest = rows.capacity().max(entered.capacity()).max(seeds.capacity()).max(targets.capacity());
        if greatest > MOST_REUSED {
            self.work = Work::default();
        }
    }

    /// Finds the rows that have changed. If such a row has another entity now, its node loses its place.
    fn detach_moved(&mut self, store: &Store) {
        let Self { tables, nodes, work, .. } = self;
        for number in 0..tables.len() as u32 {
            let Some(now) = store.structure.archetypes.tables.get(tables[number].id) else { continue };
            let first = work.rows.len();
            tables.find_changed_rows(number, now, &mut work.rows);
            let table = &mut tables[number];
            for place in &work.rows[first..] {
                let row = place.row as usize;
                let Some(here) = table.nodes.get_mut(row).filter(|node| **node != NO_NODE) else { continue };
                let entity = nodes[*here].entity;
                if now.entities().get(row) != Some(&entity) {
                    nodes.touch(*here);
                    nodes.places[*here as usize] = Place::NONE;
                    work.moved.push((entity, *here));
                    *here = NO_NODE;
                }
            }
            table.nodes.resize(now.len(), NO_NODE);
            if table.is_visited {
                table.above.resize(now.len(), NO_NODE);
            }
        }
        work.moved.sort_unstable();
    }

    /// Gives nodes to the changed rows: entities that have moved keep their nodes, and new entities in visited tables get new
    /// nodes.
    fn attach_moved(&mut self, store: &Store, needs: ForestNeeds) {
        for at in 0..self.work.rows.len() {
            let place = self.work.rows[at];
            let table = &self.tables[place.table];
            let Some(now) = store.structure.archetypes.tables.get(table.id) else { continue };
            let Some(&entity) = now.entities().get(place.row as usize) else { continue };
            if table.nodes[place.row as usize] != NO_NODE {
                continue;
            }
            let node = match self.work.moved.binary_search_by_key(&entity, |(entity, _)| *entity) {
                Ok(at) => self.work.moved[at].1,
                Err(_) if table.is_visited => self.nodes.add(entity),
                Err(_) => continue,
            };
            self.attach(node, place, needs);
        }
        for at in 0..self.work.moved.len() {
            let (entity, node) = self.work.moved[at];
            if !self.has_no_place(entity, node) {
                continue;
            }
            self.leave_visit(node, needs);
            if self.nodes[node].first_source != NO_NODE
                && let Some(location) = store.structure.entities.get(entity)
                && let Some(table) = store.structure.archetypes.tables.get(location.table)
            {
                let table = self.tables.get_or_add(table);
                self.attach(node, Place { table, row: location.row }, needs);
            }
        }
    }

    /// Gives a node its place.
    fn attach(&mut self, node: u32, place: Place, needs: ForestNeeds) {
        let table = &mut self.tables[place.table];
        table.nodes[place.row as usize] = node;
        if !table.is_visited {
            self.leave_visit(node, needs);
            self.nodes.places[node as usize] = place;
            return;
        }
        let above = self.nodes[node].above;
        table.above[place.row as usize] = above;
        self.nodes.touch(node);
        self.nodes.places[node as usize] = place;
        if !core::mem::replace(&mut self.nodes[node].is_visited, true) {
            self.work.entered.push(node);
        } else if above != NO_NODE {
            self.nodes.unsort(above);
        }
    }

    /// Ends the visit of a node. The node loses its target, and its sources become roots.
    fn leave_visit(&mut self, node: u32, needs: ForestNeeds) {
        if !core::mem::replace(&mut self.nodes[node].is_visited, false) {
            return;
        }
        let target = core::mem::replace(&mut self.nodes[node].target, Entity::PLACEHOLDER);
        if needs.changed_targets {
            self.work.targets.push(target);
        }
        self.set_above(node, NO_NODE);
        self.work.seeds.extend(self.nodes.sources(node));
    }

    /// Returns whether a node still belongs to `entity`, but has no place.
    fn has_no_place(&self, entity: Entity, node: u32) -> bool {
        self.nodes[node].entity == entity && self.nodes.places[node as usize] == Place::NONE
    }

    /// Frees the nodes that lost their place and got no other one.
    fn release_moved(&mut self) {
        for at in 0..self.work.moved.len() {
            let (entity, node) = self.work.moved[at];
            if self.has_no_place(entity, node) {
                while self.nodes[node].first_source != NO_NODE {
                    self.set_above(self.nodes[node].first_source, NO_NODE);
                }
                self.nodes.release(node);
            }
        }
    }

    /// Updates the targets of cut nodes, of newly visited nodes, and of nodes whose links have changed.
    fn find_targets(&mut self, store: &Store, relation: ComponentId, needs: ForestNeeds, is_new: bool) {
        for node in core::mem::take(&mut self.cut) {
            if self.nodes[node].is_visited {
                self.find_target(store, relation, node, needs);
            }
        }
        let links = &store.events.links;
        if !is_new && self.version != links.version(relation) {
            match links.changed_since(self.notes, relation) {
                Some(changed) => changed.for_each(|entity| {
                    if let Some(node) = self.node_of(store, entity) {
                        self.find_target(store, relation, node, needs);
                    }
                }),
                None => {
                    for node in 0..self.nodes.len() as u32 {
                        if self.nodes[node].is_visited {
                            self.find_target(store, relation, node, needs);
                        }
                    }
                }
            }
        }
        for at in 0..self.work.entered.len() {
            let node = self.work.entered[at];
            self.find_target(store, relation, node, needs);
            self.work.seeds.push(node);
            if needs.changes {
                self.changed.push(node);
            }
        }
    }

    /// Updates the target of a visited node.
    fn find_target(&mut self, store: &Store, relation: ComponentId, node: u32, needs: ForestNeeds) {
        let entity = self.nodes[node].entity;
        let target = store.events.links.target(relation, entity).filter(|target| *target != entity);
        let above = target.map_or(NO_NODE, |target| self.node_of_target(store, target));
        let target = target.unwrap_or(Entity::PLACEHOLDER);
        let before = core::mem::replace(&mut self.nodes[node].target, target);
        if needs.changes && before != target {
            self.changed.push(node);
            if needs.changed_targets {
                self.work.targets.extend([before, target]);
            }
        }
        if above != self.nodes[node].above {
            self.set_above(node, above);
        }
    }

    /// Returns the node of an entity that is a target. If the entity has no node, adds one that is not visited. Returns [`NO_NODE`]
    /// if the entity is not alive.
    fn node_of_target(&mut self, store: &Store, target: Entity) -> u32 {
        let Some(location) = store.structure.entities.get(target) else { return NO_NODE };
        let Some(table) = store.structure.archetypes.tables.get(location.table) else { return NO_NODE };
        let place = Place { table: self.tables.get_or_add(table), row: location.row };
        self.tables.node(place).unwrap_or_else(|| {
            let node = self.nodes.add(target);
            self.nodes.places[node as usize] = place;
            self.tables[place.table].nodes[place.row as usize] = node;
            node
        })
    }

    /// Makes `above` the node above `node`.
    fn set_above(&mut self, node: u32, above: u32) {
        let before = self.nodes[node].above;
        self.nodes.leave(node);
        if before != NO_NODE {
            self.release_unused(before);
        }
        self.nodes[node].above = above;
        self.nodes.join(node);
        let Place { table, row } = self.nodes.places[node as usize];
        if self.nodes[node].is_visited && table != Place::NONE.table {
            self.tables[table].above[row as usize] = above;
        }
        self.work.seeds.push(node);
    }

    /// Frees a node that has a place, unless the node is visited or has sources.
    fn release_unused(&mut self, node: u32) {
        let place = self.nodes.places[node as usize];
        if place != Place::NONE && !self.nodes[node].is_visited && self.nodes[node].first_source == NO_NODE {
            self.tables[place.table].nodes[place.row as usize] = NO_NODE;
            self.nodes.places[node as usize] = Place::NONE;
            self.nodes.release(node);
        }
    }

    /// Moves touched nodes to the levels of their new depths.
    fn change_levels(&mut self, needs: ForestNeeds, is_new: bool) {
        let is_small = !is_new && self.nodes.touched() < self.nodes.len() / 8;
        let (mut gone, mut new) = (Vec::new(), Vec::new());
        self.nodes.take_touched(|before, now| {
            if needs.levels && is_small {
                gone.extend(before);
                new.extend(now);
            }
        });
        if needs.levels && is_small {
            gone.sort_unstable();
            new.sort_unstable();
            self.levels.change(&gone, &new);
        } else if needs.levels {
            self.levels.clear();
            for (number, table) in self.tables.visited() {
                for (row, &node) in (0..).zip(&table.nodes) {
                    self.levels.push(self.nodes[node].depth, Place { table: number, row });
                }
            }
            self.levels.drop_empty();
        }
    }

    /// Returns the node of an entity, if it is visited.
    pub(crate) fn node_of(&self, store: &Store, entity: Entity) -> Option<u32> {
        let location = store.structure.entities.get(entity)?;
        let table = self.tables.number(location.table)?;
        let node = self.tables.node(Place { table, row: location.row })?;
        self.nodes[node].is_visited.then_some(node)
    }

    /// Collects the changed nodes, if changes are tracked.
    fn find_changed(&mut self, store: &Store, needs: ForestNeeds) {
        // If nothing has been seen, all nodes are new.
        let seen = self.seen.take().filter(|seen| !seen.is_empty());
        if !needs.changes {
            return;
        }
        let changed = match seen {
            Some(seen) => {
                self.changed.clear();
                changed_links(&seen, &self.links(), needs.changed_targets)
            }
            None => core::mem::take(&mut self.work.targets),
        };
        for entity in changed {
            self.changed.extend(self.node_of(store, entity));
        }
    }

    /// Takes the nodes that are new or have a different target since the last call. With `ForestNeeds::changed_targets`, also takes
    /// the nodes that gained or lost a source. The list may contain duplicates.
    pub(crate) fn take_changed(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.changed)
    }

    /// Returns the visited entities with their targets.
    fn links(&self) -> Links {
        let nodes = self.tables.visited().flat_map(|(_, table)| &table.nodes).filter(|node| **node != NO_NODE);
        nodes.map(|&node| (self.nodes[node].entity, self.nodes[node].target)).collect()
    }

    /// Returns the known entities with their targets, if changes are tracked. The next update compares with these.
    pub(crate) fn seen(&self) -> Links {
        match &self.seen {
            Some(seen) => seen.clone(),
            None if self.tells_changes => self.links(),
            None => Vec::new(),
        }
    }

    /// Restores the result of [`seen`](Self::seen). The next update reports the differences from it.
    pub(crate) fn has_seen(&mut self, seen: &[(Entity, Entity)]) {
        self.is_known = false;
        // `tells_changes` is set because `seen` must return these links even if there is no update in between.
        self.tells_changes |= !seen.is_empty();
        self.seen = Some(seen.to_vec());
    }

    /// Returns all nodes, by depth.
    pub(crate) fn levels(&self) -> &[Vec<RowRun>] {
        &self.levels
    }

    /// Returns the tables to which the numbers in places refer.
    pub(crate) fn tables(&self) -> &[ForestTable] {
        &self.tables
    }

    /// Returns the place of each node.
    #[inline]
    pub(crate) fn places(&self) -> &[Place] {
        &self.nodes.places
    }

    /// Returns the nodes of the targets of a run's rows. For a row without a target, the value is no index of
    /// [`places`](Self::places).
    #[inline]
    pub(crate) fn above(&self, run: RowRun) -> &[u32] {
        &self.tables[run.table].above[run.row as usize..][..run.len as usize]
    }

    /// Returns the visited sources of a row, as nodes in the order of their places.
    #[inline]
    pub(crate) fn sources(&self, place: Place) -> Sources<'_> {
        let first = self.tables.node(place).map_or(NO_NODE, |node| self.nodes[node].first_source);
        Sources { nodes: &self.nodes, next: first }
    }

    /// Returns the rows to visit if `seeds` have changed, by depth. These are the seeds and all nodes below them, or with `upwards`
    /// the seeds and all nodes above them.
    pub(crate) fn slots_to_visit(&mut self, seeds: &[u32], upwards: bool) -> Vec<Vec<RowRun>> {
        let mut buckets: Vec<Vec<u32>> = Vec::new();
        // One bit per node, in pages: a few nodes of many cost little.
        let mut seen = Pages::<u64, 64>::default();
        let mut reach = |nodes: &Nodes, buckets: &mut Vec<Vec<u32>>, node: u32| {
            let (seen, bit) = (seen.get_or_add(node / 64, 0), 1 << (node % 64));
            if *seen & bit == 0 {
                *seen |= bit;
                let depth = nodes[node].depth as usize;
                if buckets.len() <= depth {
                    buckets.resize_with(depth + 1, Vec::new);
                }
                buckets[depth].push(node);
            }
        };
        seeds.iter().for_each(|&node| reach(&self.nodes, &mut buckets, node));
        let mut step = 0;
        while step < buckets.len() {
            let depth = if upwards { buckets.len() - 1 - step } else { step };
            for at in 0..buckets[depth].len() {
                let node = buckets[depth][at];
                if upwards {
                    self.nodes.sort_sources(node);
                    self.nodes
                        .visited_above(node)
                        .into_iter()
                        .for_each(|above| reach(&self.nodes, &mut buckets, above));
                } else {
                    self.nodes.sources(node).for_each(|source| reach(&self.nodes, &mut buckets, source));
                }
            }
            step += 1;
        }
        let runs = buckets.into_iter().map(|nodes| {
            let mut places: Vec<Place> = nodes.into_iter().map(|node| self.nodes.places[node as usize]).collect();
            places.sort_unstable();
            let mut runs = Vec::new();
            places.into_iter().for_each(|place| push_row(&mut runs, place));
            runs
        });
        runs.collect()
    }
}

/// Iterates over the visited sources of a row, as nodes.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'f> {
    nodes: &'f Nodes,
    next: u32,
}

impl Iterator for Sources<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let node = self.next;
        (node != NO_NODE).then(|| {
            self.next = self.nodes[node].next;
            node
        })
    }
}
