//! A user in an older edition who depends on an engine only, not on strata-ecs.
#![forbid(unsafe_code)]
#![deny(missing_docs, warnings, rust_2018_idioms)]

use strata_user_facade::ecs::prelude::*;

/// A count.
#[derive(Component, Debug)]
#[component(crate = strata_user_facade::ecs)]
pub struct Count(pub u32);

/// It does not count.
#[derive(Component, Debug)]
#[component(storage = "sparse", crate = strata_user_facade::ecs)]
pub struct Idle;

/// An amount to add.
#[derive(Resource, Debug)]
#[resource(crate = strata_user_facade::ecs)]
pub struct Amount(pub u32);

/// A bundle.
#[derive(Bundle, Debug)]
#[bundle(crate = strata_user_facade::ecs)]
pub struct Counter {
    /// The count.
    pub count: Count,
}

/// A query.
#[derive(QueryData)]
#[query_data(crate = strata_user_facade::ecs)]
pub struct Counting {
    /// The count.
    pub count: &'static Count,
    /// Whether it is idle.
    pub idle: Has<Idle>,
}

/// Adds to what is not idle.
#[system(without(Idle), crate = strata_user_facade::ecs)]
pub fn add(count: &mut Count, amount: Res<'_, Amount>) {
    count.0 += amount.0;
}

/// Adds up what is not idle.
#[system(crate = strata_user_facade::ecs)]
pub fn sum(all: Query<'_, '_, Counting>, mut amount: ResMut<'_, Amount>) {
    amount.0 = all.iter().filter(|item| !item.idle).map(|item| item.count.0).sum();
}

#[test]
fn a_user_of_a_facade_in_an_older_edition_works() {
    let mut world = World::new();
    world.insert_resource(Amount(5));
    world.spawn(Counter { count: Count(1) });
    world.spawn((Count(10), Idle));
    let mut schedule = Schedule::default();
    schedule.add_systems((add, sum));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Amount>().0, 6);
}
