//! Which rows of a column have been changed, and when: kept from the moment at which a consumer asks for it.
//!
//! Each row has a tick for when its value was added and one for when it was changed last. They are the truth. Beside them
//! stand two shortcuts to the rows that are new for a consumer, so that it need not look at all of them:
//!
//! - for each 64 rows the newest of their ticks, so that groups of rows without changes are passed over;
//! - a log of the rows that have been changed since a consumer looked: a set of rows, which are found in ascending order. There
//!   are two, since several consumers may look in turns: the current one begins at the last look, and the one before it at the
//!   look before that. A log that would have more than an eighth of the rows is given up until the next one begins: looking at
//!   all ticks costs little more then. A consumer that has not looked since the older of the logs began goes by the groups.
//!   Who takes a position in the journal is a consumer of the columns that are tracked for it (`journal_moment`).
//!
//! The shortcuts may lead to rows that are not new, never past one that is. A log names rows, not entities: code that moves
//! another value to a row moves its ticks along, and the row is noted if they are newer than the logs.
//!
//! With the feature `track_location` each row also has the origin of its last change, which goes where the ticks go.
//!
//! # What may happen at the same time
//!
//! Code that may change the values of rows writes their ticks, and code that may read the values reads them. But a sparse
//! component may keep two queries apart that share a column: then they have other rows of the same groups, and their threads
//! write and read the same cache lines, groups and logs. Values that are borrowed one by one may go to several threads, too.
//! So everything here is atomic, and is right whatever other threads do:
//!
//! - One thread at a time changes the logs ([`Tracking::visit`], and rows that are noted), for a few steps. Readers take no
//!   lock. They find what they are entitled to, since changes of their own rows have happened before they began; and they go
//!   up from group to group and read the bits of each once, so no row comes twice, also if a log begins anew beneath them.
//! - The functions whose names end in `_unshared` read or write many ticks at once and not atomically. They are for queries
//!   that demand and forbid no sparse component: what keeps another query apart from such a one keeps it in other tables.
//! - While no log takes notes, a loop of such a query over all rows of a table notes their changes ahead
//!   ([`Tracking::note_ahead`]): it raises the groups. Then the tick of a row is all that is left to be written when it is changed,
//!   and belongs to the code that has borrowed the value. The groups may lead to rows that were not changed after all.
//!
//! Threads that write to one column do so in the same run, with one tick, else a group could be left with the older of two,
//! and changes could be missed.
//!
//! # Levels
//!
//! All columns have a stamp of the last visit that may have changed values, and all tables one of the last row that came:
//! one store for each visit and for each structural change. From the moment that a query with `Changed`, `Added` or `Ref`
//! exists (it holds a counted `TrackingGuard`), the columns of the component keep the ticks of each row; earlier changes are
//! taken to have happened at the time of the stamp. If the log begins exactly at the consumer's last run and no row has got
//! another value, it is exact, and ticks are not read at all. `visit` begins a new log and comes before each mark.
//!
//! A consumer passes over disabled rows, and so over what is changed meanwhile. When a row is no longer disabled, what has been changed
//! since it was counts as changed at that moment ([`Renewal`]); so does, when it begins to be disabled, what no consumer has looked at.
//!
//! A row and its ticks move together: within a column with the value, between tables in `table/ticks.rs`, and exchanged
//! columns have them inside. There is room for as many ticks as for values, so noting a change cannot fail. What a plan
//! replaces is noted as changed; what one step takes away and a later one brings back is noted as added
//! (`MovePlan::renewed`).

mod rows;

mod log;

mod column;

mod spawns;

pub(crate) use self::column::{Renewal, Tracking, Which};
pub(crate) use self::log::LoggedRows;
pub(crate) use self::rows::{GROUP, RowTicks};
pub(crate) use self::spawns::Spawns;
