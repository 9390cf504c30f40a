//! When conditions are asked, and what they decide.

use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;
use strata_ecs::schedule::ScheduleBuildError;

use super::Set::{First, Second, Third};
use super::{schedule, step, take_steps, world};

/// Which conditions have been asked.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<&'static str>>>);

impl Asked {
    fn condition(&self, name: &'static str, holds: bool) -> impl FnMut() -> bool + Clone + Send + Sync + 'static {
        let asked = Arc::clone(&self.0);
        move || {
            asked.lock().expect("no panic poisons it").push(name);
            holds
        }
    }

    fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.0.lock().expect("no panic poisons it"))
    }
}

#[test]
fn a_condition_of_a_tuple_or_a_set_is_asked_once_in_a_run() {
    for holds in [true, false] {
        let (asked, mut world) = (Asked::default(), world());
        let tuple = (step::<0>, (step::<1>, step::<2>)).run_if(asked.condition("tuple", holds));
        let mut schedule = schedule((tuple, (step::<3>, step::<4>).in_set(First)));
        schedule.configure_sets(First.run_if(asked.condition("set", holds)));
        for _ in 0..2 {
            schedule.run(&mut world);
            assert_eq!(asked.take(), ["tuple", "set"]);
            assert_eq!(take_steps(&mut world), if holds { vec![0, 1, 2, 3, 4] } else { vec![] });
        }
    }
}

#[test]
fn outer_conditions_are_asked_first_and_inner_ones_only_if_they_hold() {
    for (outer, inner, expected) in
        [(true, true, &["outer", "inner", "own"][..]), (true, false, &["outer", "inner"]), (false, true, &["outer"])]
    {
        let (asked, mut world) = (Asked::default(), world());
        let mut schedule = schedule(step::<0>.in_set(First).run_if(asked.condition("own", true)));
        schedule.configure_sets(First.in_set(Second).run_if(asked.condition("inner", inner)));
        schedule.configure_sets(Second.run_if(asked.condition("outer", outer)));
        schedule.run(&mut world);
        assert_eq!(asked.take(), expected);
        assert_eq!(take_steps(&mut world).len(), usize::from(outer && inner));
    }
}

#[test]
fn nested_tuples_have_the_conditions_of_all_around_them() {
    let (asked, mut world) = (Asked::default(), world());
    let inner = (step::<0>, step::<1>).run_if(asked.condition("inner", false));
    let mut schedule = schedule((inner, step::<2>).run_if(asked.condition("outer", true)));
    schedule.run(&mut world);
    assert_eq!(asked.take(), ["outer", "inner"]);
    assert_eq!(take_steps(&mut world), [2]);
}

#[test]
fn all_conditions_of_one_system_are_asked() {
    let (asked, mut world) = (Asked::default(), world());
    let systems = step::<0>.run_if(asked.condition("first", false)).run_if(asked.condition("second", true));
    schedule(systems).run(&mut world);
    assert_eq!(asked.take(), ["first", "second"]);
    assert!(take_steps(&mut world).is_empty());
}

#[test]
fn a_set_may_get_several_conditions_at_different_places() {
    let (asked, mut world) = (Asked::default(), world());
    let mut schedule = schedule(step::<0>.in_set(First));
    schedule.configure_sets(First.run_if(asked.condition("first", true)));
    schedule.configure_sets(First.run_if(asked.condition("second", false)));
    schedule.run(&mut world);
    assert_eq!(asked.take(), ["first", "second"]);
    assert!(take_steps(&mut world).is_empty());
}

#[test]
fn a_condition_of_a_set_is_asked_before_its_first_system_and_holds_for_all() {
    // Changes by the first system do not prevent the second one from running.
    let mut world = world();
    let none = |steps: Res<'_, super::Steps>| steps.0.is_empty();
    let mut all = schedule((step::<0>, step::<1>, step::<2>).chain().run_if(none));
    all.run(&mut world);
    assert_eq!(take_steps(&mut world), [0, 1, 2]);
    // If each has it for itself, it does.
    let mut each = schedule((step::<0>, step::<1>).chain().distributive_run_if(none));
    each.run(&mut world);
    assert_eq!(take_steps(&mut world), [0]);
}

#[test]
fn a_distributed_condition_keeps_count_for_each_system() {
    fn first_time(mut runs: Local<'_, u32>) -> bool {
        *runs += 1;
        *runs == 1
    }
    let mut world = world();
    let mut schedule = schedule((step::<0>, (step::<1>, step::<2>)).distributive_run_if(first_time));
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [0, 1, 2]);
}

#[test]
fn each_condition_sees_changes_since_it_was_asked_last() {
    #[derive(Resource)]
    struct Level(u32);
    let changed = |level: Res<'_, Level>| level.is_changed();
    let mut world = world();
    world.insert_resource(Level(1));
    let mut first_time = true;
    let every_other = move || {
        first_time = !first_time;
        !first_time
    };
    // The inner condition is asked in every other run only, and misses nothing.
    let inner = step::<1>.run_if(changed);
    let mut schedule = schedule((step::<0>.run_if(changed), (inner, || ()).run_if(every_other)));
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [0, 1]);
    world.resource_mut::<Level>().0 = 2;
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [0]);
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [1]);
    (0..2).for_each(|_| schedule.run(&mut world));
    assert!(take_steps(&mut world).is_empty());
}

#[test]
fn a_condition_does_not_use_up_what_its_system_sees() {
    #[derive(Component)]
    struct Egg;
    fn any(eggs: Query<'_, '_, (), Added<Egg>>) -> bool {
        !eggs.is_empty()
    }
    fn hatch(eggs: Query<'_, '_, (), Added<Egg>>, mut steps: ResMut<'_, super::Steps>) {
        steps.0.push(eggs.count() as u32);
    }
    let mut world = world();
    world.spawn(Egg);
    let mut schedule = schedule(hatch.run_if(any));
    (0..2).for_each(|_| schedule.run(&mut world));
    world.spawn_batch([Egg, Egg]);
    schedule.run(&mut world);
    assert_eq!(take_steps(&mut world), [1, 2]);
}

#[test]
fn conditions_of_exclusive_systems_and_of_sets_with_them() {
    let (asked, mut world) = (Asked::default(), world());
    let exclusive = |world: &mut World| world.resource_mut::<super::Steps>().0.push(7);
    let mut schedule = schedule((step::<0>, exclusive.run_if(asked.condition("own", true)).in_set(Third)));
    schedule.configure_sets(Third.run_if(asked.condition("set", true)));
    schedule.run(&mut world);
    assert_eq!((asked.take(), take_steps(&mut world)), (vec!["set", "own"], vec![0, 7]));
    schedule.configure_sets(Third.run_if(asked.condition("no", false)));
    schedule.run(&mut world);
    assert_eq!((asked.take(), take_steps(&mut world)), (vec!["set", "no"], vec![0]));
}

#[test]
fn a_condition_that_can_change_the_world_is_an_error() {
    let writes = |world: &mut World| world.is_empty();
    let condition = IntoSystem::into_system(writes);
    let error = schedule(step::<0>.run_if(condition)).initialize(&mut world()).expect_err("it can write");
    assert!(matches!(error, ScheduleBuildError::ConditionWrites { .. }), "{error}");
}
