//! What the definition of a component says of its values in files.

use serde::{Deserialize, Serialize};
use strata_ecs::component::{ComponentDescriptor, Describe};
use strata_ecs::prelude::*;
use strata_save::{LoadError, Problem, WorldFormat, components};

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
