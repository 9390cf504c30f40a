//! To ask for the changes of a component reads it, so nothing else may write it meanwhile.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Timer<T: Send + Sync + 'static>(T);
type Seconds = Timer<f32>;
#[derive(Component)]
struct Enemy;

#[derive(SystemParam)]
struct Healer<'w, 's> {
    patients: Query<'w, 's, &'static mut Health>,
}

#[system(changed(Health))]
fn rows(_: &Enemy, mut all: Query<&mut Health>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
}

#[system(added(Health), with(Enemy))]
fn rows_and_struct(_: Entity, mut healer: Healer) {
    healer.patients.iter_mut().for_each(|mut health| health.0 += 1);
}

#[system]
fn row_ref(health: Ref<Health>, mut all: Query<Mut<Health>>) {
    all.iter_mut().for_each(|mut other| other.0 += health.0);
}

#[system]
fn queries(mut all: Query<&mut Health>, fresh: Query<Entity, Or<(Added<Health>, With<Enemy>)>>) {
    all.iter_mut().for_each(|mut health| health.0 += 1);
    assert!(fresh.count() < 9);
}

#[system(changed(Seconds))]
fn twins(_: &Enemy, mut all: Query<&mut Timer<f32>>) {
    all.iter_mut().for_each(|mut timer| timer.0 += 1.0);
}

#[system]
fn twins_of_queries(mut all: Query<Mut<Timer<f32>>>, fresh: Query<Entity, (With<Enemy>, Changed<Timer<f32>>)>) {
    all.iter_mut().for_each(|mut timer| timer.0 += 1.0);
    assert!(fresh.count() < 9);
}

#[system]
fn twins_of_refs(timer: Ref<Timer<u8>>, mut other: Mut<Timer<u8>>) {
    other.0 += timer.0;
}

fn main() {
    Schedule::default().add_systems((rows, rows_and_struct, row_ref, queries, twins, twins_of_queries, twins_of_refs));
}
