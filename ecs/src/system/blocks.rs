//! Systems that go through rows, run block by block: what a schedule makes pipelines of.
//!
//! A system says what it is ([`RowFacts`]); the caller that runs it so has it fetch its parameters, note its visits, and wait
//! ([`BlockScope`](super::base::BlockScope)) while rows are handed to it ([`Blocks`]).

use alloc::vec::Vec;
use core::ops::Range;

use crate::access::FilteredAccess;
use crate::component::ComponentId;
use crate::entity::TableId;

/// What there is to know of a loop over rows.
#[doc(hidden)]
#[derive(Debug)]
pub struct RowFacts {
    /// What it borrows of the rows, and which it demands: the access of its first parameter.
    pub(crate) rows: FilteredAccess,
    /// Components of which single rows tell when they were changed, or are told that they are.
    pub(crate) ticked: Vec<ComponentId>,
    /// Whether each row has to be asked whether it matches, or values do not stand in tables.
    pub(crate) is_per_row: bool,
    /// Whether it may end with an error.
    pub(crate) may_fail: bool,
    /// Whether its author wants it in pipelines.
    pub(crate) in_pipelines: bool,
    /// Whether its rows may be gone through on several threads.
    pub(crate) is_par: bool,
    /// Whether each task of a loop on several threads records something.
    pub(crate) records: bool,
}

/// A loop that has its parameters, for one thread.
#[doc(hidden)]
pub trait OwnBlocks {
    /// Calls `each` with every table of which it goes through the rows, in ascending order.
    fn tables(&self, each: &mut dyn FnMut(TableId));

    /// Goes through rows of a table, if the table is one of its own.
    ///
    /// # Safety
    ///
    /// - The rows are rows of the table.
    /// - What the loop borrows of these rows is not borrowed otherwise.
    unsafe fn run(&mut self, table: TableId, rows: Range<usize>);
}

/// A loop that has its parameters, for several threads.
#[doc(hidden)]
pub trait SharedBlocks: Sync {
    /// As for [`OwnBlocks`].
    fn tables(&self, each: &mut dyn FnMut(TableId));

    /// As for [`OwnBlocks`].
    ///
    /// # Safety
    ///
    /// - As for [`OwnBlocks::run`].
    unsafe fn run(&self, table: TableId, rows: Range<usize>);
}

/// A loop that waits for rows.
#[doc(hidden)]
pub enum Blocks<'a> {
    /// One that keeps to a thread.
    Own(&'a mut dyn OwnBlocks),
    /// One that several threads may run at the same time, each for other rows.
    Shared(&'a dyn SharedBlocks),
}

impl Blocks<'_> {
    /// Calls `each` with every table of which the loop goes through the rows, in ascending order.
    pub(crate) fn tables(&self, each: &mut dyn FnMut(TableId)) {
        match self {
            Self::Own(blocks) => blocks.tables(each),
            Self::Shared(blocks) => blocks.tables(each),
        }
    }
}
