//! Changes of a component that is never tracked: in everything that a `#[system]` may ask for them with.

use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);
#[derive(Component)]
#[component(track = "never")]
struct Scratch(u32);
#[derive(Component)]
#[component(track = "never", storage = "sparse")]
struct Cache<T: Send + Sync + 'static>(T);
type Hidden = Cache<u8>;

#[derive(QueryData)]
struct Report {
    health: &'static Health,
    scratch: Option<Ref<'static, Scratch>>,
}

#[derive(QueryFilter)]
struct Fresh(With<Health>, Changed<Scratch>);

#[derive(SystemParam)]
struct Reports<'w, 's> {
    healths: Query<'w, 's, &'static Health>,
    fresh: Query<'w, 's, &'static Health, Fresh>,
}

#[system]
fn row(health: &Health, scratch: Ref<Scratch>) {
    assert!(health.0 < 9 && scratch.0 < 9);
}

#[system(added(Health, Scratch))]
fn added(health: &Health) {
    assert!(health.0 < 9);
}

#[system(changed(Cache<Health>))]
fn changed(health: &Health) {
    assert!(health.0 < 9);
}

#[system]
fn data(all: Query<(Entity, Ref<Hidden>)>) {
    assert!(all.iter().all(|(_, cache)| cache.0 < 9));
}

#[system]
fn filter(all: Query<Entity, Or<(With<Health>, Added<Scratch>)>>) {
    assert!(all.count() < 9);
}

#[system]
fn lookup(health: &Health, all: Lookup<Ref<Scratch>>) {
    assert!(health.0 < 9 && all.get(Entity::PLACEHOLDER).is_err());
}

#[system]
fn set(mut set: ParamSet<(Query<&Health>, Query<AnyOf<(&Health, Ref<Scratch>)>>)>) {
    assert!(set.p0().count() < 9);
}

#[system]
fn derived(all: Query<Report>) {
    assert!(all.iter().all(|report| report.health.0 < 9 && report.scratch.is_none()));
}

#[system]
fn param(reports: Reports) {
    assert!(reports.healths.count() < 9 && reports.fresh.count() < 9);
}

fn main() {
    Schedule::default().add_systems((row, added, changed, data, filter, lookup, set, derived, param));
    World::new().spawn((Scratch(1), Cache(1_u8)));
}
