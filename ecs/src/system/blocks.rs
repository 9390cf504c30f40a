//! Systems that loop over rows and run block by block. A schedule combines them into pipelines.
//!
//! [`RowFacts`] describes such a system. To run it, the caller makes it fetch its parameters and record its visits. The system then
//! waits ([`BlockScope`](super::base::BlockScope)) while the caller passes rows to it ([`Blocks`]).
//!
//! Tests: tests/pipelines/fusion.rs

use alloc::vec::Vec;
use core::ops::Range;

use crate::access::FilteredAccess;
use crate::component::ComponentId;
use crate::entity::TableId;

/// The properties of a loop over rows.
#[doc(hidden)]
#[derive(Debug)]
pub struct RowFacts {
    /// The access of the first parameter: the columns that the loop borrows, and the components that a row must have or lack.
    pub(crate) rows: FilteredAccess,
    /// Components whose change ticks the loop reads or writes row by row.
    pub(crate) ticked: Vec<ComponentId>,
    /// Whether each row has to be checked for a match, or values are stored outside of tables.
    pub(crate) is_per_row: bool,
    /// Whether the loop may end with an error.
    pub(crate) may_fail: bool,
    /// Whether the author of the system allows it in pipelines.
    pub(crate) in_pipelines: bool,
    /// Whether several threads may visit the rows of the loop.
    pub(crate) is_par: bool,
    /// Whether each task of a parallel loop records commands or messages.
    pub(crate) records: bool,
}

/// A loop that holds its parameters, for one thread.
#[doc(hidden)]
pub trait OwnBlocks {
    /// Calls `each` with every table whose rows the loop visits, in ascending order.
    fn tables(&self, each: &mut dyn FnMut(TableId));

    /// Visits rows of a table, if the loop visits this table.
    ///
    /// # Safety
    ///
    /// - The rows are rows of the table.
    /// - No other code has a borrow of these rows that conflicts with the access of the loop.
    unsafe fn run(&mut self, table: TableId, rows: Range<usize>);
}

/// A loop that holds its parameters, for several threads.
#[doc(hidden)]
pub trait SharedBlocks: Sync {
    /// Like [`OwnBlocks::tables`].
    fn tables(&self, each: &mut dyn FnMut(TableId));

    /// Like [`OwnBlocks::run`].
    ///
    /// # Safety
    ///
    /// - The conditions of [`OwnBlocks::run`] hold.
    unsafe fn run(&self, table: TableId, rows: Range<usize>);
}

/// A loop that waits for the caller to pass rows.
#[doc(hidden)]
pub enum Blocks<'a> {
    /// A loop that stays on one thread.
    Own(&'a mut dyn OwnBlocks),
    /// A loop that several threads may run at the same time, each for other rows.
    Shared(&'a dyn SharedBlocks),
}

impl Blocks<'_> {
    /// Calls `each` with every table whose rows the loop visits, in ascending order.
    pub(crate) fn tables(&self, each: &mut dyn FnMut(TableId)) {
        match self {
            Self::Own(blocks) => blocks.tables(each),
            Self::Shared(blocks) => blocks.tables(each),
        }
    }
}
