//! Saved components of which any bytes are a value: their values lie in the file as they lie in memory.

use serde::{Deserialize, Serialize};
use strata_ecs::change::Tick;
use strata_ecs::component::{ComponentDescriptor, Describe};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::NewColumnContents;
use strata_save::{ComponentType, LoadError, Problem, SaveError, WorldFormat, components};

use super::saves::signed;

#[derive(Describe, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[describe(plain)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain, name = "body")]
#[repr(C)]
struct Body {
    mass: u64,
    corners: [Point; 2],
    team: i16,
    spare: [u8; 6],
}

#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain, name = "rare", storage = "sparse")]
#[repr(C, packed)]
struct Rare(u8, u32);

/// Generic, and plain if its parameter is.
#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain)]
#[repr(transparent)]
struct Of<T: Describe + Clone + Send + Sync>(T);

#[derive(Component, Clone, Serialize, Deserialize)]
struct Percent(u8);

fn format() -> WorldFormat {
    WorldFormat::new().with_components(components![Body, Rare])
}

fn body(mass: u64) -> Body {
    let corners = [Point { x: 1.5, y: f32::NAN }, Point { x: -0.0, y: 4.0 }];
    Body { mass, corners, team: -3, spare: *b"spare!" }
}

fn world() -> World {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..5).map(|at| body(u64::MAX - at))).collect();
    world.entity_mut(ids[3]).insert(Rare(7, 0x1234_5678));
    world
}

#[test]
fn only_types_that_say_it_take_any_bytes() {
    let takes = |descriptor: &ComponentDescriptor| descriptor.functions().take_any_bytes();
    assert!(takes(ComponentDescriptor::of::<Body>()));
    assert!(takes(ComponentDescriptor::of::<Rare>()));
    assert!(takes(ComponentDescriptor::of::<Of<u32>>()));
    assert!(takes(ComponentDescriptor::of::<Of<[Point; 3]>>()));
    assert!(!takes(ComponentDescriptor::of::<Percent>()));
    let percent = ComponentDescriptor::of::<Percent>();
    assert!(NewColumnContents::of_plain_bytes(percent, &[3], Tick::new(1)).is_none());
    let body = ComponentDescriptor::of::<Body>();
    for len in 0..100 {
        // At an odd address, too.
        let bytes = vec![0xff; len + 1];
        let made = NewColumnContents::of_plain_bytes(body, &bytes[1..], Tick::new(1));
        assert_eq!(made.is_some(), len % size_of::<Body>() == 0);
    }
}

#[test]
fn values_are_there_as_they_lie_in_memory() {
    let mut world = world();
    let bytes = format().save(&mut world).unwrap();
    let column: Vec<u8> = (0..5)
        .flat_map(|at| {
            let mass = (u64::MAX - at).to_le_bytes();
            let corners = [1.5, f32::NAN, -0.0, 4.0].map(f32::to_le_bytes);
            [&mass[..], corners.as_flattened(), &(-3_i16).to_le_bytes(), b"spare!"].concat()
        })
        .collect();
    // The entity with the sparse component is in the same table.
    assert!(bytes.windows(column.len()).any(|window| window == column));
    // No pairs, no values that were kept, no resources of either kind, and no consumers, in three bytes.
    let behind = [&[7, 0x78, 0x56, 0x34, 0x12][..], &[0; 25], &[3, 0, 0, 0, 0, 0, 0, 0], &[0; 3]].concat();
    assert!(bytes.ends_with(&behind));

    let mut loaded = World::new();
    format().load(&mut loaded, &bytes).unwrap();
    loaded.check_invariants();
    assert_eq!(format().save(&mut loaded).unwrap(), bytes);
    let rare: Vec<Rare> = loaded.query::<&Rare>().iter(&loaded).copied().collect();
    assert_eq!(rare, [Rare(7, 0x1234_5678)]);
}

#[test]
fn lengths_and_flags_of_values_are_not_believed() {
    let bytes = format().save(&mut world()).unwrap();
    let refused = |bytes: Vec<u8>| {
        let mut world = world();
        let error = format().load(&mut world, &signed(bytes)).unwrap_err();
        assert_eq!(world.query::<&Body>().iter(&world).count(), 5);
        world.check_invariants();
        match error {
            LoadError::Bytes { offset, name, problem } => (offset, name.unwrap_or_default(), problem),
            other => panic!("{other}"),
        }
    };
    let at = bytes.windows(8).position(|window| window == u64::MAX.to_le_bytes()).unwrap();
    assert_eq!(bytes[at - 8..at], (5 * size_of::<Body>() as u64).to_le_bytes());
    // Shorter than the rows, longer, and longer than all there is.
    let with_len = |len: u64| [&bytes[..at - 8], &len.to_le_bytes(), &bytes[at..]].concat();
    assert_eq!(refused(with_len(4 * size_of::<Body>() as u64)).2, Problem::Ended);
    let longer = refused(with_len(5 * size_of::<Body>() as u64 + 1));
    assert_eq!(longer, (at + 5 * size_of::<Body>(), "body".to_owned(), Problem::ValuesTooLong));
    assert_eq!(refused(with_len(u64::MAX)).2, Problem::Ended);
    // Said to be written by `serde`, with as many bytes each or with the number of each, and in no form.
    let with_form = |form: u8| [&bytes[..at - 9], &[form], &bytes[at - 8..]].concat();
    assert!(matches!(refused(with_form(2)).2, Problem::Value(_) | Problem::ValuesTooLong));
    assert!(matches!(refused(with_form(0)).2, Problem::Ended | Problem::ValuesTooLong));
    assert_eq!(refused(with_form(3)), (at - 9, "body".to_owned(), Problem::Form));
}

#[test]
fn what_is_not_plain_any_more_is_read_by_serde() {
    /// The same fields, in any order in memory.
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "body")]
    struct Checked {
        mass: u64,
        corners: [(f32, f32); 2],
        team: i16,
        spare: [u8; 6],
    }
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "body")]
    struct Other(u64);
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "body")]
    struct Text(String);

    let mut world = World::new();
    let entity = world.spawn(body(1)).id();
    let bytes = format().save(&mut world).unwrap();
    let mut loaded = World::new();
    let checked = WorldFormat::new().with_components(components![Checked, Rare]);
    checked.load(&mut loaded, &bytes).unwrap();
    let Checked { mass, corners, team, spare } = loaded.get::<Checked>(entity).unwrap().clone();
    assert_eq!((mass, corners[0].0, corners[1].1, team, &spare), (1, 1.5, 4.0, -3, b"spare!"));
    // And back: what `serde` wrote becomes plain.
    let again = checked.save(&mut loaded).unwrap();
    let mut loaded = World::new();
    format().load(&mut loaded, &again).unwrap();
    assert_eq!(format!("{:?}", loaded.get::<Body>(entity)), format!("{:?}", Some(body(1))));

    let refused = |format: WorldFormat| match format.load(&mut World::new(), &bytes).unwrap_err() {
        LoadError::Bytes { problem, .. } => problem,
        other => panic!("{other}"),
    };
    assert_eq!(refused(WorldFormat::new().with_components(components![Other, Rare])), Problem::ValuesTooLong);
    assert!(matches!(refused(WorldFormat::new().with_components(components![Text, Rare])), Problem::Value(_)));
}

#[test]
fn older_values_are_upgraded_plain_ones_too() {
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "score")]
    struct ScoreV1(u8);
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "score")]
    struct Score(String);
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "corpse")]
    struct Corpse(u64);

    let mut world = World::new();
    let ids = [3, 4].map(|score| world.spawn((ScoreV1(score), body(score.into()))).id());
    world.entity_mut(ids[1]).insert(Rare(1, 2));
    let old = WorldFormat::new().with_components(components![ScoreV1, Body, Rare]);
    let bytes = old.save(&mut world).unwrap();

    let score = ComponentType::of::<Score>().with_version(3);
    let score = score.with_upgrade(2, Score).with_upgrade(1, |ScoreV1(score)| Score(score.to_string()));
    let corpse = ComponentType::of::<Corpse>().with_version(2).with_upgrade(1, |body: Body| Corpse(body.mass));
    let new = || WorldFormat::new().with_components(components![Rare]);
    let error = new().with_components([score.clone(), corpse.clone()]).load(&mut World::new(), &bytes).unwrap_err();
    assert!(error.to_string().contains("of `body`") && error.to_string().contains("with_alias"), "{error}");
    let corpse = corpse.with_alias("body").with_alias("cadaver");
    let mut loaded = World::new();
    let new = new().with_components([corpse.clone(), score]);
    new.load(&mut loaded, &bytes).unwrap();
    assert_eq!(loaded.get::<Score>(ids[1]).unwrap().0, "4");
    assert_eq!(loaded.get::<Corpse>(ids[0]).unwrap().0, 3);
    // New names and versions are written.
    let again = new.save(&mut loaded).unwrap();
    let error = old.load(&mut world, &again).unwrap_err();
    assert!(matches!(error, LoadError::Bytes { problem: Problem::UnknownName, .. }), "{error}");
    new.load(&mut World::new(), &again).unwrap();
    // Two types must not have the same name.
    let twice = WorldFormat::new().with_components([corpse, ComponentType::of::<Body>()]);
    assert!(matches!(twice.save(&mut World::new()), Err(SaveError::SameName(name)) if name == "body"));
}

#[test]
fn each_flipped_bit_gives_a_world_or_an_error() {
    let bytes = format().save(&mut world()).unwrap();
    let (mut loaded, mut refused) = (0, 0);
    for at in 16..bytes.len() {
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            let mut world = World::new();
            match format().load(&mut world, &signed(other)) {
                Ok(()) => {
                    world.check_invariants();
                    loaded += 1;
                }
                Err(_) => {
                    assert!(world.is_empty());
                    refused += 1;
                }
            }
        }
        assert!(format().load(&mut World::new(), &signed(bytes[..at].to_vec())).is_err());
    }
    // Any bytes are a value.
    assert!(loaded >= 8 * (5 * size_of::<Body>() + size_of::<Rare>()) && refused > 500, "{loaded} {refused}");
}
