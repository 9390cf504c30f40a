//! A field may be private, and code of the type's owner may rely on it not being changed by others. So only plain data can be read
//! through the name of a field: numbers, texts, entities, and options and lists of these. The fields of a field have names, too.
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
    assert_eq!(place.get::<Place>().unwrap().x, 1.0);
}
