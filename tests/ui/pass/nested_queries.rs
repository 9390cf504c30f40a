//! Nested queries that filters keep apart from what is changed, and query data that is generic over what they read.

use strata_ecs::prelude::*;
use strata_ecs::query::{NestedQuery, ReadOnlyQueryData};

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;
#[derive(Component)]
struct Target(Entity);

#[derive(QueryData)]
struct Targeting<D: ReadOnlyQueryData + 'static, F: QueryFilter + 'static = ()> {
    target: &'static Target,
    others: NestedQuery<D, F>,
}

impl<'w, 's, D: ReadOnlyQueryData + 'static, F: QueryFilter + 'static> TargetingItem<'w, 's, D, F> {
    fn get(&self) -> Option<D::Item<'w, 's>> {
        self.others.get_inner(self.target.0).ok()
    }
}

#[system(without(Enemy))]
fn suffer(health: &mut Health, aims: Query<Targeting<&Health, With<Enemy>>>) {
    health.0 -= aims.iter().filter_map(|aim| aim.get()).map(|health| health.0).sum::<u32>();
}

#[system]
fn fight(mut all: Query<(&mut Health, Targeting<&Health, Without<Enemy>>), With<Enemy>>) {
    for (mut health, aim) in &mut all {
        health.0 -= aim.get().map_or(0, |health| health.0);
    }
}

fn main() {
    let mut world = World::new();
    let victim = world.spawn(Health(10)).id();
    let enemy = world.spawn((Health(3), Enemy)).id();
    world.entity_mut(enemy).insert(Target(victim));
    world.spawn(Target(enemy));
    let mut schedule = Schedule::default();
    schedule.add_systems(suffer);
    schedule.run(&mut world);
    assert_eq!(world.get::<Health>(victim).unwrap().0, 7);
    world.get_mut::<Health>(enemy).unwrap().0 = 8;
    Schedule::default().add_systems(fight).run(&mut world);
    assert_eq!(world.get::<Health>(enemy).unwrap().0, 1);
}
