//! What threads cannot share does not compile, and is reported once, at its type.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Mana(u32);
#[derive(Message)]
struct Died;

#[system(par)]
fn local(health: &Health, mut most: Local<u32>) {
    *most = health.0.max(*most);
}

#[system(par)]
fn reader(_health: &Health, mut died: MessageReader<Died>) {
    died.clear();
}

#[system(par)]
fn query(_health: &Health, mut all: Query<&mut Mana>) {
    all.iter_mut().for_each(|mut mana| mana.0 += 1);
}

#[derive(SystemParam)]
struct Both<'w, 's> {
    commands: Commands<'w, 's>,
    count: Local<'s, u32>,
}

#[system(par)]
fn inside_a_struct(_health: &Health, mut both: Both) {
    *both.count += 1;
    both.commands.spawn_empty();
}

#[system(par)]
fn inside_a_tuple(_health: &Health, (_world, mut count): (&World, Local<u32>)) {
    *count += 1;
}

struct Nothing;

#[system(par)]
fn no_parameter(_health: &Health, _nothing: Nothing) {}

fn main() {
    Schedule::default().add_systems((local, reader, query, inside_a_struct, inside_a_tuple, no_parameter));
}
