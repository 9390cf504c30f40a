use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Resource)]
struct Score(u32);

#[system]
fn commands(a: &A, commands: &mut Commands) {
    commands.spawn(A(a.0));
}

#[system]
fn query(all: &Query<&A>) {
    assert!(all.is_empty());
}

fn main() {
    Schedule::default().add_systems((commands, query));
}
