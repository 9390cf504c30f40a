//! Changes: each form in which a program may ask for them.
#![deny(warnings, missing_docs)]

use strata_ecs::prelude::*;

/// Tracked in worlds in which a system asks.
#[derive(Component, Debug, PartialEq, Clone)]
#[component(track = "on_demand")]
pub struct Health(u32);
/// Always tracked.
#[derive(Component)]
#[component(track = "always", storage = "sparse", clone = "never")]
pub struct Burning<T: Send + Sync + 'static>(T);
/// Never tracked; to write and read it is no matter.
#[derive(Component, Default)]
#[component(track = "never")]
pub struct Scratch(u32);
/// Private components in public systems.
#[derive(Component)]
struct Secret(u32);
#[derive(Resource, Default)]
struct Calls(Vec<&'static str>);

type Hurt = Changed<Health>;
type Watch<'a> = strata_ecs::change::Ref<'a, Health>;

/// Every option at once.
#[system(
    added(Health, Burning<u8>),
    changed(Secret),
    with(Scratch),
    without(Burning<u16>),
    any(Health, Secret),
    run_if(always)
)]
pub fn options(entity: Entity, secret: &mut Secret, mut calls: ResMut<Calls>) -> Result {
    assert!(entity.index() < 9);
    secret.0 += 1;
    calls.0.push("options");
    Ok(())
}

fn always() -> bool {
    true
}

mod by_path {
    #[strata_ecs::prelude::system(changed(super::Health,),)]
    pub(super) fn qualified(
        health: strata_ecs::prelude::Ref<'_, super::Health>,
        mut secret: std::option::Option<strata_ecs::change::Mut<super::Secret>>,
        burning: Option<strata_ecs::prelude::Ref<super::Burning<u8>>>,
        #[row] watch: super::Watch,
        #[row] maybe: Option<super::Watch<'_>>,
        mut calls: strata_ecs::prelude::ResMut<super::Calls>,
    ) {
        use strata_ecs::prelude::DetectChanges as _;
        assert!(health.is_changed() && watch.is_changed() && maybe.is_some());
        if let (Some(secret), Some(burning)) = (&mut secret, burning) {
            secret.0 += u32::from(burning.0);
        }
        calls.0.push("qualified");
    }
}

/// What has the name of ours is told apart by a mark.
mod own {
    use strata_ecs::prelude::{Query, SystemParam, system};

    #[derive(SystemParam)]
    pub struct Ref<'w, 's, T: strata_ecs::prelude::Component> {
        all: Query<'w, 's, &'static T>,
    }

    #[system]
    pub fn marked(health: &super::Health, #[param] own: Ref<super::Health>) {
        assert!(own.all.count() > 0 && health.0 < 99);
    }
}

/// A system may write what it asks the changes of, and what is never tracked.
#[system(changed(Health), added(Burning<u8>))]
fn own_writes(health: &mut Health, mut burning: Mut<Burning<u8>>, scratch: &mut Scratch, mut calls: ResMut<Calls>) {
    health.0 += 1;
    burning.0 += 1;
    scratch.0 += 1;
    calls.0.push("own_writes");
}

/// Two that look for the same, and one that writes others.
#[system(changed(Health))]
fn side_by_side(
    health: Ref<Health>,
    again: &Health,
    hurt: Query<Ref<Health>, Hurt>,
    both: Query<Entity, Or<(Changed<Health>, Added<Burning<u8>>)>>,
    mut set: ParamSet<(Query<&mut Secret>, Query<Entity, Changed<Secret>>)>,
    mut calls: ResMut<Calls>,
) {
    assert_eq!(health.0, again.0);
    assert!(hurt.count() <= both.count());
    set.p0().iter_mut().for_each(|mut secret| secret.0 += 1);
    calls.0.push("side_by_side");
}

/// Filters that exclude each other.
#[system(changed(Burning<u8>), without(Secret))]
fn excluded(_: Entity, mut others: Query<&mut Burning<u8>, With<Secret>>) {
    others.iter_mut().for_each(|mut burning| burning.0 += 1);
}

/// A query writes what it filters by.
fn own_query(mut all: Query<(&mut Health, Ref<Secret>), (Changed<Health>, Added<Health>)>) {
    all.iter_mut().for_each(|(mut health, secret)| health.0 += secret.0);
}

/// Any component.
#[system(changed(T), added(Burning<T>))]
pub fn generic<'a, T: Component>(value: Ref<'a, T>, burning: Option<Ref<'a, Burning<T>>>) {
    assert!(value.is_changed() && burning.is_some());
}

/// Data.
#[derive(QueryData)]
#[query_data(mutable, derive(Debug))]
pub struct Report {
    entity: Entity,
    health: Ref<'static, Health>,
    old: Option<Ref<'static, Health>>,
    secret: Has<Secret>,
}

/// Data of one kind or another.
#[derive(QueryData)]
pub enum Either {
    /// The one.
    Burning(Ref<'static, Burning<u8>>, Ref<'static, Health>),
    /// The other.
    Health(Ref<'static, Health>),
}

/// A filter.
#[derive(QueryFilter)]
pub struct Fresh<T: Component> {
    added: Added<T>,
    either: Or<(Changed<Health>, Changed<T>)>,
}

/// A filter of filters.
#[derive(QueryFilter)]
struct Nested(Fresh<Health>, Hurt, With<Health>);

fn derived(reports: Query<Report, Nested>, either: Query<Either>, fresh: Query<Entity, Or<(Fresh<Secret>, Nested)>>) {
    assert!(reports.count() <= either.count() && fresh.count() < 9);
}

impl Scratch {
    #[system(associated, changed(Health))]
    fn associated(scratch: &mut Scratch, health: Ref<Health>) {
        scratch.0 += health.0;
    }
}

fn main() {
    let mut world = World::new();
    world.init_resource::<Calls>();
    let entity = world.spawn((Health(1), Burning(1_u8), Secret(1), Scratch(1))).id();
    let mut schedule = Schedule::default();
    schedule.add_systems((options, by_path::qualified, own::marked, own_writes, side_by_side, excluded));
    schedule.add_systems((own_query, derived, generic::<Health>, Scratch::associated));
    schedule.run(&mut world);
    schedule.run(&mut world);
    let calls = world.resource::<Calls>().0.join(" ");
    assert_eq!(calls, "options qualified own_writes side_by_side qualified side_by_side");
    assert!(world.get::<Scratch>(entity).unwrap().0 > 2);
}
