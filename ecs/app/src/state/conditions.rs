//! Conditions of states, for [`run_if`](strata_ecs::schedule::IntoScheduleConfigs::run_if).
//!
//! Tests: ecs/app/tests/states.rs

use strata_ecs::change_detection::DetectChanges as _;
use strata_ecs::system::{Res, SystemParam, WarnOnce};

use super::resources::State;
use super::states::States;
use super::transitions::{Transitions, never_added};

/// A system parameter that reports a state that was never added.
#[doc(hidden)]
#[derive(SystemParam)]
pub struct StateCheck<'w, S: States> {
    transitions: Option<Res<'w, Transitions<S>>>,
    warnings: WarnOnce<'w>,
}

impl<S: States> StateCheck<'_, S> {
    fn has(&self, state: Option<&Res<'_, State<S>>>, condition: &str) {
        if state.is_none() && self.transitions.is_none() {
            self.warnings.warn(&never_added::<S>(&format!("the condition `{condition}` never holds")));
        }
    }
}

/// Holds while the program is in this state. If the state was never added, this is [reported](strata_ecs::world::World::warn_once) once.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # fn play() { unreachable!() }
/// App::new().init_state::<Screen>().add_systems(Update, play.run_if(in_state(Screen::Game))).update();
/// ```
pub fn in_state<S: States>(state: S) -> impl FnMut(Option<Res<'_, State<S>>>, StateCheck<'_, S>) -> bool + Clone {
    move |now: Option<Res<'_, State<S>>>, check: StateCheck<'_, S>| {
        check.has(now.as_ref(), "in_state");
        now.is_some_and(|now| now.0 == state)
    }
}

/// Holds while a state of type `S` exists: computed states and sub-states do not always exist.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # fn play() { unreachable!() }
/// App::new().add_systems(Update, play.run_if(state_exists::<Screen>)).update();
/// ```
#[must_use]
pub fn state_exists<S: States>(state: Option<Res<'_, State<S>>>) -> bool {
    state.is_some()
}

/// Holds once after the state of type `S` has changed or was added. If it was never added, this is
/// [reported](strata_ecs::world::World::warn_once) once.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # #[derive(Resource, Default)] struct Changes(u32);
/// # fn count(mut changes: ResMut<Changes>) { changes.0 += 1; }
/// let mut app = App::new();
/// app.init_state::<Screen>().init_resource::<Changes>().add_systems(Update, count.run_if(state_changed::<Screen>));
/// app.update();
/// app.update();
/// assert_eq!(app.world().resource::<Changes>().0, 1);
/// ```
#[must_use]
pub fn state_changed<S: States>(state: Option<Res<'_, State<S>>>, check: StateCheck<'_, S>) -> bool {
    check.has(state.as_ref(), "state_changed");
    state.is_some_and(|state| state.is_changed())
}
