//! Schedules of which something is nested deeply or is very long: on a stack of a mebibyte.

use strata_ecs::prelude::*;
use strata_ecs::schedule::{ScheduleBuildError, ScheduleConfigs};
use strata_ecs::system::BoxedSystem;
use strata_tests::panics::expect_panic;

use super::{step, take_steps, world};

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Level(u32);

/// Runs a test where recursion would overflow.
fn with_small_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(test).expect("a thread");
    thread.join().expect("the test passes");
}

#[test]
fn sets_may_be_nested_deeply() {
    with_small_stack(|| {
        let mut schedule = Schedule::default();
        for level in 0..20_000 {
            schedule.configure_sets(Level(level).in_set(Level(level + 1)));
        }
        schedule.add_systems((
            step::<0>.after(Level(20_000)),
            step::<1>.in_set(Level(0)),
            step::<2>.in_set(Level(9_999)),
        ));
        let mut world = world();
        schedule.run(&mut world);
        assert_eq!(take_steps(&mut world), [1, 2, 0]);
    });
}

#[test]
fn a_set_that_is_in_itself_by_way_of_many_others_is_an_error() {
    with_small_stack(|| {
        let mut schedule = Schedule::default();
        for level in 0..20_000 {
            schedule.configure_sets(Level(level).in_set(Level((level + 1) % 20_000)));
        }
        schedule.add_systems(step::<0>.in_set(Level(3)));
        let error = schedule.initialize(&mut World::new()).expect_err("there is no outermost set");
        let ScheduleBuildError::SetCycle { cycle } = error else { panic!("{error}") };
        assert_eq!(cycle.len(), 20_000);
    });
}

#[test]
fn sets_in_a_cycle_of_a_hundred_thousand_are_named() {
    with_small_stack(|| {
        let mut schedule = Schedule::default();
        for level in 0..100_000 {
            schedule.configure_sets(Level(level).before(Level((level + 1) % 100_000)));
        }
        let error = schedule.initialize(&mut World::new()).expect_err("there is no first set");
        let ScheduleBuildError::Cycle { cycle } = error else { panic!("{error}") };
        assert_eq!(cycle.len(), 100_000);
    });
}

#[test]
fn groups_of_systems_may_be_nested_deeply() {
    with_small_stack(|| {
        let nested = || {
            let mut all: ScheduleConfigs = step::<0>.into_configs();
            for level in 0..20_000 {
                all = match level % 10_000 {
                    5_000 => (step::<1>, all).chain(),
                    _ => (all,).into_configs(),
                };
            }
            all
        };
        assert!(format!("{:?}", nested()).contains("step<0>"));
        drop(nested());
        let mut schedule = Schedule::default();
        schedule.add_systems(nested().in_set(Level(1)));
        let mut world = world();
        schedule.run(&mut world);
        assert_eq!(take_steps(&mut world), [1, 1, 0]);
    });
}

#[derive(Component)]
struct Made;

fn add_one(In(number): In<u32>, mut commands: Commands<'_, '_>, mut calls: Local<'_, u32>) -> u32 {
    *calls += 1;
    if number.is_multiple_of(10) {
        commands.spawn(Made);
    }
    number + *calls
}

#[test]
fn pipes_may_be_long_and_are_refused_if_they_are_too_long() {
    with_small_stack(|| {
        let mut left: BoxedSystem<(), u32> = IntoSystem::into_system(|| 0_u32);
        for _ in 0..240 {
            left = left.pipe(add_one);
        }
        let mut right: BoxedSystem<In<u32>, u32> = IntoSystem::into_system(|In(number): In<u32>| number);
        for _ in 0..240 {
            right = IntoSystem::into_system(add_one.pipe(right));
        }
        assert!(left.name().len() < 1100 && right.name().len() < 1100);
        let sum = |In(number): In<u32>, mut steps: ResMut<'_, super::Steps>| steps.0.push(number);
        let mut schedule = super::schedule(left.pipe(right).pipe(sum));
        let mut world = world();
        for run in 1..3 {
            schedule.run(&mut world);
            assert_eq!((take_steps(&mut world), world.len()), (vec![480 * run], if run == 1 { 48 } else { 144 }));
        }
        let error = world.run_system_once((|| 1_u8).pipe(|In(_): In<u8>, _: Res<'_, Missing>| ()));
        assert!(error.is_err());
        world.check_invariants();
        let text = expect_panic(|| {
            let mut pipe: BoxedSystem<(), u32> = IntoSystem::into_system(|| 0_u32);
            for _ in 0..501 {
                pipe = pipe.pipe(add_one);
            }
        });
        assert!(text.contains("cannot be nested more than 500 deep"), "{text}");
    });
}

#[derive(Resource)]
struct Missing;

#[test]
fn a_long_pipe_that_breaks_off_applies_what_was_recorded_before() {
    with_small_stack(|| {
        fn record(In(()): In<()>, mut commands: Commands<'_, '_>) {
            commands.spawn(Made);
        }
        let mut pipe: BoxedSystem<(), ()> = IntoSystem::into_system(|| ());
        for number in 0..480 {
            pipe = match number {
                240 => pipe.pipe(|In(()): In<()>, missing: Option<Res<'_, Missing>>| {
                    assert!(missing.is_none(), "out of order");
                }),
                340 => {
                    pipe.pipe(|In(()): In<()>, mut commands: Commands<'_, '_>, missing: Option<Res<'_, Missing>>| {
                        let breaks = missing.is_some();
                        commands.queue(move |_: &mut World| assert!(!breaks, "a command"));
                    })
                }
                _ => pipe.pipe(record),
            };
        }
        let mut schedule = super::schedule(pipe);
        let mut world = world();
        schedule.run(&mut world);
        assert_eq!(world.len(), 478);
        world.insert_resource(Missing);
        expect_panic(|| schedule.run(&mut world));
        world.check_invariants();
        assert_eq!(world.len(), 478, "what a system recorded that panicked is lost");
        world.remove_resource::<Missing>();
        schedule.run(&mut world);
        assert_eq!(world.len(), 2 * 478);
    });
}

#[test]
fn conditions_that_are_nested_too_deeply_are_refused() {
    with_small_stack(|| {
        let nested = |depth: u32| {
            let mut condition: BoxedSystem<(), bool> = IntoSystem::into_system(|| true);
            for level in 0..depth {
                condition = match level % 3 {
                    0 => not(condition),
                    1 => condition.and(|| true),
                    _ => SystemCondition::or(|| false, condition),
                };
            }
            condition
        };
        let mut schedule = super::schedule(step::<7>.run_if(nested(498)));
        let mut world = world();
        schedule.run(&mut world);
        assert_eq!(take_steps(&mut world), [7]);
        let text = expect_panic(|| nested(501));
        assert!(text.contains("cannot be nested more than 500 deep"), "{text}");
    });
}

#[test]
fn sets_that_are_nested_deeply_are_drawn() {
    with_small_stack(|| {
        let mut schedule = Schedule::default();
        for level in 0..4000 {
            schedule.configure_sets(Level(level).in_set(Level(level + 1)));
        }
        schedule.add_systems(step::<0>.in_set(Level(0)));
        let diagram = schedule.diagram(&mut world()).expect("there is an order");
        let (dot, mermaid) = (diagram.to_dot(), diagram.to_mermaid());
        assert_eq!(dot.matches("subgraph").count(), 4001);
        assert_eq!(mermaid.matches("subgraph").count(), 4001);
        assert!(dot.len() < 1 << 20 && mermaid.len() < 1 << 20, "lines are indented a little");
    });
}
