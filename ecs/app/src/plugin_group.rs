//! Groups of plugins.
//!
//! Tests: ecs/app/tests/plugins.rs

use std::any::{TypeId, type_name};

use crate::app::{App, Plugin, Plugins};

/// Plugins that are added together, in a fixed order. A program may leave out or replace some of them.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// # #[derive(Default)] struct Physics { steps: u32 }
/// # impl Plugin for Physics { fn build(&self, _: &mut App) {} }
/// # struct Sound;
/// # impl Plugin for Sound { fn build(&self, _: &mut App) {} }
///
/// struct Game;
///
/// impl PluginGroup for Game {
///     fn build(self) -> PluginGroupBuilder {
///         PluginGroupBuilder::start::<Self>().add(Physics::default()).add(Sound)
///     }
/// }
///
/// let mut app = App::new();
/// app.add_plugins(Game.set(Physics { steps: 4 }).disable::<Sound>());
/// assert_eq!(app.get_added_plugins::<Physics>()[0].steps, 4);
/// assert!(!app.is_plugin_added::<Sound>());
/// ```
pub trait PluginGroup: Sized {
    /// Returns a builder with the plugins of the group.
    fn build(self) -> PluginGroupBuilder;

    /// Returns the name of the group, for messages.
    fn name() -> &'static str {
        type_name::<Self>()
    }

    /// Replaces the plugin of type `T`, and returns a builder with the plugins of the group.
    ///
    /// # Panics
    ///
    /// If the group does not contain a plugin of the type.
    #[track_caller]
    fn set<T: Plugin>(self, plugin: T) -> PluginGroupBuilder {
        self.build().set(plugin)
    }
}

impl PluginGroup for PluginGroupBuilder {
    fn build(self) -> PluginGroupBuilder {
        self
    }
}

/// A plugin of a group.
struct Member {
    id: TypeId,
    plugin: Box<dyn Plugin>,
    is_enabled: bool,
}

/// The plugins of a group in their order.
///
/// ```
/// use strata_app::prelude::*;
/// # struct First; struct Second; struct Third;
/// # impl Plugin for First { fn build(&self, _: &mut App) {} }
/// # impl Plugin for Second { fn build(&self, _: &mut App) {} }
/// # impl Plugin for Third { fn build(&self, _: &mut App) {} }
/// # struct Group;
/// # impl PluginGroup for Group { fn build(self) -> PluginGroupBuilder { PluginGroupBuilder::start::<Self>() } }
/// let group = PluginGroupBuilder::start::<Group>().add(First).add(Third).add_before::<Third>(Second);
/// let mut app = App::new();
/// app.add_plugins(group.disable::<First>());
/// assert!(app.is_plugin_added::<Second>() && !app.is_plugin_added::<First>());
/// ```
#[must_use = "a group does nothing unless it is given to `App::add_plugins`"]
pub struct PluginGroupBuilder {
    name: &'static str,
    members: Vec<Member>,
}

impl PluginGroupBuilder {
    /// Creates an empty group with the name of `G`.
    pub fn start<G: PluginGroup>() -> Self {
        Self { name: G::name(), members: Vec::new() }
    }

    /// Returns whether the group contains a plugin of this type, enabled or not.
    #[must_use]
    pub fn contains<T: Plugin>(&self) -> bool {
        self.position(TypeId::of::<T>()).is_some()
    }

    /// Returns whether the group contains a plugin of this type and will add it.
    #[must_use]
    pub fn enabled<T: Plugin>(&self) -> bool {
        self.position(TypeId::of::<T>()).is_some_and(|at| self.members[at].is_enabled)
    }

    fn position(&self, id: TypeId) -> Option<usize> {
        self.members.iter().position(|member| member.id == id)
    }

    #[track_caller]
    fn expect<T: Plugin>(&self) -> usize {
        match self.position(TypeId::of::<T>()) {
            Some(at) => at,
            None => panic!("the group `{}` has no plugin `{}`", self.name, type_name::<T>()),
        }
    }

    /// Inserts a plugin at an index. An existing plugin of this type is removed.
    fn insert<T: Plugin>(mut self, mut at: usize, plugin: T) -> Self {
        let id = TypeId::of::<T>();
        if let Some(before) = self.position(id) {
            self.members.remove(before);
            at -= usize::from(before < at);
        }
        self.members.insert(at, Member { id, plugin: Box::new(plugin), is_enabled: true });
        self
    }

    /// Adds a plugin at the end. An existing plugin of this type is removed.
    #[expect(clippy::should_implement_trait, reason = "the name in bevy_app")]
    pub fn add<T: Plugin>(self, plugin: T) -> Self {
        let at = self.members.len();
        self.insert(at, plugin)
    }

    /// Adds the plugins of another group at the end.
    pub fn add_group(mut self, group: impl PluginGroup) -> Self {
        for member in group.build().members {
            self.members.retain(|other| other.id != member.id);
            self.members.push(member);
        }
        self
    }

    /// Adds a plugin before the plugin of type `Target`.
    ///
    /// # Panics
    ///
    /// If the group does not contain a plugin of type `Target`.
    #[track_caller]
    pub fn add_before<Target: Plugin>(self, plugin: impl Plugin) -> Self {
        let at = self.expect::<Target>();
        self.insert(at, plugin)
    }

    /// Adds a plugin after the plugin of type `Target`.
    ///
    /// # Panics
    ///
    /// If the group does not contain a plugin of type `Target`.
    #[track_caller]
    pub fn add_after<Target: Plugin>(self, plugin: impl Plugin) -> Self {
        let at = self.expect::<Target>() + 1;
        self.insert(at, plugin)
    }

    /// Replaces the plugin of this type. The new plugin is enabled if the old one was.
    ///
    /// # Panics
    ///
    /// If the group does not contain a plugin of the type.
    #[track_caller]
    pub fn set<T: Plugin>(mut self, plugin: T) -> Self {
        let at = self.expect::<T>();
        self.members[at].plugin = Box::new(plugin);
        self
    }

    /// Disables a plugin, so that it is not added.
    ///
    /// # Panics
    ///
    /// If the group does not contain a plugin of the type.
    #[track_caller]
    pub fn disable<T: Plugin>(self) -> Self {
        self.with_enabled::<T>(false)
    }

    /// Enables a plugin that was disabled.
    ///
    /// # Panics
    ///
    /// If the group does not contain a plugin of the type.
    #[track_caller]
    pub fn enable<T: Plugin>(self) -> Self {
        self.with_enabled::<T>(true)
    }

    #[track_caller]
    fn with_enabled<T: Plugin>(mut self, is_enabled: bool) -> Self {
        let at = self.expect::<T>();
        self.members[at].is_enabled = is_enabled;
        self
    }

    /// Adds the enabled plugins to an `App`, like [`App::add_plugins`].
    ///
    /// # Panics
    ///
    /// If one of the plugins has already been added.
    #[track_caller]
    pub fn finish(self, app: &mut App) {
        for member in self.members.into_iter().filter(|member| member.is_enabled) {
            app.add_plugin(member.plugin);
        }
    }
}

#[doc(hidden)]
pub struct PluginGroupMarker;

#[diagnostic::do_not_recommend]
impl<G: PluginGroup> Plugins<PluginGroupMarker> for G {
    #[track_caller]
    fn add_to(self, app: &mut App) {
        self.build().finish(app);
    }
}
