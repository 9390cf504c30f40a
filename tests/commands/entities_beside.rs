//! Access to the entities of a world together with commands.

use strata_ecs::lifecycle::HookContext;
use strata_ecs::prelude::*;
use strata_ecs::world::{DeferredWorld, EntityMutableFetchError};
use strata_tests::drops::{self, Token};

#[derive(Component, Debug, PartialEq)]
struct Health(u32);
#[derive(Component, Debug, PartialEq)]
struct Name(&'static str);
#[derive(Component)]
struct Held(Token);
#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<&'static str>);

fn log(word: &'static str) -> impl FnOnce(&mut World) + Send + 'static {
    move |world: &mut World| world.resource_mut::<Log>().0.push(word)
}

#[test]
fn components_are_read_and_changed_while_commands_are_recorded() {
    let mut world = World::new();
    let ids = [1, 2].map(|points| world.spawn(Health(points)).id());
    let (mut entities, mut commands) = world.entities_and_commands();
    for mut entity in entities.get_mut(&ids[..]).unwrap() {
        let mut health = entity.get_mut::<Health>().unwrap();
        health.0 *= 10;
        commands.entity(ids[0]).insert(Name("hurt"));
    }
    let new = commands.spawn(Health(entities.get(ids[1]).unwrap().get::<Health>().unwrap().0)).id();
    assert!(entities.get(new).is_err());
    assert!(world.get::<Name>(ids[0]).is_none());
    world.flush();
    assert_eq!(world.get(ids[0]), Some(&Name("hurt")));
    assert_eq!((world.get(ids[0]), world.get(new)), (Some(&Health(10)), Some(&Health(20))));
}

#[test]
fn an_entity_that_is_gone_or_asked_for_twice_is_an_error() {
    let mut world = World::new();
    let [alive, dead] = [1, 2].map(|points| world.spawn(Health(points)).id());
    world.despawn(dead);
    let (mut entities, _) = world.entities_and_commands();
    assert!(entities.get(dead).is_err() && entities.get([alive, dead]).is_err() && entities.get_mut(dead).is_err());
    let twice = EntityMutableFetchError::AliasedMutability(alive);
    assert_eq!(entities.get_mut([alive, alive]).unwrap_err(), twice);
    assert_eq!(entities.get_mut(&[alive, alive]).unwrap_err(), twice);
    assert_eq!(entities.get_mut(&[alive, alive][..]).unwrap_err(), twice);
    assert!(matches!(entities.get_mut([alive, dead]).unwrap_err(), EntityMutableFetchError::NotSpawned(_)));
    assert_eq!(entities.get([alive, alive]).unwrap().map(|entity| entity.id()), [alive, alive]);
}

#[test]
fn the_commands_are_applied_between_those_before_and_those_after() {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.commands().queue(log("before"));
    {
        let (_, mut commands) = world.entities_and_commands();
        commands.queue(log("beside"));
        commands.queue(log("beside too"));
    }
    world.commands().queue(log("after"));
    {
        let (_, mut commands) = world.entities_and_commands();
        commands.queue(log("last"));
    }
    world.flush();
    assert_eq!(world.resource::<Log>().0, ["before", "beside", "beside too", "after", "last"]);
    world.flush();
    assert_eq!(world.resource::<Log>().0.len(), 5);
}

#[test]
fn commands_that_are_never_applied_are_dropped_with_the_world() {
    let mut world = World::new();
    let (_, mut commands) = world.entities_and_commands();
    commands.spawn(Held(Token::new()));
    drop(world);
    assert_eq!(drops::alive(), 0);
    drops::assert_all_dropped_once();
}

#[test]
fn a_hook_reads_entities_while_it_records_commands() {
    #[derive(Component)]
    #[component(on_add = copy_names)]
    struct Copies(Vec<Entity>);

    fn copy_names(mut world: DeferredWorld<'_>, context: HookContext) {
        let (entities, mut commands) = world.entities_and_commands();
        for &from in &entities.get(context.entity).unwrap().get::<Copies>().unwrap().0 {
            commands.spawn(Name(entities.get(from).unwrap().get::<Name>().unwrap().0));
        }
    }

    let mut world = World::new();
    let from = [Name("Ada"), Name("Bob")].map(|name| world.spawn(name).id());
    world.spawn(Copies(from.to_vec()));
    let mut names: Vec<&str> = world.query::<&Name>().iter(&world).map(|name| name.0).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ada", "Ada", "Bob", "Bob"]);
}

#[test]
fn a_reserved_id_is_no_spawned_entity_yet() {
    let mut world = World::new();
    let alive = world.spawn_empty().id();
    let gone = world.spawn_empty().id();
    world.despawn(gone);
    let (_, mut commands) = world.entities_and_commands();
    let reserved = commands.spawn_empty().id();
    assert!(commands.get_entity(reserved).is_ok() && commands.get_spawned_entity(reserved).is_err());
    assert!(commands.get_entity(gone).is_err() && commands.get_spawned_entity(gone).is_err());
    commands.get_spawned_entity(alive).unwrap().insert(Health(1));
    world.flush();
    assert!(world.commands().get_spawned_entity(reserved).is_ok());
    assert_eq!(world.get(alive), Some(&Health(1)));
}
