//! Messages between schedules that run at different times.

use std::time::Duration;

use strata_app::prelude::*;

#[derive(Message)]
struct Shot(u32);

#[derive(Resource, Default)]
struct Read {
    shots: Vec<u32>,
    missed: u64,
}

fn read(mut shots: MessageReader<'_, '_, Shot>, mut read: ResMut<'_, Read>) {
    read.shots.extend(shots.read().map(|shot| shot.0));
    read.missed += shots.take_missed();
}

/// Writes the number of the run.
fn shoot(mut run: Local<'_, u32>, mut shots: MessageWriter<'_, Shot>) {
    shots.write(Shot(*run));
    *run += 1;
}

/// A program whose frames take this long, with steps of 100 milliseconds.
fn app(frame: Duration) -> App {
    let mut app = App::new();
    app.add_plugins(TimePlugin)
        .insert_resource(Time::<Fixed>::from_duration(Duration::from_millis(100)))
        .insert_resource(TimeUpdateStrategy::ManualDuration(frame))
        .init_resource::<Read>();
    app
}

#[test]
fn a_step_reads_what_was_written_since_the_last_one() {
    // A step each seven to eight frames; the first one is far away.
    let mut app = app(Duration::from_millis(13));
    app.add_systems(Update, shoot).add_systems(FixedUpdate, read);
    for _ in 0..100 {
        app.update();
    }
    let read = app.world().resource::<Read>();
    // 99 durations are 1287 milliseconds, so the last step began in the frame with number 93, before its `Update`.
    assert_eq!(read.shots, (0..93).collect::<Vec<_>>());
    assert_eq!(read.missed, 0);
    assert!(app.world().resource::<Messages<Shot>>().len() < 20, "they go when they have been read");
}

#[test]
fn a_step_reads_what_startup_wrote() {
    let mut app = app(Duration::from_millis(9));
    app.add_systems(Startup, shoot).add_systems(FixedLast, read);
    for _ in 0..13 {
        app.update();
    }
    assert_eq!(app.world().resource::<Read>().shots, [0]);
}

#[test]
fn a_frame_reads_what_all_of_its_steps_wrote() {
    let mut app = app(Duration::from_millis(250));
    app.add_systems(FixedUpdate, shoot).add_systems(Update, read);
    for _ in 0..5 {
        app.update();
    }
    assert_eq!(app.world().resource::<Read>().shots, (0..10).collect::<Vec<_>>());
}

#[test]
fn a_schedule_that_is_added_to_the_steps_later_reads_from_then_on() {
    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Extra;
    let mut app = app(Duration::from_millis(10));
    app.add_systems(Update, shoot);
    for _ in 0..5 {
        app.update();
    }
    app.world_mut().resource_mut::<FixedMainScheduleOrder>().insert_after(FixedUpdate, Extra);
    app.add_systems(Extra, read);
    for _ in 0..40 {
        app.update();
    }
    let read = app.world().resource::<Read>();
    let (first, last) = (read.shots[0], *read.shots.last().unwrap());
    assert_eq!(read.shots, (first..=last).collect::<Vec<_>>());
    assert!(last >= 35, "{last}");
}
