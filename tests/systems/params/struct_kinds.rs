//! `#[derive(SystemParam)]`: markers, generic fields and fields made of others.

#![expect(elided_lifetimes_in_paths, reason = "systems are written as users write them")]

use std::marker::PhantomData;

use strata_ecs::prelude::*;
use strata_ecs::query::QueryFilter;
use strata_ecs::system::{
    LocalBuilder, ParamBuilder, ReadOnlySystemParam, StaticSystemParam, SystemParamBuilder, SystemParamItem,
    assert_is_system,
};

use super::{A, B, Total, world};

#[derive(SystemParam)]
struct OnlyS<'w, 's> {
    total: Res<'w, Total>,
    _marker: PhantomData<&'s ()>,
}
#[derive(SystemParam)]
struct OnlyW<'w, 's> {
    runs: Local<'s, u32>,
    _marker: PhantomData<&'w ()>,
}
#[derive(SystemParam)]
struct Both<'w, 's>(PhantomData<(&'w (), &'s ())>);
#[derive(SystemParam)]
struct Invariant<'w, 's>(PhantomData<fn(&'w mut u8) -> &'s u8>, PhantomData<*mut &'s ()>);
#[derive(SystemParam)]
struct Mutable<'w, T: 'static> {
    _marker: PhantomData<&'w mut T>,
}
#[derive(SystemParam)]
struct Nested<'w, 's, T: ?Sized + 'static>(PhantomData<fn(&'w ()) -> &'s ()>, PhantomData<T>);
#[derive(SystemParam)]
struct InTuple<'w, 's> {
    parts: (Res<'w, Total>, (PhantomData<&'s ()>, Local<'s, u32>), PhantomData<&'w u8>),
}
#[derive(SystemParam)]
struct Holder<'w, 's> {
    s: OnlyS<'w, 's>,
    w: OnlyW<'w, 's>,
    rest: (Both<'w, 's>, InTuple<'w, 's>),
}

fn total_of(param: OnlyS<'_, '_>) -> u32 {
    param.total.0
}

#[test]
fn markers_may_name_any_lifetime_and_type() {
    #[system]
    fn count(mut w: OnlyW, s: OnlyS, _: Both, _: Invariant, _: Mutable<String>, _: Nested<str>) -> u32 {
        *w.runs += 1;
        *w.runs + s.total.0
    }
    #[system]
    fn rows(_: &B, mut holder: Holder, _: Mutable<String>) {
        *holder.w.runs += holder.s.total.0;
        *holder.rest.1.parts.1.1 += holder.rest.1.parts.0.0;
        assert_eq!(*holder.w.runs, *holder.rest.1.parts.1.1);
    }
    fn generic<T: Send + Sync + 'static>(_: Mutable<T>, _: Nested<[T]>, holder: Holder) -> u32 {
        total_of(holder.s)
    }
    let mut world = world();
    world.insert_resource(Total(7));
    assert_eq!(world.run_system_once(total_of).unwrap(), 7);
    assert_eq!(world.run_system_once(count).unwrap(), 8);
    assert_eq!(world.run_system_once(generic::<u8>).unwrap(), 7);
    let mut schedule = Schedule::default();
    schedule.add_systems((rows, rows));
    schedule.run(&mut world);
    assert_is_system(generic::<String>);
}

#[derive(Event)]
struct Ping;

#[test]
fn structs_with_markers_are_parameters_of_observers_and_states() {
    let mut world = world();
    world.insert_resource(Total(7));
    world.add_observer(|_: On<Ping>, param: OnlyS, mut commands: Commands| {
        let total = param.total.0;
        commands.insert_resource(Total(total + 1));
    });
    world.trigger(Ping);
    assert_eq!(world.resource::<Total>().0, 8);
    let mut state = SystemState::<(Holder, Mutable<u8>)>::new(&mut world);
    assert_eq!(state.get(&world).unwrap().0.s.total.0, 8);
    fn exclusive(world: &mut World, state: &mut SystemState<(OnlyS, Both)>) -> u32 {
        state.get(world).unwrap().0.total.0
    }
    assert_eq!(world.run_system_once(exclusive).unwrap(), 8);
    let set = |mut set: ParamSet<(OnlyS, ResMut<Total>)>| {
        set.p1().0 += 1;
        set.p0().total.0
    };
    assert_eq!(world.run_system_once(set).unwrap(), 9);
    assert_eq!(world.run_system_once(|param: Option<OnlyS>| param.map(total_of)).unwrap(), Some(9));
}

#[derive(SystemParam)]
struct Item<'w, 's, T: SystemParam + 'static> {
    field: SystemParamItem<'w, 's, T>,
}
#[derive(SystemParam)]
struct Projected<'w, 's, T>
where
    T: SystemParam + 'static,
{
    field: <T as SystemParam>::Item<'w, 's>,
    total: Option<Res<'w, Total>>,
}
#[derive(SystemParam)]
struct Static<'w, 's, T: SystemParam + 'static> {
    field: StaticSystemParam<'w, 's, T>,
}
#[derive(Default)]
struct Part<const N: usize>;
#[derive(SystemParam)]
struct Kept<'s, T: FromWorld + Send + Sync + 'static, const N: usize>(Local<'s, T>, Local<'s, Part<N>>);
#[derive(SystemParam)]
struct Found<'w, 's, D: QueryData + 'static, F: QueryFilter + 'static = ()> {
    rows: Query<'w, 's, (Entity, D), F>,
    one: Option<Single<'w, 's, Entity, F>>,
}
#[derive(SystemParam)]
struct Whole<'w, 's, R: Resource, D>
where
    D: QueryData + 'static,
{
    inner: Found<'w, 's, D, With<A>>,
    set: ParamSet<'w, 's, (Query<'w, 's, &'static mut B>, Query<'w, 's, &'static B>)>,
    tuple: (Option<Res<'w, R>>, Local<'s, u8>, Static<'w, 's, Res<'static, Total>>),
}

#[test]
fn fields_may_be_generic_and_static_parameters() {
    type Resources = (Res<'static, Total>, Local<'static, u32>);
    fn item(mut param: Item<Resources>) -> u32 {
        *param.field.1 += 1;
        param.field.0.0 + *param.field.1
    }
    fn projected(param: Projected<Query<'static, 'static, &'static B>>) -> usize {
        param.field.iter().count() + param.total.map_or(0, |total| total.0 as usize)
    }
    fn fixed<T: ReadOnlySystemParam + 'static>(_: Static<T>, param: Static<Resources>, _: StaticSystemParam<T>) -> u32 {
        param.field.0.0
    }
    fn kept(mut param: Kept<String, 3>, other: Kept<u8, 0>) -> usize {
        let (Part::<3>, Part::<0>) = (&*param.1, &*other.1);
        param.0.push('x');
        param.0.len()
    }
    #[system]
    fn whole(mut param: Whole<Total, &'static A>) -> usize {
        param.set.p0().iter_mut().for_each(|mut b| b.0 += 1);
        *param.tuple.1 += 1;
        param.set.p1().iter().count() + param.inner.rows.iter().count() + param.tuple.2.field.0 as usize
    }
    #[system]
    fn beside_rows(_: &B, mut param: Item<Resources>, _: Static<Resources>, mut kept: Kept<String, 3>) {
        *param.field.1 += 1;
        kept.0.push('x');
        assert_eq!(kept.0.len(), *param.field.1 as usize);
    }
    let mut world = world();
    world.insert_resource(Total(7));
    let count = world.query::<&B>().count(&world);
    let all = world.query::<&A>().count(&world);
    assert_eq!(world.run_system_once(item).unwrap(), 8);
    assert_eq!(world.run_system_once(projected).unwrap(), count + 7);
    assert_eq!(world.run_system_once(fixed::<Query<'static, 'static, &'static A>>).unwrap(), 7);
    assert_eq!(world.run_system_once(kept).unwrap(), 1);
    assert_eq!(world.run_system_once(whole).unwrap(), count + all + 7);
    let mut schedule = Schedule::default();
    schedule.add_systems(beside_rows);
    schedule.run(&mut world);
}

#[derive(SystemParam)]
#[system_param(builder)]
struct Built<'w, 's> {
    runs: Local<'s, u32>,
    _marker: PhantomData<&'w ()>,
    pair: (Local<'s, u32>, PhantomData<&'w ()>),
}

#[test]
fn a_struct_with_markers_has_a_builder() {
    let mut world = world();
    let builder = BuiltBuilder { runs: LocalBuilder(5), _marker: ParamBuilder, pair: (LocalBuilder(6), ParamBuilder) };
    let system = (builder,).build_state(&mut world).build_system(|param: Built| *param.runs + *param.pair.0);
    assert_eq!(world.run_system_once(system).unwrap(), 11);
}
