//! Adding states to an `App`.
//!
//! Tests: ecs/app/tests/states.rs

use strata_ecs::command::Commands;
use strata_ecs::observer::On;
use strata_ecs::schedule::{IntoScheduleConfigs as _, Schedule};
use strata_ecs::snapshot::{Restored, Updated};
use strata_ecs::world::{FromWorld, World};

use super::dependent::{
    Arrival, ComputedStates, SubStates, apply_computed, apply_sub, compute_after_load, compute_all_loaded,
};
use super::despawn::{despawn_on_enter, despawn_on_exit};
use super::resources::{NextState, State};
use super::state_set::StateSet as _;
use super::states::{FreelyMutableState, States};
use super::transitions::{
    ApplyStateTransition, EnterSchedules, ExitSchedules, StateTransition, StateTransitionEvent, StateTransitionSystems,
    TransitionSchedules, apply_next, begin, has_begun, run_enter, run_exit, run_transition, schedule,
};
use crate::app::{App, Plugin};
use crate::main_schedule::{MainScheduleOrder, PreStartup, PreUpdate};

/// Adds [`StateTransition`] to each frame. Adding the first state does this, too.
///
/// ```
/// use strata_app::prelude::*;
/// App::new().add_plugins((MinimalPlugins, StatesPlugin));
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct StatesPlugin;

impl Plugin for StatesPlugin {
    fn build(&self, app: &mut App) {
        set_up(app);
    }
}

/// Adds the transitions to each frame, unless they have been added.
fn set_up(app: &mut App) {
    if app.get_schedule(StateTransition).is_some() {
        return;
    }
    app.add_schedule(schedule());
    app.add_observer(|_: On<'_, '_, Restored>, mut commands: Commands<'_, '_>| {
        commands.queue(|world: &mut World| compute_all_loaded(world, Arrival::Load));
    });
    app.add_observer(|_: On<'_, '_, Updated>, mut commands: Commands<'_, '_>| {
        commands.queue(|world: &mut World| compute_all_loaded(world, Arrival::Update));
    });
    if let Some(mut order) = app.world_mut().get_resource_mut::<MainScheduleOrder>() {
        order.insert_after(PreUpdate, StateTransition);
        order.insert_startup_before(PreStartup, StateTransition);
    }
}

/// Methods for states.
impl App {
    /// Adds a state. `FromWorld`, which is `Default` for most types, creates its first value. An existing state of this type is kept.
    ///
    /// The state is entered before [`PreStartup`](crate::PreStartup).
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
    /// let mut app = App::new();
    /// app.init_state::<Screen>();
    /// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Menu);
    /// ```
    pub fn init_state<S: FreelyMutableState + FromWorld>(&mut self) -> &mut Self {
        if !has_begun::<S>(self.world()) {
            let state = S::from_world(self.world_mut());
            self.insert_state(state);
        }
        self
    }

    /// Adds a state with this value. If a state of this type exists, it is set to this value without running
    /// [`OnExit`](crate::state::OnExit). The value is entered in the next [`StateTransition`].
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
    /// let mut app = App::new();
    /// app.init_state::<Screen>().insert_state(Screen::Game);
    /// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Game);
    /// ```
    pub fn insert_state<S: FreelyMutableState>(&mut self, state: S) -> &mut Self {
        self.insert_resource(State(state)).init_resource::<NextState<S>>();
        self.add_transitions::<S>(apply_next::<S>, |_| {})
    }

    /// Adds a state that is computed from other states, which may be added before or after it. Does nothing if the state has already been
    /// added.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
    ///
    /// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    /// struct ShowsCursor;
    ///
    /// impl ComputedStates for ShowsCursor {
    ///     type SourceStates = Screen;
    ///     fn compute(screen: Screen) -> Option<Self> {
    ///         (screen == Screen::Menu).then_some(ShowsCursor)
    ///     }
    /// }
    ///
    /// App::new().init_state::<Screen>().add_computed_state::<ShowsCursor>();
    /// ```
    pub fn add_computed_state<S: ComputedStates>(&mut self) -> &mut Self {
        if has_begun::<S>(self.world()) {
            return self;
        }
        compute_after_load::<S>(self.world_mut());
        self.add_transitions::<S>(apply_computed::<S>, S::SourceStates::order::<S>)
    }

    /// Adds a state that exists only while other states have certain values. Those states may be added before or after it. Does nothing if
    /// the state has already been added.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
    ///
    /// #[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
    /// #[source(Screen = Screen::Game)]
    /// struct IsPaused(bool);
    ///
    /// App::new().init_state::<Screen>().add_sub_state::<IsPaused>();
    /// ```
    pub fn add_sub_state<S: SubStates>(&mut self) -> &mut Self {
        if has_begun::<S>(self.world()) {
            return self;
        }
        self.init_resource::<NextState<S>>();
        self.add_transitions::<S>(apply_sub::<S>, S::SourceStates::order::<S>)
    }

    /// Marks a state as new, so that it is entered, and adds its transitions unless they have been added.
    fn add_transitions<S: States>(&mut self, apply: fn(&mut World), order: fn(&mut Schedule)) -> &mut Self {
        // The depth is evaluated at compile time, so a state that depends on itself does not compile.
        const { assert!(S::DEPENDENCY_DEPTH > 0, "the depth of a state is at least 1") };
        let is_there = has_begun::<S>(self.world());
        begin::<S>(self.world_mut());
        if is_there {
            return self;
        }
        set_up(self);
        self.add_message::<StateTransitionEvent<S>>().edit_schedule(StateTransition, |schedule| {
            order(schedule);
            schedule.configure_sets((
                ApplyStateTransition::<S>::default().in_set(StateTransitionSystems::DependentTransitions),
                ExitSchedules::<S>::default().in_set(StateTransitionSystems::ExitSchedules),
                TransitionSchedules::<S>::default().in_set(StateTransitionSystems::TransitionSchedules),
                EnterSchedules::<S>::default().in_set(StateTransitionSystems::EnterSchedules),
            ));
            schedule.add_systems((
                apply.in_set(ApplyStateTransition::<S>::default()),
                (run_exit::<S>, despawn_on_exit::<S>).chain().in_set(ExitSchedules::<S>::default()),
                run_transition::<S>.in_set(TransitionSchedules::<S>::default()),
                (despawn_on_enter::<S>, run_enter::<S>).chain().in_set(EnterSchedules::<S>::default()),
            ));
        })
    }
}
