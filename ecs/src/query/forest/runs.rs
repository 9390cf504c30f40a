//! Consecutive rows of one depth, and the lists of them for all depths.
//!
//! Tests: tests/relationships/forests.rs, tests/relationships/down.rs

use alloc::vec::Vec;

/// Position of an entity: index of the table in the forest, and row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) table: u32,
    pub(crate) row: u32,
}

impl Place {
    /// Stands for no place.
    pub(crate) const NONE: Self = Self { table: u32::MAX, row: u32::MAX };
}

/// Consecutive rows of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowRun {
    pub(crate) table: u32,
    /// The first row.
    pub(crate) row: u32,
    pub(crate) len: u32,
}

impl RowRun {
    /// Returns the place after the last row.
    fn end(&self) -> Place {
        Place { table: self.table, row: self.row + self.len }
    }
}

/// A depth, and the place of a node of this depth. Sorted by depth first.
pub(super) type DepthAndPlace = (u32, Place);

/// For each depth, all places in ascending order.
#[derive(Default)]
pub(super) struct Levels(Vec<Vec<RowRun>>);

impl_deref!([] Levels => [Vec<RowRun>], |this| *this.0);

impl Levels {
    /// Removes all places, but keeps the memory of the lists.
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }

    /// Adds a place that is greater than all places of its depth.
    #[inline]
    pub(super) fn push(&mut self, depth: u32, place: Place) {
        let depth = depth as usize;
        if self.0.len() <= depth {
            self.0.resize_with(depth + 1, Vec::new);
        }
        push_row(&mut self.0[depth], place);
    }

    /// Removes the lists of the greatest depths if they are empty.
    pub(super) fn drop_empty(&mut self) {
        while self.0.last().is_some_and(Vec::is_empty) {
            self.0.pop();
        }
    }

    /// Removes the places `gone` and adds the places `new`. Both lists are sorted; they may have places in common. The cost for a
    /// depth is proportional to its runs from the first changed place on.
    pub(super) fn change(&mut self, mut gone: &[DepthAndPlace], mut new: &[DepthAndPlace]) {
        while let Some(depth) = gone.first().into_iter().chain(new.first()).map(|(depth, _)| *depth).min() {
            let split = |list: &mut &[DepthAndPlace]| {
                let (here, later) = list.split_at(list.partition_point(|(other, _)| *other == depth));
                *list = later;
                here.iter().map(|(_, place)| *place).collect::<Vec<_>>()
            };
            let (gone, new) = (split(&mut gone), split(&mut new));
            if self.0.len() <= depth as usize {
                self.0.resize_with(depth as usize + 1, Vec::new);
            }
            change_runs(&mut self.0[depth as usize], &gone, &new);
        }
        self.drop_empty();
    }
}

/// Removes the rows `gone` and adds the rows `new`. Both lists are in ascending order; they may have places in common.
fn change_runs(runs: &mut Vec<RowRun>, gone: &[Place], new: &[Place]) {
    let Some(&first) = gone.first().into_iter().chain(new.first()).min() else { return };
    let tail = runs.split_off(runs.partition_point(|run| run.end() < first));
    let (mut gone, mut new) = (gone.iter().copied().peekable(), new.iter().copied().peekable());
    for RowRun { table, row, len } in tail {
        let (mut row, end) = (row, row + len);
        while row < end {
            let at = Place { table, row };
            while let Some(place) = new.next_if(|place| *place < at) {
                push_row(runs, place);
            }
            while gone.next_if(|place| *place < at).is_some() {}
            let stop = gone.next_if(|place| place.table == table && place.row < end);
            let stays = stop.map_or(end, |place| place.row);
            push_rows(runs, RowRun { table, row, len: stays - row });
            row = stays + u32::from(stop.is_some());
        }
    }
    new.for_each(|place| push_row(runs, place));
}

/// Appends a row that is greater than all rows in the runs.
#[inline]
pub(super) fn push_row(runs: &mut Vec<RowRun>, Place { table, row }: Place) {
    push_rows(runs, RowRun { table, row, len: 1 });
}

/// Appends rows that are greater than all rows in the runs.
#[inline]
fn push_rows(runs: &mut Vec<RowRun>, more: RowRun) {
    match runs.last_mut() {
        _ if more.len == 0 => {}
        Some(run) if run.end() == (Place { table: more.table, row: more.row }) => run.len += more.len,
        _ => runs.push(more),
    }
}
