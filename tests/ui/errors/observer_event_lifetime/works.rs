use strata_ecs::prelude::*;

#[derive(Event)]
struct Said(String);

fn main() {
    let mut said = Said("hello".into());
    World::new().trigger_ref(&mut said);
    assert_eq!(said.0, "hello");
}
