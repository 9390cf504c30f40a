//! The traits of states.

use std::fmt::Debug;
use std::hash::Hash;

use super::state_set::StateSet;
use crate::form::StateForm;

/// A type whose value is the state of a program, or of a part of it. Derive it; see the [module](crate::state).
///
/// A program may have states of several types, which change independently of each other.
///
/// Each value that a program enters or leaves is kept for the lifetime of the process, like all schedule labels: an
/// unbounded value, such as the number of a round, belongs in a resource.
///
/// ```
/// use strata_app::prelude::*;
///
/// #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
/// enum Screen {
///     #[default]
///     Menu,
///     Level { number: u32 },
/// }
///
/// let mut app = App::new();
/// app.insert_state(Screen::Level { number: 3 });
/// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Level { number: 3 });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state: add `#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]` to it",
    label = "not a state"
)]
pub trait States: Clone + PartialEq + Eq + Hash + Debug + Send + Sync + 'static {
    /// The length of the chain of states that this one depends on. A state that depends on itself does not compile,
    /// because its depth would be infinite:
    ///
    /// ```compile_fail
    /// use strata_app::prelude::*;
    ///
    /// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    /// struct Hen;
    /// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    /// struct Egg;
    ///
    /// impl ComputedStates for Hen {
    ///     type SourceStates = Option<Egg>;
    ///     fn compute(_: Option<Egg>) -> Option<Self> { Some(Hen) }
    /// }
    ///
    /// impl ComputedStates for Egg {
    ///     type SourceStates = Option<Hen>;
    ///     fn compute(_: Option<Hen>) -> Option<Self> { Some(Egg) }
    /// }
    ///
    /// App::new().add_computed_state::<Hen>().add_computed_state::<Egg>();
    /// ```
    const DEPENDENCY_DEPTH: usize = 1;

    /// The form of values in files. The derives determine it.
    #[doc(hidden)]
    const FORM: StateForm<Self> = StateForm::Unknown;
}

/// A state that [`NextState`](crate::state::NextState) can change: a state with `#[derive(States)]` or
/// `#[derive(SubStates)]`, but not a [computed](ComputedStates) state.
///
/// ```
/// use strata_app::prelude::*;
/// use strata_app::state::FreelyMutableState;
///
/// fn reset<S: FreelyMutableState + Default>(mut next: ResMut<NextState<S>>) {
///     next.set(S::default());
/// }
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] struct Level(u32);
/// App::new().init_state::<Level>().add_systems(Update, reset::<Level>);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state that can be changed",
    label = "not a state that can be changed",
    note = "add `#[derive(States, Clone, PartialEq, Eq, Hash, Debug)]` to it",
    note = "a computed state follows from others: change one of those"
)]
pub trait FreelyMutableState: States {}

/// A state that is computed from others whenever one of them changes, and cannot be changed directly.
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

    /// Whether [`OnExit`](crate::state::OnExit) and [`OnEnter`](crate::state::OnEnter) run when a source has changed but
    /// the computed value is the same. By default they do.
    const ALLOW_SAME_STATE_TRANSITIONS: bool = true;

    /// Computes the state from its sources; `None` if it does not exist for these values.
    fn compute(sources: Self::SourceStates) -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<S: ComputedStates> States for S {
    const DEPENDENCY_DEPTH: usize = S::SourceStates::SET_DEPENDENCY_DEPTH + 1;
    const FORM: StateForm<Self> = StateForm::Computed;
}

/// A state that exists only while other states have certain values, and can be changed while it exists.
///
/// Derive it, and set with `#[source(Other = pattern)]` when it exists; its first value is its `Default` each time. A
/// manual impl can choose another first value. Add it with [`App::add_sub_state`](crate::App::add_sub_state).
///
/// If its next state is set before it exists, in the same frame as the next state of its source, it begins with that
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

    /// The first value for these values of the sources; `None` if the state does not exist for them.
    fn should_exist(sources: Self::SourceStates) -> Option<Self>;
}
