//! Parts of a world that come back.

use strata_ecs::prelude::*;
use strata_ecs::snapshot::{Restored, SnapshotOptions};
use strata_ecs::system::SystemState;

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Health(u32);
#[derive(Component, Clone, Copy)]
struct Fire;
#[derive(Component, Clone, Copy)]
struct Ice;
#[derive(Resource, Clone, Default, PartialEq, Debug)]
struct Log(Vec<u32>);
#[derive(Message, Clone)]
struct Step(u32);

#[test]
fn dead_ids_stay_dead_and_the_next_ones_are_the_same() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..5).map(Health)).collect();
    world.despawn(ids[1]);
    world.despawn(ids[3]);
    let snapshot = world.snapshot().unwrap();
    let next = |world: &mut World| -> Vec<Entity> { (0..4).map(|_| world.spawn_empty().id()).collect() };
    let expected = next(&mut world);
    world.clear_entities();
    world.shrink_to_fit();
    world.restore(&snapshot).unwrap();
    assert!(!world.contains(ids[1]) && !world.contains(ids[3]) && world.contains(ids[4]));
    assert_eq!(next(&mut world), expected);
}

#[test]
fn tables_made_since_leave_the_order() {
    let order =
        |world: &mut World| -> Vec<u32> { world.query::<&Health>().iter(world).map(|health| health.0).collect() };
    let mut world = World::new();
    let mut kept = world.query::<&Health>();
    let snapshot = world.snapshot().unwrap();
    world.spawn((Health(1), Ice));
    world.spawn((Health(2), Fire));
    assert_eq!(kept.iter(&world).map(|health| health.0).collect::<Vec<_>>(), [1, 2]);

    world.restore(&snapshot).unwrap();
    assert_eq!(kept.iter(&world).count(), 0);
    world.spawn((Health(2), Fire));
    world.spawn((Health(1), Ice));
    assert_eq!(order(&mut world), [2, 1]);
    assert_eq!(kept.iter(&world).map(|health| health.0).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn messages_that_wait_are_there_again() {
    let mut world = World::new();
    world.init_resource::<Messages<Step>>();
    world.write_message(Step(1));
    world.frame(|_| {});
    world.write_message(Step(2));
    let snapshot = world.snapshot().unwrap();
    let mut stale = world.resource::<Messages<Step>>().get_cursor();
    (0..9).for_each(|step| _ = world.write_message(Step(step)));
    stale.clear(world.resource::<Messages<Step>>());
    (0..3).for_each(|_| world.frame(|_| {}));
    assert!(world.resource::<Messages<Step>>().is_empty());

    world.restore(&snapshot).unwrap();
    // A cursor outside of the world has read other messages than those that exist now, so it starts from the beginning.
    let read = |stale: &mut strata_ecs::message::MessageCursor<Step>, world: &World| -> Vec<u32> {
        stale.read(world.resource::<Messages<Step>>()).map(|step| step.0).collect()
    };
    assert_eq!(read(&mut stale, &world), [1, 2]);
    world.write_message(Step(3));
    assert_eq!(read(&mut stale, &world), [3]);
    world.frame(|_| {});
    assert_eq!(world.resource::<Messages<Step>>().len(), 2);
}

#[test]
fn resources_that_came_go_and_those_that_went_come_back() {
    #[derive(Resource, Clone)]
    struct New;
    let mut world = World::new();
    world.insert_resource(Log(vec![3]));
    let snapshot = world.snapshot().unwrap();
    world.remove_resource::<Log>();
    world.insert_resource(New);
    world.restore(&snapshot).unwrap();
    assert_eq!(world.get_resource::<Log>(), Some(&Log(vec![3])));
    assert!(!world.contains_resource::<New>());
}

#[test]
fn only_restored_is_told_and_when_all_is_there() {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.spawn(Health(1));
    let snapshot = world.snapshot().unwrap();
    world.add_observer(|_: On<Add<Health>>, mut log: ResMut<Log>| log.0.push(1));
    world.add_observer(|_: On<Despawn<Health>>, mut log: ResMut<Log>| log.0.push(2));
    world.add_observer(|_: On<Restored>, all: Query<&Health>, mut log: ResMut<Log>| {
        log.0.push(10 + all.iter().count() as u32)
    });
    world.clear_entities();
    world.restore(&snapshot).unwrap();
    assert_eq!(world.resource::<Log>().0, [11]);
}

#[test]
fn removals_that_were_not_read_are_read_again() {
    let mut world = World::new();
    let mut reader = world.removed_reader::<Health>();
    let [a, b] = [1, 2].map(|health| world.spawn(Health(health)).id());
    world.despawn(a);
    let snapshot = world.snapshot().unwrap();
    world.despawn(b);
    assert_eq!(reader.read(&world).collect::<Vec<_>>(), [a, b]);
    let mut later = world.removed_reader::<Health>();
    world.restore(&snapshot).unwrap();
    assert_eq!(reader.read(&world).collect::<Vec<_>>(), [a]);
    assert_eq!(later.read(&world).count(), 0);
    world.despawn(b);
    assert_eq!(reader.read(&world).collect::<Vec<_>>(), [b]);
    assert_eq!(later.read(&world).collect::<Vec<_>>(), [b]);
}

#[test]
fn to_a_consumer_outside_everything_is_new_once() {
    let mut world = World::new();
    let entity = world.spawn(Health(1)).id();
    let mut state = SystemState::<Query<Entity, Changed<Health>>>::new(&mut world);
    let mut changed = |world: &World| state.get(world).unwrap().iter().count();
    assert_eq!(changed(&world), 1);
    let snapshot = world.snapshot().unwrap();
    (0..50).for_each(|_| assert_eq!(changed(&world), 0));
    world.restore(&snapshot).unwrap();
    assert_eq!(changed(&world), 1);
    assert_eq!(changed(&world), 0);
    for _ in 0..100 {
        world.get_mut::<Health>(entity).unwrap().0 += 1;
        assert_eq!(changed(&world), 1);
    }
}

#[test]
fn what_is_left_out_stays() {
    #[derive(Resource)]
    struct Window(u32);
    let mut world = World::new();
    world.insert_resource(Window(1));
    world.insert_resource(Log(vec![1]));
    let snapshot = world.snapshot_with(&SnapshotOptions::new().without_resource::<Window>()).unwrap();
    world.insert_resource(Window(2));
    world.insert_resource(Log(vec![2]));
    world.restore(&snapshot).unwrap();
    assert_eq!((world.resource::<Window>().0, &world.resource::<Log>().0[..]), (2, &[1][..]));
}

#[test]
fn schedules_stay_and_run_on() {
    #[derive(strata_ecs::prelude::ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Tick;
    let mut world = World::new();
    world.init_resource::<Log>();
    world.add_schedule(Schedule::new(Tick));
    world.schedule_scope(Tick, |_, schedule| {
        schedule.add_systems(|mut commands: Commands, all: Query<&mut Health>, mut log: ResMut<Log>| {
            log.0.push(all.iter().count() as u32);
            commands.spawn(Health(1));
        });
    });
    world.run_schedule(Tick);
    let snapshot = world.snapshot().unwrap();
    let run = |world: &mut World| -> (Vec<u32>, Vec<Entity>) {
        (0..5).for_each(|_| world.run_schedule(Tick));
        (world.resource::<Log>().0.clone(), world.query::<Entity>().iter(world).collect())
    };
    let expected = run(&mut world);
    for _ in 0..3 {
        world.restore(&snapshot).unwrap();
        assert_eq!(run(&mut world), expected);
    }
}

#[test]
fn pairs_of_relations_are_taken_with_their_values() {
    #[derive(Relation, Clone, PartialEq, Debug)]
    struct Hunting(u32);
    #[derive(Relation)]
    struct Watching;

    let mut world = World::new();
    let [wolf, rabbit, fox] = [(); 3].map(|()| world.spawn_empty().id());
    world.relate(wolf, Hunting(3), rabbit);
    world.relate(fox, Hunting(5), rabbit);
    let pairs = |world: &mut World| {
        let mut query = world.query::<(Entity, Pairs<&Hunting>)>();
        let all =
            query.iter(world).flat_map(|(entity, pairs)| pairs.map(move |(other, value)| (entity, other, value.0)));
        all.collect::<Vec<_>>()
    };
    let before = pairs(&mut world);
    assert_eq!(before.len(), 2);
    let snapshot = world.snapshot().unwrap();
    world.relate(wolf, Hunting(9), fox);
    world.relate(wolf, Hunting(4), rabbit);
    world.despawn(fox);
    world.restore(&snapshot).unwrap();
    assert_eq!(pairs(&mut world), before);
    world.despawn(rabbit);
    assert!(pairs(&mut world).is_empty());
    world.restore(&snapshot).unwrap();
    assert_eq!(pairs(&mut world), before);
    world.relate(wolf, Watching, fox);
    let error = world.snapshot().unwrap_err().to_string();
    assert!(error.contains("Watching`"), "{error}");
}
