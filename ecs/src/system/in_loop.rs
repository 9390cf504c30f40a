//! A resource for the time of a loop over rows.
//!
//! A row that changes a resource notes that in the resource's ticks. Those are memory as well as the value, of which the compiler
//! does not know that they do not overlap, and a sum in a resource would be stored and read again for each row. So a loop has
//! the ticks in a place of its own, which becomes a register, and puts them back at its end.

use super::params::ResMut;
use super::reborrow::Reborrow;
use crate::change::{TickPlace, Ticks};
use crate::tick::{RunTicks, TickCells};

/// A resource that a loop over rows may change. Its ticks are put back when this is dropped, also by a panic.
pub struct LoopResMut<'p, R>(LentResMut<'p, R>);

/// What is lent to each row of a loop.
pub struct LentResMut<'p, R> {
    value: &'p mut R,
    /// The resource's, which `cells` stand in for.
    ticks: &'p Ticks<'p>,
    /// The run that sees them. A copy, since the compiler does not know that a change of the value does not change it.
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
