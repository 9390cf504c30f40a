#![deny(warnings)]
use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u32);
#[derive(Component)]
struct Tag<T: Send + Sync + 'static>(T);
#[derive(Resource)]
struct Of<T: Send + Sync + 'static>(T);

// Components with type parameters are told apart, whether they are written out or not.
type Byte = Tag<u8>;
type Word = Tag<u16>;
type Long = Tag<u32>;
#[system]
fn rows(a: &mut Tag<u8>, b: &Tag<u16>, c: &Tag<u32>) {
    a.0 += b.0 as u8 + c.0 as u8;
}
#[system]
fn aliases(a: &mut Byte, b: &Word) {
    a.0 += b.0 as u8;
}
#[system]
fn row_and_query(a: &mut Tag<u8>, all: Query<&Tag<u16>>, hidden: Query<&mut Long, Without<A>>) {
    a.0 += all.iter().count() as u8 + hidden.count() as u8;
}
#[system]
fn resources(mut a: ResMut<Of<u8>>, b: Res<Of<u16>>, c: Option<Res<Of<u32>>>) {
    a.0 += b.0 as u8 + c.map_or(0, |c| c.0 as u8);
}
// Filters about them exclude each other, too.
#[system]
fn filtered(mut with: Query<&mut A, With<Tag<u8>>>, without: Query<&A, Without<Tag<u8>>>) {
    for mut a in &mut with {
        a.0 += without.iter().count() as u32;
    }
}
#[system(without(Tag<u8>))]
fn filtered_rows(a: &mut A, others: Query<&A, With<Tag<u8>>>) {
    a.0 += others.iter().count() as u32;
}
fn plain(mut with: Query<&mut A, With<Tag<u8>>>, without: Query<&A, Without<Byte>>) {
    for mut a in &mut with {
        a.0 += without.iter().count() as u32;
    }
}
// A type of one name in two places is two types.
mod other {
    use strata_ecs::prelude::*;
    #[derive(Component)]
    pub struct A(pub u32);
}
#[system]
fn namesakes(a: &mut A, b: &other::A, c: Query<&mut other::A, Without<A>>) {
    a.0 += b.0 + c.count() as u32;
}
// Of one component, one borrow that writes and things that do not borrow.
#[system]
fn once(a: &mut A, has: Has<A>, entity: Entity, others: Query<Entity, With<A>>, asks: Query<Has<A>>) {
    a.0 += u32::from(has) + entity.index() + others.count() as u32 + asks.count() as u32;
}
// Reading as often as one likes.
#[system]
fn readers(a: &A, b: &A, c: Option<&A>, all: Query<(&A, Option<&A>)>, #[param] world: &World) {
    assert!(a.0 + b.0 + c.map_or(0, |c| c.0) < 1000 && all.count() <= world.len());
}
#[system]
fn generic<T: Component<Mutability = strata_ecs::component::Mutable>, U: Component>(a: &mut T, b: &U, others: Query<&mut T, Without<U>>) {
    let _ = (a, b, others.count());
}

fn main() {
    let mut world = World::new();
    world.insert_resource(Of(1_u8));
    world.insert_resource(Of(1_u16));
    world.spawn((A(1), Tag(1_u8), Tag(2_u16), Tag(3_u32), other::A(1)));
    let mut schedule = Schedule::default();
    schedule.add_systems((rows, aliases, row_and_query, resources, filtered, filtered_rows, plain));
    schedule.add_systems((namesakes, once, readers, generic::<A, other::A>, generic::<Tag<u8>, Tag<u16>>));
    schedule.run(&mut world);
    world.check_invariants();
}
