use strata_ecs::prelude::*;

use strata_ecs::relation::PairTarget;

#[derive(Relation)]
struct Hunting(u32);

fn starve(mut hunters: Query<Pairs<&mut Hunting>>, hunted: Query<Entity, With<PairTarget<Hunting>>>) {
    let count = hunted.iter().count() as u32;
    for pairs in &mut hunters {
        pairs.for_each(|(_, mut hunting)| hunting.0 += count);
    }
}

fn main() {
    World::new().run_system_once(starve).unwrap();
}
