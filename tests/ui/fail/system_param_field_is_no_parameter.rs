use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

#[derive(SystemParam)]
struct Named<'w, 's> {
    commands: Commands<'w, 's>,
    health: Health,
}

#[derive(SystemParam)]
struct Generic<'w, T: Resource>(Res<'w, T>, Vec<T>);

fn main() {}
