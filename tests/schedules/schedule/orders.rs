//! The order of systems.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{ScheduleBuildError, ScheduleError};
use strata_tests::panics::expect_panic;

use super::Set::{First, Fourth, Second, Third};
use super::{order, run, schedule, step, take_steps, world};

fn build_error(schedule: &mut Schedule) -> ScheduleBuildError {
    schedule.initialize(&mut world()).expect_err("the systems cannot be ordered")
}

#[test]
fn systems_without_an_order_run_as_they_were_added() {
    assert_eq!(order((step::<3>, step::<1>, (step::<2>, step::<0>))), [3, 1, 2, 0]);
}

#[test]
fn before_and_after_move_a_system() {
    assert_eq!(order((step::<0>, step::<1>.before(step::<0>))), [1, 0]);
    assert_eq!(order((step::<0>.after(step::<1>), step::<1>, step::<2>)), [1, 0, 2]);
    assert_eq!(order((step::<0>.after_ignore_deferred(step::<1>), step::<1>)), [1, 0]);
    assert_eq!(order((step::<0>, step::<1>.before_ignore_deferred(step::<0>))), [1, 0]);
}

#[test]
fn said_of_a_tuple_it_is_said_of_each_member() {
    assert_eq!(order(((step::<0>, (step::<1>, step::<2>)).after(step::<3>), step::<3>)), [3, 0, 1, 2]);
    assert_eq!(order((step::<0>, (step::<1>, step::<2>).before(step::<0>))), [1, 2, 0]);
}

#[test]
fn twenty_systems_in_a_tuple() {
    let all = (
        step::<0>, step::<1>, step::<2>, step::<3>, step::<4>, step::<5>, step::<6>, step::<7>, step::<8>, step::<9>,
        step::<10>, step::<11>, step::<12>, step::<13>, step::<14>, step::<15>, step::<16>, step::<17>, step::<18>,
        step::<19>,
    );
    assert_eq!(order(all.chain()), (0..20).collect::<Vec<_>>());
}

#[test]
fn chains_of_tuples_order_all_of_one_before_all_of_the_next() {
    let systems = ((step::<0>, step::<1>), step::<2>, (step::<3>, (step::<4>, step::<5>).chain())).chain();
    // That this one comes early does not help those that come after it.
    let late = step::<1>.after(Second);
    assert_eq!(order((systems, step::<6>.in_set(Second))), [0, 1, 2, 3, 4, 5, 6]);
    let systems = ((step::<0>, late), step::<2>).chain();
    assert_eq!(order((systems, step::<6>.in_set(Second))), [0, 6, 1, 2]);
}

#[test]
fn chains_in_tuples_do_not_order_the_rest() {
    let systems = ((step::<0>.after(step::<3>), step::<1>).chain(), (step::<2>, step::<3>).chain());
    assert_eq!(order(systems), [2, 3, 0, 1]);
}

#[test]
fn sets_are_ordered_as_a_whole() {
    let mut schedule = schedule((step::<0>.in_set(Second), step::<1>.in_set(First), step::<2>.in_set(Second)));
    schedule.configure_sets((First, Second).chain()).add_systems(step::<3>.in_set(First));
    assert_eq!(run(&mut schedule), [1, 3, 0, 2]);
}

#[test]
fn sets_in_sets_have_the_order_of_both() {
    let mut schedule = schedule((
        step::<0>.in_set(Fourth),
        step::<1>.in_set(Third),
        step::<2>.in_set(Second),
        step::<3>.in_set(First),
    ));
    schedule.configure_sets((First.in_set(Third), Second.in_set(Fourth), Third.before(Fourth)));
    assert_eq!(run(&mut schedule), [1, 3, 0, 2]);
}

#[test]
fn a_system_in_several_sets_has_the_order_of_all() {
    let mut schedule = schedule((step::<0>.in_set(First).in_set(Second), step::<1>.in_set(Third), step::<2>));
    schedule.configure_sets((First.after(Third), Second.after(step::<2>)));
    assert_eq!(run(&mut schedule), [1, 2, 0]);
}

#[test]
fn what_is_before_an_empty_set_is_before_what_is_after_it() {
    let mut schedule = schedule((step::<0>.after(Second), step::<1>.before(First)));
    schedule.configure_sets((First, Second, Third).chain());
    assert_eq!(run(&mut schedule), [1, 0]);
    let mut nested = super::schedule((step::<0>.after(Fourth), step::<1>.before(First)));
    nested.configure_sets((First.in_set(Third), Second.in_set(Third), Third.before(Fourth), Fourth));
    assert_eq!(run(&mut nested), [1, 0]);
}

#[test]
fn chains_of_sets_and_of_tuples_of_sets() {
    let mut schedule = schedule((
        step::<3>.in_set(Fourth),
        step::<2>.in_set(Third),
        step::<1>.in_set(Second),
        step::<0>.in_set(First),
    ));
    schedule.configure_sets(((First, Second), (Third, Fourth).chain()).chain());
    // The first two have no order among themselves.
    assert_eq!(run(&mut schedule), [1, 0, 2, 3]);
}

#[test]
fn a_function_that_was_added_twice_runs_twice() {
    assert_eq!(order((step::<0>, step::<1>, step::<0>)), [0, 1, 0]);
    assert_eq!(order((step::<0>, step::<0>).chain()), [0, 0]);
}

#[test]
fn a_function_that_was_added_twice_cannot_be_named() {
    let error = build_error(&mut schedule((step::<0>, step::<1>.after(step::<0>), step::<0>)));
    assert!(matches!(error, ScheduleBuildError::Duplicate { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("step<1>` is ordered by") && text.contains("step<0>`") && text.contains("put"), "{text}");
    // A set can.
    assert_eq!(order((step::<1>.after(First), (step::<0>, step::<0>).in_set(First))), [0, 0, 1]);
}

#[test]
fn what_is_not_there_cannot_be_named() {
    let error = build_error(&mut schedule(step::<1>.after(step::<0>)));
    assert!(
        matches!(&error, ScheduleBuildError::Unknown { missing, by } if missing.contains("step<0>") && by.contains("step<1>"))
    );
    let error = build_error(&mut schedule(step::<1>.before(First)));
    assert!(matches!(&error, ScheduleBuildError::Unknown { missing, .. } if missing == "First"), "{error}");
    // Once a system or a set is said to be in it, the set exists.
    let mut schedule = schedule(step::<1>.before(First));
    schedule.initialize(&mut world()).expect_err("the set is unknown");
    schedule.configure_sets(First);
    assert_eq!(run(&mut schedule), [1]);
}

#[test]
fn a_cycle_is_printed_from_one_to_the_next() {
    let error = build_error(&mut schedule((
        step::<0>,
        step::<1>.after(step::<3>),
        step::<2>.after(step::<1>),
        step::<3>.after(step::<2>),
    )));
    let ScheduleBuildError::Cycle { cycle } = &error else { panic!("{error}") };
    let names: Vec<&str> = cycle.iter().map(|name| &name[name.len() - 7..]).collect();
    assert_eq!(names.len(), 3, "{error}");
    let at = |name: &str| names.iter().position(|other| *other == name).expect("it is in the cycle");
    // Each before the next, and the last before the first.
    assert_eq!((at("step<1>") + 1) % 3, at("step<2>"));
    assert_eq!((at("step<2>") + 1) % 3, at("step<3>"));
    assert!(error.to_string().contains("before themselves"), "{error}");
}

#[test]
fn a_cycle_by_way_of_sets_names_them() {
    let mut schedule = schedule((step::<0>.in_set(First).after(Second), step::<1>.in_set(Second)));
    schedule.configure_sets((First, Second).chain());
    let error = build_error(&mut schedule);
    assert!(matches!(error, ScheduleBuildError::Cycle { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("`First`") && text.contains("`Second`"), "{text}");
}

#[test]
fn a_system_that_comes_before_its_own_set_is_a_cycle() {
    let error = build_error(&mut schedule(step::<0>.in_set(First).before(First)));
    let text = error.to_string();
    assert!(matches!(error, ScheduleBuildError::Cycle { .. }), "{text}");
    assert!(text.contains("step<0>") && text.contains("`First`"), "{text}");
    let error = build_error(&mut schedule(step::<0>.before(step::<0>)));
    assert!(matches!(&error, ScheduleBuildError::Cycle { cycle } if cycle.len() == 1), "{error}");
}

#[test]
fn sets_that_are_in_themselves_are_an_error() {
    let mut schedule = schedule(step::<0>.in_set(First));
    schedule.configure_sets((First.in_set(Second), Second.in_set(Third), Third.in_set(First)));
    let error = build_error(&mut schedule);
    let ScheduleBuildError::SetCycle { cycle } = &error else { panic!("{error}") };
    assert_eq!(cycle.len(), 3);
    let first = cycle.iter().position(|name| name == "First").expect("it is in the cycle");
    assert_eq!([&cycle[(first + 1) % 3], &cycle[(first + 2) % 3]], ["Second", "Third"], "{error}");
}

#[test]
fn a_schedule_that_cannot_be_built_does_not_run_and_can_be_mended() {
    let mut schedule = schedule((step::<0>, step::<1>.after(First)));
    let mut world = world();
    let error = schedule.try_run(&mut world).expect_err("the set is unknown");
    assert!(matches!(error, ScheduleError::Build(ScheduleBuildError::Unknown { .. })), "{error}");
    assert!(expect_panic(|| schedule.run(&mut world)).contains("First"));
    assert!(take_steps(&mut world).is_empty());
    schedule.add_systems(step::<2>.in_set(First));
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [0, 2, 1]);
}

#[test]
fn systems_may_be_added_after_a_run() {
    let mut world = world();
    let mut schedule = schedule((step::<0>, step::<1>));
    let mut runs = 0;
    schedule.add_systems(move |mut steps: ResMut<'_, super::Steps>| {
        runs += 1;
        steps.0.push(100 + runs);
    });
    schedule.run(&mut world);
    schedule.add_systems(step::<2>.before(step::<1>));
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [0, 1, 101, 0, 102, 2, 1]);
}

#[test]
fn systems_made_of_others_are_ordered_by_sets() {
    let made = (|| 7_u32).pipe(|In(number): In<u32>, mut steps: ResMut<'_, super::Steps>| steps.0.push(number));
    assert_eq!(order((step::<0>.after(First), made.in_set(First))), [7, 0]);
    let text = expect_panic(|| step::<0>.after((|| 7_u32).pipe(|In(_): In<u32>| ())));
    assert!(text.contains("made of others"), "{text}");
}
