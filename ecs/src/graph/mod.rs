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
//! The first time that a change is made to an entity of a table, the planner computes which column goes where, what is new,
//! what is replaced and what is left behind. Every later time a probe finds the plan, in the plan cache or in the map of the table.
//! The flags of a plan say whether there is more to do than to move bytes between columns; an operation tests them once.
//!
//! Tests: beside `cache.rs`, `edges.rs`; `tests/storage/runs.rs`.

mod plan;

mod planner;

mod change;

mod cache;
mod edges;

mod check;

pub(crate) use self::cache::PlanKey;
pub(crate) use self::change::{Change, PlanId};
pub(crate) use self::edges::Graph;
pub(crate) use self::plan::{ChangeStep, MovePlan, PlanFlags, RequiredComponent, Source, Target};
