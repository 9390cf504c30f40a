//! The state that systems keep from run to run: their last runs, how far they have read, and their `Local`s.
//!
//! A [`StateVisitor`] visits all of this state, always in the same order, and copies, exchanges or resets it. The caller provides
//! the functions that clone values of known types.
//!
//! Tests: tests/snapshots/systems.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, type_name};
use core::mem::swap;

use crate::entity::Entity;
use crate::query::Forest;
use crate::storage::resource::{RenewedList, ResourceId};
use crate::storage::tick::LastRun;
use crate::structure::removal::RemovalCursor;
use crate::structure::store::RestoredEra;

type StateValue = dyn Any + Send + Sync;

/// Clones a value, if its type is known.
pub(crate) type CloneValue<'a> = dyn Fn(&dyn Any) -> Option<Box<StateValue>> + 'a;

/// One item of a system's state.
pub(crate) enum StateItem {
    LastRun(LastRun),
    /// A reader of messages: the id of the list, the next message, and the number of missed messages.
    Cursor(usize, u64, u64),
    /// A reader of removals: the index of the list, whether it reads values, and the next entry with the number of missed entries.
    Reader(usize, bool, [u64; 2]),
    /// A reader of removals whose position was not kept. It counts as having read all entries.
    ReaderAtEnd,
    /// Sources with their targets, as a loop along a relationship last saw them.
    Links(Vec<(Entity, Entity)>),
    /// A value, or `None` if it cannot be cloned.
    Value(Option<Box<StateValue>>),
    /// The system has not been prepared.
    Unprepared,
}

impl StateItem {
    /// Clones the item.
    pub(crate) fn cloned(&self, clone: &CloneValue<'_>) -> Self {
        match self {
            Self::LastRun(last_run) => Self::LastRun(*last_run),
            Self::Cursor(list, next, missed) => Self::Cursor(*list, *next, *missed),
            Self::Reader(list, of_values, state) => Self::Reader(*list, *of_values, *state),
            Self::ReaderAtEnd => Self::ReaderAtEnd,
            Self::Links(links) => Self::Links(links.clone()),
            Self::Value(value) => Self::Value(value.as_ref().and_then(|value| clone(&**value))),
            Self::Unprepared => Self::Unprepared,
        }
    }
}

/// The operation that a [`StateVisitor`] performs.
enum VisitMode<'a> {
    Take {
        clone: &'a CloneValue<'a>,
        taken: Vec<StateItem>,
        refused: Vec<&'static str>,
    },
    Exchange {
        memory: &'a mut [StateItem],
        next: usize,
        fits: bool,
        era: RestoredEra,
        renewed: &'a [(ResourceId, RenewedList)],
    },
    Reset,
}

/// Visits all state that a system keeps.
#[doc(hidden)]
pub struct StateVisitor<'a>(VisitMode<'a>);

impl_debug_of_fields! { [] StateVisitor<'_> {} }

impl<'a> StateVisitor<'a> {
    /// Creates a visitor that copies all state.
    pub(crate) fn taking(clone: &'a CloneValue<'a>) -> Self {
        Self(VisitMode::Take { clone, taken: Vec::new(), refused: Vec::new() })
    }

    /// Creates a visitor that restores all state from `memory`. Values are swapped: afterwards `memory` holds the previous values.
    pub(crate) fn exchanging(
        memory: &'a mut [StateItem],
        era: RestoredEra,
        renewed: &'a [(ResourceId, RenewedList)],
    ) -> Self {
        Self(VisitMode::Exchange { memory, next: 0, fits: true, era, renewed })
    }

    /// Creates a visitor that resets systems to the state before they were prepared for a world.
    pub(crate) fn resetting() -> Self {
        Self(VisitMode::Reset)
    }

    /// Returns whether this visitor resets systems to the state before they were prepared for a world.
    pub(crate) fn resets(&self) -> bool {
        matches!(self.0, VisitMode::Reset)
    }

    /// Returns the copied state, and the types of values that could not be cloned.
    pub(crate) fn taken(self) -> (Vec<StateItem>, Vec<&'static str>) {
        match self.0 {
            VisitMode::Take { taken, refused, .. } => (taken, refused),
            VisitMode::Exchange { .. } | VisitMode::Reset => (Vec::new(), Vec::new()),
        }
    }

    /// Returns whether `memory` matched the visited state, so that all of it was exchanged.
    pub(crate) fn fits(&self) -> bool {
        match &self.0 {
            VisitMode::Take { .. } | VisitMode::Reset => true,
            VisitMode::Exchange { memory, next, fits, .. } => *fits && *next == memory.len(),
        }
    }

    /// Copies or exchanges one item.
    fn each(
        &mut self,
        take: impl FnOnce() -> StateItem,
        exchange: impl FnOnce(&mut StateItem, RestoredEra, &[(ResourceId, RenewedList)]) -> bool,
    ) {
        match &mut self.0 {
            VisitMode::Take { taken, .. } => taken.push(take()),
            VisitMode::Exchange { memory, next, fits, era, renewed } => {
                *fits &= memory.get_mut(*next).is_some_and(|memory| exchange(memory, *era, renewed));
                *next += 1;
            }
            VisitMode::Reset => {}
        }
    }

    /// Visits the last run of the system. `last_run` is `None` if the system is not prepared.
    pub(crate) fn last_run(&mut self, last_run: Option<&mut LastRun>) {
        let was = last_run.as_ref().map(|last_run| **last_run);
        let take = || was.map_or(StateItem::Unprepared, StateItem::LastRun);
        self.each(take, |memory, era, _| match (memory, last_run) {
            (StateItem::LastRun(before), Some(last_run)) => {
                *last_run = era.of(*before);
                true
            }
            (StateItem::Unprepared, None) => true,
            _ => false,
        });
    }

    /// Visits a cursor in a list of messages.
    pub(crate) fn cursor(&mut self, list: &mut usize, next: &mut u64, missed: &mut u64) {
        let was = StateItem::Cursor(*list, *next, *missed);
        self.each(
            || was,
            |memory, _, renewed| {
                let StateItem::Cursor(of, at, lost) = memory else { return false };
                // A list is found here only if it was restored. The cursor of another list is kept.
                if let Some((_, renewed)) = renewed.iter().find(|(_, renewed)| renewed.before == *of) {
                    (*list, *next) = (renewed.now, *at);
                }
                *missed = *lost;
                true
            },
        );
    }

    /// Visits a cursor in the removals of a component, or in its removed values.
    pub(crate) fn reader(&mut self, cursor: &mut RemovalCursor, of_values: bool) {
        let was = StateItem::Reader(cursor.list(), of_values, cursor.state());
        self.each(
            || was,
            |memory, _, _| match memory {
                StateItem::Reader(list, values, state) if *list == cursor.list() && *values == of_values => {
                    cursor.go_to(*state);
                    true
                }
                // Nothing to restore: the reader is already at the end of its list, like every reader without a stored position.
                StateItem::ReaderAtEnd => true,
                _ => false,
            },
        );
    }

    /// Visits sources with their targets.
    pub(crate) fn forest(&mut self, forest: &mut Forest) {
        // `seen` collects all links, which is only needed when the state is copied out.
        let was = if matches!(self.0, VisitMode::Take { .. }) { forest.seen() } else { Vec::new() };
        self.each(
            || StateItem::Links(was),
            |memory, _, _| {
                let StateItem::Links(before) = memory else { return false };
                forest.has_seen(before);
                true
            },
        );
    }

    /// Visits a value.
    pub(crate) fn value<T: Send + 'static>(&mut self, value: &mut T) {
        match &mut self.0 {
            VisitMode::Take { clone, taken, refused } => {
                let cloned = clone(&*value);
                if cloned.is_none() {
                    refused.push(type_name::<T>());
                }
                taken.push(StateItem::Value(cloned));
            }
            VisitMode::Exchange { memory, next, fits, .. } => {
                *fits &= match memory.get_mut(*next) {
                    Some(StateItem::Value(Some(before))) => match before.downcast_mut::<T>() {
                        Some(before) => {
                            swap(before, value);
                            true
                        }
                        None => false,
                    },
                    // A value that could not be cloned was left out of the memory: nothing is restored.
                    Some(StateItem::Value(None)) => true,
                    _ => false,
                };
                *next += 1;
            }
            VisitMode::Reset => {}
        }
    }
}
