//! Reports of runs.

use std::time::Duration;

use strata_ecs::prelude::*;
use strata_ecs::schedule::{
    MultiThreadedExecutor, OnError, ScheduleReport, SingleThreadedExecutor, SystemOutcome, SystemReport,
};

use super::farm::{self, Barn, Crop, Ripe, Weather};

fn system<'r>(report: &'r ScheduleReport, name: &str) -> &'r SystemReport {
    let mut found = report.systems().iter().filter(|system| system.name().ends_with(name));
    let system = found.next().unwrap_or_else(|| panic!("there is no {name}"));
    assert!(found.next().is_none(), "{name} is there several times");
    system
}

#[track_caller]
fn outcome(report: &ScheduleReport, name: &str) -> String {
    system(report, name).outcome().to_string()
}

fn fail() -> Result {
    Err("no bread\nat all".into())
}
fn idle() {}
fn ask() -> bool {
    true
}
fn refuse() -> bool {
    false
}
fn refuse_too() -> bool {
    false
}

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
enum Set {
    Outer,
    Inner,
}

#[test]
fn before_a_run_it_lists_the_systems() {
    let mut world = farm::world();
    let mut schedule = farm::schedule();
    let report = schedule.report(&world);
    assert_eq!((report.runs(), report.systems().len(), report.stages().len()), (0, 9, 0));
    assert!(report.to_string().starts_with("schedule `Day` of 9 systems, not run yet\n"), "{report}");
    schedule.initialize(&mut world).expect("there is an order");
    let report = schedule.report(&world);
    assert!(report.systems().iter().all(|system| *system.outcome() == SystemOutcome::Unfinished));
    assert!(!report.stages().is_empty());
    assert_eq!(report.runs(), 0);
    schedule.run(&mut world);
    assert_eq!(schedule.report(&world).runs(), 1);
}

#[test]
fn it_names_the_first_condition_that_does_not_hold() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(idle.run_if(ask).run_if(refuse).run_if(refuse_too));
    schedule.run(&mut world);
    assert_eq!(outcome(&schedule.report(&world), "idle"), "skipped: not `refuse`");
    let mut schedule = Schedule::default();
    schedule.add_systems(idle.run_if(not(ask)));
    schedule.run(&mut world);
    assert_eq!(outcome(&schedule.report(&world), "idle"), "skipped: not `not(ask)`");
}

#[test]
fn it_names_the_condition_of_the_systems_own_attribute() {
    #[system(run_if(ask, refuse))]
    fn own() {}
    #[derive(Resource)]
    struct Open;
    #[system(run_if(is_open))]
    fn sometimes() {}
    fn is_open(open: Option<Res<'_, Open>>) -> bool {
        open.is_some()
    }
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((own, sometimes));
    schedule.run(&mut world);
    let report = schedule.report(&world);
    assert_eq!(outcome(&report, "own"), "skipped: not `refuse`");
    assert_eq!(outcome(&report, "sometimes"), "skipped: not `is_open`");
    world.insert_resource(Open);
    schedule.run(&mut world);
    assert_eq!(outcome(&schedule.report(&world), "sometimes"), "ran");
}

#[test]
fn it_names_the_set_whose_condition_does_not_hold() {
    fn other() {}
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.configure_sets((Set::Outer.run_if(ask).run_if(refuse), Set::Inner.in_set(Set::Outer).run_if(ask)));
    schedule.add_systems((idle.in_set(Set::Inner), other.run_if(refuse_too).in_set(Set::Outer)));
    schedule.run(&mut world);
    let report = schedule.report(&world);
    assert_eq!(outcome(&report, "idle"), "skipped: not `refuse` of set `Outer`");
    assert_eq!(outcome(&report, "other"), "skipped: not `refuse` of set `Outer`");
}

#[test]
fn it_names_the_inner_set_where_that_is_the_reason() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.configure_sets((Set::Outer.run_if(ask), Set::Inner.in_set(Set::Outer).run_if(refuse)));
    schedule.add_systems(idle.in_set(Set::Inner));
    schedule.run(&mut world);
    assert_eq!(outcome(&schedule.report(&world), "idle"), "skipped: not `refuse` of set `Inner`");
}

#[test]
fn it_names_the_failed_system_that_another_is_ordered_after() {
    fn first() {}
    fn last() {}
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(((first, fail, last).chain(), idle));
    for executor in [MultiThreadedExecutor::new(), MultiThreadedExecutor::eager()] {
        schedule.set_executor(executor);
        schedule.try_run(&mut world).expect_err("one fails");
        let report = schedule.report(&world);
        assert_eq!(outcome(&report, "first"), "ran");
        assert_eq!(outcome(&report, "fail"), "failed: no bread\nat all");
        assert_eq!(outcome(&report, "last"), "not run: after `fail`, which failed");
        assert_eq!(outcome(&report, "idle"), "ran");
        assert!(report.to_string().contains("failed: no bread at all\n"), "{report}");
    }
}

#[test]
fn a_failure_that_the_handler_passes_over_stops_nothing_and_is_told() {
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((fail, idle).chain()).set_error_handler(|_| OnError::Continue);
    schedule.try_run(&mut world).expect("the handler says so");
    let report = schedule.report(&world);
    assert_eq!(outcome(&report, "fail"), "failed: no bread\nat all");
    assert_eq!(outcome(&report, "idle"), "ran");
}

#[test]
fn a_parameter_or_condition_that_fails_is_told() {
    fn needs(_: Res<'_, Barn>) {}
    fn asks(_: Res<'_, Barn>) -> bool {
        true
    }
    fn asked() {}
    fn in_set() {}
    fn after_set() {}
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.configure_sets(Set::Outer.run_if(asks));
    schedule.add_systems((needs, asked.run_if(asks), in_set.in_set(Set::Outer), after_set.after(in_set)));
    schedule.try_run(&mut world).expect_err("there is no barn");
    let report = schedule.report(&world);
    assert!(outcome(&report, "needs").starts_with("failed: ") && outcome(&report, "needs").contains("Barn"));
    assert!(outcome(&report, "asked").starts_with("failed: condition `asks`: "), "{report}");
    assert_eq!(outcome(&report, "in_set"), "not run: after `asks`, which failed");
    assert_eq!(outcome(&report, "after_set"), "not run: after `asks`, which failed");
    // With the next run all that is forgotten.
    world.init_resource::<Barn>();
    schedule.run(&mut world);
    let report = schedule.report(&world);
    assert!(report.systems().iter().all(|system| *system.outcome() == SystemOutcome::Ran), "{report}");
}

#[test]
fn after_a_panic_it_says_which_systems_did_not_finish() {
    fn explode() {
        panic!("as a test");
    }
    fn later() {}
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((idle, explode, later).chain());
    strata_tests::panics::expect_panic(|| schedule.run(&mut world));
    let report = schedule.report(&world);
    assert_eq!(outcome(&report, "idle"), "ran");
    assert_eq!(outcome(&report, "explode"), "did not finish");
    assert_eq!(outcome(&report, "later"), "did not finish");
    assert_eq!(report.runs(), 1);
}

#[test]
fn rows_are_those_of_matching_tables_at_present() {
    fn all(_: Query<'_, '_, &Crop<1>>) {}
    fn ripe(_: Query<'_, '_, &Crop<1>, With<Ripe>>) {}
    fn both(_: Query<'_, '_, &Crop<1>>, _: Query<'_, '_, &mut Crop<2>>) {}
    fn either(_: Query<'_, '_, (), Or<(With<Crop<2>>, With<Ripe>)>>) {}
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Marked;
    fn marked(_: Query<'_, '_, &Crop<1>, With<Marked>>) {}
    #[system]
    fn over_rows(_crop: &Crop<1>, _ripe: &Ripe) {}
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((all, ripe, both, either, marked, over_rows, idle));
    let rows = |schedule: &Schedule, world: &World| {
        let report = schedule.report(world);
        ["all", "ripe", "both", "either", "marked", "over_rows", "idle"].map(|name| system(&report, name).rows())
    };
    assert_eq!(rows(&schedule, &world), [None; 7]);
    schedule.run(&mut world);
    assert_eq!(rows(&schedule, &world), [Some(0), Some(0), Some(0), Some(0), Some(0), Some(0), None]);
    // The schedule has not seen these tables yet.
    world.spawn_batch((0..5).map(Crop::<1>));
    world.spawn_batch((0..3).map(|crop| (Crop::<1>(crop), Ripe)));
    world.spawn_batch((0..2).map(Crop::<2>));
    world.spawn((Crop::<1>(1), Marked));
    let expected = [Some(9), Some(3), Some(11), Some(5), Some(1), Some(3), None];
    assert_eq!(rows(&schedule, &world), expected);
    schedule.run(&mut world);
    assert_eq!(rows(&schedule, &world), expected);
    assert_eq!(rows(&schedule, &World::new()), [None; 7]);
}

#[test]
fn commands_are_counted_where_they_are_applied() {
    #[derive(Resource, Default)]
    struct Count(u32);
    fn spawn(count: Res<'_, Count>, mut commands: Commands<'_, '_>) {
        for number in 0..count.0 {
            commands.spawn(Crop::<1>(number)).insert(Ripe);
        }
        if count.0 > 0 {
            commands.queue(|world: &mut World| world.resource_mut::<Count>().0 = 0);
        }
    }
    fn none(_: Commands<'_, '_>) {}
    let mut world = World::new();
    world.insert_resource(Count(100));
    let mut schedule = Schedule::default();
    schedule.add_systems((spawn, none, idle).chain());
    schedule.run(&mut world);
    let report = schedule.report(&world);
    assert_eq!(system(&report, "spawn").commands(), 201);
    assert_eq!((system(&report, "none").commands(), system(&report, "idle").commands()), (0, 0));
    schedule.run(&mut world);
    assert_eq!(system(&schedule.report(&world), "spawn").commands(), 0);
}

#[test]
fn runs_are_measured_now_and_then_or_each_one() {
    let mut world = World::new();
    let measured = |report: &ScheduleReport| {
        let whole = report.timing().map(|timing| timing.runs());
        assert_eq!(whole, system(report, "idle").timing().map(|timing| timing.runs()));
        whole
    };
    let mut schedule = Schedule::default();
    schedule.add_systems(idle);
    let expected = [None, Some(1), Some(2), Some(2), Some(3), Some(3), Some(3), Some(3), Some(4)];
    for expected in expected {
        schedule.run(&mut world);
        assert_eq!(measured(&schedule.report(&world)), expected);
    }
    let mut schedule = Schedule::default();
    schedule.add_systems((idle, fail.run_if(refuse))).set_profiling(true);
    for run in 1..=100 {
        schedule.run(&mut world);
        // No more are kept.
        assert_eq!(measured(&schedule.report(&world)), Some(run.min(32)));
    }
    // Times of a system that did not run would tell nothing.
    assert_eq!(system(&schedule.report(&world), "fail").timing(), None);
    schedule.set_profiling(false);
    schedule.run(&mut world);
    let report = schedule.report(&world);
    assert_eq!(report.runs(), 101);
    let timing = report.timing().expect("it was measured");
    assert!(timing.min() <= timing.median() && timing.median() <= timing.max());
}

/// Work that takes some time, and the same each time.
fn work() {
    let mut value = 1_u64;
    for _ in 0..200_000 {
        value = std::hint::black_box(value).wrapping_mul(6_364_136_223_846_793_005);
    }
}

#[test]
fn it_tells_what_was_run_side_by_side_and_why() {
    fn one() {
        work();
    }
    fn two() {
        work();
    }
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((one, two));
    schedule.run(&mut world);
    let report = schedule.report(&world);
    let stage = &report.stages()[0];
    assert_eq!((stage.systems(), stage.is_exclusive()), (0..2, false));
    assert_eq!((stage.units(), stage.expected_cost()), (None, None));
    (0..2).for_each(|_| schedule.run(&mut world));
    let cost = schedule.report(&world).stages()[0].expected_cost().expect("it was measured");
    assert!(cost > Duration::ZERO);
    schedule.set_executor(MultiThreadedExecutor::eager());
    schedule.run(&mut world);
    let report = schedule.report(&world);
    assert_eq!(report.stages()[0].units(), Some(2));
    assert!(report.to_string().contains("stage 1: side by side, in 2 parts"), "{report}");
    schedule.set_executor(SingleThreadedExecutor::new());
    schedule.run(&mut world);
    let report = schedule.report(&world);
    assert_eq!((report.stages()[0].units(), report.stages()[0].expected_cost()), (None, None));
}

#[test]
fn the_table_is_aligned() {
    let mut world = farm::world();
    let mut schedule = farm::schedule();
    world.resource_mut::<Weather>().is_night = true;
    // The first run is not measured, so that the text is always the same.
    schedule.run(&mut world);
    super::golden::check("report.txt", &schedule.report(&world).to_string());
    (0..10).for_each(|_| schedule.run(&mut world));
    let text = schedule.report(&world).to_string();
    assert!(text.contains("\ncommands: of the last run; in all: commands of all runs;"), "{text}");
    let mut lines = text.lines().skip_while(|line| !line.contains("outcome"));
    let column = lines.next().and_then(|line| line.find("outcome")).expect("there is a heading");
    for line in lines.filter(|line| !line.starts_with("stage")) {
        let (left, right) = line.split_at(column);
        assert!(left.ends_with("  ") && !right.starts_with(' '), "{line}\n{text}");
    }
}

#[test]
fn a_system_that_is_skipped_tells_for_which_parameter() {
    #[derive(Component)]
    struct Leader;
    #[system]
    fn follow(_leader: Single<&Leader>) {}
    fn plain(_world: &World, _leader: Single<'_, '_, &Leader>) {}
    fn value() -> u32 {
        1
    }
    fn pass(In(value): In<u32>) -> u32 {
        value
    }
    fn lead(In(_): In<u32>, _all: Populated<'_, '_, &Leader>) {}
    fn unlead(_all: Populated<'_, '_, &Leader>) -> u32 {
        1
    }
    fn end(In(_): In<u32>) {}
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(
        (
            follow,
            plain,
            value.pipe(lead),
            unlead.pipe(end),
            value.pipe(pass).pipe(pass).pipe(lead),
            unlead.pipe(pass).pipe(pass).pipe(end),
            plain.map(drop),
            plain.run_if(|| true),
        )
            .chain(),
    );
    let reasons = |schedule: &Schedule, world: &World| -> Vec<String> {
        schedule.report(world).systems().iter().map(|system| system.outcome().to_string()).collect()
    };
    schedule.run(&mut world);
    let expected = [
        "the `Single` of parameter `_leader`",
        "the `Single` of parameter 2",
        "the `Populated` of parameter 2",
        "the `Populated` of parameter 1",
        "the `Populated` of parameter 2",
        "the `Populated` of parameter 1",
        "the `Single` of parameter 2",
        "the `Single` of parameter 2",
    ];
    assert_eq!(reasons(&schedule, &world), expected.map(|param| format!("skipped: no entity matches {param}")));
    world.spawn(Leader);
    schedule.run(&mut world);
    assert_eq!(reasons(&schedule, &world), ["ran"; 8]);
    world.spawn(Leader);
    schedule.run(&mut world);
    let reasons = reasons(&schedule, &world);
    assert_eq!(reasons[0], "skipped: more than one entity matches the `Single` of parameter `_leader`");
    assert_eq!(reasons[2], "ran");
}
