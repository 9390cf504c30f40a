use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    world.spawn(A(1));
    let mut state = world.query::<&mut A>();
    let query = state.query_mut(&mut world);
    let view = query.as_readonly();
    let mut item: Mut<A> = view.single().unwrap();
    item.0 += 1;
}
