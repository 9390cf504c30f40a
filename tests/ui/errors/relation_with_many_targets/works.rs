use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Relation)]
#[relation(exclusive)]
struct Hunting;

fn look(hunters: Query<Target<Hunting, &Position>>) {
    for prey in hunters.iter().flatten() {
        println!("{}", prey.0);
    }
}

fn main() {
    World::new().run_system_once(look).unwrap();
}
