#![allow(dead_code)]
use std::fmt::Debug;
use strata_ecs::event::Event;
use strata_ecs::prelude::*;

#[derive(Component)]
struct One<T>(T)
where
    T: Send + Sync + 'static;
#[derive(Component)]
struct Names<W: Send + Sync + 'static, Q, S, D, F, B>
where
    Q: Send + Sync + 'static,
    S: Send + Sync + 'static,
    D: Send + Sync + 'static,
    F: Fn() -> B + Send + Sync + 'static,
    B: Send + Sync + 'static,
{
    w: W,
    q: Q,
    s: S,
    d: D,
    f: F,
}
#[derive(Component)]
struct Defaults<T: Send + Sync + 'static = u8, const N: usize = 3> {
    values: [T; N],
}
#[derive(Component)]
struct Unbounded<T>(std::marker::PhantomData<T>);
#[derive(Component)]
enum Either<L: Send + Sync + 'static, R: Send + Sync + 'static> {
    Left(L),
    Right(R),
}
#[derive(Resource)]
struct Res1<T: Send + Sync + 'static, const N: u8>(T);
#[derive(Bundle)]
struct Pair<T: Component, U: Bundle> {
    t: T,
    u: U,
}
#[derive(QueryData)]
#[query_data(mutable)]
struct Read<T: Component<Mutability = strata_ecs::component::Mutable>, D: Component> {
    t: &'static mut T,
    d: Option<&'static D>,
}
#[derive(QueryData)]
#[query_data(mutable)]
enum First<T: Component<Mutability = strata_ecs::component::Mutable>, D, W, F, const A: usize>
where
    D: Component,
    W: Component<Mutability = strata_ecs::component::Mutable>,
    F: Component,
{
    A { t: &'static mut T, d: Option<&'static D> },
    B(&'static mut W, &'static Defaults<u8, A>),
    T(&'static F),
    D,
}
#[derive(Message, Event)]
struct Sent<T, W: Send + Sync + 'static, const N: usize>
where
    T: Send + Sync + 'static,
{
    t: T,
    w: [W; N],
}
#[derive(SystemSet, ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
enum Label<T, H, L: Clone, const N: usize = 3>
where
    H: Debug,
{
    T(T),
    H { h: H, l: [L; N] },
}
#[derive(QueryFilter)]
struct Filter<T, F: Component, const N: usize>
where
    T: Component,
{
    f: With<F>,
    t: With<T>,
    n: Without<Defaults<u8, N>>,
}
#[derive(Component)]
struct Bounded<I: Iterator<Item = T> + Send + Sync + 'static, T>(I)
where
    T: Send + Sync + 'static;

#[system]
fn generic<T, S, D, F, P, W, Q>(a: &mut One<T>, _b: Option<&One<(S, D, F, P, W, Q)>>)
where
    T: Default + Debug + Send + Sync + 'static,
    S: Send + Sync + 'static,
    D: Send + Sync + 'static,
    F: Send + Sync + 'static,
    P: Send + Sync + 'static,
    W: Send + Sync + 'static,
    Q: Send + Sync + 'static,
{
    a.0 = T::default();
}
#[system]
fn constant<const N: usize>(a: &mut Defaults<u8, N>) {
    for value in &mut a.values {
        *value += N as u8;
    }
}

fn main() {
    let _ = Sent { t: 1_u8, w: [2_u16; 2] };
    let set = |t| SystemSet::intern(&Label::<u8, u16, u32>::T(t));
    assert!(set(1) == set(1) && set(1) != set(2));
    assert_ne!(ScheduleLabel::intern(&Label::<u8, u16, u32>::H { h: 1, l: [1; 3] }), ScheduleLabel::intern(&Label::<u8, u16, u32>::T(1)));
    let mut world = World::new();
    world.insert_resource(Res1::<_, 3>(1_u8));
    world.spawn(Names { w: 1, q: 2, s: 3, d: 4, f: || 5_u8 });
    world.spawn((Defaults::<u8> { values: [1, 2, 3] }, Unbounded::<u8>(std::marker::PhantomData)));
    world.spawn(Bounded(0..3_u8));
    world.spawn((Either::<u8, u16>::Left(1), Either::<u16, u8>::Right(1)));
    let pair = world.spawn(Pair { t: One(7_u8), u: (One(8_u16), One(9_u32)) }).id();
    let mut schedule = Schedule::default();
    schedule.add_systems((generic::<u8, u8, u8, u8, u8, u8, u8>, constant::<3>, constant::<2>));
    schedule.run(&mut world);
    assert_eq!(world.get::<One<u8>>(pair).unwrap().0, 0);
    assert_eq!(world.query::<&Defaults>().single(&world).unwrap().values, [4, 5, 6]);
    assert_eq!(world.query::<Read<One<u16>, One<u32>>>().single(&world).unwrap().t.0, 8);
    type Query = First<One<u16>, One<u32>, One<u64>, One<u128>, 3>;
    let found = world.query_filtered::<Query, Filter<One<u8>, One<u16>, 7>>().iter(&world).filter(|item| matches!(item, FirstReadOnlyItem::A { .. })).count();
    assert_eq!(found, 1);
}
