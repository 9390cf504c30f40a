//! Both entities of a pair of a symmetric relation have its value. If a query lent it mutably to both, there would be two mutable
//! borrows of one value. `World::get_pair_mut` lends one at a time.
use strata_ecs::prelude::*;

#[derive(Relation)]
#[relation(symmetric)]
struct Touches(f32);

fn cool(mut all: Query<Pairs<&mut Touches>>) {
    for pairs in &mut all {
        pairs.for_each(|(_, mut touches)| touches.0 *= 0.5);
    }
}

fn main() {
    World::new().run_system_once(cool).unwrap();
}
