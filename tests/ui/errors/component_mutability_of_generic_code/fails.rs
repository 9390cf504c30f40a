//! Some components are immutable, so generic code that changes a component in place says that it takes others only:
//! `T: Component<Mutability = Mutable>`.
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

fn reset<T: Component + Default>(entity: &mut EntityWorldMut) {
    if let Some(mut value) = entity.get_mut::<T>() {
        *value = T::default();
    }
}

fn main() {
    let mut world = World::new();
    reset::<Health>(&mut world.spawn(Health(3)));
}
