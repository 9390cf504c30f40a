//! Requirements that are added to a world at run time.

use strata_ecs::component::RequiredComponentsError;
use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component, Debug, PartialEq, Default)]
struct Value(u32);
#[derive(Component, Default)]
struct Plain;
#[derive(Component, Default)]
#[require(Plain)]
struct Upper;
#[derive(Component, Default)]
#[component(storage = "sparse")]
struct Apart;

#[test]
fn a_requirement_reaches_all_components_that_require_the_component() {
    let mut world = World::new();
    // The cached requirements of these bundles are computed again.
    let id = world.spawn_empty().remove::<(Upper, Plain)>().id();
    world.commands().entity(id).remove::<Upper>();
    world.flush();
    world.register_required_components::<Plain, Value>();
    assert_eq!(world.entity_mut(id).insert(Upper).get(), Some(&Value(0)));
    assert_eq!(world.spawn(Upper).get(), Some(&Value(0)));
    assert_eq!(world.spawn((Upper, Plain)).get(), Some(&Value(0)));
    world.check_invariants();
}

#[test]
fn the_own_requirement_counts_in_whatever_order_it_was_added() {
    for order in [[0, 1], [1, 0]] {
        let mut world = World::new();
        for step in order {
            match step {
                0 => world.register_required_components_with::<Upper, Value>(|| Value(7)),
                _ => world.register_required_components_with::<Plain, Value>(|| Value(5)),
            }
        }
        assert_eq!(world.spawn(Upper).get(), Some(&Value(7)));
        assert_eq!(world.spawn(Plain).get(), Some(&Value(5)));
    }
}

#[test]
fn chains_grow_from_any_end() {
    #[derive(Component, Default)]
    struct A;
    #[derive(Component, Default)]
    struct B;
    #[derive(Component, Default)]
    struct C;
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
        let mut world = World::new();
        for step in order {
            match step {
                0 => world.register_required_components::<A, B>(),
                1 => world.register_required_components::<B, C>(),
                _ => world.register_required_components::<C, Apart>(),
            }
        }
        let entity = world.spawn(A);
        assert!(entity.contains::<B>() && entity.contains::<C>() && entity.contains::<Apart>());
        world.check_invariants();
    }
}

#[test]
fn what_cannot_be_required_is_an_error_that_names_both() {
    use RequiredComponentsError::{CyclicRequirement, DuplicateRegistration, InUse};
    let mut world = World::new();
    let error = world.try_register_required_components::<Upper, Plain>().unwrap_err();
    assert!(
        matches!(error, DuplicateRegistration { requiree, required } if requiree.ends_with("Upper") && required.ends_with("Plain"))
    );
    let error = world.try_register_required_components::<Plain, Upper>().unwrap_err();
    assert!(
        matches!(error, CyclicRequirement { requiree, required } if requiree.ends_with("Plain") && required.ends_with("Upper"))
    );
    let error = world.try_register_required_components::<Plain, Plain>().unwrap_err();
    assert!(error.to_string().ends_with("Plain` cannot require itself"), "{error}");
    world.spawn(Upper);
    let error = world.try_register_required_components::<Plain, Value>().unwrap_err();
    assert!(
        matches!(error, InUse { requiree, required } if requiree.ends_with("Plain") && required.ends_with("Value"))
    );
    let text = expect_panic(|| world.register_required_components::<Plain, Value>());
    assert_eq!(text, error.to_string());
    assert!(text.contains("an entity has it already"), "{text}");
    assert!(world.entity_mut(Entity::from_raw_u32(0).unwrap()).get::<Value>().is_none());
    let apart = world.spawn(Apart).id();
    assert!(matches!(world.try_register_required_components::<Apart, Value>(), Err(InUse { .. })));
    world.despawn(apart);
    world.try_register_required_components::<Apart, Value>().unwrap();
    assert_eq!(world.spawn(Apart).get(), Some(&Value(0)));
}

#[test]
fn one_world_knows_nothing_of_what_another_requires() {
    let (mut world, mut other) = (World::new(), World::new());
    world.register_required_components::<Plain, Value>();
    assert!(!other.spawn(Plain).contains::<Value>());
    assert!(world.spawn(Plain).contains::<Value>());
    world.clear_entities();
    world.shrink_to_fit();
    assert!(world.spawn(Plain).contains::<Value>());
}

#[test]
fn commands_that_were_recorded_before_go_by_it() {
    let mut world = World::new();
    let ids = [0; 20].map(|_| world.spawn_empty().id());
    // The shape of these commands is remembered.
    for id in ids {
        world.commands().entity(id).remove::<Plain>().insert(Other(1));
    }
    world.flush();
    for id in ids {
        world.commands().entity(id).insert(Plain);
    }
    world.register_required_components::<Plain, Value>();
    world.flush();
    assert!(ids.iter().all(|id| world.get(*id) == Some(&Value(0))));
    world.check_invariants();
}

#[test]
fn a_command_may_add_a_requirement_between_others() {
    let mut world = World::new();
    let ids = [0; 4].map(|_| world.spawn_empty().id());
    for id in ids {
        world.commands().entity(id).insert(Other(1)).remove::<Plain>();
    }
    world.flush();
    let mut commands = world.commands();
    commands.entity(ids[0]).insert(Other(1)).remove::<Plain>();
    commands.queue(World::register_required_components::<Other2, Value>);
    for id in ids {
        commands.entity(id).insert(Other(1)).remove::<Plain>();
        commands.entity(id).insert(Other2);
    }
    world.flush();
    assert!(ids.iter().all(|id| world.get(*id) == Some(&Value(0))));
}

#[derive(Component)]
struct Other2;
