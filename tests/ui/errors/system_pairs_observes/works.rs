use strata_ecs::prelude::*;

#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Speed(f32);
#[derive(Relation)]
struct Hunting;

#[derive(EntityEvent)]
struct Growl(Entity);

#[system]
fn pursue(growl: On<Growl>, place: &mut Place) {
    let _ = growl;
    place.0 += 1.0;
}

fn main() {
    let mut world = World::new();
    world.add_observer(pursue);
    let hunter = world.spawn((Place(1.0), Speed(0.0))).id();
    world.trigger(Growl(hunter));
}
