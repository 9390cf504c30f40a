//! Readers at different rhythms against a naive model: what is read and what is missed are all that was written.

use proptest::prelude::*;
use strata_ecs::message::{MessageCursor, Messages};

/// An operation on the messages.
#[derive(Clone, Debug)]
enum Step {
    Write(u8),
    Update,
    UpdateDrain,
    Clear,
    Drain,
    /// A reader reads at most so many.
    Read(usize, usize),
    Fold(usize),
    Mutate(usize, usize),
    Pass(usize),
    NewReader(bool),
    TakeMissed(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let reader = 0..6usize;
    let step = prop_oneof![
        5 => (0..6u8).prop_map(Step::Write),
        4 => Just(Step::Update),
        1 => Just(Step::UpdateDrain),
        1 => Just(Step::Clear),
        1 => Just(Step::Drain),
        4 => (reader.clone(), 0..10usize).prop_map(|(reader, most)| Step::Read(reader, most)),
        2 => reader.clone().prop_map(Step::Fold),
        2 => (reader.clone(), 0..10usize).prop_map(|(reader, most)| Step::Mutate(reader, most)),
        1 => reader.clone().prop_map(Step::Pass),
        2 => any::<bool>().prop_map(Step::NewReader),
        1 => reader.prop_map(Step::TakeMissed),
    ];
    prop::collection::vec(step, 0..60)
}

/// A reader, and what it should know. The model keeps all that was ever written and looks numbers up.
struct Reader {
    cursor: MessageCursor<(u64, u32)>,
    next: u64,
    missed: u64,
}

#[derive(Default)]
struct Model {
    messages: Messages<(u64, u32)>,
    /// For each message that was ever written: in which update it was, whether it is there, and how often it was changed.
    written: Vec<(u32, bool, u32)>,
    update: u32,
    readers: Vec<Reader>,
}

impl Model {
    /// Drops all messages that were written before an update.
    fn drop_before(&mut self, update: u32) -> Vec<u64> {
        let mut dropped = Vec::new();
        for (number, message) in self.written.iter_mut().enumerate() {
            if message.1 && message.0 < update {
                message.1 = false;
                dropped.push(number as u64);
            }
        }
        dropped
    }

    /// Returns the messages that a reader has to yield next, at most `most`. Records them as read, and lost messages as missed.
    fn expect(&mut self, reader: usize, most: usize) -> Vec<(u64, u32)> {
        let reader = &mut self.readers[reader];
        let mut seen = Vec::new();
        while reader.next < self.written.len() as u64 {
            let (_, there, changed) = self.written[reader.next as usize];
            if !there {
                reader.missed += 1;
            } else if seen.len() < most {
                seen.push((reader.next, changed));
            } else {
                break;
            }
            reader.next += 1;
        }
        seen
    }

    fn step(&mut self, step: Step) {
        let readers = self.readers.len();
        match step {
            Step::Write(count) => {
                let start = self.written.len() as u64;
                let numbers = start..start + u64::from(count);
                let ids = self.messages.write_batch(numbers.clone().map(|number| (number, 0)));
                assert!(ids.map(|id| id.id).eq(numbers));
                self.written.resize(self.written.len() + usize::from(count), (self.update, true, 0));
            }
            Step::Update => {
                self.messages.update();
                self.drop_before(self.update);
                self.update += 1;
            }
            Step::UpdateDrain => {
                let drained: Vec<u64> = self.messages.update_drain().map(|message| message.0).collect();
                assert_eq!(drained, self.drop_before(self.update));
                self.update += 1;
            }
            Step::Clear => {
                self.messages.clear();
                self.drop_before(u32::MAX);
            }
            Step::Drain => {
                let drained: Vec<u64> = self.messages.drain().map(|message| message.0).collect();
                assert_eq!(drained, self.drop_before(u32::MAX));
            }
            Step::NewReader(current) => {
                let end = self.written.len() as u64;
                let (cursor, next) = if current {
                    (self.messages.get_cursor_current(), end)
                } else {
                    let start = self.written.iter().position(|message| message.1).map_or(end, |at| at as u64);
                    (self.messages.get_cursor(), start)
                };
                self.readers.push(Reader { cursor, next, missed: 0 });
            }
            Step::Read(reader, most) if reader < readers => {
                let expected = self.expect(reader, most);
                let read: Vec<_> = self.readers[reader].cursor.read(&self.messages).take(most).copied().collect();
                assert_eq!(read, expected);
            }
            Step::Fold(reader) if reader < readers => {
                let expected = self.expect(reader, usize::MAX);
                let mut read = Vec::new();
                self.readers[reader].cursor.read_with_id(&self.messages).for_each(|(message, id)| {
                    assert_eq!(message.0, id.id);
                    read.push(*message);
                });
                assert_eq!(read, expected);
            }
            Step::Mutate(reader, most) if reader < readers => {
                let expected = self.expect(reader, most);
                let mut read = Vec::new();
                for message in self.readers[reader].cursor.read_mut(&mut self.messages).take(most) {
                    read.push(*message);
                    message.1 += 1;
                    self.written[message.0 as usize].2 += 1;
                }
                assert_eq!(read, expected);
            }
            Step::Pass(reader) if reader < readers => {
                // Missed is what was gone before; the rest is passed over.
                self.expect(reader, usize::MAX);
                self.readers[reader].cursor.clear(&self.messages);
            }
            Step::TakeMissed(reader) if reader < readers => {
                self.expect(reader, 0);
                let Reader { cursor, missed, .. } = &mut self.readers[reader];
                assert_eq!(cursor.take_missed(&self.messages), std::mem::take(missed));
            }
            _ => {}
        }
    }

    fn check(&mut self) {
        let there = self.written.iter().filter(|message| message.1).count();
        assert_eq!(self.messages.len(), there);
        let new = self.written.iter().filter(|message| message.1 && message.0 == self.update).count();
        assert_eq!(self.messages.iter_current_update_messages().len(), new);
        for at in 0..self.readers.len() {
            self.expect(at, 0);
            let Reader { cursor, next, missed } = &self.readers[at];
            assert_eq!(cursor.missed(&self.messages), *missed);
            let unread = self.written[*next as usize..].iter().filter(|message| message.1).count();
            assert_eq!(cursor.len(&self.messages), unread);
        }
    }
}

proptest! {
    #[test]
    fn hazard_53_each_reader_sees_each_message_once_or_counts_it(steps in steps()) {
        let mut model = Model::default();
        for step in steps {
            model.step(step);
            model.check();
        }
    }
}
