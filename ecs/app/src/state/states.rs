//! The traits of all states.
//!
//! Tests: ecs/app/tests/derived.rs

use std::fmt::Debug;
use std::hash::Hash;

use strata_ecs::component::Persistence;

use crate::form::{StateForm, Words, as_text};

/// A type whose value is the state of a program, or of a part of it. Derive the trait; see the [module](crate::state).
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
    /// The depth of the state: 1 for an independent state, and for a dependent state 1 plus the depths of its sources. A state that depends
    /// on itself does not compile, because its depth would be infinite:
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
/// `#[derive(SubStates)]`, but not a [computed](crate::state::ComputedStates) state.
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

impl<S: States> Words for S {
    const ARE_KNOWN: bool = matches!(S::FORM, StateForm::Words { .. });

    fn write(&self, text: &mut String) {
        if let StateForm::Words { write, .. } = S::FORM {
            write(self, text);
        }
    }

    fn read(text: &mut &str) -> Option<Self> {
        match S::FORM {
            StateForm::Words { read, .. } => read(text),
            StateForm::Unknown | StateForm::Computed => None,
        }
    }
}

/// Returns the persistence of a resource that contains values of a state.
pub(crate) fn of_state<R: Words, S: States>() -> Persistence<R> {
    match S::FORM {
        StateForm::Unknown => Persistence::Listed,
        StateForm::Computed => Persistence::Skipped,
        StateForm::Words { .. } => as_text(),
    }
}
