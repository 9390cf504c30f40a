//! Clocks and fixed steps.

use std::time::{Duration, Instant};

use strata_app::prelude::*;
use strata_app::time::TimeSystems;

use crate::panic_of;

const MS: Duration = Duration::from_millis(1);

#[derive(Resource, Default)]
struct Steps {
    in_frame: u32,
    of_frames: Vec<u32>,
    elapsed: Vec<Duration>,
}

fn step(mut steps: ResMut<'_, Steps>, time: Res<'_, Time>) {
    steps.in_frame += 1;
    steps.elapsed.push(time.elapsed());
}

fn end_frame(mut steps: ResMut<'_, Steps>) {
    let count = std::mem::take(&mut steps.in_frame);
    steps.of_frames.push(count);
}

/// A program with steps of ten milliseconds that has noted the time already.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins(TimePlugin)
        .insert_resource(Time::<Fixed>::from_duration(10 * MS))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO))
        .init_resource::<Steps>()
        .add_systems(FixedUpdate, step)
        .add_systems(Last, end_frame);
    app.update();
    app.world_mut().resource_mut::<Steps>().of_frames.clear();
    app
}

/// Runs a frame for each of these durations, and returns how many steps each has had.
fn steps(app: &mut App, durations: impl IntoIterator<Item = Duration>) -> Vec<u32> {
    for duration in durations {
        app.insert_resource(TimeUpdateStrategy::ManualDuration(duration));
        app.update();
    }
    std::mem::take(&mut app.world_mut().resource_mut::<Steps>().of_frames)
}

#[test]
fn what_is_left_over_counts_in_the_next_frame() {
    let mut app = app();
    assert_eq!(steps(&mut app, [4, 4, 4, 25, 3, 0, 10, 1].map(|ms| ms * MS)), [0, 0, 1, 2, 1, 0, 1, 0]);
    let fixed = app.world().resource::<Time<Fixed>>();
    assert_eq!((fixed.elapsed(), fixed.overstep()), (50 * MS, MS));
    assert_eq!((fixed.overstep_fraction(), fixed.overstep_fraction_f64()), (0.1, 0.1));
}

#[test]
fn catching_up_is_bounded() {
    let mut app = app();
    // A quarter of a second at most counts of each frame.
    assert_eq!(steps(&mut app, [3600, 3600, 1].map(Duration::from_secs)), [25, 25, 25]);
    app.world_mut().resource_mut::<Time<Virtual>>().set_max_delta(30 * MS);
    assert_eq!(steps(&mut app, [40 * MS, 20 * MS]), [3, 2]);
    assert_eq!(app.world().resource::<Time<Virtual>>().elapsed(), 750 * MS + 50 * MS);
    assert_eq!(app.world().resource::<Time<Real>>().elapsed(), Duration::from_secs(7201) + 60 * MS);
}

#[test]
fn steps_follow_from_the_durations_alone() {
    let durations = || {
        let mut random = oorandom::Rand64::new(7);
        std::iter::repeat_with(move || Duration::from_nanos(random.rand_range(0..40_000_000))).take(500)
    };
    let run = |speed: f64| {
        let mut app = app();
        app.world_mut().resource_mut::<Time<Virtual>>().set_relative_speed_f64(speed);
        let counts = steps(&mut app, durations());
        (counts, std::mem::take(&mut app.world_mut().resource_mut::<Steps>().elapsed))
    };
    let (counts, elapsed) = run(1.0);
    assert_eq!((&counts, &elapsed), (&run(1.0).0, &run(1.0).1));
    let total: Duration = durations().sum();
    assert_eq!(u128::from(counts.iter().sum::<u32>()), total.as_nanos() / (10 * MS).as_nanos());
    assert!(elapsed.iter().enumerate().all(|(step, elapsed)| *elapsed == (step as u32 + 1) * 10 * MS));
    assert_eq!(run(0.7), run(0.7));
    assert!(run(0.7).1.len() < elapsed.len());
}

#[test]
fn time_means_the_step_in_steps_and_the_frame_elsewhere() {
    #[derive(Resource, Default)]
    struct Seen(Vec<(&'static str, Duration, Duration)>);
    fn see(place: &'static str) -> impl FnMut(Res<'_, Time>, ResMut<'_, Seen>) + Clone {
        move |time: Res<'_, Time>, mut seen: ResMut<'_, Seen>| seen.0.push((place, time.delta(), time.elapsed()))
    }
    let mut app = app();
    app.init_resource::<Seen>()
        .add_systems(First, see("first").after(TimeSystems))
        .add_systems(RunFixedMainLoop, see("before").in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop))
        .add_systems(FixedFirst, see("step"))
        .add_systems(FixedLast, see("step's end"))
        .add_systems(RunFixedMainLoop, see("after").in_set(RunFixedMainLoopSystems::AfterFixedMainLoop))
        .add_systems(Update, see("update"));
    steps(&mut app, [25 * MS]);
    let seen = &app.world().resource::<Seen>().0;
    let frame = |place| (place, 25 * MS, 25 * MS);
    let expected = [
        frame("first"),
        frame("before"),
        ("step", 10 * MS, 10 * MS),
        ("step's end", 10 * MS, 10 * MS),
        ("step", 10 * MS, 20 * MS),
        ("step's end", 10 * MS, 20 * MS),
        frame("after"),
        frame("update"),
    ];
    assert_eq!(seen[..], expected);
}

#[test]
fn a_step_can_change_the_length_of_the_next_one() {
    let mut app = app();
    app.add_systems(FixedLast, |mut time: ResMut<'_, Time<Fixed>>| {
        let longer = time.timestep() * 2;
        time.set_timestep(longer);
    });
    assert_eq!(steps(&mut app, [100 * MS]), [3]);
    assert_eq!(app.world().resource::<Steps>().elapsed, [10 * MS, 30 * MS, 70 * MS]);
    assert_eq!(app.world().resource::<Time<Fixed>>().overstep(), 30 * MS);
}

#[test]
fn a_paused_game_takes_no_steps() {
    let mut app = app();
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    assert_eq!(steps(&mut app, [50 * MS, 50 * MS]), [0, 0]);
    let time = app.world().resource::<Time<Virtual>>();
    assert!(time.is_paused() && time.was_paused() && time.effective_speed() == 0.0);
    assert_eq!(app.world().resource::<Time>().delta(), Duration::ZERO);
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
    assert!(app.world().resource::<Time<Virtual>>().was_paused());
    assert_eq!(steps(&mut app, [50 * MS]), [5]);
    assert!(!app.world().resource::<Time<Virtual>>().was_paused());
    assert_eq!(app.world().resource::<Time<Real>>().elapsed(), 150 * MS);
}

#[test]
fn the_game_can_be_faster_and_slower() {
    let mut app = app();
    app.world_mut().resource_mut::<Time<Virtual>>().set_relative_speed(2.0);
    assert_eq!(steps(&mut app, [50 * MS]), [10]);
    app.world_mut().resource_mut::<Time<Virtual>>().set_relative_speed(0.5);
    assert_eq!(steps(&mut app, [40 * MS]), [2]);
    // As the longest delta is for game time, speed does not pass it.
    app.world_mut().resource_mut::<Time<Virtual>>().set_relative_speed_f64(1e300);
    assert_eq!(steps(&mut app, [500 * MS]), [25]);
    assert_eq!(app.world().resource::<Time<Virtual>>().effective_speed(), 0.5);
    for speed in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(
            panic_of(|| Time::<Virtual>::default().set_relative_speed_f64(speed)).starts_with("a clock does not go")
        );
    }
}

#[test]
fn frames_can_be_as_many_steps_as_are_wanted() {
    let mut app = app();
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(3));
    app.update();
    app.update();
    assert_eq!(app.world().resource::<Steps>().of_frames, [3, 3]);
}

#[test]
fn instants_can_be_given() {
    let start = Instant::now();
    let mut app = App::new();
    app.add_plugins(TimePlugin).insert_resource(TimeUpdateStrategy::ManualInstant(start));
    app.update();
    // One before the last one is that one, and what follows counts from there.
    for (at, elapsed) in [(30, 30), (20, 30), (40, 40)] {
        app.insert_resource(TimeUpdateStrategy::ManualInstant(start + at * MS));
        app.update();
        assert_eq!(app.world().resource::<Time>().elapsed(), elapsed * MS);
    }
    assert_eq!(app.world().resource::<Time<Real>>().first_update(), Some(start));
}

#[test]
fn the_clock_of_the_machine_is_followed() {
    let mut app = App::new();
    app.add_plugins(TimePlugin);
    app.update();
    std::thread::sleep(5 * MS);
    app.update();
    let real = app.world().resource::<Time<Real>>();
    assert!(real.delta() >= 5 * MS && real.elapsed() == real.delta());
    assert!(real.startup() <= real.first_update().unwrap());
}

#[test]
fn steps_have_a_length() {
    let is_refused = |set: fn(&mut Time<Fixed>)| {
        let mut time = Time::<Fixed>::default();
        let message = panic_of(|| set(&mut time));
        assert!(message.contains("fixed step"), "{message}");
        assert_eq!(time.timestep(), Duration::from_micros(15_625));
    };
    is_refused(|time| time.set_timestep(Duration::ZERO));
    is_refused(|time| time.set_timestep_seconds(0.0));
    is_refused(|time| time.set_timestep_seconds(-1.0));
    is_refused(|time| time.set_timestep_seconds(f64::NAN));
    is_refused(|time| time.set_timestep_hz(0.0));
    is_refused(|time| time.set_timestep_hz(f64::INFINITY));
    is_refused(|time| time.set_timestep_hz(f64::NAN));
    assert!(panic_of(|| Time::<Virtual>::from_max_delta(Duration::ZERO)).contains("longer than zero"));
    assert!(panic_of(|| <Time>::default().set_wrap_period(Duration::ZERO)).contains("longer than zero"));
}

#[test]
fn clocks_count_up() {
    let mut time = <Time>::default();
    assert_eq!(time.wrap_period(), Duration::from_secs(3600));
    time.set_wrap_period(Duration::from_secs(5));
    time.advance_by(Duration::from_millis(3250));
    time.advance_to(Duration::from_millis(5750));
    assert_eq!((time.delta_secs(), time.delta_secs_f64()), (2.5, 2.5));
    assert_eq!((time.elapsed_secs(), time.elapsed_secs_f64()), (5.75, 5.75));
    assert_eq!((time.elapsed_secs_wrapped(), time.elapsed_secs_wrapped_f64()), (0.75, 0.75));
    assert_eq!(time.as_generic().elapsed_wrapped(), Duration::from_millis(750));
    assert!(panic_of(|| time.advance_to(Duration::from_secs(5))).contains("does not go back"));
    // Years of steps wrap, too.
    time.advance_to(Duration::from_secs(5 * 1_000_000_000) + Duration::from_nanos(1));
    assert_eq!(time.elapsed_wrapped(), Duration::from_nanos(1));
}
