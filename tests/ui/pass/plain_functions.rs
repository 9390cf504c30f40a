#![deny(warnings)]
use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u32);
#[derive(Resource, Default)]
struct R(u32);

fn nothing() {}
fn read(all: Query<&A>, r: Res<R>) {
    assert_eq!(all.count() as u32, r.0);
}
fn write(mut all: Query<&mut A, Without<B>>, others: Query<&A, With<B>>, mut r: ResMut<R>) {
    for mut a in &mut all {
        a.0 += others.count() as u32;
    }
    r.0 = 2;
}
#[derive(Component)]
struct B;
fn exclusive(world: &mut World) {
    world.spawn((A(5), B));
}
fn shared(world: &World, mut runs: Local<u32>) {
    *runs += 1;
    assert!(world.len() > 0);
}
fn fallible(r: Option<Res<R>>) -> Result {
    r.ok_or("no R")?;
    Ok(())
}
fn commanding(mut commands: Commands) {
    commands.spawn(A(1));
}
fn generic<T: Component>(_: Query<&T>) {}

fn main() {
    let mut world = World::new();
    world.init_resource::<R>();
    let mut schedule = Schedule::default();
    schedule.add_systems((nothing, commanding, exclusive, write, read, shared, fallible, generic::<A>, |_: Res<R>| {}).chain());
    schedule.run(&mut world);
}
