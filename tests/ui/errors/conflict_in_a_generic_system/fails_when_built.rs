//! A system with a type parameter is checked for each type that it is used with, when the program is built. Here `T`
//! is the component that the query reads; exclude it, or use the system with other types only.
use strata_ecs::component::Mutable;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[system]
fn watch<T: Component<Mutability = Mutable>>(value: &mut T, all: Query<&Health>) {
    let _ = (value, all);
}

fn main() {
    Schedule::default().add_systems(watch::<Health>);
}
