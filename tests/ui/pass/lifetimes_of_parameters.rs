use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);
#[derive(Component)]
struct Text(&'static str);
#[derive(Resource)]
struct R(u8);

#[system]
fn elided(a: &mut A, r: Res<R>) {
    a.0 += r.0;
}
#[system]
fn underscored(a: &mut A, r: Res<'_, R>, _all: Query<'_, '_, Entity, With<Text>>) {
    a.0 += r.0;
}
#[system]
fn named<'a>(a: &'a mut A, text: &'a Text) {
    a.0 += text.0.len() as u8;
}
#[system]
fn two<'a, 'b>(a: &'a mut A, text: Option<&'b Text>) {
    a.0 += text.map_or(0, |text| text.0.len() as u8);
}
#[system]
fn world_system<'w, 's>(mut all: Query<'w, 's, &'static mut A>, mut commands: Commands<'w, 's>) {
    for mut a in &mut all {
        a.0 += 1;
    }
    commands.spawn_empty();
}

fn main() {
    let mut world = World::new();
    world.insert_resource(R(1));
    world.spawn((A(0), Text("four")));
    let mut schedule = Schedule::default();
    schedule.add_systems((elided, underscored, named, two, world_system));
    schedule.run(&mut world);
    assert_eq!(world.query::<&A>().single(&world).unwrap().0, 11);
}
