//! What an observer can observe is an event, or a moment in the life of components, such as `Add<C>`.
use strata_ecs::event::EventPattern;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn observe<P: EventPattern>() {}

fn main() {
    observe::<Health>();
    assert_eq!(Health(1).0, 1);
}
