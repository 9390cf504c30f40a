#![deny(warnings)]
use strata_ecs::prelude::*;

#[derive(Component, Default)]
struct A(u8);
#[derive(Resource)]
struct R(u8);

#[system]
fn rows(a: &mut A, b: Option<&A2>, r: Res<R>) {
    a.0 += b.map_or(0, |b| b.0) + r.0;
}
#[derive(Component)]
struct A2(u8);
#[system]
fn answer(r: Res<R>) -> u8 {
    r.0
}
#[system]
fn fallible(a: &A) -> Result {
    if a.0 == 0 { Err("zero".into()) } else { Ok(()) }
}
#[system]
fn generic<T: Clone + Send + Sync + 'static>(a: &mut W<T>, b: &W2<T>) {
    a.0 = b.0.clone();
}
#[derive(Component)]
struct W<T: Send + Sync + 'static>(T);
#[derive(Component)]
struct W2<T: Send + Sync + 'static>(T);

fn main() {
    let mut a = A::default();
    rows(&mut a, Some(&A2(3)), Res::from(&R(2)));
    assert_eq!(a.0, 5);
    assert_eq!(answer(Res::from(&R(9))).output, 9);
    assert!(fallible(&A(0)).output.is_err());
    assert!(fallible(&a).output.is_ok());
    let mut w = W(1);
    generic::<i32>(&mut w, &W2(7));
    assert_eq!(w.0, 7);
    let twice = rows;
    for _ in 0..2 {
        twice(&mut a, None, Res::from(&R(1)));
    }
    assert_eq!(a.0, 7);
}
