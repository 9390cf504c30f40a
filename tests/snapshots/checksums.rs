//! Numbers of worlds, and where two worlds differ.

use std::hash::{Hash, Hasher};

use strata_ecs::component::{ComponentDescriptor, Describe};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::{Difference, NotCompared, StateOptions};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Position([f32; 3]);
#[derive(Component, Clone, Hash, Debug)]
struct Name(String);
#[derive(Component, Clone, PartialEq, Debug)]
struct Padded(u8, u32);
#[derive(Component, Clone)]
#[component(storage = "sparse")]
struct Rare(u64);
#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Resource, Clone, Debug)]
struct Score(u32);
#[derive(Message, Clone)]
struct Step(u32);
#[derive(Relation, Clone, Debug)]
struct Owes(u32);

fn game() -> World {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..100).map(|at| Position([at as f32; 3]))).collect();
    for (at, &id) in ids.iter().enumerate() {
        match at % 5 {
            0 => drop(world.entity_mut(id).insert(Name(at.to_string()))),
            1 => drop(world.entity_mut(id).insert(Rare(at as u64))),
            2 => drop(world.entity_mut(id).insert((Tag, ChildOf(ids[at - 2])))),
            _ => {}
        }
    }
    world.relate(ids[3], Owes(7), ids[8]);
    for &id in &ids[10..20] {
        world.despawn(id);
    }
    world.insert_resource(Score(3));
    world.write_message(Step(1));
    world
}

#[test]
fn the_same_gives_the_same() {
    let (one, other) = (game(), game());
    assert_eq!(one.checksum(), other.checksum());
    assert_eq!(one.diff(&other), Ok(Vec::new()));
}

#[test]
fn the_order_in_which_components_were_met_does_not_count() {
    let mut other = World::new();
    other.register_component::<Tag>();
    other.register_component::<Name>();
    other.register_component::<Rare>();
    let mut one = World::new();
    for world in [&mut one, &mut other] {
        world.spawn((Position([1.0; 3]), Name("ann".into()), Rare(1), Tag));
        world.spawn((Name("bob".into()), Tag));
    }
    assert_eq!(one.checksum(), other.checksum());
    assert_eq!(one.diff(&other), Ok(Vec::new()));
}

/// The entity with this index.
fn nth(world: &World, index: u32) -> Entity {
    world.entities().at_index(index).unwrap().0
}

/// A change of a world.
type Change = (&'static str, fn(&mut World));

#[test]
fn each_change_changes_it_and_is_found() {
    let changes: &[Change] = &[
        ("Position([5.5, 5.0, 5.0]) there", |world| {
            let id = nth(world, 5);
            world.get_mut::<Position>(id).unwrap().0[0] = 5.5;
        }),
        ("component `snapshots::checksums::Name`: Name(\"5\") here, Name(\"x\") there", |world| {
            let id = nth(world, 5);
            world.get_mut::<Name>(id).unwrap().0 = "x".into();
        }),
        ("Position([0.0, 0.0, 0.0]) here, Position([-0.0, 0.0, 0.0]) there", |world| {
            let id = nth(world, 0);
            world.get_mut::<Position>(id).unwrap().0[0] = -0.0;
        }),
        ("component `snapshots::checksums::Rare`: ", |world| {
            world.query::<&mut Rare>().iter_mut(world).next().unwrap().0 = 77;
        }),
        ("component `snapshots::checksums::Tag`: Tag here, none there", |world| {
            let id = world.query_filtered::<Entity, With<Tag>>().iter(world).next().unwrap();
            world.entity_mut(id).remove::<Tag>();
        }),
        ("component `snapshots::checksums::Tag`: none here, Tag there", |world| {
            let id = nth(world, 0);
            world.entity_mut(id).insert(Tag);
        }),
        ("`strata_ecs::relations::hierarchy::Children`", |world| {
            let id = world.query_filtered::<Entity, With<ChildOf>>().iter(world).next().unwrap();
            world.entity_mut(id).remove::<ChildOf>();
        }),
        ("entity 100v1 in table", |world| drop(world.spawn_at(Entity::from_bits((1 << 32) | 100), ()))),
        ("is alive here only", |world| {
            let id = nth(world, 99);
            world.despawn(id);
        }),
        ("the ids that the next entities get", |world| {
            let id = world.spawn_empty().id();
            world.despawn(id);
        }),
        ("resource `snapshots::checksums::Score`: Score(3) here, Score(4) there", |world| {
            world.resource_mut::<Score>().0 = 4;
        }),
        ("resource `snapshots::checksums::Score`: Score(3) here, none there", |world| {
            world.remove_resource::<Score>();
        }),
        ("resource `strata_ecs::storage::message::messages::Messages<", |world| {
            world.write_message(Step(2));
        }),
        ("relation `snapshots::checksums::Owes`: 3v1 to 8v1, Owes(7) here, 3v1 to 8v1, Owes(8) there", |world| {
            let [source, target] = [3, 8].map(|index| nth(world, index));
            world.relate(source, Owes(8), target);
        }),
        ("the entity in row 3 of [snapshots::checksums::Position]: 3v1 here, 71v1 there", |world| {
            let id = nth(world, 3);
            world.entity_mut(id).insert(Padded(1, 2)).remove::<Padded>();
        }),
        ("table 3: none here, [snapshots::checksums::Padded] there", |world| {
            let id = world.spawn(Padded(1, 2)).id();
            world.despawn(id);
        }),
        ("component `snapshots::checksums::Padded`: none here, Padded(1, 2) there", |world| {
            let id = nth(world, 0);
            world.entity_mut(id).insert(Padded(1, 2));
        }),
    ];
    let one = game();
    let options = StateOptions::new().with_hash(|padded: &Padded, mut state| {
        padded.0.hash(&mut state);
        padded.1.hash(&mut state);
    });
    let before = one.checksum_with(&options).unwrap();
    for (expected, change) in changes {
        let mut other = game();
        change(&mut other);
        assert_ne!(other.checksum_with(&options).unwrap(), before, "{expected}");
        let found: Vec<String> = one.diff(&other).unwrap().iter().map(Difference::to_string).collect();
        assert!(found.iter().any(|found| found.contains(expected)), "{expected} in {found:#?}");
        let back: Vec<String> = other.diff(&one).unwrap().iter().map(Difference::to_string).collect();
        assert_eq!(back.is_empty(), found.is_empty());
    }
}

#[test]
fn what_nothing_is_known_of_is_named() {
    #[derive(Resource)]
    struct Window(Vec<f32>);
    let mut world = game();
    world.spawn(Padded(1, 2));
    world.insert_resource(Window(Vec::new()));
    world.insert_non_send(std::rc::Rc::new(3));
    let error = world.checksum().unwrap_err();
    let names = ["Padded", "Window", "Rc<i32>"];
    assert_eq!(error.what.len(), names.len());
    names.iter().for_each(|name| assert!(error.to_string().contains(name), "{error}"));
    // Values are compared by `PartialEq`, too.
    let other = World::new();
    let error = world.diff(&other).unwrap_err();
    assert!(matches!(error.what[..], [NotCompared::Resource(_), NotCompared::NonSend(_)]), "{error}");
    let options = StateOptions::new().without_unknown();
    assert!(world.checksum_with(&options).is_ok() && world.diff_with(&other, &options).is_ok());
}

#[test]
fn a_restored_world_has_the_same_number() {
    let mut world = game();
    let (snapshot, before) = (world.snapshot().unwrap(), world.checksum());
    world.spawn((Position([1.0; 3]), Name(String::new()), Tag));
    world.clear_entities();
    assert_ne!(world.checksum(), before);
    world.restore(&snapshot).unwrap();
    assert_eq!(world.checksum(), before);
    // Tables that have been made since are gone, and so is what has been reserved.
    assert_eq!(world.diff(&game()), Ok(Vec::new()));
}

#[test]
fn types_of_bytes_are_known_by_their_definitions() {
    #[derive(Describe)]
    struct Inner {
        _a: u16,
        _b: [u8; 2],
    }
    #[derive(Component)]
    struct Outer {
        _inner: [Inner; 3],
        _entity: Entity,
        _flags: [bool; 4],
        _marker: (),
    }
    #[derive(Component)]
    #[repr(C, packed)]
    struct Packed(u8, u32);
    #[derive(Component)]
    #[repr(align(16))]
    struct Aligned(u32);
    #[derive(Component)]
    struct Shared(std::sync::atomic::AtomicU32);
    #[derive(Component)]
    struct Boxed(Box<u32>);
    #[derive(Component)]
    enum Choice {
        _A,
        _B(u32),
    }
    #[derive(Component)]
    struct Generic<T>(T);
    #[derive(Component)]
    struct Described<T: Describe>(T);

    fn is_plain<C: Component>() -> bool {
        ComponentDescriptor::of::<C>().functions().is_plain()
    }
    assert!(is_plain::<Outer>() && is_plain::<Packed>() && is_plain::<Position>());
    assert!(is_plain::<Described<u32>>());
    assert!(!is_plain::<Aligned>() && !is_plain::<Shared>() && !is_plain::<Boxed>() && !is_plain::<Choice>());
    assert!(!is_plain::<Padded>() && !is_plain::<Name>() && !is_plain::<Generic<u32>>());
}

#[test]
fn a_hash_of_the_callers_gets_a_usual_hasher() {
    #[derive(Component)]
    struct Odd(Vec<f32>);
    let mut worlds = [World::new(), World::new()];
    let options = StateOptions::new().with_hash(|odd: &Odd, state: &mut dyn Hasher| {
        odd.0.iter().for_each(|number| state.write_u32(number.to_bits()));
    });
    for world in &mut worlds {
        world.spawn(Odd(vec![f32::NAN, 1.0]));
    }
    assert_eq!(worlds[0].checksum_with(&options), worlds[1].checksum_with(&options));
    worlds[1].query::<&mut Odd>().single_mut(&mut worlds[1]).unwrap().0[1] = 2.0;
    assert_ne!(worlds[0].checksum_with(&options), worlds[1].checksum_with(&options));
    assert_eq!(worlds[0].diff_with(&worlds[1], &options).unwrap().len(), 1);
}
