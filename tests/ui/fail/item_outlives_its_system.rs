use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

fn keep<'a>(all: Query<&'a A>, mut kept: Local<Vec<&'a A>>) {
    for a in all.iter() {
        kept.push(a);
    }
}

fn main() {
    Schedule::default().add_systems(keep);
}
