//! With `par`, several threads run the function at the same time, for different rows. They can share what is only read,
//! and what is recorded and put in order afterwards (`Commands`, `MessageWriter`). A resource that is written belongs to
//! one thread.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Enemy;
#[derive(Resource, Default)]
struct Census(u32);

#[system(par)]
fn count(_enemy: &Enemy, mut census: ResMut<Census>) {
    census.0 += 1;
}

fn main() {
    Schedule::default().add_systems(count);
}
