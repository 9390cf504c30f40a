//! The values of the pairs of a relation are borrowed as a component is, whether from their sources or from their targets.
use strata_ecs::prelude::*;

#[derive(Relation)]
struct Hunting(u32);

fn starve(mut hunters: Query<Pairs<&mut Hunting>>, hunted: Query<PairsTo<&Hunting>>) {
    let most = hunted.iter().map(|pairs| pairs.len() as u32).max().unwrap_or(0);
    for pairs in &mut hunters {
        pairs.for_each(|(_, mut hunting)| hunting.0 += most);
    }
}

fn main() {
    World::new().run_system_once(starve).unwrap();
}
