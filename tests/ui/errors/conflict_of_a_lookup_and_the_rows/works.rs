use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Target(f32);
#[derive(Component)]
struct Follows(Entity);

#[system]
fn aim(target: &mut Target, follows: &Follows, others: Lookup<&Position>) {
    if let Ok(other) = others.get(follows.0) {
        target.0 = other.0;
    }
}

#[system]
fn follow(position: &mut Position, target: &Target) {
    position.0 = target.0;
}

fn main() {
    let mut world = World::new();
    let leader = world.spawn(Position(5.0)).id();
    let follower = world.spawn((Position(0.0), Target(0.0), Follows(leader))).id();
    let mut schedule = Schedule::default();
    schedule.add_systems((aim, follow).chain());
    schedule.run(&mut world);
    assert_eq!(world.get::<Position>(follower).unwrap().0, 5.0);
}
