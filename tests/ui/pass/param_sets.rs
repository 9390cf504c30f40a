//! Sets of parameters that are in each other's way.

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component)]
struct Enemy;
#[derive(Resource, Default)]
struct Score(u32);

type Healths<'w, 's> = ParamSet<'w, 's, (Query<'w, 's, &'static mut Health>, Query<'w, 's, &'static Health>)>;

#[system]
fn members(mut set: ParamSet<(Query<&Health>, Query<&mut Health>, ResMut<Score>, Res<Score>)>) {
    let best = set.p0().iter().map(|health| health.0).max().unwrap_or(0);
    set.p1().iter_mut().for_each(|mut health| health.0 = best);
    set.p2().0 = best;
    assert_eq!(set.p3().0, best);
}

#[system]
fn beside_others(
    mut set: ParamSet<(Query<&Health, With<Enemy>>, Query<&mut Health, With<Enemy>>)>,
    mut others: Query<&mut Health, Without<Enemy>>,
    mut aliased: ParamSet<(Query<&Enemy>, (Res<Score>, Local<u32>))>,
) {
    set.p1().iter_mut().for_each(|mut health| health.0 += 1);
    others.iter_mut().for_each(|mut health| health.0 += 2);
    *aliased.p1().1 += aliased.p1().0.0;
}

#[system]
fn rows(_: &Enemy, mut set: Healths) {
    add_up(set.reborrow());
    set.p0().iter_mut().for_each(|mut health| health.0 += 1);
}

fn add_up(mut set: Healths) {
    let sum: u32 = set.p1().iter().map(|health| health.0).sum();
    set.p0().iter_mut().for_each(|mut health| health.0 = sum);
}

fn plain<'w>(mut nested: ParamSet<'w, '_, (Healths<'w, '_>, ResMut<'w, Score>)>) {
    add_up(nested.p0());
    nested.p1().0 += 1;
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Score>();
    world.spawn(Health(1));
    let enemy = world.spawn((Health(2), Enemy)).id();
    let mut schedule = Schedule::default();
    schedule.add_systems((members, beside_others, rows, add_up, plain));
    schedule.run(&mut world);
    assert_eq!(world.get(enemy), Some(&Health(32)));
    assert_eq!(world.resource::<Score>().0, 3);
}
