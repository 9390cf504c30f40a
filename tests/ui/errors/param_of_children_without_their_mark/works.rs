use strata_ecs::prelude::*;

#[derive(Component)]
struct Size(f32);

#[system(up = ChildOf)]
fn add(size: &mut Size, #[children] children: ChildRows<&Weight>) {
    size.0 += children.map(|child| child.0).sum::<f32>();
}

#[derive(Component)]
struct Weight(f32);

// The list of the row itself.
#[system(up = ChildOf)]
fn count(size: &mut Size, children: &Children) {
    size.0 += children.len() as f32;
}
#[system(up = ChildOf)]
fn weigh(size: &mut Size, #[row] children: &Weight) {
    size.0 += children.0;
}

fn main() {
    let mut world = World::new();
    let root = world.spawn((Size(1.0), Weight(0.0))).id();
    world.spawn((Size(2.0), Weight(0.5), ChildOf(root)));
    let mut schedule = Schedule::default();
    schedule.add_systems((add, count, weigh));
    schedule.run(&mut world);
}
