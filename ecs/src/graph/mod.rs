//! Edges between tables: what a change of components does to an entity of a table.
//!
//! A change is one [`ChangeStep`] (insert a bundle, remove one, and so on) or a sequence of steps that are carried out together.
//! An edge is found by (source table, change) with one probe of a small map that the source owns, and holds the finished
//! plan of the move: which column goes where, which values are new, which are dropped, where everything ends up. The
//! plan of a sequence leads straight to the last table; the tables in between are never made.
//!
//! Plans are made on first use, so memory follows what is used. Columns have an allocation each, so bytes of two columns
//! cannot be copied as one; what can be merged is the decision how to copy, and so the pairs stand in the order of the
//! sizes of their items.
//!
//! The first time that a change is made to an entity of a table, the planner works out which column goes where, what is new,
//! what is replaced and what is left behind. Every later time this is one probe of a small map, or none if the same change
//! was made last. `is_special` says whether there is more to do than to move bytes between columns; an operation tests it
//! once, and the rest is in functions that are not inlined.

mod plan;

mod planner;

mod latest;
mod edges;

mod check;

pub(crate) use self::edges::{Change, Graph, PlanId};
pub(crate) use self::plan::{ChangeStep, MovePlan, RequiredComponent, Source, Target};
