//! The item of a `Single` that is moved into another `Single`, or out of it.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::prelude::*;
use strata_ecs::system::{ParamSource, StaticSystemParam};

use super::{A, B};

#[derive(Component)]
struct Left;
#[derive(Component)]
struct Right;

type OfLeft<'w, 's> = Single<'w, 's, &'static mut A, With<Left>>;
type OfRight<'w, 's> = Single<'w, 's, &'static mut A, (With<Right>, Without<Left>)>;

/// The left one has 1, the right one 2, and there are three rows to go through.
fn world() -> (World, [Entity; 2]) {
    let mut world = World::new();
    let ids = [world.spawn((A(1), Left)).id(), world.spawn((A(2), Right)).id()];
    world.spawn_batch([B(0), B(0), B(0)]);
    (world, ids)
}

fn values(world: &World, ids: [Entity; 2]) -> [u32; 2] {
    ids.map(|id| world.get::<A>(id).expect("it has one").0)
}

#[derive(SystemParam)]
struct Hands<'w, 's> {
    left: OfLeft<'w, 's>,
    right: OfRight<'w, 's>,
}

#[test]
fn items_may_be_exchanged_in_a_system() {
    let (mut world, ids) = world();
    let exchange = |mut hands: Hands<'_, '_>| {
        let Hands { left, right } = &mut hands;
        mem::swap(&mut **left, &mut **right);
        (left.0, right.0) = (10, 20);
    };
    world.run_system_once(exchange).expect("both are there");
    assert_eq!(values(&world, ids), [20, 10]);
}

#[test]
fn what_a_row_has_exchanged_is_in_its_place_for_the_next() {
    #[system]
    fn exchange(b: &mut B, mut hands: Hands, mut none: Option<Single<&Left, With<B>>>) {
        let Hands { left, right } = &mut hands;
        mem::swap(&mut **left, &mut **right);
        left.0 *= 3; // The right one.
        b.0 = right.0;
        assert!(mem::take(&mut none).is_none());
    }
    let (mut world, ids) = world();
    world.run_system_once(exchange).expect("both are there");
    assert_eq!(values(&world, ids), [1, 54]);
    assert!(world.query::<&B>().iter(&world).all(|b| b.0 == 1));
}

/// Two parameters whose items are exchanged as soon as they are fetched.
struct Crossed;

impl SystemParam for Crossed {
    type Source = <(OfLeft<'static, 'static>, OfRight<'static, 'static>) as SystemParam>::Source;
    type Item<'w, 's> = (OfLeft<'w, 's>, OfRight<'w, 's>);

    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        let (mut left, mut right) = <(OfLeft<'w, 's>, OfRight<'w, 's>)>::item(got);
        mem::swap(&mut *left, &mut *right);
        (left, right)
    }
}

/// One whose item has been looked at.
struct Looked;

impl SystemParam for Looked {
    type Source = <(OfLeft<'static, 'static>,) as SystemParam>::Source;
    type Item<'w, 's> = (OfLeft<'w, 's>,);

    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        let (left,) = <(OfLeft<'w, 's>,)>::item(got);
        assert!(left.0 < 100);
        (left,)
    }
}

/// Rows fetch what they are handed once more: not while the first of it is elsewhere.
#[test]
fn an_item_that_was_out_is_not_fetched_again() {
    #[system]
    fn crossed(b: &mut B, mut hands: StaticSystemParam<Crossed>) {
        hands.0.0 += b.0;
    }
    #[system]
    fn looked(b: &mut B, mut hands: StaticSystemParam<Looked>) {
        hands.0.0 += b.0;
    }
    let (mut world, ids) = world();
    let message = |run: Result<(), Box<dyn std::any::Any + Send>>| {
        *run.expect_err("it panics").downcast::<&'static str>().expect("a text")
    };
    let run = AssertUnwindSafe(|| world.run_system_once(crossed).map(drop).expect("it is fetched"));
    assert!(message(catch_unwind(run)).contains("handed on to the rows of a system and used elsewhere"));
    let run = AssertUnwindSafe(|| world.run_system_once(looked).map(drop).expect("it is fetched"));
    assert!(message(catch_unwind(run)).contains("handed on to the rows of a system and used elsewhere"));
    assert_eq!(values(&world, ids), [1, 2]);
    // A plain system has each item once.
    world.run_system_once(|mut hands: StaticSystemParam<'_, '_, Crossed>| hands.0.0 = 7).expect("both are there");
    assert_eq!(values(&world, ids), [1, 7]);
}
