//! What systems keep from run to run: when they ran last, how far they have read, and their `Local`s.
//!
//! A [`Keeper`] comes to all of it, always in the same order, and takes it or exchanges it. Values are cloned by functions that the
//! caller has for their types.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, type_name};
use core::mem::swap;

use crate::entity::Entity;
use crate::query::Forest;
use crate::removal::RemovalCursor;
use crate::resource::{Renewed, ResourceId};
use crate::store::RestoredEra;
use crate::tick::LastRun;

type Value = dyn Any + Send + Sync;

/// A clone of a value, if its type is known.
pub(crate) type CloneValue<'a> = dyn Fn(&dyn Any) -> Option<Box<Value>> + 'a;

/// One thing that a system keeps.
pub(crate) enum Memory {
    LastRun(LastRun),
    /// A reader of messages: the list, the next message, and how many were missed.
    Cursor(usize, u64, u64),
    /// A reader of removals: the lists of which component, whether it reads values, and the next entry and how many were missed.
    Reader(usize, bool, [u64; 2]),
    /// A reader of removals that is left out: it has read all.
    ReaderAtEnd,
    /// Sources with their targets, as a loop along a relationship has seen them.
    Links(Vec<(Entity, Entity)>),
    /// A value, if it can be cloned.
    Value(Option<Box<Value>>),
    /// The system has not been prepared.
    Unprepared,
}

impl Memory {
    /// The same once more.
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

/// What is done with what a system keeps.
enum Mode<'a> {
    Take {
        clone: &'a CloneValue<'a>,
        taken: Vec<Memory>,
        refused: Vec<&'static str>,
    },
    Exchange {
        memory: &'a mut [Memory],
        next: usize,
        fits: bool,
        era: RestoredEra,
        renewed: &'a [(ResourceId, Renewed)],
    },
    Reset,
}

/// Comes to all that a system keeps.
#[doc(hidden)]
pub struct Keeper<'a>(Mode<'a>);

impl_debug_of_fields! { [] Keeper<'_> {} }

impl<'a> Keeper<'a> {
    /// Takes all.
    pub(crate) fn taking(clone: &'a CloneValue<'a>) -> Self {
        Self(Mode::Take { clone, taken: Vec::new(), refused: Vec::new() })
    }

    /// Exchanges all for what was taken. Values that were known then are afterwards in the memory.
    pub(crate) fn exchanging(memory: &'a mut [Memory], era: RestoredEra, renewed: &'a [(ResourceId, Renewed)]) -> Self {
        Self(Mode::Exchange { memory, next: 0, fits: true, era, renewed })
    }

    /// Makes systems what they were before they were prepared for a world.
    pub(crate) fn resetting() -> Self {
        Self(Mode::Reset)
    }

    /// Whether a system is to be what it was before it was prepared for a world.
    pub(crate) fn resets(&self) -> bool {
        matches!(self.0, Mode::Reset)
    }

    /// What was taken, and the types of values that were not.
    pub(crate) fn taken(self) -> (Vec<Memory>, Vec<&'static str>) {
        match self.0 {
            Mode::Take { taken, refused, .. } => (taken, refused),
            Mode::Exchange { .. } | Mode::Reset => (Vec::new(), Vec::new()),
        }
    }

    /// Whether everything had its place in the memory, so that all was exchanged.
    pub(crate) fn fits(&self) -> bool {
        match &self.0 {
            Mode::Take { .. } | Mode::Reset => true,
            Mode::Exchange { memory, next, fits, .. } => *fits && *next == memory.len(),
        }
    }

    /// Takes one thing, or exchanges it.
    fn each(
        &mut self,
        take: impl FnOnce() -> Memory,
        exchange: impl FnOnce(&mut Memory, RestoredEra, &[(ResourceId, Renewed)]) -> bool,
    ) {
        match &mut self.0 {
            Mode::Take { taken, .. } => taken.push(take()),
            Mode::Exchange { memory, next, fits, era, renewed } => {
                *fits &= memory.get_mut(*next).is_some_and(|memory| exchange(memory, *era, renewed));
                *next += 1;
            }
            Mode::Reset => {}
        }
    }

    /// When the system ran last; none if it is not prepared.
    pub(crate) fn last_run(&mut self, last_run: Option<&mut LastRun>) {
        let was = last_run.as_ref().map(|last_run| **last_run);
        let take = || was.map_or(Memory::Unprepared, Memory::LastRun);
        self.each(take, |memory, era, _| match (memory, last_run) {
            (Memory::LastRun(before), Some(last_run)) => {
                *last_run = era.of(*before);
                true
            }
            (Memory::Unprepared, None) => true,
            _ => false,
        });
    }

    /// How far the system has read a list of messages.
    pub(crate) fn cursor(&mut self, list: &mut usize, next: &mut u64, missed: &mut u64) {
        let was = Memory::Cursor(*list, *next, *missed);
        self.each(
            || was,
            |memory, _, renewed| {
                let Memory::Cursor(of, at, lost) = memory else { return false };
                // A list that is no part of the memory stays, and so does the place in it. One that has gone is none of those that
                // there are now.
                if let Some((_, renewed)) = renewed.iter().find(|(_, renewed)| renewed.before == *of) {
                    (*list, *next) = (renewed.now, *at);
                }
                *missed = *lost;
                true
            },
        );
    }

    /// How far the system has read removals of a component, or removed values.
    pub(crate) fn reader(&mut self, cursor: &mut RemovalCursor, of_values: bool) {
        let was = Memory::Reader(cursor.list(), of_values, cursor.state());
        self.each(
            || was,
            |memory, _, _| match memory {
                Memory::Reader(list, values, state) if *list == cursor.list() && *values == of_values => {
                    cursor.go_to(*state);
                    true
                }
                // It has come to the end of its list, as all readers do of which nothing is known.
                Memory::ReaderAtEnd => true,
                _ => false,
            },
        );
    }

    /// Sources with their targets.
    pub(crate) fn forest(&mut self, forest: &mut Forest) {
        // A list of all rows, which only a keeper that takes needs.
        let was = if matches!(self.0, Mode::Take { .. }) { forest.seen() } else { Vec::new() };
        self.each(
            || Memory::Links(was),
            |memory, _, _| {
                let Memory::Links(before) = memory else { return false };
                forest.has_seen(before);
                true
            },
        );
    }

    /// A value.
    pub(crate) fn value<T: Send + 'static>(&mut self, value: &mut T) {
        match &mut self.0 {
            Mode::Take { clone, taken, refused } => {
                let cloned = clone(&*value);
                if cloned.is_none() {
                    refused.push(type_name::<T>());
                }
                taken.push(Memory::Value(cloned));
            }
            Mode::Exchange { memory, next, fits, .. } => {
                *fits &= match memory.get_mut(*next) {
                    Some(Memory::Value(Some(before))) => match before.downcast_mut::<T>() {
                        Some(before) => {
                            swap(before, value);
                            true
                        }
                        None => false,
                    },
                    // It was left out.
                    Some(Memory::Value(None)) => true,
                    _ => false,
                };
                *next += 1;
            }
            Mode::Reset => {}
        }
    }
}
