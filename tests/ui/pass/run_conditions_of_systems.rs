#![deny(warnings)]
use strata_ecs::prelude::*;

#[derive(Component, Debug, PartialEq)]
struct A(u32);
#[derive(Resource)]
struct On(bool);
#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

fn on(on: Res<On>) -> bool {
    on.0
}
#[system]
fn even(all: Query<&A>) -> bool {
    all.iter().all(|a| a.0 % 2 == 0)
}
#[system(run_if(on, even))]
fn both(a: &mut A) {
    a.0 += 1;
}
#[system(without(Never), run_if(not(on)))]
fn off(a: &mut A, mut log: ResMut<Log>) {
    a.0 -= 1;
    log.0.push("off");
}
#[derive(Component)]
struct Never;
#[system(run_if(|on: Res<On>| on.0))]
fn closure(mut commands: Commands) -> Result {
    commands.spawn_empty();
    Ok(())
}
#[system(run_if(on))]
fn generic<T: Component>(all: Query<&T>, mut log: ResMut<Log>) {
    assert_eq!(all.count(), 1);
    log.0.push("generic");
}
#[system(run_if(on))]
fn given(In(text): In<&'static str>, mut log: ResMut<Log>) {
    log.0.push(text);
}
struct Systems;
impl Systems {
    #[system(associated, run_if(on.and(even)))]
    fn associated(a: &mut A) {
        a.0 += 10;
    }
}

fn main() {
    let mut world = World::new();
    world.insert_resource(On(true));
    world.init_resource::<Log>();
    let entity = world.spawn(A(2)).id();
    let mut schedule = Schedule::default();
    schedule.add_systems((Systems::associated, both, off, closure, generic::<A>, (|| "given").pipe(given)).chain());
    schedule.run(&mut world);
    assert_eq!(world.get(entity), Some(&A(13)));
    assert_eq!(world.len(), 2);
    assert_eq!(world.resource::<Log>().0, ["generic", "given"]);
    world.insert_resource(On(false));
    schedule.run(&mut world);
    assert_eq!(world.get(entity), Some(&A(12)));
    assert_eq!(world.len(), 2);
    assert_eq!(world.resource::<Log>().0, ["generic", "given", "off"]);
    // Called by hand, a system asks no condition.
    let mut a = A(0);
    both(&mut a);
    assert_eq!(a, A(1));
}
