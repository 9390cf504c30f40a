//! The runtime part of `#[system]` for functions over the pairs of a relation.
//!
//! Tests: tests/relationships/pairs/systems.rs

use super::{ParamConstAccess, RowData};
use crate::access::const_access::{NamedAccess, Role};
use crate::entity::Entity;
use crate::query::change::DetectChanges;
use crate::query::{PairAccess, PairData, PairIter, Pairs, PairsTo};
use crate::system::for_macros::SliceOf;

/// An iterator over the pairs of a row, with the access `A` to their values.
type PairsBy<'a, A> = PairIter<'a, <A as PairAccess>::Relation, A>;

impl<P: PairData> RowData for Pairs<P> {
    type Row<'a> = PairsBy<'a, P::Access>;

    #[inline(always)]
    fn row<'a>(slice: &'a mut SliceOf<'_, Self>, _: usize) -> PairsBy<'a, P::Access> {
        slice.reborrow()
    }
}

impl<P: PairData> RowData for PairsTo<P> {
    type Row<'a> = PairsBy<'a, P::Access>;

    #[inline(always)]
    fn row<'a>(slice: &'a mut SliceOf<'_, Self>, _: usize) -> PairsBy<'a, P::Access> {
        slice.reborrow()
    }
}

/// The pairs of a row; `of_row` iterates over them.
pub struct EachPair<'a, 'w, R, A>(&'a mut PairIter<'w, R, A>);

/// Wraps the pairs of a row; `of_row` iterates over them.
#[inline(always)]
pub fn each_pair<'a, 'w, R, A>(pairs: &'a mut PairIter<'w, R, A>) -> EachPair<'a, 'w, R, A> {
    EachPair(pairs)
}

impl<'a, 'w, A: PairAccess> EachPair<'a, 'w, A::Relation, A> {
    /// Iterates over the pairs of one row, each with its target and its value.
    #[inline(always)]
    pub fn of_row(self) -> impl Iterator<Item = (Entity, A::Item<'w>)> + use<'a, 'w, A> {
        self.0.take_of_source()
    }
}

/// The fallback if the type of the values is not a relation: see the documentation of the parent module.
pub trait RefusedPairs: Sized {
    /// The type of the values.
    type Value: 'static;

    /// Never called.
    fn of_row(self) -> core::iter::Empty<(Entity, &'static mut Self::Value)> {
        super::refused()
    }
}

impl<R: 'static, A> RefusedPairs for EachPair<'_, '_, R, A> {
    type Value = R;
}

/// Returns whether the value of a pair was added since the system last ran.
#[inline(always)]
pub fn pair_is_added(pair: &impl DetectChanges) -> bool {
    pair.is_added()
}

/// Returns whether the value of a pair was added or changed since the system last ran.
#[inline(always)]
pub fn pair_is_changed(pair: &impl DetectChanges) -> bool {
    pair.is_changed()
}

/// Checks at compile time that a parameter takes values of the relation.
pub const fn pair_of<R, Of: ValueOf<R>>() {}

/// Implemented for the relation itself, whose values have the same type.
#[diagnostic::on_unimplemented(
    message = "this system goes through the pairs of `{R}`, whose values are not of type `{Self}`",
    label = "not a value of these pairs",
    note = "what the target of a pair has is marked with `#[target]`"
)]
pub trait ValueOf<R> {}

impl<R> ValueOf<R> for R {}

/// Returns the access of a parameter for the targets of pairs, for the check at compile time.
pub const fn target_access<P: ParamConstAccess>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, P::ACCESS, Role::Target)
}
