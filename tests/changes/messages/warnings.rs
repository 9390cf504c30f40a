//! Warnings about missed messages.

use std::cell::RefCell;

use strata_ecs::schedule::SingleThreadedExecutor;
use strata_ecs::world::{CommandError, OnCommandError};
use strata_tests::panics::expect_panic;
use strata_tests::process::{is_child_for, run_in_child};

use super::*;

/// Missed messages cause one warning per system, unless errors are ignored. A child process prints the warning.
#[test]
fn the_first_messages_that_a_system_misses_are_warned_of() {
    const NAME: &str = "messages::warnings::the_first_messages_that_a_system_misses_are_warned_of";
    fn late(mut hits: MessageReader<'_, '_, Hit>) {
        hits.clear();
    }
    let lose = |world: &mut World, schedule: &mut Schedule| {
        world.write_message_batch([Hit(1), Hit(2)]);
        world.resource_mut::<Messages<Hit>>().clear();
        schedule.run(world);
    };
    if is_child_for(NAME) {
        for quiet in [false, true] {
            let mut world = World::new();
            if quiet {
                world.on_command_error(OnCommandError::Ignore);
            }
            let mut schedule = Schedule::default();
            schedule.add_systems(late);
            schedule.run(&mut world);
            eprintln!("nothing is missed so far");
            lose(&mut world, &mut schedule);
            lose(&mut world, &mut schedule);
        }
        return;
    }
    let output = run_in_child(NAME);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{printed}");
    let (before, behind) = printed.split_once("nothing is missed so far").expect("the child printed it");
    assert!(!before.contains("missed"), "{printed}");
    let told: Vec<&str> = behind.lines().filter(|line| line.contains("has missed")).collect();
    if cfg!(feature = "trace") {
        assert!(told.is_empty(), "it goes to the subscriber: {printed}");
        return;
    }
    assert_eq!(told.len(), 1, "{printed}");
    for part in ["late`", "missed 2 of `", "Messages<", "Hit>`"] {
        assert!(told[0].contains(part), "{printed}");
    }
}

/// A schedule with one reader, in a world where it has missed two messages.
fn world_with_a_late_reader(action: OnCommandError) -> (World, Schedule) {
    fn late(mut hits: MessageReader<'_, '_, Hit>) {
        hits.clear();
    }
    let (mut world, mut schedule) = (World::new(), Schedule::default());
    world.on_command_error(action);
    schedule.add_systems(late);
    schedule.run(&mut world);
    lose_two(&mut world);
    (world, schedule)
}

fn lose_two(world: &mut World) {
    world.write_message_batch([Hit(1), Hit(2)]);
    world.resource_mut::<Messages<Hit>>().clear();
}

#[test]
fn the_first_messages_that_a_system_misses_go_through_the_error_handler() {
    thread_local! {
        static TOLD: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }
    let (mut world, mut schedule) = world_with_a_late_reader(OnCommandError::Call(|error| {
        TOLD.with_borrow_mut(|told| told.push(error.to_string()));
    }));
    schedule.set_executor(SingleThreadedExecutor::new());
    assert_eq!(TOLD.take(), Vec::<String>::new());
    schedule.run(&mut world);
    lose_two(&mut world);
    schedule.run(&mut world);
    let told = TOLD.take();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("late` has missed 2 of `"), "{told:?}");
    assert_eq!(world.take_command_errors(), (Vec::new(), 0));
}

#[test]
fn messages_that_are_missed_are_kept_with_the_errors_of_commands() {
    let (mut world, mut schedule) = world_with_a_late_reader(OnCommandError::Keep);
    schedule.run(&mut world);
    world.commands().entity(Entity::PLACEHOLDER).despawn();
    world.flush();
    lose_two(&mut world);
    schedule.run(&mut world);
    let (errors, more) = world.take_command_errors();
    let commands: Vec<&str> = errors.iter().map(CommandError::command).collect();
    assert_eq!((commands, more), (vec!["despawn", "read"], 0));
    let missed = &errors[1];
    assert!(
        missed.system().is_some_and(|name| name.ends_with("late")) && missed.bundle().ends_with("Hit>"),
        "{missed}"
    );
    assert_eq!(missed.error(), None);
    assert_eq!(world.take_command_errors(), (Vec::new(), 0));
}

#[test]
fn a_system_that_misses_messages_panics_once_if_errors_are_panics() {
    let (mut world, mut schedule) = world_with_a_late_reader(OnCommandError::Panic);
    let text = expect_panic(|| schedule.run(&mut world));
    assert!(text.contains("late` has missed 2 of `"), "{text}");
    schedule.run(&mut world);
    let (mut world, mut schedule) = world_with_a_late_reader(OnCommandError::Ignore);
    schedule.run(&mut world);
    assert_eq!(world.take_command_errors(), (Vec::new(), 0));
}

/// A frame that never ends keeps its messages. That does not happen without a word. It is printed by a process of its own.
#[test]
fn many_messages_of_one_frame_are_warned_of() {
    const NAME: &str = "messages::warnings::many_messages_of_one_frame_are_warned_of";
    const MANY: usize = 1 << 20;
    if is_child_for(NAME) {
        let mut world = World::new();
        world.register_message::<Hit>();
        for batches in [false, true] {
            world.resource_mut::<Messages<Hit>>().clear();
            for _ in 0..8 {
                if batches {
                    world.write_message_batch((0..MANY / 4 - 1).map(|_| Hit(1)));
                } else {
                    (0..MANY / 4 - 1).for_each(|_| _ = world.write_message(Hit(1)));
                }
            }
            eprintln!("the end of a frame");
            world.update_messages();
            world.update_messages();
            world.write_message(Hit(2));
        }
        return;
    }
    let output = run_in_child(NAME);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{printed}");
    let warned: Vec<&str> = printed.lines().filter(|line| line.contains("in one frame")).collect();
    if cfg!(feature = "trace") {
        assert!(warned.is_empty(), "it goes to the subscriber: {printed}");
        return;
    }
    assert!((1..=6).contains(&warned.len()), "{printed}");
    assert!(warned[0].contains("Hit>` were written") || warned[0].contains("Hit` were written"), "{printed}");
}
