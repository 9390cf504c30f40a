//! A `Drop`, an iterator or a system that panics: nothing else is lost, and nothing is dropped twice.

use strata_ecs::message::Messages;
use strata_ecs::prelude::*;
use strata_tests::drops::{self, Token};
use strata_tests::panics::{catch, expect_panic};

#[derive(Message)]
struct Loud(Token);
#[derive(Message)]
struct Other(Token);

/// Two messages before an update and two after it; number `armed` panics when it is dropped.
fn messages(armed: usize) -> (Messages<Token>, Vec<u64>) {
    drops::reset();
    let mut messages = Messages::default();
    let mut ids = Vec::new();
    for number in 0..4 {
        let token = if number == armed { Token::armed() } else { Token::new() };
        ids.push(token.id());
        messages.write(token);
        if number == 1 {
            messages.update();
        }
    }
    (messages, ids)
}

fn is_usable(mut messages: Messages<Token>, left: usize) {
    assert_eq!((messages.len(), drops::alive()), (left, left));
    let mut cursor = messages.get_cursor();
    assert_eq!(messages.write(Token::new()).id, 4);
    assert_eq!(cursor.read(&messages).count(), left + 1);
    drop(messages);
    assert_eq!(drops::alive(), 0);
    drops::assert_none_twice();
}

#[test]
fn a_drop_that_panics_in_update_drops_the_others_and_keeps_the_new() {
    for armed in 0..2 {
        let (mut messages, ids) = messages(armed);
        expect_panic(|| messages.update());
        assert!(!drops::is_alive(ids[0]) && drops::is_alive(ids[2]));
        is_usable(messages, 2);
    }
}

#[test]
fn a_drop_that_panics_in_clear_drops_the_others() {
    for armed in 0..4 {
        let (mut messages, _) = messages(armed);
        expect_panic(|| messages.clear());
        is_usable(messages, 0);
    }
}

#[test]
fn a_drop_that_panics_in_a_drain_drops_the_others() {
    for armed in 0..4 {
        for taken in 0..=armed {
            let (mut messages, _) = messages(armed);
            expect_panic(|| messages.drain().take(taken).for_each(std::mem::forget));
            drops::disarm();
            // Only the forgotten message is leaked.
            assert_eq!((messages.len(), drops::alive()), (0, taken));
            drops::assert_none_twice();
        }
    }
}

#[test]
fn a_drop_that_panics_in_update_drain_drops_the_others_and_keeps_the_new() {
    for armed in 0..2 {
        let (mut messages, _) = messages(armed);
        expect_panic(|| drop(messages.update_drain()));
        is_usable(messages, 2);
    }
}

#[test]
fn an_iterator_that_panics_leaves_what_it_has_given() {
    drops::reset();
    let mut messages = Messages::default();
    let mut cursor = messages.get_cursor();
    let tokens = (0..5).map(|number| if number == 3 { panic!("enough") } else { Token::new() });
    assert_eq!(expect_panic(|| _ = messages.write_batch(tokens)), "enough");
    assert_eq!((cursor.read(&messages).count(), drops::alive()), (3, 3));
    assert_eq!(messages.write(Token::new()).id, 3);
    drop(messages);
    assert_eq!(drops::alive(), 0);
    drops::assert_none_twice();
}

#[test]
fn a_reader_that_panics_has_read_up_to_there() {
    let mut messages = Messages::default();
    messages.write_batch(0..5);
    let mut cursor = messages.get_cursor();
    for folded in [false, true] {
        let start = if folded { 3 } else { 0 };
        let give_up = |number: &u32| assert!(*number < start + 2, "enough");
        expect_panic(|| {
            if folded {
                cursor.read(&messages).for_each(give_up);
            } else {
                for number in cursor.read(&messages) {
                    give_up(number);
                }
            }
        });
        messages.write_batch(5..8);
        assert_eq!(cursor.clone().read(&messages).next(), Some(&(start + 3)));
    }
}

#[test]
fn all_types_are_updated_though_a_drop_of_one_panics() {
    drops::reset();
    let mut world = World::new();
    world.write_message(Loud(Token::armed()));
    world.write_message(Other(Token::new()));
    world.update_messages();
    world.write_message(Loud(Token::new()));
    expect_panic(|| world.update_messages());
    assert_eq!((world.resource::<Messages<Loud>>().len(), world.resource::<Messages<Other>>().len()), (1, 0));
    assert_eq!(drops::alive(), 1);
    drop(world);
    drops::assert_none_twice();
}

#[test]
fn a_system_that_panics_keeps_its_place() {
    #[derive(Resource, Default)]
    struct Seen(u32);
    drops::reset();
    fn read(mut messages: MessageReader<'_, '_, Loud>, mut seen: ResMut<'_, Seen>) {
        for message in messages.read() {
            seen.0 += 1;
            assert_ne!(message.0.id(), 1, "enough");
        }
    }
    let mut world = World::new();
    world.init_resource::<Seen>();
    let mut schedule = Schedule::default();
    schedule.add_systems(read);
    world.write_message_batch((0..3).map(|_| Loud(Token::new())));
    assert!(catch(|| schedule.run(&mut world)).is_err());
    assert_eq!(world.resource::<Seen>().0, 2);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, 3, "the third is there in the next run");
    drop(world);
    assert_eq!(drops::alive(), 0);
}
