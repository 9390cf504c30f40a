//! Edges between tables: the effect of a change of components on an entity of a table.
//!
//! A change is one [`ChangeStep`] (insert a bundle, remove one, and so on) or a sequence of steps that are carried out together. An edge is
//! found by (source table, change) with one probe of a small map that belongs to the source table. It leads to the finished plan of the
//! move: the destination column of each column, the targets of new values, and the values to be dropped. The plan of a sequence leads
//! directly to the last table; the tables in between are never created.
//!
//! Plans are made on first use, so only used edges take memory. Each column has its own allocation, so the bytes of two columns cannot be
//! copied together. The columns of a plan are sorted by item size, so that the code that copies a size is selected once per size.
//!
//! When a change is made to an entity of a table for the first time, the planner computes the plan. Later changes find it with one probe,
//! in the plan cache or in the map of the table. The flags of a plan show whether there is more to do than to move bytes between columns;
//! an operation tests them once.
//!
//! Tests: ecs/src/structure/graph/cache.rs, ecs/src/structure/graph/edges.rs, tests/storage/runs.rs

mod plan;

mod planner;

mod change;

mod cache;
mod edges;

mod check;

pub(crate) use self::cache::PlanKey;
pub(crate) use self::change::{ChangeKey, PlanId};
pub(crate) use self::edges::ArchetypeGraph;
pub(crate) use self::plan::{ChangeStep, ComponentSource, ComponentTarget, MovePlan, PlanFlags, RequiredComponent};
