#![allow(non_camel_case_types, non_snake_case, uncommon_codepoints)]
use strata_ecs::event::Event;
use strata_ecs::prelude::*;

#[derive(Component)]
struct r#type {
    r#fn: u8,
    größe: u8,
}
#[derive(Component)]
#[component(storage = "sparse")]
struct Größe(u8);
#[derive(Component)]
struct 位置 {
    横: f32,
}
#[derive(Resource)]
struct r#impl(u8);
#[derive(Bundle)]
struct r#struct {
    r#type: r#type,
    größe: Größe,
}
#[derive(QueryData)]
#[query_data(mutable)]
struct r#enum {
    r#mut: &'static mut r#type,
    größe: Has<Größe>,
}

#[derive(QueryData)]
#[query_data(mutable)]
enum r#match {
    r#fn { r#mut: &'static mut r#type, größe: Has<Größe> },
    横(&'static 位置),
}

#[derive(Message, Event)]
struct r#async(r#impl);
#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
enum r#static {
    r#fn { größe: u8 },
    横,
}
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct 位(u8);

#[derive(QueryFilter)]
struct r#where {
    r#if: With<r#type>,
    größe: With<Größe>,
}

#[system(with(Größe))]
fn r#move(r#loop: &mut r#type, r#in: Res<r#impl>) {
    r#loop.r#fn += r#in.0 + r#loop.größe;
}
#[system]
fn 動く(位置: &mut 位置) {
    位置.横 += 1.0;
}
#[system]
fn NotSnake(SHOUT: &mut r#type) {
    SHOUT.r#fn += 1;
}

fn main() {
    let r#async(r#impl(_)) = r#async(r#impl(1));
    assert_ne!(r#static::r#fn { größe: 1 }.intern(), r#static::横.intern());
    assert_eq!(format!("{:?}", 位(3).intern()), "位(3)");
    let mut world = World::new();
    world.insert_resource(r#impl(2));
    world.spawn((r#struct { r#type: r#type { r#fn: 1, größe: 3 }, größe: Größe(1) }, 位置 { 横: 0.0 }));
    let mut schedule = Schedule::default();
    schedule.add_systems((r#move, 動く, NotSnake));
    schedule.run(&mut world);
    assert_eq!(world.query::<r#enum>().single(&world).unwrap().r#mut.r#fn, 7);
    assert!(
        matches!(world.query_filtered::<r#match, r#where>().single(&world), Ok(matchReadOnlyItem::r#fn { r#mut: it, .. }) if it.r#fn == 7)
    );
    assert_eq!(world.query::<&位置>().single(&world).unwrap().横, 1.0);
    assert_eq!(world.query::<&Größe>().single(&world).unwrap().0, 1);
}
