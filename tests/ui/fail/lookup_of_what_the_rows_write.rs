use strata_ecs::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Target(Entity);
#[derive(Component)]
struct Fixed;

#[system]
fn follow(position: &mut Position, target: &Target, targets: Lookup<&Position>) {
    position.0 = targets.get(target.0).map_or(0.0, |position| position.0);
}

#[system(without(Fixed))]
fn filtered(targets: Lookup<(Entity, Option<&Position>), With<Target>>, position: Mut<Position>) {
    let _ = (targets, position);
}

#[system]
fn optional(position: Option<&mut Position>, targets: (Lookup<&Position>, Lookup<&Target>)) {
    let _ = (targets, position);
}

#[system]
fn queries(targets: Lookup<&Position>, mut all: Query<&mut Position>) {
    let _ = (targets, all.iter_mut());
}

fn main() {}
