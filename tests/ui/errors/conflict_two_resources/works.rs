use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[system]
fn double(mut score: ResMut<Score>) {
    score.0 *= 2;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Score(2));
    world.run_system_once(double).unwrap();
    assert_eq!(world.resource::<Score>().0, 4);
}
