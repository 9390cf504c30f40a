//! The schedules of a world, by label.
//!
//! Tests: tests/systems/one_shot/schedules.rs

use alloc::vec::Vec;
use core::any::TypeId;

use hashbrown::HashMap;

use super::cast::World;
use super::one_shot::OneShots;
use crate::component::{ComponentDescriptor, TypeSlot};
use crate::schedule::label::{InternedScheduleLabel, InternedSystemSet, ScheduleLabel};
use crate::schedule::{IntoScheduleConfigs, Schedule, ScheduleShape, ScheduleSystem, TryRunScheduleError};
use crate::storage::resource::Resource;
use crate::structure::store::{Store, WorldId, end_frame_for_commands};
use crate::system::commands::{Commands, apply_after_frame};
use crate::util::mailbox::{Mailbox, Sender};

/// The resource that contains the schedules of a world.
///
/// While a schedule is running, it is not in the list. Systems that were added to it then would be lost, so adding them
/// panics: see [`entry`](Self::entry). [`insert`](Self::insert) replaces a running schedule.
///
/// ```
/// use strata_ecs::prelude::*;
/// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Update;
/// # #[derive(Resource, Default)] struct Frames(u32);
///
/// fn count(mut frames: ResMut<Frames>) {
///     frames.0 += 1;
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Frames>();
/// world.init_resource::<Schedules>();
/// world.resource_mut::<Schedules>().add_systems(Update, count);
/// world.run_schedule(Update);
/// assert_eq!(world.resource::<Frames>().0, 1);
/// ```
#[derive(Default)]
#[doc(alias("Pipelines", "Workloads"))]
pub struct Schedules {
    /// The schedules in the order in which they were added.
    list: Vec<ScheduleEntry>,
    places: HashMap<InternedScheduleLabel, usize>,
}

/// The entry of a label.
struct ScheduleEntry {
    label: InternedScheduleLabel,
    /// The schedule; `None` while it is taken out.
    schedule: Option<Schedule>,
    /// Receives a schedule that was taken out, if this list cannot be reached when the schedule is to be put back.
    returned: Mailbox<Schedule>,
}

impl ScheduleEntry {
    /// Returns the schedule, unless it is running.
    fn get(&self) -> Option<&Schedule> {
        self.schedule.as_ref().or_else(|| self.returned.newest())
    }

    /// Returns the slot of the schedule. It is empty while the schedule is running.
    fn slot_mut(&mut self) -> &mut Option<Schedule> {
        if self.schedule.is_none() && !self.returned.is_empty() {
            self.schedule = self.returned.take().pop();
        }
        &mut self.schedule
    }
}

#[diagnostic::do_not_recommend]
impl Resource for Schedules {
    fn slot() -> Option<&'static TypeSlot<Self>> {
        static SLOT: TypeSlot<Schedules> = TypeSlot::new();
        Some(&SLOT)
    }
}

impl_debug!([] Schedules => |this, f|
    f.debug_map().entries(this.list.iter().map(|entry| (entry.label, entry.get()))).finish());

impl Schedules {
    /// Creates an empty list of schedules.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// assert_eq!(Schedules::new().iter().count(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a schedule under its label, and returns the previous one. If the previous one is running, it is dropped
    /// when its run ends.
    ///
    /// # Panics
    ///
    /// If the schedule has no label, because it was made with [`Schedule::default`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// let mut schedules = Schedules::new();
    /// assert!(schedules.insert(Schedule::new(Update)).is_none());
    /// assert!(schedules.insert(Schedule::new(Update)).is_some());
    /// ```
    #[track_caller]
    pub fn insert(&mut self, schedule: Schedule) -> Option<Schedule> {
        let Some(label) = schedule.label() else {
            panic!("a schedule without a label cannot be found again: make it with `Schedule::new(label)`")
        };
        let entry = self.entry_of(label);
        let before = entry.slot_mut().replace(schedule);
        // If the replaced schedule is running, it is not put back at the end of its run.
        entry.returned = Mailbox::new();
        before
    }

    /// Returns the entry of a label. Creates it if necessary.
    fn entry_of(&mut self, label: InternedScheduleLabel) -> &mut ScheduleEntry {
        let at = *self.places.entry(label).or_insert(self.list.len());
        if at == self.list.len() {
            self.list.push(ScheduleEntry { label, schedule: None, returned: Mailbox::new() });
        }
        &mut self.list[at]
    }

    /// Puts a schedule back into the entry from which it was taken out. Returns the schedule if the entry is not in
    /// this list.
    fn put_back(
        &mut self,
        label: InternedScheduleLabel,
        schedule: Schedule,
        home: &Sender<Schedule>,
    ) -> Option<Schedule> {
        let entry = self.places.get(&label).and_then(|at| self.list.get_mut(*at));
        match entry {
            Some(entry) if entry.returned.is_of(home) => {
                entry.schedule = Some(schedule);
                None
            }
            _ => Some(schedule),
        }
    }

    /// Takes a schedule out temporarily. It is then treated like a running schedule: it keeps its position in the
    /// order, and adding systems to its label panics until [`reinsert`](Self::reinsert) puts it back.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// # fn step() {}
    /// let mut schedules = Schedules::new();
    /// schedules.insert(Schedule::new(Update));
    /// let mut update = schedules.remove_temporarily(Update).unwrap();
    /// update.add_systems(step);
    /// assert!(schedules.reinsert(update).is_none());
    /// assert_eq!(schedules.get(Update).unwrap().systems_len(), 1);
    /// ```
    pub fn remove_temporarily(&mut self, label: impl ScheduleLabel) -> Option<Schedule> {
        let at = *self.places.get(&label.intern())?;
        self.list[at].slot_mut().take()
    }

    /// Puts a schedule back that was taken out. Equivalent to [`insert`](Self::insert).
    ///
    /// # Panics
    ///
    /// If the schedule has no label, because it was made with [`Schedule::default`].
    #[track_caller]
    pub fn reinsert(&mut self, schedule: Schedule) -> Option<Schedule> {
        self.insert(schedule)
    }

    /// Removes a schedule and returns it. Returns `None` if it does not exist, or if it is running. A running schedule
    /// stays.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// let mut schedules = Schedules::new();
    /// schedules.insert(Schedule::new(Update));
    /// assert!(schedules.remove(Update).is_some());
    /// assert!(!schedules.contains(Update));
    /// ```
    pub fn remove(&mut self, label: impl ScheduleLabel) -> Option<Schedule> {
        let label = label.intern();
        let at = *self.places.get(&label)?;
        let schedule = self.list[at].slot_mut().take()?;
        self.list.remove(at);
        self.places.remove(&label);
        self.places.values_mut().filter(|place| **place > at).for_each(|place| *place -= 1);
        Some(schedule)
    }

    /// Returns whether there is a schedule with this label. It may be running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// let mut schedules = Schedules::new();
    /// assert!(!schedules.contains(Update));
    /// schedules.insert(Schedule::new(Update));
    /// assert!(schedules.contains(Update));
    /// ```
    #[must_use]
    pub fn contains(&self, label: impl ScheduleLabel) -> bool {
        self.places.contains_key(&label.intern())
    }

    /// Returns the schedule with this label, unless it is running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// let mut schedules = Schedules::new();
    /// schedules.insert(Schedule::new(Update));
    /// assert_eq!(schedules.get(Update).unwrap().systems_len(), 0);
    /// ```
    #[must_use]
    pub fn get(&self, label: impl ScheduleLabel) -> Option<&Schedule> {
        self.list[*self.places.get(&label.intern())?].get()
    }

    /// Returns the schedule with this label, borrowed mutably, unless it is running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// # fn idle() {}
    /// let mut schedules = Schedules::new();
    /// schedules.insert(Schedule::new(Update));
    /// schedules.get_mut(Update).unwrap().add_systems(idle);
    /// ```
    #[must_use]
    pub fn get_mut(&mut self, label: impl ScheduleLabel) -> Option<&mut Schedule> {
        self.list[*self.places.get(&label.intern())?].slot_mut().as_mut()
    }

    /// Returns the schedule with this label, borrowed mutably. If it does not exist, it is created.
    ///
    /// # Panics
    ///
    /// If the schedule is running, because additions would be lost.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// # fn idle() {}
    /// let mut schedules = Schedules::new();
    /// schedules.entry(Update).add_systems(idle);
    /// assert_eq!(schedules.entry(Update).systems_len(), 1);
    /// ```
    #[track_caller]
    pub fn entry(&mut self, label: impl ScheduleLabel) -> &mut Schedule {
        let label = label.intern();
        let exists = self.places.contains_key(&label);
        let place = self.entry_of(label).slot_mut();
        if !exists {
            *place = Some(Schedule::new(label));
        }
        match place {
            Some(schedule) => schedule,
            None => panic!("schedule `{label:?}` is running: it cannot be changed before it has finished"),
        }
    }

    /// Iterates over the schedules that are not running, in the order in which they were added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Draw;
    /// let mut schedules = Schedules::new();
    /// schedules.entry(Update);
    /// schedules.entry(Draw);
    /// let labels: Vec<String> = schedules.iter().map(|(label, _)| format!("{label:?}")).collect();
    /// assert_eq!(labels, ["Update", "Draw"]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (InternedScheduleLabel, &Schedule)> {
        self.list.iter().filter_map(|entry| Some((entry.label, entry.get()?)))
    }

    /// Iterates over the schedules that are not running, borrowed mutably, in the order in which they were added.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// let mut schedules = Schedules::new();
    /// schedules.entry(Update);
    /// for (_, schedule) in schedules.iter_mut() {
    ///     schedule.set_ends_frames(false);
    /// }
    /// ```
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (InternedScheduleLabel, &mut Schedule)> {
        self.list.iter_mut().filter_map(|entry| Some((entry.label, entry.slot_mut().as_mut()?)))
    }

    /// Adds systems to a schedule. If it does not exist, it is created.
    ///
    /// # Panics
    ///
    /// If the schedule is running, because the systems would be lost.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// # fn first() {}
    /// # fn second() {}
    /// let mut schedules = Schedules::new();
    /// schedules.add_systems(Update, first).add_systems(Update, second);
    /// assert_eq!(schedules.get(Update).unwrap().systems_len(), 2);
    /// ```
    #[track_caller]
    pub fn add_systems<Marker, S: ScheduleShape<Marker>>(
        &mut self,
        schedule: impl ScheduleLabel,
        systems: S,
    ) -> &mut Self
    where
        S::Whole: IntoScheduleConfigs<ScheduleSystem, Marker>,
    {
        let () = S::Whole::CHECKED;
        self.entry(schedule).add_systems(systems);
        self
    }

    /// Configures the order and the conditions of system sets in a schedule. If the schedule does not exist, it is
    /// created.
    ///
    /// # Panics
    ///
    /// If the schedule is running, because the configuration would be lost.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// # #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)] enum Step { Move, Draw }
    /// # fn walk() {}
    /// # fn shapes() {}
    /// let mut schedules = Schedules::new();
    /// schedules.configure_sets(Update, (Step::Move, Step::Draw).chain());
    /// schedules.add_systems(Update, (shapes.in_set(Step::Draw), walk.in_set(Step::Move)));
    /// let update = schedules.get_mut(Update).unwrap();
    /// update.initialize(&mut World::new()).unwrap();
    /// assert!(update.system_names()[0].ends_with("walk"));
    /// ```
    #[track_caller]
    pub fn configure_sets<Marker, S: ScheduleShape<Marker>>(
        &mut self,
        schedule: impl ScheduleLabel,
        sets: S,
    ) -> &mut Self
    where
        S::Whole: IntoScheduleConfigs<InternedSystemSet, Marker>,
    {
        self.entry(schedule).configure_sets(sets);
        self
    }
}

/// A schedule that was taken out of a world. Dropping this puts it back, even if another world has been put in the
/// place of that world.
struct TakenSchedule<'a> {
    world: &'a mut World,
    id: WorldId,
    label: InternedScheduleLabel,
    schedule: Option<Schedule>,
    home: Sender<Schedule>,
}

impl Drop for TakenSchedule<'_> {
    fn drop(&mut self) {
        let Some(mut schedule) = self.schedule.take() else { return };
        let is_at_home = self.world.id() == self.id;
        if is_at_home {
            match all(&mut self.world.store).put_back(self.label, schedule, &self.home) {
                Some(other) => schedule = other,
                None => return,
            }
        }
        if let Err(schedule) = self.home.send(schedule)
            && is_at_home
        {
            // The list from which the schedule was taken no longer exists, but the world does. The schedule is inserted into the new list,
            // unless its label has another schedule there.
            all(&mut self.world.store).entry_of(self.label).slot_mut().get_or_insert(schedule);
        }
    }
}

/// Returns the schedules of a store.
fn all(store: &mut Store) -> &mut Schedules {
    let now = store.now();
    store.resources.get_or_init(now)
}

/// Calls a function with each schedule of a world. If one of them is taken out, returns false without calling the
/// function.
pub(crate) fn for_each_schedule(store: &mut Store, mut each: impl FnMut(InternedScheduleLabel, &mut Schedule)) -> bool {
    let Some((schedules, _)) = store.resources.get_mut::<Schedules>() else { return true };
    if schedules.list.iter_mut().any(|entry| entry.slot_mut().is_none() && !entry.returned.expects_nothing()) {
        return false;
    }
    schedules.iter_mut().for_each(|(label, schedule)| each(label, schedule));
    true
}

/// Returns whether a resource with this descriptor contains systems.
pub(crate) fn keeps_systems(descriptor: &ComponentDescriptor) -> bool {
    let types = [TypeId::of::<Schedules>(), TypeId::of::<OneShots>()];
    descriptor.value_type_id().is_some_and(|id| types.contains(&id))
}

impl World {
    /// Adds a schedule under its label. If there is one already, it is replaced.
    ///
    /// # Panics
    ///
    /// If the schedule has no label, because it was made with [`Schedule::default`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// # fn step() {}
    /// let mut update = Schedule::new(Update);
    /// update.add_systems(step);
    /// let mut world = World::new();
    /// world.add_schedule(update);
    /// world.run_schedule(Update);
    /// ```
    #[track_caller]
    #[doc(alias("add_pipeline", "add_workload"))]
    pub fn add_schedule(&mut self, schedule: Schedule) {
        all(&mut self.store).insert(schedule);
    }

    /// Removes a schedule from the world, calls a function with the world and the schedule, and puts the schedule back,
    /// even if the function panics.
    ///
    /// # Errors
    ///
    /// If there is no schedule with this label, or if it is running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Physics;
    /// let mut world = World::new();
    /// world.add_schedule(Schedule::new(Physics));
    /// let twice = |world: &mut World, physics: &mut Schedule| (0..2).for_each(|_| physics.run(world));
    /// world.try_schedule_scope(Physics, twice).unwrap();
    /// ```
    pub fn try_schedule_scope<R>(
        &mut self,
        label: impl ScheduleLabel,
        scope: impl FnOnce(&mut Self, &mut Schedule) -> R,
    ) -> Result<R, TryRunScheduleError> {
        let label = label.intern();
        let found = self.store.resources.get_mut::<Schedules>().and_then(|(schedules, _)| {
            let at = *schedules.places.get(&label)?;
            let entry = &mut schedules.list[at];
            Some(entry.slot_mut().take().map(|schedule| (schedule, entry.returned.sender())))
        });
        let (schedule, home) = match found {
            Some(Some(found)) => found,
            Some(None) => return Err(TryRunScheduleError::Running(label)),
            None => return Err(TryRunScheduleError::NotFound(label)),
        };
        let id = self.id();
        let mut taken = TakenSchedule { world: self, id, label, schedule: Some(schedule), home };
        let TakenSchedule { world, schedule, .. } = &mut taken;
        match schedule {
            Some(schedule) => Ok(scope(world, schedule)),
            None => unreachable!("it has just been taken"),
        }
    }

    /// Calls a function with the world and a schedule, like [`World::try_schedule_scope`], but panics instead of
    /// returning an error.
    ///
    /// # Panics
    ///
    /// If there is no schedule with this label, or if it is running.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Physics;
    /// # fn step() {}
    /// let mut world = World::new();
    /// world.add_schedule(Schedule::new(Physics));
    /// world.schedule_scope(Physics, |_, physics| _ = physics.add_systems(step));
    /// ```
    #[track_caller]
    pub fn schedule_scope<R>(
        &mut self,
        label: impl ScheduleLabel,
        scope: impl FnOnce(&mut Self, &mut Schedule) -> R,
    ) -> R {
        match self.try_schedule_scope(label, scope) {
            Ok(result) => result,
            Err(error) => panic!("{error}"),
        }
    }

    /// Runs a schedule: see [`Schedule::try_run`].
    ///
    /// # Errors
    ///
    /// If there is no schedule with this label, if it is running, or if one of its systems fails.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// fn load() -> Result {
    ///     Err("no such file".into())
    /// }
    ///
    /// let mut world = World::new();
    /// assert!(world.try_run_schedule(Update).is_err());
    /// world.get_resource_or_init::<Schedules>().add_systems(Update, load);
    /// let error = world.try_run_schedule(Update).unwrap_err().to_string();
    /// assert!(error.starts_with("schedule `Update`: system `") && error.ends_with("no such file"));
    /// ```
    pub fn try_run_schedule(&mut self, label: impl ScheduleLabel) -> Result<(), TryRunScheduleError> {
        let label = label.intern();
        // This comes before the schedule is taken out of the world, so that the commands see all schedules.
        if end_frame_for_commands(&mut self.store, Some((Some(label.number()), None))) {
            apply_after_frame(&mut self.store);
        }
        self.try_schedule_scope(label, |world, schedule| schedule.try_run(world))?
            .map_err(|error| TryRunScheduleError::Failed(label, error))
    }

    /// Runs a schedule: see [`Schedule::run`].
    ///
    /// # Panics
    ///
    /// If there is no schedule with this label, if it is running, or if one of its systems fails or panics. The
    /// schedule can be run again.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Update;
    /// let mut world = World::new();
    /// world.add_schedule(Schedule::new(Update));
    /// world.run_schedule(Update);
    /// ```
    #[track_caller]
    #[doc(alias("run_pipeline", "run_workload"))]
    pub fn run_schedule(&mut self, label: impl ScheduleLabel) {
        if let Err(error) = self.try_run_schedule(label) {
            panic!("{error}");
        }
    }
}

impl Commands<'_, '_> {
    /// Runs a schedule when the command is applied. If this is not possible, or if one of its systems fails, a failed
    /// command is recorded ([`World::take_command_errors`]).
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Save;
    /// # fn save(mut commands: Commands) { commands.spawn_empty(); }
    /// let mut world = World::new();
    /// world.get_resource_or_init::<Schedules>().add_systems(Save, save);
    /// world.commands().run_schedule(Save);
    /// world.flush();
    /// assert_eq!(world.len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn run_schedule(&mut self, label: impl ScheduleLabel) {
        let label = label.intern();
        self.queue(move |world: &mut World| {
            if let Err(error) = world.try_run_schedule(label) {
                world.store.commands.errors.report_other(
                    "run_schedule",
                    error,
                    world.store.structure.entities.caller(),
                );
            }
        });
    }
}
