//! The schedules of a frame and their order.
//!
//! Tests: ecs/app/tests/apps.rs

use strata_ecs::label::InternedScheduleLabel;
use strata_ecs::resource::Resource;
use strata_ecs::schedule::{ScheduleLabel, SystemSet};
use strata_ecs::system::Result;
use strata_ecs::world::{TryRunScheduleError, World};

/// Defines labels, each with its documentation.
macro_rules! labels {
    ($($(#[$meta:meta])+ $Label:ident;)+) => {$(
        $(#[$meta])+
        #[derive(ScheduleLabel, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        pub struct $Label;
    )+};
}

labels! {
    /// The schedule of one frame, which [`App::update`](crate::App::update) runs. It runs the other schedules:
    ///
    /// - in the first frame [`PreStartup`], [`Startup`] and [`PostStartup`];
    /// - in every frame [`First`], [`PreUpdate`], [`RunFixedMainLoop`], [`Update`], [`PostUpdate`] and [`Last`].
    ///
    /// With states, [`StateTransition`](crate::state::StateTransition) runs before `PreStartup` and after `PreUpdate`.
    /// [`MainScheduleOrder`] contains the order, and can be changed. A schedule without systems costs next to nothing.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Resource, Default)] struct Log(Vec<&'static str>);
    ///
    /// let mut app = App::new();
    /// app.init_resource::<Log>()
    ///     .add_systems(Last, |mut log: ResMut<Log>| log.0.push("last"))
    ///     .add_systems(Update, |mut log: ResMut<Log>| log.0.push("update"))
    ///     .add_systems(Startup, |mut log: ResMut<Log>| log.0.push("startup"));
    /// app.update();
    /// app.update();
    /// assert_eq!(app.world().resource::<Log>().0, ["startup", "update", "last", "update", "last"]);
    /// ```
    Main;
    /// Runs once, before [`Startup`]: see [`Main`].
    PreStartup;
    /// Runs once, in the first frame: see [`Main`].
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Component)] struct Player;
    ///
    /// fn spawn_player(mut commands: Commands) {
    ///     commands.spawn(Player);
    /// }
    ///
    /// let mut app = App::new();
    /// app.add_systems(Startup, spawn_player);
    /// app.update();
    /// app.update();
    /// assert_eq!(app.world().len(), 1);
    /// ```
    Startup;
    /// Runs once, after [`Startup`]: see [`Main`].
    PostStartup;
    /// Runs first in each frame, and advances the clocks: see [`Main`].
    First;
    /// Runs before [`Update`], to prepare for it: see [`Main`].
    PreUpdate;
    /// Runs [`FixedMain`] once for each fixed step in the time that has passed. Without a [`TimePlugin`](crate::time::TimePlugin), it never
    /// runs `FixedMain`. Other systems in this schedule should be in one of the [`RunFixedMainLoopSystems`].
    RunFixedMainLoop;
    /// The schedule of one fixed step. It runs [`FixedFirst`], [`FixedPreUpdate`], [`FixedUpdate`], [`FixedPostUpdate`]
    /// and [`FixedLast`]; [`FixedMainScheduleOrder`] contains the order.
    ///
    /// In the systems of these schedules, the delta of [`Time`](crate::time::Time) is the length of the step. These systems receive every
    /// message, even if several frames have passed since the last step.
    FixedMain;
    /// Runs first in each fixed step: see [`FixedMain`].
    FixedFirst;
    /// Runs before [`FixedUpdate`]: see [`FixedMain`].
    FixedPreUpdate;
    /// Runs once in each fixed step: for game rules, physics, and everything that must not depend on the frame rate.
    ///
    /// ```
    /// use std::time::Duration;
    /// use strata_app::prelude::*;
    /// # #[derive(Resource, Default)] struct Steps(u32);
    ///
    /// fn step(mut steps: ResMut<Steps>, time: Res<Time>) {
    ///     assert_eq!(time.delta(), Duration::from_millis(10)); // That of the step.
    ///     steps.0 += 1;
    /// }
    ///
    /// let mut app = App::new();
    /// app.add_plugins(TimePlugin)
    ///     .insert_resource(Time::<Fixed>::from_hz(100.0))
    ///     .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(25)))
    ///     .init_resource::<Steps>()
    ///     .add_systems(FixedUpdate, step);
    /// app.update(); // The first frame only notes the time.
    /// app.update(); // 25 milliseconds: two steps.
    /// app.update(); // 50 milliseconds: three more.
    /// assert_eq!(app.world().resource::<Steps>().0, 5);
    /// ```
    FixedUpdate;
    /// Runs after [`FixedUpdate`]: see [`FixedMain`].
    FixedPostUpdate;
    /// Runs last in each fixed step: see [`FixedMain`].
    FixedLast;
    /// Runs once in each frame: for everything that does not need another schedule. See [`Main`].
    Update;
    /// Runs after [`Update`], to react to its changes: see [`Main`].
    PostUpdate;
    /// Runs last in each frame: see [`Main`].
    Last;
}

/// The sets in [`RunFixedMainLoop`] before, around and after the fixed steps. Systems in them run once in each frame.
///
/// ```
/// use strata_app::prelude::*;
/// # fn read_input() {}
/// # fn interpolate() {}
/// App::new()
///     .add_systems(RunFixedMainLoop, read_input.in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop))
///     .add_systems(RunFixedMainLoop, interpolate.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop));
/// ```
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunFixedMainLoopSystems {
    /// Before the first fixed step of the frame: for data that the steps need from this frame, such as input.
    BeforeFixedMainLoop,
    /// The fixed steps. Systems that run in each step belong in [`FixedUpdate`] and the related schedules.
    FixedMainLoop,
    /// After the last fixed step of the frame: for states between two steps, such as interpolation.
    AfterFixedMainLoop,
}

/// Returns the index of a schedule in a list; panics if it is not in the list.
#[track_caller]
fn place(labels: &[InternedScheduleLabel], label: impl ScheduleLabel) -> usize {
    let label = label.intern();
    match labels.iter().position(|other| *other == label) {
        Some(at) => at,
        None => panic!("schedule `{label:?}` is not in this order, which is {labels:?}"),
    }
}

/// The schedules that [`Main`] runs, in order.
///
/// ```
/// use strata_app::prelude::*;
/// # fn draw() {}
/// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Draw;
///
/// let mut app = App::new();
/// app.world_mut().resource_mut::<MainScheduleOrder>().insert_after(PostUpdate, Draw);
/// app.add_systems(Draw, draw);
/// app.update();
/// ```
#[derive(Resource, Clone, Debug)]
#[resource(transient, missing = "begin with `App::new`, or add `MainSchedulePlugin`")]
pub struct MainScheduleOrder {
    /// The schedules that run in each frame.
    pub labels: Vec<InternedScheduleLabel>,
    /// The schedules that run once, before the others.
    pub startup_labels: Vec<InternedScheduleLabel>,
}

impl Default for MainScheduleOrder {
    fn default() -> Self {
        let labels = [
            First.intern(),
            PreUpdate.intern(),
            RunFixedMainLoop.intern(),
            Update.intern(),
            PostUpdate.intern(),
            Last.intern(),
        ];
        let startup_labels = [PreStartup.intern(), Startup.intern(), PostStartup.intern()];
        Self { labels: labels.into(), startup_labels: startup_labels.into() }
    }
}

impl MainScheduleOrder {
    /// Adds `schedule` to the schedules of each frame, after the schedule `after`.
    ///
    /// # Panics
    ///
    /// If the other schedule is not in `labels`.
    #[track_caller]
    pub fn insert_after(&mut self, after: impl ScheduleLabel, schedule: impl ScheduleLabel) {
        let at = place(&self.labels, after);
        self.labels.insert(at + 1, schedule.intern());
    }

    /// Adds `schedule` to the schedules of each frame, before the schedule `before`.
    ///
    /// # Panics
    ///
    /// If the other schedule is not in `labels`.
    #[track_caller]
    pub fn insert_before(&mut self, before: impl ScheduleLabel, schedule: impl ScheduleLabel) {
        let at = place(&self.labels, before);
        self.labels.insert(at, schedule.intern());
    }

    /// Adds `schedule` to the schedules that run once, after the schedule `after`.
    ///
    /// # Panics
    ///
    /// If the other schedule is not in `startup_labels`.
    #[track_caller]
    pub fn insert_startup_after(&mut self, after: impl ScheduleLabel, schedule: impl ScheduleLabel) {
        let at = place(&self.startup_labels, after);
        self.startup_labels.insert(at + 1, schedule.intern());
    }

    /// Adds `schedule` to the schedules that run once, before the schedule `before`.
    ///
    /// # Panics
    ///
    /// If the other schedule is not in `startup_labels`.
    #[track_caller]
    pub fn insert_startup_before(&mut self, before: impl ScheduleLabel, schedule: impl ScheduleLabel) {
        let at = place(&self.startup_labels, before);
        self.startup_labels.insert(at, schedule.intern());
    }
}

/// Whether the startup schedules have run. Unlike the order of the schedules, this belongs to the world and not to the program: a loaded
/// world has started if it had started when it was saved.
#[derive(Resource, Clone, Copy, Default, Debug)]
#[resource(persistence = crate::form::as_text)]
pub(crate) struct HasStarted(pub(crate) bool);

crate::form::text_form!(HasStarted, |started| &started.0, |started| HasStarted(started));

/// The schedules that [`FixedMain`] runs, in order.
///
/// ```
/// use strata_app::prelude::*;
/// # fn collide() {}
/// #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
/// struct Collisions;
///
/// let mut app = App::new();
/// app.world_mut().resource_mut::<FixedMainScheduleOrder>().insert_after(FixedUpdate, Collisions);
/// app.add_systems(Collisions, collide);
/// ```
#[derive(Resource, Clone, Debug)]
#[resource(transient, missing = "begin with `App::new`, or add `MainSchedulePlugin`")]
pub struct FixedMainScheduleOrder {
    /// The schedules that run in each fixed step.
    pub labels: Vec<InternedScheduleLabel>,
}

impl Default for FixedMainScheduleOrder {
    fn default() -> Self {
        let labels = [
            FixedFirst.intern(),
            FixedPreUpdate.intern(),
            FixedUpdate.intern(),
            FixedPostUpdate.intern(),
            FixedLast.intern(),
        ];
        Self { labels: labels.into() }
    }
}

impl FixedMainScheduleOrder {
    /// Adds `schedule` to the schedules of each fixed step, after the schedule `after`.
    ///
    /// # Panics
    ///
    /// If the other schedule is not in the order.
    #[track_caller]
    pub fn insert_after(&mut self, after: impl ScheduleLabel, schedule: impl ScheduleLabel) {
        let at = place(&self.labels, after);
        self.labels.insert(at + 1, schedule.intern());
    }

    /// Adds `schedule` to the schedules of each fixed step, before the schedule `before`.
    ///
    /// # Panics
    ///
    /// If the other schedule is not in the order.
    #[track_caller]
    pub fn insert_before(&mut self, before: impl ScheduleLabel, schedule: impl ScheduleLabel) {
        let at = place(&self.labels, before);
        self.labels.insert(at, schedule.intern());
    }
}

/// Prepares the schedules of the fixed step, unless they are prepared. From then on, the world keeps the messages that the systems of these
/// schedules read, even if the first step is several frames later.
pub(crate) fn prepare_fixed(world: &mut World) -> Result {
    for label in world.resource::<FixedMainScheduleOrder>().labels.clone() {
        match world.try_schedule_scope(label, |world, schedule| schedule.initialize(world)) {
            Ok(result) => result?,
            Err(TryRunScheduleError::NotFound(_)) => {}
            Err(error) => Err(error)?,
        }
    }
    Ok(())
}
