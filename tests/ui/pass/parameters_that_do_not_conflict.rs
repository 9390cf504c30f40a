//! Everything that two parameters may borrow side by side.

use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component)]
struct Armor<T: Send + Sync + 'static>(T);
#[derive(Component)]
struct Enemy;
#[derive(Component)]
#[component(storage = "sparse")]
struct Marked;
#[derive(Resource, Default)]
struct Score(u32);
#[derive(Resource, Default)]
struct Level(u32);

#[system]
fn reads(a: &Health, b: &Health, c: Option<&Health>, d: Query<&Health>, e: Res<Score>, f: Res<Score>) {
    assert_eq!(a.0 + b.0 + c.unwrap().0 + e.0 + f.0, 3 * a.0);
    assert!(d.iter().count() > 0);
}

#[system]
fn different(a: &mut Health, b: &mut Armor<u8>, c: &Armor<u16>, d: Has<Health>, e: ResMut<Score>, f: ResMut<Level>) {
    a.0 += u32::from(b.0) + u32::from(c.0) + e.0 + f.0 + u32::from(d);
    b.0 += 1;
}

#[system]
fn disjoint(
    mut a: Query<&mut Health, With<Enemy>>,
    b: Query<&Health, (Without<Enemy>, Without<Marked>)>,
    c: Query<&mut Health, (Without<Enemy>, With<Marked>)>,
    d: Query<&Marked, Without<Health>>,
) {
    a.iter_mut().for_each(|mut health| health.0 += 1);
    let _ = (b.iter().count(), d.iter().count(), c.iter().count());
}

#[system]
fn demanded_by_data(mut a: Query<(&mut Health, &Enemy)>, b: Query<&Health, Without<Enemy>>) {
    a.iter_mut().for_each(|(mut health, _)| health.0 += 1);
    assert_eq!(b.iter().count(), 1);
}

#[system(with(Enemy))]
fn rows_and_others(health: &mut Health, others: Query<&Health, Without<Enemy>>) {
    health.0 += others.iter().count() as u32;
}

#[system]
fn row_data_excludes(health: &mut Health, _enemy: &Enemy, others: Query<&Health, Without<Enemy>>) {
    health.0 += others.iter().count() as u32;
}

/// Both variants borrow `Health` mutably: an entity yields one of them. Both demand it.
#[derive(QueryData)]
#[query_data(mutable)]
enum Living {
    Enemy { health: &'static mut Health, enemy: &'static Enemy },
    Other(&'static mut Health, Option<&'static Armor<u8>>),
}

#[system]
fn enums(
    mut a: Query<Living>,
    b: Query<&mut Enemy, Without<Health>>,
    c: Query<AnyOf<((&Level1, &Marked), (&mut Level2, &Marked))>>,
    d: Query<&Level2, Without<Marked>>,
) {
    for item in &mut a {
        match item {
            LivingItem::Enemy { health, enemy: _ } => assert!(health.0 > 0),
            LivingItem::Other(mut health, _) => health.0 += 0,
        }
    }
    let _ = (b.count(), c.count(), d.count());
}
#[derive(Component)]
struct Level1(u32);
#[derive(Component)]
struct Level2(u32);

#[derive(QueryFilter)]
struct MarkedEnemy {
    enemy: With<Enemy>,
    marked: With<Marked>,
}
#[derive(QueryFilter)]
struct Friend<T: Component>(Without<T>, Without<Marked>);
#[derive(QueryFilter)]
struct Nested(Friend<Enemy>, With<Health>);

#[system]
fn derived_filters(
    a: Query<&mut Health, MarkedEnemy>,
    b: Query<&mut Health, Friend<Armor<u8>>>,
    c: Query<&mut Level1, (Nested, Without<Level2>)>,
    d: Query<&mut Level1, (MarkedEnemy, Or<(MarkedEnemy, With<Level2>)>)>,
    e: Query<&mut Level2, Without<Enemy>>,
    f: Query<&mut Level2, MarkedEnemy>,
) {
    let _ = (a.count(), b.count(), c.count(), d.count(), e.count(), f.count());
}

#[system]
fn local_twice(mut a: Local<u32>, mut b: Local<u32>, _c: Commands, _d: Commands) {
    *a += 1;
    *b += 2;
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Score>();
    world.init_resource::<Level>();
    let enemy = world.spawn((Health(1), Enemy)).id();
    world.spawn((Health(1), Armor(1u8), Armor(2u16)));
    let mut schedule = Schedule::default();
    schedule.add_systems((reads, different, demanded_by_data, rows_and_others, row_data_excludes, local_twice, enums, derived_filters));
    schedule.run(&mut world);
    assert_eq!(world.get(enemy), Some(&Health(4)));
    let _ = (disjoint, Level1(1).0, Level2(2).0);
}
