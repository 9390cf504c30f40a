#![deny(warnings)]
use strata_ecs::prelude::*;

#[derive(Component, Clone, Copy)]
struct Pos {
    x: f32,
    y: f32,
}
#[derive(Component)]
struct Pair(u8, (u8, u8));
#[derive(Resource)]
struct R(u8);

#[system]
fn structs(&Pos { x, y: top }: &Pos, Pair(first, (_, last)): &mut Pair) {
    *first = x as u8;
    *last = top as u8;
}
#[system]
fn wildcards(_: &Pos, _pair: &mut Pair, _: Entity, _: Res<R>, _: Has<Pos>) {}
#[system]
fn muts(mut pos: Mut<Pos>, mut r: ResMut<R>, mut entity: Entity, mut has: Has<Pos>) {
    pos.x += 1.0;
    r.0 += 1;
    if has {
        entity = Entity::PLACEHOLDER;
        has = false;
    }
    let _ = (entity, has);
}
#[system]
fn bound(whole @ &Pos { x, .. }: &Pos, Pair(first, ..): &mut Pair) {
    assert_eq!(whole.x, x);
    *first += 1;
}
#[system]
fn tuples((mut r, all): (ResMut<R>, Query<&Pos>), pair: &Pair) {
    r.0 += all.count() as u8 + pair.0;
}

fn main() {
    let mut world = World::new();
    world.insert_resource(R(0));
    world.spawn((Pos { x: 3.0, y: 4.0 }, Pair(0, (0, 0))));
    let mut schedule = Schedule::default();
    schedule.add_systems((structs, wildcards, muts, bound, tuples));
    schedule.run(&mut world);
    let pair = world.query::<&Pair>().single(&world).unwrap();
    assert_eq!((pair.0, pair.1.1, world.resource::<R>().0), (4, 4, 6));
}
