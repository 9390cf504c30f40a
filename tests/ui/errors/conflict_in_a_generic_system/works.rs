use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armour(u32);

#[system]
fn watch<T: Component<Mutability = Mutable>>(value: &mut T, all: Query<&Health>) {
    let _ = (value, all);
}

fn main() {
    let mut world = World::new();
    world.spawn((Health(3), Armour(4)));
    world.run_system_once(watch::<Armour>).unwrap();
}
