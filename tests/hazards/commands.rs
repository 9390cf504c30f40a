//! Commands that are put together: groups for one entity, runs of one kind, and what a panic does to them.

use strata_ecs::entity::EntityError;
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

fn held() -> (Held, Aside) {
    (Held(Token::new()), Aside(Token::new()))
}

#[test]
fn every_step_of_a_group_for_a_despawned_entity_is_an_error_and_the_rest_runs() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn(Mark(1)).id();
    let other = world.spawn(Mark(2)).id();
    let mut commands = world.commands();
    commands.entity(entity).insert(held()).despawn();
    commands.entity(entity).insert(held()).insert_if_new(held()).remove::<Held>().try_insert(held()).despawn();
    commands.entity(other).insert(held());
    world.flush();
    let (errors, missing) = world.take_command_errors();
    let names: Vec<&str> = errors.iter().map(|error| error.command()).collect();
    assert_eq!((names, missing), (vec!["insert", "insert_if_new", "remove", "despawn"], 0));
    assert!(errors.iter().all(|error| error.error() == Some(EntityError::Despawned(entity.into()))));
    assert!(world.entity(other).contains::<Held>() && !world.contains(entity));
    assert_eq!(drops::alive(), 2);
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_run_that_meets_dead_entities_reports_them_and_reaches_the_others() {
    drops::reset();
    let mut world = World::new();
    let entities: Vec<Entity> = world.spawn_batch((0..6).map(Mark)).collect();
    entities.iter().step_by(2).for_each(|entity| assert!(world.despawn(*entity)));
    for entity in &entities {
        world.commands().entity(*entity).insert(held());
    }
    world.flush();
    let dead: Vec<Entity> =
        world.take_command_errors().0.iter().filter_map(|error| error.error()).map(|error| error.entity()).collect();
    assert!(dead.iter().eq(entities.iter().step_by(2)));
    assert_eq!((world.query::<&Held>().iter(&world).count(), drops::alive()), (3, 6));
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn insert_despawn_and_insert_of_one_id_in_one_flush_keep_their_order() {
    for spawned in [false, true] {
        drops::reset();
        let mut world = World::new();
        let entity = if spawned { world.commands().spawn(Mark(1)).id() } else { world.spawn(Mark(1)).id() };
        let mut commands = world.commands();
        commands.entity(entity).insert(held()).despawn();
        commands.entity(entity).insert(held());
        // The index may be given to another entity before the last command; that one is not for the new tenant.
        commands.queue(|world: &mut World| {
            world.spawn(Mark(2));
        });
        commands.entity(entity).insert(held()).insert(Mark(3));
        world.flush();
        assert!(!world.contains(entity));
        assert_eq!(world.take_command_errors().0.len(), 3);
        assert_eq!(world.query::<(&Mark, Has<Held>)>().single(&world), Ok((&Mark(2), false)));
        assert_eq!((drops::alive(), drops::dropped()), (0, 6));
        assert_usable(&mut world);
        finish(world);
    }
}

#[test]
fn groups_that_queue_groups_are_bounded_by_memory_not_by_the_stack() {
    #[derive(Resource)]
    struct Left(u32);
    fn step(world: &mut World) {
        let mut left = world.resource_mut::<Left>();
        left.0 -= 1;
        if left.0 > 0 {
            let mut commands = world.commands();
            let entity = commands.spawn(held()).insert(Mark(1)).id();
            commands.queue(step);
            commands.entity(entity).remove::<(Held, Aside)>().despawn();
        }
    }
    drops::reset();
    let mut world = World::new();
    world.insert_resource(Left(20_000));
    world.commands().queue(step);
    world.flush();
    assert_eq!((world.resource::<Left>().0, world.len(), drops::alive()), (0, 0, 0));
    assert!(world.take_command_errors().0.is_empty());
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_command_that_panics_between_groups_leaves_those_before_it_and_drops_those_behind_it() {
    for bad in 0..4 {
        drops::reset();
        let mut world = World::new();
        let entities: Vec<Entity> = world.spawn_batch((0..4).map(Mark)).collect();
        let mut commands = world.commands();
        for (at, entity) in entities.iter().enumerate() {
            commands.entity(*entity).insert(held()).remove::<Held>().insert_if_new(held());
            if at == bad {
                commands.queue(|_: &mut World| panic!("a command breaks"));
            }
        }
        let spawned = commands.spawn(held()).insert(Mark(9)).id();
        assert!(expect_panic(|| world.flush()).contains("breaks"));
        assert_eq!(world.query::<(&Held, &Aside)>().iter(&world).count(), bad + 1);
        assert_eq!(drops::alive(), 2 * (bad + 1));
        assert!(world.contains(spawned) && world.get::<Mark>(spawned).is_none());
        assert_usable(&mut world);
        finish(world);
    }
}

#[test]
fn a_flush_inside_a_command_makes_reserved_ids_entities() {
    let mut world = World::new();
    let reserved = world.reserve_entity();
    world.commands().queue(move |world: &mut World| {
        world.flush();
        assert!(world.contains(reserved), "flushed");
    });
    world.flush();
}

#[test]
fn a_command_that_is_a_closure_may_insert_into_a_reserved_id() {
    let mut world = World::new();
    let reserved = world.reserve_entity();
    world.commands().queue(move |world: &mut World| {
        world.get_entity_mut(reserved).expect("as by a command").insert(Mark(1));
    });
    world.flush();
    assert_eq!(world.get::<Mark>(reserved), Some(&Mark(1)));
}

#[test]
fn a_command_that_panics_leaves_what_its_system_has_recorded_by_other_parameters() {
    #[derive(SystemParam)]
    struct Further<'w, 's> {
        fails: Commands<'w, 's>,
        spawns: Commands<'w, 's>,
    }

    type Lists<'w, 's> = (Commands<'w, 's>, ParamSet<'w, 's, (Commands<'w, 's>, Commands<'w, 's>)>, Further<'w, 's>);

    fn record((mut first, mut set, mut further): Lists<'_, '_>) {
        first.spawn((Mark(1), held()));
        first.queue(|_: &mut World| panic!("the first"));
        first.spawn((Mark(2), held()));
        set.p0().queue(|_: &mut World| panic!("the second"));
        set.p1().spawn((Mark(3), held()));
        further.fails.queue(|_: &mut World| panic!("the third"));
        let id = further.spawns.spawn(Mark(4)).id();
        further.spawns.entity(id).insert(held());
    }
    let ways: [fn(&mut World); 4] = [
        |world| world.run_system_once(record).expect("it runs"),
        |world| {
            let mut schedule = Schedule::default();
            schedule.add_systems(record);
            schedule.run(world);
        },
        |world| {
            let id = world.register_system(record);
            world.run_system(id).expect("it runs");
        },
        |world| {
            let mut state = SystemState::<Lists<'_, '_>>::new(world);
            record(state.get_mut(world).expect("they are there"));
            state.apply(world);
        },
    ];
    for way in ways {
        drops::reset();
        let mut world = World::new();
        assert!(expect_panic(|| way(&mut world)).contains("the first"));
        world.flush();
        let mut marks: Vec<u32> = world.query::<&Mark>().iter(&world).map(|mark| mark.0).collect();
        marks.sort_unstable();
        assert_eq!((marks, world.len(), drops::alive()), (vec![1, 3, 4], 3, 6));
        assert_usable(&mut world);
        finish(world);
    }
}
