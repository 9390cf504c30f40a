//! Worlds as text: all of a world, readable, and not believed.

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strata_ecs::prelude::*;
use strata_save::{ComponentType, WorldFormat, components, relations, resources};

#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "health")]
struct Health {
    now: u32,
}
#[derive(Component, Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[component(plain, name = "place")]
#[repr(C)]
struct Place([f32; 2]);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(storage = "sparse", name = "rare")]
enum Rare {
    Nothing,
    Of { entity: Entity, text: Option<String> },
}
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(name = "hunting")]
struct Hunting(u8);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "score")]
struct Score(u32);

fn part() -> WorldFormat {
    WorldFormat::new().with_components(components![Health, ChildOf, Children])
}

fn all() -> WorldFormat {
    part()
        .with_components(components![Place, Rare])
        .with_relations(relations![Hunting])
        .with_resources(resources![Score])
}

fn text(format: &WorldFormat, world: &mut World) -> String {
    let mut text = Vec::new();
    format.serialize(world, &mut serde_json::Serializer::pretty(&mut text)).unwrap();
    String::from_utf8(text).unwrap()
}

fn load(format: &WorldFormat, world: &mut World, text: &str) -> Result<(), serde_json::Error> {
    format.deserialize(world, &mut serde_json::Deserializer::from_str(text))
}

/// Bits say what an entity has; some end again.
fn world(entities: &[(u8, bool)]) -> (World, QueryState<Entity, (Changed<Place>, Changed<Rare>)>) {
    let mut world = World::new();
    let tracked = world.query_filtered();
    let mut ids: Vec<Entity> = Vec::new();
    for (at, &(bits, ends)) in entities.iter().enumerate() {
        let has = |bit: u8| bits >> bit & 1 == 1;
        let id = world.spawn_empty().id();
        if has(0) {
            world.entity_mut(id).insert(Health { now: at as u32 });
        }
        if has(1) {
            world.entity_mut(id).insert(Place([at as f32 / 3.0, -0.0]));
        }
        if has(2) {
            let rare =
                if has(3) { Rare::Nothing } else { Rare::Of { entity: id, text: has(4).then(|| "\"é".to_owned()) } };
            world.entity_mut(id).insert(rare);
        }
        if let Some(&other) = ids.last() {
            if has(5) {
                world.entity_mut(id).insert(ChildOf(other));
            }
            if has(6) {
                world.relate(id, Hunting(at as u8), other);
            }
        }
        if ends {
            world.despawn(id);
        } else {
            ids.push(id);
        }
        world.increment_change_tick();
    }
    world.insert_resource(Score(7));
    (world, tracked)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(48), ..ProptestConfig::default() })]

    /// A text is as complete as bytes: what is loaded is saved as the same bytes, so all that follows is the same.
    #[test]
    fn a_text_is_all_of_the_world(entities in vec((any::<u8>(), proptest::bool::weighted(0.2)), 0..20)) {
        let (mut world, _tracked) = world(&entities);
        let text = text(&all(), &mut world);
        let mut loaded = World::new();
        load(&all(), &mut loaded, &text).unwrap();
        loaded.check_invariants();
        prop_assert_eq!(&all().save(&mut loaded).unwrap(), &all().save(&mut world).unwrap());
        prop_assert_eq!(&self::text(&all(), &mut loaded), &text);
        // The order of keys does not count.
        let sorted: Value = serde_json::from_str(&text).unwrap();
        let mut again = World::new();
        all().deserialize(&mut again, sorted).unwrap();
        prop_assert_eq!(&all().save(&mut again).unwrap(), &all().save(&mut world).unwrap());
        // Data that are skipped in a text are also skipped in bytes.
        let skipping = part().skipping_unknown();
        let mut skipped = [World::new(), World::new()];
        load(&skipping, &mut skipped[0], &text).unwrap();
        skipping.load(&mut skipped[1], &all().save(&mut world).unwrap()).unwrap();
        let [own, other] = skipped.each_mut().map(|world| part().save(world).unwrap());
        prop_assert_eq!(own, other);
    }
}

#[test]
fn a_text_can_be_read() {
    let mut world = World::new();
    let id = world.spawn((Health { now: 3 }, Place([0.5, 1.0]))).id();
    let text: Value = serde_json::from_str(&text(&all(), &mut world)).unwrap();
    let rows: Vec<&Value> =
        text["tables"].as_array().unwrap().iter().flat_map(|table| table["rows"].as_array().unwrap()).collect();
    assert_eq!(rows, [&json!({ "entity": id.to_bits(), "health@1": { "now": 3 }, "place@1": [0.5, 1.0] })]);
}

#[test]
fn an_error_names_component_and_entity_and_the_world_stays() {
    let (mut world, _tracked) = world(&[(0x7f, false), (0x7f, false), (3, false)]);
    let good = text(&all(), &mut world);
    let before = all().save(&mut world).unwrap();
    let mut refused = |text: &str| {
        let error = load(&all(), &mut world, text).unwrap_err().to_string();
        assert_eq!(all().save(&mut world).unwrap(), before, "{error}");
        error
    };
    let error = refused(&good.replacen("\"now\": 1", "\"now\": \"one\"", 1));
    assert!(error.contains("component `health@1` of entity 1v1: ") && error.contains("line"), "{error}");
    let error = refused(&good.replace("\"score@1\"", "\"score@2\""));
    assert!(error.contains("`score` is not read in version 2"), "{error}");
    let error = refused(&good.replace("health@1", "strength@1"));
    assert!(error.contains("the format does not know `strength`"), "{error}");
    let error = refused(&good.replacen("\"health@1\": {", "\"place@1\": {", 1));
    assert!(error.contains("component `place@1`"), "{error}");
    assert!(refused(&good[..good.len() - 3]).contains("EOF"));
    // A world that contradicts itself.
    let error = refused(&good.replacen("\"hunting@1 source\"", "\"hunting@1 target\"", 1));
    assert!(!error.is_empty());
}

#[test]
fn texts_that_were_changed_are_refused_or_loaded() {
    let (mut world, _tracked) = world(&[(0x7f, false), (0x77, false), (3, true), (0x66, false)]);
    let good = text(&all(), &mut world);
    let mut counts = [0; 2];
    for at in strata_tests::effort::places(0..good.len()) {
        for with in ["", "0", "9", "[", "\"", "null"] {
            let Some(rest) = good.get(at + 1..) else { continue };
            let Some(begin) = good.get(..at) else { continue };
            let mut world = World::new();
            match load(&all(), &mut world, &format!("{begin}{with}{rest}")) {
                Ok(()) => {
                    world.check_invariants();
                    counts[0] += 1;
                }
                Err(_) => {
                    assert!(world.is_empty());
                    counts[1] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|count| *count > strata_tests::effort::rounds(100)), "{counts:?}");
}

#[test]
fn numbers_that_are_not_finite_are_an_error() {
    for number in [f32::NAN, f32::INFINITY] {
        let mut world = World::new();
        world.spawn(Health { now: 1 });
        world.spawn(Place([0.0, number]));
        let error = all().serialize(&mut world, serde_json::value::Serializer).unwrap_err().to_string();
        assert_eq!(error, "component `place@1` of entity 1v1: a number is not finite");
    }
}

#[test]
fn older_names_and_versions_are_read_from_texts() {
    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[component(name = "life")]
    struct Life(f32);

    let mut world = World::new();
    let id = world.spawn(Health { now: 3 }).id();
    let text = text(&part(), &mut world);
    let life = ComponentType::of::<Life>().with_version(2).with_alias("health");
    let life = life.with_upgrade(1, |Health { now }: Health| Life(now as f32));
    let format = WorldFormat::new().with_components([life]).skipping_unknown();
    load(&format, &mut world, &text).unwrap();
    assert_eq!(world.get(id), Some(&Life(3.0)));
}

#[test]
fn what_is_not_saved_is_not_written_either() {
    let (mut world, _tracked) = world(&[(0xff, false)]);
    assert!(part().serialize(&mut world, serde_json::value::Serializer).is_err());
    assert!(part().with_known_only().serialize(&mut world, serde_json::value::Serializer).is_ok());
    // Unknown values are known as bytes only.
    let keeping = part().keeping_unknown().skipping_unknown();
    let mut kept = World::new();
    keeping.load(&mut kept, &all().save(&mut world).unwrap()).unwrap();
    let error = keeping.serialize(&mut kept, serde_json::value::Serializer).unwrap_err();
    assert!(error.to_string().contains("unknown types"), "{error}");
}
