//! Two parameters of a system borrow the same, one of them mutably: queries, resources, and a query beside rows.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;
#[derive(Resource)]
struct Score(u32);

#[derive(QueryData)]
#[query_data(mutable)]
struct Patient {
    entity: Entity,
    health: &'static mut Health,
}

#[system]
fn queries(patients: Query<Patient>, healthy: Query<&Health, With<Enemy>>) {
    let _ = (patients, healthy);
}

#[system]
fn resources(score: Res<Score>, mut points: ResMut<Score>) {
    points.0 += score.0;
}

#[system(without(Enemy))]
fn rows_and_query(health: &mut Health, all: Query<&Health>) {
    health.0 += all.iter().count() as u32;
}

#[system]
fn within_one(pairs: Query<(&mut Health, Option<&Health>)>) {
    let _ = pairs;
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((queries, resources, rows_and_query, within_one));
}
