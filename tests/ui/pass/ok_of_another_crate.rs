use strata_ecs::prelude::*;

mod anyhow {
    #[allow(non_snake_case)]
    pub fn Ok<T>(value: T) -> ::std::result::Result<T, ::std::string::String> {
        ::std::result::Result::Ok(value)
    }
}
use anyhow::Ok;

#[derive(Component)]
struct A(u8);

#[system]
fn row(a: &mut A) -> ::std::result::Result<(), BoxError> {
    a.0 += 1;
    ::std::result::Result::Ok(())
}

#[system]
fn plain(a: &mut A) {
    a.0 += 1;
}

fn main() {
    let mut world = World::new();
    world.spawn(A(0));
    let mut schedule = Schedule::default();
    schedule.add_systems((row, plain));
    schedule.run(&mut world);
    let value = Ok(world.query::<&A>().single(&world).unwrap().0);
    assert_eq!(value, ::std::result::Result::Ok(2));
}
