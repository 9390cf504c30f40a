//! Time: frame durations, time that can be paused and sped up, and fixed steps.
//!
//! With a [`TimePlugin`] the world has four clocks. [`Time<Real>`] follows the clock of the machine. [`Time<Virtual>`]
//! follows the real clock, but can be paused and sped up, and its delta is limited. [`Time<Fixed>`] follows the virtual
//! clock in steps of a fixed length. Most systems use [`Time`], without a parameter: it is a copy of the fixed clock in
//! the schedules of a fixed step, and of the virtual clock everywhere else.
//!
//! The clocks advance in [`First`], according to the [`TimeUpdateStrategy`]: by the clock of the machine, or by given durations, for tests
//! and replays. Equal durations result in equal steps, to the nanosecond.
//!
//! ```
//! use std::time::Duration;
//! use strata_app::prelude::*;
//!
//! #[derive(Component)]
//! struct Position(f32);
//! #[derive(Component)]
//! struct Velocity(f32);
//!
//! /// In `Update` this is the time since the last frame, in `FixedUpdate` the length of a step.
//! #[system]
//! fn movement(position: &mut Position, velocity: &Velocity, time: Res<Time>) {
//!     position.0 += velocity.0 * time.delta_secs();
//! }
//!
//! let mut app = App::new();
//! app.add_plugins(TimePlugin)
//!     .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(100)))
//!     .add_systems(Update, movement);
//! let entity = app.world_mut().spawn((Position(0.0), Velocity(5.0))).id();
//! app.update(); // The first frame only notes the time.
//! app.update();
//! assert_eq!(app.world().get::<Position>(entity).unwrap().0, 0.5);
//! ```
//!
//! Tests: ecs/app/tests/steps.rs

#[cfg(feature = "serde")]
mod serialized;
mod base;
mod real;
mod virtual_time;
mod fixed;
mod contexts;
mod stopwatch;
mod timer;
pub mod common_conditions;

use std::time::{Duration, Instant};

use strata_ecs::resource::Resource;
use strata_ecs::schedule::{IntoScheduleConfigs as _, SystemSet};
use strata_ecs::system::{Res, ResMut};
use strata_ecs::world::World;

pub use self::base::Time;
pub use self::fixed::Fixed;
pub use self::real::Real;
pub use self::stopwatch::Stopwatch;
pub use self::timer::{Timer, TimerMode};
pub use self::virtual_time::Virtual;
use crate::app::{App, Plugin};
use crate::form::{as_text, text_form, text_form_of};
use crate::main_schedule::{First, RunFixedMainLoop, RunFixedMainLoopSystems};

/// Adds the clocks, the system that advances them, and the fixed steps: see the [module](crate::time).
///
/// ```
/// use strata_app::prelude::*;
/// let mut app = App::new();
/// app.add_plugins(TimePlugin);
/// assert!(app.world().contains_resource::<Time>());
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct TimePlugin;

impl Plugin for TimePlugin {
    fn build(&self, app: &mut App) {
        register_locals(app.world_mut());
        app.init_resource::<Time>()
            .init_resource::<Time<Real>>()
            .init_resource::<Time<Virtual>>()
            .init_resource::<Time<Fixed>>()
            .init_resource::<TimeUpdateStrategy>()
            .init_resource::<HaveAdvanced>()
            .add_systems(First, advance_clocks.in_set(TimeSystems))
            .add_systems(RunFixedMainLoop, fixed::run_steps.in_set(RunFixedMainLoopSystems::FixedMainLoop));
    }
}

/// Makes snapshots and files include `Local`s of the types of this module.
fn register_locals(world: &mut World) {
    macro_rules! register {
        ($($T:ty = $name:literal)*) => { $(
            world.register_local($name, text_form_of::<$T>());
            world.register_local(concat!("Option<", $name, ">"), text_form_of::<Option<$T>>());
            world.register_local(concat!("Vec<", $name, ">"), text_form_of::<Vec<$T>>());
        )* };
    }
    register! {
        Timer = "strata_app::Timer"
        TimerMode = "strata_app::TimerMode"
        Stopwatch = "strata_app::Stopwatch"
        Time = "strata_app::Time"
        Time<Virtual> = "strata_app::Time<Virtual>"
        Time<Fixed> = "strata_app::Time<Fixed>"
    }
}

/// The set of the system in [`First`] that advances the clocks. Systems in `First` that read the clocks must run after
/// it.
///
/// ```
/// use strata_app::prelude::*;
/// use strata_app::time::TimeSystems;
/// # fn note(time: Res<Time>) {}
/// App::new().add_plugins(TimePlugin).add_systems(First, note.after(TimeSystems));
/// ```
#[derive(SystemSet, Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TimeSystems;

/// How much the clocks advance in a frame. In the first frame, they only record the time, and the delta is zero.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
///
/// let mut app = App::new();
/// app.add_plugins(TimePlugin).insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(20)));
/// app.update();
/// assert_eq!(app.world().resource::<Time>().elapsed(), Duration::ZERO);
/// app.update();
/// assert_eq!(app.world().resource::<Time>().elapsed(), Duration::from_millis(20));
/// ```
#[derive(Resource, Clone, Copy, PartialEq, Eq, Default, Debug)]
#[resource(transient, missing = "add `TimePlugin` to the `App`")]
pub enum TimeUpdateStrategy {
    /// The clocks advance by the clock of the machine.
    #[default]
    Automatic,
    /// The clocks advance to this instant.
    ManualInstant(Instant),
    /// The clocks advance by this duration, for tests and replays.
    ManualDuration(Duration),
    /// The clocks advance by the length of this number of fixed steps. So each frame has this number of steps, unless the virtual clock is
    /// paused, sped up or limited.
    FixedTimesteps(u32),
}

/// Whether the clocks of the world have advanced; they advance from the second frame on. Unlike the real clock, this belongs to the state
/// of the world.
#[derive(Resource, Clone, Copy, Default, Debug)]
#[resource(persistence = as_text)]
struct HaveAdvanced(bool);

text_form!(HaveAdvanced, |have| &have.0, |have| HaveAdvanced(have));

/// Advances all clocks except the fixed one.
fn advance_clocks(
    mut real: ResMut<'_, Time<Real>>,
    mut virt: ResMut<'_, Time<Virtual>>,
    mut time: ResMut<'_, Time>,
    fixed: Res<'_, Time<Fixed>>,
    strategy: Res<'_, TimeUpdateStrategy>,
    mut have_advanced: ResMut<'_, HaveAdvanced>,
) {
    let given = match *strategy {
        TimeUpdateStrategy::ManualDuration(duration) => Some(duration),
        TimeUpdateStrategy::FixedTimesteps(steps) => Some(fixed.timestep() * steps),
        TimeUpdateStrategy::Automatic | TimeUpdateStrategy::ManualInstant(_) => None,
    };
    let is_first = !have_advanced.0;
    if !is_first && given.is_some() && real.last_update().is_none() {
        // The world was loaded by a program that has not run a frame yet. This update makes the clock continue as in the program that saved
        // the world.
        real.update_with_duration(Duration::ZERO);
    }
    let was_running = std::mem::replace(&mut real.context_mut().is_running, true);
    match (*strategy, given) {
        (_, Some(duration)) => real.update_with_duration(duration),
        (TimeUpdateStrategy::ManualInstant(instant), None) => real.update_with_instant(instant),
        (_, None) => real.update(),
    }
    // The first frame of a world in a program that was already running: the world was restored to a state before its first frame. In a
    // first frame the clocks only record the time.
    virt.follow(if is_first && was_running { Duration::ZERO } else { real.delta() });
    if is_first {
        have_advanced.0 = true;
    }
    *time = virt.as_generic();
}
