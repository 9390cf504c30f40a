//! Lists of commands: how they are drawn, and how they are recorded for the real world.

use std::any::type_name;
use std::sync::{Arc, Mutex};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_tests::drops::Token;

use super::operations::{kind, value, which};
use super::parts::{Make, with_bundle};

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

/// What becomes of a list of commands.
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

/// A change of one entity.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Insert { kind: u8, value: u32, quiet: bool },
    InsertIfNew { kind: u8, value: u32, quiet: bool },
    Remove { kind: u8, quiet: bool },
    Retain { kind: u8 },
    Clear,
    Despawn { quiet: bool },
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
    /// Changes of one entity that follow each other.
    Group {
        which: usize,
        changes: Vec<Change>,
    },
    /// Changes of two entities by turns.
    Turns {
        which: [usize; 2],
        changes: Vec<Change>,
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
    InsertResource {
        value: u32,
    },
    RemoveResource,
    /// A closure that queues commands.
    Queue {
        commands: Vec<Self>,
    },
}

fn change() -> impl Strategy<Value = Change> {
    let quiet = any::<bool>;
    prop_oneof![
        6 => (kind(), value(), quiet()).prop_map(|(kind, value, quiet)| Change::Insert { kind, value, quiet }),
        4 => (kind(), value(), quiet()).prop_map(|(kind, value, quiet)| Change::InsertIfNew { kind, value, quiet }),
        5 => (kind(), quiet()).prop_map(|(kind, quiet)| Change::Remove { kind, quiet }),
        1 => kind().prop_map(|kind| Change::Retain { kind }),
        1 => Just(Change::Clear),
        1 => quiet().prop_map(|quiet| Change::Despawn { quiet }),
    ]
}

/// Commands whose outcome does not depend on when closures run.
pub(crate) fn plain_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        3 => (kind(), value()).prop_map(|(kind, value)| Command::Spawn { kind, value }),
        1 => Just(Command::SpawnEmpty),
        2 => (kind(), value(), 0..6_u32).prop_map(|(kind, value, count)| Command::SpawnRun { kind, value, count }),
        3 => (which(), kind(), value(), 0..6_u32)
            .prop_map(|(which, kind, value, count)| Command::InsertRun { which, kind, value, count }),
        8 => (which(), vec(change(), 1..7)).prop_map(|(which, changes)| Command::Group { which, changes }),
        2 => ([which(), which()], vec(change(), 1..7)).prop_map(|(which, changes)| Command::Turns { which, changes }),
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
    vec(command, 0..8)
}

pub(crate) fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![4 => Just(Fate::Flushed), 4 => Just(Fate::Applied), 2 => Just(Fate::Late), 1 => Just(Fate::Dropped)]
}

/// A command that has been recorded, or a closure that has run.
#[derive(Debug)]
pub(crate) enum Done {
    Spawn { entity: Entity, mask: u8, value: u32 },
    Change { entity: Entity, change: Change },
    InsertNow { entity: Entity, kind: u8, value: u32 },
    InsertResource { value: u32 },
    RemoveResource,
}

/// What has been recorded, in the order in which it is applied: what commands queue in turn is recorded when all others
/// have been, and applied behind them.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) known: Vec<Entity>,
    pub(crate) done: Vec<Done>,
}

impl Record {
    fn pick(&self, which: usize) -> Entity {
        if self.known.is_empty() { Entity::PLACEHOLDER } else { self.known[which % self.known.len()] }
    }

    fn spawned(&mut self, entity: Entity, mask: u8, value: u32) {
        self.known.push(entity);
        self.done.push(Done::Spawn { entity, mask, value });
    }
}

/// A record that closures write to as well.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Record>>);

impl Recorder {
    pub(crate) fn new(known: Vec<Entity>) -> Self {
        Self(Arc::new(Mutex::new(Record { known, done: Vec::new() })))
    }

    pub(crate) fn with<T>(&self, action: impl FnOnce(&mut Record) -> T) -> T {
        action(&mut self.0.lock().expect("nothing panics while it is locked"))
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
                self.with(|record| record.spawned(entity, 0, 0));
            }
            Command::SpawnRun { kind, value, count } => {
                (0..*count).for_each(|at| self.spawn(commands, *kind, value + 10 * at));
            }
            Command::InsertRun { which, kind, value, count } => {
                for at in 0..*count {
                    let change = Change::Insert { kind: *kind, value: value + 10 * at, quiet: false };
                    self.change(commands, (which % 1000) + at as usize, &change);
                }
            }
            Command::Group { which, changes } => {
                changes.iter().for_each(|change| self.change(commands, *which, change));
            }
            Command::Turns { which, changes } => {
                changes.iter().zip(which.iter().cycle()).for_each(|(change, at)| self.change(commands, *at, change));
            }
            _ => self.record_other(commands, command),
        }
    }

    fn record_other(&self, commands: &mut Commands<'_, '_>, command: &Command) {
        match command {
            Command::SpawnNow { kind, value } => {
                let (record, value) = (self.clone(), *value);
                with_bundle!(kind, M => {
                    let made = M::make(value);
                    commands.queue(move |world: &mut World| {
                        let entity = world.spawn(made).id();
                        record.with(|record| record.spawned(entity, M::MASK, value));
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
            Command::InsertResource { value } => {
                commands.insert_resource(Kept::new(*value));
                self.with(|record| record.done.push(Done::InsertResource { value: *value }));
            }
            Command::RemoveResource => {
                commands.remove_resource::<Kept>();
                self.with(|record| record.done.push(Done::RemoveResource));
            }
            Command::Queue { commands: list } => {
                let (record, list) = (self.clone(), list.clone());
                commands.queue(move |world: &mut World| record.record(&mut world.commands(), &list));
            }
            _ => unreachable!("recorded by `record_one`"),
        }
    }

    fn spawn(&self, commands: &mut Commands<'_, '_>, kind: u8, value: u32) {
        with_bundle!(kind, M => {
            let entity = commands.spawn(M::make(value)).id();
            self.with(|record| record.spawned(entity, M::MASK, value));
        });
    }

    fn change(&self, commands: &mut Commands<'_, '_>, which: usize, change: &Change) {
        let entity = self.with(|record| record.pick(which));
        change.record(&mut commands.entity(entity));
        self.with(|record| record.done.push(Done::Change { entity, change: change.clone() }));
    }
}

impl Change {
    fn record(&self, entity: &mut EntityCommands<'_>) {
        match *self {
            Self::Insert { kind, value, quiet: false } => with_bundle!(kind, M => { entity.insert(M::make(value)); }),
            Self::Insert { kind, value, quiet: true } => {
                with_bundle!(kind, M => { entity.try_insert(M::make(value)); })
            }
            Self::InsertIfNew { kind, value, quiet: false } => {
                with_bundle!(kind, M => { entity.insert_if_new(M::make(value)); });
            }
            Self::InsertIfNew { kind, value, quiet: true } => {
                with_bundle!(kind, M => { entity.try_insert_if_new(M::make(value)); });
            }
            Self::Remove { kind, quiet: false } => with_bundle!(kind, M => { entity.remove::<M>(); }),
            Self::Remove { kind, quiet: true } => with_bundle!(kind, M => { entity.try_remove::<M>(); }),
            Self::Retain { kind } => with_bundle!(kind, M => { entity.retain::<M>(); }),
            Self::Clear => {
                entity.clear();
            }
            Self::Despawn { quiet: false } => entity.despawn(),
            Self::Despawn { quiet: true } => entity.try_despawn(),
        }
    }

    /// The names of the command and its bundle in an error; none if nobody is told.
    pub(crate) fn names(&self) -> Option<(&'static str, &'static str)> {
        let bundle = |kind| with_bundle!(kind, M => type_name::<M>());
        match *self {
            Self::Insert { quiet: true, .. }
            | Self::InsertIfNew { quiet: true, .. }
            | Self::Remove { quiet: true, .. }
            | Self::Despawn { quiet: true } => None,
            Self::Insert { kind, .. } => Some(("insert", bundle(kind))),
            Self::InsertIfNew { kind, .. } => Some(("insert_if_new", bundle(kind))),
            Self::Remove { kind, .. } => Some(("remove", bundle(kind))),
            Self::Retain { kind } => Some(("retain", bundle(kind))),
            Self::Clear => Some(("retain", type_name::<()>())),
            Self::Despawn { .. } => Some(("despawn", "")),
        }
    }
}

impl Command {
    /// The same as single commands, of which none can be put together with another.
    pub(crate) fn singles(&self) -> Vec<Self> {
        let single = |which: usize, change: Change| Self::Group { which, changes: vec![change] };
        match self {
            Self::SpawnRun { kind, value, count } => {
                (0..*count).map(|at| Self::Spawn { kind: *kind, value: value + 10 * at }).collect()
            }
            Self::InsertRun { which, kind, value, count } => (0..*count)
                .map(|at| (at as usize, Change::Insert { kind: *kind, value: value + 10 * at, quiet: false }))
                .map(|(at, change)| single((which % 1000) + at, change))
                .collect(),
            Self::Group { which, changes } => changes.iter().map(|change| single(*which, change.clone())).collect(),
            Self::Turns { which, changes } => {
                changes.iter().zip(which.iter().cycle()).map(|(change, at)| single(*at, change.clone())).collect()
            }
            other => vec![other.clone()],
        }
    }
}
