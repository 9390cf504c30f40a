use strata_ecs::prelude::*;

#[derive(Resource)]
struct Score(u32);
#[derive(Component)]
struct Health(u32);

fn query(_: Query<&Score>) {}
fn filter(_: Query<&Health, With<Score>>) {}
#[system]
fn row(_: &Score) {}
#[system]
fn parameter(_: Query<&Health>, _: Option<Res<Health>>) {}

fn main() {
    let mut world = World::new();
    world.insert_resource(Health(1));
    world.query::<(&Health, &Score)>();
    world.resource::<Health>();
    let entity = world.spawn_empty().id();
    world.entity_mut(entity).insert((Health(1), Score(1)));
    world.get::<Score>(entity);
    world.commands().entity(entity).insert(Score(1));
}
