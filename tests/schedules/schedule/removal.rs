//! Systems that leave a schedule.

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleCleanupPolicy::{
    self, RemoveSetAndSystems, RemoveSetAndSystemsAllowBreakages, RemoveSystemsOnly, RemoveSystemsOnlyAllowBreakages,
};
use strata_ecs::schedule::{ScheduleBuildError, ScheduleError};

use super::Set::{First, Fourth, Second, Third};
use super::{step, take_steps, world};

const POLICIES: [ScheduleCleanupPolicy; 4] =
    [RemoveSetAndSystems, RemoveSystemsOnly, RemoveSetAndSystemsAllowBreakages, RemoveSystemsOnlyAllowBreakages];

/// Removes the systems in `Second` from a schedule that has run, and runs it again.
fn without_second(make: fn(&mut Schedule), policy: ScheduleCleanupPolicy) -> Vec<u32> {
    let mut world = world();
    let mut schedule = Schedule::default();
    make(&mut schedule);
    schedule.run(&mut world);
    take_steps(&mut world);
    assert!(schedule.remove_systems_in_set(Second, &mut world, policy).unwrap() > 0);
    schedule.run(&mut world);
    take_steps(&mut world)
}

#[test]
fn what_stays_keeps_its_order_unless_the_policy_allows_breakages() {
    let through_systems = |schedule: &mut Schedule| {
        schedule.add_systems((step::<0>.after(step::<1>), step::<1>.after(step::<2>).in_set(Second), step::<2>));
    };
    let through_the_set = |schedule: &mut Schedule| {
        schedule.add_systems((step::<0>.after(Second), step::<1>.in_set(Second), step::<2>.before(Second)));
    };
    let through_a_set_around = |schedule: &mut Schedule| {
        schedule.add_systems((step::<0>.after(Third), step::<1>.in_set(Second), step::<2>.before(step::<1>)));
        schedule.configure_sets(Second.in_set(Third));
    };
    let through_several = |schedule: &mut Schedule| {
        schedule.add_systems((step::<0>.after(step::<1>), step::<2>));
        schedule.add_systems((step::<3>.after(step::<2>), step::<4>, step::<1>).chain().in_set(Second));
    };
    let in_a_chain = |schedule: &mut Schedule| {
        schedule.add_systems((step::<2>, (step::<1>, step::<4>).in_set(Second), step::<0>).chain());
    };
    let makes: [fn(&mut Schedule); 5] =
        [through_systems, through_the_set, through_a_set_around, through_several, in_a_chain];
    for make in makes {
        assert_eq!(without_second(make, RemoveSetAndSystems), [2, 0]);
        assert_eq!(without_second(make, RemoveSystemsOnly), [2, 0]);
    }
    for make in [makes[0], makes[3]] {
        for policy in [RemoveSetAndSystemsAllowBreakages, RemoveSystemsOnlyAllowBreakages] {
            assert_eq!(without_second(make, policy), [0, 2]);
        }
    }
    assert_eq!(without_second(through_the_set, RemoveSetAndSystemsAllowBreakages), [0, 2]);
}

#[test]
fn conditions_and_sets_stay_with_their_systems() {
    for policy in POLICIES {
        let mut world = world();
        let mut schedule = Schedule::default();
        let (yes, no) = (|| true, || false);
        schedule.add_systems((
            step::<0>.run_if(yes).run_if(yes),
            step::<1>.run_if(no).in_set(Second),
            step::<2>.run_if(yes),
            step::<3>.run_if(no),
            step::<4>.in_set(Second).in_set(First),
            step::<5>.in_set(Third),
            step::<6>.in_set(Fourth).after(Third),
        ));
        schedule.configure_sets((First.run_if(yes), Second.run_if(yes), Third.run_if(yes), Fourth.run_if(no)));
        assert_eq!(schedule.remove_systems_in_set(Second, &mut world, policy).unwrap(), 2);
        assert_eq!(schedule.systems_len(), 5);
        schedule.run(&mut world);
        assert_eq!(take_steps(&mut world), [0, 2, 5], "{policy:?}");
        // The others are known by their names as before.
        assert_eq!(schedule.remove_systems_in_set(Third, &mut world, policy).unwrap(), 1);
        assert_eq!(schedule.remove_systems_in_set(Fourth, &mut world, policy).unwrap(), 1);
        schedule.run(&mut world);
        assert_eq!(take_steps(&mut world), [0, 2], "{policy:?}");
    }
}

#[test]
fn a_set_that_stays_keeps_its_conditions_and_one_that_goes_does_not() {
    for (policy, expected) in [(RemoveSystemsOnly, vec![]), (RemoveSetAndSystems, vec![0])] {
        let mut world = world();
        let mut schedule = Schedule::default();
        schedule.add_systems(step::<1>.in_set(Second)).configure_sets(Second.run_if(|| false));
        schedule.remove_systems_in_set(Second, &mut world, policy).unwrap();
        schedule.add_systems(step::<0>.in_set(Second));
        schedule.run(&mut world);
        assert_eq!(take_steps(&mut world), expected);
    }
}

#[test]
fn the_systems_of_a_function_are_removed_and_may_be_ordered_by_again() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((step::<0>.after(step::<1>), step::<1>.after(step::<2>), step::<2>));
    assert_eq!(schedule.remove_systems_in_set(step::<1>, &mut world, RemoveSetAndSystems).unwrap(), 1);
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [2, 0]);
    schedule.add_systems((step::<3>.after(step::<1>), step::<1>));
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [2, 0, 1, 3]);
}

#[test]
fn a_set_that_is_not_there_is_an_error_and_changes_nothing() {
    let mut world = world();
    let mut schedule = Schedule::default();
    schedule.add_systems((step::<0>, step::<1>.after(Second)));
    for policy in POLICIES {
        let error = schedule.remove_systems_in_set(Second, &mut world, policy).unwrap_err();
        assert!(matches!(&error, ScheduleError::SetNotFound(set) if set == "Second"), "{error}");
        assert!(
            schedule.remove_systems_in_set(step::<3>, &mut world, policy).unwrap_err().to_string().contains("step<3>")
        );
    }
    assert_eq!(schedule.systems_len(), 2);
    // The remaining constraints still name the set.
    let error = schedule.initialize(&mut world).unwrap_err();
    assert!(matches!(error, ScheduleBuildError::Unknown { .. }), "{error}");
    schedule.configure_sets(Second);
    schedule.initialize(&mut world).unwrap();
}

#[test]
fn what_a_system_kept_stays_with_those_that_stay() {
    fn count(mut runs: Local<'_, u32>, mut total: ResMut<'_, Total>) {
        *runs += 1;
        total.0 = *runs;
    }
    #[derive(Resource, Default)]
    struct Total(u32);
    let mut world = world();
    world.init_resource::<Total>();
    let mut schedule = Schedule::default();
    schedule.add_systems((step::<0>.in_set(Second), count));
    schedule.run(&mut world);
    schedule.remove_systems_in_set(Second, &mut world, RemoveSetAndSystems).unwrap();
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>().0, 2);
}
