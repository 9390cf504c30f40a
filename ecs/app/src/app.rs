//! The `App`: a world, its schedules, and the runner that runs them.

use std::any::{Any, TypeId};
use std::collections::HashSet;
use std::fmt;

use strata_ecs::component::Component;
use strata_ecs::error::ErrorHandler;
use strata_ecs::label::{InternedScheduleLabel, InternedSystemSet};
use strata_ecs::message::{Message, Messages};
use strata_ecs::observer::IntoObserver;
use strata_ecs::resource::Resource;
use strata_ecs::schedule::{
    IntoScheduleConfigs, Schedule, ScheduleBuildSettings, ScheduleLabel, ScheduleShape, ScheduleSystem,
};
use strata_ecs::system::{IntoSystem, SystemInput};
use strata_ecs::world::{FromWorld, Schedules, SystemId, TryRunScheduleError, World};

use crate::exit::AppExit;
use crate::plugin::{Plugin, Plugins};

/// The function that [`App::run`] passes the program to.
type Runner = Box<dyn FnOnce(App) -> AppExit>;

/// A plugin that was added.
struct Added {
    /// `None` while one of its methods runs.
    plugin: Option<Box<dyn Plugin>>,
    is_finished: bool,
    is_clean: bool,
}

/// A program: a [`World`], the schedules that make up a frame, and the runner that runs the frames.
///
/// Plugins add systems, resources and schedules to it. [`update`](App::update) runs one frame, which is also a frame of
/// the world ([`World::frame`]): it determines how long messages and removals are kept. [`run`](App::run) passes the
/// program to the runner that a [`ScheduleRunnerPlugin`](crate::ScheduleRunnerPlugin) or [`set_runner`](App::set_runner)
/// has set; the default runner runs one frame.
///
/// ```
/// use strata_app::prelude::*;
///
/// #[derive(Component)]
/// struct Rocket {
///     height: f32,
/// }
///
/// fn launch(mut commands: Commands) {
///     commands.spawn(Rocket { height: 0.0 });
/// }
///
/// #[system]
/// fn rise(rocket: &mut Rocket) {
///     rocket.height += 1.0;
/// }
///
/// #[system]
/// fn arrive(rocket: &Rocket, mut exit: MessageWriter<AppExit>) {
///     if rocket.height >= 3.0 {
///         exit.write(AppExit::Success);
///     }
/// }
///
/// let code = App::new()
///     .add_plugins(ScheduleRunnerPlugin::default())
///     .add_systems(Startup, launch)
///     .add_systems(Update, (rise, arrive).chain())
///     .run();
/// assert!(code.is_success());
/// ```
pub struct App {
    world: World,
    pub(crate) update_schedule: Option<InternedScheduleLabel>,
    runner: Runner,
    plugins: Vec<Added>,
    /// The types and names of the plugins, including those that are being built.
    known: HashSet<(TypeId, String)>,
    /// The names of the plugins that are being built, outermost first.
    building: Vec<String>,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.plugins.iter().filter_map(|added| Some(added.plugin.as_ref()?.name()));
        f.debug_struct("App").field("plugins", &names.collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

/// The default runner: runs one frame.
pub(crate) fn run_once(mut app: App) -> AppExit {
    app.update();
    app.should_exit().unwrap_or_default()
}

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}

impl App {
    /// Creates a program without any schedule. [`update`](App::update) only counts frames.
    ///
    /// ```
    /// use strata_app::App;
    /// App::empty().update();
    /// ```
    #[must_use]
    pub fn empty() -> Self {
        Self {
            world: World::new(),
            update_schedule: None,
            runner: Box::new(run_once),
            plugins: Vec::new(),
            known: HashSet::new(),
            building: Vec::new(),
        }
    }

    /// The world.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// assert!(App::new().world().is_empty());
    /// ```
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, mutably.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Component)] struct Player;
    /// App::new().world_mut().spawn(Player);
    /// ```
    #[must_use]
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Runs one frame: the schedule [`Main`](crate::Main), in a frame of the world. Plugins are finished first, if they
    /// have not been.
    ///
    /// # Panics
    ///
    /// If a system fails or panics, or if a plugin is being built. [`try_update`](App::try_update) returns the error of a system.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Resource, Default)] struct Frames(u32);
    /// let mut app = App::new();
    /// app.init_resource::<Frames>().add_systems(Update, |mut frames: ResMut<Frames>| frames.0 += 1);
    /// app.update();
    /// app.update();
    /// assert_eq!(app.world().resource::<Frames>().0, 2);
    /// ```
    #[track_caller]
    pub fn update(&mut self) {
        if let Err(error) = self.try_update() {
            panic!("{error}");
        }
    }

    /// Like [`update`](App::update), but returns an error if a system fails. The rest of the frame does not run then.
    ///
    /// # Errors
    ///
    /// The error of the first system that fails, unless the handler of its schedule continues.
    ///
    /// # Panics
    ///
    /// If a system panics, or if a plugin is being built.
    ///
    /// ```
    /// use strata_app::prelude::*;
    ///
    /// fn load() -> Result {
    ///     Err("no such file".into())
    /// }
    ///
    /// let mut app = App::new();
    /// app.add_systems(Startup, load);
    /// assert!(app.try_update().unwrap_err().to_string().ends_with("no such file"));
    /// ```
    #[track_caller]
    pub fn try_update(&mut self) -> Result<(), TryRunScheduleError> {
        self.refuse_while_building("update");
        self.finish();
        self.cleanup();
        let label = self.update_schedule;
        self.world.frame(|world| label.map_or(Ok(()), |label| world.try_run_schedule(label)))
    }

    /// Passes the program to its runner, and returns the result of the runner. An empty `App` is left in its place.
    ///
    /// # Panics
    ///
    /// If the runner panics, or if a plugin is being built.
    ///
    /// ```
    /// use strata_app::prelude::*;
    ///
    /// fn main() -> AppExit {
    ///     App::new().add_systems(Update, || println!("one frame")).run()
    /// }
    /// ```
    #[track_caller]
    pub fn run(&mut self) -> AppExit {
        self.refuse_while_building("run");
        let mut app = std::mem::replace(self, Self::empty());
        let runner = std::mem::replace(&mut app.runner, Box::new(run_once));
        runner(app)
    }

    /// Sets the function that [`run`](App::run) passes the program to.
    ///
    /// ```
    /// use strata_app::prelude::*;
    ///
    /// let mut app = App::new();
    /// app.set_runner(|mut app| {
    ///     for _ in 0..10 {
    ///         app.update();
    ///     }
    ///     AppExit::Success
    /// });
    /// assert!(app.run().is_success());
    /// ```
    pub fn set_runner(&mut self, runner: impl FnOnce(App) -> AppExit + 'static) -> &mut Self {
        self.runner = Box::new(runner);
        self
    }

    /// The exit with which the program should end, if an [`AppExit`] was written in this frame or the previous one. The
    /// first failure takes precedence over successes; otherwise the first success is returned.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// let mut app = App::new();
    /// assert_eq!(app.should_exit(), None);
    /// app.world_mut().write_message(AppExit::Success);
    /// app.world_mut().write_message(AppExit::error());
    /// assert_eq!(app.should_exit(), Some(AppExit::error()));
    /// ```
    #[must_use]
    pub fn should_exit(&self) -> Option<AppExit> {
        let messages = self.world.get_resource::<Messages<AppExit>>()?;
        let mut cursor = messages.get_cursor();
        let mut exits = cursor.read(messages).copied();
        let first = exits.next()?;
        Some(std::iter::once(first).chain(exits).find(AppExit::is_error).unwrap_or(first))
    }
}

/// Methods for plugins.
impl App {
    /// Adds plugins, groups of plugins, or a tuple of these: see [`Plugin`].
    ///
    /// # Panics
    ///
    /// If a plugin has already been added, unless its [`is_unique`](Plugin::is_unique) returns false; or if a plugin
    /// panics.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # fn physics(app: &mut App) {}
    /// # fn drawing(app: &mut App) {}
    /// App::new().add_plugins((MinimalPlugins, physics, drawing));
    /// ```
    ///
    /// ```should_panic
    /// use strata_app::prelude::*;
    /// # fn physics(app: &mut App) {}
    /// App::new().add_plugins(physics).add_plugins(physics);
    /// ```
    #[track_caller]
    pub fn add_plugins<Marker>(&mut self, plugins: impl Plugins<Marker>) -> &mut Self {
        plugins.add_to(self);
        self
    }

    #[track_caller]
    pub(crate) fn add_plugin(&mut self, plugin: Box<dyn Plugin>) {
        let name = plugin.name().to_owned();
        let id = (&*plugin as &dyn Any).type_id();
        if !self.known.insert((id, name.clone())) && plugin.is_unique() {
            let within = self.building.last().map_or_else(String::new, |outer| format!(", now by plugin `{outer}`"));
            panic!(
                "plugin `{name}` was added twice{within}; add it once, or ask `App::is_plugin_added` before, or have its \
                 `is_unique` return false"
            );
        }
        // The entry reserves the position of the plugin, so that the plugin comes before the plugins that it adds itself.
        let at = self.plugins.len();
        self.plugins.push(Added { plugin: None, is_finished: false, is_clean: false });
        self.building.push(name);
        plugin.build(self);
        self.building.pop();
        self.plugins[at].plugin = Some(plugin);
    }

    #[track_caller]
    fn refuse_while_building(&self, what: &str) {
        if let Some(name) = self.building.last() {
            panic!("`App::{what}` was called while plugin `{name}` was being built");
        }
    }

    /// Whether a plugin of this type was added. A plugin that is being built does not count.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// assert!(!App::new().is_plugin_added::<TimePlugin>());
    /// ```
    #[must_use]
    pub fn is_plugin_added<T: Plugin>(&self) -> bool {
        self.added::<T>().next().is_some()
    }

    /// The plugins of this type that were added, in order. Plugins that are being built are not included.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// let mut app = App::new();
    /// app.add_plugins(ScheduleRunnerPlugin::run_once());
    /// assert_eq!(app.get_added_plugins::<ScheduleRunnerPlugin>().len(), 1);
    /// ```
    #[must_use]
    pub fn get_added_plugins<T: Plugin>(&self) -> Vec<&T> {
        self.added::<T>().collect()
    }

    fn added<T: Plugin>(&self) -> impl Iterator<Item = &T> {
        let plugins = self.plugins.iter().filter_map(|added| added.plugin.as_deref());
        plugins.filter_map(|plugin| (plugin as &dyn Any).downcast_ref())
    }

    /// Calls [`Plugin::finish`] of the plugins for which it has not been called. The first [`update`](App::update) does
    /// this, too.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// App::new().finish();
    /// ```
    pub fn finish(&mut self) {
        self.for_each_plugin(|added| !std::mem::replace(&mut added.is_finished, true), Plugin::finish);
    }

    /// Calls [`Plugin::cleanup`] of the plugins for which it has not been called. The first [`update`](App::update) does
    /// this, too.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// App::new().cleanup();
    /// ```
    pub fn cleanup(&mut self) {
        self.for_each_plugin(|added| !std::mem::replace(&mut added.is_clean, true), Plugin::cleanup);
    }

    /// Calls a method of some plugins, including plugins that others add during these calls. A plugin is not in the list
    /// while its method runs.
    fn for_each_plugin(&mut self, is_meant: fn(&mut Added) -> bool, call: fn(&dyn Plugin, &mut Self)) {
        let mut at = 0;
        while at < self.plugins.len() {
            if is_meant(&mut self.plugins[at])
                && let Some(plugin) = self.plugins[at].plugin.take()
            {
                call(&*plugin, self);
                self.plugins[at].plugin = Some(plugin);
            }
            at += 1;
        }
    }
}

/// Methods for systems and schedules.
impl App {
    /// The schedules of the world.
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
    /// If it has no label.
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

    /// Creates a schedule without systems, unless one with the label exists.
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

    /// A schedule, if it exists.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// assert!(App::new().get_schedule(Main).is_some());
    /// ```
    #[must_use]
    pub fn get_schedule(&self, label: impl ScheduleLabel) -> Option<&Schedule> {
        self.world.get_resource::<Schedules>()?.get(label)
    }

    /// A schedule, mutably, if it exists.
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

    /// Registers a system, to be run by its id: see [`World::register_system`].
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
    /// [`World::set_error_handler`]. A second call replaces the handler of the first one.
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

    /// The function that handles the errors of the program, if one was set.
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

/// Methods for resources, messages and components.
impl App {
    /// Inserts a resource, replacing an existing one.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Resource)] struct Gravity(f32);
    /// App::new().insert_resource(Gravity(9.81));
    /// ```
    pub fn insert_resource<R: Resource>(&mut self, resource: R) -> &mut Self {
        self.world.insert_resource(resource);
        self
    }

    /// Inserts a resource, made by its `FromWorld` impl (`Default` for most types), unless it exists.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Resource, Default)] struct Score(u32);
    /// App::new().init_resource::<Score>();
    /// ```
    pub fn init_resource<R: Resource + FromWorld>(&mut self) -> &mut Self {
        self.world.init_resource::<R>();
        self
    }

    /// Inserts a value that stays on this thread: see [`World::insert_non_send`].
    ///
    /// ```
    /// use std::rc::Rc;
    /// use strata_app::prelude::*;
    /// App::new().insert_non_send(Rc::new(3));
    /// ```
    pub fn insert_non_send<T: 'static>(&mut self, value: T) -> &mut Self {
        self.world.insert_non_send(value);
        self
    }

    /// Like [`insert_non_send`](App::insert_non_send), with a value made by its `FromWorld` impl, unless it exists.
    ///
    /// ```
    /// use std::rc::Rc;
    /// use strata_app::prelude::*;
    /// App::new().init_non_send::<Rc<u32>>();
    /// ```
    pub fn init_non_send<T: FromWorld + 'static>(&mut self) -> &mut Self {
        self.world.init_non_send::<T>();
        self
    }

    /// Creates the list of messages of a type. The first system that writes or reads them creates it, too.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Message)] struct Hit;
    /// App::new().add_message::<Hit>();
    /// ```
    pub fn add_message<M: Message>(&mut self) -> &mut Self {
        self.world.register_message::<M>();
        self
    }

    /// Adds an observer: see [`World::add_observer`].
    ///
    /// ```
    /// use strata_app::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Goal;
    /// #[derive(Resource, Default)]
    /// struct Score(u32);
    ///
    /// let mut app = App::new();
    /// app.init_resource::<Score>().add_observer(|_: On<Goal>, mut score: ResMut<Score>| score.0 += 1);
    /// app.world_mut().trigger(Goal);
    /// assert_eq!(app.world().resource::<Score>().0, 1);
    /// ```
    pub fn add_observer<Marker>(&mut self, observer: impl IntoObserver<Marker>) -> &mut Self {
        self.world.add_observer(observer);
        self
    }

    /// Makes `R` a required component of `T`: see [`World::register_required_components`].
    ///
    /// # Panics
    ///
    /// If an entity already has a `T`, or if `R` requires `T`.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Component)] struct Monster;
    /// # #[derive(Component, Default)] struct Health(u32);
    /// App::new().register_required_components::<Monster, Health>();
    /// ```
    #[track_caller]
    pub fn register_required_components<T: Component, R: Component + Default>(&mut self) -> &mut Self {
        self.world.register_required_components::<T, R>();
        self
    }

    /// Like [`register_required_components`](App::register_required_components), with values that a function creates.
    ///
    /// # Panics
    ///
    /// Under the same conditions.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(Component)] struct Monster;
    /// # #[derive(Component)] struct Health(u32);
    /// App::new().register_required_components_with::<Monster, Health>(|| Health(30));
    /// ```
    #[track_caller]
    pub fn register_required_components_with<T: Component, R: Component>(&mut self, make: fn() -> R) -> &mut Self {
        self.world.register_required_components_with::<T, R>(make);
        self
    }
}
