//! Worlds as RON, by the same code as JSON.

use serde::{Deserialize, Serialize};
use strata_ecs::prelude::*;
use strata_save::{WorldFormat, components, relations, resources};

#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "health")]
struct Health {
    now: u32,
    most: Option<f32>,
}
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(storage = "sparse", name = "rare")]
enum Rare {
    Nothing,
    Of { entity: Entity, text: Option<String> },
    Pair(u8, char),
}
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "tag")]
struct Tag;
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[relation(name = "hunting")]
struct Hunting(i8);
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "score")]
struct Score(Vec<(u64, bool)>);

fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Health, Rare, Tag, ChildOf, Children])
        .with_relations(relations![Hunting])
        .with_resources(resources![Score])
}

fn text(world: &mut World) -> Result<String, ron::Error> {
    let mut text = String::new();
    let config = ron::ser::PrettyConfig::default();
    format().serialize(world, &mut ron::ser::Serializer::new(&mut text, Some(config))?)?;
    Ok(text)
}

#[test]
fn a_world_as_ron_is_all_of_it() {
    let mut world = World::new();
    let tracked = world.query_filtered::<Entity, Changed<Health>>();
    let [a, b, c] = [(); 3].map(|()| world.spawn(Tag).id());
    world.entity_mut(a).insert((Health { now: 3, most: Some(0.1) }, Rare::Of { entity: c, text: Some("\"é".into()) }));
    world.entity_mut(b).insert((Health { now: 4, most: None }, Rare::Pair(7, '\''), ChildOf(a)));
    world.entity_mut(c).insert(Rare::Nothing);
    world.relate(a, Hunting(-3), b);
    world.despawn(c);
    world.insert_resource(Score(vec![(u64::MAX, true)]));
    let ron = text(&mut world).unwrap();
    assert!(ron.contains("\"health@1\": (") && ron.contains("Some(0.1)"), "{ron}");

    let mut loaded = World::new();
    format().deserialize(&mut loaded, &mut ron::de::Deserializer::from_str(&ron).unwrap()).unwrap();
    loaded.check_invariants();
    assert_eq!(text(&mut loaded).unwrap(), ron);
    assert_eq!(format().save(&mut loaded).unwrap(), format().save(&mut world).unwrap());
    drop(tracked);

    // A text that was changed by hand is read, and a text that is not a world is rejected.
    let changed = ron.replace("now: 4", "now: 5");
    format().deserialize(&mut loaded, &mut ron::de::Deserializer::from_str(&changed).unwrap()).unwrap();
    assert_eq!(loaded.get(b), Some(&Health { now: 5, most: None }));
    let wrong = ron.replace("now: 4", "now: -4");
    let error = format().deserialize(&mut loaded, &mut ron::de::Deserializer::from_str(&wrong).unwrap()).unwrap_err();
    assert!(error.to_string().contains("health@1"), "{error}");
    assert_eq!(loaded.get(b), Some(&Health { now: 5, most: None }));
}

#[test]
fn a_number_that_is_not_finite_is_an_error_in_any_text() {
    let mut world = World::new();
    for number in [f32::NAN, f32::INFINITY] {
        let id = world.spawn(Health { now: 1, most: Some(number) }).id();
        let error = text(&mut world).unwrap_err().to_string();
        assert!(error.contains("health@1") && error.contains("not finite"), "{error}");
        world.despawn(id);
    }
}
