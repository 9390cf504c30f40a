//! A query asks for all of its parts, so a struct describes it and an enum cannot. Parts that an entity may lack are
//! asked for with `Option`.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armour(u32);

#[derive(QueryData)]
enum Protection {
    Health(&'static Health),
    Armour(&'static Armour),
}

fn main() {
    World::new().query::<Protection>();
}
