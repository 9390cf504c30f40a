//! `insert_if_new`: only the components of the bundle that come require others.

use strata_ecs::bundle::InsertMode;
use strata_ecs::entity::EntityCloner;
use strata_ecs::system::{EntityCommand, entity_command};

use super::*;

#[derive(Component, Debug, PartialEq, Clone, Default)]
struct Engine(u32);
#[derive(Component, Debug, PartialEq, Clone, Default)]
#[component(storage = "sparse")]
struct Wake(u32);
#[derive(Component, Debug, PartialEq, Clone, Default)]
struct Crew(u32);

/// The traits of a vehicle of either kind.
trait Vehicle: Component + Clone + Default {}

#[derive(Component, Clone, Default)]
#[require(Engine(1), Wake(1))]
struct Ship;
#[derive(Component, Clone, Default)]
#[component(storage = "sparse")]
#[require(Engine(1), Wake(1))]
struct Boat;

impl Vehicle for Ship {}
impl Vehicle for Boat {}

/// It requires one thing of its own, and one that vehicles require too.
#[derive(Component, Clone, Default)]
#[require(Crew(2), Engine(2))]
struct Cargo;

/// The engine, the wake and the crew of an entity.
fn parts(world: &World, id: Entity) -> (Option<u32>, Option<u32>, Option<u32>) {
    let entity = world.entity(id);
    (
        entity.get::<Engine>().map(|part| part.0),
        entity.get::<Wake>().map(|part| part.0),
        entity.get::<Crew>().map(|part| part.0),
    )
}

/// A vehicle that has lost what it requires.
fn bare<V: Vehicle>(world: &mut World) -> Entity {
    world.spawn(V::default()).remove::<(Engine, Wake)>().id()
}

/// A way to insert a bundle unless it is there.
type Way<B> = fn(&mut World, Entity, B);

fn ways<B: Bundle + Clone + Send + Sync + 'static>() -> [Way<B>; 11] {
    [
        |world, id, bundle| _ = world.entity_mut(id).insert_if_new(bundle),
        |world, id, bundle| _ = world.insert_batch_if_new([(id, bundle)]),
        |world, id, bundle| world.try_insert_batch_if_new([(id, bundle)]).unwrap(),
        |world, id, bundle| _ = world.commands().entity(id).insert_if_new(bundle),
        |world, id, bundle| _ = world.commands().entity(id).try_insert_if_new(bundle),
        |world, id, bundle| _ = world.commands().entity(id).insert_if_new_and(bundle, || true),
        |world, id, bundle| world.commands().insert_batch_if_new([(id, bundle)]),
        |world, id, bundle| _ = entity_command::insert(bundle, InsertMode::Keep).apply(world.entity_mut(id)),
        // Together with other commands before and after it.
        |world, id, bundle| {
            _ = world.commands().entity(id).insert(Far::default()).insert_if_new(bundle).remove::<Far>()
        },
        |world, id, bundle| _ = world.commands().entity(id).insert_if_new(bundle.clone()).insert_if_new(bundle),
        |world, id, bundle| {
            let mut commands = world.commands();
            let mut entity = commands.entity(id);
            (0..40).for_each(|_| _ = entity.insert(Far::default()));
            entity.insert_if_new(bundle);
            (0..40).for_each(|_| _ = entity.remove::<Far>());
        },
    ]
}

fn a_present_component_requires_nothing<V: Vehicle>() {
    for (number, way) in ways::<V>().into_iter().enumerate() {
        let mut world = World::new();
        let (bare, new) = (bare::<V>(&mut world), world.spawn_empty().id());
        for id in [bare, new] {
            way(&mut world, id, V::default());
        }
        world.flush();
        assert_eq!(parts(&world, bare), (None, None, None), "way {number}");
        assert_eq!(parts(&world, new), (Some(1), Some(1), None), "way {number}");
        world.check_invariants();
    }
}

#[test]
fn a_component_that_is_present_requires_nothing() {
    a_present_component_requires_nothing::<Ship>();
}

#[test]
fn a_sparse_component_that_is_present_requires_nothing() {
    a_present_component_requires_nothing::<Boat>();
}

fn of_a_bundle_only_new_components_require_others<V: Vehicle>() {
    for (number, way) in ways::<(V, Cargo)>().into_iter().enumerate() {
        let mut world = World::new();
        let bare_vehicle = bare::<V>(&mut world);
        let bare_cargo = world.spawn(Cargo).remove::<(Crew, Engine)>().id();
        let new = world.spawn_empty().id();
        for id in [bare_vehicle, bare_cargo, new] {
            way(&mut world, id, (V::default(), Cargo));
        }
        world.flush();
        assert_eq!(parts(&world, bare_vehicle), (Some(2), None, Some(2)), "way {number}: the cargo is new");
        assert_eq!(parts(&world, bare_cargo), (Some(1), Some(1), None), "way {number}: the vehicle is new");
        assert_eq!(parts(&world, new), (Some(1), Some(1), Some(2)), "way {number}: both are new");
        world.check_invariants();
    }
}

#[test]
fn only_the_components_of_a_bundle_that_are_new_require_others() {
    of_a_bundle_only_new_components_require_others::<Ship>();
    of_a_bundle_only_new_components_require_others::<Boat>();
}

#[test]
fn among_many_entities_each_gets_what_its_own_new_components_require() {
    for way in [0, 1] {
        let mut world = World::new();
        let ids: Vec<Entity> = (0..40)
            .map(|number| if number % 3 == 0 { bare::<Boat>(&mut world) } else { world.spawn(Crew(0)).id() })
            .collect();
        match way {
            0 => ids.iter().for_each(|&id| _ = world.commands().entity(id).insert_if_new(Boat)),
            _ => _ = world.insert_batch_if_new(ids.iter().map(|&id| (id, Boat))),
        }
        world.flush();
        for (number, &id) in ids.iter().enumerate() {
            let expected = if number % 3 == 0 { (None, None, None) } else { (Some(1), Some(1), Some(0)) };
            assert_eq!(parts(&world, id), expected);
        }
        world.check_invariants();
    }
}

#[test]
fn a_component_that_an_earlier_command_removes_is_new() {
    let mut world = World::new();
    let [ship, boat] = [bare::<Ship>(&mut world), bare::<Boat>(&mut world)];
    world.commands().entity(ship).remove::<Ship>().insert_if_new(Ship);
    world.commands().entity(boat).remove::<Boat>().insert_if_new(Boat);
    world.flush();
    assert_eq!([ship, boat].map(|id| parts(&world, id)), [(Some(1), Some(1), None); 2]);
    // And one that an earlier command inserts is present.
    let id = world.spawn_empty().id();
    world.commands().entity(id).insert(Boat).remove::<Engine>().insert_if_new(Boat);
    world.flush();
    assert_eq!(parts(&world, id), (None, Some(1), None));
}

#[test]
fn what_comes_to_require_others_at_run_time_requires_nothing_if_it_is_present() {
    #[derive(Component, Clone, Default)]
    struct Plain;
    #[derive(Component, Clone, Default)]
    #[component(storage = "sparse")]
    struct Loose;

    let mut world = World::new();
    let met = world.spawn_empty().insert_if_new((Plain, Loose)).id();
    world.despawn(met);
    world.register_required_components::<Plain, Engine>();
    world.register_required_components::<Loose, Wake>();
    let id = world.spawn((Plain, Loose)).remove::<(Engine, Wake)>().id();
    world.entity_mut(id).insert_if_new((Plain, Loose));
    assert_eq!(parts(&world, id), (None, None, None));
    world.entity_mut(id).remove::<Loose>().insert_if_new((Plain, Loose));
    assert_eq!(parts(&world, id), (None, Some(0), None));
}

#[test]
fn the_entry_of_a_component_that_is_present_brings_nothing() {
    let mut world = World::new();
    let [ship, boat] = [bare::<Ship>(&mut world), bare::<Boat>(&mut world)];
    world.entity_mut(ship).entry::<Ship>().or_insert(Ship);
    world.entity_mut(boat).entry::<Boat>().or_insert(Boat);
    world.commands().entity(ship).entry::<Ship>().or_insert(Ship);
    world.commands().entity(boat).entry::<Boat>().or_default();
    world.flush();
    assert_eq!([ship, boat].map(|id| parts(&world, id)), [(None, None, None); 2]);
}

#[test]
fn a_cloner_that_keeps_a_component_brings_nothing_for_it() {
    let mut world = World::new();
    let source = world.spawn((Ship, Boat)).id();
    let targets = [world.spawn((Ship, Boat)).remove::<(Engine, Wake)>().id(), world.spawn_empty().id()];
    for target in targets {
        let mut builder = EntityCloner::build_opt_in(&mut world);
        builder.allow_if_new::<(Ship, Boat)>().clone_entity(source, target).unwrap();
    }
    assert_eq!(targets.map(|id| parts(&world, id)), [(None, None, None), (Some(1), Some(1), None)]);
    let source = world.spawn((Ship, Boat)).remove::<(Engine, Wake)>().id();
    let target = world.spawn((Ship, Boat)).remove::<(Engine, Wake)>().id();
    EntityCloner::build_opt_out(&mut world).insert_mode(InsertMode::Keep).clone_entity(source, target).unwrap();
    assert_eq!(parts(&world, target), (None, None, None));
}
