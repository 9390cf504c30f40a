use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn main() {
    let mut world = World::new();
    let entity = world.spawn(A(1)).id();
    let mut handle = world.entity_mut(entity);
    let mut first = handle.get_mut::<A>().unwrap();
    let mut second = handle.get_mut::<A>().unwrap();
    std::mem::swap(&mut *first, &mut *second);
}
