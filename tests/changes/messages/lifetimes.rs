//! How long messages stay, and what a cursor sees of them.

use strata_ecs::message::{MessageCursor, Messages};

fn messages(numbers: std::ops::Range<u32>) -> Messages<u32> {
    let mut messages = Messages::default();
    messages.write_batch(numbers);
    messages
}

fn read(cursor: &mut MessageCursor<u32>, messages: &Messages<u32>) -> Vec<u32> {
    cursor.read(messages).copied().collect()
}

#[test]
fn a_message_stays_for_one_update_and_goes_with_the_next() {
    let mut messages = messages(0..2);
    messages.update();
    messages.write(2);
    assert_eq!((messages.len(), read(&mut messages.get_cursor(), &messages)), (3, vec![0, 1, 2]));
    messages.update();
    assert_eq!(read(&mut messages.get_cursor(), &messages), [2]);
    messages.update();
    assert!(messages.is_empty());
}

#[test]
fn ids_go_on_through_everything() {
    let mut messages = messages(0..2);
    messages.update();
    let third = messages.write(20);
    messages.update();
    assert_eq!((third.id, messages.get_message(third)), (2, Some(&20)));
    messages.clear();
    assert_eq!((messages.write(30).id, messages.get_message(third)), (3, None));
    assert_eq!(messages.drain().count(), 1);
    messages.update();
    assert_eq!(messages.write_batch([40, 50]).map(|id| id.id).collect::<Vec<_>>(), [4, 5]);
    assert_eq!(messages.update_drain().count(), 0);
    assert_eq!(messages.update_drain().collect::<Vec<_>>(), [40, 50]);
    assert_eq!(messages.write(60).id, 6);
}

#[test]
fn an_id_of_the_future_finds_nothing() {
    let id = messages(0..3).write(3);
    assert_eq!(messages(0..2).get_message(id), None);
}

#[test]
fn what_an_iterator_has_not_given_stays_unread() {
    let mut messages = messages(0..3);
    messages.update();
    messages.write_batch(3..6);
    let mut cursor = messages.get_cursor();
    assert_eq!(cursor.read(&messages).next(), Some(&0));
    assert_eq!(cursor.read(&messages).nth(2), Some(&3));
    assert_eq!(cursor.len(&messages), 2);
    let _ = cursor.read(&messages);
    assert_eq!(read(&mut cursor.clone(), &messages), [4, 5]);
    assert_eq!(cursor.clone().read_with_id(&messages).nth(1).map(|(number, id)| (*number, id.id)), Some((5, 5)));
    assert_eq!(cursor.clone().read_with_id(&messages).nth(usize::MAX), None);
    assert_eq!(cursor.read(&messages).nth(7), None);
    assert!(cursor.is_empty(&messages));
}

#[test]
fn every_way_to_iterate_gives_the_same() {
    let mut messages = messages(0..3);
    messages.update();
    messages.write_batch(3..6);
    let start = messages.get_cursor();
    for skip in 0..=6 {
        let mut cursor = start.clone();
        (0..skip).for_each(|_| _ = cursor.read(&messages).next());
        let expected: Vec<u32> = (skip..6).collect();
        let mut by_hand = Vec::new();
        for &number in cursor.clone().read(&messages) {
            by_hand.push(number);
        }
        assert_eq!(by_hand, expected);
        let mut folded = Vec::new();
        cursor.clone().read(&messages).for_each(|&number| folded.push(number));
        assert_eq!(folded, expected);
        assert_eq!(cursor.clone().read(&messages).len(), expected.len());
        assert_eq!(cursor.clone().read(&messages).last(), expected.last());
        let mut counted = cursor.clone();
        assert_eq!(counted.read(&messages).count(), expected.len());
        assert!(counted.is_empty(&messages));
        let mut last = cursor.clone();
        last.read(&messages).last();
        assert!(last.is_empty(&messages));
        assert!(cursor.clone().read_with_id(&messages).all(|(number, id)| u64::from(*number) == id.id));
        cursor.clone().read_with_id(&messages).for_each(|(number, id)| assert_eq!(u64::from(*number), id.id));
        assert!(cursor.clone().read_mut_with_id(&mut messages).all(|(number, id)| u64::from(*number) == id.id));
        assert_eq!(cursor.read_mut(&mut messages).map(|number| *number).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn a_fold_that_breaks_off_has_read_what_it_was_given() {
    let messages = messages(0..5);
    let mut cursor = messages.get_cursor();
    let found = cursor.read(&messages).try_for_each(|&number| if number == 2 { Err(number) } else { Ok(()) });
    assert_eq!((found, read(&mut cursor, &messages)), (Err(2), vec![3, 4]));
}

#[test]
fn an_iterator_that_is_left_over_has_read_what_it_has_given() {
    let messages = messages(0..3);
    let mut cursor = messages.get_cursor();
    let mut iterator = cursor.read(&messages);
    iterator.next();
    assert_eq!(read(&mut cursor, &messages), [1, 2]);
}

#[test]
fn a_late_cursor_counts_what_it_missed_whenever_it_is_asked() {
    let mut messages = messages(0..3);
    let [mut cursor, mut partly] = [messages.get_cursor(), messages.get_cursor()];
    partly.read(&messages).next();
    messages.update();
    messages.write_batch(3..5);
    messages.update();
    assert_eq!((cursor.missed(&messages), cursor.len(&messages)), (3, 2));
    assert_eq!(read(&mut cursor, &messages), [3, 4]);
    assert_eq!((cursor.take_missed(&messages), cursor.missed(&messages)), (3, 0));
    assert_eq!(partly.take_missed(&messages), 2);
    messages.update();
    messages.update();
    assert_eq!((cursor.missed(&messages), partly.missed(&messages)), (0, 2));
}

#[test]
fn what_is_passed_over_is_not_missed_and_what_is_cleared_is() {
    let mut messages = messages(0..3);
    let [mut passing, late] = [messages.get_cursor(), messages.get_cursor()];
    passing.clear(&messages);
    messages.clear();
    assert_eq!((passing.missed(&messages), late.missed(&messages)), (0, 3));
    messages.write(3);
    let current = messages.get_cursor_current();
    drop(messages.drain());
    assert_eq!((passing.missed(&messages), late.missed(&messages), current.missed(&messages)), (1, 4, 0));
}

#[test]
fn a_cursor_that_meets_other_messages_begins_with_their_oldest() {
    let mut first = messages(0..100);
    let mut cursor = first.get_cursor();
    assert_eq!(cursor.read(&first).count(), 100);
    first.update();
    let mut second = messages(0..2);
    second.clear();
    second.write(7);
    assert_eq!((cursor.len(&second), cursor.missed(&second)), (1, 0));
    assert_eq!(read(&mut cursor, &second), [7]);
    assert_eq!(read(&mut MessageCursor::default(), &second), [7]);
}

/// Two drains of the same buffer give each message once.
#[test]
fn hazard_55_many_writers_and_two_drains() {
    let mut messages = Messages::default();
    let mut taken = Vec::new();
    for round in 0..10 {
        for writer in 0..5 {
            messages.write_batch((0..3).map(|number| round * 15 + writer * 3 + number));
            if writer == 2 {
                taken.extend(messages.drain());
                taken.extend(messages.drain());
            }
        }
        taken.extend(messages.update_drain());
        taken.extend(messages.drain());
        taken.extend(messages.update_drain());
    }
    assert_eq!(taken, (0..150).collect::<Vec<_>>());
}

#[test]
fn a_drain_that_is_forgotten_or_dropped_early_leaves_nothing_behind() {
    let mut messages = messages(0..3);
    messages.update();
    messages.write(3);
    messages.drain().next();
    assert!(messages.is_empty());
    messages.write(4);
    let mut drain = messages.drain();
    drain.next();
    std::mem::forget(drain);
    assert_eq!((messages.len(), messages.write(5).id), (0, 5));
    assert_eq!(messages.drain().collect::<Vec<_>>(), [5]);
}

#[test]
fn messages_without_a_size_are_counted() {
    let mut messages = Messages::default();
    let mut cursor = messages.get_cursor();
    messages.write_batch((0..1000).map(|_| ()));
    messages.update();
    messages.write(());
    assert_eq!((cursor.read(&messages).count(), messages.drain().count()), (1001, 1001));
}

#[test]
fn an_iterator_may_lie_about_its_length() {
    struct Liar(u32, usize);
    impl Iterator for Liar {
        type Item = u32;
        fn next(&mut self) -> Option<u32> {
            self.0 = self.0.checked_sub(1)?;
            Some(self.0)
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.1, Some(self.1))
        }
    }
    for hint in [0, 1, 100, usize::MAX] {
        let mut messages = Messages::default();
        assert_eq!(messages.write_batch(Liar(3, hint)).len(), 3);
        assert_eq!(messages.drain().collect::<Vec<_>>(), [2, 1, 0]);
    }
}
