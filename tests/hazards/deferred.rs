//! Deferred work: commands on despawned entities, order, recursion, scopes.

use strata_tests::drops::{self, Token};
use strata_tests::panics::catch;

use super::*;

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Mark(u32);
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Further(u32);
#[derive(Component)]
struct Held(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct Aside;
#[derive(Resource, Debug, PartialEq)]
struct Score(u32);

#[test]
fn a_command_on_a_despawned_entity_is_an_error_and_the_rest_runs() {
    fn doomed(mut commands: Commands<'_, '_>, all: Query<'_, '_, Entity, With<Mark>>) {
        for entity in &all {
            commands.entity(entity).despawn();
            commands.entity(entity).insert((Further(1), Held(Token::new())));
            commands.entity(entity).remove::<Mark>();
            commands.entity(entity).despawn();
        }
        commands.spawn(Further(2));
        commands.queue(|world: &mut World| world.insert_resource(Score(3)));
    }
    drops::reset();
    let mut world = World::new();
    world.spawn(Mark(1));
    let mut schedule = Schedule::default();
    schedule.add_systems(doomed);
    if let Err(error) = schedule.try_run(&mut world) {
        assert!(error.to_string().contains("doomed"), "{error}");
    }
    assert_eq!(world.query::<&Mark>().iter(&world).count(), 0);
    assert_eq!(world.query::<&Further>().single(&world), Ok(&Further(2)));
    assert_eq!(*world.resource::<Score>(), Score(3));
    assert_eq!(world.len(), 1);
    assert_eq!(drops::alive(), 0);
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn a_command_never_reaches_the_new_tenant_of_a_despawned_index() {
    let mut world = World::new();
    let old = world.spawn(Mark(1)).id();
    let outcome = catch(|| {
        world.run_system_once(move |mut commands: Commands<'_, '_>| {
            commands.entity(old).despawn();
            commands.queue(move |world: &mut World| {
                let tenant = world.spawn(Mark(2)).id();
                assert_eq!(tenant.index(), old.index());
            });
            commands.entity(old).insert(Further(1));
            commands.entity(old).despawn();
        })
    });
    if let Err(text) = outcome {
        panic!("a command on a dead entity panicked: {text}");
    }
    assert_eq!(world.query::<(&Mark, Has<Further>)>().single(&world), Ok((&Mark(2), false)));
    assert_usable(&mut world);
}

#[test]
fn changes_of_one_entity_in_one_flush_keep_their_order() {
    drops::reset();
    let mut world = World::new();
    let entity = world.spawn(Mark(0)).id();
    world
        .run_system_once(move |mut commands: Commands<'_, '_>| {
            commands.entity(entity).insert((Further(1), Held(Token::new())));
            commands.entity(entity).remove::<Further>();
            commands.entity(entity).insert((Further(2), Held(Token::new()), Aside));
            commands.entity(entity).remove::<Aside>().insert(Mark(5));
        })
        .expect("it runs");
    assert_eq!(world.get::<Further>(entity), Some(&Further(2)));
    assert_eq!(world.get::<Mark>(entity), Some(&Mark(5)));
    assert!(!world.entity(entity).contains::<Aside>());
    assert_eq!((drops::alive(), drops::dropped()), (1, 1));
    let second = world
        .run_system_once(move |mut commands: Commands<'_, '_>| {
            commands.entity(entity).insert(Further(3));
            commands.entity(entity).despawn();
            let second = commands.spawn(Further(4)).id();
            commands.entity(second).insert(Further(5));
            second
        })
        .expect("it runs");
    assert!(!world.contains(entity));
    assert_eq!(world.get::<Further>(second), Some(&Further(5)));
    assert_usable(&mut world);
    finish(world);
}

#[test]
fn commands_that_queue_commands_are_bounded_by_memory_not_by_the_stack() {
    const DEPTH: u32 = 200_000;
    fn step(world: &mut World) {
        let left = {
            let mut score = world.resource_mut::<Score>();
            score.0 -= 1;
            score.0
        };
        if left > 0 {
            world.commands().queue(step);
        }
    }
    let mut world = World::new();
    world.insert_resource(Score(DEPTH));
    world.run_system_once(|mut commands: Commands<'_, '_>| commands.queue(step)).expect("it runs");
    world.flush();
    assert_eq!(*world.resource::<Score>(), Score(0));
    assert_usable(&mut world);
}

#[test]
fn a_resource_replaced_inside_its_own_scope_has_a_defined_end() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let outcome = catch(|| {
        world.resource_scope(|world: &mut World, mut score: Mut<'_, Score>| {
            score.0 = 2;
            world.insert_resource(Score(100));
        });
    });
    // The lent value comes back, or the clash is reported by name: it is never silently the one inserted.
    match outcome {
        Ok(()) => assert_eq!(*world.resource::<Score>(), Score(2)),
        Err(text) => assert!(text.contains("Score"), "{text}"),
    }
    assert!(world.contains_resource::<Score>());
    assert_usable(&mut world);
}

#[test]
fn a_scope_inside_a_scope_of_the_same_resource_is_refused_by_name() {
    let mut world = World::new();
    world.insert_resource(Score(1));
    let text = catch(|| {
        world.resource_scope(|world: &mut World, _: Mut<'_, Score>| {
            world.resource_scope(|_: &mut World, _: Mut<'_, Score>| ());
        });
    })
    .expect_err("it is lent already");
    assert!(text.contains("Score"), "{text}");
    assert_eq!(*world.resource::<Score>(), Score(1));
}

#[test]
fn same_named_types_of_two_crates_two_functions_and_two_parameters_are_distinct() {
    fn local_one() -> impl Bundle {
        #[derive(Component)]
        struct Local(u32);
        Local(1)
    }
    fn local_two() -> impl Bundle {
        #[derive(Component)]
        struct Local(u64);
        Local(2)
    }
    #[derive(Component, Debug, PartialEq)]
    struct Wrap<T: Send + Sync + 'static>(T);
    let mut world = World::new();
    let entity = world
        .spawn((local_one(), local_two(), Wrap(1_u8), Wrap("one"), Wrap(Wrap(1_u8))))
        .insert((strata_user_renamed::Position { x: 1.0, y: 2.0 }, strata_user_no_std::Position { x: 1, y: 2 }))
        .id();
    assert_eq!(world.get::<Wrap<u8>>(entity), Some(&Wrap(1)));
    assert_eq!(world.get::<Wrap<&str>>(entity), Some(&Wrap("one")));
    assert_eq!(world.get::<strata_user_renamed::Position>(entity).map(|at| at.x), Some(1.0));
    assert_eq!(world.get::<strata_user_no_std::Position>(entity).map(|at| at.x), Some(1));
    assert_usable(&mut world);
}

#[test]
fn a_system_may_run_another_schedule_on_the_world_it_was_given() {
    fn inner(mut commands: Commands<'_, '_>) {
        commands.spawn(Mark(1));
    }
    fn outer(world: &mut World) {
        let mut schedule = Schedule::default();
        schedule.add_systems(inner);
        schedule.run(world);
        world.run_system_once(inner).expect("it runs");
    }
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems((outer, outer));
    schedule.run(&mut world);
    assert_eq!(world.query::<&Mark>().iter(&world).count(), 4);
    assert_usable(&mut world);
}
