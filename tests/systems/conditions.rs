//! Conditions with an input, and combinations of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

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
fn the_second_is_asked_only_if_that_decides() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    static TURN: Mutex<()> = Mutex::new(());
    fn count(In(_): In<u32>) -> bool {
        ASKED.fetch_add(1, Ordering::Relaxed);
        true
    }
    let _turn = TURN.lock();
    ask(more_than::<2>.and(count), 1);
    assert_eq!(ASKED.load(Ordering::Relaxed), 0);
    ask(more_than::<2>.and_eager(count), 1);
    assert_eq!(ASKED.load(Ordering::Relaxed), 1);
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
    #[derive(Resource, Default)]
    struct Runs(u32);
    fn run(mut runs: ResMut<'_, Runs>) {
        runs.0 += 1;
    }
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
