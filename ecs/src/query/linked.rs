//! Visits rows together with the components of their targets or sources: see [`Forest`].
//!
//! A kernel gets the columns of consecutive rows of one depth, and a [`LinkedRows`] to read components of their targets or sources.
//! Those have another depth, or are not visited at all, so the kernel never reads a row that it is processing. This is checked for
//! each row that is read.
//!
//! Tests: tests/relationships/down.rs

use alloc::vec::Vec;
use core::mem::ManuallyDrop;

use super::blocks::{Block, Matched, per_row, sharing};
use super::cache::CacheOf;
use super::data::QueryData;
use super::fetch::{ContiguousFetch, Fetch, ReadOnlyFetch, Rows};
use super::filter::FilterTerms;
use super::forest::{Forest, ForestRow, ForestTable, SlotRun};
use super::row_ranges::RangeVariants;
use crate::structure::cell::StoreCell;
use crate::util::simd::{self, KernelJob, UnrollWidth, Variants};

/// A table from which linked rows are read. `ManuallyDrop`, because the compiler assumes that `TableFetch` might have a destructor,
/// although it is `Copy`.
type MaybeTable<'l, P> = Option<ManuallyDrop<LinkedTable<'l, P>>>;

struct LinkedTable<'l, P: QueryData> {
    ready: <P::Terms as Fetch>::TableFetch<'l>,
    rows: Rows,
    len: usize,
}

/// Reads components of the targets or sources of some rows. Used by macro output.
pub struct LinkedRows<'l, P: QueryData> {
    forest: &'l Forest,
    tables: &'l [MaybeTable<'l, P>],
    run: SlotRun,
}

impl_copy! { [P: QueryData] LinkedRows<'_, P>; }

impl<'l, P: QueryData<Terms: ReadOnlyFetch>> LinkedRows<'l, P> {
    #[inline(always)]
    fn at(&self, place: ForestRow) -> Option<P::Item<'l, 'l>> {
        let table = self.tables.get(place.table as usize)?.as_ref()?;
        let (row, run) = (place.row as usize, &self.run);
        let is_of_run = place.table == run.table && place.row.wrapping_sub(run.row) < run.len;
        if row >= table.len || is_of_run {
            return None;
        }
        // SAFETY: `row` is less than the table's length (checked above), and the table does not change during the walk.
        let is_there = !P::Terms::PER_ROW || P::Terms::contains(table.ready, unsafe { table.rows.entity(row) });
        // SAFETY: `row` is less than the table's length (checked above), and the value is present. The terms are read-only; the
        // access is allowed, as promised to `LinkedWalk::new`. The only rows written during the call are those of the run and other
        // rows of its depth, and this row is neither. The item is gone before other rows are written: kernels are generic over the
        // lifetime of their arguments, so it cannot outlive the call.
        is_there.then(|| P::item(unsafe { P::Terms::fetch_row::<false>(table.ready, table.rows, row) }, None))
    }

    /// The item of a row's target, if it has a target that matches.
    #[inline(always)]
    pub fn target(&self, row: usize) -> Option<P::Item<'l, 'l>> {
        self.at(self.forest.places(self.run)[row])
    }

    /// The items of a row's visited sources.
    #[inline(always)]
    pub fn sources(&self, row: usize) -> ChildRows<'l, P> {
        let starts = self.forest.starts(self.run);
        let (start, end) = (starts[row] as usize, starts[row + 1] as usize);
        ChildRows { slots: self.forest.sources()[start..end].iter(), linked: *self }
    }
}

/// The items of an entity's children, in a system that visits a hierarchy upwards: `#[system(up = ChildOf)]`. Contains the children
/// that the system visits, in the order of tables and rows.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Weight(u32);
/// #[derive(Component)]
/// struct Total(u32);
///
/// #[system(up = ChildOf)]
/// fn add(weight: &Weight, total: &mut Total, #[children] children: ChildRows<&Total>) {
///     total.0 = weight.0 + children.map(|child| child.0).sum::<u32>();
/// }
///
/// let mut world = World::new();
/// let ship = world.spawn((Weight(10), Total(0))).id();
/// let turret = world.spawn((Weight(3), Total(0), ChildOf(ship))).id();
/// world.spawn((Weight(1), Total(0), ChildOf(turret)));
/// world.run_system_once(add).unwrap();
/// assert_eq!(world.get::<Total>(ship).unwrap().0, 14);
/// ```
pub struct ChildRows<'l, P: QueryData> {
    slots: core::slice::Iter<'l, u32>,
    linked: LinkedRows<'l, P>,
}

impl<P: QueryData> Clone for ChildRows<'_, P> {
    #[inline]
    fn clone(&self) -> Self {
        Self { slots: self.slots.clone(), linked: self.linked }
    }
}

impl<'l, P: QueryData<Terms: ReadOnlyFetch>> Iterator for ChildRows<'l, P> {
    type Item = P::Item<'l, 'l>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let &slot = self.slots.next()?;
            if let Some(item) = self.linked.at(self.linked.forest.place_of(slot)) {
                return Some(item);
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.slots.len()))
    }
}

impl<P: QueryData<Terms: ReadOnlyFetch>> core::iter::FusedIterator for ChildRows<'_, P> {}

impl_debug!([P: QueryData] ChildRows<'_, P> => |_this, f| write!(f, "ChildRows<{}>", core::any::type_name::<P>()));

/// A function of several consecutive rows and the items linked with them.
pub(crate) trait LinkedKernel<T: ContiguousFetch, P: QueryData> {
    /// The error that ends the loop.
    type Error;

    /// Processes `len` rows. Must be `#[inline(always)]`, with everything that it calls.
    fn run(&mut self, len: usize, rows: T::Slice<'_>, linked: &LinkedRows<'_, P>) -> Result<(), Self::Error>;
}

/// Visits rows in order of their depth.
pub(crate) struct LinkedWalk<'a, T: Fetch, F: FilterTerms, P: QueryData, A: FilterTerms> {
    visited: Matched<'a, 'a, T, F>,
    linked: Matched<'a, 'a, P::Terms, A>,
    forest: &'a Forest,
}

impl_copy! { [T: Fetch, F: FilterTerms, P: QueryData, A: FilterTerms] LinkedWalk<'_, T, F, P, A>; }

impl<'a, T, F, P, A> LinkedWalk<'a, T, F, P, A>
where
    T: ContiguousFetch,
    F: FilterTerms,
    P: QueryData<Terms: ReadOnlyFetch>,
    A: FilterTerms,
{
    /// A walk over rows of the first cache; linked items are read from tables of the second.
    ///
    /// # Safety
    ///
    /// - The caches belong to the cell's store and are up to date.
    /// - The access of `T` is allowed for `'a` and conflicts with no other borrow. The same holds for the access of `P`, except
    ///   that it may conflict with `T`.
    /// - The forest was built from the tables of the first cache and is up to date with the store.
    pub(crate) unsafe fn new(
        cell: StoreCell<'a>,
        cache: &'a CacheOf<T, F>,
        linked: &'a CacheOf<P::Terms, A>,
        forest: &'a Forest,
    ) -> Self {
        const { assert!(!A::PER_ROW, "rows that are linked are not asked by a filter") }
        // SAFETY: forwarded: the cache belongs to the store and is up to date; the values that the filter reads are part of the
        // access.
        let visited = unsafe { Matched::new(cell, cache) };
        // SAFETY: forwarded: the cache belongs to the store and is up to date; the filter checks no rows.
        let linked = unsafe { Matched::new(cell, linked) };
        Self { visited, linked, forest }
    }

    /// Records all rows as changed. They are then visited with `is_marked`.
    pub(crate) fn mark_all(&self) -> bool {
        if per_row::<T, F>() || T::SINGLE_ROWS {
            return false;
        }
        for block in self.visited.blocks().filter(|block| block.end != 0) {
            // SAFETY: the rows belong to the block, and the walk will yield them; the access is allowed, as promised to `new`.
            unsafe { T::mark(block.data, block.rows, 0, block.end, sharing::<T, F>()) };
        }
        true
    }

    /// Calls the kernel with runs of rows, one after the other, until it fails.
    ///
    /// # Safety
    ///
    /// - The runs are runs of the forest, or parts of them. No other code has access to their rows or to the rows linked with them
    ///   during the call.
    #[inline]
    pub(crate) unsafe fn for_each<V: Variants, K: LinkedKernel<T, P>>(
        self,
        runs: impl Iterator<Item = SlotRun> + Clone,
        is_marked: bool,
        kernel: &mut K,
    ) -> Result<(), K::Error> {
        let linked_table = |table: &ForestTable| {
            let Block { data, rows, end, .. } = self.linked.block_of(table.id)?;
            Some(ManuallyDrop::new(LinkedTable { ready: data, rows, len: end }))
        };
        let tables: Vec<MaybeTable<'_, P>> = self.forest.tables().iter().map(linked_table).collect();
        let visited = if is_marked { self.visited.again() } else { self.visited };
        let mut blocks: Vec<Option<Block<'_, T, F>>> = Vec::new();
        blocks.resize_with(self.forest.tables().len(), || None);
        for run in runs.clone() {
            let number = run.table as usize;
            if blocks[number].is_none() {
                blocks[number] = visited.block_of(self.forest.tables()[number].id);
            }
        }
        // SAFETY: forwarded: the runs belong to the forest, and no other code has their rows; `new` was promised the access of `T`
        // and `P`.
        simd::run::<RangeVariants<V, T>, _>(SlotRunLoop {
            forest: self.forest,
            tables: &tables,
            blocks: &blocks,
            runs,
            is_marked,
            kernel,
        })
    }
}

/// The loop over runs.
struct SlotRunLoop<'l, 'k, T: ContiguousFetch, F: FilterTerms, P: QueryData, R, K> {
    forest: &'l Forest,
    tables: &'l [MaybeTable<'l, P>],
    blocks: &'k [Option<Block<'l, T, F>>],
    runs: R,
    is_marked: bool,
    kernel: &'k mut K,
}

impl<T, F, P, R, K> KernelJob for SlotRunLoop<'_, '_, T, F, P, R, K>
where
    T: ContiguousFetch,
    F: FilterTerms,
    P: QueryData<Terms: ReadOnlyFetch>,
    R: Iterator<Item = SlotRun>,
    K: LinkedKernel<T, P>,
{
    type Out = Result<(), K::Error>;

    #[inline(always)]
    fn run<S: UnrollWidth>(self) -> Self::Out {
        let Self { forest, tables, blocks, runs, is_marked, kernel } = self;
        for run in runs {
            let Some(block) = &blocks[run.table as usize] else { continue };
            let (first, len) = (run.row as usize, run.len as usize);
            assert!(first + len <= block.end, "rows that the table does not have");
            let linked = LinkedRows { forest, tables, run };
            if per_row::<T, F>() || T::SINGLE_ROWS {
                for at in 0..len {
                    let one = SlotRun { row: run.row + at as u32, slot: run.slot + at as u32, len: 1, ..run };
                    // SAFETY: the row is less than `block.end` (asserted above); the access is allowed, as promised to
                    // `LinkedWalk::new`, and the arguments of the kernel do not outlive its call.
                    unsafe {
                        if block.contains_row(first + at) {
                            kernel.run(1, block.slice(first + at, 1), &LinkedRows { run: one, ..linked })?;
                        }
                    }
                }
                continue;
            }
            // SAFETY: the rows are less than `block.end` (asserted above), and all of them match; the access is allowed, as
            // promised to `LinkedWalk::new`, and the arguments of the kernel do not outlive its call.
            unsafe {
                if !is_marked {
                    T::mark(block.data, block.rows, first, len, sharing::<T, F>());
                }
                kernel.run(len, T::slice(block.data, block.rows, first, len), &linked)?;
            }
        }
        Ok(())
    }
}
