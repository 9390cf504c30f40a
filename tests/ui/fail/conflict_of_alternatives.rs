//! Filters with alternatives that do not exclude each other, and some that are not compared to the end.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;
#[derive(Component)]
struct Dead;

#[system]
fn overlapping(a: Query<&mut Health, Or<(With<Enemy>, With<Dead>)>>, b: Query<&Health, Without<Enemy>>) {
    let _ = (a, b);
}

#[system(with(Enemy))]
fn rows(health: &mut Health, others: Query<&Health, Or<(Without<Enemy>, With<Dead>)>>) {
    let _ = (health, others);
}

macro_rules! components {
    ($($name:ident)*) => {
        $(#[derive(Component)] struct $name;)*
    };
}
components!(C0 D0 C1 D1 C2 D2 C3 D3 C4 D4 C5 D5 C6 D6 C7 D7 C8 D8 C9 D9 C10 D10 C11 D11 C12 D12 C13 D13);

type Many = (
    Or<(With<Enemy>, With<Dead>)>,
    Or<(With<C0>, With<D0>)>,
    Or<(With<C1>, With<D1>)>,
    Or<(With<C2>, With<D2>)>,
    Or<(With<C3>, With<D3>)>,
    Or<(With<C4>, With<D4>)>,
    Or<(With<C5>, With<D5>)>,
    Or<(With<C6>, With<D6>)>,
    Or<(With<C7>, With<D7>)>,
    Or<(With<C8>, With<D8>)>,
    Or<(With<C9>, With<D9>)>,
    Or<(With<C10>, With<D10>)>,
    Or<(With<C11>, With<D11>)>,
    Or<(With<C12>, With<D12>)>,
    Or<(With<C13>, With<D13>)>,
);

#[system]
fn many(a: Query<&mut Health, Many>, b: Query<&Health, Or<((Without<Enemy>, Without<Dead>), (Without<Enemy>, Without<Dead>))>>) {
    let _ = (a, b);
}

fn main() {}
