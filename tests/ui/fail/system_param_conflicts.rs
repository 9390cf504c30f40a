use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Score(u32);

#[derive(SystemParam)]
struct Within<'w, 's> {
    patients: Query<'w, 's, &'static mut Health>,
    all: Query<'w, 's, &'static Health>,
}

#[derive(SystemParam)]
struct Healer<'w, 's, T: Component<Mutability = strata_ecs::component::Mutable>> {
    patients: Query<'w, 's, &'static mut T>,
    score: ResMut<'w, Score>,
}

#[derive(SystemParam)]
struct Twice<'w, 's> {
    pairs: Query<'w, 's, (&'static mut Health, &'static Health)>,
}

#[derive(SystemParam)]
struct Finder<'w, 's>(Lookup<'w, 's, &'static Health>);

#[system]
fn within(within: Within) {
    let _ = within.all;
}

#[system]
fn between(healer: Healer<Health>, all: Query<&Health>) {
    let _ = (healer.patients, all);
}

#[system]
fn two_structs(first: Healer<Health>, second: Healer<Health>) {
    let _ = (first.score, second.score);
}

#[system]
fn rows(mut healer: Healer<Health>, health: &Health) {
    healer.score.0 += health.0;
}

#[system]
fn twice(twice: Twice) {
    let _ = twice.pairs;
}

#[system]
fn looked_up(finder: Finder, health: &mut Health) {
    let _ = (finder.0, health);
}

fn main() {}
