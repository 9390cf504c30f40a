#![deny(warnings)]
use strata_ecs::prelude::*;

#[derive(Component)]
pub struct A(u32);

mod left {
    use super::*;
    #[system]
    pub fn update(a: &mut A) {
        a.0 += 1;
    }
}
mod right {
    use super::*;
    #[system]
    pub fn update(a: &mut A) {
        a.0 += 10;
    }
}
/// A type and a function may share the name of a system's module.
mod update {
    use super::*;
    #[system]
    pub fn update(a: &mut A) {
        a.0 += 100;
    }
}

fn main() {
    #[system]
    fn update(a: &mut A) {
        a.0 += 1000;
    }
    let mut world = World::new();
    world.spawn(A(0));
    let mut schedule = Schedule::default();
    schedule.add_systems((left::update, right::update, self::update::update, update));
    schedule.run(&mut world);
    assert_eq!(world.query::<&A>().single(&world).unwrap().0, 1111);
}
