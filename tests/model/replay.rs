//! Playing lists of commands on both worlds.

use strata_ecs::entity::EntityError;
use strata_ecs::prelude::*;
use strata_tests::panics::catch;

use super::commands::{Change, Command, Done, Fate, Recorder};
use super::naive::Naive;
use super::parts::{Make, with_bundle};
use super::run::{Effect, Run};

/// An error of a command: its name, its bundle and what is wrong.
pub(crate) type Fault = (&'static str, &'static str, EntityError);

/// Takes the errors of the world, none of which may be missing.
pub(crate) fn take_faults(world: &mut World) -> Vec<Fault> {
    let (errors, missing) = world.take_command_errors();
    assert_eq!(missing, 0);
    errors.iter().map(|error| (error.command(), error.bundle(), error.error().expect("it is of an entity"))).collect()
}

impl Naive {
    /// Changes one entity, and says what is wrong if it is not alive and somebody wants to know.
    fn change(&mut self, entity: Entity, change: &Change) -> Option<Fault> {
        if !self.rows.contains_key(&entity) {
            let unknown = entity == Entity::PLACEHOLDER;
            let error = if unknown { EntityError::Unknown(entity) } else { EntityError::Despawned(entity.into()) };
            return change.names().map(|(command, bundle)| (command, bundle, error));
        }
        let mask = |kind: u8| with_bundle!(kind, M => M::MASK);
        match *change {
            Change::Insert { kind, value, .. } => self.insert(entity, mask(kind), value),
            Change::InsertIfNew { kind, value, .. } => self.insert_if_new(entity, mask(kind), value),
            Change::Remove { kind, .. } => self.remove(entity, mask(kind)),
            Change::Retain { kind } => self.retain(entity, mask(kind)),
            Change::Clear => self.retain(entity, 0),
            Change::Despawn { .. } => drop(self.rows.remove(&entity)),
        }
        None
    }
}

impl Run {
    /// Records commands, applies them or not, and does the same one by one on the naive world.
    pub(crate) fn commands(&mut self, commands: &[Command], reserved: usize, fate: Fate) -> Effect {
        let reserved: Vec<Entity> = self.world.reserve_entities(reserved).collect();
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
            done.into_iter().filter_map(|done| self.replay(done)).collect()
        };
        assert_eq!(take_faults(&mut self.world), faults);
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

    fn replay(&mut self, done: Done) -> Option<Fault> {
        match done {
            Done::Spawn { entity, mask, value } => self.born(entity, mask, value),
            Done::Change { entity, change } => return self.naive.change(entity, &change),
            Done::InsertNow { entity, kind, value } => {
                self.naive.insert(entity, with_bundle!(kind, M => M::MASK), value);
            }
            Done::InsertResource { value } => self.naive.resource = Some(value),
            Done::RemoveResource => self.naive.resource = None,
        }
        None
    }
}
