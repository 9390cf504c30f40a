//! The source states of computed states and sub-states.
//!
//! Tests: ecs/app/tests/derived.rs

use strata_ecs::schedule::{IntoScheduleConfigs as _, Schedule};
use strata_ecs::world::World;

use super::resources::State;
use super::states::States;
use super::transitions::{ApplyStateTransition, EnterSchedules, ExitSchedules, TransitionSchedules, current};

/// The sources of a [computed state](crate::state::ComputedStates) or [sub-state](crate::state::SubStates): a state, an
/// `Option` of a state, or a tuple of these.
///
/// ```
/// use strata_app::prelude::*;
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] enum Screen { #[default] Menu, Game }
/// # #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)] struct Online;
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// struct Match;
///
/// impl ComputedStates for Match {
///     type SourceStates = (Screen, Option<Online>);
///
///     fn compute((screen, online): Self::SourceStates) -> Option<Self> {
///         (screen == Screen::Game && online.is_some()).then_some(Match)
///     }
/// }
/// # App::new().init_state::<Screen>().add_computed_state::<Match>().update();
/// ```
#[diagnostic::on_unimplemented(
    message = "other states cannot follow from `{Self}`, which is not a state, nor an `Option` of one, nor a tuple of at most eight of \
               these",
    label = "not a state, nor an `Option` or a tuple of states"
)]
pub trait StateSet: Sized {
    /// The sum of the depths of the states.
    const SET_DEPENDENCY_DEPTH: usize;

    /// Returns the values of the states; `None` if a state that is not in an `Option` does not exist.
    #[doc(hidden)]
    fn get(world: &World) -> Option<Self>;

    /// Returns whether one of the states has changed in this run of the transitions.
    #[doc(hidden)]
    fn any_changed(world: &World) -> bool;

    /// Orders the transitions of `T` relative to the transitions of the sources.
    #[doc(hidden)]
    fn order<T: States>(schedule: &mut Schedule);
}

/// A state, or an `Option` of a state.
#[doc(hidden)]
pub trait Source: Sized {
    /// The state itself.
    type Raw: States;

    /// Converts the state of the world, which is `None` if it does not exist. Returns `None` if the state must exist and does not.
    fn of(state: Option<&Self::Raw>) -> Option<Self>;
}

impl<S: States> Source for S {
    type Raw = S;

    fn of(state: Option<&S>) -> Option<S> {
        state.cloned()
    }
}

impl<S: States> Source for Option<S> {
    type Raw = S;

    fn of(state: Option<&S>) -> Option<Self> {
        Some(state.cloned())
    }
}

/// Reads the value of a source from a world.
fn read<S: Source>(world: &World) -> Option<S> {
    S::of(world.get_resource::<State<S::Raw>>().map(State::get))
}

/// Orders the transitions of `T` relative to the transitions of one source.
fn order_after<S: States, T: States>(schedule: &mut Schedule) {
    // The sets of the source are declared here, because the source may be added later or never.
    schedule.configure_sets((
        ApplyStateTransition::<S>::default(),
        ExitSchedules::<S>::default(),
        TransitionSchedules::<S>::default(),
        EnterSchedules::<S>::default(),
        ApplyStateTransition::<T>::default().after(ApplyStateTransition::<S>::default()),
        ExitSchedules::<T>::default().before(ExitSchedules::<S>::default()),
        TransitionSchedules::<T>::default().after(TransitionSchedules::<S>::default()),
        EnterSchedules::<T>::default().after(EnterSchedules::<S>::default()),
    ));
}

#[diagnostic::do_not_recommend]
impl<S: Source> StateSet for S {
    const SET_DEPENDENCY_DEPTH: usize = S::Raw::DEPENDENCY_DEPTH;

    fn get(world: &World) -> Option<Self> {
        read(world)
    }

    fn any_changed(world: &World) -> bool {
        current::<S::Raw>(world).is_some()
    }

    fn order<T: States>(schedule: &mut Schedule) {
        order_after::<S::Raw, T>(schedule);
    }
}

/// Implements the trait for tuples with these members.
macro_rules! tuple {
    ($($S:ident),+) => {
        #[diagnostic::do_not_recommend]
        impl<$($S: Source),+> StateSet for ($($S,)+) {
            const SET_DEPENDENCY_DEPTH: usize = 0 $(+ <$S::Raw as States>::DEPENDENCY_DEPTH)+;

            fn get(world: &World) -> Option<Self> {
                Some(($(read::<$S>(world)?,)+))
            }

            fn any_changed(world: &World) -> bool {
                $(current::<$S::Raw>(world).is_some())||+
            }

            fn order<Dependent: States>(schedule: &mut Schedule) {
                $(order_after::<$S::Raw, Dependent>(schedule);)+
            }
        }
    };
}

tuple!(A);
tuple!(A, B);
tuple!(A, B, C);
tuple!(A, B, C, D);
tuple!(A, B, C, D, E);
tuple!(A, B, C, D, E, F);
tuple!(A, B, C, D, E, F, G);
tuple!(A, B, C, D, E, F, G, H);

/// A placeholder for a missing source of a sub-state, for which the macro reports an error.
#[derive(Clone, Copy, Debug)]
pub struct NoSource;

#[diagnostic::do_not_recommend]
impl StateSet for NoSource {
    const SET_DEPENDENCY_DEPTH: usize = 0;

    fn get(_: &World) -> Option<Self> {
        None
    }

    fn any_changed(_: &World) -> bool {
        false
    }

    fn order<T: States>(_: &mut Schedule) {}
}
