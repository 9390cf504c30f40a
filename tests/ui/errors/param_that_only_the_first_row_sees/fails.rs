//! A reader gives each message once, and a row system is called once for each row: the first row would read the messages, and
//! the others would find none. The same holds for `MessageMutator`, `RemovedComponents` and `RemovedValues`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Message)]
struct Hit(u32);

#[system]
fn hurt(health: &mut Health, mut hits: MessageReader<Hit>) {
    health.0 -= hits.read().map(|hit| hit.0).sum::<u32>();
}

fn main() {
    Schedule::default().add_systems(hurt);
}
