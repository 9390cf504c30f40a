use strata_ecs::component::{Describe, ErasedValue};
use strata_ecs::prelude::*;

#[derive(Describe)]
struct Place {
    x: f32,
}

#[derive(Component)]
struct Body {
    place: Place,
}

fn main() {
    let body = ErasedValue::of(Body { place: Place { x: 1.0 } });
    let place = body.as_ref().field("place").unwrap();
    assert_eq!(place.field("x").unwrap().get(), Some(&1.0_f32));
}
