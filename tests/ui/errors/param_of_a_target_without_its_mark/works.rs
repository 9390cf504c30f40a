use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting)]
fn pursue(speed: &mut Speed, at: &Place, #[target] target: &Place) {
    speed.0 = target.0 - at.0;
}

#[system(pairs = Hunting)]
fn look(speed: &mut Speed, #[target] target: Entity) {
    speed.0 = target.index() as f32;
}

/// Where something goes: a component of the entity itself.
#[derive(Component)]
struct Target(f32);

#[system(pairs = Hunting)]
fn aim(speed: &mut Speed, target: &Target, #[target] prey: &Place) {
    speed.0 = target.0 - prey.0;
}

fn main() {
    let mut world = World::new();
    let prey = world.spawn((Place(3.0), Speed(0.0))).id();
    let hunter = world.spawn((Place(1.0), Speed(0.0), Target(1.0))).id();
    world.relate(hunter, Hunting, prey);
    let mut schedule = Schedule::default();
    schedule.add_systems((pursue, look, aim));
    schedule.run(&mut world);
}
