//! Types with parameters whose bounds do not say what the type implements, and resources that say how they take part in files.

use serde::{Deserialize, Serialize};
use strata_ecs::component::{ComponentDescriptor, PersistenceKind};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::SnapshotOptions;
use strata_save::{Replica, WorldFormat, components, relations, resources};

/// The derive cannot find out that `Loose<u32>` is `Clone` and `Hash`.
#[derive(Component, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Loose<T: Send + Sync + 'static>(T);

#[derive(Component, Resource, Message, Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[component(clone, hash, serialize)]
#[resource(clone, hash, serialize)]
#[message(clone, hash)]
struct Bound<T: Send + Sync + 'static>(T);

#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct LooseResource<T: Send + Sync + 'static>(T);

#[derive(Message, Clone, Hash, PartialEq, Debug, Serialize, Deserialize)]
struct LooseMessage<T: Send + Sync + 'static>(T);

#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct LoosePair<T: Send + Sync + 'static>(T);

#[derive(Relation, Clone, Hash, PartialEq, Debug, Serialize, Deserialize)]
#[relation(clone, hash, serialize)]
struct BoundPair<T: Send + Sync + 'static>(T);

#[test]
fn a_message_names_the_type_the_bound_and_where_to_write_it() {
    let mut world = World::new();
    let id = world.spawn(Loose(String::from("a"))).id();
    let snapshot = world.snapshot().unwrap_err().to_string();
    assert!(snapshot.contains("Loose<") && snapshot.contains("`#[component(clone)]` above `Loose`"), "{snapshot}");
    let clone = world.clone_entity(id).unwrap_err().to_string();
    assert!(clone.contains("`#[component(clone)]` above `Loose`"), "{clone}");
    let sum = world.checksum().unwrap_err().to_string();
    assert!(sum.contains("`#[component(hash)]` above `Loose`") && sum.contains("`Hash` as a bound"), "{sum}");
    world.clear_entities();

    world.insert_resource(LooseResource(String::new()));
    let snapshot = world.snapshot().unwrap_err().to_string();
    assert!(snapshot.contains("`#[resource(clone)]` above `LooseResource`"), "{snapshot}");
    world.remove_resource::<LooseResource<String>>();
    world.init_resource::<Messages<LooseMessage<String>>>();
    let snapshot = world.snapshot().unwrap_err().to_string();
    assert!(snapshot.contains("`#[message(clone)]` above `LooseMessage`"), "{snapshot}");
}

#[test]
fn options_of_the_derive_demand_what_the_bounds_do_not_say() {
    let mut world = World::new();
    let id = world.spawn(Bound(String::from("a"))).id();
    world.insert_resource(Bound(7_u64));
    world.init_resource::<Messages<Bound<String>>>();
    world.write_message(Bound(String::from("message")));
    let (snapshot, sum) = (world.snapshot().unwrap(), world.checksum().unwrap());
    world.get_mut::<Bound<String>>(id).unwrap().0.push('b');
    world.resource_mut::<Bound<u64>>().0 = 8;
    assert_ne!(world.checksum().unwrap(), sum);
    world.restore(&snapshot).unwrap();
    assert_eq!(world.checksum().unwrap(), sum);
    let format = WorldFormat::new()
        .with_components(components![Bound<String>])
        .with_resources(resources![Bound<u64>, Messages<Bound<String>>]);
    let bytes = format.save(&mut world).unwrap();
    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    assert_eq!(loaded.checksum().unwrap(), sum);
}

#[test]
fn a_list_of_components_knows_that_a_type_is_clone() {
    let format = WorldFormat::new().with_components(components![Loose<u32>, Loose<String>]);
    let mut world = World::new();
    let ids = [1_u32, 2].map(|at| world.spawn((Loose(at), Loose(at.to_string()))).id());
    let bytes = format.save(&mut world).unwrap();
    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    assert_eq!(loaded.get(ids[1]), Some(&Loose(2_u32)));
    assert_eq!(loaded.get(ids[1]), Some(&Loose(String::from("2"))));
    assert_eq!(format.save(&mut loaded).unwrap(), bytes);
}

#[test]
fn lists_of_resources_and_relations_know_that_a_type_is_clone() {
    fn contents(world: &World, ends: [Entity; 2]) -> (LooseResource<u32>, Vec<u32>, u32) {
        let messages = world.resource::<Messages<LooseMessage<u32>>>().iter_current_update_messages();
        let messages = messages.map(|message| message.0).collect();
        let pair = world.get_pair::<LoosePair<u32>>(ends[0], ends[1]).unwrap();
        (world.resource::<LooseResource<u32>>().clone(), messages, pair.0)
    }

    let format = WorldFormat::new()
        .with_resources(resources![LooseResource<u32>, Messages<LooseMessage<u32>>])
        .with_relations(relations![LoosePair<u32>]);
    let mut world = World::new();
    world.insert_resource(LooseResource(1_u32));
    world.init_resource::<Messages<LooseMessage<u32>>>();
    world.write_message(LooseMessage(2_u32));
    let ends = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(ends[0], LoosePair(3_u32), ends[1]);
    let then = contents(&world, ends);
    assert!(world.snapshot().is_err());

    let bytes = format.save(&mut world).unwrap();
    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    assert_eq!(contents(&loaded, ends), then);
    assert_eq!(format.save(&mut loaded).unwrap(), bytes);

    // The same in deltas.
    format.start_journal(&mut world, 1 << 10).unwrap();
    let full = format.full_delta(&mut world).unwrap();
    let (mut replica, mut there) = (Replica::new(), World::new());
    replica.apply(&format, &mut there, &full.bytes).unwrap();
    world.resource_mut::<LooseResource<u32>>().0 = 4;
    world.relate(ends[0], LoosePair(5_u32), ends[1]);
    let delta = format.delta_since(&mut world, &full.position).unwrap();
    replica.apply(&format, &mut there, &delta.bytes).unwrap();
    assert_eq!(there.resource::<LooseResource<u32>>().0, 4);
    let own = ends.map(|end| replica.get(end).unwrap());
    assert_eq!(there.get_pair::<LoosePair<u32>>(own[0], own[1]).unwrap().0, 5);

    // The same in snapshots and clones of the world, of which the options say it.
    let options = SnapshotOptions::new()
        .with_clone::<LooseResource<u32>>()
        .with_clone::<Messages<LooseMessage<u32>>>()
        .with_clone::<LoosePair<u32>>();
    let then = contents(&world, ends);
    let snapshot = world.snapshot_with(&options).unwrap();
    world.resource_mut::<LooseResource<u32>>().0 = 6;
    world.relate(ends[0], LoosePair(7_u32), ends[1]);
    world.write_message(LooseMessage(8_u32));
    world.restore(&snapshot).unwrap();
    assert_eq!(contents(&world, ends), then);
    assert_eq!(contents(&world.try_clone_with(&options).unwrap(), ends), then);
}

#[test]
fn options_of_a_relation_demand_what_the_bounds_do_not_say() {
    let mut world = World::new();
    let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    world.relate(a, LoosePair(1_u32), b);
    let snapshot = world.snapshot().unwrap_err().to_string();
    assert!(snapshot.contains("`#[relation(clone)]` above `LoosePair`"), "{snapshot}");
    let sum = world.checksum().unwrap_err().to_string();
    assert!(sum.contains("`#[relation(hash)]` above `LoosePair`"), "{sum}");
    world.unrelate::<LoosePair<u32>>(a, b);
    world.relate(a, BoundPair(String::from("a")), b);
    let (snapshot, sum) = (world.snapshot().unwrap(), world.checksum().unwrap());
    world.relate(a, BoundPair(String::from("b")), c);
    assert_ne!(world.checksum().unwrap(), sum);
    world.restore(&snapshot).unwrap();
    assert_eq!(world.checksum().unwrap(), sum);
    // Pairs are cloned with their source.
    let clone = world.clone_entity(a).unwrap();
    assert_eq!(world.get_pair::<BoundPair<String>>(clone, b).unwrap().0, "a");
}

#[test]
fn a_transient_resource_is_left_alone() {
    #[derive(Resource)]
    #[resource(transient)]
    struct Window(u32);
    #[derive(Message)]
    #[message(transient)]
    struct Resized;
    #[derive(Resource, Clone)]
    #[resource(save = "skip")]
    struct Cache(Vec<f32>);

    let kinds = [
        ComponentDescriptor::of_resource::<Window>(),
        ComponentDescriptor::of_resource::<Messages<Resized>>(),
        ComponentDescriptor::of_resource::<Cache>(),
    ];
    let kinds = kinds.map(ComponentDescriptor::persistence);
    assert_eq!(kinds, [PersistenceKind::Transient, PersistenceKind::Transient, PersistenceKind::Skipped]);
    let mut world = World::new();
    world.insert_resource(Window(1));
    world.insert_resource(Cache(vec![1.0]));
    world.write_message(Resized);
    let (snapshot, sum) = (world.snapshot().unwrap(), world.checksum().unwrap());
    let bytes = WorldFormat::new().save(&mut world).unwrap();
    world.resource_mut::<Window>().0 = 2;
    world.resource_mut::<Cache>().0.clear();
    world.write_message(Resized);
    assert_eq!(world.checksum().unwrap(), sum);
    world.restore(&snapshot).unwrap();
    assert_eq!((world.resource::<Window>().0, world.resource::<Cache>().0.len()), (2, 1));
    assert_eq!(world.resource::<Messages<Resized>>().len(), 2);
    world.resource_mut::<Cache>().0.clear();
    WorldFormat::new().load(&mut world, &bytes).unwrap();
    assert_eq!((world.resource::<Window>().0, world.resource::<Cache>().0.len()), (2, 0));
}
