//! `Target` is for relations with one target per entity: `#[relation(exclusive)]`. For others use `Pairs`, which yields all.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Relation)]
struct Hunting;

fn look(hunters: Query<Target<Hunting, &Position>>) {
    for prey in hunters.iter().flatten() {
        println!("{}", prey.0);
    }
}

fn main() {
    World::new().run_system_once(look).unwrap();
}
