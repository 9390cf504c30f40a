//! What can be a state.

use std::fmt::Debug;
use std::hash::Hash;

use super::state_set::StateSet;
use crate::form::StateForm;

/// A type whose value is the state of a program, or of a part of it. Derive it; see the [module](crate::state).
///
/// A program may have states of several types, which change independently of each other.
///
/// Each value that a program enters or leaves is remembered as long as the process runs, as all labels of schedules are: what
/// counts without end, such as the number of a round, belongs into a resource.
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
    /// How long the chain of states is from which this one follows. It is why a state that follows from itself does not compile:
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

    /// How values are written in files. The derives find it.
    #[doc(hidden)]
    const FORM: StateForm<Self> = StateForm::Unknown;
}

/// A state that [`NextState`](crate::state::NextState) can change: one with `#[derive(States)]` or `#[derive(SubStates)]`, and no
/// [computed](ComputedStates) one.
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

/// A state that follows from others: it is computed anew whenever one of them changes, and cannot be changed otherwise.
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
    /// The state from which it follows, or a tuple of them. If one of them does not exist, this one does not either, unless
    /// it is an `Option`.
    type SourceStates: StateSet;

    /// Whether [`OnExit`](crate::state::OnExit) and [`OnEnter`](crate::state::OnEnter) run although the value is the same,
    /// when one of its sources has changed. They do by default.
    const ALLOW_SAME_STATE_TRANSITIONS: bool = true;

    /// The state for these values of the others; `None` if it does not exist then.
    fn compute(sources: Self::SourceStates) -> Option<Self>;
}

#[diagnostic::do_not_recommend]
impl<S: ComputedStates> States for S {
    const DEPENDENCY_DEPTH: usize = S::SourceStates::SET_DEPENDENCY_DEPTH + 1;
    const FORM: StateForm<Self> = StateForm::Computed;
}

/// A state that exists only while others have some values, and can be changed while it exists.
///
/// Derive it, and say by `#[source(Other = pattern)]` when it exists; it begins with its `Default` each time. By hand it can begin
/// with something else. Add it with [`App::add_sub_state`](crate::App::add_sub_state).
///
/// If the next state is set before it exists, in the same frame as that of its source, it begins with that one.
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
    /// The state on which it depends, or a tuple of them. If one of them does not exist, this one does not either, unless it is
    /// an `Option`.
    type SourceStates: StateSet;

    /// With what it begins when the others have these values; `None` if it does not exist then.
    fn should_exist(sources: Self::SourceStates) -> Option<Self>;
}
