//! Sequences of entries that repeat, for one entity after the other.
//!
//! Consecutive steps for one entity are one change, however many they are. The compiled change and the offsets of the parts in the arena
//! are stored as a *pattern*. While the next entries have the same pattern and their entities are in one table, the store applies them
//! together. If hooks or observers are notified of the change, it is applied to one entity at a time; its steps are still one change.
//!
//! Tests: tests/commands/groups, ecs/src/world/tests/forgotten_plans.rs

use alloc::vec::Vec;
use core::iter::successors;
use core::ptr::{self, NonNull};

use super::arena::{CommandVTable, EntryHeader, QueueEntry, RunningQueue, StepCommand, values_at};
use crate::entity::Entity;
use crate::structure::bundle::{FieldLayout, RowWriter, write_leaves};
use crate::structure::graph::ChangeKey;
use crate::util::origin::{Origin, TRACKED};

/// The combined effect of the steps for one entity.
#[derive(Clone, Copy)]
pub(crate) enum CompiledSteps {
    /// The entity is despawned in the end.
    Despawn,
    /// The components of the entity change.
    Change(CompiledChange),
}

/// The change of components that steps are compiled to.
#[derive(Clone, Copy)]
pub(crate) struct CompiledChange {
    pub(crate) change: ChangeKey,
    /// Whether the change depends on which sparse components an entity has: some steps keep existing sparse components, and then do not add
    /// the components that these require.
    pub(crate) depends_on_sparse: bool,
    /// The epoch of the graph. The number of the change is valid until the graph removes plans again.
    pub(crate) epoch: u32,
}

/// The last applied steps for one entity, and their layout. Loops over entities record the same steps for each entity.
pub(crate) struct StepPattern<C: 'static> {
    steps: Vec<PatternStep<C>>,
    /// The leaves of all steps, with offsets from the first entry.
    pub(crate) leaves: Vec<FieldLayout>,
    /// The number of bytes of all entries.
    pub(crate) len: usize,
    /// The alignment of entries when the pattern was made.
    align: usize,
    needs_drop: bool,
    /// Whether the next repetition of the steps has the same layout.
    repeats: bool,
    pub(crate) compiled: Option<CompiledSteps>,
}

struct PatternStep<C: 'static> {
    command: &'static CommandVTable<C>,
    /// The code that recorded the step.
    by: Origin,
    /// The offset from the first entry to this entry.
    header_at: usize,
    /// The offset from the first entry to the values of this entry.
    values_at: usize,
}

impl<C> Default for StepPattern<C> {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            leaves: Vec::new(),
            len: 0,
            align: 0,
            needs_drop: false,
            repeats: false,
            compiled: None,
        }
    }
}

impl<C> StepPattern<C> {
    /// Stores the pattern of the next `count` entries and their combined effect.
    pub(crate) fn set(&mut self, running: &RunningQueue<C>, count: usize, compiled: CompiledSteps) {
        self.steps.clear();
        self.leaves.clear();
        self.needs_drop = false;
        let (at, before) = (running.at, running.align);
        (self.len, self.align) = (0, before);
        for entry in running.entries().take(count) {
            let header_at = self.len;
            let values_at = values_at::<C>(at + header_at, entry.command.align) - at;
            self.steps.push(PatternStep { command: entry.command, by: entry.by, header_at, values_at });
            self.needs_drop |= entry.command.drop.is_some();
            if let Some(step) = entry.step() {
                (step.leaves)(&mut |leaf| {
                    self.leaves.push(FieldLayout {
                        value: values_at + leaf.value,
                        full: values_at + leaf.full,
                        ..leaf
                    });
                });
            }
            self.len = entry.end - at;
            self.align = entry.align;
        }
        // If the alignment has increased, the next repetition has a different layout.
        self.repeats = self.align == before;
        self.compiled = Some(compiled);
    }

    /// Returns the number of steps.
    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    /// Returns the steps.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &'static StepCommand<C>> {
        self.steps.iter().filter_map(|step| step.command.as_step())
    }

    /// Returns whether the steps were recorded by different callers (origins).
    #[inline]
    pub(crate) fn is_mixed(&self) -> bool {
        TRACKED && self.steps.iter().any(|step| !step.by.is_same(self.steps[0].by))
    }

    /// Returns the origin of each step.
    pub(crate) fn origins(&self) -> impl Iterator<Item = Origin> {
        self.steps.iter().map(|step| step.by)
    }

    /// Returns whether the combined effect is valid in a graph with this epoch.
    #[inline]
    pub(crate) fn is_of(&self, epoch: u32) -> bool {
        match self.compiled {
            Some(CompiledSteps::Change(compiled)) => compiled.epoch == epoch,
            Some(CompiledSteps::Despawn) => true,
            None => false,
        }
    }
}

/// Entries that have been passed: one pattern, repeated for each of several entities. Dropping the run drops the values that have not been
/// moved out of the entries.
pub(crate) struct PatternRun<'a, C: 'static> {
    pub(crate) pattern: &'a StepPattern<C>,
    start: NonNull<u8>,
    pub(crate) count: usize,
}

impl<'a, C> PatternRun<'a, C> {
    /// Returns the address of the entries of the entity with this number in the run.
    #[inline]
    pub(crate) fn start_of(&self, number: usize) -> NonNull<u8> {
        debug_assert!(number < self.count);
        // SAFETY: the entries of all entities are consecutive in the memory of the queue.
        unsafe { self.start.add(number * self.pattern.len) }
    }

    /// Writes the parts of all steps for the entity with this number in the run.
    ///
    /// # Safety
    ///
    /// - The plan of the writer consists of these steps. This is called once for each entity.
    #[inline]
    pub(crate) unsafe fn write(&self, number: usize, writer: &mut RowWriter<'_>) {
        // SAFETY: the leaves of the pattern's steps are at these offsets, and are full until this is called.
        unsafe { write_leaves(self.start_of(number), &self.pattern.leaves, writer) }
    }
}

impl<C> Drop for PatternRun<'_, C> {
    #[inline]
    fn drop(&mut self) {
        if self.pattern.needs_drop {
            let entities = (0..self.count).map(|number| self.start_of(number));
            let values = entities.flat_map(|start| self.pattern.steps.iter().map(move |step| (start, step)));
            crate::util::guard::for_each_despite_panics(values, |(start, step)| {
                if let Some(drop) = step.command.drop {
                    // SAFETY: the values have been passed, and each is visited once.
                    unsafe { drop(start.add(step.values_at)) }
                }
            });
        }
    }
}

impl<C> RunningQueue<C> {
    /// Returns the remaining entries.
    pub(crate) fn entries(&self) -> impl Iterator<Item = QueueEntry<C>> {
        successors(self.peek(), |entry| self.entry(entry.end, entry.align))
    }

    /// If the next entries repeat the pattern and are all for one entity, and no further step for this entity follows: returns the entity.
    #[inline]
    pub(crate) fn next_of(&self, pattern: &StepPattern<C>) -> Option<Entity> {
        let end = self.at + pattern.len;
        if !pattern.repeats || self.align != pattern.align || end > self.queue.len {
            return None;
        }
        // SAFETY: the first entry starts here. Each entry that matches the pattern ends where, by the pattern, the next one starts, and all
        // of them end within the queue. An entry starts at the end, unless that is the end of the queue.
        unsafe {
            let start = NonNull::new_unchecked(self.queue.memory.as_ptr().cast_mut().cast::<u8>()).add(self.at);
            let entity = start.cast::<EntryHeader<C>>().as_ref().entity;
            for step in &pattern.steps {
                let header = start.add(step.header_at).cast::<EntryHeader<C>>().as_ref();
                if !ptr::eq(header.command, step.command) || header.entity != entity || !header.by.is_same(step.by) {
                    return None;
                }
            }
            if end < self.queue.len {
                let next = start.add(pattern.len).cast::<EntryHeader<C>>().as_ref();
                let same = next.entity == entity && entity != Entity::PLACEHOLDER;
                if same && next.command.as_step().is_some() && !pattern.despawns() {
                    return None;
                }
            }
            Some(entity)
        }
    }

    /// Passes the next entries while they have the pattern and `accept` accepts their entity. If `learnt` is true, the pattern has just
    /// been made from the next entries, and these are passed in any case.
    #[inline]
    pub(crate) fn pass<'a>(
        &mut self,
        pattern: &'a StepPattern<C>,
        learnt: bool,
        mut accept: impl FnMut(Entity) -> bool,
    ) -> PatternRun<'a, C> {
        // SAFETY: the next entry starts within the memory of the queue, or at its end.
        let start = unsafe { NonNull::new_unchecked(self.queue.memory.as_ptr().cast_mut().cast::<u8>()).add(self.at) };
        let mut count = 0;
        if let Some(entry) = self.peek().filter(|_| learnt) {
            accept(entry.entity);
            (self.at, self.align, count) = (self.at + pattern.len, pattern.align, 1);
        }
        while self.next_of(pattern).is_some_and(&mut accept) {
            self.at += pattern.len;
            count += 1;
        }
        PatternRun { pattern, start, count }
    }
}

impl<C> StepPattern<C> {
    /// Returns whether the entity is despawned in the end.
    pub(crate) fn despawns(&self) -> bool {
        matches!(self.compiled, Some(CompiledSteps::Despawn))
    }
}
