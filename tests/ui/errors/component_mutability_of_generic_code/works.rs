use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct Health(u32);

fn reset<T: Component<Mutability = Mutable> + Default>(entity: &mut EntityWorldMut) {
    if let Some(mut value) = entity.get_mut::<T>() {
        *value = T::default();
    }
}

fn main() {
    let mut world = World::new();
    let mut entity = world.spawn(Health(3));
    reset::<Health>(&mut entity);
    assert_eq!(entity.get::<Health>().unwrap().0, 0);
}
