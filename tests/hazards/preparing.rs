//! Systems that panic while they are prepared for a world, and systems that are run on two worlds in turn: they never use in
//! one world what they know of another.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;
use strata_ecs::system::BoxedSystem;
use strata_tests::panics::{catch, expect_panic};

/// Two components that cannot be taken for each other.
#[derive(Component)]
struct Number(u64);
#[derive(Component)]
struct Text(String);

/// As long as it exists in a world, a [`Fuse`] cannot be made of that world.
#[derive(Resource)]
struct Wet;

/// Made of a world, when a system is prepared for it.
struct Fuse(u64);

impl FromWorld for Fuse {
    fn from_world(world: &mut World) -> Self {
        assert!(!world.contains_resource::<Wet>(), "a wet fuse");
        Self(world.resource::<Weight>().0)
    }
}

/// How much of the sum comes from the world.
#[derive(Resource)]
struct Weight(u64);

/// The components have other numbers in each of the two worlds, and so do their columns.
fn worlds() -> [World; 2] {
    let [mut one, mut other] = [World::new(), World::new()];
    one.register_component::<Number>();
    other.register_component::<Text>();
    for (world, weight) in [(&mut one, 1000), (&mut other, 2000)] {
        world.insert_resource(Weight(weight));
        world.spawn_batch((1..=3).map(|n| (Number(n), Text("x".repeat(n as usize)))));
    }
    [one, other]
}

/// Returns the sum over a query that reads both components.
fn sum(all: &Query<'_, '_, (&Number, &Text)>) -> u64 {
    all.iter().map(|(number, text)| number.0 + 10 * text.0.chars().filter(|c| *c == 'x').count() as u64).sum()
}

/// The result of each system: 66 from the entities of a world, and the weight of the system.
const SUMS: [u64; 2] = [1066, 2066];

fn plain(all: Query<'_, '_, (&Number, &Text)>, fuse: Local<'_, Fuse>) -> u64 {
    sum(&all) + fuse.0
}

fn fuse_first(fuse: Local<'_, Fuse>, all: Query<'_, '_, (&Number, &Text)>) -> u64 {
    sum(&all) + fuse.0
}

fn without_fuse(all: Query<'_, '_, (&Number, &Text)>) -> u64 {
    sum(&all)
}

fn add_fuse(In(sum): In<u64>, fuse: Local<'_, Fuse>) -> u64 {
    sum + fuse.0
}

fn fuse_alone(fuse: Local<'_, Fuse>) -> u64 {
    fuse.0
}

fn add_sum(In(fuse): In<u64>, all: Query<'_, '_, (&Number, &Text)>) -> u64 {
    sum(&all) + fuse
}

fn exclusive(world: &mut World) -> u64 {
    world.query::<&Number>().iter(world).map(|number| number.0).sum()
}

fn add_texts(In(sum): In<u64>, all: Query<'_, '_, &Text>, fuse: Local<'_, Fuse>) -> u64 {
    sum + fuse.0 + all.iter().map(|text| 10 * text.0.len() as u64).sum::<u64>()
}

fn with_input(InMut(fuse): InMut<'_, Fuse>, all: Query<'_, '_, (&Number, &Text)>) -> u64 {
    sum(&all) + fuse.0
}

type Either<'w, 's> = (Query<'w, 's, (&'static Number, &'static Text)>, Query<'w, 's, &'static mut Number>);

fn set(mut set: ParamSet<'_, '_, Either<'_, '_>>, fuse: Local<'_, Fuse>) -> u64 {
    assert_eq!(set.p1().count(), 3);
    sum(&set.p0()) + fuse.0
}

fn fuse_in_set(mut set: ParamSet<'_, '_, (Query<'_, '_, (&Number, &Text)>, Local<'_, Fuse>)>) -> u64 {
    sum(&set.p0()) + set.p1().0
}

#[derive(SystemParam)]
struct Both<'w, 's> {
    all: Query<'w, 's, (&'static Number, &'static Text)>,
    fuse: Local<'s, Fuse>,
}

fn derived(both: Both<'_, '_>) -> u64 {
    sum(&both.all) + both.fuse.0
}

fn nested((all, (fuse,)): (Query<'_, '_, (&Number, &Text)>, (Local<'_, Fuse>,))) -> u64 {
    sum(&all) + fuse.0
}

struct Inner(SystemState<(Query<'static, 'static, (&'static Number, &'static Text)>, Local<'static, Fuse>)>);

impl FromWorld for Inner {
    fn from_world(world: &mut World) -> Self {
        Self(SystemState::new(world))
    }
}

fn state(world: &World, mut inner: Local<'_, Inner>) -> u64 {
    let (all, fuse) = inner.0.get(world).expect("both are there");
    sum(&all) + fuse.0
}

fn commands(mut commands: Commands<'_, '_>, all: Query<'_, '_, (&Number, &Text)>, fuse: Local<'_, Fuse>) -> u64 {
    commands.spawn_empty();
    sum(&all) + fuse.0
}

/// All that is made of others, too.
fn kinds() -> Vec<(&'static str, fn() -> BoxedSystem<(), u64>)> {
    let all: [(&'static str, fn() -> BoxedSystem<(), u64>); 19] = [
        ("a function", || IntoSystem::into_system(plain)),
        ("the first parameter", || IntoSystem::into_system(fuse_first)),
        ("the second of a pipe", || without_fuse.pipe(add_fuse)),
        ("the first of a pipe", || fuse_alone.pipe(add_sum)),
        ("both of a pipe", || plain.pipe(|In(sum): In<u64>, fuse: Local<'_, Fuse>| sum + fuse.0 - fuse.0)),
        ("the last of three", || without_fuse.pipe(|In(sum): In<u64>| sum).pipe(add_fuse)),
        ("the middle of three", || {
            without_fuse.pipe(add_fuse).pipe(|In(n): In<u64>, w: Query<'_, '_, &Text>| {
                n + w.iter().map(|text| text.0.len() as u64).sum::<u64>() - 6
            })
        }),
        ("an inner pipe", || {
            let inner: BoxedSystem<In<u64>, u64> = IntoSystem::into_system(add_fuse).pipe(|In(n): In<u64>| n);
            without_fuse.pipe(inner)
        }),
        ("behind an exclusive system", || exclusive.pipe(add_texts)),
        ("a map", || plain.map(|sum| sum)),
        ("a map of a pipe", || without_fuse.pipe(add_fuse).map(|sum| sum)),
        ("a pipe of maps", || without_fuse.map(|sum| sum).pipe(add_fuse)),
        ("an input that is kept", || with_input.with_input_from::<Fuse>()),
        ("a set", || IntoSystem::into_system(set)),
        ("a member of a set", || IntoSystem::into_system(fuse_in_set)),
        ("a derived parameter", || IntoSystem::into_system(derived)),
        ("nested tuples", || IntoSystem::into_system(nested)),
        ("a state in a system", || IntoSystem::into_system(state)),
        ("commands", || IntoSystem::into_system(commands)),
    ];
    all.into()
}

/// Runs on one world and on the other, where it cannot be prepared at first, in all orders of events.
fn exercise(name: &str, mut run: impl FnMut(&mut World) -> u64) {
    let [mut one, mut other] = worlds();
    for _ in 0..3 {
        for _ in 0..2 {
            assert_eq!(run(&mut one), SUMS[0], "{name}");
        }
        other.insert_resource(Wet);
        for _ in 0..2 {
            let text = expect_panic(|| run(&mut other));
            assert!(text.contains("a wet fuse"), "{name}: {text}");
        }
        assert_eq!(run(&mut one), SUMS[0], "{name}");
        expect_panic(|| run(&mut other));
        other.remove_resource::<Wet>();
        assert_eq!(run(&mut other), SUMS[1], "{name}");
        one.insert_resource(Wet);
        expect_panic(|| run(&mut one));
        assert_eq!(run(&mut other), SUMS[1], "{name}");
        one.remove_resource::<Wet>();
    }
    one.check_invariants();
    other.check_invariants();
    super::assert_usable(&mut one);
    super::assert_usable(&mut other);
}

#[test]
fn a_system_of_any_kind_that_panics_while_it_is_prepared_is_prepared_for_no_world() {
    for (name, make) in kinds() {
        // Registered in one world after the other.
        let mut system = Some(make());
        exercise(name, |world| {
            let id = world.register_boxed_system(system.take().expect("it has been put back"));
            let sum = catch(|| world.run_system(id).expect("its parameters are there"));
            system = Some(world.unregister_system(id).expect("it has stayed registered"));
            sum.unwrap_or_else(|text| panic!("{text}"))
        });
    }
}

#[test]
fn a_schedule_of_any_kind_of_system_that_panics_while_it_is_prepared_is_prepared_for_no_world() {
    static SUM: AtomicU64 = AtomicU64::new(0);
    for (name, make) in kinds() {
        let mut schedule = Schedule::default();
        schedule.add_systems((
            || (),
            make().map(|sum| SUM.store(sum, Ordering::Relaxed)),
            |all: Query<'_, '_, (&Number, &Text)>| assert_eq!(sum(&all), 66),
        ));
        exercise(name, |world| {
            SUM.store(0, Ordering::Relaxed);
            schedule.run(world);
            SUM.load(Ordering::Relaxed)
        });
    }
}

fn reads(all: Query<'_, '_, (&Number, &Text)>) -> bool {
    sum(&all) == 66
}

fn asks(fuse: Local<'_, Fuse>) -> bool {
    fuse.0 > 0
}

/// Conditions that hold, one of which has a fuse and others read.
fn conditions() -> Vec<(&'static str, fn() -> BoxedSystem<(), bool>)> {
    let all: [(&'static str, fn() -> BoxedSystem<(), bool>); 10] = [
        ("a condition", || {
            IntoSystem::into_system(|all: Query<'_, '_, &Text>, fuse: Local<'_, Fuse>| {
                fuse.0 > 0 && all.iter().all(|text| text.0.starts_with('x'))
            })
        }),
        ("not", || not(not(asks))),
        ("and", || reads.and(asks)),
        ("and, first", || asks.and(reads)),
        ("and_eager", || reads.and_eager(asks)),
        ("or_eager", || reads.or_eager(asks)),
        ("or, of which the second is not asked", || reads.or_else(asks)),
        ("xnor", || reads.xnor(asks)),
        ("three", || reads.and(asks).and(reads)),
        ("a pipe in a map", || {
            reads.pipe(|In(holds): In<bool>, fuse: Local<'_, Fuse>| holds && fuse.0 > 0).map(|it| it)
        }),
    ];
    all.into()
}

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
struct Guarded;

#[test]
fn conditions_that_panic_while_they_are_prepared_are_prepared_for_no_world() {
    static SUM: AtomicU64 = AtomicU64::new(0);
    fn note(all: Query<'_, '_, (&Number, &Text)>, weight: Res<'_, Weight>) {
        SUM.store(sum(&all) + weight.0, Ordering::Relaxed);
    }
    for (name, make) in conditions() {
        let of_system = |schedule: &mut Schedule| _ = schedule.add_systems(note.run_if(make()));
        let of_tuple = |schedule: &mut Schedule| _ = schedule.add_systems((note, || ()).run_if(make()));
        let of_set = |schedule: &mut Schedule| {
            schedule.add_systems(note.in_set(Guarded)).configure_sets(Guarded.run_if(make()));
        };
        let of_exclusive = |schedule: &mut Schedule| {
            let note = |world: &mut World| world.run_system_once(note).expect("it runs");
            schedule.add_systems(note.run_if(make()));
        };
        let ways: [&dyn Fn(&mut Schedule); 4] = [&of_system, &of_tuple, &of_set, &of_exclusive];
        for add in ways {
            let mut schedule = Schedule::default();
            add(&mut schedule);
            exercise(name, |world| {
                SUM.store(0, Ordering::Relaxed);
                schedule.run(world);
                SUM.load(Ordering::Relaxed)
            });
        }
    }
}

#[system(run_if(reads, asks))]
fn with_conditions(all: Query<'_, '_, (&Number, &Text)>, weight: Res<'_, Weight>, mut total: ResMut<'_, Total>) {
    total.0 = sum(&all) + weight.0;
}

#[system]
fn rows(number: &Number, text: &Text, fuse: Local<'_, Fuse>, mut total: ResMut<'_, Total>) {
    total.0 = total.0 % 1000 + number.0 + 10 * text.0.len() as u64 + fuse.0;
}

#[system(par)]
fn par_rows(number: &mut Number, text: &Text) {
    number.0 = text.0.len() as u64;
}

#[system]
fn rows_alone(number: &mut Number, text: &Text) {
    assert_eq!(number.0, text.0.len() as u64);
}

#[derive(Resource)]
struct Total(u64);

#[test]
fn systems_over_rows_that_panic_while_they_are_prepared_are_prepared_for_no_world() {
    let mut with_conditions_too = Schedule::default();
    with_conditions_too.add_systems(with_conditions);
    let mut in_pipelines = Schedule::default();
    in_pipelines.add_systems((par_rows, rows).chain()).set_pipelining(strata_ecs::schedule::Pipelining::Always);
    for schedule in [&mut with_conditions_too, &mut in_pipelines] {
        exercise("rows", |world| {
            world.insert_resource(Total(0));
            schedule.run(world);
            world.resource::<Total>().0
        });
    }
}

#[test]
fn a_cached_system_that_panics_while_it_is_prepared_is_prepared_later() {
    let [mut one, mut other] = worlds();
    other.insert_resource(Wet);
    assert_eq!(one.run_system_cached(plain), Ok(SUMS[0]));
    for _ in 0..2 {
        expect_panic(|| other.run_system_cached(plain));
        expect_panic(|| other.run_system_once(plain));
        expect_panic(|| SystemState::<(Query<'_, '_, &Text>, Local<'_, Fuse>)>::new(&mut other));
    }
    other.remove_resource::<Wet>();
    assert_eq!(other.run_system_cached(plain), Ok(SUMS[1]));
    assert_eq!(one.run_system_cached(plain), Ok(SUMS[0]));
    other.check_invariants();
}

#[test]
fn a_schedule_and_a_pair_of_systems_are_prepared_anew_for_each_world_that_they_are_run_on() {
    for (name, make) in kinds() {
        static SUM: AtomicU64 = AtomicU64::new(0);
        let mut schedule = Schedule::default();
        schedule.add_systems(make().map(|sum| SUM.store(sum, Ordering::Relaxed)));
        let mut system = Some(make());
        let mut worlds: Vec<World> = worlds().into();
        for turn in 0..8 {
            // A new world in the memory of one that is gone is another one.
            let number = turn % 2;
            let mut boxed = Box::new(worlds.remove(0));
            schedule.run(&mut boxed);
            assert_eq!(SUM.swap(0, Ordering::Relaxed), SUMS[number], "{name}");
            let id = boxed.register_boxed_system(system.take().expect("it has been put back"));
            assert_eq!(boxed.run_system(id), Ok(SUMS[number]), "{name}");
            system = boxed.unregister_system(id).ok();
            *boxed = self::worlds().into_iter().nth(number).expect("there are two");
            worlds.push(*boxed);
        }
    }
}

#[test]
fn a_schedule_whose_system_exchanges_worlds_reads_each_by_what_it_knows_of_that_one() {
    fn read(all: Query<'_, '_, (&Number, &Text)>, weight: Res<'_, Weight>, mut total: ResMut<'_, Total>) {
        total.0 += sum(&all) + weight.0;
    }
    for by_command in [false, true] {
        let [mut one, mut other] = worlds();
        one.insert_resource(Total(0));
        other.insert_resource(Total(0));
        let ids = [one.id(), other.id()];
        let aside = Arc::new(Mutex::new(None));
        let exchange = {
            let aside = Arc::clone(&aside);
            move |world: &mut World| {
                if let Some(other) = &mut *aside.lock().expect("no panic") {
                    std::mem::swap(world, other);
                }
            }
        };
        let mut schedule = Schedule::default();
        if by_command {
            let system = move |mut commands: Commands<'_, '_>| commands.queue(exchange.clone());
            schedule.add_systems((read, par_rows, rows_alone, system, read, par_rows, rows_alone, read).chain());
        } else {
            schedule.add_systems((read, par_rows, rows_alone, exchange, read, par_rows, rows_alone, read).chain());
        }
        schedule.set_pipelining(strata_ecs::schedule::Pipelining::Always);
        let total = |world: &mut World| std::mem::take(&mut world.resource_mut::<Total>().0);
        for _ in 0..3 {
            // Exchanged in the middle; then by hand, so that the schedule meets the world of its last preparation again.
            *aside.lock().expect("no panic") = Some(other);
            schedule.run(&mut one);
            other = aside.lock().expect("no panic").take().expect("it is there");
            assert_eq!([other.id(), one.id()], ids);
            assert_eq!((total(&mut other), total(&mut one)), (SUMS[0], 2 * SUMS[1]));
            std::mem::swap(&mut one, &mut other);
            schedule.run(&mut one);
            assert_eq!((total(&mut one), total(&mut other)), (3 * SUMS[0], 0));
            assert!(schedule.ambiguities(&other).is_empty());
            // And the one of which it knew before.
            schedule.run(&mut other);
            assert_eq!((total(&mut one), total(&mut other)), (0, 3 * SUMS[1]));
        }
        super::assert_usable(&mut one);
        super::assert_usable(&mut other);
    }
}
