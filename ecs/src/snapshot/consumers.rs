//! The state of consumers in a snapshot, as data. Consumers are systems in schedules, and the removal logs that they
//! read.
//!
//! Tests: tests/snapshots/consumers.rs

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;

use super::api::WorldSnapshot;
use super::columns::NewColumnContents;
use crate::component::{ComponentDescriptor, ErasedSlice};
use crate::entity::{Entity, SystemKey};
use crate::schedule::label::InternedScheduleLabel;
use crate::schedule::{ScheduleMemory, SystemMemory};
use crate::storage::tick::{LastRun, Tick};
use crate::structure::removal::LogCopy;
use crate::structure::store::{BUILT_ERA, BuildError, MAX_NUMBER, RemovalParts, StoreCopy, StoreParts};
use crate::system::StateItem;
use crate::world::{World, for_each_schedule};

/// One piece of state that a system keeps between runs. `V` is a value of any type: borrowed from a snapshot, or boxed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum KeptBySystem<V> {
    /// The system had not been prepared, so it has no other state.
    Unprepared,
    /// The tick of the last run, and how often the ticks have been clamped since then. `None` if the system has never
    /// run, or if its last run is not recorded.
    LastRun(Option<(Tick, u32)>),
    /// The state of a message reader.
    Messages {
        /// The descriptor of the messages; `None` if they are not a resource of the world.
        list: Option<&'static ComponentDescriptor>,
        /// The number of the next message.
        next: u64,
        /// The number of messages that were dropped before they could be read.
        missed: u64,
    },
    /// The state of a reader of removals.
    Removals {
        /// The component. `None` if the snapshot leaves it out; then the reader has read all removals.
        component: Option<&'static ComponentDescriptor>,
        /// Whether the reader reads the removed values.
        of_values: bool,
        /// The number of the next entry.
        next: u64,
        /// The number of entries that were dropped before they could be read.
        missed: u64,
    },
    /// The sources with their targets that a loop along a relationship saw in its last run.
    Links(Vec<[Entity; 2]>),
    /// The value of a [`Local`](crate::system::Local); `None` if the snapshot leaves it out.
    Local(Option<V>),
}

/// The state of the systems of a schedule in a snapshot.
#[derive(Clone, Copy)]
pub struct ScheduleContents<'s> {
    snapshot: &'s WorldSnapshot,
    label: InternedScheduleLabel,
    memory: &'s ScheduleMemory,
}

/// The state of a system in a snapshot.
#[derive(Clone, Copy)]
pub struct SystemContents<'s> {
    of: ScheduleContents<'s>,
    system: &'s SystemMemory,
}

/// Removals of a component in a snapshot that some systems in schedules may not have read.
#[derive(Clone, Copy)]
pub struct RemovalContents<'s> {
    component: &'static ComponentDescriptor,
    list: &'s LogCopy,
    of_values: bool,
    /// The number of the first entry that some of these systems has not read.
    from: u64,
}

/// The ticks at which entities were spawned. They exist if a consumer needed them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpawnTicks {
    /// The tick for each entity index.
    pub of_indexes: Vec<Tick>,
    /// The tick for all higher indexes.
    pub others: Tick,
    /// The latest of all ticks.
    pub newest: Tick,
}

/// The state of the systems of a schedule, for a [`SnapshotBuilder`](super::SnapshotBuilder).
#[derive(Debug)]
pub struct NewScheduleContents {
    /// The label of the schedule, formatted with `Debug`.
    pub label: String,
    /// Whether the schedule has run in the current frame: see [`ScheduleContents::has_run_in_frame`].
    pub has_run_in_frame: bool,
    /// The lists of messages that the schedule retains, each with a number: see [`ScheduleContents::held_messages`].
    pub held_messages: Vec<(&'static ComponentDescriptor, u64)>,
    /// The systems and conditions.
    pub systems: Vec<NewSystemContents>,
}

/// The state of a system, for a [`SnapshotBuilder`](super::SnapshotBuilder).
#[derive(Debug)]
pub struct NewSystemContents {
    /// The name of the system.
    pub name: String,
    /// The index of the system among the systems with the same name.
    pub nth: u32,
    /// Whether the system is a condition.
    pub is_condition: bool,
    /// The number of ids that the system is expected to reserve.
    pub expected_ids: u32,
    /// The pieces of state, in the order of the parameters.
    pub kept: Vec<KeptBySystem<Box<dyn Any + Send + Sync>>>,
}

/// Removals of a component, for a [`SnapshotBuilder`](super::SnapshotBuilder).
pub struct NewRemovalContents(pub(super) RemovalParts);

impl<'s> ScheduleContents<'s> {
    pub(super) fn all(snapshot: &'s WorldSnapshot) -> impl Iterator<Item = Self> {
        snapshot.systems.iter().map(move |(label, memory)| Self { snapshot, label: *label, memory })
    }

    /// Returns the label of the schedule.
    #[must_use]
    pub fn label(self) -> InternedScheduleLabel {
        self.label
    }

    /// Returns the systems, followed by the conditions.
    pub fn systems(self) -> impl ExactSizeIterator<Item = SystemContents<'s>> {
        self.memory.systems.iter().map(move |system| SystemContents { of: self, system })
    }

    /// Returns whether the schedule has run in the current frame. False if some schedule that has run in it is not in
    /// the snapshot. The frame ends when one of the schedules runs again.
    #[must_use]
    pub fn has_run_in_frame(self) -> bool {
        let copy = &self.snapshot.copy;
        let Some(ran) = copy.frames.labels() else { return false };
        let known: Vec<u64> = self.snapshot.systems.iter().map(|(label, _)| label.number()).collect();
        ran.iter().all(|label| known.contains(label)) && ran.contains(&self.label.number())
    }

    /// Returns the lists of messages that the schedule retains, each with the number of the first message that its
    /// systems may not have read.
    pub fn held_messages(self) -> impl Iterator<Item = (&'static ComponentDescriptor, u64)> {
        self.snapshot.copy.held_messages(&self.memory.seat)
    }
}

impl<'s> SystemContents<'s> {
    /// Returns the name of the system.
    #[must_use]
    pub fn name(self) -> &'s str {
        &self.system.name
    }

    /// Returns the index of the system among the systems, or among the conditions, with the same name.
    #[must_use]
    pub fn nth(self) -> u32 {
        self.system.nth
    }

    /// Returns whether the system is a condition.
    #[must_use]
    pub fn is_condition(self) -> bool {
        self.system.is_condition
    }

    fn key(self) -> SystemKey {
        SystemKey::new(Some(self.of.label), self.name(), self.nth())
    }

    /// Returns the number of ids that the system is expected to reserve. It affects which ids the system gets.
    #[must_use]
    pub fn expected_ids(self) -> u32 {
        if self.is_condition() { 0 } else { self.of.snapshot.copy.id_forecasts.wanted_by(self.key()) }
    }

    /// Returns the pieces of state, in the order of the parameters.
    pub fn kept(self) -> impl Iterator<Item = KeptBySystem<&'s (dyn Any + Send + Sync)>> {
        let copy = &self.of.snapshot.copy;
        self.system.memory.iter().map(move |memory| match memory {
            StateItem::Unprepared => KeptBySystem::Unprepared,
            StateItem::LastRun(last_run) => KeptBySystem::LastRun(last_run.age(copy.era)),
            StateItem::Cursor(origin, next, missed) => {
                let list = copy.messages_at(*origin).map(|(list, _)| list);
                KeptBySystem::Messages { list, next: *next, missed: *missed }
            }
            StateItem::Reader(list, of_values, [next, missed]) => {
                let component = copy.removals.get(*list).and_then(|lists| lists[1].descriptor());
                KeptBySystem::Removals { component, of_values: *of_values, next: *next, missed: *missed }
            }
            StateItem::ReaderAtEnd => KeptBySystem::Removals { component: None, of_values: false, next: 0, missed: 0 },
            StateItem::Links(links) => KeptBySystem::Links(links.iter().map(|(a, b)| [*a, *b]).collect()),
            StateItem::Value(value) => KeptBySystem::Local(value.as_deref()),
        })
    }
}

impl<'s> RemovalContents<'s> {
    /// Returns the removal logs that a system in a schedule reads, or whose capacity is not the default.
    pub(super) fn all(snapshot: &'s WorldSnapshot) -> impl Iterator<Item = Self> {
        let copy = &snapshot.copy;
        let lists = copy.removals.iter().flat_map(|lists| lists.iter().zip([false, true]).map(move |one| (lists, one)));
        lists.filter_map(move |(lists, (list, of_values))| {
            let component = lists[1].descriptor()?;
            let (first, end, limit) = list.numbers();
            let next = readers(snapshot, component, of_values).min();
            let from = next.unwrap_or(end).clamp(first, end);
            let says_something = next.is_some() || limit != LogCopy::LIMIT;
            says_something.then_some(Self { component, list, of_values, from })
        })
    }

    fn skipped(self) -> usize {
        let (first, ..) = self.list.numbers();
        (self.from - first) as usize
    }

    /// Returns the descriptor of the component.
    #[must_use]
    pub fn component(self) -> &'static ComponentDescriptor {
        self.component
    }

    /// Returns the entities that have lost the component, in the order of the removals.
    #[must_use]
    pub fn entities(self) -> &'s [Entity] {
        &self.list.entities()[self.skipped()..]
    }

    /// Returns the removed value for each of the entities, if the log keeps values.
    #[must_use]
    pub fn values(self) -> Option<ErasedSlice<'s>> {
        self.list.values().map(|values| values.values().behind(self.skipped()))
    }

    /// Clones the removed values, if the log keeps values.
    pub(super) fn new_values(self) -> Option<NewColumnContents> {
        let values = self.list.values()?.new_values(self.skipped()).unwrap_or_else(|error| error.raise());
        Some(NewColumnContents::of_parts(values))
    }

    /// Returns the number of the first entry, and the maximum number of entries.
    #[must_use]
    pub fn numbers(self) -> (u64, usize) {
        let (.., limit) = self.list.numbers();
        (self.from, limit)
    }
}

/// Returns for each reader in a schedule the number of the next entry that it reads: in the log of the entities that
/// lost a component, or of the removed values.
fn readers(
    snapshot: &WorldSnapshot,
    component: &'static ComponentDescriptor,
    of_values: bool,
) -> impl Iterator<Item = u64> {
    let all = ScheduleContents::all(snapshot).flat_map(ScheduleContents::systems).flat_map(SystemContents::kept);
    all.filter_map(move |kept| match kept {
        KeptBySystem::Removals { component: Some(own), of_values: values, next, .. }
            if own.is_same(component) && values == of_values =>
        {
            Some(next)
        }
        _ => None,
    })
}

/// Returns the components with removals that readers outside of schedules have not read.
pub(super) fn unread_elsewhere(snapshot: &WorldSnapshot) -> Vec<&'static str> {
    let is_unread = |lists: &&[LogCopy; 2]| {
        lists.iter().zip([false, true]).any(|(list, of_values)| {
            let (_, end, _) = list.numbers();
            let own = lists[1].descriptor();
            let known = own.map_or(0, |own| readers(snapshot, own, of_values).filter(|next| *next < end).count());
            list.unread() > known
        })
    };
    let lists = snapshot.copy.removals.iter().filter(is_unread);
    lists.filter_map(|lists| lists[1].descriptor()).map(|component| component.name()).collect()
}

impl NewRemovalContents {
    /// Creates removals from the entities that have lost a component, in order. `first` is the number of the first
    /// entry, and `limit` the maximum number of entries.
    #[must_use]
    pub fn of(component: &'static ComponentDescriptor, entities: Vec<Entity>, first: u64, limit: usize) -> Self {
        Self(RemovalParts { component, entities, values: None, first, limit })
    }

    /// Sets the removed value of each entity.
    #[must_use]
    pub fn with_values(self, values: NewColumnContents) -> Self {
        Self(RemovalParts { values: Some(values.0), ..self.0 })
    }
}

impl_debug_as_struct! {
    [] NewRemovalContents, "NewRemovalContents", |this| {
        component: this.0.component.name(), entities: this.0.entities, first: this.0.first
    } finish_non_exhaustive;
    [] ScheduleContents<'_>, "ScheduleContents", |this| { label: this.label, systems: this.systems().collect::<Vec<_>>() } finish;
    [] SystemContents<'_>, "SystemContents", |this| { name: this.name(), nth: this.nth(), kept: this.kept().collect::<Vec<_>>() } finish;
    [] RemovalContents<'_>, "RemovalContents", |this| {
        component: this.component.name(), of_values: this.of_values, entities: this.entities()
    } finish;
}

/// A schedule of a world, and the state that its systems will get.
type FoundSchedule = (InternedScheduleLabel, Vec<NewSystemContents>);

/// Prepares the schedules for which system state is given, and records the state in the parts of a store. If the world
/// does not have a schedule, its state is ignored.
pub(super) fn prepare(
    world: &mut World,
    schedules: Vec<NewScheduleContents>,
    parts: &mut StoreParts,
) -> Result<Vec<FoundSchedule>, BuildError> {
    let mut labels: Vec<(InternedScheduleLabel, String)> = Vec::new();
    // A schedule that has been taken out of the world is skipped: its systems cannot be restored until it is back.
    for_each_schedule(&mut world.store, |label, _| labels.push((label, format!("{label:?}"))));
    let has_run = schedules.iter().any(|schedule| schedule.has_run_in_frame);
    let mut found = Vec::new();
    for NewScheduleContents { label: text, has_run_in_frame, held_messages, systems } in schedules {
        let mut of_text = labels.iter().filter(|(_, own)| *own == text);
        let Some(&(label, _)) = of_text.next() else { continue };
        if of_text.next().is_some() {
            return Err(BuildError::Schedule(text, "another one has a label that looks alike".to_string()));
        }
        let prepared = world.try_schedule_scope(label, |world, schedule| {
            schedule.initialize(world).map(|()| schedule.seat_in(world.id()).clone())
        });
        let Ok(prepared) = prepared else { continue };
        let seat = prepared.map_err(|error| BuildError::Schedule(text, error.to_string()))?;
        parts.held.push((Arc::downgrade(&seat), held_messages));
        parts.ran.extend((has_run && has_run_in_frame).then_some(label.number()));
        let expected = systems.iter().filter(|system| system.expected_ids != 0);
        let key = |system: &NewSystemContents| SystemKey::new(Some(label), &system.name, system.nth);
        parts.expected_ids.extend(expected.map(|system| (key(system), system.expected_ids)));
        found.push((label, systems));
    }
    Ok(found)
}

/// Converts the state of systems for a store that is restored from a copy.
pub(super) fn memories(
    world: &mut World,
    copy: &StoreCopy,
    found: Vec<FoundSchedule>,
) -> Result<Vec<(InternedScheduleLabel, ScheduleMemory)>, BuildError> {
    let mut all = Vec::new();
    for (label, systems) in found {
        let mut memories = Vec::new();
        for NewSystemContents { name, nth, is_condition, kept, .. } in systems {
            let memory: Option<Vec<StateItem>> = kept.into_iter().map(|kept| memory(world, copy, kept)).collect();
            let Some(memory) = memory else { return Err(BuildError::System(format!("{label:?}"), name)) };
            memories.push(SystemMemory { name, nth, is_condition, memory });
        }
        all.push((label, ScheduleMemory { systems: memories, ..ScheduleMemory::default() }));
    }
    Ok(all)
}

/// Converts one piece of state. Returns `None` if it is invalid.
fn memory(world: &mut World, copy: &StoreCopy, kept: KeptBySystem<Box<dyn Any + Send + Sync>>) -> Option<StateItem> {
    // A larger number of missed entries would overflow the reader's count.
    if let KeptBySystem::Messages { missed, .. } | KeptBySystem::Removals { missed, .. } = &kept
        && *missed > MAX_NUMBER
    {
        return None;
    }
    Some(match kept {
        KeptBySystem::Unprepared => StateItem::Unprepared,
        KeptBySystem::LastRun(None) => StateItem::LastRun(LastRun::default()),
        KeptBySystem::LastRun(Some((tick, age))) => {
            if age >= LastRun::FORGOTTEN {
                return None;
            }
            StateItem::LastRun(LastRun::aged(tick, age, BUILT_ERA))
        }
        KeptBySystem::Messages { list, next, missed } => match list.and_then(|list| copy.messages_of(list)) {
            Some((_, numbers)) if next > numbers.end => return None,
            Some((_, numbers)) => StateItem::Cursor(numbers.origin, next, missed),
            // The list does not exist, so there is nothing to read, and the cursor starts at 0.
            None => StateItem::Cursor(0, 0, missed),
        },
        KeptBySystem::Removals { component: None, .. } => StateItem::ReaderAtEnd,
        KeptBySystem::Removals { component: Some(component), of_values, next, missed } => {
            let id = world.store.register_descriptor(component).ok()?;
            let list = world.store.events.removals.list_of(id);
            let end =
                list.and_then(|list| copy.removals.get(list)).map(|lists| lists[usize::from(of_values)].numbers().1);
            if end.is_some_and(|end| next > end) {
                return None;
            }
            // If the log does not exist, the system no longer reads it.
            StateItem::Reader(list.unwrap_or(usize::MAX), of_values, [next, missed])
        }
        KeptBySystem::Links(links) => {
            StateItem::Links(links.into_iter().map(|[source, target]| (source, target)).collect())
        }
        KeptBySystem::Local(value) => StateItem::Value(value),
    })
}
