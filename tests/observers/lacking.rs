//! Observers that take components which their target lacks.

use strata_ecs::error::Severity;
use strata_ecs::prelude::*;
use strata_ecs::store::OnCommandError;

use super::{Log, noted, world};

#[derive(EntityEvent)]
struct Damage(Entity);
#[derive(Component)]
struct Health(u32);
#[derive(Component)]
struct Armor;
#[derive(Component)]
#[component(storage = "sparse")]
struct Shield;

#[observer]
fn hurt(_: On<Damage>, health: &mut Health, _: Option<&Armor>, mut log: ResMut<Log>) {
    log.note(health.0);
}

#[observer(with(Armor))]
fn dent(_: On<Damage>, _: &Armor, _: &Health) {}

#[observer]
fn block(_: On<Damage>, _: &Health, _: &Shield) {}

#[observer]
fn greet(_: On<Add<Armor>>, _: &Health) {}

fn reported(world: &mut World) -> Vec<String> {
    world.take_command_errors().0.iter().map(ToString::to_string).collect()
}

#[test]
fn a_target_that_lacks_a_component_is_reported_once_for_each_observer() {
    let mut world = world();
    world.on_command_error(OnCommandError::Keep);
    world.add_observer(hurt);
    world.add_observer(hurt);
    let [rock, hero] = [world.spawn(Armor).id(), world.spawn((Armor, Health(3))).id()];
    for _ in 0..3 {
        world.trigger(Damage(rock));
    }
    world.trigger(Damage(hero));
    assert_eq!(noted(&mut world), ["3", "3"]);
    let errors = reported(&mut world);
    assert_eq!(errors.len(), 1, "{errors:?}");
    for part in ["observer `", "lacking::hurt", "lacking::Damage", &rock.to_string(), "lacking::Health`: insert it"] {
        assert!(errors[0].contains(part), "{part}: {}", errors[0]);
    }
}

#[test]
fn a_sparse_component_that_is_lacking_is_named_alone() {
    let mut world = world();
    world.on_command_error(OnCommandError::Keep);
    world.add_observer(block);
    let hero = world.spawn(Health(3)).id();
    world.trigger(Damage(hero));
    let errors = reported(&mut world);
    assert!(errors.len() == 1 && errors[0].contains("which lacks `") && errors[0].contains("Shield`"), "{errors:?}");
    assert!(!errors[0].contains("Health"), "{errors:?}");
}

#[test]
fn a_target_that_the_filter_of_the_observer_excludes_is_not_reported() {
    let mut world = world();
    world.on_command_error(OnCommandError::Keep);
    world.add_observer(dent);
    let rock = world.spawn_empty().id();
    world.trigger(Damage(rock));
    assert!(reported(&mut world).is_empty());
    world.entity_mut(rock).insert(Armor);
    world.trigger(Damage(rock));
    assert!(reported(&mut world)[0].contains("Health"));
}

#[test]
fn an_event_of_the_life_of_a_component_reports_it_too() {
    let mut world = world();
    world.on_command_error(OnCommandError::Keep);
    world.add_observer(greet);
    world.spawn((Armor, Health(1)));
    assert!(reported(&mut world).is_empty());
    world.spawn_batch([Armor, Armor]);
    assert_eq!(reported(&mut world).len(), 1);
}

#[test]
fn the_report_is_a_warning_for_the_error_handler_and_no_panic() {
    let mut world = world();
    world.on_command_error(OnCommandError::Panic);
    world.add_observer(hurt);
    let rock = world.spawn_empty().id();
    world.trigger(Damage(rock));
    let mut world = super::world();
    world.set_error_handler(|error, context| {
        assert_eq!(error.severity(), Severity::Warning);
        panic!("{}: {error}", context.name());
    });
    world.add_observer(hurt);
    let rock = world.spawn_empty().id();
    let text = strata_tests::panics::expect_panic(|| world.trigger(Damage(rock)));
    assert!(text.contains("lacking::hurt") && text.contains("Health"), "{text}");
}
