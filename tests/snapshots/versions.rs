//! The options in the definition of a component that concern its values in files.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use strata_ecs::component::{ComponentDescriptor, Describe};
use strata_ecs::prelude::*;
use strata_save::{
    ComponentType, LoadError, Problem, RelationType, ResourceType, WorldFormat, components, relations, resources,
};

mod first {
    use super::*;

    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[component(name = "game.health")]
    pub(super) struct Health(pub(super) u8);
}

mod second {
    use super::*;

    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[component(name = "game.life", version = 2, upgrade = from_first, alias = "game.health")]
    pub(super) struct Life {
        pub(super) now: u32,
        pub(super) most: u32,
    }

    fn from_first(first::Health(now): first::Health) -> Life {
        Life { now: now.into(), most: 100 }
    }
}

mod third {
    use super::*;

    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[component(name = "game.vigor", version = 3, alias("game.life", "game.health"))]
    #[component(upgrade(1 = |first::Health(now)| Vigor(now.into()), 2 = Vigor::from_second))]
    pub(super) struct Vigor(pub(super) f32);

    impl Vigor {
        fn from_second(life: second::Life) -> Self {
            Self(life.now as f32)
        }
    }

    /// It has no upgrades, and so reads no version but its own.
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "game.health", version = 3)]
    pub(super) struct Strict(u8);
}

/// The world that these bytes are of.
fn loaded<C>(format: &WorldFormat, bytes: &[u8], id: Entity) -> Option<C>
where
    C: Component + Clone,
{
    let mut world = World::new();
    format.load(&mut world, bytes).unwrap();
    world.check_invariants();
    world.get::<C>(id).cloned()
}

#[test]
fn values_of_older_versions_and_names_are_read() {
    let mut world = World::new();
    let id = world.spawn(first::Health(7)).id();
    let of_first = WorldFormat::new().with_components(components![first::Health]).save(&mut world).unwrap();
    let second = WorldFormat::new().with_components(components![second::Life]);
    assert_eq!(loaded(&second, &of_first, id), Some(second::Life { now: 7, most: 100 }));

    let mut world = World::new();
    second.load(&mut world, &of_first).unwrap();
    let of_second = second.save(&mut world).unwrap();
    let third = WorldFormat::new().with_components(components![third::Vigor]);
    for bytes in [&of_first, &of_second] {
        assert_eq!(loaded(&third, bytes, id), Some(third::Vigor(7.0)));
    }

    // Nothing is guessed of a version that nothing is said of.
    let strict = WorldFormat::new().with_components(components![third::Strict]);
    let error = strict.load(&mut world, &of_first).unwrap_err();
    assert!(matches!(error, LoadError::Bytes { problem: Problem::ValueVersion(1), .. }), "{error}");
    // Older programs refuse what is newer.
    let error = second.load(&mut world, &third.save(&mut World::new()).unwrap()).unwrap_err();
    assert!(matches!(error, LoadError::Bytes { problem: Problem::UnknownName, .. }), "{error}");
}

#[test]
fn earlier_names_of_a_type_with_parameters_have_these_too() {
    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[component(name = "bag")]
    struct Bag<T: Describe + Clone + PartialEq, const ROOMS: usize>(Option<T>);
    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[component(name = "pile", alias("sack", "bag"))]
    struct Pile<T: Describe + Clone + PartialEq, const ROOMS: usize>(Option<T>);

    let mut world = World::new();
    let id = world.spawn((Bag::<u8, 3>(Some(7)), Bag::<String, 4>(Some("rope".into())))).id();
    let bytes = WorldFormat::new().with_components(components![Bag<u8, 3>]);
    let bytes = bytes.with_components(components![Bag<String, 4>]).save(&mut world).unwrap();
    let format = WorldFormat::new().with_components(components![Pile<u8, 3>]);
    let error = format.load(&mut world, &bytes).unwrap_err();
    assert!(error.to_string().contains("bag<String, 4>"), "{error}");
    let format = format.with_components(components![Pile<String, 4>]);
    assert_eq!(loaded(&format, &bytes, id), Some(Pile::<u8, 3>(Some(7))));
    assert_eq!(loaded(&format, &bytes, id), Some(Pile::<String, 4>(Some("rope".into()))));
}

#[test]
fn a_component_that_is_not_saved_is_left_out_unless_the_format_lists_it() {
    #[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[component(save = "skip")]
    struct Sprite(u32);

    let mut world = World::new();
    let id = world.spawn((first::Health(7), Sprite(3))).id();
    let format = WorldFormat::new().with_components(components![first::Health]);
    let bytes = format.save(&mut world).unwrap();
    assert_eq!(loaded(&format, &bytes, id), Some(first::Health(7)));
    assert_eq!(loaded::<Sprite>(&format, &bytes, id), None);
    let format = format.with_components(components![Sprite]);
    let bytes = format.save(&mut world).unwrap();
    assert_eq!(loaded(&format, &bytes, id), Some(Sprite(3)));
}

#[test]
fn a_definition_without_options_is_the_first_version() {
    let descriptor = ComponentDescriptor::of::<first::Health>();
    assert_eq!((descriptor.version(), descriptor.aliases(), descriptor.is_saved()), (1, &[][..], true));
}

/// Resources and relations in the versions that they had.
mod others {
    use super::*;

    #[derive(Resource, Clone, Serialize, Deserialize)]
    #[resource(name = "score")]
    pub(super) struct Score(pub(super) u32);
    #[derive(Resource, Clone, Serialize, Deserialize)]
    #[resource(name = "record")]
    pub(super) struct Record(pub(super) u32);
    #[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[resource(name = "points")]
    pub(super) struct Points(pub(super) Vec<u32>);
    #[derive(Relation, Clone, Serialize, Deserialize)]
    #[relation(name = "hunting")]
    pub(super) struct Hunting(pub(super) u32);
    #[derive(Relation, Clone, Serialize, Deserialize)]
    #[relation(name = "stalking")]
    pub(super) struct Stalking(pub(super) u32);
    #[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[relation(name = "chasing")]
    pub(super) struct Chasing(pub(super) String);
}

/// The current types.
fn later() -> WorldFormat {
    let points = ResourceType::of::<others::Points>().with_version(3).with_alias("score").with_alias("record");
    let chasing = RelationType::of::<others::Chasing>().with_version(3).with_alias("hunting").with_alias("stalking");
    WorldFormat::new()
        .with_resources([points.with_upgrade(1, |score: u32| others::Points(vec![score]))])
        .with_relations([chasing.with_upgrade(1, |since: u32| others::Chasing(since.to_string()))])
}

#[test]
fn resources_and_relations_have_names_and_versions_too() {
    let mut world = World::new();
    let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(wolf, others::Hunting(7), rabbit);
    world.insert_resource(others::Score(9));
    let old = WorldFormat::new()
        .with_resources(resources![others::Score, others::Record])
        .with_relations(relations![others::Hunting, others::Stalking]);
    let bytes = old.save(&mut world).unwrap();
    let mut loaded = World::new();
    // That the format had other types, of which there are no values, is no obstacle.
    later().load(&mut loaded, &bytes).unwrap();
    loaded.check_invariants();
    assert_eq!(loaded.resource::<others::Points>(), &others::Points(vec![9]));
    assert_eq!(*loaded.get_pair::<others::Chasing>(wolf, rabbit).unwrap(), others::Chasing("7".to_owned()));
    // They are saved in the version of now, and read again.
    let again = later().save(&mut loaded).unwrap();
    later().load(&mut World::new(), &again).unwrap();
    later().verify(&mut loaded).unwrap();

    // A version of which nothing is said.
    let newer = old.save(&mut world).map(|_| {
        let score = resources![others::Score].map(|ty| ty.with_version(2));
        let hunting = relations![others::Hunting].map(|ty| ty.with_version(2));
        [
            WorldFormat::new().with_resources(score).with_known_only().save(&mut world).unwrap(),
            WorldFormat::new().with_relations(hunting).with_known_only().save(&mut world).unwrap(),
        ]
    });
    for (bytes, expected) in newer.unwrap().iter().zip(["score", "hunting"]) {
        let error = later().load(&mut World::new(), bytes).unwrap_err();
        let LoadError::Bytes { name, problem, .. } = error else { panic!("{error}") };
        assert_eq!((name.as_deref(), problem), (Some(expected), Problem::ValueVersion(2)));
    }
}

/// The names of two types in a file that cannot both be one.
#[track_caller]
fn same(format: &WorldFormat, bytes: &[u8]) -> [String; 2] {
    let mut world = World::new();
    let error = format.load(&mut world, bytes).unwrap_err();
    assert!(world.is_empty());
    let text = error.to_string();
    let LoadError::Bytes { name: Some(name), problem: Problem::Same(other), .. } = error else { panic!("{error}") };
    assert!(text.contains(&name) && text.contains(&other), "{text}");
    [other, name]
}

#[test]
fn two_types_that_became_one_are_both_named() {
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "armour")]
    struct Armour(u8);

    // On different entities, so that no table has both of them.
    let mut world = World::new();
    world.spawn(first::Health(1));
    world.spawn(Armour(2));
    let bytes = WorldFormat::new().with_components(components![first::Health, Armour]).save(&mut world).unwrap();
    let life = ComponentType::of::<second::Life>().with_alias("armour");
    assert_eq!(same(&WorldFormat::new().with_components([life]), &bytes), ["game.health", "armour"]);

    let mut world = World::new();
    world.insert_resource(others::Score(1));
    world.insert_resource(others::Record(2));
    let format = WorldFormat::new().with_resources(resources![others::Score, others::Record]);
    assert_eq!(same(&later(), &format.save(&mut world).unwrap()), ["score", "record"]);

    let mut world = World::new();
    let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(wolf, others::Hunting(1), rabbit);
    world.relate(rabbit, others::Stalking(1), wolf);
    let format = WorldFormat::new().with_relations(relations![others::Hunting, others::Stalking]);
    assert_eq!(same(&later(), &format.save(&mut world).unwrap()), ["hunting", "stalking"]);
}

#[test]
fn an_alias_of_a_type_without_a_stable_name_has_its_parameters() {
    mod before {
        use super::*;

        #[derive(Component, Clone, Serialize, Deserialize)]
        #[component(clone)]
        #[serde(bound = "")]
        pub(super) struct Bag<T: Clone + Send + Sync + 'static>(
            pub(super) u8,
            #[serde(skip)] pub(super) PhantomData<T>,
        );
    }
    /// A type with parameters that are not described, so that it has no stable name.
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(
        alias = "snapshots::versions::an_alias_of_a_type_without_a_stable_name_has_its_parameters::before::Bag"
    )]
    #[serde(bound = "")]
    struct Pile<T: Clone + Send + Sync + 'static>(u8, #[serde(skip)] PhantomData<T>);
    #[derive(Clone)]
    struct Sword;
    #[derive(Clone)]
    struct Shield;

    assert!(ComponentDescriptor::of::<Pile<Sword>>().stable_name().is_none());
    let mut world = World::new();
    let id = world.spawn((before::Bag::<Sword>(3, PhantomData), before::Bag::<Shield>(4, PhantomData))).id();
    let old = WorldFormat::new().with_components(components![before::Bag<Sword>, before::Bag<Shield>]);
    let bytes = old.save(&mut world).unwrap();
    // Each has a name of its own, so the format takes both.
    let format = WorldFormat::new().with_components(components![Pile<Sword>, Pile<Shield>]);
    let mut loaded = World::new();
    format.load(&mut loaded, &bytes).unwrap();
    assert_eq!(loaded.get::<Pile<Sword>>(id).map(|pile| pile.0), Some(3));
    assert_eq!(loaded.get::<Pile<Shield>>(id).map(|pile| pile.0), Some(4));
}

/// The same, said by the definitions.
mod defined {
    use super::*;

    #[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[resource(name = "points", version = 3, alias("score", "record"))]
    #[resource(upgrade(1 = Points::from_first, 2 = |all: Vec<u32>| Points { all }))]
    pub(super) struct Points {
        pub(super) all: Vec<u32>,
    }

    impl Points {
        fn from_first(others::Score(score): others::Score) -> Self {
            Self { all: vec![score] }
        }
    }

    #[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[relation(name = "chasing", version = 2, upgrade = from_first, alias = "hunting")]
    pub(super) struct Chasing(pub(super) String);

    fn from_first(since: u32) -> Chasing {
        Chasing(since.to_string())
    }

    /// A still later version.
    #[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[resource(name = "points", version = 4, upgrade = |_: Points| NoPoints)]
    pub(super) struct NoPoints;

    #[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[resource(name = "purse", alias = "pocket")]
    pub(super) struct Purse<T: Describe + Clone + PartialEq>(pub(super) T);
    #[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
    #[resource(name = "pocket")]
    pub(super) struct Pocket<T: Describe + Clone + PartialEq>(pub(super) T);
}

/// Returns a format with the types as they are defined, without further options.
fn by_definition() -> WorldFormat {
    WorldFormat::new().with_resources(resources![defined::Points]).with_relations(relations![defined::Chasing])
}

#[test]
fn definitions_of_resources_and_relations_say_names_and_versions() {
    let mut world = World::new();
    let [wolf, rabbit] = [(); 2].map(|()| world.spawn_empty().id());
    world.relate(wolf, others::Hunting(7), rabbit);
    world.insert_resource(others::Score(9));
    let old = WorldFormat::new().with_resources(resources![others::Score]).with_relations(relations![others::Hunting]);
    let bytes = old.save(&mut world).unwrap();
    let mut loaded = World::new();
    by_definition().load(&mut loaded, &bytes).unwrap();
    loaded.check_invariants();
    assert_eq!(loaded.resource::<defined::Points>().all, [9]);
    assert_eq!(*loaded.get_pair::<defined::Chasing>(wolf, rabbit).unwrap(), defined::Chasing("7".to_owned()));

    // Version 2 was a list, by the name of then.
    let mut world = World::new();
    world.insert_resource(others::Points(vec![1, 2]));
    let points = resources![others::Points].map(|ty| ty.with_version(2));
    let bytes = WorldFormat::new().with_resources(points).save(&mut world).unwrap();
    by_definition().load(&mut loaded, &bytes).unwrap();
    assert_eq!(loaded.resource::<defined::Points>().all, [1, 2]);

    // Own files are read as they are, and those of a later program are refused.
    let own = by_definition().save(&mut loaded).unwrap();
    by_definition().load(&mut World::new(), &own).unwrap();
    by_definition().verify(&mut loaded).unwrap();
    let later = WorldFormat::new().with_resources(resources![defined::NoPoints]);
    let mut world = World::new();
    later.load(&mut world, &own).unwrap_err();
    let only_points = WorldFormat::new().with_resources(resources![defined::Points]);
    later.load(&mut world, &only_points.save(&mut loaded).unwrap()).unwrap();
    assert_eq!(world.resource::<defined::NoPoints>(), &defined::NoPoints);
    let error = only_points.load(&mut loaded, &later.save(&mut world).unwrap()).unwrap_err();
    assert!(matches!(error, LoadError::Bytes { problem: Problem::ValueVersion(4), .. }), "{error}");
    assert_eq!(loaded.resource::<defined::Points>().all, [1, 2], "nothing is half loaded");
}

#[test]
fn an_earlier_name_of_a_resource_has_its_parameters() {
    let mut world = World::new();
    world.insert_resource(defined::Pocket(3_u8));
    let bytes = WorldFormat::new().with_resources(resources![defined::Pocket<u8>]).save(&mut world).unwrap();
    let mut world = World::new();
    WorldFormat::new().with_resources(resources![defined::Purse<u8>]).load(&mut world, &bytes).unwrap();
    assert_eq!(world.resource::<defined::Purse<u8>>(), &defined::Purse(3));
    let other = WorldFormat::new().with_resources(resources![defined::Purse<u16>]);
    other.load(&mut World::new(), &bytes).unwrap_err();
}
