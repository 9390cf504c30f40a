//! Transitions: how a state changes, and which schedules run then.
//!
//! The systems of [`StateTransition`] change the states and run the schedules, in four consecutive sets. The first one changes the states
//! and records the transition of each type in this run ([`Transitions`]); the later sets read it.
//!
//! Tests: ecs/app/tests/states.rs, ecs/app/tests/histories.rs

use std::any::type_name;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use strata_ecs::change::DetectChangesMut as _;
use strata_ecs::message::Message;
use strata_ecs::resource::Resource;
use strata_ecs::schedule::{IntoScheduleConfigs as _, Schedule, ScheduleLabel, SystemSet};
use strata_ecs::system::Result;
use strata_ecs::world::{Schedules, TryRunScheduleError, World};

use super::resources::{NextState, PreviousState, State};
use super::states::{FreelyMutableState, States, of_state};
use crate::form::{Words, as_text};

/// The schedule that runs when the program enters a state.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # fn show_menu() {}
/// App::new().init_state::<Screen>().add_systems(OnEnter(Screen::Menu), show_menu);
/// ```
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct OnEnter<S: States>(pub S);

/// The schedule that runs when the program leaves a state.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # fn hide_menu() {}
/// App::new().init_state::<Screen>().add_systems(OnExit(Screen::Menu), hide_menu);
/// ```
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct OnExit<S: States>(pub S);

/// The schedule that runs when the program changes from one state to another: after [`OnExit`] and before [`OnEnter`].
/// It also runs if the two are the same and [`NextState::set_if_different`] was used.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # fn fade() {}
/// let start = OnTransition { exited: Screen::Menu, entered: Screen::Game };
/// App::new().init_state::<Screen>().add_systems(start, fade);
/// ```
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct OnTransition<S: States> {
    /// The state that was left.
    pub exited: S,
    /// The state that was entered.
    pub entered: S,
}

/// The schedule that changes the states, and runs [`OnExit`], [`OnTransition`] and [`OnEnter`].
///
/// It runs before [`PreStartup`](crate::PreStartup) and after [`PreUpdate`](crate::PreUpdate). A program can also run this schedule at
/// other times, but not from one of its own systems.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
///
/// let mut app = App::new();
/// app.init_state::<Screen>();
/// app.world_mut().resource_mut::<NextState<Screen>>().set(Screen::Game);
/// app.world_mut().run_schedule(StateTransition);
/// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Game);
/// ```
#[derive(ScheduleLabel, Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StateTransition;

/// The message of each transition, including transitions from a state to itself.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
///
/// fn log(mut transitions: MessageReader<StateTransitionEvent<Screen>>) {
///     for transition in transitions.read() {
///         println!("from {:?} to {:?}", transition.exited, transition.entered);
///     }
/// }
///
/// App::new().init_state::<Screen>().add_systems(Last, log).update();
/// ```
#[derive(Message, Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[message(persistence = of_state::<Self, S>)]
pub struct StateTransitionEvent<S: States> {
    /// The state that was left; `None` if the state did not exist before.
    pub exited: Option<S>,
    /// The state that was entered; `None` if the state no longer exists.
    pub entered: Option<S>,
    /// Whether [`OnExit`] and [`OnEnter`] run if both states are equal.
    pub allow_same_state_transitions: bool,
}

impl<S: States> StateTransitionEvent<S> {
    /// Returns the state for which [`OnExit`] runs.
    pub(super) fn left(&self) -> Option<&S> {
        self.exited.as_ref().filter(|_| self.is_told())
    }

    /// Returns the state for which [`OnEnter`] runs.
    pub(super) fn reached(&self) -> Option<&S> {
        self.entered.as_ref().filter(|_| self.is_told())
    }

    fn is_told(&self) -> bool {
        self.allow_same_state_transitions || self.exited != self.entered
    }
}

/// The sets of [`StateTransition`], in order.
///
/// ```
/// use strata_app::prelude::*;
/// use strata_app::state::StateTransitionSystems;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # fn between() {}
/// App::new()
///     .init_state::<Screen>()
///     .add_systems(StateTransition, between.in_set(StateTransitionSystems::TransitionSchedules));
/// ```
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StateTransitionSystems {
    /// The states change, dependent states last.
    DependentTransitions,
    /// Runs the [`OnExit`] schedules: the schedules of dependent states run first.
    ExitSchedules,
    /// Runs the [`OnTransition`] schedules: the schedules of dependent states run last.
    TransitionSchedules,
    /// Runs the [`OnEnter`] schedules: the schedules of dependent states run last.
    EnterSchedules,
}

/// Defines sets that exist per type of state, each with its documentation.
macro_rules! sets {
    ($($(#[$meta:meta])+ $vis:vis $Set:ident;)+) => {$(
        $(#[$meta])+
        #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
        $vis struct $Set<S: States>(PhantomData<S>);

        impl<S: States> Default for $Set<S> {
            fn default() -> Self {
                Self(PhantomData)
            }
        }
    )+};
}

sets! {
    /// The set in [`StateTransition`] that changes the state `S`.
    pub(super) ApplyStateTransition;
    /// The set in [`StateTransition`] that runs [`OnExit`] of `S`.
    pub ExitSchedules;
    /// The set in [`StateTransition`] that runs [`OnTransition`] of `S`.
    pub TransitionSchedules;
    /// The set in [`StateTransition`] that runs [`OnEnter`] of `S`.
    pub EnterSchedules;
}

impl<S: States> Words for StateTransitionEvent<S> {
    const ARE_KNOWN: bool = S::ARE_KNOWN;

    fn write(&self, text: &mut String) {
        self.exited.write(text);
        self.entered.write(text);
        self.allow_same_state_transitions.write(text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        let (exited, entered) = (Words::read(text)?, Words::read(text)?);
        Some(Self { exited, entered, allow_same_state_transitions: bool::read(text)? })
    }
}

/// The last transition of a state, and whether the state is new or loaded.
///
/// The change tick of this resource is set when the value of the state changes. Files contain that tick, but not the tick of a computed
/// state.
#[derive(Resource, Clone)]
#[resource(persistence = as_text)]
pub(super) struct Transitions<S: States> {
    /// Whether the state has not been entered since it was added.
    pub(super) is_new: bool,
    /// Whether this resource was read from a file, which does not contain the values of computed states.
    pub(super) is_loaded: bool,
    /// The transition in the current or last run of [`StateTransition`]. It is not read between two runs.
    current: Option<StateTransitionEvent<S>>,
}

/// The hash excludes `current`, because it is not read between two runs.
impl<S: States> Hash for Transitions<S> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.is_new.hash(state);
    }
}

impl<S: States> Words for Transitions<S> {
    fn write(&self, text: &mut String) {
        self.is_new.write(text);
    }

    fn read(text: &mut &str) -> Option<Self> {
        Some(Self { is_new: bool::read(text)?, is_loaded: true, current: None })
    }
}

/// Records that a state was added and must be entered.
pub(super) fn begin<S: States>(world: &mut World) {
    // The resources are registered so that a file can contain them, even if the world does not have them now.
    world.register_resource::<State<S>>();
    world.register_resource::<PreviousState<S>>();
    world.insert_resource(Transitions::<S> { is_new: true, is_loaded: false, current: None });
}

/// Returns whether a state was added.
pub(super) fn has_begun<S: States>(world: &World) -> bool {
    world.contains_resource::<Transitions<S>>()
}

/// Returns the message about a state that was never added. `effect` describes the consequence.
pub(super) fn never_added<S: States>(effect: &str) -> String {
    absent_state(effect, type_name::<S>())
}

fn absent_state(effect: &str, state: &str) -> String {
    let short = state.rsplit("::").next().unwrap_or(state);
    format!(
        "{effect}, as the state `{state}` was never added: call `init_state::<{short}>()`, `add_sub_state` or \
         `add_computed_state` of the `App`"
    )
}

/// Returns a message for each schedule of a state that was never added.
pub(crate) fn schedules_of_absent_states(world: &World) -> Vec<String> {
    let module = concat!(module_path!(), "::");
    let schedules = world.get_resource::<Schedules>().into_iter().flat_map(Schedules::iter);
    schedules
        .filter(|(_, schedule)| schedule.systems_len() > 0)
        .filter_map(|(label, _)| {
            let (of, state) = label.dyn_type_name().strip_prefix(module)?.split_once('<')?;
            let state = state.strip_suffix('>').filter(|_| matches!(of, "OnEnter" | "OnExit" | "OnTransition"))?;
            let transitions = format!("{module}Transitions<{state}>");
            let is_added = world.resource_descriptors().any(|resource| resource.name() == transitions);
            (!is_added).then(|| absent_state(&format!("schedule `{label:?}` never runs"), state))
        })
        .collect()
}

/// Returns the transition of a state in the current run of [`StateTransition`].
pub(super) fn current<S: States>(world: &World) -> Option<&StateTransitionEvent<S>> {
    world.get_resource::<Transitions<S>>()?.current.as_ref()
}

/// Returns whether a state is new, and marks it as no longer new.
pub(super) fn take_new<S: States>(world: &mut World) -> bool {
    let mut transitions = world.resource_mut::<Transitions<S>>();
    transitions.is_new && std::mem::take(&mut transitions.is_new)
}

/// Removes the transition of the last run of [`StateTransition`].
pub(super) fn clear_current<S: States>(world: &mut World) {
    world.resource_mut::<Transitions<S>>().bypass_change_detection().current = None;
}

/// Takes the requested next state. Also returns whether the state is left and entered if it already has that value.
pub(super) fn take_next<S: FreelyMutableState>(world: &mut World) -> Option<(S, bool)> {
    let mut next = world.get_resource_mut::<NextState<S>>()?;
    if *next == NextState::Unchanged {
        return None;
    }
    match std::mem::take(&mut *next) {
        NextState::Unchanged => None,
        NextState::Pending(state) => Some((state, true)),
        NextState::PendingIfDifferent(state) => Some((state, false)),
    }
}

/// Sets a state, or removes it. Returns whether that changed it.
pub(super) fn set_state<S: States>(world: &mut World, state: Option<S>) -> bool {
    let before = world.get_resource::<State<S>>().map(|state| &state.0);
    let changes = before != state.as_ref();
    match state {
        Some(state) if changes => world.insert_resource(State(state)),
        Some(_) => {}
        None => _ = world.remove_resource::<State<S>>(),
    }
    changes
}

/// Changes a state, and records the transition. A new state is entered, and no state is left.
pub(super) fn change<S: States>(
    world: &mut World,
    is_new: bool,
    entered: Option<S>,
    allow_same_state_transitions: bool,
) {
    let before = world.get_resource::<State<S>>().map(|state| state.0.clone());
    if set_state(world, entered.clone()) {
        world.resource_mut::<Transitions<S>>().set_changed();
    }
    let exited = before.filter(|_| !is_new);
    match &exited {
        Some(exited) => world.insert_resource(PreviousState(exited.clone())),
        None if entered.is_none() => return,
        None => _ = world.remove_resource::<PreviousState<S>>(),
    }
    let transition = StateTransitionEvent { exited, entered, allow_same_state_transitions };
    world.resource_mut::<Transitions<S>>().bypass_change_detection().current = Some(transition.clone());
    world.write_message(transition);
}

/// Changes a state to the requested next state, if there is one.
pub(super) fn apply_next<S: FreelyMutableState>(world: &mut World) {
    clear_current::<S>(world);
    let Some(state) = world.get_resource::<State<S>>().map(|state| state.0.clone()) else {
        // The program has removed the state, so its next state is dropped.
        take_next::<S>(world);
        return;
    };
    let is_new = take_new::<S>(world);
    match take_next::<S>(world) {
        Some((next, allow_same)) => change(world, is_new, Some(next), allow_same),
        None if is_new => change(world, true, Some(state), true),
        None => {}
    }
}

/// Runs a schedule, if it exists.
fn run_if_there(world: &mut World, label: impl ScheduleLabel) -> Result {
    match world.try_run_schedule(label) {
        Err(TryRunScheduleError::NotFound(_)) => Ok(()),
        result => Ok(result?),
    }
}

/// Runs [`OnExit`] of the state that was left.
pub(super) fn run_exit<S: States>(world: &mut World) -> Result {
    match current::<S>(world).and_then(StateTransitionEvent::left).cloned() {
        Some(exited) => run_if_there(world, OnExit(exited)),
        None => Ok(()),
    }
}

/// Runs [`OnTransition`] of the two states.
pub(super) fn run_transition<S: States>(world: &mut World) -> Result {
    match current::<S>(world).cloned() {
        Some(StateTransitionEvent { exited: Some(exited), entered: Some(entered), .. }) => {
            run_if_there(world, OnTransition { exited, entered })
        }
        _ => Ok(()),
    }
}

/// Runs [`OnEnter`] of the state that was entered.
pub(super) fn run_enter<S: States>(world: &mut World) -> Result {
    match current::<S>(world).and_then(StateTransitionEvent::reached).cloned() {
        Some(entered) => run_if_there(world, OnEnter(entered)),
        None => Ok(()),
    }
}

/// Returns the schedule of transitions, without the systems of any state.
pub(super) fn schedule() -> Schedule {
    use StateTransitionSystems::{DependentTransitions, EnterSchedules, ExitSchedules, TransitionSchedules};

    let mut schedule = Schedule::new(StateTransition);
    schedule.configure_sets((DependentTransitions, ExitSchedules, TransitionSchedules, EnterSchedules).chain());
    schedule
}
