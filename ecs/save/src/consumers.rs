//! The state of consumers in files: numbers, texts and bytes that every `serde` format supports.
//!
//! Systems are identified by the label of their schedule and by their names, and their state is in the order of their parameters. A type
//! has a name in files and a version; a type that a format leaves out has no name, and only its presence is recorded.
//!
//! Tests: tests/snapshots/consumers.rs

use std::any::{TypeId, type_name};
use std::collections::HashMap;

use strata_ecs::change::Tick;
use strata_ecs::component::ComponentDescriptor;
use strata_ecs::prelude::Entity;
use strata_ecs::snapshot::{
    KeptBySystem, LeftOut, NewRemovalContents, NewScheduleContents, NewSystemContents, RemovalContents,
    ScheduleContents, SnapshotBuilder, SnapshotContents, SpawnTicks, SystemContents,
};

use crate::bytes::Lengths;
use crate::encoding::{Budget, decode, encode};
use crate::error::{NotSaved, Problem, SaveError};
use crate::format::WorldFormat;
use crate::local_types::{AnyValue, LocalType};
use crate::types::{ComponentType, ResourceType, name_of};
use crate::values::{Form, Values};

/// One part of the state of a system: its [`kind`], the name of a type, numbers, and the bytes of a value.
type Kept = (u8, String, Vec<u64>, Vec<u8>);
/// The state of a system: its name, its index among the systems with this name in the schedule, whether it is a run condition, the number
/// of ids that it is expected to reserve, and the parts of its state.
type SystemData = (String, u32, bool, u32, Vec<Kept>);
/// The state of a schedule: its label, whether it has run in the frame, the lists of messages that it retains with the number of the first
/// retained message, and its systems.
type ScheduleData = (String, bool, Vec<(String, u64)>, Vec<SystemData>);
/// The removal log of a component: the name and version of the component, whether the log keeps values, the number of the first entry, the
/// maximum number of entries, the entities, and the bytes of the values.
type RemovalData = (String, u32, bool, u64, u64, Vec<u64>, Vec<u8>);
/// The ticks at which entities were spawned, by index; the tick of all further indexes; and the newest tick.
type SpawnData = (Vec<u32>, u32, u32);
/// The state of all consumers.
pub(crate) type ConsumersData = (Vec<ScheduleData>, Vec<RemovalData>, Option<SpawnData>);

/// Kinds of system state.
mod kind {
    pub(super) const LAST_RUN: u8 = 0;
    pub(super) const MESSAGES: u8 = 1;
    pub(super) const REMOVALS: u8 = 2;
    pub(super) const LINKS: u8 = 3;
    pub(super) const LOCAL: u8 = 4;
}

/// Converts the state of the consumers of a world; returns an empty state if the format leaves it out.
pub(crate) fn of(format: &WorldFormat, contents: SnapshotContents<'_>) -> Result<ConsumersData, SaveError> {
    if format.new_consumers {
        return Ok(ConsumersData::default());
    }
    let names = Names::of(format);
    let mut all = Vec::new();
    let removals = contents.removals().map(|removals| names.removals(removals));
    let removals: Vec<RemovalData> = removals.filter_map(|data| data.transpose()).collect::<Result<_, _>>()?;
    let left_out = if format.skips_consumers { contents.left_out() } else { Vec::new() };
    for schedule in contents.schedules() {
        let is_ambiguous =
            |what: &LeftOut| matches!(what, LeftOut::Systems(label) if *label == format!("{:?}", schedule.label()));
        if !left_out.iter().any(is_ambiguous) {
            all.extend(names.schedule(schedule)?);
        }
    }
    let ticks = |ticks: Vec<Tick>| ticks.into_iter().map(Tick::get).collect();
    let spawns = contents.spawns().map(|all| (ticks(all.of_indexes), all.others.get(), all.newest.get()));
    Ok((all, removals, spawns))
}

/// The types of a format, with their names in files.
struct Names<'f> {
    format: &'f WorldFormat,
    locals: HashMap<TypeId, LocalType>,
}

impl<'f> Names<'f> {
    fn of(format: &'f WorldFormat) -> Self {
        let locals = LocalType::simple().chain(format.locals.iter().cloned());
        Self { format, locals: locals.map(|local| (local.type_id, local)).collect() }
    }

    /// Returns the type of a component; `None` if it is not saved.
    fn component(&self, descriptor: &ComponentDescriptor) -> Option<&'f ComponentType> {
        let is_it = |ty: &&ComponentType| ty.descriptor.identity() == descriptor.identity();
        self.format.components.iter().find(is_it).filter(|ty| self.format.saves(ty.descriptor))
    }

    /// Returns the name of a list of messages; `None` if it is not saved.
    fn list(&self, descriptor: &ComponentDescriptor) -> Option<String> {
        let is_it = |ty: &&ResourceType| ty.descriptor.identity() == descriptor.identity();
        self.format.resources.iter().find(is_it).map(|ty| name_of(ty.descriptor))
    }

    /// Converts the removal log of a component; returns `None` if the component is left out.
    fn removals(&self, removals: RemovalContents<'_>) -> Result<Option<RemovalData>, SaveError> {
        let descriptor = removals.component();
        let Some(ty) = self.component(descriptor) else {
            // A left-out component is treated as if it had never existed, so it has no removals.
            let is_left_out = self.format.skips_consumers || self.format.leaves_out(descriptor);
            return match removals.entities().is_empty() || is_left_out {
                true => Ok(None),
                false => Err(SaveError::NotSaved(vec![NotSaved::LeftOut(LeftOut::Removals(descriptor.name()))])),
            };
        };
        let ((first, limit), mut bytes) = (removals.numbers(), Vec::new());
        if let Some(values) = removals.values() {
            let written = (ty.write)(values, &mut bytes, &mut Lengths::default());
            written.map_err(|error| SaveError::Value(descriptor.name(), error))?;
        }
        let entities = removals.entities().iter().map(|entity| entity.to_bits()).collect();
        let of_values = removals.values().is_some();
        Ok(Some((name_of(descriptor), ty.version, of_values, first, limit as u64, entities, bytes)))
    }

    /// Converts the state of a schedule; returns `None` if there is no state to save.
    fn schedule(&self, schedule: ScheduleContents<'_>) -> Result<Option<ScheduleData>, SaveError> {
        let held = schedule.held_messages().filter_map(|(list, from)| Some((self.list(list)?, from)));
        let (held, has_run): (Vec<(String, u64)>, bool) = (held.collect(), schedule.has_run_in_frame());
        let mut systems = Vec::new();
        for system in schedule.systems() {
            systems.extend(self.system(system)?);
        }
        let says_nothing = held.is_empty() && !has_run && systems.is_empty();
        Ok((!says_nothing).then(|| (format!("{:?}", schedule.label()), has_run, held, systems)))
    }

    /// Converts the state of a system; returns `None` if the system has not been prepared. A load treats such systems and missing systems
    /// alike.
    fn system(&self, system: SystemContents<'_>) -> Result<Option<SystemData>, SaveError> {
        let mut all = Vec::new();
        for kept in system.kept() {
            all.push(match kept {
                KeptBySystem::LastRun(ran) => {
                    let numbers = ran.map(|(tick, age)| [tick.get().into(), age.into()]);
                    (kind::LAST_RUN, String::new(), numbers.into_iter().flatten().collect(), Vec::new())
                }
                KeptBySystem::Messages { list, next, missed } => {
                    let name = list.and_then(|list| self.list(list)).unwrap_or_default();
                    (kind::MESSAGES, name, vec![next, missed], Vec::new())
                }
                KeptBySystem::Removals { component, of_values, next, missed } => {
                    let name = component.and_then(|component| self.component(component));
                    let name = name.map(|ty| name_of(ty.descriptor)).unwrap_or_default();
                    (kind::REMOVALS, name, vec![of_values.into(), next, missed], Vec::new())
                }
                KeptBySystem::Links(links) => {
                    let ends = links.iter().flatten().map(|entity| entity.to_bits()).collect();
                    (kind::LINKS, String::new(), ends, Vec::new())
                }
                KeptBySystem::Local(value) => {
                    let local = value.and_then(|value| Some((value, self.locals.get(&value.type_id())?)));
                    let (mut name, mut bytes) = (String::new(), Vec::new());
                    if let Some((value, local)) = local {
                        name = local.name.to_owned();
                        local.write(value, &mut bytes).map_err(|error| SaveError::Value(local.name, error))?;
                    }
                    (kind::LOCAL, name, Vec::new(), bytes)
                }
                _ => return Ok(None),
            });
        }
        Ok(Some((system.name().to_owned(), system.nth(), system.is_condition(), system.expected_ids(), all)))
    }
}

/// Writes the data in the form that files contain.
pub(crate) fn write(data: &ConsumersData, out: &mut Vec<u8>) -> Result<(), SaveError> {
    match encode(data, out) {
        Ok(_) => Ok(()),
        Err(error) => Err(SaveError::Value(type_name::<ConsumersData>(), error.to_string())),
    }
}

/// Reads the consumer data of a file.
pub(crate) struct Read<'r, 'b> {
    pub(crate) format: &'r WorldFormat,
    pub(crate) components: &'r HashMap<String, ComponentType>,
    pub(crate) resources: &'r HashMap<String, ResourceType>,
    pub(crate) budget: &'b Budget,
    /// The offset of the bytes in the file.
    pub(crate) offset: usize,
    pub(crate) now: Tick,
}

/// A problem, preceded by the name of the type that it concerns.
pub(crate) type Refused = (Option<String>, Problem);

fn entities(bits: Vec<u64>) -> Result<Vec<Entity>, Refused> {
    bits.into_iter().map(|bits| Entity::try_from_bits(bits).ok_or((None, Problem::Entity(bits)))).collect()
}

fn tick(number: u64) -> Result<Tick, Refused> {
    u32::try_from(number).map(Tick::new).map_err(|_| (None, Problem::Kept))
}

impl Read<'_, '_> {
    /// Reads the data from bytes, and adds it to a snapshot.
    pub(crate) fn add_to(&self, builder: &mut SnapshotBuilder, mut bytes: &[u8]) -> Result<(), Refused> {
        let data: ConsumersData =
            decode(&mut bytes, self.budget).map_err(|error| (None, Problem::Value(error.to_string())))?;
        if !bytes.is_empty() {
            return Err((None, Problem::ValuesTooLong));
        }
        if self.format.new_consumers {
            return Ok(());
        }
        let (schedules, removals, spawns) = data;
        let by_name: HashMap<&'static str, LocalType> =
            LocalType::simple().chain(self.format.locals.iter().cloned()).map(|local| (local.name, local)).collect();
        for (label, has_run_in_frame, held, systems) in schedules {
            let held = held.into_iter().filter_map(|(name, from)| Some((self.resources.get(&name)?.descriptor, from)));
            let held_messages = held.collect();
            let mut all = Vec::new();
            for (name, nth, is_condition, expected_ids, kept) in systems {
                let kept = kept.into_iter().map(|kept| self.kept(&by_name, kept)).collect::<Result<_, _>>()?;
                all.push(NewSystemContents { name, nth, is_condition, expected_ids, kept });
            }
            builder.add_schedule(NewScheduleContents { label, has_run_in_frame, held_messages, systems: all });
        }
        for removals in removals {
            builder.add_removals(match self.removals(removals)? {
                Some(removals) => removals,
                None => continue,
            });
        }
        if let Some((of_indexes, others, newest)) = spawns {
            let of_indexes = of_indexes.into_iter().map(Tick::new).collect();
            builder.set_spawns(SpawnTicks { of_indexes, others: Tick::new(others), newest: Tick::new(newest) });
        }
        Ok(())
    }

    /// Returns the component with this name; `None` if the name is empty or the component is skipped.
    fn component(&self, name: String) -> Result<Option<&ComponentType>, Refused> {
        match self.components.get(&name) {
            None if name.is_empty() || self.format.skips_unknown || self.format.keeps_unknown => Ok(None),
            None => Err((Some(name), Problem::UnknownName)),
            known => Ok(known),
        }
    }

    fn kept(
        &self,
        locals: &HashMap<&'static str, LocalType>,
        (kind, name, numbers, bytes): Kept,
    ) -> Result<KeptBySystem<Box<AnyValue>>, Refused> {
        Ok(match (kind, &numbers[..]) {
            (kind::LAST_RUN, []) => KeptBySystem::LastRun(None),
            (kind::LAST_RUN, &[ran, age]) => KeptBySystem::LastRun(Some((tick(ran)?, tick(age)?.get()))),
            (kind::MESSAGES, &[next, missed]) => {
                KeptBySystem::Messages { list: self.resources.get(&name).map(|ty| ty.descriptor), next, missed }
            }
            (kind::REMOVALS, &[of_values @ (0 | 1), next, missed]) => KeptBySystem::Removals {
                component: self.component(name)?.map(|ty| ty.descriptor),
                of_values: of_values == 1,
                next,
                missed,
            },
            (kind::LINKS, _) => {
                let ends = entities(numbers)?;
                let (links, []) = ends.as_chunks() else { return Err((None, Problem::Odd)) };
                KeptBySystem::Links(links.to_vec())
            }
            (kind::LOCAL, []) => match locals.get(&*name) {
                Some(local) => match local.read(&bytes, self.budget) {
                    Ok(value) => KeptBySystem::Local(Some(value)),
                    Err(error) => return Err((Some(name), Problem::Value(error))),
                },
                None if name.is_empty() || self.format.skips_locals || self.format.skips_unknown => {
                    KeptBySystem::Local(None)
                }
                None => return Err((Some(name), Problem::UnknownLocal)),
            },
            _ => return Err((None, Problem::Kept)),
        })
    }

    /// Converts the data of a removal log; returns `None` if the component is skipped.
    fn removals(&self, data: RemovalData) -> Result<Option<NewRemovalContents>, Refused> {
        let (name, version, of_values, first, limit, bits, bytes) = data;
        let entities = entities(bits)?;
        let Some(ty) = self.component(name.clone())? else { return Ok(None) };
        let count = entities.len();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let removals = NewRemovalContents::of(ty.descriptor, entities, first, limit);
        if !of_values {
            return Ok(Some(removals));
        }
        let Some(reader) = ty.reader(version) else { return Err((Some(name), Problem::ValueVersion(version))) };
        let values = Values { offset: self.offset, bytes: &bytes, count, form: Form::Unmeasured, budget: self.budget };
        match reader.read(&[values], self.now) {
            Ok(values) => Ok(Some(removals.with_values(values))),
            Err((_, problem)) => Err((Some(name), problem)),
        }
    }
}
