#![deny(warnings)]
use strata_ecs::prelude::*;

#[derive(Component)]
struct A(u8);

#[cfg(any())]
#[derive(Component)]
struct Absent(NoSuchType);

#[derive(Component)]
#[cfg_attr(all(), component(storage = "sparse"))]
struct Sparse {
    #[cfg(any())]
    absent: NoSuchType,
    #[cfg(all())]
    present: u8,
}

#[derive(Bundle)]
struct B {
    #[cfg(all())]
    a: A,
    #[cfg(any())]
    absent: Absent,
}

#[derive(QueryData)]
struct Q {
    #[cfg(any())]
    absent: &'static Absent,
    a: &'static A,
}

#[cfg(any())]
#[system]
fn absent(a: &mut Absent) {}

#[system]
#[cfg(any())]
fn absent(a: &mut Absent) {}

#[cfg_attr(all(), system(with(Sparse)))]
fn by_attribute(a: &mut A) {
    a.0 += 1;
}

#[system]
fn parameters(
    a: &mut A,
    #[cfg(any())] absent: &Absent,
    #[cfg(all())] sparse: &Sparse,
    #[cfg(any())] mut absent_param: ResMut<NoSuchType>,
    #[cfg(all())] mut runs: Local<u8>,
) {
    *runs += 1;
    a.0 += sparse.present + *runs;
}

fn main() {
    let mut world = World::new();
    world.spawn((B { a: A(0) }, Sparse { present: 10 }));
    let mut schedule = Schedule::default();
    schedule.add_systems((by_attribute, parameters));
    schedule.run(&mut world);
    assert_eq!(world.query::<Q>().single(&world).unwrap().a.0, 12);
}
