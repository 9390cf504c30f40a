//! Which rows of a column have been changed, and when: kept from the moment that somebody wants to know.
//!
//! Each row has a tick for when its value was added and one for when it was changed last. They are the truth. Beside them
//! stand two shortcuts to the rows that are new for somebody, so that he need not look at all of them:
//!
//! - for each 64 rows the newest of their ticks, so that groups of rows without changes are passed over;
//! - a log of the rows that have been changed since somebody looked last. A row stands in it once. There are two, since
//!   several may look in turns: the current one begins where somebody looked, and the one before it where somebody looked
//!   before that. A log that would have more than an eighth of the rows is given up until the next one begins: looking at all
//!   ticks costs little more then. Who has not looked since the older of the logs began goes by the groups.
//!
//! The shortcuts may lead to rows that are not new, never past one that is. A log names rows, not entities: whoever brings
//! another value to a row brings its ticks along, and the row is noted if they are newer than the logs.
//!
//! With the feature `track_location` it is known, too, who changed a row last. That goes where the ticks go.
//!
//! Everything is written through shared references, by whoever has the right to change the values; values that are borrowed
//! one by one may go to several threads. So marks are atomic, and one thread at a time changes the logs. Nobody looks at the
//! ticks of a row while another thread writes them; and threads that write to one column do so in the same run, with one tick,
//! else a group could be left with the older of two.

mod rows;

mod log;

mod column;

mod demand;

pub(crate) use self::column::{Tracking, Which};
pub(crate) use self::demand::Demand;
pub(crate) use self::log::LoggedRows;
pub(crate) use self::rows::GROUP;
