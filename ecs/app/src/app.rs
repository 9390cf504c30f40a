//! The `App`: a world, its schedules, its plugins, and the runner that runs them.
//!
//! Tests: ecs/app/tests/apps.rs, ecs/app/tests/plugins.rs

mod data;
mod schedules;

use std::any::{Any, TypeId, type_name};
use std::collections::HashSet;
use std::fmt;

use strata_ecs::label::InternedScheduleLabel;
use strata_ecs::message::Messages;
use strata_ecs::system::Result;
use strata_ecs::world::{TryRunScheduleError, World};

use crate::exit::AppExit;

/// A part of a program that adds its systems, resources and further plugins to an [`App`].
///
/// A function that takes `&mut App` is also a plugin. [`App::add_plugins`] calls [`build`](Plugin::build) immediately;
/// [`finish`](Plugin::finish) and [`cleanup`](Plugin::cleanup) are called after all plugins have been built, before the
/// first frame.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(Resource)] struct Gravity(f32);
/// # fn fall() {}
/// # fn draw() {}
///
/// struct Physics {
///     gravity: f32,
/// }
///
/// impl Plugin for Physics {
///     fn build(&self, app: &mut App) {
///         app.insert_resource(Gravity(self.gravity)).add_systems(Update, fall);
///     }
/// }
///
/// fn drawing(app: &mut App) {
///     app.add_systems(PostUpdate, draw);
/// }
///
/// let mut app = App::new();
/// app.add_plugins((Physics { gravity: 9.81 }, drawing));
/// assert!(app.is_plugin_added::<Physics>());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a plugin: implement `Plugin` for it, or give a function that takes `&mut App`",
    label = "not a plugin"
)]
pub trait Plugin: Any + Send + Sync {
    /// Adds the systems, resources and other parts of the plugin.
    fn build(&self, app: &mut App);

    /// Called when all other plugins have been built, before the first frame after the plugin was added.
    fn finish(&self, _app: &mut App) {}

    /// Called when all plugins have been finished, before the first frame.
    fn cleanup(&self, _app: &mut App) {}

    /// Returns the name of the plugin, for messages. The default is the name of the type. Two plugins with equal types and names count as
    /// one plugin.
    fn name(&self) -> &str {
        type_name::<Self>()
    }

    /// Returns whether adding the plugin twice is an error. The default is true.
    fn is_unique(&self) -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn(&mut App) + Send + Sync + 'static> Plugin for F {
    fn build(&self, app: &mut App) {
        self(app);
    }
}

/// The argument of [`App::add_plugins`]: a [`Plugin`], a [`PluginGroup`](crate::PluginGroup), or a tuple of these, which
/// may be nested.
///
/// ```
/// use strata_app::prelude::*;
/// # fn physics(app: &mut App) {}
/// # fn sound(app: &mut App) {}
/// # fn menu(app: &mut App) {}
/// App::new().add_plugins((MinimalPlugins, physics, (sound, menu)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}`, or a member of it, is neither a plugin nor a group of plugins",
    label = "not a plugin",
    note = "implement `Plugin` for it, or give a function that takes `&mut App`",
    note = "a tuple has at most 15 plugins, and may contain further tuples: `((a, b), (c, d))`"
)]
pub trait Plugins<Marker> {
    #[doc(hidden)]
    fn add_to(self, app: &mut App);
}

#[doc(hidden)]
pub struct PluginMarker;
#[doc(hidden)]
pub struct PluginsTupleMarker;

#[diagnostic::do_not_recommend]
impl<P: Plugin> Plugins<PluginMarker> for P {
    #[track_caller]
    fn add_to(self, app: &mut App) {
        app.add_plugin(Box::new(self));
    }
}

/// Implements the trait for tuples with these members. Each member has a type, and a marker for its kind.
macro_rules! tuple {
    ($($P:ident $M:ident),*) => {
        #[diagnostic::do_not_recommend]
        #[expect(non_snake_case, reason = "each value is named after its type parameter")]
        impl<$($P, $M),*> Plugins<(PluginsTupleMarker, $($M),*)> for ($($P,)*)
        where
            $($P: Plugins<$M>),*
        {
            #[track_caller]
            fn add_to(self, app: &mut App) {
                let ($($P,)*) = self;
                $($P.add_to(app);)*
            }
        }
    };
}

tuple!(A A1);
tuple!(A A1, B B1);
tuple!(A A1, B B1, C C1);
tuple!(A A1, B B1, C C1, D D1);
tuple!(A A1, B B1, C C1, D D1, E E1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1, L L1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1, L L1, M M1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1, L L1, M M1, N N1);
tuple!(A A1, B B1, C C1, D D1, E E1, F F1, G G1, H H1, I I1, J J1, K K1, L L1, M M1, N N1, O O1);

/// The function that [`App::run`] passes the program to.
type Runner = Box<dyn FnOnce(App) -> AppExit>;

/// A plugin that was added.
struct Added {
    /// The plugin; `None` while one of its methods runs.
    plugin: Option<Box<dyn Plugin>>,
    is_finished: bool,
    is_clean: bool,
}

/// A program: a [`World`], the schedules that make up a frame, and the runner that runs the frames.
///
/// Plugins add systems, resources and schedules to it. [`update`](App::update) runs one frame. It is also a frame of the world
/// ([`World::frame`]), which determines how long messages and removals are kept. [`run`](App::run) passes the program to the runner that a
/// [`ScheduleRunnerPlugin`](crate::ScheduleRunnerPlugin) or [`set_runner`](App::set_runner) has set; the default runner runs one frame.
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

/// The default runner: runs one frame, and returns the exit.
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

    /// Returns the world.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// assert!(App::new().world().is_empty());
    /// ```
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world, mutably.
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

    /// Runs one frame: the schedule [`Main`](crate::Main), in a frame of the world. Plugins that are not finished are finished first.
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

    /// Like [`update`](App::update), but returns an error if a system fails. Then the rest of the frame does not run.
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

    /// Returns the exit with which the program should end, if an [`AppExit`] was written in this frame or the previous one. The first
    /// failure takes precedence over successes; otherwise the first success is returned.
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

    /// Returns whether a plugin of this type was added. A plugin that is being built does not count.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// assert!(!App::new().is_plugin_added::<TimePlugin>());
    /// ```
    #[must_use]
    pub fn is_plugin_added<T: Plugin>(&self) -> bool {
        self.added::<T>().next().is_some()
    }

    /// Returns the plugins of this type that were added, in order. Plugins that are being built are not included.
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

    /// Calls a method of the plugins for which `is_meant` returns true, including plugins that are added during these calls. A plugin is
    /// not in the list while its method runs.
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
