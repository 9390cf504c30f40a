//! States that depend on others: computed states and sub-states.
//!
//! Tests: ecs/app/tests/states.rs, ecs/app/tests/derived.rs

use std::fmt::Debug;
use std::hash::Hash;

use strata_ecs::change::{DetectChanges as _, DetectChangesMut as _};
use strata_ecs::message::Messages;
use strata_ecs::resource::Resource;
use strata_ecs::world::World;

use super::resources::{PreviousState, State};
use super::state_set::StateSet;
use super::states::{FreelyMutableState, States};
use super::transitions::{StateTransitionEvent, Transitions, change, clear_current, set_state, take_new, take_next};
use crate::form::StateForm;

/// A state that is computed from other states. It is recomputed whenever one of these changes, and cannot be changed directly.
///
/// Add it with [`App::add_computed_state`](crate::App::add_computed_state).
///
/// ```
/// use strata_app::prelude::*;
///
/// #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
/// enum Screen {
///     #[default]
///     Menu,
///     Game { paused: bool },
/// }
///
/// /// Paused or not.
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// struct InGame;
///
/// impl ComputedStates for InGame {
///     type SourceStates = Screen;
///
///     fn compute(screen: Screen) -> Option<Self> {
///         matches!(screen, Screen::Game { .. }).then_some(InGame)
///     }
/// }
///
/// let mut app = App::new();
/// app.insert_state(Screen::Game { paused: true }).add_computed_state::<InGame>();
/// app.update();
/// assert!(app.world().contains_resource::<State<InGame>>());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a computed state: implement `ComputedStates` for it",
    label = "not a computed state"
)]
pub trait ComputedStates: Clone + PartialEq + Eq + Hash + Debug + Send + Sync + 'static {
    /// The source state, or a tuple of source states. If one of them does not exist, this state does not exist either,
    /// unless the source is an `Option`.
    type SourceStates: StateSet;

    /// Whether [`OnExit`](crate::state::OnExit) and [`OnEnter`](crate::state::OnEnter) run if a source has changed but the computed value
    /// is unchanged. The default is true.
    const ALLOW_SAME_STATE_TRANSITIONS: bool = true;

    /// Computes the state from its sources; returns `None` if the state does not exist for these values.
    fn compute(sources: Self::SourceStates) -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<S: ComputedStates> States for S {
    const DEPENDENCY_DEPTH: usize = S::SourceStates::SET_DEPENDENCY_DEPTH + 1;
    const FORM: StateForm<Self> = StateForm::Computed;
}

/// A state that exists only while other states have certain values, and can be changed while it exists.
///
/// Derive the trait, and set with `#[source(Other = pattern)]` for which values of the other state it exists. Each time it begins to exist,
/// its value is the `Default` value. A manual impl can choose another first value. Add it with
/// [`App::add_sub_state`](crate::App::add_sub_state).
///
/// If the next state is set before the state exists, in the frame in which the next state of its source is set, the state begins with that
/// value.
///
/// ```
/// use strata_app::prelude::*;
///
/// #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
/// enum Screen {
///     #[default]
///     Menu,
///     Game,
/// }
///
/// #[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]
/// #[source(Screen = Screen::Game)]
/// enum Phase {
///     #[default]
///     Setup,
///     Battle,
/// }
///
/// # fn place() {}
/// # fn fight() {}
/// App::new()
///     .init_state::<Screen>()
///     .add_sub_state::<Phase>()
///     .add_systems(Update, (place.run_if(in_state(Phase::Setup)), fight.run_if(in_state(Phase::Battle))));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a sub-state: add `#[derive(SubStates, Clone, PartialEq, Eq, Hash, Debug, Default)]` and \
               `#[source(OtherState = OtherState::Value)]` to it",
    label = "not a sub-state"
)]
pub trait SubStates: FreelyMutableState {
    /// The source state, or a tuple of source states. If one of them does not exist, this state does not exist either,
    /// unless the source is an `Option`.
    type SourceStates: StateSet;

    /// Returns the first value of the state for these values of the sources; `None` if the state does not exist for them.
    fn should_exist(sources: Self::SourceStates) -> Option<Self>;
}

/// Recomputes a computed state if one of its sources has changed.
pub(super) fn apply_computed<S: ComputedStates>(world: &mut World) {
    clear_current::<S>(world);
    let is_new = take_new::<S>(world);
    if is_new || S::SourceStates::any_changed(world) {
        let state = S::SourceStates::get(world).and_then(S::compute);
        change(world, is_new, state, S::ALLOW_SAME_STATE_TRANSITIONS);
    }
}

/// How entities, components and resources got into a world from another world.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Everything was loaded from a file or a snapshot, with its ticks.
    Load,
    /// The changed part of another world was applied; it is marked as changed in this world as well.
    Update,
}

/// Functions that compute states that are not in the loaded data, each with the depth of its state, in ascending order.
#[derive(Resource, Default)]
#[resource(transient)]
pub(super) struct ComputedAfterLoad(Vec<(usize, fn(&mut World, Arrival))>);

/// Registers a computed state, so that it is recomputed when a world is loaded.
pub(super) fn compute_after_load<S: ComputedStates>(world: &mut World) {
    let mut all = world.get_resource_or_init::<ComputedAfterLoad>();
    all.0.push((S::DEPENDENCY_DEPTH, compute_loaded::<S>));
    all.0.sort_by_key(|(depth, _)| *depth);
}

/// Recomputes all computed states after their sources have come from another world.
pub(super) fn compute_all_loaded(world: &mut World, arrival: Arrival) {
    let all = world.get_resource::<ComputedAfterLoad>().map_or_else(Vec::new, |all| all.0.clone());
    all.into_iter().for_each(|(_, compute)| compute(world, arrival));
}

/// Computes a state whose sources have come from another world, without a transition.
fn compute_loaded<S: ComputedStates>(world: &mut World, arrival: Arrival) {
    let Some(mut transitions) = world.get_resource_mut::<Transitions<S>>() else { return };
    let is_loaded = std::mem::take(&mut transitions.bypass_change_detection().is_loaded);
    if !is_loaded && arrival == Arrival::Load {
        return;
    }
    let (is_new, changed) = (transitions.is_new, transitions.last_changed());
    let state = S::SourceStates::get(world).and_then(S::compute).filter(|_| !is_new);
    let changes = set_state(world, state);
    if arrival == Arrival::Update && !changes {
        return;
    }
    if let Some(mut state) = world.get_resource_mut::<State<S>>().filter(|_| arrival == Arrival::Load) {
        state.set_last_added(changed);
    }
    // These belong to the world before the load.
    world.remove_resource::<PreviousState<S>>();
    if let Some(mut messages) = world.get_resource_mut::<Messages<StateTransitionEvent<S>>>() {
        messages.clear();
    }
}

/// Adds, removes or changes a sub-state, after a change of its sources or a request.
pub(super) fn apply_sub<S: SubStates>(world: &mut World) {
    clear_current::<S>(world);
    let is_new = take_new::<S>(world);
    let next = take_next::<S>(world);
    let sources_changed = is_new || S::SourceStates::any_changed(world);
    if !sources_changed && next.is_none() {
        return;
    }
    let state = world.get_resource::<State<S>>().map(|state| state.0.clone());
    let begins_with =
        if sources_changed { S::SourceStates::get(world).and_then(S::should_exist) } else { state.clone() };
    let (next, allow_same) = next.map_or((None, false), |(next, allow_same)| (Some(next), allow_same));
    let entered = begins_with.map(|first| next.or(state).unwrap_or(first));
    change(world, is_new, entered, allow_same);
}
