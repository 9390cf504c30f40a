#![allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
#[derive(Component)]
struct B(u8);
#[derive(Resource)]
struct R(u8);

const row: u8 = 1;
const output: u8 = 1;
static worlds: u8 = 1;

#[system]
fn common(world: &mut A, entity: Entity, i: &B, __ecs: Res<R>, mut __p: ResMut<Names>) {
    world.0 += i.0 + __ecs.0;
    __p.0 += u8::from(entity != Entity::PLACEHOLDER);
}
#[derive(Resource)]
struct Names(u8);

#[system]
fn generated(__c0: &mut A, __i: &B, __len: Option<&B>, __rows: Entity) {
    let _ = __rows;
    __c0.0 += __i.0 + __len.map_or(0, |b| b.0);
}
#[system]
fn same_as_itself(same_as_itself: &mut A) {
    same_as_itself.0 += 1;
}

#[derive(Component)]
struct Check(u8);
#[derive(Component)]
struct Other(u8);
#[derive(Component)]
struct Terms;
#[derive(Component)]
struct Alternative;
#[derive(Component)]
struct FirstOf;
const __strata: u8 = 1;
const __PARTS: u8 = 1;
const value: u8 = 1;
const got: u8 = 1;
const other: u8 = 1;
const state: u8 = 1;
const f: u8 = 1;
type __Probe = Check;
trait Fetch {}

#[derive(QueryData)]
struct D {
    value: &'static Check,
    got: Option<&'static Other>,
    terms: Has<Terms>,
}
#[derive(QueryData)]
#[query_data(mutable)]
enum E {
    Alternative { value: &'static mut Check, got: &'static FirstOf },
    FirstOf(&'static Alternative, &'static __Probe),
    A(&'static Other),
    QueryData,
}
#[derive(QueryFilter)]
struct QueryFilters {
    value: With<Check>,
    got: Without<FirstOf>,
}
#[derive(SystemSet, ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
enum LabelProbe {
    LabelParts { state: u8, other: u16 },
    f(u8),
}

fn main() {
    let label = LabelProbe::LabelParts { state: 1, other: 1 };
    assert_ne!(SystemSet::intern(&label), SystemSet::intern(&LabelProbe::f(1)));
    {
        let mut ecs = World::new();
        ecs.spawn((Check(1), Other(2)));
        ecs.spawn((Check(1), FirstOf, Terms));
        assert_eq!(ecs.query_filtered::<D, QueryFilters>().single(&ecs).unwrap().got.unwrap().0, 2);
        let mut found = Vec::new();
        for item in ecs.query::<E>().iter_mut(&mut ecs) {
            found.push(matches!(item, EItem::Alternative { .. }));
        }
        assert_eq!(found, [false, true]);
    }
    let mut ecs = World::new();
    ecs.insert_resource(R(1));
    ecs.insert_resource(Names(0));
    ecs.spawn((A(0), B(2)));
    let mut schedule = Schedule::default();
    schedule.add_systems((common, generated, same_as_itself));
    schedule.run(&mut ecs);
    assert_eq!(ecs.query::<&A>().single(&ecs).unwrap().0, 8);
    assert_eq!(ecs.resource::<Names>().0, 1);
}
