use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Score(u32);

fn main() {
    let mut world = World::new();
    let mut state = SystemState::<(Query<&Health>, ResMut<Score>)>::new(&mut world);
    let _ = state.get(&world);
    let mut single = SystemState::<Single<&mut Health>>::new(&mut world);
    let _ = single.get(&world);
}
