//! Pipelines in diagrams and reports.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{
    MultiThreadedExecutor, PipelineOutcome, Pipelining, ScheduleDiagram, ScheduleReport, SingleThreadedExecutor,
    SystemOutcome,
};

use super::physics::{self, Air, Heat, Height, Part, Speed, damp, gravity, movement};
use super::{dot, golden, mermaid};

#[track_caller]
fn diagram(schedule: &mut Schedule) -> ScheduleDiagram {
    let diagram = schedule.diagram(&mut physics::world()).expect("there is an order");
    mermaid::check(&diagram.to_mermaid());
    dot::check(&diagram.to_dot());
    diagram
}

/// The text, whatever the size of this processor's cache.
fn text(report: &ScheduleReport) -> String {
    let mut text = report.to_string();
    for pipeline in report.pipelines() {
        let rows = pipeline.to_string();
        if let Some(end) = rows.find(" rows") {
            text = text.replace(&rows[..end], "in blocks of N");
        }
    }
    text
}

fn outcomes(schedule: &Schedule, world: &World) -> Vec<PipelineOutcome> {
    schedule.report(world).pipelines().iter().map(|pipeline| pipeline.outcome()).collect()
}

#[test]
fn diagrams_show_them_and_why_other_row_systems_are_in_none() {
    let diagram = diagram(&mut physics::schedule());
    golden::check("physics.txt", &diagram.to_string());
    golden::check("physics.mmd", &diagram.to_mermaid());
    golden::check("physics.dot", &diagram.to_dot());
}

#[test]
fn diagrams_say_that_they_are_turned_off() {
    let mut schedule = physics::schedule();
    schedule.set_pipelining(Pipelining::Never);
    let diagram = diagram(&mut schedule);
    let [text, chart, graph] = [diagram.to_string(), diagram.to_mermaid(), diagram.to_dot()];
    assert!(text.starts_with("schedule `Step` of 15 systems, pipelines turned off\n"), "{text}");
    assert!(chart.starts_with("---\ntitle: \"Step, pipelines turned off\"\n---\n"), "{chart}");
    assert!(graph.contains("label=\"schedule `Step`, pipelines turned off\";"), "{graph}");
    for text in [text, chart, graph] {
        assert_eq!(text.matches("pipeline").count(), 1, "{text}");
    }
}

#[test]
fn that_they_are_turned_off_is_not_said_where_there_could_be_none() {
    fn idle() {}
    let mut schedule = Schedule::default();
    schedule.add_systems(idle).set_pipelining(Pipelining::Never);
    assert_eq!(diagram(&mut schedule).to_string(), "a schedule of 1 system\nstage 1\n  1  idle\n");
    schedule.add_systems(gravity);
    let diagram = diagram(&mut schedule);
    assert!(diagram.to_mermaid().starts_with("---\ntitle: \"pipelines turned off\"\n---\n"), "{diagram}");
}

#[test]
fn the_systems_of_one_stand_in_its_frame_unless_they_are_drawn_in_different_sets() {
    let schedule_of = |sets: [Option<Part>; 2]| {
        let mut schedule = Schedule::default();
        for (configs, set) in [gravity.into_configs(), movement.into_configs()].into_iter().zip(sets) {
            match set {
                Some(set) => schedule.add_systems(configs.in_set(set)),
                None => schedule.add_systems(configs),
            };
        }
        diagram(&mut schedule).to_mermaid()
    };
    let framed = [[None, None], [Some(Part::Motion), Some(Part::Motion)]].map(schedule_of);
    for chart in framed {
        assert!(chart.contains("subgraph pipeline1[\"pipeline 1, on one thread\"]"), "{chart}");
        assert!(chart.contains("class pipeline1 pipeline"), "{chart}");
        assert!(chart.contains("[\"gravity<br/>stage 1\"]"), "{chart}");
    }
    for sets in [[None, Some(Part::Motion)], [Some(Part::Warmth), Some(Part::Motion)]] {
        let chart = schedule_of(sets);
        assert!(!chart.contains("subgraph pipeline") && !chart.contains("classDef"), "{chart}");
        assert!(chart.contains("[\"gravity<br/>stage 1<br/>pipeline 1, on one thread\"]"), "{chart}");
    }
}

#[test]
fn one_that_has_as_many_systems_as_it_may_have_is_full() {
    let mut schedule = Schedule::default();
    (0..17).for_each(|_| _ = schedule.add_systems(gravity));
    let text = diagram(&mut schedule).to_string();
    assert!(text.contains("pipeline 1, on one thread: gravity #1, "), "{text}");
    assert!(text.contains("17  gravity #17  the pipeline before it is full: it has 16 systems"), "{text}");
    schedule.add_systems(gravity);
    let text = diagram(&mut schedule).to_string();
    assert!(text.contains("pipeline 2, on one thread: gravity #17, gravity #18\n"), "{text}");
    assert!(!text.contains("in no pipeline"), "{text}");
}

#[test]
fn reports_tell_which_ones_were_used() {
    let mut world = physics::world();
    let mut schedule = physics::schedule();
    schedule.initialize(&mut world).expect("there is an order");
    assert_eq!(outcomes(&schedule, &world), [PipelineOutcome::NotRun; 2]);
    schedule.set_pipelining(Pipelining::Always).run(&mut world);
    let report = schedule.report(&world);
    let [motion, warmth] = report.pipelines() else { panic!("there are two: {report}") };
    assert_eq!((motion.systems(), motion.outcome(), motion.is_par()), (0..3, PipelineOutcome::Used, false));
    assert_eq!((warmth.systems(), warmth.outcome(), warmth.is_par()), (5..7, PipelineOutcome::Used, true));
    // A row of the one has two components of four bytes each, a row of the other has one of them.
    assert!(motion.block_rows() >= 64 && motion.block_rows().is_multiple_of(64));
    assert_eq!(warmth.block_rows(), 2 * motion.block_rows());
    golden::check("physics_report.txt", &text(&report));
}

#[test]
fn reports_tell_why_one_was_not_used() {
    let mut world = physics::world();
    let mut schedule = physics::schedule();
    schedule.run(&mut world);
    assert_eq!(outcomes(&schedule, &world), [PipelineOutcome::FitsIntoCache; 2]);
    let report = schedule.report(&world).to_string();
    let line = "\npipeline 2, systems 6 to 7: one after the other, since the rows fit into the cache\n 6  glow ";
    assert!(report.contains(line), "{report}");
    schedule.set_pipelining(Pipelining::Never).run(&mut world);
    assert_eq!(outcomes(&schedule, &world), [PipelineOutcome::TurnedOff; 2]);
    let report = schedule.report(&world).to_string();
    let line = "\npipeline 1, systems 1 to 3: one after the other, since pipelines are turned off\n 1  damp ";
    assert!(report.contains(line), "{report}");
}

#[test]
fn with_more_rows_than_the_cache_has_room_for_it_is_used_from_a_measured_run_on() {
    let mut world = World::new();
    world.insert_resource(Air(0.0));
    let mut schedule = Schedule::default();
    schedule.add_systems((damp, gravity, movement));
    schedule.run(&mut world);
    assert_eq!(outcomes(&schedule, &world), [PipelineOutcome::FitsIntoCache]);
    let block = schedule.report(&world).pipelines()[0].block_rows();
    // A block takes half of the cache.
    world.spawn_batch((0..3 * block).map(|_| (Speed(0.0), Height(0.0))));
    // The report is of the last run, whatever there is now.
    assert_eq!(outcomes(&schedule, &world), [PipelineOutcome::FitsIntoCache]);
    schedule.set_profiling(true).run(&mut world);
    assert_eq!(outcomes(&schedule, &world), [PipelineOutcome::Used]);
    world.all::<With<Speed>>().despawn();
    assert_eq!(outcomes(&schedule, &world), [PipelineOutcome::Used]);
    schedule.run(&mut world);
    assert_eq!(outcomes(&schedule, &world), [PipelineOutcome::FitsIntoCache]);
}

#[test]
fn what_became_of_each_system_is_told_as_without_one() {
    fn no() -> bool {
        false
    }
    for (executor, mode) in [
        (MultiThreadedExecutor::eager().into(), Pipelining::Always),
        (strata_ecs::schedule::Executor::from(SingleThreadedExecutor::new()), Pipelining::Always),
        (SingleThreadedExecutor::new().into(), Pipelining::Never),
    ] {
        let mut world = physics::world();
        let mut schedule = Schedule::default();
        schedule.set_executor(executor).set_pipelining(mode).set_profiling(true);
        schedule.add_systems((damp, gravity.run_if(no), movement));
        schedule.run(&mut world);
        let report = schedule.report(&world);
        let outcomes: Vec<_> = report.systems().iter().map(|system| system.outcome().to_string()).collect();
        assert_eq!(outcomes, ["ran", "skipped: not `no`", "ran"]);
        let timed: Vec<_> = report.systems().iter().map(|system| system.timing().map(|timing| timing.runs())).collect();
        assert_eq!(timed, [Some(1), None, Some(1)]);
        assert!(report.systems().iter().all(|system| system.rows() == Some(1000)), "{report}");
        world.remove_resource::<Air>();
        schedule.try_run(&mut world).expect_err("there is no air");
        let report = schedule.report(&world);
        assert!(matches!(report.systems()[0].outcome(), SystemOutcome::Failed { .. }), "{report}");
        assert_eq!(*report.systems()[2].outcome(), SystemOutcome::Ran, "{report}");
    }
}

#[test]
fn the_time_of_a_system_is_that_of_its_blocks() {
    fn work(heat: f32) -> f32 {
        (0..20).fold(heat, |heat, _| std::hint::black_box(heat) * 0.5 + 1.0)
    }
    #[system]
    fn first(heat: &mut Heat) {
        heat.0 = work(heat.0);
    }
    #[system]
    fn second(heat: &mut Heat) {
        heat.0 = work(heat.0);
    }
    let mut world = World::new();
    world.spawn_batch((0..10_000).map(|_| Heat(1.0)));
    let mut schedule = Schedule::default();
    schedule.set_pipelining(Pipelining::Always).set_profiling(true).add_systems((first, second));
    schedule.run(&mut world);
    let report = schedule.report(&world);
    assert_eq!(report.pipelines()[0].outcome(), PipelineOutcome::Used);
    let times = report.systems().iter().map(|system| system.timing().expect("it was measured").max());
    let total: std::time::Duration = times.sum();
    // The first one waits for the second; if that counted, there would be more than the whole.
    assert!(total <= report.timing().expect("it was measured").max(), "{report}");
}
