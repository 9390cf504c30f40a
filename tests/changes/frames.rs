//! Frames: when they begin and end, and what is kept for how many of them.

use std::mem;
use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;

#[derive(Message, Debug, PartialEq, Clone, Copy)]
struct Hit(u32);

/// The messages that a reader has read, and the number of messages that it has missed.
#[derive(Resource, Default)]
struct Books {
    read: Vec<u32>,
    missed: u64,
}

fn keep_books(mut hits: MessageReader<'_, '_, Hit>, mut books: ResMut<'_, Books>) {
    books.read.extend(hits.read().map(|hit| hit.0));
    books.missed += hits.take_missed();
}

/// Writes the number of the run.
fn hit(mut hits: MessageWriter<'_, Hit>, mut run: Local<'_, u32>) {
    hits.write(Hit(*run));
    *run += 1;
}

fn idle() {}

fn gives_up(_: &mut World) {
    panic!("in the frame");
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
enum Label {
    First,
    Second,
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Books>();
    world.init_resource::<Messages<Hit>>();
    world
}

fn of<M>(systems: impl IntoScheduleConfigs<strata_ecs::schedule::ScheduleSystem, M>) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.add_systems(systems);
    schedule
}

fn books(world: &World) -> (Vec<u32>, u64) {
    let books = world.resource::<Books>();
    (books.read.clone(), books.missed)
}

fn len(world: &World) -> usize {
    world.resource::<Messages<Hit>>().len()
}

#[test]
fn two_schedules_in_a_frame_lose_nothing_and_keep_no_more() {
    for (reads_first, named) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut world = world();
        let (mut reader, mut writer) = (of(keep_books), of(hit));
        for round in 0..10 {
            let mut frame = |world: &mut World| {
                if reads_first {
                    reader.run(world);
                    writer.run(world);
                } else {
                    writer.run(world);
                    reader.run(world);
                }
            };
            if named {
                world.frame(frame)
            } else {
                frame(&mut world)
            }
            assert!(len(&world) <= 2, "round {round}");
        }
        let count = if reads_first { 9 } else { 10 };
        assert_eq!(books(&world), ((0..count).collect(), 0));
        assert_eq!(world.frame_number(), if named { 10 } else { 9 });
    }
}

#[test]
fn a_fixed_step_that_skips_frames_loses_nothing() {
    for named in [false, true] {
        let mut world = world();
        let (mut fixed, mut update) = (of(keep_books), of(hit));
        fixed.initialize(&mut world).expect("there is an order");
        for round in 0..200 {
            // No step in many frames, and several steps in some.
            let steps = [0, 0, 2, 1, 0, 0, 0, 0, 0, 3][round % 10];
            let mut frame = |world: &mut World| {
                (0..steps).for_each(|_| fixed.run(world));
                update.run(world);
            };
            if named {
                world.frame(frame)
            } else {
                frame(&mut world)
            }
            assert!(len(&world) < 15);
        }
        fixed.run(&mut world);
        assert_eq!(books(&world), ((0..200).collect(), 0));
    }
}

/// Systems of the frame read the messages that a fixed step writes, also if several steps run in one frame.
#[test]
fn what_several_steps_write_is_read_by_a_schedule_that_runs_once() {
    let mut world = world();
    let (mut fixed, mut update) = (of(hit), of(keep_books));
    for round in 0..50 {
        (0..round % 5).for_each(|_| fixed.run(&mut world));
        update.run(&mut world);
    }
    assert_eq!(books(&world), ((0..100).collect(), 0));
}

#[test]
fn it_is_the_schedule_that_holds_messages_and_not_the_system() {
    let mut world = world();
    let mut conditioned = of(keep_books.run_if(|mut run: Local<'_, u32>| {
        *run += 1;
        *run == 10
    }));
    for number in 0..10 {
        world.frame(|world| {
            world.write_message(Hit(number));
            conditioned.run(world);
        });
        assert!(len(&world) <= 2);
    }
    assert_eq!(books(&world), (vec![8, 9], 8));
}

#[test]
fn readers_in_conditions_and_pipes_hold_messages_too() {
    fn any(mut hits: MessageReader<'_, '_, Hit>) -> bool {
        hits.read().count() > 0
    }
    fn first(mut hits: MessageMutator<'_, '_, Hit>) -> u32 {
        hits.read().count() as u32
    }
    fn second(_: In<u32>) {}
    fn by_hand(_: Res<'_, Messages<Hit>>) {}
    fn writes(_: MessageWriter<'_, Hit>) {}
    fn in_a_set(mut set: ParamSet<'_, '_, (MessageReader<'_, '_, Hit>, MessageWriter<'_, Hit>)>) {
        set.p0().clear();
    }
    let schedules = [
        (of(idle.run_if(any)), true),
        (of((idle, idle).run_if(any)), true),
        (of(first.pipe(second)), true),
        (of(in_a_set), true),
        (of(by_hand), false),
        (of(writes), false),
    ];
    for (nth, (mut schedule, holds)) in schedules.into_iter().enumerate() {
        let mut world = world();
        schedule.initialize(&mut world).expect("there is an order");
        for number in 0..10 {
            world.frame(|world| _ = world.write_message(Hit(number)));
        }
        assert_eq!(len(&world), if holds { 10 } else { 1 }, "{nth}");
        // It has run, so all that was there before may go.
        world.frame(|world| schedule.run(world));
        assert_eq!(len(&world), 0, "{nth}");
    }
}

#[test]
fn a_message_that_is_written_in_a_run_behind_its_reader_is_held() {
    let mut world = world();
    let mut schedule = of((keep_books, hit).chain());
    world.frame(|world| schedule.run(world));
    (0..10).for_each(|_| world.frame(|_| ()));
    assert_eq!(len(&world), 1);
    world.frame(|world| schedule.run(world));
    assert_eq!(books(&world), (vec![0], 0));
}

#[test]
fn a_schedule_that_never_runs_holds_a_bounded_number_of_messages_and_is_told_what_it_missed() {
    let mut world = world();
    let mut never = of(keep_books);
    never.initialize(&mut world).expect("there is an order");
    let mut most = 0;
    for number in 0..3000 {
        world.frame(|world| _ = world.write_message(Hit(number)));
        most = most.max(len(&world));
    }
    assert!((512..1024).contains(&most), "{most}");
    let held = len(&world);
    assert!(held >= 512);
    never.run(&mut world);
    let expected: Vec<u32> = (3000 - held as u32..3000).collect();
    assert_eq!(books(&world), (expected, 3000 - held as u64));
    // By number.
    world.resource_mut::<Messages<Hit>>().set_limit(10);
    for round in 0..5 {
        world.frame(|world| _ = world.write_message_batch((0..7).map(|nth| Hit(round * 7 + nth))));
        assert!(len(&world) <= 10);
    }
    world.resource_mut::<Books>().read.clear();
    world.resource_mut::<Books>().missed = 0;
    never.run(&mut world);
    assert_eq!(books(&world), ((25..35).collect(), 25));
    // Messages of this frame are not affected.
    world.write_message_batch((0..100).map(Hit));
    assert_eq!(len(&world), 110);
}

#[test]
fn what_is_dropped_or_prepared_for_another_world_holds_nothing() {
    let write = |world: &mut World| (0..10).for_each(|nth| world.frame(|world| _ = world.write_message(Hit(nth))));
    let [mut world, mut other] = [world(), world()];
    let mut schedule = of(keep_books);
    schedule.initialize(&mut world).expect("there is an order");
    write(&mut world);
    assert_eq!(len(&world), 10);
    schedule.run(&mut other);
    world.frame(|_| ());
    assert_eq!(len(&world), 0);
    write(&mut other);
    assert_eq!(len(&other), 10);
    // Systems that are added read on; the schedule is the same.
    schedule.add_systems(idle).initialize(&mut other).expect("there is an order");
    other.frame(|_| ());
    assert_eq!(len(&other), 10);
    drop(schedule);
    other.frame(|_| ());
    assert_eq!(len(&other), 0);
}

#[test]
fn other_messages_with_lower_numbers_are_held_as_well() {
    let mut world = world();
    let mut schedule = of(keep_books);
    world.write_message_batch((0..100).map(Hit));
    world.frame(|world| schedule.run(world));
    world.insert_resource(Messages::<Hit>::default());
    for number in 100..110 {
        world.frame(|world| _ = world.write_message(Hit(number)));
    }
    schedule.run(&mut world);
    assert_eq!(books(&world), ((0..110).collect(), 0));
}

#[test]
fn implicit_frames_end_when_a_schedule_runs_again() {
    let mut world = world();
    let [mut a, mut b, mut c] = [of(idle), of(idle), of(idle)];
    for round in 0..5 {
        a.run(&mut world);
        assert_eq!(world.frame_number(), round);
        b.run(&mut world);
        if round % 2 == 0 {
            c.run(&mut world);
        }
        assert_eq!(world.frame_number(), round);
    }
    // A schedule is known by its label, if it has one.
    let numbers = [Label::First, Label::Second, Label::First].map(|label| {
        Schedule::new(label).run(&mut world);
        world.frame_number()
    });
    assert_eq!(numbers, [4, 4, 5]);
}

#[test]
fn schedules_that_are_made_anew_in_each_round_end_frames() {
    let mut world = world();
    for round in 0..10 {
        of(idle).run(&mut world);
        assert_eq!(world.frame_number(), round);
    }
    let mut world = self::world();
    for round in 0..10 {
        let [mut a, mut b] = [of(idle), of(idle)];
        a.run(&mut world);
        b.run(&mut world);
        assert_eq!(world.frame_number(), round);
    }
}

#[test]
fn runs_and_frames_within_others_belong_to_them() {
    let mut world = world();
    let mut inner = of(hit);
    let mut outer = of((
        move |world: &mut World| {
            (0..5).for_each(|_| inner.run(world));
            world.frame(|world| inner.run(world));
        },
        keep_books,
    ));
    for round in 0..3 {
        outer.run(&mut world);
        assert_eq!((world.frame_number(), len(&world)), (round, 6 * (round as usize + 1).min(2)));
    }
    assert_eq!(books(&world), ((0..18).collect(), 0));
    let number = world.frame_number();
    world.frame(|world| {
        world.frame(|world| outer.run(world));
        outer.run(world);
        assert_eq!(world.frame_number(), number + 1, "the implicit frame has ended");
    });
    assert_eq!(world.frame_number(), number + 2);
}

#[test]
fn a_frame_may_hold_many_runs_of_one_schedule() {
    let mut world = world();
    let mut schedule = of(hit);
    world.frame(|world| (0..10).for_each(|_| schedule.run(world)));
    assert_eq!((world.frame_number(), len(&world)), (1, 10));
    assert_eq!(world.frame(|world| len(world)), 10);
    assert_eq!((world.frame_number(), len(&world)), (2, 0));
}

#[test]
fn a_frame_ends_though_a_panic_ends_it() {
    fn panics(mut hits: MessageWriter<'_, Hit>) {
        hits.write(Hit(1));
        panic!("in a system");
    }
    let mut world = world();
    let mut schedule = of(panics);
    assert_eq!(expect_panic(|| world.frame(|world| schedule.run(world))), "in a system");
    assert_eq!((world.frame_number(), len(&world)), (1, 1));
    expect_panic(|| world.frame(gives_up));
    assert_eq!((world.frame_number(), len(&world)), (2, 0));
    // Nothing goes on: what comes now has frames of its own.
    expect_panic(|| schedule.run(&mut world));
    expect_panic(|| schedule.run(&mut world));
    assert_eq!(world.frame_number(), 3);
    world.frame(|_| ());
    assert_eq!(world.frame_number(), 5);
}

#[test]
fn a_value_that_panics_when_a_frame_drops_it_ends_the_frame_all_the_same() {
    #[derive(Message)]
    struct Loud(Token);
    #[derive(Component)]
    struct Kept(Token);
    drops::reset();
    let mut world = world();
    let mut reader = world.removed_value_reader::<Kept>();
    let kept = world.spawn(Kept(Token::new())).id();
    world.despawn(kept);
    reader.clear(&world);
    world.write_message(Loud(Token::armed()));
    world.write_message(Loud(Token::new()));
    world.write_message(Hit(1));
    world.update_messages();
    expect_panic(|| world.frame(|_| ()));
    assert_eq!((world.frame_number(), len(&world), drops::alive()), (1, 0, 0));
    // A panic that is on its way stays the one.
    world.write_message(Loud(Token::armed()));
    world.update_messages();
    assert_eq!(expect_panic(|| world.frame(gives_up)), "in the frame");
    assert_eq!((world.frame_number(), drops::alive()), (2, 0));
    drop(world);
    drops::assert_none_twice();
}

#[test]
fn the_frame_of_a_world_ends_wherever_the_world_is() {
    let [mut world, mut other] = [world(), world()];
    let mut schedule = of(hit);
    world.frame(|world| {
        world.write_message(Hit(1));
        mem::swap(world, &mut other);
        // This world is in no frame.
        (0..3).for_each(|_| schedule.run(world));
    });
    assert_eq!((world.frame_number(), len(&world)), (2, 2));
    assert_eq!((other.frame_number(), len(&other)), (1, 1));
    other.frame(|_| ());
    assert_eq!((other.frame_number(), len(&other)), (2, 0));
    // Back in time.
    other.frame(|back| {
        mem::swap(back, &mut world);
        mem::swap(back, &mut world);
    });
    assert_eq!((other.frame_number(), world.frame_number()), (3, 2));
}

#[test]
fn a_run_in_which_worlds_are_exchanged_leaves_both_without_a_run() {
    let [mut world, other] = [world(), world()];
    let aside = Arc::new(Mutex::new(other));
    let exchange = {
        let aside = Arc::clone(&aside);
        move |world: &mut World| mem::swap(world, &mut *aside.lock().expect("no panic"))
    };
    let mut schedule = of((exchange, keep_books).chain());
    schedule.run(&mut world);
    drop(schedule);
    let mut aside = aside.lock().expect("no panic");
    for world in [&mut world, &mut *aside] {
        let before = world.frame_number();
        let mut schedule = of(hit);
        (0..3).for_each(|_| schedule.run(world));
        assert!(world.frame_number() >= before + 2, "runs of their own end frames");
        world.frame(|_| ());
        world.check_invariants();
    }
}
