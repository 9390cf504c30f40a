use strata_ecs::prelude::*;

#[derive(Resource)]
struct Total(u32);

fn points() -> u32 {
    3
}

fn add(In(points): In<u32>, mut total: ResMut<Total>) {
    total.0 += points;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Total(1));
    let mut schedule = Schedule::default();
    schedule.add_systems(points.pipe(add));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Total>().0, 4);
}
