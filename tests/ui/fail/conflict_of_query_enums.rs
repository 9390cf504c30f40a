//! What any variant of a query enum borrows is borrowed; what only some demand keeps nothing apart.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armour(u32);
#[derive(Component)]
struct Door;

#[derive(QueryData)]
#[query_data(mutable)]
enum Target {
    Armoured { health: &'static mut Health, armour: &'static Armour },
    Alive(&'static mut Health),
    Door(&'static Door),
}

#[derive(QueryData)]
#[query_data(mutable)]
enum Twice {
    Door(&'static Door),
    Alive { health: &'static mut Health, again: Option<&'static Health> },
}

#[system]
fn in_another_query(targets: Query<Target>, armoured: Query<&mut Health, Without<Armour>>) {
    let _ = (targets, armoured);
}

#[system]
fn beside_rows(armour: &mut Armour, targets: Query<Target>) {
    armour.0 += targets.iter().count() as u32;
}

#[system]
fn beside_a_term(pairs: Query<(Target, &Health)>) {
    let _ = pairs;
}

#[system]
fn within_a_variant(query: Query<Twice>) {
    let _ = query;
}

#[system]
fn within_any_of(query: Query<AnyOf<(&mut Health, &Health)>>) {
    let _ = query;
}

fn main() {
    let mut schedule = Schedule::default();
    schedule.add_systems((in_another_query, beside_rows, beside_a_term, within_a_variant, within_any_of));
}
