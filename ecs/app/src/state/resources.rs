//! The resources of a state.
//!
//! Tests: ecs/app/tests/states.rs

use std::ops::Deref;

use strata_ecs::resource::Resource;

use super::states::{FreelyMutableState, States, of_state};
use crate::form::{Words, read_word, text_form, write_word};

/// The state of type `S`. Systems read it; [`NextState`] changes it.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
///
/// fn title(screen: Res<State<Screen>>) -> &'static str {
///     match screen.get() {
///         Screen::Menu => "Menu",
///         Screen::Game => "Game",
///     }
/// }
///
/// let mut app = App::new();
/// app.init_state::<Screen>();
/// assert_eq!(app.world_mut().run_system_once(title).unwrap(), "Menu");
/// ```
#[derive(Resource, Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[resource(persistence = of_state::<Self, S>, missing = "call `init_state::<{}>()`, `add_sub_state` or `add_computed_state` of the `App`")]
pub struct State<S: States>(pub(super) S);

impl<S: States> State<S> {
    /// Creates a state to insert manually. [`App::insert_state`](crate::App::insert_state) also adds its transitions.
    #[must_use]
    pub fn new(state: S) -> Self {
        Self(state)
    }

    /// Returns the value of the state.
    #[must_use]
    pub fn get(&self) -> &S {
        &self.0
    }
}

impl<S: States> Deref for State<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S: States> PartialEq<S> for State<S> {
    fn eq(&self, other: &S) -> bool {
        self.0 == *other
    }
}

/// The state before the last transition. It does not exist until a transition has left a state.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game, Options }
///
/// /// Leaves the options for where they were entered from.
/// fn back(previous: Res<PreviousState<Screen>>, mut next: ResMut<NextState<Screen>>) {
///     next.set(previous.get().clone());
/// }
///
/// let mut app = App::new();
/// app.insert_state(Screen::Game);
/// app.update();
/// app.world_mut().resource_mut::<NextState<Screen>>().set(Screen::Options);
/// app.update();
/// app.world_mut().run_system_once(back).unwrap();
/// app.update();
/// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Game);
/// ```
#[derive(Resource, Clone, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[resource(persistence = of_state::<Self, S>, missing = "it exists after the first transition from one `{}` to another")]
pub struct PreviousState<S: States>(pub(super) S);

impl<S: States> PreviousState<S> {
    /// Returns the value of the state.
    #[must_use]
    pub fn get(&self) -> &S {
        &self.0
    }
}

impl<S: States> Deref for PreviousState<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

/// The state to which the next [`StateTransition`](crate::state::StateTransition) changes.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
///
/// fn start(mut next: ResMut<NextState<Screen>>) {
///     next.set(Screen::Game);
/// }
///
/// let mut app = App::new();
/// app.init_state::<Screen>().add_systems(Update, start);
/// app.update();
/// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Menu);
/// app.update();
/// assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Game);
/// ```
#[derive(Resource, Clone, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[resource(persistence = of_state::<Self, S>, missing = "call `init_state::<{}>()` or `add_sub_state` of the `App`")]
pub enum NextState<S: FreelyMutableState> {
    /// The state does not change.
    #[default]
    Unchanged,
    /// The state changes to this value. If it already has this value, it is still left and entered.
    Pending(S),
    /// The state changes to this value. If it already has this value, neither [`OnExit`](crate::state::OnExit) nor
    /// [`OnEnter`](crate::state::OnEnter) runs.
    PendingIfDifferent(S),
}

impl<S: FreelyMutableState> NextState<S> {
    /// Requests a change of the state to this value. If the state already has this value, it is still left and entered.
    ///
    /// Only the last call before the transition has an effect. For example, in state `A`, after `set(B)` and then `set(A)`, `A` is left and
    /// entered again, and `B` is not entered. If the last call is `set_if_different(A)`, only [`OnTransition`](crate::state::OnTransition)
    /// from `A` to `A` runs. If it is [`reset`](Self::reset), no schedule runs.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug)] struct Level(u32);
    /// let mut next = NextState::Unchanged;
    /// next.set(Level(1));
    /// assert_eq!(next, NextState::Pending(Level(1)));
    /// ```
    pub fn set(&mut self, state: S) {
        *self = Self::Pending(state);
    }

    /// Requests a change of the state to this value, unless the state already has it. Has no effect after a [`set`](NextState::set) to the
    /// same value.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug)] struct Level(u32);
    /// let mut next = NextState::Unchanged;
    /// next.set_if_different(Level(1));
    /// assert_eq!(next, NextState::PendingIfDifferent(Level(1)));
    /// ```
    pub fn set_if_different(&mut self, state: S) {
        if !matches!(self, Self::Pending(pending) if *pending == state) {
            *self = Self::PendingIfDifferent(state);
        }
    }

    /// Cancels the requested change.
    ///
    /// ```
    /// use strata_app::prelude::*;
    /// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug)] struct Level(u32);
    /// let mut next = NextState::Pending(Level(1));
    /// next.reset();
    /// assert_eq!(next, NextState::Unchanged);
    /// ```
    pub fn reset(&mut self) {
        *self = Self::Unchanged;
    }
}

text_form!(State<S> where S: States, |state| &state.0, |state| State(state));
text_form!(PreviousState<S> where S: States, |state| &state.0, |state| PreviousState(state));

impl<S: FreelyMutableState> Words for NextState<S> {
    fn write(&self, text: &mut String) {
        let (word, state) = match self {
            Self::Unchanged => ("unchanged", None),
            Self::Pending(state) => ("pending", Some(state)),
            Self::PendingIfDifferent(state) => ("pending_if_different", Some(state)),
        };
        write_word(word, text);
        state.into_iter().for_each(|state| state.write(text));
    }

    fn read(text: &mut &str) -> Option<Self> {
        match read_word(text)? {
            "unchanged" => Some(Self::Unchanged),
            "pending" => S::read(text).map(Self::Pending),
            "pending_if_different" => S::read(text).map(Self::PendingIfDifferent),
            _ => None,
        }
    }
}
