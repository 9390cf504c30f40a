use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn main() {
    let mut world = World::new();
    let mut state = SystemState::<Query<&mut Health>>::new(&mut world);
    let mut healths = state.get_mut(&mut world).unwrap();
    world.spawn(Health(1));
    healths.iter_mut().for_each(|mut health| health.0 += 1);
}
