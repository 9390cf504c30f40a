//! `#[system]` functions with inputs by reference, and with parameters that decide whether they run, in every form.
#![deny(warnings)]
#![forbid(unsafe_code)]

use std::ops::Deref;

use strata_ecs::prelude::*;
use strata_ecs::system::{StaticSystemParam, SystemParamItem};

#[derive(Component, Default)]
struct Health(u32);
#[derive(Component, Default)]
struct Boss;
#[derive(Resource, Default)]
struct Score(u32);

#[system]
fn by_reference(words: InRef<str>) -> usize {
    words.len()
}

#[system]
fn by_mutable_reference<'a>(mut n: strata_ecs::InMut<'a, u32>, score: Res<Score>) {
    *n += score.0;
}

#[system]
fn taken_apart(InMut(list): InMut<'_, Vec<u32>>, InTheWay(_way): InTheWay) {
    list.push(1);
}

#[derive(SystemParam)]
struct InTheWay<'w>(#[allow(dead_code)] Res<'w, Score>);

#[system]
fn single(mut boss: Single<(Entity, &mut Health), With<Boss>>) {
    boss.1.0 += 1;
}

#[system]
fn optional(boss: Option<Single<&Health, With<Boss>>>, all: Option<Populated<Entity>>) -> bool {
    boss.is_some() && all.is_some()
}

#[system]
fn rows(health: &mut Health, mut score: ResMut<Score>, boss: Single<&Boss>, mut all: Populated<Entity, With<Boss>>) {
    let _: &Boss = *boss;
    score.0 += all.iter_mut().count() as u32;
    health.0 += 1;
}

#[system]
fn disjoint(mut one: Single<&mut Health, With<Boss>>, mut others: Populated<&mut Health, Without<Boss>>) {
    one.0 += others.iter_mut().map(|health| health.0).sum::<u32>();
}

#[system]
fn of_any_type<P>(score: StaticSystemParam<P>) -> u32
where
    P: SystemParam + 'static,
    for<'w, 's> SystemParamItem<'w, 's, P>: Deref<Target = Score>,
{
    score.0
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Score(2));
    world.spawn((Health(1), Boss));
    assert_eq!(world.run_system_cached_with(by_reference, "word").unwrap(), 4);
    let mut n = 1;
    world.run_system_cached_with(by_mutable_reference, &mut n).unwrap();
    assert_eq!(n, 3);
    let mut list = Vec::new();
    let id = world.register_system(taken_apart);
    world.run_system_with(id, &mut list).unwrap();
    assert_eq!(list, [1]);
    assert!(world.run_system_once(optional).unwrap());
    let mut schedule = Schedule::default();
    schedule.add_systems((single, rows, disjoint, taken_apart.with_input(Vec::new())));
    schedule.run(&mut world);
    assert_eq!(world.run_system_once(of_any_type::<Res<Score>>).unwrap(), 3);
}
