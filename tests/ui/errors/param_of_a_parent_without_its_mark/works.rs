use strata_ecs::prelude::*;

#[derive(Component)]
struct Offset(f32);
#[derive(Component)]
struct Place(f32);
#[derive(Component)]
struct Parent(u32);

#[system(down = ChildOf)]
fn put(offset: &Offset, place: &mut Place, #[parent] parent: Option<&Place>) {
    place.0 = offset.0 + parent.map_or(0.0, |parent| parent.0);
}

// What is meant to be of the row, and says so by its mark, its type or its name.
#[system(down = ChildOf)]
fn of_the_row(#[row] parent: &Offset, place: &mut Place) {
    place.0 = parent.0;
}
#[system(down = ChildOf)]
fn of_the_link(parent: &ChildOf, _: &Place, own: &Offset) {
    assert!(parent.parent().index() < 2 && own.0 > 0.0);
}
#[system(down = ChildOf)]
fn of_the_same_name(parent: &Parent, _: &Place) {
    assert_eq!(parent.0, 3);
}
#[system(down = ChildOf)]
fn looked_up(place: &Place, parent: Lookup<&Parent>) {
    assert!(place.0 > 0.0 && parent.get(Entity::PLACEHOLDER).is_err());
}

fn main() {
    let mut world = World::new();
    let root = world.spawn((Offset(1.0), Place(0.0), Parent(3))).id();
    world.spawn((Offset(2.0), Place(0.0), ChildOf(root)));
    let mut schedule = Schedule::default();
    schedule.add_systems((put, of_the_row, of_the_link, of_the_same_name, looked_up));
    schedule.run(&mut world);
}
