use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Score(u32);

fn step() {}

fn returns_a_number(score: Res<Score>) -> u32 {
    score.0
}

fn writes_a_resource(mut score: ResMut<Score>) -> bool {
    score.0 += 1;
    true
}

fn writes_a_component(mut all: Query<&mut Health>) -> bool {
    all.iter_mut().all(|health| health.0 > 0)
}

fn commands(mut commands: Commands) -> bool {
    commands.spawn_empty();
    true
}

fn world(world: &mut World) -> bool {
    world.is_empty()
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems(step.run_if(returns_a_number));
    schedule.add_systems(step.run_if(writes_a_resource));
    schedule.add_systems(step.run_if(writes_a_component));
    schedule.add_systems(step.run_if(commands));
    schedule.add_systems(step.run_if(world));
    schedule.add_systems(step.run_if(not(writes_a_resource)));
}
