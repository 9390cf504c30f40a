//! The schedules, systems and error handler of an `App`.
//!
//! Tests: ecs/app/tests/apps.rs

use strata_ecs::error::ErrorHandler;
use strata_ecs::label::InternedSystemSet;
use strata_ecs::schedule::{
    IntoScheduleConfigs, Schedule, ScheduleBuildSettings, ScheduleLabel, ScheduleShape, ScheduleSystem,
};
use strata_ecs::system::{IntoSystem, SystemInput};
use strata_ecs::world::{Schedules, SystemId};

use super::App;

/// Methods for systems and schedules.
impl App {
    /// Returns the schedules of the world.
    fn schedules(&mut self) -> strata_ecs::change_detection::Mut<'_, Schedules> {
        self.world.get_resource_or_init::<Schedules>()
    }

    /// Adds systems to a schedule, which is created if it does not exist.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # fn first() {}
    /// # fn second() {}
    /// App::new().add_systems(Update, (first, second).chain());
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
        self.schedules().add_systems(schedule, systems);
        self
    }

    /// Configures the order and the conditions of sets in a schedule, which is created if it does not exist.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
    /// enum Phase { Input, Rules }
    /// App::new().configure_sets(Update, (Phase::Input, Phase::Rules).chain());
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
        self.schedules().entry(schedule).configure_sets(sets);
        self
    }

    /// Adds a schedule under its label, replacing an existing one.
    ///
    /// # Panics
    ///
    /// If the schedule has no label.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Save;
    /// let mut app = App::new();
    /// app.add_schedule(Schedule::new(Save));
    /// assert!(app.get_schedule(Save).is_some());
    /// ```
    #[track_caller]
    pub fn add_schedule(&mut self, schedule: Schedule) -> &mut Self {
        self.world.add_schedule(schedule);
        self
    }

    /// Creates a schedule without systems, unless a schedule with this label exists.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)] struct Save;
    /// let mut app = App::new();
    /// app.init_schedule(Save);
    /// app.world_mut().run_schedule(Save);
    /// ```
    #[track_caller]
    pub fn init_schedule(&mut self, label: impl ScheduleLabel) -> &mut Self {
        self.schedules().entry(label);
        self
    }

    /// Returns a schedule, if it exists.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// assert!(App::new().get_schedule(Main).is_some());
    /// ```
    #[must_use]
    pub fn get_schedule(&self, label: impl ScheduleLabel) -> Option<&Schedule> {
        self.world.get_resource::<Schedules>()?.get(label)
    }

    /// Returns a schedule, mutably, if it exists.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # fn idle() {}
    /// let mut app = App::new();
    /// app.add_systems(Update, idle);
    /// app.get_schedule_mut(Update).unwrap().set_profiling(true);
    /// ```
    #[must_use]
    pub fn get_schedule_mut(&mut self, label: impl ScheduleLabel) -> Option<&mut Schedule> {
        self.schedules().into_inner().get_mut(label)
    }

    /// Modifies a schedule, which is created if it does not exist.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// use strata_ecs::schedule::SingleThreadedExecutor;
    /// App::new().edit_schedule(Update, |update| {
    ///     update.set_executor(SingleThreadedExecutor::new());
    /// });
    /// ```
    #[track_caller]
    pub fn edit_schedule(&mut self, label: impl ScheduleLabel, edit: impl FnOnce(&mut Schedule)) -> &mut Self {
        edit(self.schedules().entry(label));
        self
    }

    /// Sets the build settings of all schedules that exist now.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// use strata_ecs::schedule::{LogLevel, ScheduleBuildSettings};
    /// App::new().configure_schedules(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error });
    /// ```
    pub fn configure_schedules(&mut self, settings: ScheduleBuildSettings) -> &mut Self {
        for (_, schedule) in self.schedules().iter_mut() {
            schedule.set_build_settings(settings);
        }
        self
    }

    /// Registers a system, so that it can be run by its id: see [`World::register_system`](strata_ecs::world::World::register_system).
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// let mut app = App::new();
    /// let id = app.register_system(|| 3);
    /// assert_eq!(app.world_mut().run_system(id).unwrap(), 3);
    /// ```
    pub fn register_system<I, Out, Marker, S>(&mut self, system: S) -> SystemId<I, Out>
    where
        I: SystemInput + 'static,
        Out: 'static,
        S: IntoSystem<I, Out, Marker> + 'static,
    {
        self.world.register_system(system)
    }
}

/// Methods for errors.
impl App {
    /// Sets the function that handles the errors of all systems, run conditions, commands and observers of the program: see
    /// [`World::set_error_handler`](strata_ecs::world::World::set_error_handler). A later call replaces the handler.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// use strata_ecs::error;
    ///
    /// fn load() -> Result {
    ///     Err("no such file".into())
    /// }
    ///
    /// let mut app = App::new();
    /// app.set_error_handler(error::warn).add_systems(Update, load);
    /// app.update(); // warning: system `load` of schedule `Update` failed: no such file
    /// ```
    pub fn set_error_handler(&mut self, handler: ErrorHandler) -> &mut Self {
        self.world.set_error_handler(handler);
        self
    }

    /// Returns the function that handles the errors of the program, if one was set.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// assert!(App::new().get_error_handler().is_none());
    /// ```
    #[must_use]
    pub fn get_error_handler(&self) -> Option<ErrorHandler> {
        self.world.error_handler()
    }
}
