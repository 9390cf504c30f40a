//! Observers of whole operations.
#![expect(elided_lifetimes_in_paths, reason = "systems as users write them")]

use std::sync::{Arc, Mutex};

use strata_ecs::prelude::*;
use strata_ecs::world::DeferredWorld;
use strata_tests::panics::catch;

#[derive(Component, Clone, Debug, PartialEq)]
struct A(u32);
#[derive(Component, Clone, Debug, PartialEq)]
struct B(u32);
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct S(u32);
#[derive(Component, Clone)]
struct Marker;

/// The batches for which an observer has run: the number of components, and the values if they are contiguous.
#[derive(Resource, Default, Debug)]
struct Batches(Vec<(usize, Option<Vec<u32>>)>);

impl Batches {
    fn take(world: &mut World) -> Vec<(usize, Option<Vec<u32>>)> {
        std::mem::take(&mut world.resource_mut::<Self>().0)
    }
}

macro_rules! note {
    ($Moment:ident, $C:ident) => {
        |batch: OnBatch<$Moment<$C>>, all: Query<&$C>, mut batches: ResMut<Batches>| {
            assert_eq!(
                all.iter_many(batch.entities()).matched().count(),
                batch.entities().len(),
                "all have the component"
            );
            let together = all.contiguous_many(batch.entities());
            let values = together.map(|slice| slice.iter().map(|value| value.0).collect());
            batches.0.push((batch.components().len(), values));
        }
    };
}

fn world() -> World {
    let mut world = World::new();
    world.init_resource::<Batches>();
    world
}

fn together(values: impl IntoIterator<Item = u32>) -> (usize, Option<Vec<u32>>) {
    (1, Some(values.into_iter().collect()))
}

#[test]
fn each_operation_is_a_batch_for_each_table() {
    let mut world = world();
    world.add_observer(note!(Insert, A));
    let one = world.spawn(A(7)).id();
    assert_eq!(Batches::take(&mut world), [together([7])]);
    world.spawn_batch((0..5).map(A));
    assert_eq!(Batches::take(&mut world), [together(0..5)]);
    world.spawn_columns((vec![A(8), A(9)], vec![Marker, Marker])).unwrap();
    assert_eq!(Batches::take(&mut world), [together([8, 9])]);
    // Two tables, whose entities stay there.
    world.all::<With<A>>().insert(A(1));
    assert_eq!(
        Batches::take(&mut world).iter().map(|(_, values)| values.as_ref().map_or(0, Vec::len)).sum::<usize>(),
        8
    );
    world.entity_mut(one).insert((A(3), B(3)));
    assert_eq!(Batches::take(&mut world), [together([3])]);
}

#[test]
fn rows_that_move_together_are_told_where_they_are() {
    let mut world = world();
    world.add_observer(note!(Add, B));
    world.spawn_batch((0..10).map(A));
    world.spawn_batch((0..10).map(|n| (A(n), Marker)));
    world.spawn((A(0), B(100)));
    assert_eq!(Batches::take(&mut world), [together([100])]);
    // They come to a table that has a row already, and to an empty one, which takes the columns over.
    world.all::<(With<A>, Without<B>)>().insert_with(|_| B(5));
    assert_eq!(Batches::take(&mut world), [together([5; 10]), together([5; 10])]);
    assert!(world.all::<With<B>>().remove::<B>() == 21 && Batches::take(&mut world).is_empty());
    // Some rows of a table: their events are in the order of their previous rows.
    let ids = world.all::<With<Marker>>().ids();
    world.many(&ids[2..6]).insert(B(1));
    assert_eq!(Batches::take(&mut world).len(), 1);
}

#[test]
fn what_goes_is_told_while_it_is_there() {
    let mut world = world();
    world.add_observer(note!(Remove, A));
    world.add_observer(note!(Despawn, A));
    world.spawn_batch((0..3).map(A));
    world.spawn_batch((3..5).map(|n| (A(n), Marker)));
    world.all::<With<A>>().remove::<A>();
    assert_eq!(Batches::take(&mut world), [together(0..3), together(3..5)]);
    world.all::<()>().insert(A(1));
    world.all::<With<Marker>>().despawn();
    assert_eq!(Batches::take(&mut world), [together([1, 1]), together([1, 1])], "of its end, and of the removal");
    world.clear_entities();
    assert_eq!(Batches::take(&mut world), [together([1, 1, 1]), together([1, 1, 1])]);
}

#[test]
fn sparse_values_come_one_by_one_if_they_differ() {
    let mut world = world();
    world.add_observer(note!(Add, S));
    world.add_observer(|batch: OnBatch<Remove<(A, S)>>, mut batches: ResMut<Batches>| {
        batches.0.push((batch.components().len() + 10, Some(vec![batch.entities().len() as u32])));
    });
    let ids: Vec<Entity> = world.spawn_batch((0..4).map(A)).collect();
    world.many(&ids[..2]).insert(S(1));
    assert_eq!(Batches::take(&mut world), [(1, None)], "one operation, but the values are not in a table");
    world.all::<With<A>>().remove::<(A, S)>();
    assert_eq!(Batches::take(&mut world), [(12, Some(vec![2])), (11, Some(vec![2]))]);
}

#[test]
fn a_batch_observer_can_take_the_whole_world_or_be_one_of_an_entity() {
    let mut world = world();
    world.add_observer(|batch: OnBatch<Insert<A>>, mut world: DeferredWorld| {
        let sum = batch.entities().iter().map(|&entity| world.get::<A>(entity).unwrap().0).sum();
        world.resource_mut::<Batches>().0.push((0, Some(vec![sum])));
    });
    world.spawn_batch((0..4).map(A));
    let [first, second] = [1, 2].map(|n| world.spawn(A(n)).id());
    assert_eq!(
        Batches::take(&mut world).iter().map(|batch| batch.1.clone().unwrap()[0]).collect::<Vec<_>>(),
        [6, 1, 2]
    );
    world.entity_mut(first).observe(|batch: OnBatch<Discard<A>>, mut batches: ResMut<Batches>| {
        batches.0.push((batch.entities().len(), None));
    });
    world.many(&[first, second]).insert(A(4));
    assert_eq!(Batches::take(&mut world), [(1, None), (0, Some(vec![8]))]);
}

#[test]
fn commands_conditions_and_errors_are_those_of_the_batch() {
    #[derive(Resource)]
    struct Open;
    let mut world = world();
    let add = |batch: OnBatch<Add<A>>, mut commands: Commands| -> Result {
        for &entity in batch.entities() {
            commands.entity(entity).insert(B(1));
        }
        if batch.entities().len() > 2 { Err("too many".into()) } else { Ok(()) }
    };
    world.add_observer(add.run_if(resource_exists::<Open>));
    world.spawn_batch((0..3).map(A));
    assert_eq!(world.query::<&B>().query(&world).count(), 0);
    world.insert_resource(Open);
    world.spawn_batch((0..3).map(A));
    assert_eq!(world.query::<&B>().query(&world).count(), 3);
    let (errors, _) = world.take_command_errors();
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("too many"), "{}", errors[0]);
}

#[test]
fn a_value_that_panics_in_the_middle_leaves_the_right_entities_to_be_told() {
    #[derive(Component)]
    struct Bomb(bool);
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.0, "boom");
        }
    }
    let mut world = world();
    let told: Arc<Mutex<Vec<Entity>>> = Arc::default();
    let log = Arc::clone(&told);
    world.add_observer(move |batch: OnBatch<Insert<A>>| log.lock().unwrap().extend_from_slice(batch.entities()));
    let ids: Vec<Entity> = world.spawn_batch((0..4).map(|n| (Bomb(n == 2), Marker))).collect();
    // The old values are dropped when all have the new one.
    assert!(catch(|| world.all::<With<Marker>>().insert_with(|_| (A(1), Bomb(false)))).is_err());
    // Their rows change before the event is delivered.
    assert!(world.despawn(ids[0]));
    world.flush();
    let mut told = std::mem::take(&mut *told.lock().unwrap());
    told.sort_unstable();
    assert_eq!(told, ids[1..]);
}

#[test]
fn a_manual_event_is_a_batch_of_one() {
    let mut world = world();
    world.add_observer(|batch: OnBatch<Add<A>>, mut batches: ResMut<Batches>| {
        batches.0.push((batch.entities().len(), None))
    });
    let entity = world.spawn_empty().id();
    world.trigger(strata_ecs::event::AddEvent { entity });
    // No component is named, so it is about none that is watched.
    assert!(Batches::take(&mut world).len() <= 1);
}

#[test]
fn slices_of_many_are_refused_where_they_do_not_lie_together() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..10).map(A)).collect();
    let other = world.spawn((A(10), B(1))).id();
    let sparse = world.spawn((A(11), S(1))).id();
    let mut state = world.query::<&mut A>();
    let mut query = state.query_mut(&mut world);
    assert_eq!(query.contiguous_many(&ids).unwrap().len(), 10);
    assert_eq!(query.contiguous_many(&ids[3..7]).unwrap()[0], A(3));
    assert!(query.contiguous_many(&[]).is_none());
    assert!(query.contiguous_many(&[ids[9], other]).is_none());
    assert!(query.contiguous_many(&[ids[1], ids[0]]).is_none());
    assert!(query.contiguous_many(&[ids[1], ids[1]]).is_none());
    assert!(query.contiguous_many(&[Entity::PLACEHOLDER]).is_none());
    query.contiguous_many_mut(&ids[2..4]).unwrap().iter_mut().for_each(|a| a.0 = 50);
    assert!(world.query_filtered::<&A, With<B>>().query(&world).contiguous_many(&ids).is_none());
    assert_eq!(world.query::<&S>().query(&world).contiguous_many(&[sparse]).map(|slice| slice.len()), Some(1));
    let mut dead = ids.clone();
    world.despawn(ids[9]);
    assert!(world.query::<&A>().query(&world).contiguous_many(&dead).is_none());
    dead.pop();
    assert!(world.query::<&A>().query(&world).contiguous_many(&dead).is_some());
    // Another world has other entities, whatever their numbers are.
    let mut elsewhere = World::new();
    elsewhere.spawn_batch([B(1), B(2)]);
    assert!(elsewhere.query::<&A>().query(&elsewhere).contiguous_many(&dead).is_none());
}

#[test]
fn slices_of_many_count_as_changed() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..200).map(A)).collect();
    let mut changed = world.register_system(|all: Query<Entity, Changed<A>>| all.iter().collect::<Vec<_>>());
    assert_eq!(world.run_system(changed).unwrap().len(), 200);
    let write = world.register_system(|In(ids): In<Vec<Entity>>, mut all: Query<&mut A>| {
        all.contiguous_many_mut(&ids).unwrap().iter_mut().for_each(|a| a.0 += 1);
    });
    world.run_system_with(write, ids[70..150].to_vec()).unwrap();
    assert_eq!(world.run_system(changed).unwrap(), ids[70..150]);
    changed = world.register_system(|all: Query<Entity, Changed<A>>| all.iter().collect::<Vec<_>>());
    world.run_system(changed).unwrap();
    let mut some = world.query_filtered::<&A, Changed<A>>();
    assert_eq!(some.query(&world).contiguous_many(&ids[..3]).map(|slice| slice.len()), Some(3), "all are new to it");
}
