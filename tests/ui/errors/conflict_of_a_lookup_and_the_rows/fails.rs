//! A row system changes its rows one after the other. A lookup of another row would see it before or after its change,
//! depending on the order of the rows.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Follows(Entity);

#[system]
fn follow(position: &mut Position, follows: &Follows, others: Lookup<&Position>) {
    if let Ok(other) = others.get(follows.0) {
        position.0 = other.0;
    }
}

fn main() {
    Schedule::default().add_systems(follow);
}
