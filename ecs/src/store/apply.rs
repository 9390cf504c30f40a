//! Carrying out recorded commands.
//!
//! The steps that follow each other for one entity are one change: the entity moves once, to the table where the last of
//! them leads, and the tables in between are never made. Steps of one kind for one entity each, as a loop over entities
//! records them, are carried out in a run that looks things up once. The outcome is the same as one by one, in the order
//! of recording; so are the errors.

use core::any::type_name;
use core::iter::successors;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use super::Store;
use crate::bundle::{Bundle, BundleParts, Moved, Sink, give, scatter_into, with_parts};
use crate::entity::{Entity, EntityError};
use crate::graph::{Change, Step};
use crate::guard::for_each_despite_panics;
use crate::queue::{Command, Entry, Meaning, Queue, Running, StepCommand, StepKind};

/// The commands of a bundle.
struct Steps<B, const QUIET: bool>(PhantomData<B>);

impl<B: Bundle, const QUIET: bool> Steps<B, QUIET> {
    const SPAWN: Command<Store> = Self::with_parts(StepKind::Spawn, || ("spawn", type_name::<B>()), run_spawns::<B>);
    const INSERT: Command<Store> =
        Self::with_parts(StepKind::Insert, || ("insert", type_name::<B>()), run_inserts::<B>);
    const INSERT_IF_NEW: Command<Store> =
        Self::with_parts(StepKind::InsertIfNew, || ("insert_if_new", type_name::<B>()), run_alone);
    const REMOVE: Command<Store> = Command::step::<()>(StepCommand {
        kind: StepKind::Remove,
        quiet: QUIET,
        names: || ("remove", type_name::<B>()),
        register: Store::register_bundle::<B>,
        put: put_nothing,
        has_sparse: B::Parts::HAS_SPARSE,
        run: run_alone,
    });
    const DESPAWN: Command<Store> = Command::step::<()>(StepCommand {
        kind: StepKind::Despawn,
        quiet: QUIET,
        names: || ("despawn", ""),
        register: |_| 0,
        put: put_nothing,
        has_sparse: false,
        run: run_despawns,
    });

    const fn with_parts(
        kind: StepKind,
        names: fn() -> (&'static str, &'static str),
        run: fn(&mut Store, &mut Running<Store>),
    ) -> Command<Store> {
        Command::step::<B::Parts>(StepCommand {
            kind,
            quiet: QUIET,
            names,
            register: Store::register_bundle::<B>,
            put: put_parts::<B::Parts>,
            has_sparse: B::Parts::HAS_SPARSE,
            run,
        })
    }
}

/// # Safety
///
/// - There are parts at the address; the rest as for [`BundleParts::put`].
unsafe fn put_parts<P: BundleParts>(parts: NonNull<u8>, sink: &mut Sink<'_>) {
    // SAFETY: the caller's promise.
    unsafe { parts.cast::<P>().as_mut().put(sink) }
}

/// # Safety
///
/// - None: nothing is done.
unsafe fn put_nothing(_: NonNull<u8>, _: &mut Sink<'_>) {}

/// Records the addition of a bundle to an entity.
#[inline]
pub(crate) fn record_insert<B: Bundle>(
    queue: &mut Queue<Store>,
    kind: StepKind,
    quiet: bool,
    entity: Entity,
    bundle: Moved<'_, B>,
) {
    let command = match (kind, quiet) {
        (StepKind::Spawn, _) => const { &Steps::<B, false>::SPAWN },
        (StepKind::InsertIfNew, false) => const { &Steps::<B, false>::INSERT_IF_NEW },
        (StepKind::InsertIfNew, true) => const { &Steps::<B, true>::INSERT_IF_NEW },
        (_, false) => const { &Steps::<B, false>::INSERT },
        (_, true) => const { &Steps::<B, true>::INSERT },
    };
    if align_of::<B::Parts>() > 64 {
        return record_large(queue, command, entity, bundle);
    }
    // SAFETY: the values of these commands are parts, which may be sent like the bundle; their alignment has been checked.
    unsafe { queue.push_with(command, entity, |values| scatter_into(bundle, values.cast())) }
}

/// As `record_insert`, for a bundle that wants to lie where a queue cannot put it: not part of a change of several steps.
fn record_large<B: Bundle>(
    queue: &mut Queue<Store>,
    command: &'static Command<Store>,
    entity: Entity,
    bundle: Moved<'_, B>,
) {
    let bundle = alloc::boxed::Box::new(bundle.into_inner());
    queue.push(move |store: &mut Store| {
        let Some(step) = command.as_step() else { return };
        give(*bundle, |bundle| {
            with_parts(bundle, |parts| {
                // SAFETY: the parts are those of the only step.
                unsafe { store.apply_step(step, entity, |sink| parts.put(sink)) }
            });
        });
    });
}

/// Records the removal of a bundle's components.
#[inline]
pub(crate) fn record_remove<B: Bundle>(queue: &mut Queue<Store>, quiet: bool, entity: Entity) {
    let command = if quiet { const { &Steps::<B, true>::REMOVE } } else { const { &Steps::<B, false>::REMOVE } };
    // SAFETY: the command has no values.
    unsafe { queue.push_with(command, entity, |_| {}) }
}

/// Records the removal of an entity.
#[inline]
pub(crate) fn record_despawn(queue: &mut Queue<Store>, quiet: bool, entity: Entity) {
    let command = if quiet { const { &Steps::<(), true>::DESPAWN } } else { const { &Steps::<(), false>::DESPAWN } };
    // SAFETY: the command has no values.
    unsafe { queue.push_with(command, entity, |_| {}) }
}

/// Carries out steps for one entity each that are all the same command.
///
/// # Safety
///
/// - `each` may be called with an entry whose command is that of the first one. The entry has been passed.
#[inline]
unsafe fn run_singles(
    store: &mut Store,
    running: &mut Running<Store>,
    mut each: impl FnMut(&mut Store, &Entry<Store>),
) {
    let Some(mut entry) = running.peek() else { return };
    loop {
        let next = running.behind(&entry);
        running.advance(&entry);
        each(store, &entry);
        // An entity with another step behind this one is for `run_queue`, once its turn comes.
        match next {
            Some(next) if ptr::eq(next.command, entry.command) && !is_followed(running, &next) => entry = next,
            _ => return,
        }
    }
}

/// Whether the entry behind this one is a step for the same entity.
#[inline]
fn is_followed(running: &Running<Store>, entry: &Entry<Store>) -> bool {
    running.behind(entry).is_some_and(|behind| behind.continues(entry))
}

/// Drops the values of an entry at the end.
struct DropValues<'a>(&'a Entry<Store>);

impl Drop for DropValues<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: made for entries that have been passed, and once for each.
        unsafe { self.0.drop_values() }
    }
}

fn run_inserts<B: Bundle>(store: &mut Store, running: &mut Running<Store>) {
    let change = Change::of(Step::Insert(store.register_bundle::<B>()));
    // SAFETY: the command of the first entry is one whose values are these parts, since this function belongs to it.
    unsafe {
        run_singles(store, running, |store, entry| {
            let _values = DropValues(entry);
            let mut parts = entry.values.cast::<B::Parts>();
            match store.entities.get(entry.entity) {
                Some(location) => {
                    let put = |sink: &mut Sink<'_>| parts.as_mut().put(sink);
                    let done = store.carry_out(change, entry.entity, location, B::Parts::HAS_SPARSE, put);
                    done.map_or_else(|error| error.raise(), |_| ());
                }
                None => store.apply_alone(entry, |sink| parts.as_mut().put(sink)),
            }
        });
    }
}

fn run_spawns<B: Bundle>(store: &mut Store, running: &mut Running<Store>) {
    let change = Change::of(Step::Insert(store.register_bundle::<B>()));
    // SAFETY: the command of the first entry is one whose values are these parts, since this function belongs to it.
    unsafe {
        run_singles(store, running, |store, entry| {
            let _values = DropValues(entry);
            let mut parts = entry.values.cast::<B::Parts>();
            let put = |sink: &mut Sink<'_>| parts.as_mut().put(sink);
            if store.entities.is_pending(entry.entity) {
                let spawned = store.spawn_with(change, Some(entry.entity), B::Parts::HAS_SPARSE, put);
                spawned.map_or_else(|error| error.raise(), |_| ());
            } else {
                store.apply_alone(entry, put);
            }
        });
    }
}

fn run_despawns(store: &mut Store, running: &mut Running<Store>) {
    // SAFETY: the entries have no values.
    unsafe {
        run_singles(store, running, |store, entry| {
            store.place_if_pending(entry.entity);
            if let (Err(error), Some(step)) = (store.despawn(entry.entity), entry.step()) {
                store.report(step, error);
            }
        });
    }
}

/// Carries out one entry by itself.
fn run_alone(store: &mut Store, running: &mut Running<Store>) {
    if let Some(entry) = running.peek() {
        store.apply_group(running, entry, 1);
    }
}

/// Steps for one entity that follow each other and have been passed. Their values are dropped at the end.
struct Group<'a> {
    running: &'a Running<Store>,
    first: Entry<Store>,
    count: usize,
}

impl Group<'_> {
    fn steps(&self) -> impl Iterator<Item = (Entry<Store>, &'static StepCommand<Store>)> {
        self.entries().filter_map(|entry| Some((entry, entry.step()?)))
    }

    fn entries(&self) -> impl Iterator<Item = Entry<Store>> {
        successors(Some(self.first), |entry| self.running.behind(entry)).take(self.count)
    }

    /// # Safety
    ///
    /// - As for [`BundleParts::put`], for a plan that consists of these steps.
    unsafe fn put(&self, sink: &mut Sink<'_>) {
        for (entry, step) in self.steps() {
            // SAFETY: the values are those of the step's command; the rest is the caller's promise.
            unsafe { (step.put)(entry.values, sink) }
        }
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        // SAFETY: the entries have been passed, and each is visited once.
        for_each_despite_panics(self.entries(), |entry| unsafe { entry.drop_values() });
    }
}

impl Store {
    /// Carries out all commands of a queue.
    pub(crate) fn run_queue(&mut self, queue: &mut Queue<Self>) {
        let mut running = queue.start();
        while let Some(entry) = running.peek() {
            let Some(step) = entry.step() else {
                running.run_closure(&entry, self);
                continue;
            };
            if is_followed(&running, &entry) {
                let count = group_len(&running, entry);
                self.apply_group(&mut running, entry, count);
            } else {
                (step.run)(self, &mut running);
            }
        }
        running.finish(queue);
    }

    /// Carries out so many steps for one entity, the next ones, as one change.
    fn apply_group(&mut self, running: &mut Running<Self>, first: Entry<Self>, count: usize) {
        let mut last = first;
        for _ in 1..count {
            last = running.behind(&last).unwrap_or(last);
        }
        running.advance(&last);
        let group = Group { running, first, count };
        let entity = first.entity;
        if last.step().is_some_and(|step| step.kind == StepKind::Despawn) {
            self.place_if_pending(entity);
            if let Err(error) = self.despawn(entity) {
                group.steps().for_each(|(_, step)| self.report(step, error));
            }
            return;
        }
        let Meaning { change, has_sparse, removes } = self.meaning(&group);
        // SAFETY: the group consists of the steps of the change.
        unsafe {
            match self.apply_change(change, entity, has_sparse, removes, |sink| group.put(sink)) {
                Ok(()) => {}
                Err(error) => group.steps().for_each(|(_, step)| self.report(step, error)),
            }
        }
    }

    /// The change that the steps of a group are.
    fn meaning(&mut self, group: &Group<'_>) -> Meaning {
        let commands = || group.entries().map(|entry| entry.command);
        if let Some(meaning) = self.last_group.get(commands()) {
            return meaning;
        }
        let mut change = None;
        let (mut has_sparse, mut removes) = (false, false);
        for (_, step) in group.steps() {
            let next = self.step_of(step);
            has_sparse |= step.has_sparse;
            removes |= step.kind == StepKind::Remove;
            change = Some(match change {
                None => Change::of(next),
                Some(change) => self.graph.then(change, next),
            });
        }
        let Some(change) = change else { unreachable!("a group has a step") };
        let meaning = Meaning { change, has_sparse, removes };
        self.last_group.set(commands(), meaning);
        meaning
    }

    fn step_of(&mut self, step: &StepCommand<Self>) -> Step {
        let number = (step.register)(self);
        match step.kind {
            StepKind::Spawn | StepKind::Insert => Step::Insert(number),
            StepKind::InsertIfNew => Step::InsertIfNew(number),
            StepKind::Remove => Step::Remove(number),
            StepKind::Despawn => unreachable!("despawning is no change of shape"),
        }
    }

    /// As `apply_step`, for the step of an entry.
    ///
    /// # Safety
    ///
    /// - As for `apply_step`.
    #[cold]
    unsafe fn apply_alone(&mut self, entry: &Entry<Self>, put: impl FnOnce(&mut Sink<'_>)) {
        if let Some(step) = entry.step() {
            // SAFETY: the caller's promise.
            unsafe { self.apply_step(step, entry.entity, put) }
        }
    }

    /// Carries out one step that adds something.
    ///
    /// # Safety
    ///
    /// - `put` puts every component of the step's bundle, in order, and does nothing else.
    unsafe fn apply_step(&mut self, step: &StepCommand<Self>, entity: Entity, put: impl FnOnce(&mut Sink<'_>)) {
        let change = Change::of(self.step_of(step));
        // SAFETY: the caller's promise.
        if let Err(error) = unsafe { self.apply_change(change, entity, step.has_sparse, false, put) } {
            self.report(step, error);
        }
    }

    /// Carries out a change of an entity that is alive or pending.
    ///
    /// # Errors
    ///
    /// If it is neither.
    ///
    /// # Safety
    ///
    /// - As for [`Store::carry_out`]; `removes` is true if something may be left behind.
    unsafe fn apply_change(
        &mut self,
        change: Change,
        entity: Entity,
        has_sparse: bool,
        removes: bool,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Result<(), EntityError> {
        // SAFETY: the caller's promise.
        unsafe {
            let Some(location) = self.entities.get(entity) else {
                if !self.entities.is_pending(entity) {
                    return Err(self.entities.why_not(entity));
                }
                let spawned = self.spawn_with(change, Some(entity), has_sparse, put);
                return spawned.map_or_else(|error| error.raise(), |_| Ok(()));
            };
            if let Err(error) = self.carry_out(change, entity, location, has_sparse, put) {
                error.raise();
            }
            if removes {
                self.drop_left(location.table, change);
            }
        }
        Ok(())
    }

    fn report(&mut self, step: &StepCommand<Self>, error: EntityError) {
        if !step.quiet {
            let (command, bundle) = (step.names)();
            self.command_errors.report(command, bundle, error);
        }
    }
}

/// How many steps for one entity follow each other from this entry on. A despawn is the last.
fn group_len(running: &Running<Store>, first: Entry<Store>) -> usize {
    let mut count = 1;
    let mut last = first;
    while last.step().is_some_and(|step| step.kind != StepKind::Despawn) {
        match running.behind(&last) {
            Some(next) if next.continues(&last) => last = next,
            _ => break,
        }
        count += 1;
    }
    count
}
