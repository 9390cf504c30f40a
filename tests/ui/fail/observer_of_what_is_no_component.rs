use strata_ecs::prelude::*;

struct Health(u32);

#[observer]
fn hurt(_: On<Add<Name>>, health: &mut Health, name: Option<&Name>) {
    let _ = (health.0, name);
}

#[observer(without(Name))]
fn never(_: On<Add<Name>>, name: &Name) {
    let _ = name;
}

#[observer]
fn returns(_: On<Add<Name>>, name: &Name) -> usize {
    name.len()
}

#[observer]
fn late(name: &Name, _: On<Add<Name>>) {
    let _ = name;
}

fn main() {
    let mut world = World::new();
    world.add_observer(hurt);
    world.add_observer(never);
    world.add_observer(returns);
    world.add_observer(late);
}
