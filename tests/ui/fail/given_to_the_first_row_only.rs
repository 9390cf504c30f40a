//! What a parameter gives once, in systems that are called once for each row.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Message)]
struct Hit(u32);
#[derive(Message)]
struct Note<T: Send + Sync + 'static>(T);

#[system]
fn mutator(health: &Health, mut hits: MessageMutator<Hit>) {
    hits.read().for_each(|hit| hit.0 += health.0);
}

#[system]
fn removed(health: &mut Health, mut gone: RemovedComponents<Health>) {
    health.0 += gone.read().count() as u32;
}

#[system]
fn values(health: &mut Health, mut gone: RemovedValues<Health>) {
    health.0 += gone.read().count() as u32;
}

#[derive(SystemParam)]
struct Heard<'w, 's> {
    notes: MessageReader<'w, 's, Note<u8>>,
}

#[system]
fn within(_entity: Entity, heard: Heard) {
    let _ = heard.notes.len();
}

#[system(with(Health))]
fn in_a_tuple(_entity: Entity, (_hits, mut commands): (ParamSet<(MessageReader<Hit>,)>, Commands)) {
    commands.spawn_empty();
}

#[system]
fn of_the_world(healths: Query<&Health>, mut gone: RemovedComponents<Health>, mut hits: MessageReader<Hit>) {
    let _ = (healths.count(), gone.read().count(), hits.read().count());
}

fn main() {}
