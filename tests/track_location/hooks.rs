//! The context of a hook.
#![expect(elided_lifetimes_in_paths, reason = "hooks as users write them")]

use std::sync::{Arc, Mutex};

use strata_ecs::component::HookContext;
use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;

/// The callers that have caused hooks to run.
#[derive(Resource, Default, Clone)]
struct Callers(Arc<Mutex<Vec<String>>>);

fn note(world: DeferredWorld, context: HookContext) {
    world.resource::<Callers>().0.lock().unwrap().push(context.caller.to_string());
}

#[derive(Component)]
#[component(on_add = note)]
struct Placed;

#[test]
fn a_hook_knows_what_has_caused_it() {
    let mut world = World::new();
    let callers = Callers::default();
    world.insert_resource(callers.clone());
    world.spawn(Placed);
    let direct = line!() - 1;
    world.commands().spawn(Placed);
    let recorded = line!() - 1;
    world.flush();
    let callers = callers.0.lock().unwrap();
    assert!(callers[0].contains(&format!("hooks.rs:{direct}:")), "{}", callers[0]);
    assert!(callers[1].contains(&format!("hooks.rs:{recorded}:")), "{}", callers[1]);
    assert_eq!(callers.len(), 2);
}
