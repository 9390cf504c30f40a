#![deny(warnings)]
use strata_ecs::prelude::*;
use strata_ecs::Entity as Id;

#[derive(Component)]
struct A(u32);
#[derive(Component)]
struct B(u32);
#[derive(Resource)]
struct R(u32);

type MutA<'a> = &'a mut A;
type SmartA<'a> = Mut<'a, A>;
type MaybeB<'a> = Option<&'a B>;
type MaybeMutB<'a> = Option<&'a mut B>;
type HasB = Has<B>;
type Total<'a> = ResMut<'a, R>;
type Bs<'w, 's> = Query<'w, 's, &'static B>;

#[system]
fn aliases_of_rows(#[row] a: MutA<'_>, #[row] b: MaybeB<'_>, #[row] id: Id) {
    a.0 += b.map_or(0, |b| b.0) + id.index();
}
#[system]
fn aliases_of_smart_rows(#[row] mut a: SmartA<'_>, #[row] b: MaybeMutB<'_>, #[row] has: bool_of::HasB) {
    assert_eq!(b.is_some(), has);
    a.0 += 1;
    if let Some(b) = b {
        b.0 += 1;
    }
}
mod bool_of {
    pub(super) type HasB = super::HasB;
}
// An alias of a system parameter needs no mark, but may have one.
#[system]
fn aliases_of_parameters(a: &A, mut total: Total<'_>, #[param] all: Bs<'_, '_>) {
    total.0 += a.0 + all.iter().map(|b| b.0).sum::<u32>();
}
#[system]
fn the_world(#[param] world: &World) -> usize {
    world.len()
}

// A system parameter with the name of something that a row has.
mod game {
    use strata_ecs::prelude::*;
    #[derive(SystemParam)]
    pub struct Entity<'w> {
        pub total: Res<'w, super::R>,
    }
}
#[system]
fn names_of_ours(a: &A, #[param] entity: game::Entity) {
    assert!(a.0 > 0 && entity.total.0 > 0);
}

fn main() {
    let mut world = World::new();
    world.insert_resource(R(0));
    world.spawn((A(1), B(2)));
    world.spawn(A(1));
    let mut schedule = Schedule::default();
    schedule.add_systems((aliases_of_rows, aliases_of_smart_rows, aliases_of_parameters, names_of_ours).chain());
    schedule.run(&mut world);
    assert_eq!(world.run_system_once(the_world).unwrap(), 2);
    assert_eq!(world.resource::<R>().0, (1 + 2 + 1) + (1 + 1 + 1) + 2 * 3);
}
