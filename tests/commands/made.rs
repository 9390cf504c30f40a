//! Commands that functions make, and those that do something under a condition.

use strata_ecs::bundle::InsertMode;
use strata_ecs::prelude::*;
use strata_ecs::system::{command, entity_command};
use strata_ecs::world::TryInsertBatchError;

#[derive(Component, Clone, Debug, PartialEq)]
struct Health(u32);
#[derive(Component, Clone, Default, Debug, PartialEq)]
struct Armor(u32);
#[derive(Resource, Default, Debug, PartialEq)]
struct Score(u32);
#[derive(Message)]
struct Fell;
#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Update;

fn gain(mut score: ResMut<'_, Score>) {
    score.0 += 1;
}

#[test]
fn commands_for_the_world_do_what_its_methods_do() {
    let mut world = World::new();
    let gaining = world.register_system(gain);
    let mut schedule = Schedule::new(Update);
    schedule.add_systems(gain);
    world.add_schedule(schedule);

    let mut commands = world.commands();
    commands.queue(command::init_resource::<Score>());
    commands.queue(command::run_system(gaining));
    commands.queue(command::run_system_cached(gain));
    commands.queue(command::run_schedule(Update));
    commands.queue(command::write_message(Fell));
    commands.queue(command::spawn_batch([Health(0), Health(1), Health(2)]));
    commands.queue(command::despawn_all_where::<&Health, ()>(|health| health.0 == 1));
    world.flush();
    assert_eq!((world.resource::<Score>(), world.len()), (&Score(3), 2));
    assert_eq!(world.resource::<Messages<Fell>>().len(), 1);

    let mut commands = world.commands();
    commands.queue(command::insert_resource(Score(9)));
    commands.queue(command::unregister_system(gaining));
    commands.queue(command::despawn_all::<With<Health>>());
    world.flush();
    assert_eq!((world.resource::<Score>(), world.len()), (&Score(9), 0));
    assert!(world.run_system(gaining).is_err());
    world.commands().queue(command::remove_resource::<Score>());
    world.flush();
    assert!(!world.contains_resource::<Score>());
    assert!(world.take_command_errors().0.is_empty());

    // Failures are reported.
    world.commands().queue(command::run_system(gaining));
    world.flush();
    assert_eq!(world.take_command_errors().0.len(), 1);
}

#[test]
fn commands_for_an_entity_do_what_its_methods_do() {
    let mut world = World::new();
    let [entity, target] = [world.spawn(Health(1)).id(), world.spawn_empty().id()];
    let mut commands = world.commands();
    let mut commands = commands.entity(entity);
    commands.queue(entity_command::insert((Health(2), Armor(3)), InsertMode::Keep));
    commands.queue(entity_command::clone_with_opt_out(target, |builder| _ = builder.deny::<Armor>()));
    commands.queue(entity_command::insert_with(|| Health(7), InsertMode::Replace));
    commands.queue(entity_command::insert_with(|| -> Armor { unreachable!("it is there") }, InsertMode::Keep));
    world.flush();
    assert_eq!((world.get(entity), world.get(entity)), (Some(&Health(7)), Some(&Armor(3))));
    assert_eq!((world.get(target), world.get::<Armor>(target)), (Some(&Health(1)), None));

    world.commands().entity(entity).queue(entity_command::retain::<Armor>());
    world.flush();
    assert!(!world.entity(entity).contains::<Health>());
    world.commands().entity(entity).queue(entity_command::remove::<Armor>());
    world.commands().entity(target).queue(entity_command::despawn());
    world.flush();
    assert!(!world.entity(entity).contains::<Armor>() && !world.contains(target));
}

#[test]
fn a_made_component_is_not_inserted_into_an_entity_that_making_it_despawned() {
    #[derive(Component)]
    struct Last;
    impl FromWorld for Last {
        fn from_world(world: &mut World) -> Self {
            world.clear_entities();
            Self
        }
    }
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    world.commands().entity(entity).queue(entity_command::insert_from_world::<Last>(InsertMode::Replace));
    world.flush();
    assert!(world.is_empty());
}

#[test]
fn batches_say_which_entities_are_gone_and_fill_the_others() {
    let mut world = World::new();
    let [a, b, c] = [(); 3].map(|()| world.spawn(Armor(1)).id());
    world.despawn(b);
    let batch = move |health| [a, b, c].map(|entity| (entity, (Health(health), Armor(health))));

    let error: TryInsertBatchError = world.try_insert_batch_if_new(batch(5)).unwrap_err();
    assert_eq!(error.entities, [b]);
    assert!(error.to_string().contains("Health"), "{error}");
    assert_eq!((world.get(a), world.get(c)), (Some(&Health(5)), Some(&Armor(1))));
    assert_eq!(world.insert_batch_if_new(batch(6)), 2);
    assert_eq!(world.get(c), Some(&Health(5)));

    world.commands().try_insert_batch(batch(7));
    world.flush();
    assert!(world.take_command_errors().0.is_empty());
    world.commands().insert_batch_if_new(batch(8));
    world.commands().insert_batch(batch(9));
    world.flush();
    assert_eq!((world.get(a), world.get(c)), (Some(&Health(9)), Some(&Armor(9))));
    assert_eq!(world.take_command_errors().0.len(), 2);
}

#[test]
fn commands_under_a_condition_are_carried_out_if_it_holds() {
    let mut world = World::new();
    let entity = world.spawn_empty().id();
    let mut commands = world.commands();
    let mut commands = commands.entity(entity);
    commands.try_insert_if(Health(1), || true).try_insert_if(Armor(1), || false);
    commands.try_insert_if_new_and(Health(2), || true).try_insert_if_new_and(Armor(2), || false);
    world.flush();
    assert_eq!((world.get(entity), world.get::<Armor>(entity)), (Some(&Health(1)), None));
    world.commands().entity(entity).try_remove_if::<Health>(|| false).try_remove_if::<Health>(|| true);
    world.flush();
    assert!(!world.entity(entity).contains::<Health>());
    // A dead entity is no error for these.
    world.despawn(entity);
    world.commands().entity(entity).try_insert_if(Health(1), || true).try_remove_if::<Health>(|| true);
    world.flush();
    assert!(world.take_command_errors().0.is_empty());
}

#[test]
fn commands_pushed_into_a_queue_are_reported_if_they_fail() {
    let mut world = World::new();
    let mut queue = CommandQueue::default();
    queue.push(|_: &mut World| -> Result { Err("no bread".into()) });
    queue.push(|world: &mut World| {
        world.commands().spawn_empty();
    });
    queue.apply(&mut world);
    assert_eq!((world.take_command_errors().0.len(), world.len()), (1, 1));
}

#[test]
fn an_entity_that_is_gone_is_known_to_be() {
    let mut world = World::new();
    let other = world.spawn_empty().id();
    let mut entity = world.spawn(Health(1));
    assert!(entity.is_spawned());
    let id = entity.id();
    entity.world_scope(|world| {
        world.despawn(id);
        // The index may have a new tenant, which is another entity.
        world.spawn(Health(2));
    });
    assert!(entity.is_despawned() && !entity.is_spawned());
    assert!(entity.as_mutable().get_mut::<Health>().is_none());
    assert!(entity.into_mut::<Health>().is_none());
    assert!(world.entity_mut(other).into_borrow::<Health>().is_none());
}

#[test]
fn an_entity_with_a_resource_may_be_despawned_meanwhile() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let mut entity = world.spawn(Health(1));
    let id = entity.id();
    entity.resource_scope(|entity, mut score: Mut<'_, Score>| {
        assert!(!entity.world().contains_resource::<Score>());
        score.0 += 1;
        entity.world_scope(|world| world.despawn(id));
    });
    assert!(entity.is_despawned());
    assert_eq!(world.resource::<Score>(), &Score(2));
    world.remove_resource::<Score>();
    let tried = world.spawn_empty().try_resource_scope(|_, _: Mut<'_, Score>| ());
    assert_eq!(tried, None);
}
