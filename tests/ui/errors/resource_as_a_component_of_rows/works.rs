use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);

#[system]
fn count(mut score: ResMut<Score>) {
    score.0 += 1;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    world.run_system_once(count).unwrap();
    assert_eq!(world.resource::<Score>().0, 2);
}
