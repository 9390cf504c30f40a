//! Changing many entities at once, table by table.
//!
//! The rows of a table that change are brought behind the others first. From there they move as blocks, one for each
//! column; and if they are all rows and nobody lives in the destination, the tables exchange the memory of their columns.

use alloc::vec::Vec;
use core::ptr::NonNull;

use super::Store;
use super::required::{Aside, fill_required, make_aside};
use crate::bundle::{Bundle, BundleParts, LeafAt, Sink, Targets, give, with_parts};
use crate::column::copy_item;
use crate::component::Components;
use crate::entity::{Entity, Location, ReserveError, SparseSummary, TableId};
use crate::graph::{Change, MovePlan, Step, Target};
use crate::guard::for_each_despite_panics;
use crate::removal::Fate;
use crate::table::{ColumnPair, Table};

/// Rows of one table.
pub(crate) struct Selection {
    pub(crate) table: TableId,
    /// Ascending and without duplicates; `None` if it is all rows.
    pub(crate) rows: Option<Vec<u32>>,
    /// How many entities are in the selections before this one.
    pub(crate) before: usize,
}

impl Selection {
    pub(crate) fn len(&self, store: &Store) -> usize {
        match &self.rows {
            Some(rows) => rows.len(),
            None => store.tables.get(self.table).map_or(0, Table::len),
        }
    }

    /// The entities, in the order of their rows.
    pub(crate) fn entities(&self, store: &Store) -> Vec<Entity> {
        let entities = store.tables.get(self.table).map_or(&[][..], Table::entities);
        match &self.rows {
            Some(rows) => rows.iter().map(|&row| entities[row as usize]).collect(),
            None => entities.to_vec(),
        }
    }
}

/// Recorded parts for several entities.
pub(super) struct Batch<'a> {
    pub(super) entities: &'a [Entity],
    /// The leaves of one entity's parts.
    pub(super) leaves: &'a [LeafAt],
    /// Where the parts of the first entity are.
    pub(super) start: NonNull<u8>,
    /// The bytes from one entity's parts to the next one's.
    pub(super) stride: usize,
}

impl Batch<'_> {
    /// Moves the values of all leaves into the columns that their targets name, those of each entity into the row that
    /// `row` says.
    ///
    /// # Safety
    ///
    /// - The leaves are full, where the batch says, and those that the targets are for, in order. The targets are columns
    ///   of the table or nothing. The rows are within its capacity, and the columns hold no values in them.
    unsafe fn write(&self, table: &Table, targets: &[Target], row: impl Fn(usize) -> usize) {
        let count = self.entities.len();
        // So many that their parts stay in the nearest cache from one column to the next.
        for first in (0..count).step_by(64) {
            for (leaf, target) in self.leaves.iter().zip(targets) {
                let Target::Column { index, .. } = *target else { continue };
                let column = table.column(index as usize).data();
                for number in first..count.min(first + 64) {
                    // SAFETY: the caller's promise.
                    unsafe {
                        let parts = self.start.add(number * self.stride);
                        let value = column.add(row(number) * leaf.size);
                        copy_item(parts.add(leaf.value).as_ptr(), value.as_ptr(), leaf.size);
                        if leaf.needs_drop {
                            parts.add(leaf.full).cast::<bool>().write(false);
                        }
                    }
                }
            }
        }
    }
}

/// Whether all targets are columns, each written once, or nothing, and what is required goes to other columns.
fn is_plain(plan: &MovePlan) -> bool {
    if plan.requires_aside {
        return false;
    }
    let mut columns = Vec::with_capacity(plan.targets.len());
    plan.targets.iter().all(|target| match *target {
        Target::Column { index, .. } => {
            let new = !columns.contains(&index);
            columns.push(index);
            new
        }
        Target::Nowhere => true,
        Target::Sparse(_) | Target::SparseIfNew(_) => false,
    })
}

/// Makes what a plan requires, for so many entities.
fn make_required(plan: &MovePlan, components: &Components, count: usize) -> Aside {
    make_aside(plan, components, count, |_| true).unwrap_or_else(|error| error.raise())
}

/// Rows that are about to move: those of a table from `first` on.
struct NewRows {
    from: TableId,
    first: usize,
    count: usize,
    /// The rows in the order in which their values are made, if it is another one.
    order: Option<Vec<u32>>,
}

impl NewRows {
    /// Which of the rows is the next one.
    #[inline]
    fn offset(&self, nth: usize) -> usize {
        self.order.as_ref().map_or(nth, |order| order[nth] as usize - self.first)
    }
}

/// Drops what has been written to rows that do not exist yet.
struct Written<'a> {
    store: &'a mut Store,
    route: &'a Route,
    rows: &'a NewRows,
    start: usize,
    count: usize,
}

impl Drop for Written<'_> {
    fn drop(&mut self) {
        let to = self.store.tables.get_mut(self.route.to);
        for_each_despite_panics(0..self.count, |nth| {
            // SAFETY: this row has been written in these columns, and not been committed; it is visited once.
            unsafe { to.drop_rows_behind(Some(&self.route.written), self.start + self.rows.offset(nth), 1) }
        });
    }
}

/// What happens to rows that move.
struct Route {
    to: TableId,
    /// The columns that the entities keep with their values.
    pairs: Vec<ColumnPair>,
    /// The columns whose old values new ones replace.
    replaced: Vec<ColumnPair>,
    /// The columns of the source whose values go.
    left: Vec<u32>,
    /// The columns of the destination that get new values.
    written: Vec<u32>,
}

impl Route {
    fn of(plan: &MovePlan) -> Self {
        let column = |target: &Target| match *target {
            Target::Column { index, .. } => Some(index),
            _ => None,
        };
        let written: Vec<u32> = plan.targets.iter().filter_map(column).collect();
        let (mut replaced, pairs): (Vec<ColumnPair>, _) =
            plan.copies.iter().partition(|pair| written.contains(&pair.to));
        let left = plan.drops.iter().copied().chain(replaced.iter().map(|pair| pair.from)).collect();
        let renewed = |pair: &ColumnPair| plan.renewed.iter().any(|target| column(target) == Some(pair.to));
        replaced.retain(|pair| !renewed(pair));
        Self { to: plan.table, pairs, replaced, left, written }
    }
}

impl Store {
    /// Sorts the live ones of some entities by table, in the order in which tables appear. Each counts once.
    pub(crate) fn select(&mut self, entities: &[Entity]) -> Vec<Selection> {
        self.flush();
        let mut by_table: Vec<Option<Marks>> = Vec::new();
        let mut order = Vec::new();
        for location in entities.iter().filter_map(|&entity| self.entities.get(entity)) {
            let at = location.table.index();
            if by_table.len() <= at {
                by_table.resize_with(at + 1, || None);
            }
            let rows = self.tables.get(location.table).map_or(0, Table::len);
            let marks = by_table[at].get_or_insert_with(|| {
                order.push(location.table);
                Marks::default()
            });
            marks.rows.push(location.row);
            marks.of = rows;
        }
        let mut rows = |table: TableId| by_table[table.index()].take().and_then(Marks::into_rows);
        self.in_order(order.into_iter().map(|table| (table, rows(table))))
    }

    /// Selections one behind the other.
    pub(crate) fn in_order(&self, parts: impl Iterator<Item = (TableId, Option<Vec<u32>>)>) -> Vec<Selection> {
        let mut before = 0;
        let selection = |(table, rows)| {
            let selection = Selection { table, rows, before };
            before += selection.len(self);
            selection
        };
        parts.map(selection).collect()
    }

    /// Adds a bundle to the entities of a selection. `make` is called once for each, in the order of their rows before, with
    /// the number of the entity among all selected. Says how many there were. What the bundle requires is made before.
    ///
    /// If `make` panics, entities whose table needs no change keep what they have got so far, and the others stay as
    /// they were.
    pub(crate) fn insert_into<B: Bundle>(
        &mut self,
        selection: &Selection,
        mut make: impl FnMut(&Self, Entity, usize) -> B,
    ) -> usize {
        let change = Change::of(Step::Insert(self.register_bundle::<B>()));
        let count = selection.len(self);
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(selection.table, change, contents, &mut self.tables, &self.components);
        if B::Parts::HAS_SPARSE || plan.table == selection.table || plan.requires_aside {
            return self.insert_one_by_one(selection, change, make);
        }
        let route = Route::of(plan);
        let mut aside = make_required(plan, &self.components, count);
        let entities = selection.rows.is_some().then(|| selection.entities(self));
        let first = self.gather(selection);
        debug_assert_eq!(self.tables.get_mut(selection.table).len() - first, count);
        let exchange = self.make_room(selection.table, &route, first, count);
        // Gathering has changed the rows of some.
        let order = entities.map(|entities| self.entities.rows_of(&entities));
        let rows = NewRows { from: selection.table, first, count, order };
        self.write_rows::<B>(change, &route, &rows, |store, entity, nth| make(store, entity, selection.before + nth));
        // SAFETY: there is room, and the columns that get new values have them, some of them now.
        unsafe {
            fill_required(&mut aside, self.tables.get_unchecked(route.to));
            self.move_gathered(selection.table, first, count, &route, exchange);
        }
        count
    }

    /// Puts selections whose entities stay in their table when they gain a bundle before those that move: the others may bring
    /// their tables more rows.
    pub(crate) fn order_for_insert<B: Bundle>(&mut self, selections: &mut Vec<Selection>) {
        let change = Change::of(Step::Insert(self.register_bundle::<B>()));
        self.order(selections, change);
    }

    /// The same, when they lose a bundle.
    pub(crate) fn order_for_removal<B: Bundle>(&mut self, selections: &mut Vec<Selection>) {
        let change = Change::of(Step::Remove(self.register_bundle::<B>()));
        self.order(selections, change);
    }

    fn order(&mut self, selections: &mut Vec<Selection>, change: Change) {
        let all = core::mem::take(selections).into_iter();
        let (moving, staying): (Vec<Selection>, _) = all.partition(|selection| self.moves(selection.table, change));
        *selections = staying;
        selections.extend(moving);
    }

    fn moves(&mut self, table: TableId, change: Change) -> bool {
        let contents = |number| self.bundles.contents(number);
        self.graph.plan(table, change, contents, &mut self.tables, &self.components).table != table
    }

    fn insert_one_by_one<B: Bundle>(
        &mut self,
        selection: &Selection,
        change: Change,
        mut make: impl FnMut(&Self, Entity, usize) -> B,
    ) -> usize {
        let entities = selection.entities(self);
        for (nth, &entity) in entities.iter().enumerate() {
            let bundle = make(self, entity, selection.before + nth);
            let Some(location) = self.entities.get(entity) else { continue };
            give(bundle, |bundle| {
                with_parts(bundle, |parts| {
                    let put = |sink: &mut Sink<'_>| {
                        // SAFETY: the parts are those of the only bundle that the change adds.
                        unsafe { parts.put(sink) }
                    };
                    // SAFETY: as above; the entity is there.
                    let done = unsafe { self.carry_out(change, entity, location, B::Parts::HAS_SPARSE, put) };
                    done.map_or_else(|error| error.raise(), |_| ());
                });
            });
        }
        entities.len()
    }

    /// Brings the rows of a selection behind the others, and says where they begin.
    pub(super) fn gather(&mut self, selection: &Selection) -> usize {
        let Some(rows) = &selection.rows else { return 0 };
        let entities = &mut self.entities;
        let table = self.tables.get_mut(selection.table);
        // SAFETY: a selection names rows of its table.
        unsafe { table.gather(rows, |entity, row| entities.set_row(entity, row)) }
    }

    /// Makes room in the destination, and says whether the tables can exchange their columns.
    fn make_room(&mut self, from: TableId, route: &Route, first: usize, count: usize) -> bool {
        // SAFETY: both are tables of this store; a route leads to another table.
        let (_, to) = unsafe { self.tables.get_two_mut(from, route.to) };
        let exchange = first == 0 && to.is_empty();
        if let Err(error) = to.reserve_for(count, &route.pairs, exchange) {
            error.raise();
        }
        exchange
    }

    /// Writes new values behind the last row of the destination. If `make` panics they are dropped.
    fn write_rows<B: Bundle>(
        &mut self,
        change: Change,
        route: &Route,
        rows: &NewRows,
        mut make: impl FnMut(&Self, Entity, usize) -> B,
    ) {
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(rows.from, change, contents, &mut self.tables, &self.components);
        let start = self.tables.get(route.to).map_or(0, Table::len);
        // SAFETY: the plan belongs to this bundle and leads to this table.
        let bases = unsafe { B::Parts::bases(self.tables.get_unchecked(route.to), &mut Targets::of(plan)) };
        let mut written = Written { store: self, route, rows, start, count: 0 };
        for nth in 0..rows.count {
            let offset = rows.offset(nth);
            // SAFETY: the table is one of the store, and has so many rows from `first` on.
            let entity =
                unsafe { *written.store.tables.get_unchecked(rows.from).entities().get_unchecked(rows.first + offset) };
            let bundle = make(written.store, entity, nth);
            // SAFETY: there is room for so many rows, which hold no values in these columns; the columns stay where they
            // are, as `make` cannot change the store.
            give(bundle, |bundle| with_parts(bundle, |parts| unsafe { parts.write(bases, start + offset) }));
            written.count = nth + 1;
        }
        core::mem::forget(written);
    }

    /// Moves the rows of a table from `first` on, and drops what they leave behind.
    ///
    /// # Safety
    ///
    /// - `make_room` has made room and returned `exchange`; the columns that get new values have them.
    unsafe fn move_gathered(&mut self, from: TableId, first: usize, count: usize, route: &Route, exchange: bool) {
        let now = self.now();
        // SAFETY: both are tables of this store, and they differ.
        let (source, to) = unsafe { self.tables.get_two_mut(from, route.to) };
        // SAFETY: the pairs are those of a plan for these tables; the rest is the caller's promise.
        let start = unsafe { source.move_rows_to(first, to, &route.pairs, &route.replaced, exchange, now) };
        if exchange {
            self.entities.set_table(to.entities(), route.to);
        } else {
            self.entities.relocate_all(&to.entities()[start..], route.to, start as u32);
        }
        let finish = self.removals.finish();
        // SAFETY: the rows are gone, and their values in these columns have stayed.
        unsafe { source.drop_rows_except(finish.kept(), Some(&route.left), first, count) }
    }

    /// Selects entities that all live in one table. None if one of them occurs twice.
    pub(super) fn select_in(&self, table: TableId, entities: &[Entity]) -> Option<Selection> {
        let of = self.tables.get(table)?.len();
        let rows = Marks { rows: self.entities.rows_of(entities), of }.into_rows();
        (rows.as_ref().map_or(of, Vec::len) == entities.len()).then_some(Selection { table, rows, before: 0 })
    }

    /// Carries out a change of all entities of a selection, which are those of the batch, if that can be done at once.
    ///
    /// # Safety
    ///
    /// - The batch holds full parts for each entity, of the bundles that the change adds, in order. Nothing is sparse.
    pub(super) unsafe fn change_together(&mut self, change: Change, selection: &Selection, batch: &Batch<'_>) -> bool {
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(selection.table, change, contents, &mut self.tables, &self.components);
        if plan.table == selection.table || !is_plain(plan) {
            return false;
        }
        let route = Route::of(plan);
        let count = batch.entities.len();
        let mut aside = make_required(plan, &self.components, count);
        let first = self.gather(selection);
        let exchange = self.make_room(selection.table, &route, first, count);
        // SAFETY: the table is one of this store.
        let to = unsafe { self.tables.get_unchecked(route.to) };
        let start = to.len();
        let rows = self.entities.rows_of(batch.entities);
        // SAFETY: the gathered rows begin at `first`, and there is room for as many from `start` on; the plan is plain.
        unsafe {
            batch.write(to, &self.graph.last_plan().targets, |number| start + rows[number] as usize - first);
            fill_required(&mut aside, to);
        }
        // SAFETY: there is room, and the columns that get new values have them. The entities of the batch are the selected ones.
        unsafe {
            self.record_moving(selection.table, route.to, Some(batch.entities));
            self.move_gathered(selection.table, first, count, &route, exchange);
        }
        true
    }

    /// Gives entities that are pending, or new ones, their first components, if that can be done at once.
    ///
    /// # Safety
    ///
    /// - The batch holds full parts for each entity, of the bundles that the change adds, in order. Nothing is sparse.
    pub(super) unsafe fn spawn_together(&mut self, change: Change, batch: &Batch<'_>, new: bool) -> bool {
        let now = self.now();
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(TableId::EMPTY, change, contents, &mut self.tables, &self.components);
        if !is_plain(plan) || !(new || self.entities.claim_pending(batch.entities)) {
            return false;
        }
        let count = batch.entities.len();
        match self.entities.reserve_next_many(if new { count } else { 0 }) {
            Ok(()) => {}
            // One by one those are used up that are left.
            Err(ReserveError::IdsExhausted) => return false,
            Err(ReserveError::OutOfMemory(error)) => error.raise(),
        }
        let table = self.tables.get_mut(plan.table);
        if let Err(error) = table.reserve(count) {
            error.raise();
        }
        let first = Location { table: plan.table, row: table.len() as u32 };
        let mut aside = make_required(plan, &self.components, count);
        // SAFETY: there is room for so many rows behind the last one; the plan is plain.
        unsafe {
            batch.write(table, &plan.targets, |number| first.row as usize + number);
            fill_required(&mut aside, table);
        }
        // SAFETY: every column has got its values, and there was room.
        unsafe {
            table.commit_rows(count, now, |rows| match new {
                true => self.entities.allocate_rows(count, first, rows),
                false => rows.extend_from_slice(batch.entities),
            });
        }
        if !new {
            self.entities.place_all(batch.entities, first.table, first.row);
        }
        true
    }

    /// Removes the components of a bundle from the entities of a selection, as far as they have them, and drops them. Says
    /// how many entities there were.
    pub(crate) fn remove_from<B: Bundle>(&mut self, selection: &Selection) -> usize {
        let change = Change::of(Step::Remove(self.register_bundle::<B>()));
        let count = selection.len(self);
        if B::Parts::HAS_SPARSE {
            let entities = selection.entities(self);
            for_each_despite_panics(entities.iter(), |&entity| {
                if let Some(location) = self.entities.get(entity) {
                    // SAFETY: the entity is there, nothing is added.
                    unsafe { self.let_go(change, entity, location, true) }
                }
            });
            return count;
        }
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(selection.table, change, contents, &mut self.tables, &self.components);
        if plan.table != selection.table && count != 0 {
            let route = Route::of(plan);
            let listed = self.list_watched(selection.table, |store| selection.entities(store));
            let first = self.gather(selection);
            let exchange = self.make_room(selection.table, &route, first, count);
            // SAFETY: there is room, and no column gets new values. The entities that are listed are the selected ones.
            unsafe {
                self.record_moving(selection.table, route.to, listed.as_deref());
                self.move_gathered(selection.table, first, count, &route, exchange);
            }
        }
        count
    }

    /// Removes the entities of a selection and drops their components. Says how many there were. Their indexes become free
    /// in the order of `order`, which are the same entities, or else in that of their rows.
    pub(crate) fn despawn_all(&mut self, selection: &Selection, order: Option<&[Entity]>) -> usize {
        let list = |store: &Self| order.map_or_else(|| selection.entities(store), <[Entity]>::to_vec);
        let listed = self.list_watched(selection.table, list);
        let first = self.gather(selection);
        // SAFETY: they live there, and go now.
        unsafe { self.record_ending(selection.table, listed.as_deref(), Fate::Dropped) };
        let table = self.tables.get_mut(selection.table);
        let gone = &table.entities()[first..];
        let count = gone.len();
        let entities = &mut self.entities;
        let mut outside: Vec<(Entity, SparseSummary)> = Vec::new();
        if entities.has_summaries() {
            let summaries = gone.iter().map(|&entity| (entity, entities.sparse_summary(entity.index())));
            outside.extend(summaries.filter(|(_, summary)| !summary.is_empty()));
        }
        debug_assert!(order.is_none_or(|order| order.len() == count));
        entities.free_many(order.unwrap_or(gone));
        table.truncate(first);
        let sparse = &mut self.sparse;
        let finish = self.removals.finish();
        let storages = sparse.len();
        let values = outside
            .iter()
            .flat_map(|&(entity, summary)| summary.storages(storages).map(move |storage| Some((entity, storage))));
        for_each_despite_panics([None].into_iter().chain(values), |value| match value {
            // SAFETY: the rows have just been taken off; this comes once.
            None => unsafe { table.drop_rows_except(finish.kept(), None, first, count) },
            Some((entity, storage)) => {
                if sparse[storage].retire(entity).is_some() {
                    sparse[storage].drop_retired();
                }
            }
        });
        count
    }
}

/// The rows of a table that a list names, in any order.
#[derive(Default)]
struct Marks {
    rows: Vec<u32>,
    /// How many rows the table has.
    of: usize,
}

impl Marks {
    /// The rows in order, each once; none if it is all of them.
    fn into_rows(self) -> Option<Vec<u32>> {
        let Self { mut rows, of } = self;
        if rows.is_sorted_by(|a, b| a < b) {
            // As they come from a loop over a query.
        } else if rows.len() < of / 64 {
            rows.sort_unstable();
            rows.dedup();
        } else {
            // A bit for each row of the table is less work than sorting.
            let mut bits = alloc::vec![0u64; of.div_ceil(64)];
            rows.iter().for_each(|&row| bits[row as usize / 64] |= 1 << (row % 64));
            if bits.iter().map(|word| word.count_ones() as usize).sum::<usize>() == of {
                return None;
            }
            rows.clear();
            for (at, mut word) in bits.into_iter().enumerate() {
                while word != 0 {
                    rows.push(at as u32 * 64 + word.trailing_zeros());
                    word &= word - 1;
                }
            }
        }
        (rows.len() < of).then_some(rows)
    }
}
