//! Lists of commands: how they are drawn, and how they are recorded for the real world.

use std::any::type_name;
use std::sync::{Arc, Mutex};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_tests::drops::Token;

use super::edits::{AnyEdit, Insert, edit};
use super::forms::Targets;
use super::operations::{kind, value, which};
use super::parts::{FILTERS, Make, Mask, with_bundle};

#[derive(Resource)]
pub(crate) struct Kept {
    pub(crate) value: u32,
    _token: Token,
}

impl Kept {
    pub(crate) fn new(value: u32) -> Self {
        Self { value, _token: Token::new() }
    }
}

/// How a list of commands is processed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// It is recorded in the world's own queue, and the world is flushed.
    Flushed,
    /// It has a queue of its own.
    Applied,
    /// As `Applied`, but the ids that it spawns are entities before its turn comes.
    Late,
    /// Its queue is dropped.
    Dropped,
}

/// Commands; `which` picks one of the ids known so far, those that the list has spawned included.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Spawn {
        kind: u8,
        value: u32,
    },
    SpawnEmpty,
    /// Spawns of one bundle.
    SpawnRun {
        kind: u8,
        value: u32,
        count: u32,
    },
    /// Inserts of one bundle into entities that are known one after the other.
    InsertRun {
        which: usize,
        kind: u8,
        value: u32,
        count: u32,
    },
    /// Edits of one entity that follow each other, and the ways in which they are made.
    Group {
        which: usize,
        steps: Vec<(AnyEdit, u8)>,
    },
    /// Edits of two entities by turns.
    Turns {
        which: [usize; 2],
        steps: Vec<(AnyEdit, u8)>,
    },
    /// A closure that spawns.
    SpawnNow {
        kind: u8,
        value: u32,
    },
    /// A closure that inserts.
    InsertNow {
        which: usize,
        kind: u8,
        value: u32,
    },
    /// An edit of those that match a filter, or of a list.
    Select {
        filter: Option<u8>,
        which: Vec<usize>,
        step: (AnyEdit, u8),
    },
    InsertResource {
        value: u32,
    },
    RemoveResource,
    /// A closure that queues commands.
    Queue {
        commands: Vec<Self>,
    },
}

/// An edit and its way. It is the same for all entities, as different runs may have different ids.
fn step() -> impl Strategy<Value = (AnyEdit, u8)> {
    (edit().prop_filter("depends on the id", |edit| !matches!(edit, AnyEdit::InsertEach(_))), any::<u8>())
}

fn steps() -> impl Strategy<Value = Vec<(AnyEdit, u8)>> {
    vec(step(), 1..7)
}

/// Commands whose outcome does not depend on when closures run.
pub(crate) fn plain_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        3 => (kind(), value()).prop_map(|(kind, value)| Command::Spawn { kind, value }),
        1 => Just(Command::SpawnEmpty),
        2 => (kind(), value(), 0..6_u32).prop_map(|(kind, value, count)| Command::SpawnRun { kind, value, count }),
        3 => (which(), kind(), value(), 0..6_u32)
            .prop_map(|(which, kind, value, count)| Command::InsertRun { which, kind, value, count }),
        8 => (which(), steps()).prop_map(|(which, steps)| Command::Group { which, steps }),
        2 => ([which(), which()], steps()).prop_map(|(which, steps)| Command::Turns { which, steps }),
        1 => (which(), kind(), value()).prop_map(|(which, kind, value)| Command::InsertNow { which, kind, value }),
        1 => value().prop_map(|value| Command::InsertResource { value }),
        1 => Just(Command::RemoveResource),
    ]
}

pub(crate) fn commands() -> impl Strategy<Value = Vec<Command>> {
    let spawn_now = (kind(), value()).prop_map(|(kind, value)| Command::SpawnNow { kind, value });
    let leaf = prop_oneof![9 => plain_command(), 1 => spawn_now];
    let command =
        leaf.prop_recursive(2, 8, 4, |inner| vec(inner, 0..4).prop_map(|commands| Command::Queue { commands }));
    // Where selections are among them, nothing else depends on when closures run.
    let select = (proptest::option::of(0..FILTERS), vec(which(), 0..12), step())
        .prop_map(|(filter, which, step)| Command::Select { filter, which, step });
    let flat = prop_oneof![3 => plain_command(), 1 => select];
    prop_oneof![2 => vec(command, 0..8), 1 => vec(flat, 0..25)]
}

pub(crate) fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![4 => Just(Fate::Flushed), 4 => Just(Fate::Applied), 2 => Just(Fate::Late), 1 => Just(Fate::Dropped)]
}

/// A command that has been recorded, or a closure that has run.
#[derive(Debug)]
pub(crate) enum Done {
    /// `bundle` is its name.
    Spawn {
        entity: Entity,
        mask: Mask,
        value: u32,
        bundle: &'static str,
    },
    Edit {
        entity: Entity,
        edit: AnyEdit,
        way: u8,
        is_closure: bool,
    },
    Select {
        targets: Targets,
        list: Vec<Entity>,
        edit: AnyEdit,
        is_closure: bool,
    },
    /// A closure spawned it.
    SpawnNow {
        entity: Entity,
        mask: Mask,
        value: u32,
    },
    /// A closure that will queue commands or spawn.
    Queued,
    /// The following commands have been recorded by closures, and are applied after all previous ones.
    Round,
    InsertNow {
        entity: Entity,
        kind: u8,
        value: u32,
    },
    InsertResource {
        value: u32,
    },
    RemoveResource,
}

/// The recorded commands, in the order in which they are applied. Commands that commands queue are recorded after all others, and are
/// applied after them.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) known: Vec<Entity>,
    pub(crate) done: Vec<Done>,
    round: u32,
}

impl Record {
    fn pick(&self, which: usize) -> Entity {
        if self.known.is_empty() { Entity::PLACEHOLDER } else { self.known[which % self.known.len()] }
    }

    fn begin_round(&mut self, round: u32) {
        if self.round < round {
            self.round = round;
            self.done.push(Done::Round);
        }
    }

    /// Records a spawn by a closure of a round. It comes after all commands that were recorded in the round, and before the commands that
    /// the closures of the round have recorded so far, which have not been applied yet.
    fn spawned_now(&mut self, round: u32, entity: Entity, mask: Mask, value: u32) {
        let last = self.done.iter().rposition(|done| matches!(done, Done::Round));
        let at = last.filter(|_| round < self.round).unwrap_or(self.done.len());
        self.known.push(entity);
        self.done.insert(at, Done::SpawnNow { entity, mask, value });
    }

    fn spawned(&mut self, entity: Entity, mask: Mask, value: u32, bundle: &'static str) {
        self.known.push(entity);
        self.done.push(Done::Spawn { entity, mask, value, bundle });
    }
}

/// A record that closures write to as well.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    record: Arc<Mutex<Record>>,
    /// How deep the closure is nested that records.
    round: u32,
}

impl Recorder {
    pub(crate) fn new(known: Vec<Entity>) -> Self {
        Self { record: Arc::new(Mutex::new(Record { known, done: Vec::new(), round: 0 })), round: 0 }
    }

    pub(crate) fn with<T>(&self, action: impl FnOnce(&mut Record) -> T) -> T {
        action(&mut self.record.lock().expect("nothing panics while it is locked"))
    }

    pub(crate) fn record(&self, commands: &mut Commands<'_, '_>, list: &[Command]) {
        for command in list {
            self.record_one(commands, command);
        }
    }

    fn record_one(&self, commands: &mut Commands<'_, '_>, command: &Command) {
        match command {
            Command::Spawn { kind, value } => self.spawn(commands, *kind, *value),
            Command::SpawnEmpty => {
                let entity = commands.spawn_empty().id();
                self.with(|record| record.spawned(entity, 0, 0, type_name::<()>()));
            }
            Command::SpawnRun { kind, value, count } => {
                (0..*count).for_each(|at| self.spawn(commands, *kind, value + 10 * at));
            }
            Command::InsertRun { which, kind, value, count } => {
                for at in 0..*count {
                    let edit = AnyEdit::Insert(Insert { kind: *kind, value: value + 10 * at });
                    self.edit(commands, (which % 1000) + at as usize, &(edit, 0));
                }
            }
            Command::Group { which, steps } => steps.iter().for_each(|step| self.edit(commands, *which, step)),
            Command::Turns { which, steps } => {
                steps.iter().zip(which.iter().cycle()).for_each(|(step, at)| self.edit(commands, *at, step));
            }
            _ => self.record_other(commands, command),
        }
    }

    fn record_other(&self, commands: &mut Commands<'_, '_>, command: &Command) {
        match command {
            Command::SpawnNow { kind, value } => {
                self.with(|record| record.done.push(Done::Queued));
                let (record, value) = (self.clone(), *value);
                with_bundle!(kind, M => {
                    let made = M::make(value);
                    commands.queue(move |world: &mut World| {
                        let entity = world.spawn(made).id();
                        record.with(|list| list.spawned_now(record.round, entity, M::MASK, value));
                    });
                });
            }
            Command::InsertNow { which, kind, value } => {
                let (entity, kind, value) = (self.with(|record| record.pick(*which)), *kind, *value);
                commands.queue(move |world: &mut World| {
                    if let Ok(mut entity) = world.get_entity_mut(entity) {
                        with_bundle!(kind, M => { entity.insert(M::make(value)); });
                    }
                });
                self.with(|record| record.done.push(Done::InsertNow { entity, kind, value }));
            }
            Command::Select { filter, which, step: (edit, way) } => {
                let targets = filter.map_or(Targets::Many(Vec::new()), Targets::All);
                let list: Vec<Entity> = which.iter().map(|which| self.with(|record| record.pick(*which))).collect();
                let is_closure = !targets.record(commands, &list, edit, *way);
                self.with(|record| record.done.push(Done::Select { targets, list, edit: edit.clone(), is_closure }));
            }
            Command::InsertResource { value } => {
                commands.insert_resource(Kept::new(*value));
                self.with(|record| record.done.push(Done::InsertResource { value: *value }));
            }
            Command::RemoveResource => {
                commands.remove_resource::<Kept>();
                self.with(|record| record.done.push(Done::RemoveResource));
            }
            Command::Queue { commands: list } => {
                let (recorder, list) = (Self { record: Arc::clone(&self.record), round: self.round + 1 }, list.clone());
                self.with(|record| record.done.push(Done::Queued));
                commands.queue(move |world: &mut World| {
                    recorder.with(|record| record.begin_round(recorder.round));
                    recorder.record(&mut world.commands(), &list);
                });
            }
            _ => unreachable!("recorded by `record_one`"),
        }
    }

    fn spawn(&self, commands: &mut Commands<'_, '_>, kind: u8, value: u32) {
        with_bundle!(kind, M => {
            let entity = commands.spawn(M::make(value)).id();
            self.with(|record| record.spawned(entity, M::MASK, value, type_name::<M>()));
        });
    }

    fn edit(&self, commands: &mut Commands<'_, '_>, which: usize, (edit, way): &(AnyEdit, u8)) {
        let entity = self.with(|record| record.pick(which));
        let Prepared { record, is_closure } = prepare(edit, *way, entity);
        record(commands);
        self.with(|record| record.done.push(Done::Edit { entity, edit: edit.clone(), way: *way, is_closure }));
    }
}

/// An edit of one entity, to be recorded.
pub(crate) struct Prepared {
    pub(crate) record: Box<dyn FnOnce(&mut Commands<'_, '_>) + Send>,
    /// Whether it is a closure, for want of a command.
    pub(crate) is_closure: bool,
}

/// Prepares the command that there is for an edit, or a closure that makes it.
pub(crate) fn prepare(edit: &AnyEdit, way: u8, entity: Entity) -> Prepared {
    if let Some(recorded) = edit.command(way, entity) {
        return Prepared {
            record: Box::new(move |commands| recorded(&mut commands.entity(entity))),
            is_closure: false,
        };
    }
    let edit = edit.clone();
    let closure = move |world: &mut World| {
        if let Ok(entity) = world.get_entity_mut(entity) {
            edit.single(way, entity);
        }
    };
    Prepared { record: Box::new(move |commands| commands.queue(closure)), is_closure: true }
}

impl Command {
    /// Whether it edits entities in an order that is not known.
    pub(crate) fn selects(&self) -> bool {
        match self {
            Self::Select { .. } => true,
            Self::Queue { commands } => commands.iter().any(Self::selects),
            _ => false,
        }
    }

    /// The same as single commands, of which none can be put together with another.
    pub(crate) fn singles(&self) -> Vec<Self> {
        let single = |which: usize, step: (AnyEdit, u8)| Self::Group { which, steps: vec![step] };
        match self {
            Self::SpawnRun { kind, value, count } => {
                (0..*count).map(|at| Self::Spawn { kind: *kind, value: value + 10 * at }).collect()
            }
            Self::InsertRun { which, kind, value, count } => (0..*count)
                .map(|at| (at as usize, AnyEdit::Insert(Insert { kind: *kind, value: value + 10 * at })))
                .map(|(at, edit)| single((which % 1000) + at, (edit, 0)))
                .collect(),
            Self::Group { which, steps } => steps.iter().map(|step| single(*which, step.clone())).collect(),
            Self::Turns { which, steps } => {
                steps.iter().zip(which.iter().cycle()).map(|(step, at)| single(*at, step.clone())).collect()
            }
            other => vec![other.clone()],
        }
    }
}
