//! Messages in systems with the attribute, without the prelude, in generic systems and in structs of parameters.

#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, rust_2018_idioms)]

use ::strata_ecs as ecs;
use ecs::prelude::{
    Component, Message, MessageMutator, MessageReader, MessageWriter, Messages, ParamSet, Res, Schedule, SystemParam, World, system,
};
use ::std::default::Default;
use ::std::iter::{ExactSizeIterator, Iterator};
use ::std::marker::{Send, Sync};

#[derive(Component)]
struct Health(u32);
#[derive(Message)]
struct Hit(u32);
#[derive(Message)]
struct Note<T: Send + Sync + 'static>(T);

#[derive(SystemParam)]
struct Answer<'w, 's, T: Send + Sync + 'static> {
    hits: MessageReader<'w, 's, Hit>,
    notes: MessageWriter<'w, Note<T>>,
}

#[system]
fn hurt(health: &mut Health, hits: Res<Messages<Hit>>, mut notes: MessageWriter<Note<u8>>) {
    for hit in hits.iter_current_update_messages() {
        health.0 -= hit.0;
        notes.write(Note(1));
    }
}

#[system]
fn answer<T: Send + Sync + 'static>(mut answer: Answer<T>, mut notes: MessageMutator<Note<u8>>) {
    for (note, _) in notes.read_with_id() {
        note.0 += 1;
    }
    answer.hits.clear();
    ::std::assert!(answer.notes.reborrow().write_batch([]).len() == 0);
}

#[system]
fn echo(mut set: ParamSet<(MessageReader<Hit>, MessageWriter<Hit>)>) {
    let heard = set.p0().read().count();
    set.p1().write(Hit(heard as u32));
}

fn main() {
    let mut world = World::new();
    world.spawn(Health(10));
    world.write_message(Hit(3));
    let mut schedule = Schedule::default();
    schedule.add_systems((hurt, answer::<u16>, echo));
    schedule.run(&mut world);
    ::std::assert!(world.query::<&Health>().single(&world).is_ok_and(|health| health.0 == 7));
}
