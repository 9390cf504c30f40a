use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(A));
    let mut state = world.query::<&mut A>();
    let mut query = state.query_mut(&mut world);
    for mut a in &mut query {
        for mut b in &mut query {
            std::mem::swap(&mut a.0, &mut b.0);
        }
    }
    let one = query.get_mut(Entity::PLACEHOLDER).unwrap();
    let two = query.get_mut(Entity::PLACEHOLDER).unwrap();
    drop((one, two));
}
