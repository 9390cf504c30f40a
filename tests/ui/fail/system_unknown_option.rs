use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Component)]
struct B;

#[system(witout(B))]
fn misspelt(a: &mut A) {
    a.0 += 1;
}

#[system(sometimes)]
fn unknown(a: &mut A) {
    a.0 += 1;
}

fn main() {
    Schedule::default().add_systems((misspelt, unknown));
}
