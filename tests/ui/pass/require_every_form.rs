#![no_implicit_prelude]
#![deny(warnings)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
//! Required components in every form.

use ::std::default::Default;
use ::std::marker::PhantomData;
use ::std::{assert, assert_eq, concat};
use ::strata_ecs::prelude::{Component, World};

mod parts {
    use ::strata_ecs::prelude::Component;

    #[derive(Component, ::std::default::Default)]
    pub(crate) struct Deep(pub(crate) u32);
    #[derive(Component)]
    #[allow(non_camel_case_types)]
    pub(crate) struct small(pub(crate) u32);
}

#[derive(Component, Default)]
struct Points(u32);
#[derive(Component)]
struct Named {
    x: u32,
    y: u32,
}
#[derive(Component)]
enum Mood {
    Calm,
    Angry(u8),
}
#[derive(Component)]
#[component(storage = "sparse")]
struct Constant(u32);
impl Constant {
    const ONE: Constant = Constant(1);
}
#[derive(Component)]
struct Made(&'static str);
impl Made {
    fn new(text: &'static str) -> Self {
        Self(text)
    }
}
#[derive(Component)]
struct Marker<T, const N: usize>(PhantomData<T>);
impl<T, const N: usize> Default for Marker<T, N> {
    fn default() -> Self {
        Marker(PhantomData)
    }
}
trait Choose {
    type Part: Component + Default;
}
struct Chosen;
impl Choose for Chosen {
    type Part = Points;
}

/// Everything at once.
#[derive(Component)]
#[require(Points, parts::Deep, self::parts::small(3),)]
#[require(Named { x: 1, y: { 1 + 1 } }, Mood::Angry(3), Constant::ONE, Made::new(concat!("a", "b")))]
#[require(Marker<u8, 3>, Marker::<u16, 4>(PhantomData))]
pub struct Monster;

/// Expressions.
#[derive(Component)]
#[component(storage = "sparse")]
#[require(Mood = if 1 < 2 { Mood::Calm } else { Mood::Angry(1) }, Points = ::std::convert::identity::<Points>(Points(7)))]
pub struct Other;

/// What it requires depends on its parameters.
#[derive(Component)]
#[require(Marker<T, N>, <T as Choose>::Part)]
struct Generic<T: Choose, const N: usize>
where
    T: ::std::marker::Send + ::std::marker::Sync + 'static,
{
    marker: PhantomData<T>,
}

fn main() {
    let mut world = World::new();
    let entity = world.spawn(Monster);
    let named: &Named = entity.get().expect("it is required");
    assert_eq!((named.x, named.y), (1, 2));
    assert!(::std::matches!(entity.get(), ::std::option::Option::Some(Mood::Angry(3))));
    let sum = |points: &Points, deep: &parts::Deep, small: &parts::small| points.0 + deep.0 + small.0;
    assert_eq!(sum(entity.get().unwrap(), entity.get().unwrap(), entity.get().unwrap()), 3);
    assert_eq!((entity.get::<Constant>().unwrap().0, entity.get::<Made>().unwrap().0), (1, "ab"));
    assert!(entity.contains::<Marker<u8, 3>>() && entity.contains::<Marker<u16, 4>>());
    let entity = world.spawn(Other);
    assert_eq!(entity.get::<Points>().unwrap().0, 7);
    let entity = world.spawn(Generic::<Chosen, 5> { marker: PhantomData });
    let _ = entity.get::<Generic<Chosen, 5>>().unwrap().marker;
    assert!(entity.contains::<Marker<Chosen, 5>>() && entity.contains::<Points>());
}
