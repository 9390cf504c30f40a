//! States: the modes of a program, and the transitions between them.
//!
//! A state is a value of a type with `#[derive(States)]`, stored once per world: the menu, the game, the end. Systems
//! can run only [in a state](in_state), the schedules [`OnEnter`], [`OnExit`] and [`OnTransition`] run when it changes,
//! and entities can be [despawned with it](DespawnOnExit). A system requests a change with [`NextState`]; the change
//! happens in [`StateTransition`], which runs before [`PreStartup`](crate::PreStartup) and, in each frame, after
//! [`PreUpdate`](crate::PreUpdate).
//!
//! A [computed state](ComputedStates) is computed from other states. A [sub-state](SubStates) exists only while other
//! states have certain values, and can be changed while it exists.
//!
//! ```
//! use strata_app::prelude::*;
//! # #[derive(Resource, Default)] struct Log(Vec<&'static str>);
//!
//! #[derive(States, Clone, PartialEq, Eq, Hash, Debug, Default)]
//! enum Screen {
//!     #[default]
//!     Menu,
//!     Game,
//! }
//!
//! fn show_menu(mut commands: Commands) {
//!     commands.spawn((Name::new("Start"), DespawnOnExit(Screen::Menu)));
//! }
//!
//! fn start(mut next: ResMut<NextState<Screen>>) {
//!     next.set(Screen::Game);
//! }
//!
//! fn play(mut log: ResMut<Log>) {
//!     log.0.push("played");
//! }
//!
//! let mut app = App::new();
//! app.init_state::<Screen>()
//!     .init_resource::<Log>()
//!     .add_systems(OnEnter(Screen::Menu), show_menu)
//!     .add_systems(Update, (start.run_if(in_state(Screen::Menu)), play.run_if(in_state(Screen::Game))));
//! app.update();
//! assert_eq!(app.world().len(), 1);
//! app.update(); // After `PreUpdate` the program leaves the menu.
//! assert_eq!((app.world().len(), &*app.world().resource::<Log>().0), (0, &["played"][..]));
//! ```
//!
//! # The order of a transition
//!
//! First all states change, each dependent state after its sources. Then [`OnExit`] runs for the states that were left, dependent states
//! first. Then [`OnTransition`] runs, and then [`OnEnter`], each with dependent states last. Entities with [`DespawnOnExit`] are despawned
//! after the systems of `OnExit`, entities with [`DespawnOnEnter`] before the systems of `OnEnter`. In all these systems, [`State`] is the
//! new state, and [`PreviousState`] is the old one.
//!
//! Tests: ecs/app/tests/states.rs

mod states;
mod resources;
mod transitions;
mod state_set;
mod dependent;
mod commands;
mod conditions;
mod despawn;
mod app;

pub use strata_ecs_derive::{States, SubStates};

pub use self::app::StatesPlugin;
pub use self::commands::CommandsStatesExt;
pub use self::conditions::{in_state, state_changed, state_exists};
pub use self::dependent::{ComputedStates, SubStates};
pub use self::despawn::{DespawnOnEnter, DespawnOnExit};
pub use self::resources::{NextState, PreviousState, State};
#[doc(hidden)]
pub use self::state_set::NoSource;
pub use self::state_set::StateSet;
pub use self::states::{FreelyMutableState, States};
pub(crate) use self::transitions::schedules_of_absent_states;
pub use self::transitions::{
    EnterSchedules, ExitSchedules, OnEnter, OnExit, OnTransition, StateTransition, StateTransitionEvent,
    StateTransitionSystems, TransitionSchedules,
};
