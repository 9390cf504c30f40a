//! `Pairs` says how the values of the pairs are borrowed, as a query says it of components.
use strata_ecs::prelude::*;

#[derive(Relation)]
struct Hunting;

fn main() {
    World::new().query::<Pairs<Hunting>>();
}
