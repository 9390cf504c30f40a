//! A checker for tests: verifies that edges lead to the plans that would be made now.
//!
//! Tests: tests/model/run.rs

use alloc::format;

use super::edges::ArchetypeGraph;
use super::planner::Planner;
use crate::component::{BundleContents, Components};
use crate::storage::table::Tables;

/// The number of plans that are checked per call.
const AT_ONCE: usize = 16;

impl ArchetypeGraph {
    /// Panics if a plan differs from the plan that would be made now. Checks only some of the plans; `turn` selects them.
    pub(crate) fn check_invariants<'a>(
        &self,
        turn: usize,
        contents: &dyn Fn(u32) -> BundleContents<'a>,
        tables: &mut Tables,
        components: &Components,
    ) {
        self.check_sequences();
        let (count, known) = (self.found().count().max(1), tables.iter().len());
        for (from, change, plan) in self.found().chain(self.found()).skip(turn % count).take(AT_ONCE.min(count)) {
            let steps = self.steps(change);
            let Some(from) = tables.iter().nth(from).map(|table| table.id()) else {
                panic!("there are edges of table {from}, which is not there")
            };
            let mut anew = Planner { from, steps: &steps, contents, components }.plan(tables);
            anew.update_interest(components, self.in_all).unwrap_or_else(|error| error.raise());
            assert_eq!(format!("{plan:?}"), format!("{anew:?}"), "the plan for {steps:?} from {from:?}");
        }
        assert_eq!(tables.iter().len(), known, "a plan leads to a table that was not there");
    }
}
