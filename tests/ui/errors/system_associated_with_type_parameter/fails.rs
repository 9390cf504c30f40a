//! An associated system is a constant, and constants have no type parameters. A function outside of the `impl` may
//! have some.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Timer<T>(T);

struct Clock;

impl Clock {
    #[system(associated)]
    fn reset<T: Default + Send + Sync + 'static>(timer: &mut Timer<T>) {
        timer.0 = T::default();
    }
}

fn main() {
    World::new().spawn(Timer(1));
}
