//! The options `added` and `changed`, written wrongly.

use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[derive(Component)]
struct B;

#[derive(Resource)]
struct Score(u32);

#[system(added)]
fn bare(a: &mut A) {
    a.0 += 1;
}

#[system(changed())]
fn empty(a: &mut A) {
    a.0 += 1;
}

#[system(changed = B)]
fn assigned(a: &mut A) {
    a.0 += 1;
}

#[system(changed(B), added(B), changed(B))]
fn twice(a: &mut A) {
    a.0 += 1;
}

#[system(changed("B"))]
fn quoted(a: &mut A) {
    a.0 += 1;
}

#[system(changed(A B))]
fn without_a_comma(a: &mut A) {
    a.0 += 1;
}

#[system(chnged(B))]
fn misspelt(a: &mut A) {
    a.0 += 1;
}

#[system(added(A))]
fn no_rows(all: Query<&A>) {
    assert!(all.count() < 9);
}

#[system(changed(B), without(B))]
fn excluded(a: &mut A) {
    a.0 += 1;
}

#[system(without(A))]
fn excluded_row(a: Ref<A>) {
    assert!(a.0 < 9);
}

#[system(changed(Score))]
fn resource(a: &mut A) {
    a.0 += 1;
}

fn main() {
    Schedule::default().add_systems((bare, empty, assigned, twice, quoted, misspelt, excluded));
    Schedule::default().add_systems((without_a_comma, no_rows, excluded_row, resource));
}
