#![allow(dead_code)]
//! Structs of parameters, in every form and with every kind of field.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, rust_2018_idioms, unused_qualifications)]

use std::marker::PhantomData;

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component)]
struct Armor<const N: usize>([u8; N]);
#[derive(Resource, Default)]
struct Score(u32);

/// More visible than what its fields are made of.
#[derive(SystemParam)]
pub struct Public<'w, 's> {
    healths: Query<'w, 's, &'static mut Health>,
    score: ResMut<'w, Score>,
}

/// With parameters, a where clause and defaults.
#[derive(SystemParam)]
pub struct Generic<'w, 's, T, F: QueryFilter = (), const N: usize = 2>
where
    T: Component,
{
    first: Query<'w, 's, (&'static T, &'static Armor<N>), F>,
    r#type: PhantomData<fn() -> T>,
}

/// `'w` alone, which a bound of a type may mention.
#[allow(explicit_outlives_requirements)]
#[derive(SystemParam)]
pub(crate) struct Resources<'w, T: 'w + Resource>(Res<'w, T>, Option<Res<'w, Score>>, &'w World);

#[derive(SystemParam)]
struct State<'s>(Local<'s, u32>, Local<'s, u32>);

#[derive(SystemParam)]
struct Unit;

#[derive(SystemParam)]
struct Empty {}

/// Lifetimes in another order, nested structs, and sets.
#[derive(SystemParam)]
struct Everything<'s, 'w> {
    set: ParamSet<'w, 's, (Public<'w, 's>, Query<'w, 's, &'static Health>, Commands<'w, 's>)>,
    state: State<'s>,
    tuple: (Unit, Empty, Option<ResMut<'w, Other>>),
    lookup: Lookup<'w, 's, &'static Armor<2>>,
}

#[derive(Resource)]
struct Other;
#[derive(Resource)]
struct Third;

#[derive(SystemParam)]
#[deprecated]
struct Old<'w> {
    _score: Option<Res<'w, Score>>,
}

macro_rules! param {
    ($name:ident, $field:ident: $ty:ty) => {
        #[derive(SystemParam)]
        struct $name<'w> {
            $field: $ty,
            third: Option<Res<'w, Third>>,
        }
    };
}
param!(ByMacro, other: Unit);

fn plain(mut public: Public<'_, '_>, generic: Generic<'_, '_, Armor<3>>, Unit: Unit, _: Empty) {
    public.score.0 += 1;
    public.healths.iter_mut().for_each(|mut health| health.0 += 1);
    let PhantomData = generic.r#type;
    assert_eq!(generic.first.count(), 0);
}

#[system]
fn rows(armor: &Armor<2>, mut all: Everything<'_, '_>, resources: Query<'_, '_, Entity>, by_macro: ByMacro<'_>) {
    *all.state.0 += u32::from(armor.0[0]);
    all.set.p0().healths.iter_mut().for_each(|mut health| health.0 *= 2);
    all.set.p2().spawn_empty();
    let Unit = by_macro.other;
    assert!(all.tuple.2.is_none() && by_macro.third.is_none() && all.lookup.contains(resources.iter().next().unwrap()));
    helper(all.set.p0());
    *all.state.1 += *all.state.0;
}

fn helper(mut public: Public<'_, '_>) {
    public.score.0 += 1;
}

fn generic<T: Resource>(resources: Resources<'_, T>) -> (usize, bool) {
    let _: &T = &resources.0;
    (resources.2.len(), resources.1.is_some())
}

#[system]
fn local() {
    #[derive(SystemParam)]
    struct Inner<'w>(Option<Res<'w, Score>>);
    let _ = Inner(None);
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Score>();
    let entity = world.spawn((Health(1), Armor([1, 2]))).id();
    world.run_system_once(plain).unwrap();
    assert_eq!(world.get(entity), Some(&Health(2)));
    assert_eq!(world.run_system_once(generic::<Score>).unwrap(), (1, true));
    world.run_system_once(local).unwrap();
    let mut schedule = Schedule::default();
    schedule.add_systems((plain, |_: State<'_>| ()));
    schedule.run(&mut world);
    let _ = (rows, Other, Third);
}
