//! Two components with type parameters are one and the same if their arguments are, whatever they are called. Borrow
//! the component once, or exclude one by a filter.
use strata_ecs::prelude::*;

#[derive(Component)]
struct Timer<T: Send + Sync + 'static>(T);
type Seconds = Timer<f32>;

#[system]
fn tick(timer: &mut Timer<f32>, all: Query<&Seconds>) {
    timer.0 += all.iter().count() as f32;
}

fn main() {
    Schedule::default().add_systems(tick);
}
