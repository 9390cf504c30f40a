use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Mana(u32);
#[derive(Resource)]
struct Score(u32);

// The members may be in each other's way, but not in that of other parameters.
#[system]
fn outside(mut set: ParamSet<(Query<&Mana>, Query<&mut Health>)>, all: Query<&Health>) {
    let _ = (set.p0(), all);
}

#[system]
fn rows(health: &Health, mut set: ParamSet<(Query<&Mana>, (Query<&mut Health>,))>) {
    let _ = (health, set.p0());
}

#[system]
fn two_sets(mut a: ParamSet<(Res<Score>,)>, mut b: ParamSet<(Res<Score>, ResMut<Score>)>) {
    let _ = (a.p0(), b.p0());
}

// One member is borrowed as a whole.
#[system]
fn within_a_member(mut set: ParamSet<(Query<(&mut Health, &Health)>,)>) {
    set.p0();
}

#[system]
fn within_a_tuple(mut set: ParamSet<(Query<&Mana>, (Res<Score>, ResMut<Score>))>) {
    set.p0();
}

fn main() {}
