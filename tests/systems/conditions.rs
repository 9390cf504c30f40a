//! Conditions with an input, and combinations of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use strata_ecs::error::{EcsError, Severity};
use strata_ecs::prelude::*;
use strata_ecs::system::BoxedSystem;

fn more_than<const N: u32>(In(number): In<u32>) -> bool {
    number > N
}

fn ask<I: SystemInput + 'static>(condition: BoxedSystem<I, bool>, input: I::Inner<'_>) -> bool {
    World::new().run_system_once_with(condition, input).unwrap()
}

#[test]
fn every_combination_gives_both_the_input() {
    let outcomes = |condition: fn() -> BoxedSystem<In<u32>, bool>| [1, 4, 9].map(|input| ask(condition(), input));
    assert_eq!(outcomes(|| more_than::<2>.and(more_than::<5>)), [false, false, true]);
    assert_eq!(outcomes(|| more_than::<2>.and_then(more_than::<5>)), [false, false, true]);
    assert_eq!(outcomes(|| more_than::<2>.and_eager(more_than::<5>)), [false, false, true]);
    assert_eq!(outcomes(|| more_than::<2>.nand_then(more_than::<5>)), [true, true, false]);
    assert_eq!(outcomes(|| more_than::<2>.nand_eager(more_than::<5>)), [true, true, false]);
    assert_eq!(outcomes(|| more_than::<2>.or(more_than::<5>)), [false, true, true]);
    assert_eq!(outcomes(|| more_than::<2>.or_else(more_than::<5>)), [false, true, true]);
    assert_eq!(outcomes(|| more_than::<2>.or_eager(more_than::<5>)), [false, true, true]);
    assert_eq!(outcomes(|| more_than::<2>.nor_else(more_than::<5>)), [true, false, false]);
    assert_eq!(outcomes(|| more_than::<2>.nor_eager(more_than::<5>)), [true, false, false]);
    assert_eq!(outcomes(|| more_than::<2>.xor(more_than::<5>)), [false, true, false]);
    assert_eq!(outcomes(|| more_than::<2>.xnor(more_than::<5>)), [true, false, true]);
    assert_eq!(outcomes(|| not(more_than::<2>)), [true, false, false]);
}

#[test]
fn an_input_by_reference_is_lent_to_both() {
    fn is_long(text: InRef<'_, str>) -> bool {
        text.len() > 3
    }
    fn is_loud(text: InRef<'_, str>) -> bool {
        text.ends_with('!')
    }
    let condition = || is_long.and(not(is_loud));
    assert!(ask(condition(), "hello"));
    assert!(!ask(condition(), "hello!"));
}

#[test]
fn the_second_is_asked_only_if_that_decides_or_in_any_case() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    static TURN: Mutex<()> = Mutex::new(());
    fn count(In(_): In<u32>) -> bool {
        ASKED.fetch_add(1, Ordering::Relaxed);
        true
    }
    let _turn = TURN.lock();
    ask(more_than::<2>.and_then(count), 1);
    ask(more_than::<0>.or_else(count), 1);
    assert_eq!(ASKED.load(Ordering::Relaxed), 0);
    ask(more_than::<2>.and_eager(count), 1);
    ask(more_than::<2>.and(count), 1);
    ask(more_than::<0>.or_eager(count), 1);
    ask(more_than::<0>.or(count), 1);
    assert_eq!(ASKED.load(Ordering::Relaxed), 4);
}

#[derive(Resource, Default)]
struct Left(u32);
#[derive(Resource, Default)]
struct Right(u32);
#[derive(Resource, Default)]
struct Runs(u32);

fn count_run(mut runs: ResMut<'_, Runs>) {
    runs.0 += 1;
}

#[test]
fn combined_conditions_over_changes_see_each_change_once() {
    type Pair = fn(BoxedSystem<(), bool>, BoxedSystem<(), bool>) -> BoxedSystem<(), bool>;
    // For each: whether it holds if both have changed, only the first one, only the second one, and none.
    let cases: [(Pair, [bool; 4]); 8] = [
        (|a, b| a.and(b), [true, false, false, false]),
        (|a, b| a.or(b), [true, true, true, false]),
        (|a, b| a.and_eager(b), [true, false, false, false]),
        (|a, b| a.or_eager(b), [true, true, true, false]),
        (|a, b| a.nand_eager(b), [false, true, true, true]),
        (|a, b| a.nor_eager(b), [false, false, false, true]),
        (|a, b| a.xor(b), [false, true, true, false]),
        (|a, b| a.xnor(b), [true, false, false, true]),
    ];
    for (number, (combine, expected)) in cases.into_iter().enumerate() {
        let mut world = World::new();
        world.init_resource::<Left>();
        world.init_resource::<Right>();
        world.init_resource::<Runs>();
        let changed =
            || (IntoSystem::into_system(resource_changed::<Left>), IntoSystem::into_system(resource_changed::<Right>));
        let (left, right) = changed();
        let mut schedule = Schedule::default();
        schedule.add_systems(count_run.run_if(combine(left, right)));
        let mut run = |world: &mut World| {
            let before = world.resource::<Runs>().0;
            schedule.run(world);
            world.resource::<Runs>().0 != before
        };
        let mut found = vec![run(&mut world)];
        world.resource_mut::<Left>().0 += 1;
        found.push(run(&mut world));
        world.resource_mut::<Right>().0 += 1;
        found.push(run(&mut world));
        found.push(run(&mut world));
        assert_eq!(found, expected, "combination {number}");
    }
}

fn answer(Left(number): &Left) -> Result<bool> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err("neither".into()),
    }
}

fn fallible(left: Res<'_, Left>) -> Result<bool> {
    answer(&left)
}

#[system]
fn fallible_system(left: Res<Left>) -> Result<bool> {
    answer(&left)
}

fn with_its_own_error(left: Res<'_, Left>) -> Result<bool, std::num::ParseIntError> {
    match left.0 {
        0 => Ok(false),
        1 => Ok(true),
        _ => "neither".parse::<u32>().map(|_| true),
    }
}

/// Whether a system with this condition runs while the number is 0 and 1, and the error while it is 2.
fn run_with(condition: BoxedSystem<(), bool>) -> ([bool; 2], String) {
    let mut world = World::new();
    world.init_resource::<Left>();
    world.init_resource::<Runs>();
    let mut schedule = Schedule::default();
    schedule.add_systems(count_run.run_if(condition));
    let runs = [0, 1].map(|number| {
        world.resource_mut::<Left>().0 = number;
        world.resource_mut::<Runs>().0 = 0;
        schedule.try_run(&mut world).unwrap();
        world.resource::<Runs>().0 == 1
    });
    world.resource_mut::<Left>().0 = 2;
    let error = schedule.try_run(&mut world).unwrap_err();
    (runs, error.into_inner().to_string())
}

#[test]
fn conditions_may_fail_alone_and_in_every_combination() {
    let always = || true;
    let never = || false;
    let holds: Vec<BoxedSystem<(), bool>> = vec![
        fallible.into_condition(),
        fallible_system.into_condition(),
        not(not(fallible)),
        fallible.and(always),
        always.and(fallible),
        always.and_then(fallible_system),
        never.or(fallible),
        fallible.or_else(never),
        always.xnor(fallible),
        fallible.xor(never),
        fallible_system.and_eager(fallible),
        (|| 1).pipe(|In(_): In<u32>, left: Res<'_, Left>| answer(&left)),
    ];
    for (number, condition) in holds.into_iter().enumerate() {
        assert_eq!(run_with(condition), ([false, true], "neither".to_string()), "condition {number}");
    }
    let fails: Vec<BoxedSystem<(), bool>> = vec![
        not(fallible),
        not(fallible_system),
        fallible.nand_then(always),
        always.nand_eager(fallible),
        fallible.nor_else(never),
        never.nor_eager(fallible),
        always.xor(fallible),
        never.xnor(fallible),
        not(always.and(fallible)),
    ];
    for (number, condition) in fails.into_iter().enumerate() {
        assert_eq!(run_with(condition), ([true, false], "neither".to_string()), "condition {number}");
    }
    let (runs, error) = run_with(not(with_its_own_error));
    assert_eq!((runs, error.as_str()), ([true, false], "invalid digit found in string"));
}

#[test]
fn a_condition_that_fails_is_handled_by_its_severity() {
    let mut world = World::new();
    world.init_resource::<Runs>();
    let mut schedule = Schedule::default();
    let fails = || -> Result<bool> { Err(EcsError::new(Severity::Ignore, "not now")) };
    schedule.add_systems((count_run.run_if(fails), count_run.run_if(not(fails)), count_run));
    schedule.try_run(&mut world).unwrap();
    assert_eq!(world.resource::<Runs>().0, 1);
    // Each system of a tuple has it for itself.
    let mut schedule = Schedule::default();
    schedule.add_systems((count_run, count_run).distributive_run_if(|| -> Result<bool> { Ok(true) }));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Runs>().0, 3);
}

#[test]
fn functions_may_take_and_return_conditions_with_an_input() {
    fn identity() -> impl SystemCondition<(), In<bool>> {
        IntoSystem::into_system(|In(input): In<bool>| input)
    }
    fn contrary<Marker>(condition: impl SystemCondition<Marker>) -> impl SystemCondition<()> {
        IntoSystem::into_system(condition.map(|holds| !holds))
    }
    fn both<M, N>(
        a: impl SystemCondition<M, In<u32>>,
        b: impl SystemCondition<N, In<u32>>,
    ) -> BoxedSystem<In<u32>, bool> {
        a.and(b)
    }
    let run = count_run;
    let always = || true;
    let mut world = World::new();
    world.init_resource::<Runs>();
    let mut schedule = Schedule::default();
    schedule.add_systems(run.run_if(always.pipe(identity())));
    schedule.add_systems(run.run_if(contrary(always)));
    schedule.add_systems(run.run_if((|| 4).pipe(both(more_than::<2>, more_than::<3>))));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Runs>().0, 2);
}

#[test]
fn a_skipped_condition_does_not_hold_whatever_its_input_is() {
    #[derive(Component)]
    struct Leader;
    fn leads(In(_): In<u32>, _: Single<'_, '_, Entity, With<Leader>>) -> bool {
        true
    }
    assert!(!ask(IntoSystem::into_system(leads).and(more_than::<2>), 4));
    assert!(ask(more_than::<2>.or(leads), 4));
}
