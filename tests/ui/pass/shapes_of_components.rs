#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(dead_code)]
use std::marker::PhantomData;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Unit;
#[derive(Component)]
struct EmptyBraces {}
#[derive(Component)]
struct EmptyTuple();
#[derive(Component)]
struct Tuple(u8, u16);
#[derive(Component)]
enum Variants {
    Unit,
    Tuple(u8),
    Named { value: u8 },
}
#[derive(Component)]
enum Never {}
#[derive(Component)]
#[repr(C, packed(2))]
struct Packed(u8, u32);
#[derive(Component)]
#[repr(align(4096))]
struct Aligned;
#[derive(Component)]
struct Phantom<T: 'static>(PhantomData<fn() -> T>);
#[derive(Component)]
struct Recursive(Option<Box<Self>>);
#[derive(Component)]
struct WithSelf
where
    Self: Send,
{
    next: Vec<Self>,
}
#[derive(Component)]
struct Boxed(Box<dyn Fn(u8) -> u8 + Send + Sync>);
#[derive(Component)]
struct Fixed<T: Send + Sync + 'static, const N: usize>([T; N])
where
    [T; N]: Sized;
#[derive(Component, Resource)]
struct Both;
#[derive(Bundle)]
struct NoFields;
#[derive(Bundle)]
struct NoFieldsBraces {}
#[derive(Bundle)]
struct TupleBundle(Unit, (Tuple, EmptyTuple));

fn main() {
    let mut world = World::new();
    world.insert_resource(Both);
    world.spawn((Unit, EmptyBraces {}, EmptyTuple(), Tuple(1, 2), Variants::Named { value: 1 }, Packed(1, 2), Aligned));
    world.spawn((Phantom::<std::rc::Rc<u8>>(PhantomData), Recursive(None), WithSelf { next: Vec::new() }, Boxed(Box::new(|x| x)), Fixed([1])));
    world.spawn((NoFields, NoFieldsBraces {}, Both));
    world.spawn(TupleBundle(Unit, (Tuple(1, 2), EmptyTuple())));
    assert_eq!(world.query::<&Never>().iter(&world).count(), 0);
}
