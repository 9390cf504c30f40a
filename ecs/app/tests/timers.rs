//! Timers, stopwatches, and conditions of time.

use std::time::Duration;

use strata_app::prelude::*;
use strata_app::time::common_conditions::{
    on_real_timer, on_timer, once_after_delay, once_after_real_delay, paused, repeating_after_delay,
    repeating_after_real_delay,
};

use crate::{logging, note, noted};

const MS: Duration = Duration::from_millis(1);

/// Returns the state of a timer after each of these durations.
fn told(timer: &mut Timer, durations: &[u32]) -> Vec<(bool, u32, Duration)> {
    let tick = |ms: &u32| {
        timer.tick(*ms * MS);
        assert_eq!(timer.just_finished(), timer.times_finished_this_tick() > 0);
        (timer.is_finished(), timer.times_finished_this_tick(), timer.elapsed())
    };
    durations.iter().map(tick).collect()
}

#[test]
fn one_that_does_not_repeat_finishes_once() {
    let mut timer = Timer::new(10 * MS, TimerMode::Once);
    let expected = [(false, 0, 4 * MS), (true, 1, 10 * MS), (true, 0, 10 * MS)];
    assert_eq!(told(&mut timer, &[4, 100, 100]), expected);
    assert_eq!((timer.remaining(), timer.fraction(), timer.fraction_remaining()), (Duration::ZERO, 1.0, 0.0));
    timer.reset();
    assert_eq!(told(&mut timer, &[10]), [(true, 1, 10 * MS)]);
}

#[test]
fn one_that_repeats_may_finish_several_times_at_once() {
    let mut timer = Timer::new(10 * MS, TimerMode::Repeating);
    let expected =
        [(false, 0, 4 * MS), (true, 1, 2 * MS), (true, 3, 5 * MS), (false, 0, 6 * MS), (true, 1, Duration::ZERO)];
    assert_eq!(told(&mut timer, &[4, 8, 33, 1, 4]), expected);
    // None of the time is lost.
    let mut timer = Timer::from_seconds(0.3, TimerMode::Repeating);
    let mut random = oorandom::Rand32::new(3);
    let (mut times, mut total) = (0, Duration::ZERO);
    for _ in 0..1000 {
        let delta = Duration::from_nanos(random.rand_u32().into());
        total += delta;
        times += timer.tick(delta).times_finished_this_tick();
    }
    assert_eq!(timer.duration() * times + timer.elapsed(), total);
}

#[test]
fn a_duration_of_zero_is_always_over() {
    let mut timer = Timer::new(Duration::ZERO, TimerMode::Once);
    assert_eq!(timer.fraction(), 1.0);
    assert_eq!(told(&mut timer, &[0, 1]), [(true, 1, Duration::ZERO), (true, 0, Duration::ZERO)]);
    let mut timer = Timer::new(Duration::ZERO, TimerMode::Repeating);
    assert_eq!(told(&mut timer, &[0, 1]), [(true, u32::MAX, Duration::ZERO); 2]);
}

#[test]
fn a_paused_one_ignores_time() {
    let mut timer = Timer::new(10 * MS, TimerMode::Once);
    timer.tick(4 * MS);
    timer.pause();
    timer.finish();
    assert_eq!(told(&mut timer, &[100]), [(false, 0, 4 * MS)]);
    timer.unpause();
    timer.almost_finish();
    assert!(!timer.is_finished() && timer.remaining() == Duration::from_nanos(1));
    timer.finish();
    assert!(timer.just_finished());
    // One that has finished stays so, unless it repeats.
    timer.pause();
    assert_eq!(told(&mut timer, &[1]), [(true, 0, 10 * MS)]);
    let mut timer = Timer::new(10 * MS, TimerMode::Repeating);
    timer.tick(12 * MS);
    timer.pause();
    assert_eq!(told(&mut timer, &[1]), [(false, 0, 2 * MS)]);
}

#[test]
fn mode_duration_and_time_can_be_changed() {
    let mut timer = Timer::new(10 * MS, TimerMode::Once);
    timer.tick(15 * MS);
    timer.set_mode(TimerMode::Repeating);
    assert_eq!((timer.mode(), timer.elapsed(), timer.just_finished()), (TimerMode::Repeating, Duration::ZERO, true));
    assert_eq!(told(&mut timer, &[25]), [(true, 2, 5 * MS)]);
    timer.set_mode(TimerMode::Once);
    assert_eq!(told(&mut timer, &[25]), [(true, 0, 5 * MS)]);
    timer.reset();
    timer.set_elapsed(7 * MS);
    assert!((timer.fraction() - 0.7).abs() < 1e-6);
    timer.set_duration(5 * MS);
    assert!(!timer.is_finished() && timer.remaining_secs() == 0.0);
    assert!(timer.tick(Duration::ZERO).just_finished());
    assert_eq!((timer.elapsed_secs(), timer.elapsed_secs_f64()), (0.005, 0.005));
}

#[test]
fn stopwatches_count() {
    let mut stopwatch = Stopwatch::new();
    assert_eq!(stopwatch.tick(3 * MS).elapsed(), 3 * MS);
    stopwatch.pause();
    assert!(stopwatch.is_paused() && stopwatch.tick(MS).elapsed() == 3 * MS);
    stopwatch.unpause();
    stopwatch.set_elapsed(500 * MS);
    assert_eq!((stopwatch.elapsed_secs(), stopwatch.elapsed_secs_f64()), (0.5, 0.5));
    stopwatch.tick(Duration::MAX);
    assert_eq!(stopwatch.elapsed(), Duration::MAX);
    stopwatch.reset();
    assert_eq!(stopwatch, Stopwatch::default());
}

#[test]
fn conditions_hold_when_their_time_has_come() {
    let mut app = logging();
    let delay = 30 * MS;
    app.add_plugins(TimePlugin).insert_resource(TimeUpdateStrategy::ManualDuration(10 * MS)).add_systems(
        Update,
        (
            note("each").run_if(on_timer(delay)),
            note("each, real").run_if(on_real_timer(delay)),
            note("once").run_if(once_after_delay(delay)),
            note("once, real").run_if(once_after_real_delay(delay)),
            note("after").run_if(repeating_after_delay(delay)),
            note("after, real").run_if(repeating_after_real_delay(delay)),
            note("paused").run_if(paused),
        )
            .chain(),
    );
    // The first frame only notes the time.
    let frames: Vec<_> = (0..=6)
        .map(|_| {
            app.update();
            noted(&mut app)
        })
        .collect();
    assert!(frames[..3].iter().all(Vec::is_empty), "{frames:?}");
    assert_eq!(frames[3], ["each", "each, real", "once", "once, real", "after", "after, real"]);
    assert_eq!(frames[4], ["after", "after, real"]);
    assert_eq!(frames[4], frames[5]);
    assert_eq!(frames[6], ["each", "each, real", "after", "after, real"]);
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(90 * MS));
    app.update();
    assert_eq!(noted(&mut app), ["each, real", "after", "after, real", "paused"]);
}

#[test]
fn conditions_in_steps_go_by_steps() {
    let mut app = logging();
    app.add_plugins(TimePlugin)
        .insert_resource(Time::<Fixed>::from_duration(10 * MS))
        .insert_resource(TimeUpdateStrategy::ManualDuration(100 * MS))
        .add_systems(FixedUpdate, note("x").run_if(on_timer(30 * MS)));
    app.update();
    app.update();
    assert_eq!(noted(&mut app).len(), 3);
}
