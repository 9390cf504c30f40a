//! Two parameters of a system are for the same messages, and one of them writes.

use strata_ecs::prelude::*;

#[derive(Message)]
struct Hit(u32);
#[derive(Message)]
struct Note<T: Send + Sync + 'static>(T);
type Text = Note<String>;

#[derive(SystemParam)]
struct Echo<'w, 's> {
    heard: MessageReader<'w, 's, Hit>,
    said: MessageWriter<'w, Hit>,
}

#[system]
fn two_writers(mut first: MessageWriter<Hit>, mut second: MessageWriter<Hit>) {
    first.write(Hit(1));
    second.write(Hit(2));
}

#[system]
fn reader_and_mutator(hits: MessageReader<Hit>, mut again: MessageMutator<Hit>) {
    again.read().for_each(|hit| hit.0 += hits.len() as u32);
}

#[system]
fn the_resource_itself(hits: MessageReader<Hit>, mut all: ResMut<Messages<Hit>>) {
    all.write(Hit(hits.len() as u32));
}

#[system]
fn with_parameters(notes: MessageReader<Text>, mut more: MessageWriter<Note<String>>) {
    more.write(Note(notes.len().to_string()));
}

#[system]
fn fields(mut echo: Echo) {
    echo.said.write_batch(echo.heard.read().map(|hit| Hit(hit.0)));
}

#[system]
fn all_of_the_world(#[param] world: &World, mut hits: MessageWriter<Hit>) {
    hits.write(Hit(world.len() as u32));
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((two_writers, reader_and_mutator, the_resource_itself));
    schedule.add_systems((with_parameters, fields, all_of_the_world));
}
