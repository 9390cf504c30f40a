//! A nested query reads what another query changes, or the one that it is in.

use strata_ecs::prelude::*;
use strata_ecs::query::NestedQuery;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Enemy;

#[derive(QueryData)]
#[query_data(mutable)]
struct Own {
    health: &'static mut Health,
    others: NestedQuery<&'static Health>,
}

#[system]
fn own(all: Query<Own>) {
    let _ = all;
}

#[system]
fn first(nested: Query<Option<NestedQuery<&Health>>>, all: Query<&mut Health>) {
    let _ = (nested, all);
}

#[system]
fn second(all: Query<&mut Health, With<Enemy>>, nested: Query<(Entity, NestedQuery<NestedQuery<Ref<Health>>>)>) {
    let _ = (all, nested);
}

#[system]
fn beside_rows(health: &mut Health, nested: Query<NestedQuery<&Health>, Without<Health>>) {
    let _ = (health, nested);
}

#[system(with(Enemy))]
fn beside_rows_kept_apart(health: &mut Health, nested: Query<(&Health, NestedQuery<&Health>), Without<Enemy>>) {
    let _ = (health, nested);
}

#[system]
fn whole(all: Query<EntityMut, With<Enemy>>, nested: Query<NestedQuery<&Health>>) {
    let _ = (all, nested);
}

fn main() {}
