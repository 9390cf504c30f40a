//! The forms in which entities are edited. Each edit is played in each of them, and its effect on the oracle is the same.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::pool::{ThreadPool, ThreadPoolBuilder};
use strata_ecs::prelude::*;
use strata_ecs::schedule::MultiThreadedExecutor;
use strata_tests::drops;

use super::commands::{Prepared, prepare};
use super::edits::{AnyEdit, Calls, edits};
use super::faults::{arm, survive};
use super::operations::which;
use super::oracle::{Oracle, mask_of};
use super::parts::{FILTERS, IN_TABLES, Row, matches_filter, with_filter};
use super::replay::assert_faults;
use super::run::{Effect, Run};
use super::watch::read;

/// How edits reach the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// Entity by entity, by calls.
    Single,
    /// By a selection for each edit.
    Batch,
    /// By commands, each in a queue of its own.
    Separate,
    /// By commands in one queue: all edits of an entity, then those of the next.
    Grouped,
    /// By commands in one queue: each edit for all entities, then the next edit.
    Turns,
    /// By the commands of a selection for each edit.
    BatchCommand,
    /// By the commands of several systems that run at the same time, each for some of the entities.
    Parallel,
}

/// Which entities are edited. Numbers in a list pick one of the ids ever handed out, living or not.
#[derive(Clone, Debug)]
pub(crate) enum Targets {
    All(u8),
    Many(Vec<usize>),
    /// A part of the entities that match a filter, in reversed order: from this one on, so many.
    Part(u8, usize, usize),
}

/// Edits of some entities, in one of the forms. If `panic_at` is set, this call of the user's code panics.
#[derive(Clone, Debug)]
pub(crate) struct Edits {
    targets: Targets,
    edits: Vec<AnyEdit>,
    form: Form,
    way: u8,
    panic_at: Option<u32>,
}

pub(crate) fn targets() -> impl Strategy<Value = Targets> {
    prop_oneof![
        2 => (0..FILTERS).prop_map(Targets::All),
        6 => vec(which(), 1..4).prop_map(Targets::Many),
        3 => vec(which(), 0..20).prop_map(Targets::Many),
        1 => vec(which(), 60..150).prop_map(Targets::Many),
        2 => (0..FILTERS, 0..40_usize, 0..40_usize).prop_map(|(filter, from, count)| Targets::Part(filter, from, count)),
    ]
}

fn form(of_selections: bool) -> impl Strategy<Value = Form> {
    let (few, many) = if of_selections { (1, 20) } else { (6, 6) };
    prop_oneof![
        few => Just(Form::Single),
        many => Just(Form::Batch),
        1 => Just(Form::Separate),
        3 => Just(Form::Grouped),
        1 => Just(Form::Turns),
        many / 2 => Just(Form::BatchCommand),
        1 => Just(Form::Parallel),
    ]
}

pub(crate) fn edits_in_a_form(of_selections: bool, faults: bool) -> impl Strategy<Value = Edits> {
    let panic_at = if faults { proptest::option::weighted(0.3, 0..8_u32).boxed() } else { Just(None).boxed() };
    (targets(), edits(), form(of_selections), any::<u8>(), panic_at)
        .prop_map(|(targets, edits, form, way, panic_at)| Edits { targets, edits, form, way, panic_at })
}

/// Threads for the systems of [`Form::Parallel`], the same ones in all runs.
pub(crate) fn threads() -> Arc<ThreadPool> {
    static POOL: OnceLock<Arc<ThreadPool>> = OnceLock::new();
    let make = || Arc::new(ThreadPoolBuilder::new().num_threads(3).build().expect("threads can be started"));
    Arc::clone(POOL.get_or_init(make))
}

impl Targets {
    pub(crate) fn select<'w>(&self, world: &'w mut World, list: &[Entity]) -> EntitySelection<'w> {
        match self {
            Self::All(filter) => with_filter!(*filter, F => world.all::<F>()),
            _ => world.many(list),
        }
    }

    /// Records an edit of a selection, by the command that there is for it or by a closure.
    /// Returns whether there is one.
    pub(crate) fn record(&self, commands: &mut Commands<'_, '_>, list: &[Entity], edit: &AnyEdit, way: u8) -> bool {
        let selection = match self {
            Self::All(filter) => with_filter!(*filter, F => commands.all::<F>()),
            _ => commands.many(list.to_vec()),
        };
        let is_command = edit.batch_command(way, selection);
        if !is_command {
            let (edit, targets, list) = (edit.clone(), self.clone(), list.to_vec());
            commands.queue(move |world: &mut World| {
                for entity in targets.select(world, &list).ids() {
                    edit.single(way, world.entity_mut(entity));
                }
            });
        }
        is_command
    }
}

impl Oracle {
    /// Fails unless each entity is as it was at some point of what was to happen to it.
    fn check_traced(&self, world: &World, ids: &[Entity]) {
        let trace = self.trace.as_ref().expect("it was set");
        for entity in ids {
            let found = read(world, *entity);
            let is_right = match trace.get(entity) {
                Some(rows) => rows.contains(&found),
                None => found == self.row(*entity),
            };
            assert!(is_right, "{entity:?} is {found:?}, which it was at no time: {:?}", trace.get(entity));
        }
    }

    /// The order in which the entities of a selection are changed: those that stay in their tables come first.
    fn order(&self, ids: &[Entity], edit: &AnyEdit) -> Vec<Entity> {
        let mut after = Self::default();
        let mut moves = |entity: &Entity| {
            after.arrive(*entity, &self.rows[entity]);
            edit.expect(&mut after, *entity);
            let table = |row: Row| mask_of(&row) & IN_TABLES;
            after.row(*entity).is_some_and(|row| table(row) != table(self.rows[entity]))
        };
        let (moving, mut order): (Vec<Entity>, Vec<Entity>) = ids.iter().partition(|entity| moves(entity));
        order.extend(moving);
        order
    }
}

impl Run {
    pub(crate) fn edit(&mut self, edits: &Edits) -> Effect {
        arm(edits.panic_at);
        let effect = match edits.form {
            Form::Single => {
                let list = self.list(&edits.targets);
                list.iter()
                    .for_each(|entity| edits.edits.iter().for_each(|edit| self.single(*entity, edit, edits.way)));
                Effect::Exact
            }
            Form::Batch => self.batches(edits),
            Form::BatchCommand => self.batch_commands(edits),
            Form::Separate | Form::Grouped | Form::Turns => self.entity_commands(edits),
            Form::Parallel => self.parallel(edits),
        };
        arm(None);
        effect
    }

    /// Returns the entities, alive or not. The entities of a filter are in unspecified order.
    pub(crate) fn list(&self, targets: &Targets) -> Vec<Entity> {
        let matching = |filter: u8| {
            self.oracle.rows.iter().filter(move |(_, row)| matches_filter(filter, row)).map(|(entity, _)| *entity)
        };
        match targets {
            Targets::All(filter) => matching(*filter).collect(),
            Targets::Many(which) => which.iter().map(|which| self.pick(*which)).collect(),
            Targets::Part(filter, from, count) => {
                let part: Vec<Entity> = matching(*filter).skip(*from).take(*count).collect();
                part.into_iter().rev().collect()
            }
        }
    }

    /// A change of one entity: complete in both worlds, even if a destructor panics in its course.
    pub(crate) fn single(&mut self, entity: Entity, edit: &AnyEdit, way: u8) {
        match self.world.get_entity_mut(entity) {
            Ok(found) => {
                let _ = survive(|| edit.single(way, found));
                assert!(self.oracle.lives(entity), "{entity:?} is not to live");
            }
            Err(_) => assert!(!self.oracle.lives(entity), "{entity:?} is to live"),
        }
        self.expect(entity, edit);
    }

    fn expect(&mut self, entity: Entity, edit: &AnyEdit) -> bool {
        self.oracle.begin(entity);
        let counts = self.oracle.lives(entity) && edit.expect(&mut self.oracle, entity);
        self.oracle.end();
        counts
    }

    /// The selection must have these entities, each once.
    pub(crate) fn ids_selected(&mut self, targets: &Targets) -> (Vec<Entity>, Vec<Entity>) {
        let list = self.list(targets);
        let expected: BTreeSet<Entity> = list.iter().copied().filter(|entity| self.oracle.lives(*entity)).collect();
        let selection = targets.select(&mut self.world, &list);
        let ids = selection.ids();
        assert_eq!((selection.len(), selection.is_empty()), (expected.len(), expected.is_empty()));
        assert_eq!((ids.len(), ids.iter().copied().collect()), (expected.len(), expected));
        (list, ids)
    }

    fn batches(&mut self, edits: &Edits) -> Effect {
        for edit in &edits.edits {
            let (list, ids) = self.ids_selected(&edits.targets);
            let selection = edits.targets.select(&mut self.world, &list);
            let mut calls = Calls::new();
            match survive(|| edit.batch(edits.way, selection, &mut calls)) {
                Some(Some(count)) => {
                    self.check_order(&ids, &calls);
                    let order = self.oracle.order(&ids, edit);
                    let expected = order.into_iter().filter(|entity| self.expect(*entity, edit)).count();
                    assert_eq!(count, expected, "entities of {edit:?}");
                }
                Some(None) => ids.iter().for_each(|entity| self.single(*entity, edit, edits.way)),
                None => {
                    self.broken_batch(&ids, edit);
                    return Effect::Uncertain;
                }
            }
        }
        Effect::Exact
    }

    /// Each entity is as it was or as it should be, and those that changed did so in the order of the selection.
    fn broken_batch(&mut self, ids: &[Entity], edit: &AnyEdit) {
        for entity in self.oracle.order(ids, edit) {
            if read(&self.world, entity) != self.oracle.row(entity) {
                self.expect(entity, edit);
                assert_eq!(read(&self.world, entity), self.oracle.row(entity), "neither before nor after {edit:?}");
            }
        }
    }

    /// A function is called once for each entity: table by table, in the order of the selection within a table.
    fn check_order(&self, ids: &[Entity], calls: &[Entity]) {
        if calls.is_empty() {
            return;
        }
        let table = |entity: &Entity| mask_of(&self.oracle.rows[entity]) & IN_TABLES;
        let blocks: Vec<_> = calls.chunk_by(|a, b| table(a) == table(b)).map(|block| table(&block[0])).collect();
        assert_eq!(blocks.iter().collect::<BTreeSet<_>>().len(), blocks.len(), "a table was visited twice");
        let [mut ids, mut calls] = [ids.to_vec(), calls.to_vec()];
        ids.sort_by_key(table);
        calls.sort_by_key(table);
        assert_eq!(calls, ids);
    }

    fn entity_commands(&mut self, Edits { targets, edits, form, way, .. }: &Edits) -> Effect {
        let list = self.list(targets);
        let steps: Vec<(Entity, &AnyEdit)> = if *form == Form::Turns {
            edits.iter().flat_map(|edit| list.iter().map(move |entity| (*entity, edit))).collect()
        } else {
            list.iter().flat_map(|entity| edits.iter().map(move |edit| (*entity, edit))).collect()
        };
        self.oracle.trace = Some(super::oracle::Trace::new());
        let mut queue = CommandQueue::default();
        let mut faults = Vec::new();
        let mut whole = true;
        for (entity, edit) in steps {
            let Prepared { record, is_closure } = prepare(edit, *way, entity);
            if *form == Form::Separate {
                record(&mut Commands::new(&mut queue, &self.world));
                whole &= survive(|| queue.apply(&mut self.world)).is_some();
                faults.extend(self.oracle.command(entity, edit, *way, is_closure));
                self.oracle.end();
            } else {
                if way & 2 == 0 {
                    record(&mut Commands::new(&mut queue, &self.world));
                } else {
                    record(&mut self.world.commands());
                }
                faults.extend(self.oracle.command(entity, edit, *way, is_closure));
            }
        }
        self.oracle.end();
        whole &= survive(|| queue.apply(&mut self.world)).is_some();
        whole &= survive(|| self.world.flush()).is_some();
        self.commanded(whole, Some(faults), |_| true)
    }

    /// After commands: everything was carried out, or each entity of which that is known is as it was at some point.
    fn commanded(
        &mut self,
        whole: bool,
        faults: Option<Vec<super::replay::Fault>>,
        is_known: impl Fn(Entity) -> bool,
    ) -> Effect {
        if whole {
            self.oracle.trace = None;
            assert_faults(&mut self.world, &faults.unwrap_or_default());
            return Effect::Exact;
        }
        arm(None);
        drops::disarm();
        self.world.flush();
        let known: Vec<Entity> = self.ids.iter().copied().filter(|&entity| is_known(entity)).collect();
        self.oracle.check_traced(&self.world, &known);
        self.oracle.trace = None;
        Effect::Whole
    }

    fn batch_commands(&mut self, Edits { targets, edits, way, .. }: &Edits) -> Effect {
        self.readers.read_all(&self.world, &self.oracle);
        let list = self.list(targets);
        for edit in edits {
            targets.record(&mut self.world.commands(), &list, edit, *way);
        }
        self.oracle.trace = Some(super::oracle::Trace::new());
        edits.iter().for_each(|edit| self.expect_of(targets, &list, edit));
        let whole = survive(|| self.world.flush()).is_some();
        if whole {
            self.readers.read_in_any_order(&self.world, &self.oracle);
        }
        self.commanded(whole, None, |_| true)
    }

    /// Edits a selection by a command, entity by entity; in which order is not known.
    pub(crate) fn expect_of(&mut self, targets: &Targets, list: &[Entity], edit: &AnyEdit) {
        let list = if let Targets::All(_) = targets { self.list(targets) } else { list.to_vec() };
        list.into_iter().collect::<BTreeSet<_>>().into_iter().for_each(|entity| _ = self.expect(entity, edit));
    }

    fn parallel(&mut self, Edits { targets, edits, way, .. }: &Edits) -> Effect {
        let list = self.list(targets);
        let mut schedule = Schedule::default();
        schedule.set_executor(MultiThreadedExecutor::eager());
        let ticks = Arc::new(Mutex::new(Vec::new()));
        let chunks: Vec<&[Entity]> = list.chunks(list.len() / (1 + usize::from(way % 4)) + 1).collect();
        let mut closures = Vec::new();
        for chunk in &chunks {
            let steps = chunk.iter().flat_map(|entity| edits.iter().map(|edit| prepare(edit, *way, *entity)));
            let (steps, are_closures): (Vec<_>, Vec<bool>) = steps.map(|step| (step.record, step.is_closure)).unzip();
            closures.push(are_closures);
            let steps = Mutex::new(steps);
            let ticks = Arc::clone(&ticks);
            schedule.add_systems(move |mut commands: Commands<'_, '_>| {
                let ticks = Arc::clone(&ticks);
                commands.queue(move |world: &mut World| {
                    ticks.lock().expect("nothing panics meanwhile").push(world.change_tick().get());
                });
                steps.lock().expect("it is used once").drain(..).for_each(|record| record(&mut commands));
            });
        }
        let whole = survive(|| schedule.run(&mut self.world)).is_some();
        let mut ticks = ticks.lock().expect("nothing panics meanwhile").clone();
        self.oracle.trace = Some(super::oracle::Trace::new());
        let mut faults = Vec::new();
        // Systems whose commands were not applied have no tick.
        ticks.resize(chunks.len(), self.world.change_tick().get());
        for ((chunk, are_closures), tick) in chunks.iter().zip(closures).zip(ticks) {
            self.oracle.now = self.clock_at(tick);
            let steps = chunk.iter().flat_map(|entity| edits.iter().map(move |edit| (*entity, edit)));
            for ((entity, edit), is_closure) in steps.zip(are_closures) {
                faults.extend(self.oracle.command(entity, edit, *way, is_closure));
            }
            self.oracle.end();
        }
        // A panic ends the commands of its system and no others: what those do to an entity may follow on less than all of it.
        let systems = |entity| chunks.iter().filter(|chunk| chunk.contains(&entity)).count();
        self.commanded(whole, Some(faults), |entity| systems(entity) < 2)
    }
}
