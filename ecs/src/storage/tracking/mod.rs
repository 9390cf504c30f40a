//! Records which rows of a column were changed, and when. The recording starts when a consumer requests it.
//!
//! Each row has a tick of the addition of its value and a tick of the last change. These ticks are authoritative. Two indexes on
//! top of them find the rows that are new for a consumer, so that it need not check all rows:
//!
//! - For each group of 64 rows, the newest tick of the rows, so that groups without changes are skipped.
//! - A log: the set of rows that have been changed since a consumer read the column. It is read in ascending order. There are two logs,
//!   because several consumers may take turns. The current log begins at the last read of a consumer, and the previous log at the read
//!   before that. A log that would contain more than an eighth of the rows is given up, because checking all ticks costs little more then.
//!   A consumer whose last read was before the older log began uses the groups. Code that takes a position in the journal is a consumer of
//!   the columns that are tracked for the journal (`journal_moment`).
//!
//! The indexes may yield rows that are not new, but they never miss a new row. A log contains rows, not entities. Code that moves a value
//! to another row also moves its ticks, and adds the row to the log if the ticks are newer than the start of the logs.
//!
//! With the feature `track_location` each row also has the origin of its last change, which moves together with the ticks.
//!
//! # Concurrent access
//!
//! Code that may change the values of rows writes their ticks, and code that may read the values reads the ticks. If two queries share a
//! column and only a sparse component separates their rows, they have different rows of the same groups. Then their threads write and read
//! the same cache lines, groups and logs. Values that are borrowed one by one may also be used by several threads. Therefore all data here
//! is atomic, and correct under concurrent access:
//!
//! - One thread at a time changes the logs ([`Tracking::visit`], and adding rows), in a short critical section. Readers take no lock. They
//!   find all rows that they have to find, since the changes of these rows happened before the reader began. Readers step upwards from
//!   group to group and read the bits of each group once, so no row is returned twice, even if a log is restarted during the iteration.
//! - Functions whose names end in `_unshared` read or write many ticks at once, with non-atomic operations. They are for queries that
//!   neither require nor forbid a sparse component. If another query is separated from such a query, its rows are in other tables.
//! - While no log is active, a loop of such a query over all rows of a table records their changes in advance
//!   ([`Tracking::mark_in_advance`]): it sets the ticks of the groups. Afterwards a change of a row only has to write the tick of the row,
//!   which only the code that has borrowed the value accesses. A group may then have a new tick although no row of it was changed.
//!
//! Threads that write to one column concurrently must use the same tick, that is, belong to the same run. With different ticks, a group
//! could be left with the older tick, and changes could be missed.
//!
//! # Levels
//!
//! Every column records the tick of the last visit that may have changed values, and every table records the tick of the last added row.
//! This costs one store for each visit and for each structural change. As soon as a query with `Changed`, `Added` or `Ref` exists (it holds
//! a counted `TrackingGuard`), the columns of the component have ticks for each row. Earlier changes count as made at the recorded tick. If
//! the current log begins exactly at the consumer's last run and no values were moved to other rows, the log is exact, and no ticks are
//! read. `visit` begins a new log if necessary, and must precede each mark.
//!
//! A consumer skips disabled rows, and therefore their changes. When a row stops being disabled, the changes that were made while it was
//! disabled count as made at that moment ([`Renewal`]). When a row becomes disabled, the changes that no consumer has seen count as made at
//! that moment.
//!
//! A value and its ticks move together. Within a column, the function that moves the value also moves the ticks. Between tables,
//! `storage/table/ticks.rs` moves them. If columns are swapped, they contain their ticks. There is always room for as many ticks as values,
//! so recording a change cannot fail. A value that a plan replaces is recorded as changed. A value that one step removes and a later step
//! adds again is recorded as added (`MovePlan::renewed`).
//!
//! Tests: tests/changes/change_detection

mod rows;

mod log;

mod column;

mod spawns;

pub(crate) use self::column::{Renewal, TickKind, Tracking};
pub(crate) use self::log::LoggedRows;
pub(crate) use self::rows::{GROUP, RowTicks};
pub(crate) use self::spawns::Spawns;
