//! Records which rows of a column were changed, and when, from the moment at which a consumer requests it.
//!
//! Each row has a tick of the addition of its value and a tick of the last change. These ticks are authoritative. Two indexes on
//! top of them find the rows that are new for a consumer, so that it need not check all rows:
//!
//! - For each group of 64 rows, the newest of their ticks, so that groups without changes are skipped.
//! - A log of the rows that have been changed since a consumer looked: a set of rows, read in ascending order. There are two logs,
//!   because several consumers may take turns: the current one begins at the last look, and the previous one at the look before. A
//!   log that would contain more than an eighth of the rows is given up until the next one begins, because checking all ticks costs
//!   little more then. A consumer that has not looked since the older log began uses the groups. Code that takes a position in the
//!   journal is a consumer of the columns that are tracked for it (`journal_moment`).
//!
//! The indexes may lead to rows that are not new, but never miss one that is. A log names rows, not entities: code that moves a
//! value to another row moves its ticks too, and the row is added to the log if the ticks are newer than the logs.
//!
//! With the feature `track_location` each row also has the origin of its last change, which moves together with the ticks.
//!
//! # Concurrent access
//!
//! Code that may change the values of rows writes their ticks, and code that may read the values reads them. But two queries that
//! share a column may be separated by a sparse component: then they have different rows of the same groups, and their threads write
//! and read the same cache lines, groups and logs. Values that are borrowed one by one may also be used by several threads.
//! Therefore all data here is atomic, and correct under concurrent access:
//!
//! - One thread at a time changes the logs ([`Tracking::visit`], and adding rows), in a short critical section. Readers take no
//!   lock. They find the rows that they have to find, since changes of their own rows happened before they began. They step upwards
//!   from group to group and read the bits of each group once, so no row is returned twice, even if a log is restarted during the
//!   iteration.
//! - Functions whose names end in `_unshared` read or write many ticks at once, with non-atomic operations. They are for queries
//!   that neither demand nor forbid a sparse component: another query that is separated from such a query has its rows in other
//!   tables.
//! - While no log is active, a loop of such a query over all rows of a table records their changes ahead
//!   ([`Tracking::mark_in_advance`]): it sets the ticks of the groups. Then a change of a row only has to write the tick of the row,
//!   which belongs to the code that has borrowed the value. The groups may lead to rows that were not changed after all.
//!
//! Threads that write to one column concurrently do so in the same run, with one tick. Otherwise a group could be left with the
//! older of two ticks, and changes could be missed.
//!
//! # Levels
//!
//! Every column has a stamp of the last visit that may have changed values, and every table has a stamp of the last added row: one
//! store for each visit and for each structural change. As soon as a query with `Changed`, `Added` or `Ref` exists (it holds a
//! counted `TrackingGuard`), the columns of the component keep ticks for each row; earlier changes count as made at the time of the
//! stamp. If the log begins exactly at the consumer's last run and no row has got another value, the log is exact, and no ticks are
//! read. `visit` begins a new log and comes before each mark.
//!
//! A consumer skips disabled rows, and therefore their changes. When a row stops being disabled, the changes since it was disabled
//! count as made at that moment ([`Renewal`]). When a row becomes disabled, the changes that no consumer has seen count as made at
//! that moment.
//!
//! A row and its ticks move together: within a column with the value, between tables in `storage/table/ticks.rs`; swapped columns contain
//! their ticks. There is always room for as many ticks as values, so recording a change cannot fail. A value that a plan replaces
//! is recorded as changed; a value that one step removes and a later step adds again is recorded as added (`MovePlan::renewed`).
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
