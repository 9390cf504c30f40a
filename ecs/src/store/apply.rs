//! Carrying out recorded commands.
//!
//! The steps that follow each other for one entity are one change: the entity moves once, to the table where the last of
//! them leads, and the tables in between are never made. If the same steps follow for other entities of its table, as a
//! loop over entities records them, they are carried out together: the rows move as blocks, and new values are copied
//! column by column. The outcome is the same as one by one, in the order of recording; so are the errors. Only in which
//! row of its table an entity ends up is another matter.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;

use super::Store;
use super::bulk::Batch;
use crate::bundle::{Bundle, BundleParts, Moved, Sink, give, scatter_into, with_parts};
use crate::entity::{Entity, EntityError, TableId};
use crate::graph::{Change, Step};
use crate::queue::{Command, LINE, Meaning, Queue, Running, Shape, ShapedRun, StepCommand, StepKind};

/// The commands of a bundle.
struct Steps<B, const QUIET: bool>(PhantomData<B>);

impl<B: Bundle, const QUIET: bool> Steps<B, QUIET> {
    const SPAWN: Command<Store> = Self::with_parts(StepKind::Spawn, || ("spawn", type_name::<B>()));
    const INSERT: Command<Store> = Self::with_parts(StepKind::Insert, || ("insert", type_name::<B>()));
    const INSERT_IF_NEW: Command<Store> =
        Self::with_parts(StepKind::InsertIfNew, || ("insert_if_new", type_name::<B>()));
    const REMOVE: Command<Store> = Command::step::<()>(
        false,
        StepCommand {
            kind: StepKind::Remove,
            quiet: QUIET,
            names: || ("remove", type_name::<B>()),
            register: Store::register_bundle::<B>,
            leaves: |_| {},
            has_sparse: B::Parts::HAS_SPARSE,
        },
    );
    const DESPAWN: Command<Store> = Command::step::<()>(
        false,
        StepCommand {
            kind: StepKind::Despawn,
            quiet: QUIET,
            names: || ("despawn", ""),
            register: |_| 0,
            leaves: |_| {},
            has_sparse: false,
        },
    );

    const fn with_parts(kind: StepKind, names: fn() -> (&'static str, &'static str)) -> Command<Store> {
        Command::step::<B::Parts>(
            B::Parts::NEEDS_DROP,
            StepCommand {
                kind,
                quiet: QUIET,
                names,
                register: Store::register_bundle::<B>,
                leaves: |each| B::Parts::leaves(0, each),
                has_sparse: B::Parts::HAS_SPARSE,
            },
        )
    }
}

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
    if !lies_in_queues::<B>() {
        return record_large(queue, command, entity, bundle);
    }
    // SAFETY: the values of these commands are parts, which may be sent like the bundle; their alignment has been checked.
    unsafe { queue.push_with(command, entity, |values| scatter_into(bundle, values.cast())) }
}

/// Whether the parts of a bundle can lie in a queue. If not, its commands have no step that says whose they are.
pub(crate) const fn lies_in_queues<B: Bundle>() -> bool {
    align_of::<B::Parts>() <= LINE
}

/// As `record_insert`, for a bundle that wants to lie where a queue cannot put it: not part of a change of several steps.
fn record_large<B: Bundle>(
    queue: &mut Queue<Store>,
    command: &'static Command<Store>,
    entity: Entity,
    bundle: Moved<'_, B>,
) {
    let bundle = Box::new(bundle.into_inner());
    queue.push(move |store: &mut Store| {
        let Some(step) = command.as_step() else { return };
        give(*bundle, |bundle| {
            with_parts(bundle, |parts| {
                let spawns = step.kind == StepKind::Spawn;
                let change = Some(Change::of(store.step_of(step)));
                let meaning = Meaning { change, has_sparse: step.has_sparse };
                // SAFETY: the parts are those of the only step.
                if let Err(error) = unsafe { store.apply_one(entity, spawns, meaning, |sink| parts.put(sink)) } {
                    store.report(step, error);
                }
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

/// From how many entities on steps are carried out together.
const TOGETHER: usize = 8;
/// How many at most: what is noted of them should stay in a cache.
const AT_ONCE: usize = 1 << 14;
/// How many steps for one entity are one change at most. More would make plans that are large and rarely used.
const STEPS: usize = 32;
/// How many sequences of steps are remembered at most.
const SEQUENCES: usize = 1 << 12;

/// Where entities are before a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Alive, in this table.
    Table(TableId),
    /// Nowhere yet: the id is reserved.
    Pending,
    /// Nowhere yet: nobody has asked for the id of this spawn.
    New,
}

impl Store {
    /// Carries out all commands of a queue.
    pub(crate) fn run_queue(&mut self, queue: &mut Queue<Self>) {
        let mut running = queue.start();
        let mut shape = core::mem::take(&mut self.last_shape);
        let mut entities = Vec::new();
        while let Some(entry) = running.peek() {
            if entry.step().is_none() {
                // It may do anything, also make the world forget what changes the numbers of this shape stand for.
                self.last_shape = shape;
                self.commands_applied += 1;
                self.entities.act(entry.by);
                running.run_closure(&entry, self);
                shape = core::mem::take(&mut self.last_shape);
                continue;
            }
            let learn = running.next_of(&shape).is_none();
            if learn {
                self.learn(&mut shape, &running);
            }
            self.apply_next(&mut running, &shape, learn, &mut entities);
        }
        running.finish(queue);
        self.last_shape = shape;
    }

    /// Looks at the next steps for one entity, and what they come to.
    fn learn(&mut self, shape: &mut Shape<Self>, running: &Running<Self>) {
        if self.graph.sequences() > SEQUENCES {
            self.graph.clear();
        }
        let mut change = None;
        let mut meaning = Meaning { change: None, has_sparse: false };
        let mut count = 0;
        let mut last = None;
        for entry in running.entries() {
            let same = last.is_none_or(|last| last == entry.entity && last != Entity::PLACEHOLDER);
            let Some(step) = entry.step().filter(|_| same && count < STEPS) else { break };
            (last, count) = (Some(entry.entity), count + 1);
            if step.kind == StepKind::Despawn {
                return shape.set(running, count, Meaning { change: None, ..meaning });
            }
            let next = self.step_of(step);
            meaning.has_sparse |= step.has_sparse;
            change = Some(change.map_or_else(|| Change::of(next), |change| self.graph.then(change, next)));
        }
        shape.set(running, count, Meaning { change, ..meaning });
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

    /// Carries out the next steps, which have this shape, for as many entities as are in the same place.
    fn apply_next(
        &mut self,
        running: &mut Running<Self>,
        shape: &Shape<Self>,
        learnt: bool,
        entities: &mut Vec<Entity>,
    ) {
        entities.clear();
        let spawns = shape.steps().next().is_some_and(|step| step.kind == StepKind::Spawn);
        let mut place = None;
        let run = running.pass(shape, learnt, |entity| {
            let here = self.place_of(entity, spawns);
            let first = *place.get_or_insert(here);
            let together = entities.is_empty() || (first == here && here.is_some() && entities.len() < AT_ONCE);
            if together {
                entities.push(entity);
            }
            together
        });
        let Some(meaning) = shape.meaning else { return };
        self.commands_applied += (run.count * shape.count()) as u64;
        self.act_for(shape, meaning);
        // What one step has brought is told from what another has.
        let is_mixed = shape.is_mixed();
        if let Some(Some(place)) = place
            && run.count >= TOGETHER
            && !is_mixed
            && self.apply_together(&run, entities, place, meaning)
        {
            return;
        }
        for (number, &entity) in entities.iter().enumerate() {
            let credits = if is_mixed { self.credits(entity, shape) } else { Vec::new() };
            // SAFETY: the steps of the shape are those of the change; each entity's parts are put once.
            match unsafe { self.apply_one(entity, spawns, meaning, |sink| run.put(number, sink)) } {
                Ok(entity) => self.give_credit(entity, &credits),
                Err(error) => {
                    for (step, by) in shape.steps().zip(shape.origins()) {
                        self.entities.act(by);
                        self.report(step, error);
                    }
                    self.act_for(shape, meaning);
                }
            }
        }
    }

    /// Says that whoever recorded the first of these steps is at work; or the last, if that removes the entity.
    #[inline]
    fn act_for(&mut self, shape: &Shape<Self>, meaning: Meaning) {
        let mut origins = shape.origins();
        let by = if meaning.change.is_none() { origins.last() } else { origins.next() };
        self.entities.act(by.unwrap_or_default());
    }

    /// Where an entity is that the first step spawns, or not.
    #[inline]
    fn place_of(&self, entity: Entity, spawns: bool) -> Option<Place> {
        if spawns && entity == Entity::PLACEHOLDER {
            return Some(Place::New);
        }
        match self.entities.get(entity) {
            Some(location) => Some(Place::Table(location.table)),
            None if self.entities.is_pending(entity) => Some(Place::Pending),
            None => None,
        }
    }

    /// Carries out steps for several entities at once, if that can be done.
    fn apply_together(
        &mut self,
        run: &ShapedRun<'_, Self>,
        entities: &[Entity],
        place: Place,
        meaning: Meaning,
    ) -> bool {
        let change = match (meaning.change, place) {
            (None, Place::Table(table)) => {
                let Some(selection) = self.select_in(table, entities) else { return false };
                self.despawn_all(&selection, Some(entities));
                return true;
            }
            (Some(change), _) if !meaning.has_sparse => change,
            _ => return false,
        };
        let batch = Batch { entities, leaves: run.leaves(), start: run.start_of(0), stride: run.stride() };
        match place {
            Place::Pending | Place::New => {
                // SAFETY: the parts of each entity lie where the run says, and are put once.
                unsafe { self.spawn_together(change, &batch, place == Place::New) }
            }
            Place::Table(table) => {
                let Some(selection) = self.select_in(table, entities) else { return false };
                // SAFETY: as above.
                unsafe { self.change_together(change, &selection, &batch) }
            }
        }
    }

    /// Carries out a change, or the removal, of an entity that is alive or pending, or has no id yet because the first step
    /// spawns it. Returns the id.
    ///
    /// # Errors
    ///
    /// If it is neither.
    ///
    /// # Safety
    ///
    /// - `put` is that of the change, as for [`Store::carry_out`].
    unsafe fn apply_one(
        &mut self,
        entity: Entity,
        spawns: bool,
        meaning: Meaning,
        put: impl FnOnce(&mut Sink<'_>),
    ) -> Result<Entity, EntityError> {
        let Some(change) = meaning.change else {
            self.place_if_pending(entity);
            return self.despawn(entity).map(|()| entity);
        };
        // SAFETY: the caller's promise.
        unsafe {
            let Some(location) = self.entities.get(entity) else {
                let new = spawns && entity == Entity::PLACEHOLDER;
                if !new && !self.entities.is_pending(entity) {
                    return Err(self.entities.why_not(entity));
                }
                let pending = (!new).then_some(entity);
                let spawned = self.spawn_with(change, pending, meaning.has_sparse, put);
                return spawned.map_or_else(|error| error.raise(), Ok);
            };
            if let Err(error) = self.carry_out(change, entity, location, meaning.has_sparse, put) {
                error.raise();
            }
            if self.graph.last_plan().drops_values {
                self.drop_left(location.table, change);
            }
        }
        Ok(entity)
    }

    #[cold]
    fn report(&mut self, step: &StepCommand<Self>, error: EntityError) {
        if !step.quiet {
            let (command, bundle) = (step.names)();
            self.command_errors.report(command, bundle, error, self.entities.acting());
        }
    }
}
