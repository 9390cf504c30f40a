//! Saved components of which any bytes are a value: their values lie in the file as they lie in memory.

use serde::{Deserialize, Serialize};
use strata_ecs::change::Tick;
use strata_ecs::component::{ComponentDescriptor, Describe};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::NewColumnContents;
use strata_save::{LoadError, Problem, WorldFormat, components};

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
    let behind = [&[7, 0x78, 0x56, 0x34, 0x12][..], &[0; 16]].concat();
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
    // Said to be written by `serde`, and neither.
    let with_flag = |flag: u8| [&bytes[..at - 9], &[flag], &bytes[at - 8..]].concat();
    assert!(matches!(refused(with_flag(0)).2, Problem::Value(_) | Problem::ValuesTooLong));
    assert_eq!(refused(with_flag(2)).2, Problem::Flag);
}

#[test]
fn a_type_that_is_not_plain_any_more_says_so() {
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "body")]
    struct Checked(u64);

    let mut world = World::new();
    world.spawn(body(1));
    let bytes = format().save(&mut world).unwrap();
    let format = WorldFormat::new().with_components(components![Checked, Rare]);
    let error = format.load(&mut World::new(), &bytes).unwrap_err();
    assert!(matches!(&error, LoadError::Bytes { problem: Problem::PlainBytes, .. }), "{error}");
    assert!(error.to_string().contains("#[component(plain)]"), "{error}");
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
