//! Entries that repeat for one entity after the other.
//!
//! The steps that follow each other for one entity are one change, however many they are. What they come to, and where their
//! parts lie in the arena, is remembered as a *pattern*. As long as the next entries have the same pattern and their
//! entities are in one table, the store carries them out together. If hooks or observers are notified of the change, it is carried out for
//! one entity at a time; its steps are still one change.

use alloc::vec::Vec;
use core::iter::successors;
use core::ptr::{self, NonNull};

use super::arena::{Command, Entry, Header, Running, StepCommand, values_at};
use crate::bundle::{LeafAt, RowWriter, write_leaves};
use crate::entity::Entity;
use crate::graph::Change;
use crate::origin::{Origin, TRACKED};

/// What steps for one entity come to.
#[derive(Clone, Copy)]
pub(crate) enum CompiledSteps {
    /// The entity is despawned in the end.
    Despawn,
    /// Its components change.
    Change(CompiledChange),
}

/// The change of components that steps come to.
#[derive(Clone, Copy)]
pub(crate) struct CompiledChange {
    pub(crate) change: Change,
    /// Whether the change depends on which sparse components an entity has: some steps keep those, and do not add what these require.
    pub(crate) depends_on_sparse: bool,
    /// How often the graph had forgotten plans: the number of the change is good until it forgets them again.
    pub(crate) epoch: u32,
}

/// The steps for one entity that were carried out last, and how they lay: loops over entities record the same for each.
pub(crate) struct Pattern<C: 'static> {
    steps: Vec<PatternStep<C>>,
    /// The leaves of all steps, seen from the first entry.
    pub(crate) leaves: Vec<LeafAt>,
    /// The bytes of all entries.
    pub(crate) len: usize,
    /// The alignment of entries when they were looked at.
    align: usize,
    needs_drop: bool,
    /// Whether the same steps will lie alike from now on.
    repeats: bool,
    pub(crate) compiled: Option<CompiledSteps>,
}

struct PatternStep<C: 'static> {
    command: &'static Command<C>,
    /// Where it was recorded.
    by: Origin,
    /// From the first entry to this one.
    header_at: usize,
    /// From the first entry to the values of this one.
    values_at: usize,
}

impl<C> Default for Pattern<C> {
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

impl<C> Pattern<C> {
    /// Remembers the next entries, so many of them, and what they come to.
    pub(crate) fn set(&mut self, running: &Running<C>, count: usize, compiled: CompiledSteps) {
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
                    self.leaves.push(LeafAt { value: values_at + leaf.value, full: values_at + leaf.full, ..leaf });
                });
            }
            self.len = entry.end - at;
            self.align = entry.align;
        }
        // What lies at the borders of a greater alignment than before lay otherwise than it will the next time.
        self.repeats = self.align == before;
        self.compiled = Some(compiled);
    }

    /// How many steps there are.
    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    /// The steps.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &'static StepCommand<C>> {
        self.steps.iter().filter_map(|step| step.command.as_step())
    }

    /// Whether the steps were not all recorded in one place.
    #[inline]
    pub(crate) fn is_mixed(&self) -> bool {
        TRACKED && self.steps.iter().any(|step| !step.by.is_same(self.steps[0].by))
    }

    /// Where each step was recorded.
    pub(crate) fn origins(&self) -> impl Iterator<Item = Origin> {
        self.steps.iter().map(|step| step.by)
    }

    /// Whether what the steps come to is still known, in a graph that has forgotten its plans so often.
    #[inline]
    pub(crate) fn is_of(&self, epoch: u32) -> bool {
        match self.compiled {
            Some(CompiledSteps::Change(compiled)) => compiled.epoch == epoch,
            Some(CompiledSteps::Despawn) => true,
            None => false,
        }
    }
}

/// Entries that have one pattern, once for each of several entities, and have been passed. Their values are dropped at the
/// end.
pub(crate) struct PatternRun<'a, C: 'static> {
    pub(crate) pattern: &'a Pattern<C>,
    start: NonNull<u8>,
    pub(crate) count: usize,
}

impl<'a, C> PatternRun<'a, C> {
    /// Where the entries of an entity begin.
    #[inline]
    pub(crate) fn start_of(&self, number: usize) -> NonNull<u8> {
        debug_assert!(number < self.count);
        // SAFETY: the entries of all entities lie one behind the other in the memory of the queue.
        unsafe { self.start.add(number * self.pattern.len) }
    }

    /// Writes the parts of all steps for an entity.
    ///
    /// # Safety
    ///
    /// - The plan of the writer consists of these steps. This is called once for each entity.
    #[inline]
    pub(crate) unsafe fn write(&self, number: usize, writer: &mut RowWriter<'_>) {
        // SAFETY: the leaves of the pattern's steps lie where it says, and are full until this is called.
        unsafe { write_leaves(self.start_of(number), &self.pattern.leaves, writer) }
    }
}

impl<C> Drop for PatternRun<'_, C> {
    #[inline]
    fn drop(&mut self) {
        if self.pattern.needs_drop {
            let entities = (0..self.count).map(|number| self.start_of(number));
            let values = entities.flat_map(|start| self.pattern.steps.iter().map(move |step| (start, step)));
            crate::guard::for_each_despite_panics(values, |(start, step)| {
                if let Some(drop) = step.command.drop {
                    // SAFETY: the values have been passed, and each is visited once.
                    unsafe { drop(start.add(step.values_at)) }
                }
            });
        }
    }
}

impl<C> Running<C> {
    /// The entries that are left.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<C>> {
        successors(self.peek(), |entry| self.entry(entry.end, entry.align))
    }

    /// Whose the next entries are, if they repeat a pattern, are all for one entity, and no step for it follows.
    #[inline]
    pub(crate) fn next_of(&self, pattern: &Pattern<C>) -> Option<Entity> {
        let end = self.at + pattern.len;
        if !pattern.repeats || self.align != pattern.align || end > self.queue.len {
            return None;
        }
        // SAFETY: the first entry begins here. Each entry that is the pattern's ends where the pattern says that the next one
        // begins, and all of them together end within the queue. An entry begins at the end, unless that is the queue's.
        unsafe {
            let start = NonNull::new_unchecked(self.queue.memory.as_ptr().cast_mut().cast::<u8>()).add(self.at);
            let entity = start.cast::<Header<C>>().as_ref().entity;
            for step in &pattern.steps {
                let header = start.add(step.header_at).cast::<Header<C>>().as_ref();
                if !ptr::eq(header.command, step.command) || header.entity != entity || !header.by.is_same(step.by) {
                    return None;
                }
            }
            if end < self.queue.len {
                let next = start.add(pattern.len).cast::<Header<C>>().as_ref();
                let same = next.entity == entity && entity != Entity::PLACEHOLDER;
                if same && next.command.as_step().is_some() && !pattern.despawns() {
                    return None;
                }
            }
            Some(entity)
        }
    }

    /// Passes the next entries as long as they have a pattern, and `accept` takes the entity. If the pattern has just been
    /// learnt from the next ones, those are passed in any case.
    #[inline]
    pub(crate) fn pass<'a>(
        &mut self,
        pattern: &'a Pattern<C>,
        learnt: bool,
        mut accept: impl FnMut(Entity) -> bool,
    ) -> PatternRun<'a, C> {
        // SAFETY: the next entry begins within the memory of the queue, or at its end.
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

impl<C> Pattern<C> {
    /// Whether the entity is removed in the end.
    pub(crate) fn despawns(&self) -> bool {
        matches!(self.compiled, Some(CompiledSteps::Despawn))
    }
}
