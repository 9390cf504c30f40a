use strata_ecs::event::EventPattern;
use strata_ecs::prelude::*;

#[derive(Component)]
struct Health(u32);

fn observe<P: EventPattern>() {}

fn main() {
    observe::<Add<Health>>();
    assert_eq!(Health(1).0, 1);
}
