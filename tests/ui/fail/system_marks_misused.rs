use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Resource)]
struct Total(u32);
type Life<'a> = &'a mut Health;

#[system]
fn misspelt(#[rwo] health: Life) {
    health.0 += 1;
}

#[system]
fn with_words(#[row(yes)] health: Life) {
    health.0 += 1;
}

#[system]
fn both(#[row] #[param] health: Life) {
    health.0 += 1;
}

#[system]
fn a_parameter(#[row] total: Res<Total>) {
    assert!(total.0 > 0);
}

#[system]
fn forgotten(health: Life) {
    health.0 += 1;
}

fn main() {
    Schedule::default().add_systems((misspelt, with_words, both, a_parameter, forgotten));
}
