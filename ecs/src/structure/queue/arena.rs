//! The arena of a queue: consecutive entries, and the functions that record and visit them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::mem::{MaybeUninit, align_of, size_of};
use core::ptr::NonNull;

use crate::entity::Entity;
use crate::structure::bundle::FieldLayout;
use crate::util::origin::Origin;

/// The function pointers and the layout of a command.
pub(crate) struct CommandVTable<C: 'static> {
    size: usize,
    pub(super) align: usize,
    /// Drops the values; `None` if they need no drop.
    pub(super) drop: Option<unsafe fn(NonNull<u8>)>,
    pub(crate) action: CommandAction<C>,
}

/// The operation of a command.
pub(crate) enum CommandAction<C: 'static> {
    /// Runs a function. The values are moved out.
    Run(unsafe fn(NonNull<u8>, &mut C)),
    /// Carries out a step of a change of one entity. The values are the parts of a bundle. They stay in the queue until the step moves them
    /// out; values that it does not move out are dropped afterwards.
    Step(StepCommand<C>),
}

/// The effect of a step on its entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepKind {
    /// Spawns the entity, as its first step, and inserts the parts as `Insert` does.
    Spawn,
    /// Inserts the parts.
    Insert,
    /// Inserts the parts that the entity does not have.
    InsertIfNew,
    /// Removes the components of a bundle.
    Remove,
    /// Removes all components except those of a bundle and those that these require.
    Retain,
    /// Despawns the entity.
    Despawn,
}

/// A step of a change of one entity.
pub(crate) struct StepCommand<C: 'static> {
    pub(crate) kind: StepKind,
    /// Whether the command reports no error if the entity is not alive.
    pub(crate) quiet: bool,
    /// The names of the command and of the bundle, for errors.
    pub(crate) names: fn() -> (&'static str, &'static str),
    /// Returns the number of the bundle.
    pub(crate) register: fn(&mut C) -> u32,
    /// Calls a function with the layout of each leaf of the parts.
    pub(crate) leaves: fn(&mut dyn FnMut(FieldLayout)),
}

impl<C> CommandVTable<C> {
    /// Returns the vtable of a command that runs a closure of type `F`.
    const fn closure<F: FnOnce(&mut C)>() -> Self {
        Self {
            size: size_of::<F>(),
            align: align_of::<F>(),
            drop: drop_fn::<F>(),
            action: CommandAction::Run(run_closure::<C, F>),
        }
    }

    /// Returns the vtable of a step whose values have the type `V`. `needs_drop` is false if the values never need drop.
    pub(crate) const fn step<V>(needs_drop: bool, step: StepCommand<C>) -> Self {
        let align = align_of::<V>();
        // Values whose alignment exceeds `LINE` are stored unaligned, as bytes.
        let (drop, align): (_, usize) = match align > LINE {
            true => (drop_aside_fn::<V>(), LINE),
            false => (drop_fn::<V>(), align),
        };
        let drop = if needs_drop { drop } else { None };
        Self { size: size_of::<V>(), align, drop, action: CommandAction::Step(step) }
    }

    /// Returns the step, if the command is one.
    pub(crate) fn as_step(&self) -> Option<&StepCommand<C>> {
        match &self.action {
            CommandAction::Step(step) => Some(step),
            CommandAction::Run(_) => None,
        }
    }
}

const fn drop_fn<V>() -> Option<unsafe fn(NonNull<u8>)> {
    if const { core::mem::needs_drop::<V>() } { Some(drop_values::<V>) } else { None }
}

/// # Safety
///
/// - The address holds a `V`, which is not used afterwards.
unsafe fn drop_values<V>(values: NonNull<u8>) {
    // SAFETY: forwarded: the address holds a `V`, which is dropped once.
    unsafe { values.cast::<V>().drop_in_place() }
}

const fn drop_aside_fn<V>() -> Option<unsafe fn(NonNull<u8>)> {
    if const { core::mem::needs_drop::<V>() } { Some(drop_aside::<V>) } else { None }
}

/// Drops values that are stored unaligned.
///
/// # Safety
///
/// - The address holds the bytes of a `V`, which are not used afterwards.
unsafe fn drop_aside<V>(values: NonNull<u8>) {
    let mut aside = Box::<V>::new_uninit();
    // SAFETY: the box is aligned and has room for the bytes of a `V`, which are moved there.
    unsafe {
        values.copy_to_nonoverlapping(NonNull::from(&mut *aside).cast(), size_of::<V>());
        drop(aside.assume_init());
    }
}

/// # Safety
///
/// - The address holds an `F`, which is not used afterwards.
unsafe fn run_closure<C, F: FnOnce(&mut C)>(values: NonNull<u8>, context: &mut C) {
    // SAFETY: forwarded: the address holds an `F`, which is moved out once.
    unsafe { values.cast::<F>().read()(context) }
}

/// The header in front of the values of each entry.
#[repr(C)]
pub(super) struct EntryHeader<C: 'static> {
    pub(super) command: &'static CommandVTable<C>,
    /// The entity of a step. [`Entity::PLACEHOLDER`] for other commands, and for spawns whose id has not been requested.
    pub(super) entity: Entity,
    /// The code that recorded the command.
    pub(super) by: Origin,
}

/// The unit in which a queue allocates memory. Its alignment suffices for all values in a queue. It is a cell, because the entity of a
/// header may be set through a shared reference.
#[repr(C, align(64))]
pub(super) struct QueueLine(UnsafeCell<MaybeUninit<[u8; LINE]>>);

// SAFETY: only `Queue::name` writes through a shared reference, and its caller guarantees that no other code has access.
unsafe impl Sync for QueueLine {}

/// The maximum alignment of values in a queue.
pub(crate) const LINE: usize = 64;

/// Commands for a `C`, in order. Dropping the queue drops their values.
pub(crate) struct Queue<C: 'static> {
    /// The memory of the entries. The length of the vector is zero: only its capacity is used.
    pub(super) memory: Vec<QueueLine>,
    /// The number of bytes in use.
    pub(crate) len: usize,
    /// The maximum alignment of the values so far. Entries end at a multiple of it, so that repeated entries soon have the same layout.
    align: usize,
    /// The origin of the commands that are recorded.
    by: Origin,
    marker: core::marker::PhantomData<fn(&mut C)>,
}

impl<C> Default for Queue<C> {
    fn default() -> Self {
        Self { memory: Vec::new(), len: 0, align: ENTRY, by: Origin::UNKNOWN, marker: core::marker::PhantomData }
    }
}

const fn align_up(offset: usize, align: usize) -> usize {
    (offset + align - 1) & !(align - 1)
}

/// Returns the offset of the values of an entry at offset `at`.
pub(super) const fn values_at<C: 'static>(at: usize, align: usize) -> usize {
    align_up(at + size_of::<EntryHeader<C>>(), align)
}

/// The minimum alignment of an entry, which is the alignment of its header.
const ENTRY: usize = align_of::<EntryHeader<()>>();

impl<C> Queue<C> {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Sets the origin of the commands that are recorded from now on.
    #[inline]
    pub(crate) fn record_as(&mut self, by: Origin) {
        self.by = by;
    }

    /// Adds a command that runs a closure, at the end.
    #[inline]
    pub(crate) fn push<F: FnOnce(&mut C) + Send + 'static>(&mut self, operation: F) {
        if const { align_of::<F>() > LINE } {
            // The closure is boxed, since a queue aligns values to at most `LINE` bytes.
            let operation = Box::new(operation);
            self.push_here(move |context: &mut C| operation(context));
        } else {
            self.push_here(operation);
        }
    }

    #[inline]
    fn push_here<F: FnOnce(&mut C) + Send + 'static>(&mut self, operation: F) {
        // SAFETY: the values of the command are an `F`, and one is written. It may be sent to another thread.
        unsafe {
            self.push_with(const { &CommandVTable::closure::<F>() }, Entity::PLACEHOLDER, |values| {
                values.cast::<F>().write(operation);
            });
        }
    }

    /// Adds a command for an entity. `write` writes the values of the command.
    ///
    /// # Safety
    ///
    /// - `write` writes the values of the command to the address that it gets, or their bytes if their type has an alignment of more than a
    ///   line. The values may be sent to another thread. If `write` panics, nothing is recorded.
    #[inline]
    pub(crate) unsafe fn push_with(
        &mut self,
        command: &'static CommandVTable<C>,
        entity: Entity,
        write: impl FnOnce(NonNull<u8>),
    ) {
        debug_assert!(command.align <= LINE);
        let values = values_at::<C>(self.len, command.align);
        let align = self.align.max(command.align);
        let end = align_up(values + command.size, align);
        if end > self.memory.capacity() * LINE {
            self.grow(end);
        }
        // SAFETY: the memory extends to `end`, and is aligned to a line. `self.len` is a multiple of `ENTRY`, so the header is aligned, and
        // `values_at` aligns the values as the command requires, to at most a line.
        unsafe {
            let start = NonNull::new_unchecked(self.memory.as_mut_ptr().cast::<u8>());
            start.add(self.len).cast::<EntryHeader<C>>().write(EntryHeader { command, entity, by: self.by });
            write(start.add(values));
        }
        // The length is updated last: if `write` panics, nothing has been recorded.
        (self.len, self.align) = (end, align);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: usize) {
        let lines = end.div_ceil(LINE).max(self.memory.capacity() * 2).max(4);
        // The bytes in use must be preserved, so they temporarily count as elements of the vector.
        let used = self.len.div_ceil(LINE);
        // SAFETY: a line is valid with any bytes, and the memory extends to `used` lines.
        unsafe { self.memory.set_len(used) };
        self.memory.reserve_exact(lines - used);
        self.memory.clear();
    }

    /// Sets the entity of a step that was recorded for [`Entity::PLACEHOLDER`].
    ///
    /// # Safety
    ///
    /// - An entry of this queue begins at `at`.
    /// - No other code has access to the queue at this time.
    pub(crate) unsafe fn name(&self, at: usize, entity: Entity) {
        debug_assert!(at < self.len);
        // SAFETY: a header is at this offset; it is in cells, and no other code accesses it at this time.
        unsafe {
            let header = self.memory.as_ptr().cast_mut().cast::<u8>().add(at).cast::<EntryHeader<C>>();
            (&raw mut (*header).entity).write(entity);
        }
    }

    /// Moves all commands of another queue to the end of this queue.
    pub(crate) fn append(&mut self, other: &mut Self) {
        let mut running = other.start();
        running.move_to(self);
        running.finish(other);
    }

    /// Takes the commands out of the queue, to apply them. The queue is empty afterwards and can record other commands.
    pub(crate) fn start(&mut self) -> RunningQueue<C> {
        RunningQueue { queue: core::mem::take(self), at: 0, align: ENTRY }
    }

    /// Takes over the memory of another, empty queue, if this queue has no memory and the other memory is small.
    #[inline]
    pub(crate) fn reuse(&mut self, other: &mut Self) {
        /// The maximum number of lines that are taken over.
        const MOST: usize = 64;
        if self.memory.capacity() == 0 && other.is_empty() && other.memory.capacity() <= MOST {
            self.memory = core::mem::take(&mut other.memory);
        }
    }

    /// Frees spare memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        if self.is_empty() {
            self.memory = Vec::new();
        }
    }

    /// Returns the bytes that the queue has allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.memory.capacity() * LINE
    }
}

impl<C> Drop for Queue<C> {
    fn drop(&mut self) {
        if self.len != 0 {
            drop(self.start());
        }
    }
}

/// One entry of a queue.
pub(crate) struct QueueEntry<C: 'static> {
    pub(crate) command: &'static CommandVTable<C>,
    pub(crate) entity: Entity,
    /// The code that recorded the command.
    pub(crate) by: Origin,
    pub(crate) values: NonNull<u8>,
    pub(super) end: usize,
    /// The maximum alignment of the values up to this entry.
    pub(super) align: usize,
}

impl_copy! { [C] QueueEntry<C>; }

impl<C> QueueEntry<C> {
    /// Returns the step, if the entry is one.
    #[inline]
    pub(crate) fn step(&self) -> Option<&'static StepCommand<C>> {
        self.command.as_step()
    }

    /// Drops the values.
    ///
    /// # Safety
    ///
    /// - The values have not been moved out and are not used afterwards; the entry has been passed.
    #[inline]
    pub(crate) unsafe fn drop_values(&self) {
        if let Some(drop) = self.command.drop {
            // SAFETY: forwarded: the values are there, and are dropped once.
            unsafe { drop(self.values) }
        }
    }
}

/// A queue whose commands are being applied. Dropping it drops the values of the remaining commands.
pub(crate) struct RunningQueue<C: 'static> {
    pub(super) queue: Queue<C>,
    /// The offset of the next entry. It advances before an entry is applied, so that its values are consumed once even if something panics.
    pub(super) at: usize,
    /// The maximum alignment of the values of entries that have been passed.
    pub(super) align: usize,
}

impl<C> RunningQueue<C> {
    /// Returns the next entry.
    #[inline]
    pub(crate) fn peek(&self) -> Option<QueueEntry<C>> {
        self.entry(self.at, self.align)
    }

    #[inline]
    pub(super) fn entry(&self, at: usize, align: usize) -> Option<QueueEntry<C>> {
        if at >= self.queue.len {
            return None;
        }
        // SAFETY: entries are consecutive, and an entry starts at `at`.
        unsafe {
            let start = NonNull::new_unchecked(self.queue.memory.as_ptr().cast_mut().cast::<u8>());
            let header = start.add(at).cast::<EntryHeader<C>>().as_ref();
            let values = values_at::<C>(at, header.command.align);
            let align = align.max(header.command.align);
            let end = align_up(values + header.command.size, align);
            let EntryHeader { command, entity, by } = *header;
            Some(QueueEntry { command, entity, by, values: start.add(values), end, align })
        }
    }

    /// Passes the next entry. Its values belong to the caller from then on.
    #[inline]
    pub(crate) fn advance(&mut self, entry: &QueueEntry<C>) {
        debug_assert!(entry.end > self.at);
        (self.at, self.align) = (entry.end, entry.align);
    }

    /// Passes the next entry, and runs its closure.
    pub(crate) fn run_closure(&mut self, entry: &QueueEntry<C>, context: &mut C) {
        self.advance(entry);
        match &entry.command.action {
            // SAFETY: the values are there, and the entry has been passed, so they are not used again.
            CommandAction::Run(run) => unsafe { run(entry.values, context) },
            CommandAction::Step(_) => unreachable!("steps are carried out by the store"),
        }
    }

    /// Moves the remaining entries to the end of a queue.
    fn move_to(&mut self, queue: &mut Queue<C>) {
        while let Some(entry) = self.peek() {
            let size = entry.command.size;
            queue.by = entry.by;
            // SAFETY: the values are copied to a place for the same command, and belong to the new entry from then on.
            unsafe {
                queue.push_with(entry.command, entry.entity, |values| {
                    values.copy_from_nonoverlapping(entry.values, size)
                });
            }
            self.advance(&entry);
        }
    }

    /// Returns the remaining entries as a queue.
    #[cold]
    pub(crate) fn into_rest(mut self) -> Queue<C> {
        let mut rest = Queue::default();
        self.move_to(&mut rest);
        rest
    }

    /// Returns the memory to the original queue, unless that queue has allocated other memory in the meantime.
    pub(crate) fn finish(mut self, queue: &mut Queue<C>) {
        debug_assert!(self.at >= self.queue.len);
        self.queue.len = 0;
        if queue.memory.capacity() == 0 {
            queue.memory = core::mem::take(&mut self.queue.memory);
        }
    }
}

impl<C> Drop for RunningQueue<C> {
    fn drop(&mut self) {
        // The guard empties the queue even if the `Drop` of a value panics.
        let mut running = crate::util::guard::OnDrop::new(self, |running| running.queue.len = 0);
        let rest = core::iter::from_fn(|| {
            let entry = running.peek()?;
            running.advance(&entry);
            Some(entry)
        });
        // SAFETY: each entry has been passed, and is visited once.
        crate::util::guard::for_each_despite_panics(rest, |entry| unsafe { entry.drop_values() });
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::Queue;
    use alloc::{boxed::Box, rc::Rc, string::String, sync::Arc, vec::Vec};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    impl<C> Queue<C> {
        fn run(&mut self, context: &mut C) {
            let mut running = self.start();
            while let Some(entry) = running.peek() {
                running.run_closure(&entry, context);
            }
            running.finish(self);
        }
    }

    #[test]
    fn operations_run_in_order_and_own_their_values() {
        let mut queue = Queue::<Vec<String>>::default();
        for number in 0..100u8 {
            let text = alloc::format!("{number}");
            queue.push(move |seen: &mut Vec<String>| seen.push(text));
            queue.push(move |seen: &mut Vec<String>| assert_eq!(seen.len(), number as usize + 1));
        }
        let mut seen = Vec::new();
        queue.run(&mut seen);
        assert_eq!((seen.len(), queue.is_empty()), (100, true));
    }

    #[test]
    fn what_is_not_run_is_dropped_once() {
        let value = Arc::new(());
        let mut queue = Queue::<Rc<()>>::default();
        for number in 0..4 {
            let value = value.clone();
            queue.push(move |_: &mut Rc<()>| assert!(number != 1, "{value:?}"));
        }
        let run = catch_unwind(AssertUnwindSafe(|| queue.run(&mut Rc::new(()))));
        assert!(run.is_err());
        assert_eq!(Arc::strong_count(&value), 1);
        let boxed = (value.clone(), Box::new(7));
        queue.push(move |_: &mut Rc<()>| drop(boxed));
        drop(queue);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn values_lie_where_they_want_to_be() {
        #[repr(align(64))]
        struct QueueLine(u8);
        #[repr(align(4096))]
        struct Page(u8);

        fn check<T>(value: &T) -> usize {
            core::ptr::from_ref(value).addr() % align_of::<T>()
        }

        let mut queues = [Queue::<Vec<usize>>::default(), Queue::default()];
        for number in 0..50u8 {
            let (line, page, byte) = (QueueLine(number), Page(number), number);
            let queue = &mut queues[usize::from(number) % 2];
            queue.push(move |seen: &mut Vec<usize>| seen.push(usize::from(byte)));
            queue.push(move |seen: &mut Vec<usize>| seen.push(usize::from(line.0) + check(&line)));
            queue.push(move |seen: &mut Vec<usize>| seen.push(usize::from(page.0) + check(&page)));
        }
        let [mut first, mut second] = queues;
        first.append(&mut second);
        assert!(second.is_empty());
        let mut seen = Vec::new();
        first.run(&mut seen);
        let order = (0..50).step_by(2).chain((1..50).step_by(2));
        assert_eq!(seen, order.flat_map(|number| [number; 3]).collect::<Vec<_>>());
    }
}
