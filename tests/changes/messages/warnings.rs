//! What is told of messages that were missed.

use strata_ecs::world::OnCommandError;
use strata_tests::process::{is_child_for, run_in_child};

use super::*;

/// What a system has missed is warned of once, unless errors are ignored. It is printed by a process of its own.
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
