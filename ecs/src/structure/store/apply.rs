//! Applying recorded commands.
//!
//! Consecutive steps for one entity are one change: the entity moves once, to the table that the last step leads to, and the tables in
//! between are never created. If the same steps follow for other entities of the same table, as a loop over entities records them, they are
//! applied together: the rows move as blocks, and new values are copied column by column. The outcome and the errors are the same as if the
//! steps were applied one by one, in the order of recording. Only the rows of the entities in their tables may differ.
//!
//! The graph keeps all changes of up to 32 steps. It keeps only one longer change at a time; planning such a change costs one pass over its
//! steps.
//!
//! If a constructor or the `Drop` of a replaced value panics, the other entities of the run still get their new values. If a run only
//! removes or despawns, and its entities are changed one by one, the first panic ends the run: the rest are unchanged.
//!
//! Tests: tests/commands/groups, tests/hazards/commands.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::type_name;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::addition::InsertOp;
use super::attribution::{attribute, attributions};
use super::bulk::PartsBatch;
use super::failure::{CommandErrors, CommandFailure};
use super::located::LocatedEntity;
use super::{SpawnError, Store, TargetWorld};
use crate::component::transition::ListenerMask;
use crate::entity::{Entities, Entity, Slot, SparseMask, TableId};
use crate::structure::archetype::Archetypes;
use crate::structure::bundle::{Bundle, BundleParts, MovingPtr, RowWriter, scatter_into};
use crate::structure::graph::{ChangeKey, ChangeStep};
use crate::structure::queue::{
    CommandVTable, CompiledChange, CompiledSteps, LINE, PatternRun, Queue, RunningQueue, StepCommand, StepKind,
    StepPattern,
};
use crate::util::guard::for_each_until_all_had_their_turn;
use crate::util::origin::Origin;

/// The commands of a bundle.
struct BundleCommands<B, const QUIET: bool>(PhantomData<B>);

impl<B: Bundle, const QUIET: bool> BundleCommands<B, QUIET> {
    const SPAWN: CommandVTable<Store> = Self::with_parts(StepKind::Spawn, || ("spawn", type_name::<B>()));
    const INSERT: CommandVTable<Store> = Self::with_parts(StepKind::Insert, || ("insert", type_name::<B>()));
    const INSERT_IF_NEW: CommandVTable<Store> =
        Self::with_parts(StepKind::InsertIfNew, || ("insert_if_new", type_name::<B>()));
    const REMOVE: CommandVTable<Store> = Self::without_parts(StepKind::Remove, || ("remove", type_name::<B>()));
    const RETAIN: CommandVTable<Store> = Self::without_parts(StepKind::Retain, || ("retain", type_name::<B>()));
    const DESPAWN: CommandVTable<Store> = Self::without_parts(StepKind::Despawn, || ("despawn", ""));

    const fn without_parts(kind: StepKind, names: fn() -> (&'static str, &'static str)) -> CommandVTable<Store> {
        let register = if matches!(kind, StepKind::Despawn) { |_: &mut Store| 0 } else { Store::register_bundle::<B> };
        CommandVTable::step::<()>(false, StepCommand { kind, quiet: QUIET, names, register, leaves: |_| {} })
    }

    const fn with_parts(kind: StepKind, names: fn() -> (&'static str, &'static str)) -> CommandVTable<Store> {
        CommandVTable::step::<B::Parts>(
            B::Parts::NEEDS_DROP,
            StepCommand {
                kind,
                quiet: QUIET,
                names,
                register: Store::register_bundle::<B>,
                leaves: |each| B::Parts::leaves(0, each),
            },
        )
    }
}

/// Records the insertion of a bundle.
#[inline]
pub(crate) fn record_insert<B: Bundle>(
    queue: &mut Queue<Store>,
    kind: StepKind,
    quiet: bool,
    entity: Entity,
    bundle: MovingPtr<'_, B>,
) {
    let command = match (kind, quiet) {
        (StepKind::Spawn, _) => const { &BundleCommands::<B, false>::SPAWN },
        (StepKind::InsertIfNew, false) => const { &BundleCommands::<B, false>::INSERT_IF_NEW },
        (StepKind::InsertIfNew, true) => const { &BundleCommands::<B, true>::INSERT_IF_NEW },
        (_, false) => const { &BundleCommands::<B, false>::INSERT },
        (_, true) => const { &BundleCommands::<B, true>::INSERT },
    };
    // SAFETY: the values of the command are `B::Parts`, which the closure writes: in place if their alignment is at most a line, otherwise
    // as bytes. Parts may be sent to another thread, since a bundle may. If splitting the bundle panics, nothing is recorded.
    unsafe {
        // A branch on a constant, so that only one side is compiled, at each level of optimisation.
        queue.push_with(command, entity, |values| {
            if const { align_of::<B::Parts>() <= LINE } {
                scatter_into(bundle, values.cast());
            } else {
                scatter_aside(bundle, values);
            }
        });
    }
}

/// Writes the parts of a bundle, as bytes, to an address that is not aligned for them.
///
/// # Safety
///
/// - The address is valid for writes of `size_of::<B::Parts>()` bytes.
#[cold]
unsafe fn scatter_aside<B: Bundle>(bundle: MovingPtr<'_, B>, values: NonNull<u8>) {
    let mut aside = Box::<B::Parts>::new_uninit();
    let parts = NonNull::from(&mut *aside).cast::<B::Parts>();
    // SAFETY: the parts are written to the box and moved from there to the address, as bytes.
    unsafe {
        scatter_into(bundle, parts);
        values.copy_from_nonoverlapping(parts.cast(), size_of::<B::Parts>());
    }
}

/// Records a step without values: the removal of a bundle's components, the removal of all other components, or the despawn of the entity.
#[inline]
pub(crate) fn record_step<B: Bundle>(queue: &mut Queue<Store>, kind: StepKind, quiet: bool, entity: Entity) {
    let command = match (kind, quiet) {
        (StepKind::Remove, false) => const { &BundleCommands::<B, false>::REMOVE },
        (StepKind::Remove, true) => const { &BundleCommands::<B, true>::REMOVE },
        (StepKind::Despawn, false) => const { &BundleCommands::<(), false>::DESPAWN },
        (StepKind::Despawn, true) => const { &BundleCommands::<(), true>::DESPAWN },
        _ => const { &BundleCommands::<B, false>::RETAIN },
    };
    // SAFETY: the command has no values.
    unsafe { queue.push_with(command, entity, |_| {}) }
}

/// The minimum number of entities whose steps are applied together.
const TOGETHER: usize = 8;
/// The maximum number of entities whose steps are applied together, so that the data about them fits in a cache.
const AT_ONCE: usize = 1 << 14;
/// The maximum number of steps of a change that the graph keeps together with others. Longer changes make large plans that are rarely
/// reused, so the graph keeps one of them at a time.
const STEPS: usize = 32;
/// The maximum number of sequences of steps that the graph keeps.
const SEQUENCES: usize = 1 << 12;

/// Where entities are before a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Placement {
    /// Alive, in this table.
    Table(TableId),
    /// No table yet: the id is reserved.
    Pending,
    /// No table yet: the entity is spawned by the first step, and has no id.
    New,
}

/// Applies all commands of a queue. If a command puts another store in the place of this one, the remaining commands are sent to
/// `target_world`.
pub(crate) fn run_queue(store: &mut Store, queue: &mut Queue<Store>, target_world: &mut Option<TargetWorld>) {
    let mut running = queue.start();
    let mut pattern = core::mem::take(&mut store.commands.last_pattern);
    let mut entities = Vec::new();
    while let Some(entry) = running.peek() {
        if store.events.has_pending {
            // An operation that was aborted by a panic has left pending events, which are delivered first.
            let target_world = target_world.get_or_insert_with(|| TargetWorld::new(store));
            let system = store.commands.errors.system;
            store.flush_events();
            if !target_world.is(store) {
                return target_world.send(&mut running.into_rest(), system);
            }
        }
        if entry.step().is_none() {
            // The pattern is back in the store while the closure runs, because commands that the closure applies may have the same pattern.
            store.commands.last_pattern = pattern;
            store.commands.applied += 1;
            store.structure.entities.set_caller(entry.by);
            let target_world = target_world.get_or_insert_with(|| TargetWorld::new(store));
            let system = store.commands.errors.system;
            running.run_closure(&entry, store);
            if !target_world.is(store) {
                return target_world.send(&mut running.into_rest(), system);
            }
            pattern = core::mem::take(&mut store.commands.last_pattern);
            continue;
        }
        // User code that has run since the pattern was learned may have removed its change from the graph.
        let is_new = !pattern.is_of(store.structure.archetypes.epoch()) || running.next_of(&pattern).is_none();
        if is_new {
            learn_pattern(store, &mut pattern, &running);
        }
        if store.events.is_quiet() {
            apply_next(store, &mut running, (&pattern, is_new), entry.entity, &mut entities);
            continue;
        }
        // Commands of observers may put another store in the place of this one.
        let target_world = target_world.get_or_insert_with(|| TargetWorld::new(store));
        let system = store.commands.errors.system;
        apply_next(store, &mut running, (&pattern, is_new), entry.entity, &mut entities);
        if !target_world.is(store) {
            return target_world.send(&mut running.into_rest(), system);
        }
    }
    running.finish(queue);
    if pattern.count() <= STEPS {
        store.commands.last_pattern = pattern;
    }
}

/// Finds the pattern of the next steps for one entity, and compiles them.
fn learn_pattern(store: &mut Store, pattern: &mut StepPattern<Store>, running: &RunningQueue<Store>) {
    store.structure.archetypes.limit_sequences(SEQUENCES);
    let mut change = None;
    let mut long = Vec::new();
    let mut count = 0;
    let mut last = None;
    let mut depends_on_sparse = false;
    for entry in running.entries() {
        let same = last.is_none_or(|last| last == entry.entity && last != Entity::PLACEHOLDER);
        let Some(step) = entry.step().filter(|_| same) else { break };
        if step.kind == StepKind::Despawn {
            return pattern.set(running, count + 1, CompiledSteps::Despawn);
        }
        let next = step_of(store, step);
        let depends = depends_on_sparse || step_depends_on_sparse(&store.structure.archetypes, next);
        if depends && count >= STEPS {
            // The remaining steps become another change: a change for single entities must be one that the graph stores together with
            // others, so it has at most `STEPS` steps.
            break;
        }
        depends_on_sparse = depends;
        (last, count) = (Some(entry.entity), count + 1);
        change = match change {
            None => Some(ChangeKey::of(next)),
            Some(change) if count <= STEPS => Some(store.structure.archetypes.then(change, next)),
            Some(change) => {
                if long.is_empty() {
                    long = store.structure.archetypes.steps(change);
                }
                long.push(next);
                Some(change)
            }
        };
    }
    if !long.is_empty() {
        change = Some(store.structure.archetypes.long(long));
    }
    let epoch = store.structure.archetypes.epoch();
    let compiled = change.map(|change| CompiledChange { change, depends_on_sparse, epoch });
    pattern.set(running, count, CompiledSteps::Change(compiled.expect("the first entry is a step")));
}

fn step_depends_on_sparse(archetypes: &Archetypes, step: ChangeStep) -> bool {
    matches!(step, ChangeStep::InsertIfNew(bundle) if archetypes.requiring_sparse(bundle).next().is_some())
}

/// Returns a change that has the effect of this change on an entity, and does not depend on the sparse components of the entity. See
/// [`CompiledChange::depends_on_sparse`].
fn change_for_entity(store: &mut Store, change: ChangeKey, entity: Entity) -> ChangeKey {
    let mut steps = store.structure.archetypes.steps(change).into_iter();
    let Some(first) = steps.next() else { return change };
    let first = ChangeKey::of(store.structure.for_entity(first, entity));
    steps.fold(first, |change, step| {
        let step = store.structure.for_entity(step, entity);
        store.structure.archetypes.then(change, step)
    })
}

fn step_of(store: &mut Store, step: &StepCommand<Store>) -> ChangeStep {
    let number = (step.register)(store);
    match step.kind {
        StepKind::Spawn | StepKind::Insert => ChangeStep::Insert(number),
        StepKind::InsertIfNew => ChangeStep::InsertIfNew(number),
        StepKind::Remove => ChangeStep::Remove(number),
        StepKind::Retain => ChangeStep::Retain(number),
        StepKind::Despawn => unreachable!("despawning is no change of components"),
    }
}

/// Applies the next steps, which have this pattern, to `first`, the entity of the first step, and to the entities after it that have the
/// same placement. If `just_learned` is true, the pattern was made from the next entries, so these need not be compared with it.
fn apply_next(
    store: &mut Store,
    running: &mut RunningQueue<Store>,
    (pattern, just_learned): (&StepPattern<Store>, bool),
    first: Entity,
    entities: &mut Vec<Entity>,
) {
    entities.clear();
    let spawns = pattern.steps().next().is_some_and(|step| step.kind == StepKind::Spawn);
    let ends = store.events.is_observing && pattern.despawns();
    let place = place_of(&store.structure.entities, first, spawns);
    // Observed entities are changed one by one: the observers of one entity, and the commands that they record, come before the next
    // entity.
    let is_sole = place.is_none() || store.events.is_observing && observes_steps(store, first, place, pattern);
    let table = match place {
        Some(Placement::Table(table)) if !is_sole && !ends => Some(table),
        _ => None,
    };
    let run = running.pass(pattern, just_learned, |entity| {
        // Most entities are in the table of the first one. For these, one comparison suffices.
        if let Some(table) = table
            && entities.len() < AT_ONCE.min(entities.capacity())
            && Slot::row_in(store.structure.entities.slots(), entity, table).is_some()
        {
            entities.push(entity);
            return true;
        }
        let is_in_place = || {
            place_of(&store.structure.entities, entity, spawns) == place
                && !(ends && notifies_of_sparse_end(store, entity))
        };
        // If there is no memory for another entity, the run ends here, and the entities so far are changed.
        let has_room = |entities: &mut Vec<Entity>| entities.len() < AT_ONCE && entities.try_reserve(1).is_ok();
        let together = entities.is_empty() || !is_sole && is_in_place() && has_room(entities);
        if together {
            entities.push(entity);
        }
        together
    });
    let Some(compiled) = pattern.compiled else { return };
    store.commands.applied += (run.count * pattern.count()) as u64;
    set_caller_of(&mut store.structure.entities, pattern, compiled);
    // If the steps of a pattern were recorded at different call sites, they are applied entity by entity, so that each component gets the
    // origin of its step.
    let is_mixed = pattern.is_mixed();
    if let Some(place) = place
        && run.count >= TOGETHER
        && !is_mixed
        && apply_together(store, &run, entities, place, compiled)
    {
        return;
    }
    let apply = |(number, &entity): (usize, &Entity)| apply_one_of(store, &run, (number, entity), spawns, compiled);
    match run.pattern.leaves.is_empty() || entities.len() == 1 {
        // Without new values nothing is lost if the run ends early: a panic leaves the other entities unchanged.
        true => entities.iter().enumerate().for_each(apply),
        // If a constructor or the destructor of a replaced value panics, the other entities still get their new values.
        false => for_each_until_all_had_their_turn(entities.iter().enumerate(), apply),
    }
}

/// Applies the steps of a run to one of its entities.
fn apply_one_of(
    store: &mut Store,
    run: &PatternRun<'_, Store>,
    (number, entity): (usize, Entity),
    spawns: bool,
    compiled: CompiledSteps,
) {
    let pattern = run.pattern;
    let attributions = if pattern.is_mixed() { attributions(store, entity, pattern) } else { Vec::new() };
    let change = match compiled {
        CompiledSteps::Despawn => None,
        CompiledSteps::Change(CompiledChange { change, depends_on_sparse, epoch }) => {
            assert!(epoch == store.structure.archetypes.epoch(), "plans are forgotten between runs only");
            Some(if depends_on_sparse { change_for_entity(store, change, entity) } else { change })
        }
    };
    // SAFETY: the change has the steps of the pattern, in order; `change_for_entity` only exchanges bundles for ones with the same
    // components, so the leaves match the targets of its plan. Writing moves bytes and does not panic. Each number is written once.
    let addition = |change| unsafe { InsertOp::new(change, |writer| run.write(number, writer)) };
    // Events are deferred, so that observers are notified after the origins have been set.
    let done = store.defer_events(|store| {
        let done = apply_one(store, entity, spawns, change.map(addition));
        done.map(|entity| attribute(store, entity, &attributions))
    });
    match done {
        // Commands of observers may remove the change from the graph. A run with notifications has one entity, so the change is not used
        // again.
        Ok(()) => store.flush_events(),
        Err(error) => {
            for (step, by) in pattern.steps().zip(pattern.origins()) {
                store.structure.entities.set_caller(by);
                report(&mut store.commands.errors, step, error.clone(), by);
            }
            set_caller_of(&mut store.structure.entities, pattern, compiled);
        }
    }
}

/// Returns whether hooks or observers are notified of these steps for an entity.
fn observes_steps(store: &mut Store, entity: Entity, place: Option<Placement>, pattern: &StepPattern<Store>) -> bool {
    let (Some(place), Some(compiled)) = (place, pattern.compiled) else { return false };
    let table = match place {
        Placement::Table(table) => table,
        Placement::Pending | Placement::New => TableId::EMPTY,
    };
    match compiled {
        CompiledSteps::Change(CompiledChange { change, .. }) => store
            .structure
            .archetypes
            .planned(table, change)
            .plan
            .listeners
            .interest
            .intersects(ListenerMask::OBSERVERS),
        CompiledSteps::Despawn => {
            let (Store { events, .. }, tables) = (&*store, &store.structure.archetypes.tables);
            events.observe_end(tables, table, SparseMask::default()) || notifies_of_sparse_end(store, entity)
        }
    }
}

/// Returns whether listeners may be notified of the despawn of an entity because of its sparse components.
#[inline]
fn notifies_of_sparse_end(store: &Store, entity: Entity) -> bool {
    store.events.observed.notifying.meets(store.structure.entities.sparse_summary(entity.index()))
}

/// Sets the caller (origin) of the operations that follow to the origin of the first step, or of the last one if the entity is despawned.
#[inline]
fn set_caller_of(entities: &mut Entities, pattern: &StepPattern<Store>, compiled: CompiledSteps) {
    let mut origins = pattern.origins();
    let by = if matches!(compiled, CompiledSteps::Despawn) { origins.last() } else { origins.next() };
    entities.set_caller(by.unwrap_or_default());
}

/// Returns the placement of the entity of a first step; `None` if the entity is neither alive nor pending. `spawns` is true if the step
/// spawns the entity.
#[inline]
fn place_of(entities: &Entities, entity: Entity, spawns: bool) -> Option<Placement> {
    if spawns && entity == Entity::PLACEHOLDER {
        return Some(Placement::New);
    }
    match entities.get(entity) {
        Some(location) => Some(Placement::Table(location.table)),
        None if entities.is_pending(entity) => Some(Placement::Pending),
        None => None,
    }
}

/// Tries to apply steps to several entities at once. Returns false if that is not possible.
fn apply_together(
    store: &mut Store,
    run: &PatternRun<'_, Store>,
    entities: &[Entity],
    place: Placement,
    compiled: CompiledSteps,
) -> bool {
    let change = match compiled {
        CompiledSteps::Despawn => {
            let Placement::Table(table) = place else { return false };
            let Some(selection) = store.structure.select_in(table, entities) else { return false };
            store.despawn_all(&selection, Some(entities));
            return true;
        }
        CompiledSteps::Change(compiled) if compiled.depends_on_sparse => return false,
        CompiledSteps::Change(compiled) => compiled.change,
    };
    let batch = PartsBatch { entities, leaves: &run.pattern.leaves, start: run.start_of(0), stride: run.pattern.len };
    // SAFETY: the batch points at the entries of the run. Each holds full parts of the bundles of the change, in order, since the change was
    // compiled from these steps and does not depend on sparse components. They are written once.
    unsafe {
        match place {
            Placement::Pending | Placement::New => store.spawn_together(change, &batch, place == Placement::New),
            Placement::Table(table) => store.change_together(change, table, &batch),
        }
    }
}

/// Applies a change to an entity, or despawns it if `addition` is `None`. The entity is alive or pending, or has no id yet because the
/// first step spawns it. Returns the id.
///
/// # Errors
///
/// If the entity is neither alive nor pending.
fn apply_one(
    store: &mut Store,
    entity: Entity,
    spawns: bool,
    addition: Option<InsertOp<impl FnOnce(&mut RowWriter<'_>)>>,
) -> Result<Entity, CommandFailure> {
    let Some(addition) = addition else {
        store.place_if_pending(entity);
        return store.despawn(entity).map_or_else(|error| Err(error.into()), |()| Ok(entity));
    };
    if let Some(located) = LocatedEntity::find(store, entity) {
        located.add(addition);
        return Ok(entity);
    }
    let new = spawns && entity == Entity::PLACEHOLDER;
    if !new && !store.structure.entities.is_pending(entity) {
        return Err(store.structure.entities.why_not(entity).into());
    }
    match store.spawn_with(addition, (!new).then_some(entity)) {
        Ok(spawned) => Ok(spawned),
        Err(SpawnError::IdsExhausted(error)) => Err(CommandFailure::NoIds(error)),
        Err(error @ SpawnError::OutOfMemory(_)) => error.raise(),
    }
}

#[cold]
fn report(errors: &mut CommandErrors, step: &StepCommand<Store>, failure: CommandFailure, by: Origin) {
    if !step.quiet {
        let (command, bundle) = (step.names)();
        errors.report(command, bundle, failure, by);
    }
}
