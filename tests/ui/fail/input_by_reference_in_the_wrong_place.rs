use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Score(u32);

#[system]
fn rows(strength: InRef<u32>, health: &mut Health) {
    health.0 += *strength;
}

#[system]
fn later(mut score: ResMut<Score>, list: InMut<Vec<u32>>) {
    score.0 += list.len() as u32;
}

#[system]
fn kept(list: InMut<Vec<u32>>) {
    list.push(1);
}

#[system]
fn right(mut list: InMut<Vec<u32>>) {
    list.push(1);
}

fn main() {
    let mut list = vec![1];
    let mut world = World::new();
    let id = world.register_system(right);
    world.run_system_with(id, list).unwrap();
    world.run_system_with(id, &list).unwrap();
    world.run_system(id).unwrap();
    world.commands().run_system_with(id, &mut list);
    Schedule::default().add_systems(right);
}
