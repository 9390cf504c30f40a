use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[system(pairs = Hunting)]
fn pursue(at: &Place, #[target] speed: &mut Speed) {
    speed.0 += at.0;
}

fn main() {
    let mut world = World::new();
    let prey = world.spawn((Place(3.0), Speed(0.0))).id();
    let hunter = world.spawn((Place(1.0), Speed(0.0))).id();
    world.relate(hunter, Hunting, prey);
    world.run_system_once(pursue).unwrap();
}
