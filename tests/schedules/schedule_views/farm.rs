//! A schedule in which there is a bit of everything.

use strata_ecs::prelude::*;

#[derive(Component)]
pub(crate) struct Crop<const KIND: usize>(pub(crate) u32);
#[derive(Component)]
pub(crate) struct Ripe;
#[derive(Resource, Default)]
pub(crate) struct Weather {
    pub(crate) rain: u32,
    pub(crate) is_night: bool,
}
#[derive(Resource, Default)]
pub(crate) struct Barn(pub(crate) Vec<u32>);

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Work {
    Field,
    Plants,
    /// Nothing is in it.
    Rest,
    House,
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Day;

pub(crate) fn rain(mut weather: ResMut<'_, Weather>) {
    weather.rain += 1;
}

pub(crate) fn is_day(weather: Res<'_, Weather>) -> bool {
    !weather.is_night
}

pub(crate) fn is_wet(weather: Res<'_, Weather>) -> bool {
    weather.rain > 0
}

pub(crate) fn sow(mut commands: Commands<'_, '_>) {
    commands.spawn(Crop::<1>(0));
    commands.spawn(Crop::<2>(0));
}

#[system]
pub(crate) fn grow<const KIND: usize>(crop: &mut Crop<KIND>, weather: Res<'_, Weather>) {
    crop.0 += weather.rain;
}

pub(crate) fn ripen(all: Query<'_, '_, (Entity, &Crop<1>), Without<Ripe>>, mut commands: Commands<'_, '_>) {
    for (entity, crop) in &all {
        if crop.0 > 2 {
            commands.entity(entity).insert(Ripe);
        }
    }
}

pub(crate) fn weed(mut all: Query<'_, '_, &mut Crop<1>>) {
    all.iter_mut().for_each(|mut crop| crop.0 += 1);
}

pub(crate) fn harvest(world: &mut World) {
    let ripe: Vec<u32> = world.query_filtered::<&Crop<1>, With<Ripe>>().iter(world).map(|crop| crop.0).collect();
    world.resource_mut::<Barn>().0.extend(ripe);
    world.all::<With<Ripe>>().despawn();
}

pub(crate) mod night {
    use strata_ecs::prelude::*;

    use super::Barn;

    /// As the other one, by day.
    pub(crate) fn rain(mut barn: ResMut<'_, Barn>) {
        barn.0.pop();
    }
}

pub(crate) fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Weather>();
    world.init_resource::<Barn>();
    world
}

pub(crate) fn schedule() -> Schedule {
    let mut schedule = Schedule::new(Day);
    schedule.configure_sets((Work::Field.run_if(is_day), Work::Rest, Work::House).chain());
    schedule.configure_sets(Work::Plants.in_set(Work::Field));
    schedule.add_systems((
        rain,
        sow.in_set(Work::Field).after(rain),
        (grow::<1>.after(sow), grow::<2>.after(sow)).in_set(Work::Plants),
        (weed, ripen).in_set(Work::Field),
        harvest.in_set(Work::House).after(ripen).run_if(not(is_wet).or(is_day)),
    ));
    schedule.add_systems((
        (|barn: Res<'_, Barn>| assert!(barn.0.len() < 1000)).in_set(Work::House),
        night::rain.run_if(|weather: Res<'_, Weather>| weather.is_night),
    ));
    schedule
}
