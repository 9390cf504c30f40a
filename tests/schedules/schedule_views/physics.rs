//! A schedule with pipelines, and with a row system for each reason to be in none.

#![expect(elided_lifetimes_in_paths, reason = "as users write it")]

use strata_ecs::prelude::*;

#[derive(Component, Default)]
pub(crate) struct Speed(pub(crate) f32);
#[derive(Component, Default)]
pub(crate) struct Height(pub(crate) f32);
#[derive(Component, Default)]
pub(crate) struct Heat(pub(crate) f32);
#[derive(Resource)]
pub(crate) struct Air(pub(crate) f32);
pub(crate) struct Screen;

#[derive(SystemSet, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Part {
    Motion,
    Warmth,
    Loss,
}

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Step;

#[system]
pub(crate) fn damp(speed: &mut Speed, air: Res<Air>) {
    speed.0 *= 1.0 - air.0;
}

#[system]
pub(crate) fn gravity(speed: &mut Speed) {
    speed.0 -= 1.0;
}

#[system]
pub(crate) fn movement(height: &mut Height, speed: &Speed) {
    height.0 += speed.0;
}

#[system]
fn crash(height: &Height) -> Result {
    if height.0 > -1.0e6 { Ok(()) } else { Err("through the floor".into()) }
}

#[system(changed(Height))]
fn draw(_height: &Height) {}

#[system(par)]
fn glow(heat: &mut Heat) {
    heat.0 += 1.0;
}

#[system(par)]
fn fade(heat: &mut Heat) {
    heat.0 *= 0.5;
}

#[system(par)]
fn burn(id: Entity, heat: &Heat, mut commands: Commands) {
    if heat.0 > 100.0 {
        commands.entity(id).remove::<Heat>();
    }
}

#[system]
fn show(_height: &Height, _screen: NonSend<Screen>) {}

#[system]
fn rise(height: &mut Height) {
    height.0 += 1.0;
}

#[system]
fn cool(heat: &mut Heat) {
    heat.0 -= 1.0;
}

#[system]
fn seek(speed: &mut Speed, heat: Lookup<&Heat>) {
    let _ = (speed, heat);
}

#[system]
fn notice(speed: Ref<Speed>, _height: &Height) {
    let _ = speed.is_changed();
}

#[system(par)]
fn sink(height: &mut Height) {
    height.0 -= 1.0;
}

fn count(_all: Query<&Height>) {}

pub(crate) fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Air(0.1));
    world.insert_non_send(Screen);
    world.spawn_batch((0..1000).map(|number| (Speed(0.0), Height(number as f32), Heat(0.0))));
    world
}

pub(crate) fn schedule() -> Schedule {
    let mut schedule = Schedule::new(Step);
    schedule.add_systems((damp, gravity, movement).in_set(Part::Motion));
    schedule.add_systems((crash, draw, glow.in_set(Part::Warmth), fade.in_set(Part::Loss), burn));
    schedule.add_systems((show, rise, cool, seek, notice, sink, count));
    schedule
}
