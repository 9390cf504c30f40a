//! Commands and exchanges: what is left after a panic, and what errors say.

use strata_tests::drops::{self, Token};
use strata_tests::panics::expect_panic;

use super::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Mark(u32);
#[derive(Component)]
struct Held(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside(Token);
#[derive(Component)]
struct Never;

#[test]
fn a_queue_that_is_dropped_with_an_exploding_value_drops_each_value_once() {
    for bad in 0..4 {
        drops::reset();
        let world = World::new();
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        for at in 0..4 {
            commands.spawn(Held(if at == bad { Token::armed() } else { Token::new() }));
        }
        expect_panic(|| drop(queue));
        drops::assert_all_dropped_once();
    }
}

#[test]
fn a_world_that_is_dropped_with_an_exploding_command_drops_each_value_once() {
    drops::reset();
    let mut world = World::new();
    world.commands().spawn(Held(Token::new()));
    world.commands().spawn(Held(Token::armed())).insert(Aside(Token::new()));
    expect_panic(|| drop(world));
    drops::assert_all_dropped_once();
}

#[test]
fn a_panic_in_the_drop_of_a_value_that_is_replaced_by_an_exchange_leaks_nothing() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn((Held(Token::new()), Aside(Token::armed()))).id();
    expect_panic(|| world.entity_mut(entity).exchange::<Held, _>(Aside(Token::new())).is_ok());
    assert!(!world.entity(entity).contains::<Held>() && world.entity(entity).contains::<Aside>());
    assert_eq!(drops::alive(), 1, "what was taken out is dropped");
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn an_exchange_makes_no_table_in_between_and_none_if_it_is_refused() {
    let mut world = World::new();
    let entity = world.spawn((Mark(1), Held(Token::new()))).id();
    let tables = world.tables().iter().count();
    assert!(world.entity_mut(entity).exchange::<(Mark, Never), ()>(()).is_err());
    assert!(world.entity_mut(entity).take::<(Mark, Never)>().is_none());
    assert_eq!(world.tables().iter().count(), tables, "nothing happens");
    assert!(world.entity_mut(entity).exchange::<Mark, Never>(Never).is_ok());
    assert_eq!(world.tables().iter().count(), tables + 1);
}

/// The names of the systems in the errors of a world.
fn systems(world: &mut World) -> Vec<Option<&'static str>> {
    world.take_command_errors().0.iter().map(|error| error.system()).collect()
}

#[test]
fn an_error_after_a_panic_in_the_commands_of_a_system_does_not_name_that_system() {
    let mut world = World::new();
    let bomb = |mut commands: Commands<'_, '_>| commands.queue(|_: &mut World| panic!("a command breaks"));
    expect_panic(|| world.run_system_once(bomb).is_ok());
    world.commands().entity(Entity::PLACEHOLDER).insert(Mark(1));
    world.flush();
    assert_eq!(systems(&mut world), [None]);
}

#[test]
fn an_error_names_the_system_even_if_a_command_before_it_applied_another_queue() {
    let mut world = World::new();
    let system = |mut commands: Commands<'_, '_>| {
        commands.queue(|world: &mut World| CommandQueue::default().apply(world));
        commands.entity(Entity::PLACEHOLDER).insert(Mark(1));
    };
    world.run_system_once(system).expect("it runs");
    assert!(systems(&mut world)[0].is_some());
}

#[test]
fn an_error_of_a_command_that_waited_in_the_world_names_no_system() {
    let mut world = World::new();
    world.commands().entity(Entity::PLACEHOLDER).insert(Mark(1));
    let system = |mut commands: Commands<'_, '_>| {
        commands.spawn(Mark(2));
    };
    world.run_system_once(system).expect("it runs");
    world.flush();
    assert_eq!(systems(&mut world), [None]);
}
