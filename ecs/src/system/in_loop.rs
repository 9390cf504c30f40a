//! A resource parameter for the duration of a loop over rows.
//!
//! A row that changes a resource records the change in the resource's ticks. The compiler cannot prove that the ticks and the value
//! do not overlap. So if rows add to a sum in a resource, it would store and reload the sum for each row. The loop therefore keeps
//! the ticks in a local variable, which becomes a register, and writes them back at the end of the loop.
//!
//! Tests: tests/changes/resources_of_rows.rs

use super::params::ResMut;
use super::reborrow::Reborrow;
use crate::query::change::{TickPlace, Ticks};
use crate::storage::tick::{RunTicks, TickCells};

/// A resource that a loop over rows may change. The ticks are written back on drop, also when a panic unwinds.
pub struct LoopResMut<'p, R>(LentResMut<'p, R>);

/// The borrow that each row of a loop gets.
pub struct LentResMut<'p, R> {
    value: &'p mut R,
    /// The ticks of the resource. `cells` replaces them during the loop.
    ticks: &'p Ticks<'p>,
    /// The ticks of the current run. A copy, since the compiler cannot prove that a write to the value leaves the original
    /// unchanged.
    run_ticks: RunTicks,
    cells: TickCells,
}

impl<'p, R> LoopResMut<'p, R> {
    #[inline(always)]
    pub(crate) fn begin(param: &'p mut ResMut<'_, R>) -> Self {
        let (value, ticks) = param.parts();
        let cells = TickCells::default();
        ticks.fill(&cells);
        Self(LentResMut { value, ticks, run_ticks: ticks.run_ticks(), cells })
    }
}

impl_deref_mut!(#[inline(always)] ['p, R] LoopResMut<'p, R> => LentResMut<'p, R>, |this| this.0);

impl<R> Drop for LoopResMut<'_, R> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(cells) = self.0.ticks.cells() {
            cells.take_over(&self.0.cells);
        }
    }
}

impl<'a, R: 'static> Reborrow<'a> for LentResMut<'_, R> {
    type Short = ResMut<'a, R>;

    #[inline(always)]
    fn reborrow(&'a mut self) -> ResMut<'a, R> {
        ResMut::of_parts(self.value, Ticks::new(TickPlace::One(&self.cells), self.run_ticks))
    }
}
