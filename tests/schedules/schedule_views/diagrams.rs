//! Diagrams of schedules.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{ScheduleBuildError, ScheduleDiagram, SingleThreadedExecutor};

use super::farm::{self, Barn, Weather};
use super::{dot, golden, mermaid};

#[track_caller]
fn diagram(schedule: &mut Schedule) -> ScheduleDiagram {
    let diagram = schedule.diagram(&mut farm::world()).expect("there is an order");
    mermaid::check(&diagram.to_mermaid());
    dot::check(&diagram.to_dot());
    diagram
}

#[test]
fn a_bit_of_everything() {
    let diagram = diagram(&mut farm::schedule());
    golden::check("farm.txt", &diagram.to_string());
    golden::check("farm.mmd", &diagram.to_mermaid());
    golden::check("farm.dot", &diagram.to_dot());
}

#[test]
fn it_is_the_same_each_time_and_after_runs_and_with_any_executor() {
    let first = diagram(&mut farm::schedule());
    let mut schedule = farm::schedule();
    schedule.set_executor(SingleThreadedExecutor::new());
    let mut world = farm::world();
    (0..3).for_each(|_| schedule.run(&mut world));
    assert_eq!(schedule.diagram(&mut world).expect("there is an order"), first);
}

#[test]
fn an_empty_schedule() {
    let diagram = diagram(&mut Schedule::default());
    assert_eq!(diagram.to_string(), "a schedule of 0 systems\n");
    assert_eq!(diagram.to_mermaid(), "flowchart TD\n");
}

#[test]
fn without_an_order_there_is_no_diagram() {
    fn one() {}
    fn two() {}
    let mut schedule = Schedule::default();
    schedule.add_systems((one.after(two), two.after(one)));
    let error = schedule.diagram(&mut World::new()).expect_err("each is after the other");
    assert!(matches!(error, ScheduleBuildError::Cycle { .. }), "{error}");
}

#[test]
fn what_follows_from_other_demands_is_left_out() {
    fn one() {}
    fn two() {}
    fn three() {}
    let mut schedule = Schedule::default();
    schedule.add_systems((one, two.after(one), three.after(two).after(one)));
    let text = diagram(&mut schedule).to_mermaid();
    let arrows: Vec<_> = text.lines().filter(|line| line.contains("-->")).map(str::trim).collect();
    assert_eq!(arrows, ["s0 --> s1", "s1 --> s2"]);
}

#[test]
fn conflicts_are_dashed_unless_an_order_is_given_or_follows() {
    fn one(_: ResMut<'_, Barn>) {}
    fn two(_: ResMut<'_, Barn>, _: Res<'_, Weather>) {}
    fn three(_: ResMut<'_, Barn>) {}
    fn four(_: Res<'_, Weather>) {}
    let mut schedule = Schedule::default();
    schedule.add_systems(((one, two).chain(), three, four));
    let text = diagram(&mut schedule).to_mermaid();
    let arrows: Vec<_> = text.lines().filter(|line| line.contains("->")).map(str::trim).collect();
    assert_eq!(arrows, ["s0 --> s1", "s1 -.->|\"resource #96;Barn#96;\"| s2"]);
}

#[test]
fn names_that_need_quotes_are_quoted() {
    mod other {
        pub(super) fn same() {}
    }
    fn same() {}
    fn generic<T>() {}
    #[derive(SystemSet, Clone, PartialEq, Eq, Hash)]
    struct Odd;
    impl std::fmt::Debug for Odd {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("\"<b>\"\\ #1;\n{x} end & `y` %%")
        }
    }
    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Named(&'static str);
    let mut schedule = Schedule::new(Named("a \"name\"\\"));
    schedule.add_systems((
        generic::<(Vec<u8>, &'static str)>.in_set(Odd),
        || {},
        same,
        other::same,
        (generic::<u8>, generic::<u8>).after(Odd),
    ));
    let diagram = diagram(&mut schedule);
    let text = diagram.to_string();
    assert!(text.contains("generic<(Vec<u8>, &str)>"), "{text}");
    assert!(text.contains("names_that_need_quotes_are_quoted::{{closure}}"), "{text}");
    assert!(text.contains("other::same"), "{text}");
    assert!(text.contains("generic<u8> #1") && text.contains("generic<u8> #2"), "{text}");
    let chart = diagram.to_mermaid();
    assert!(chart.contains("generic#60;(Vec#60;u8#62;, #38;str)#62;"), "{chart}");
    assert!(chart.contains("#123;#123;closure#125;#125;"), "{chart}");
    let graph = diagram.to_dot();
    assert!(graph.contains("label=\"generic<(Vec<u8>, &amp;str)>\\nstage 1\""), "{graph}");
    assert!(graph.contains("label=\"\\\"<b>\\\"\\\\ #1;\\n{x} end &amp; `y` %%\""), "{graph}");
}

#[test]
fn a_system_in_several_sets_is_drawn_in_the_innermost() {
    #[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
    enum Set {
        Outer,
        Inner,
        Other,
    }
    fn one() {}
    fn two() {}
    let mut schedule = Schedule::default();
    schedule.configure_sets((Set::Inner.in_set(Set::Outer), Set::Other));
    schedule.add_systems((one.in_set(Set::Other).in_set(Set::Inner), two.after(Set::Other)));
    let diagram = diagram(&mut schedule);
    assert!(diagram.to_string().contains("one  in Inner, Other"), "{diagram}");
    let chart = diagram.to_mermaid();
    // The set that the system is not drawn in says what is in it.
    assert!(chart.contains("([\"Other: one\"])"), "{chart}");
    assert!(chart.contains("        subgraph") && chart.contains("            s0[\"one"), "{chart}");
}

#[test]
fn commands_that_nothing_waits_for_are_applied_in_the_end() {
    fn spawn(mut commands: Commands<'_, '_>) {
        commands.spawn_empty();
    }
    fn one() {}
    let mut schedule = Schedule::default();
    schedule.add_systems((spawn, one.after_ignore_deferred(spawn)));
    let diagram = diagram(&mut schedule);
    assert_eq!(
        diagram.to_string(),
        "a schedule of 2 systems\nstage 1\n  1  spawn\n  2  one    after spawn\napply the commands of spawn\n"
    );
    let chart = diagram.to_mermaid();
    assert!(chart.contains("s0 -->|\"commands wait\"| s1") && chart.contains("s0 ==> apply1"), "{chart}");
}
