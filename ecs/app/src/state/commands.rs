//! Commands that change states.
//!
//! Tests: ecs/app/tests/states.rs

use strata_ecs::command::Commands;
use strata_ecs::world::World;

use super::resources::NextState;
use super::states::FreelyMutableState;
use super::transitions::never_added;

/// Commands that change the next state, for systems without a [`NextState`] parameter.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
///
/// fn start(mut commands: Commands) {
///     commands.set_state(Screen::Game);
/// }
///
/// let mut app = App::new();
/// app.init_state::<Screen>().add_systems(Startup, start);
/// app.update();
/// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Game);
/// ```
pub trait CommandsStatesExt {
    /// Calls [`NextState::set`] when the commands are applied. If the state was never added, this has no effect, which is
    /// [reported](World::warn_once) once.
    fn set_state<S: FreelyMutableState>(&mut self, state: S);

    /// Calls [`NextState::set_if_different`] when the commands are applied. If the state was never added, this has no effect, which is
    /// [reported](World::warn_once) once.
    fn set_state_if_different<S: FreelyMutableState>(&mut self, state: S);
}

impl CommandsStatesExt for Commands<'_, '_> {
    fn set_state<S: FreelyMutableState>(&mut self, state: S) {
        self.queue(move |world: &mut World| match world.get_resource_mut::<NextState<S>>() {
            Some(mut next) => next.set(state),
            None => world.warn_once(&never_added::<S>("the command `set_state` has no effect")),
        });
    }

    fn set_state_if_different<S: FreelyMutableState>(&mut self, state: S) {
        self.queue(move |world: &mut World| match world.get_resource_mut::<NextState<S>>() {
            Some(mut next) => next.set_if_different(state),
            None => world.warn_once(&never_added::<S>("the command `set_state` has no effect")),
        });
    }
}
