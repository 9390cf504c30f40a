//! Changes of a component that is never tracked: where only a build finds out.

use strata_ecs::prelude::*;

#[derive(Component)]
#[component(track = "never")]
struct Scratch(u32);

#[system]
fn of_any<T: Component>(all: Query<Entity, Changed<T>>) {
    assert!(all.count() < 9);
}

fn plain(_: Commands, all: Query<Ref<Scratch>>) {
    assert!(all.iter().all(|scratch| scratch.0 < 9));
}

fn condition(all: Query<Entity, Added<Scratch>>) -> bool {
    all.is_empty()
}

fn main() {
    let mut world = World::new();
    Schedule::default().add_systems(of_any::<Scratch>);
    Schedule::default().add_systems(plain);
    Schedule::default().add_systems((|| {}).run_if(condition));
    let _ = world.query::<(Entity, Ref<Scratch>)>();
    let _ = world.query_filtered::<Entity, (With<Scratch>, Changed<Scratch>)>();
}
