//! Time conditions, for [`run_if`](strata_ecs::schedule::IntoScheduleConfigs::run_if).
//!
//! Each use of such a condition has its own timer, which advances when the condition is evaluated: once in each run of
//! the schedule, unless an outer condition does not hold.
//!
//! The timers for [`Time`] are `Local`s, which snapshots and files contain. The timers for [`Time<Real>`](Real) belong to the process, like
//! that clock, so snapshots and files do not contain them.
//!
//! Tests: ecs/app/tests/timers.rs

use std::time::Duration;

use strata_ecs::system::{Local, Res};

use super::base::Time;
use super::real::Real;
use super::timer::{Timer, TimerMode};
use super::virtual_time::Virtual;

/// Holds each time this duration of [`Time`] has passed. If a frame is longer than several of these durations, it holds once in that frame.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// use strata_app::time::common_conditions::on_timer;
/// # #[derive(Resource, Default)] struct Saved(u32);
/// # fn save(mut saved: ResMut<Saved>) { saved.0 += 1; }
///
/// let mut app = App::new();
/// app.add_plugins(TimePlugin)
///     .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(100)))
///     .init_resource::<Saved>()
///     .add_systems(Update, save.run_if(on_timer(Duration::from_millis(300))));
/// for _ in 0..=9 {
///     app.update();
/// }
/// assert_eq!(app.world().resource::<Saved>().0, 3);
/// ```
pub fn on_timer(duration: Duration) -> impl FnMut(Res<'_, Time>, Local<'_, Duration>) -> bool + Clone {
    move |time: Res<'_, Time>, mut elapsed: Local<'_, Duration>| {
        let mut timer = Timer::new(duration, TimerMode::Repeating);
        timer.set_elapsed(*elapsed);
        timer.tick(time.delta());
        *elapsed = timer.elapsed();
        timer.just_finished()
    }
}

/// Like [`on_timer`], but uses [`Time<Real>`](Real), which continues while the game is paused.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// use strata_app::time::common_conditions::on_real_timer;
/// # fn autosave() {}
/// App::new().add_plugins(TimePlugin).add_systems(Update, autosave.run_if(on_real_timer(Duration::from_secs(60))));
/// ```
pub fn on_real_timer(duration: Duration) -> impl FnMut(Res<'_, Time<Real>>) -> bool + Clone {
    let mut timer = Timer::new(duration, TimerMode::Repeating);
    move |time: Res<'_, Time<Real>>| timer.tick(time.delta()).just_finished()
}

/// Holds once: when this duration of [`Time`] has passed.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// use strata_app::time::common_conditions::once_after_delay;
/// # fn show_hint() {}
/// App::new().add_plugins(TimePlugin).add_systems(Update, show_hint.run_if(once_after_delay(Duration::from_secs(30))));
/// ```
pub fn once_after_delay(duration: Duration) -> impl FnMut(Res<'_, Time>, Local<'_, Option<Duration>>) -> bool + Clone {
    move |time: Res<'_, Time>, mut elapsed: Local<'_, Option<Duration>>| {
        let was_over = elapsed.is_some_and(|elapsed| elapsed >= duration);
        let now = elapsed.unwrap_or_default().saturating_add(time.delta()).min(duration);
        *elapsed = Some(now);
        now >= duration && !was_over
    }
}

/// Like [`once_after_delay`], but uses [`Time<Real>`](Real).
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// use strata_app::time::common_conditions::once_after_real_delay;
/// # fn connect() {}
/// App::new().add_plugins(TimePlugin).add_systems(Update, connect.run_if(once_after_real_delay(Duration::from_secs(1))));
/// ```
pub fn once_after_real_delay(duration: Duration) -> impl FnMut(Res<'_, Time<Real>>) -> bool + Clone {
    let mut timer = Timer::new(duration, TimerMode::Once);
    move |time: Res<'_, Time<Real>>| timer.tick(time.delta()).just_finished()
}

/// Holds always after this duration of [`Time`] has passed.
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// use strata_app::time::common_conditions::repeating_after_delay;
/// # fn spawn_enemies() {}
/// let after_a_minute = repeating_after_delay(Duration::from_secs(60));
/// App::new().add_plugins(TimePlugin).add_systems(Update, spawn_enemies.run_if(after_a_minute));
/// ```
pub fn repeating_after_delay(duration: Duration) -> impl FnMut(Res<'_, Time>, Local<'_, Duration>) -> bool + Clone {
    move |time: Res<'_, Time>, mut elapsed: Local<'_, Duration>| {
        *elapsed = elapsed.saturating_add(time.delta()).min(duration);
        *elapsed >= duration
    }
}

/// Like [`repeating_after_delay`], but uses [`Time<Real>`](Real).
///
/// ```
/// use std::time::Duration;
/// use strata_app::prelude::*;
/// use strata_app::time::common_conditions::repeating_after_real_delay;
/// # fn poll() {}
/// let after_a_second = repeating_after_real_delay(Duration::from_secs(1));
/// App::new().add_plugins(TimePlugin).add_systems(Update, poll.run_if(after_a_second));
/// ```
pub fn repeating_after_real_delay(duration: Duration) -> impl FnMut(Res<'_, Time<Real>>) -> bool + Clone {
    let mut timer = Timer::new(duration, TimerMode::Once);
    move |time: Res<'_, Time<Real>>| timer.tick(time.delta()).is_finished()
}

/// Holds while [`Time<Virtual>`](Virtual) is paused.
///
/// ```
/// use strata_app::prelude::*;
/// use strata_app::time::common_conditions::paused;
/// # fn show_menu() {}
/// # fn move_all() {}
/// App::new()
///     .add_plugins(TimePlugin)
///     .add_systems(Update, (show_menu.run_if(paused), move_all.run_if(not(paused))));
/// ```
#[must_use]
pub fn paused(time: Res<'_, Time<Virtual>>) -> bool {
    time.is_paused()
}
