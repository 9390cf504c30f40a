//! A query lends out the components of entities and never hands them over. Say how to borrow the component: `&Health`
//! to read it, `&mut Health` to change it.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    World::new().query::<Health>();
}
