//! An observer observes an event, or a lifecycle event of components, such as `Add<C>`.
use strata_ecs::event::EventPattern;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn observe<P: EventPattern>() {}

fn main() {
    observe::<Health>();
    assert_eq!(Health(1).0, 1);
}
