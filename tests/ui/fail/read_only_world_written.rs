use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn write(world: &World) {
    let mut query = world.try_query::<&mut A>().unwrap();
    for mut a in query.iter_mut(world) {
        a.0 += 1;
    }
}

fn read(world: &World) {
    let mut state = world.try_query::<&mut A>().unwrap();
    for mut a in state.iter(world) {
        a.0 += 1;
    }
}

fn main() {
    let world = World::new();
    write(&world);
    read(&world);
}
