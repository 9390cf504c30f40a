use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(A));
    let mut kept: Vec<&mut A> = Vec::new();
    {
        let mut state = world.query::<&mut A>();
        let mut query = state.query_mut(&mut world);
        query.iter_mut().for_each(|a| kept.push(a.into_inner()));
        for mut a in &mut query {
            a.0 += 1;
        }
    }
    kept[0].0 = 1;
}
