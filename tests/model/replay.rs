//! Playing lists of commands on both worlds.

use strata_ecs::entity::EntityError;
use strata_ecs::error::CommandError;
use strata_ecs::prelude::*;
use strata_tests::panics::catch;

use super::commands::{Command, Done, Fate, Recorder};
use super::edits::AnyEdit;
use super::oracle::Oracle;
use super::parts::{Make, with_bundle};
use super::run::{Effect, Run};

/// An error of a command: its name, its bundle and what is wrong.
pub(crate) type Fault = (&'static str, &'static str, EntityError);

/// Takes the errors of the world, and says how many are missing.
fn take(world: &mut World) -> (Vec<Fault>, usize) {
    let (errors, missing) = world.take_command_errors();
    let fault = |error: &CommandError| (error.command(), error.bundle(), error.error().expect("it is of an entity"));
    (errors.iter().map(fault).collect(), missing)
}

/// Takes the errors of the world, none of which may be missing.
pub(crate) fn take_faults(world: &mut World) -> Vec<Fault> {
    let (faults, missing) = take(world);
    assert_eq!(missing, 0);
    faults
}

/// Takes the errors of the world, which are to be these. It keeps a limited number and counts the others.
pub(crate) fn assert_faults(world: &mut World, expected: &[Fault]) {
    let (faults, missing) = take(world);
    assert_eq!(faults.len() + missing, expected.len());
    assert_eq!(faults, expected[..faults.len()]);
}

impl Oracle {
    /// Edits one entity by a command, and says what is wrong if it is not alive and the command reports it.
    ///
    /// Commands for one entity that follow each other are one change; a closure is one of its own.
    pub(crate) fn command(&mut self, entity: Entity, edit: &AnyEdit, way: u8, is_closure: bool) -> Option<Fault> {
        if is_closure {
            self.end();
        }
        self.begin(entity);
        let lives = self.lives(entity);
        if lives {
            edit.expect(self, entity);
        }
        if is_closure {
            self.end();
        }
        let (command, bundle) = edit.names(way).filter(|_| !lives)?;
        let unknown = entity == Entity::PLACEHOLDER;
        let error = if unknown { EntityError::Unknown(entity) } else { EntityError::Despawned(entity.into()) };
        Some((command, bundle, error))
    }
}

impl Done {
    fn spawned(&self) -> Option<Entity> {
        if let Self::Spawn { entity, .. } = self { Some(*entity) } else { None }
    }

    fn is_closure(&self) -> bool {
        match self {
            Self::Edit { is_closure, .. } | Self::Select { is_closure, .. } => *is_closure,
            Self::InsertNow { .. } | Self::SpawnNow { .. } | Self::Queued => true,
            Self::Spawn { .. } | Self::InsertResource { .. } | Self::RemoveResource | Self::Round => false,
        }
    }
}

impl Run {
    /// Records commands, applies them or not, and does the same one by one on the naive world.
    pub(crate) fn commands(&mut self, commands: &[Command], reserved: usize, fate: Fate) -> Effect {
        let in_any_order = commands.iter().any(Command::selects);
        // Entities that are spawned late are selected before they have any components, which is not tested here.
        let fate = if in_any_order && fate == Fate::Late { Fate::Applied } else { fate };
        if in_any_order {
            self.readers.read_all(&self.world, &self.oracle);
        }
        let reserved: Vec<Entity> = self.world.reserve_entities(reserved).collect();
        if in_any_order {
            // An id that is no entity yet is not selected.
            self.world.flush();
        }
        let recorder = Recorder::new(self.ids.iter().chain(&reserved).copied().collect());
        let applied = if fate == Fate::Flushed {
            recorder.record(&mut self.world.commands(), commands);
            catch(|| self.world.flush())
        } else {
            let mut queue = CommandQueue::default();
            recorder.record(&mut Commands::new(&mut queue, &self.world), commands);
            if fate == Fate::Late {
                self.world.flush();
            }
            catch(|| match fate {
                Fate::Dropped => drop(queue),
                _ => queue.apply(&mut self.world),
            })
        };
        self.world.check_invariants();
        let done = recorder.with(|record| std::mem::take(&mut record.done));
        if applied.is_err() {
            return Effect::Whole;
        }
        self.world.flush();
        reserved.into_iter().for_each(|entity| self.born(entity, 0, 0));
        let faults: Vec<Fault> = if fate == Fate::Dropped {
            self.only_spawn(done);
            Vec::new()
        } else {
            let spawned: Vec<Entity> = done.iter().filter_map(Done::spawned).collect();
            let mut faults = Vec::new();
            for done in done {
                if in_any_order && done.is_closure() {
                    self.oracle.end();
                    spawned.iter().for_each(|entity| self.become_entity(*entity));
                }
                faults.extend(self.replay(done));
            }
            faults
        };
        self.oracle.end();
        if in_any_order {
            self.readers.read_in_any_order(&self.world, &self.oracle);
        }
        assert_faults(&mut self.world, &faults);
        Effect::Exact
    }

    /// The ids of commands that are never applied are entities without components.
    fn only_spawn(&mut self, done: Vec<Done>) {
        for done in done {
            if let Done::Spawn { entity, .. } = done {
                self.born(entity, 0, 0);
            }
        }
    }

    /// A closure gets the world, in which ids that later commands spawn are entities without components.
    fn become_entity(&mut self, entity: Entity) {
        if !self.has_met(entity) {
            self.born(entity, 0, 0);
        }
    }

    fn replay(&mut self, done: Done) -> Option<Fault> {
        if !matches!(done, Done::Edit { .. }) {
            self.oracle.end();
        }
        match done {
            Done::Spawn { entity, mask, value, bundle } => {
                self.oracle.begin(entity);
                self.become_entity(entity);
                if !self.oracle.lives(entity) {
                    // A selection has ended it before it got its components.
                    return Some(("spawn", bundle, EntityError::Despawned(entity.into())));
                }
                self.oracle.insert(entity, mask, value);
            }
            Done::Select { targets, list, edit, .. } => self.expect_of(&targets, &list, &edit),
            Done::SpawnNow { entity, mask, value } => self.born(entity, mask, value),
            Done::Edit { entity, edit, way, is_closure } => return self.oracle.command(entity, &edit, way, is_closure),
            Done::InsertNow { entity, kind, value } => {
                self.oracle.insert(entity, with_bundle!(kind, M => M::MASK), value);
            }
            Done::InsertResource { value } => self.oracle.resource = Some(value),
            Done::RemoveResource => self.oracle.resource = None,
            Done::Queued | Done::Round => {}
        }
        None
    }
}
