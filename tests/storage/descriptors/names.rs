//! Names for files.

use strata_ecs::component::Describe;
use strata_ecs::entity_disabling::Disabled;

use super::*;

#[derive(Component)]
#[component(name = "sword")]
struct Sword;
#[derive(Component)]
#[component(name = "inventory", storage = "sparse")]
struct Inventory<T: Describe + Send + Sync, const SLOTS: usize>([Option<T>; SLOTS]);
#[derive(Component)]
struct Pile<T>(Vec<T>);
#[derive(Component)]
struct Level<const AT: i8, const IS_LAST: bool, const LETTER: char>;
#[derive(Resource)]
#[resource(name = "assets")]
struct Assets<T: Component>(Vec<T>);

fn name_of<C: Component>() -> Option<String> {
    ComponentDescriptor::of::<C>().stable_name().map(|name| name.to_string())
}

#[test]
fn a_name_by_default_is_the_path_of_the_type() {
    #[derive(Component)]
    struct r#Local;
    assert_eq!(name_of::<Health>().as_deref(), Some("storage::descriptors::Health"));
    assert_eq!(name_of::<Local>().as_deref(), Some("storage::descriptors::names::Local"));
    let gravity = ComponentDescriptor::of_resource::<Gravity>().stable_name().expect("it has one");
    assert!(gravity == *"storage::descriptors::Gravity" && !gravity.is_given());
    assert!(ComponentDescriptor::of::<Sword>().stable_name().is_some_and(|name| name.is_given()));
}

/// Files of earlier versions have these names, wherever the types are defined now.
#[test]
fn components_of_the_library_keep_their_names_in_files() {
    assert_eq!(name_of::<ChildOf>().as_deref(), Some("strata_ecs::hierarchy::ChildOf"));
    assert_eq!(name_of::<Children>().as_deref(), Some("strata_ecs::hierarchy::Children"));
    assert_eq!(name_of::<Name>().as_deref(), Some("strata_ecs::name::Name"));
    assert_eq!(name_of::<Disabled>().as_deref(), Some("strata_ecs::entity_disabling::Disabled"));
}

#[test]
fn parameters_are_part_of_the_name() {
    assert_eq!(name_of::<Inventory<Sword, 4>>().as_deref(), Some("inventory<sword, 4>"));
    assert_eq!(name_of::<Inventory<u8, 2>>().as_deref(), Some("inventory<u8, 2>"));
    assert_eq!(name_of::<Inventory<Entity, 2>>().as_deref(), Some("inventory<strata_ecs::entity::Entity, 2>"));
    assert_eq!(name_of::<Inventory<Inventory<Sword, 1>, 2>>().as_deref(), Some("inventory<inventory<sword, 1>, 2>"));
    assert_eq!(name_of::<Level<-3, true, 'a'>>().as_deref(), Some("storage::descriptors::names::Level<-3, 1, 97>"));
    let assets = ComponentDescriptor::of_resource::<Assets<Sword>>().stable_name().expect("it has one");
    assert_eq!(assets, *"assets<sword>");
    let world = &mut World::new();
    world.insert_resource(Assets(vec![Sword]));
    assert_eq!(world.resource::<Assets<Sword>>().0.len(), 1);
    let entity = world.spawn(Inventory([Some(Sword)])).id();
    assert!(world.get::<Inventory<Sword, 1>>(entity).is_some_and(|inventory| inventory.0[0].is_some()));
}

#[test]
fn without_names_of_its_parameters_a_type_has_none() {
    assert_eq!(name_of::<Pile<Sword>>(), None);
    assert_eq!(name_of::<Inventory<Pile<Sword>, 1>>(), None);
    let mut world = World::new();
    let entity = world.spawn(Pile(vec![Sword])).id();
    assert!(world.get::<Pile<Sword>>(entity).is_some_and(|pile| pile.0.len() == 1));
    world.register_component::<Pile<u8>>();
}

#[test]
fn components_are_found_by_their_names() {
    let mut world = World::new();
    let sword = world.register_component::<Sword>();
    let inventory = world.register_component::<Inventory<Sword, 4>>();
    let health = world.register_component::<Health>();
    let find = |name: &str| world.components().get_id_by_name(name);
    assert_eq!(find("sword"), Ok(sword));
    assert_eq!(find("inventory<sword, 4>"), Ok(inventory));
    assert_eq!(find("storage::descriptors::Health"), Ok(health));
    let error = find("inventory").expect_err("there is none");
    assert_eq!(error, StableNameError::Unknown("inventory".into()));
    assert_eq!(error.to_string(), "the world has met no component with the stable name \"inventory\"");
}

#[test]
fn names_that_are_given_twice_are_refused_and_both_types_named() {
    #[derive(Component)]
    #[component(name = "sword")]
    struct Blade;
    #[derive(Component, Default)]
    #[component(name = "storage::descriptors::Health")]
    struct Impostor;
    #[derive(Component)]
    #[require(Impostor)]
    struct Brings;
    let mut world = World::new();
    let sword = world.register_component::<Sword>();
    let health = world.register_component::<Health>();
    let text = panics::expect_panic(|| world.register_component::<Blade>());
    assert_eq!(
        text,
        "components `storage::descriptors::names::Sword` and \
         `storage::descriptors::names::names_that_are_given_twice_are_refused_and_both_types_named::Blade` have the same stable \
         name \"sword\": give one of them another one, `#[component(name = \"..\")]`"
    );
    assert!(panics::expect_panic(|| world.spawn(Brings).id()).contains("Impostor` have the same stable name"));
    // Nothing has changed, and the types can be used alone.
    assert_eq!((world.components().len(), world.len()), (World::new().components().len() + 2, 0));
    assert_eq!(world.components().get_id_by_name("sword"), Ok(sword));
    assert_eq!(world.components().get_id_by_name("storage::descriptors::Health"), Ok(health));
    world.spawn((Sword, Health(1)));
    world.check_invariants();
    World::new().spawn((Blade, Brings));
}

#[test]
fn resources_have_names_of_their_own() {
    #[derive(Resource)]
    #[resource(name = "sword")]
    struct Blades;
    #[derive(Resource, Default)]
    #[resource(name = "sword")]
    struct Swords;
    let mut world = World::new();
    world.spawn(Sword);
    world.insert_resource(Blades);
    let text = panics::expect_panic(|| world.init_resource::<Swords>());
    assert!(text.starts_with("resources `") && text.contains("Swords` have the same stable name \"sword\""), "{text}");
    assert!(!world.contains_resource::<Swords>() && world.contains_resource::<Blades>());
    world.insert_resource(Blades);
    World::new().init_resource::<Swords>();
}

mod same {
    use super::Component;

    #[derive(Component)]
    pub(super) struct First;

    pub(super) fn another() -> impl Component {
        #[derive(Component)]
        struct First;
        First
    }
}

#[test]
fn a_name_that_two_types_have_by_default_is_ambiguous() {
    let mut world = World::new();
    world.spawn((same::First, same::another()));
    let error =
        world.components().get_id_by_name("storage::descriptors::names::same::First").expect_err("there are two");
    assert_eq!(
        error.to_string(),
        "components `storage::descriptors::names::same::First` and `storage::descriptors::names::same::another::First` have \
         the same stable name \"storage::descriptors::names::same::First\": give one of them a name of its own"
    );
}
