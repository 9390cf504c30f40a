//! Copies of worlds, and snapshots that are restored in other worlds.

use std::any::Any;
use std::sync::{Arc, Mutex};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::component::{ComponentDescriptor, ComponentId, Description, ErasedValue};
use strata_ecs::prelude::*;
use strata_ecs::snapshot::{
    BuildError, NewColumnContents, NotTaken, RestoreError, Restored, SnapshotBuilder, SnapshotError, SnapshotOptions,
    SnapshotRing, WorldSnapshot,
};
use strata_tests::panics::expect_panic;

use crate::histories::{Game, step};

#[derive(Component, Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Health(u32);
#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
struct Name(String);
#[derive(Component, Clone, PartialEq, Eq, Hash, Debug)]
#[component(storage = "sparse")]
struct Marked;
#[derive(Relation, Clone, PartialEq, Eq, Hash, Debug)]
struct Owes(u32);
#[derive(Resource, Clone, Default, PartialEq, Eq, Hash, Debug)]
struct Score(u32);
#[derive(Message, Clone, PartialEq, Eq, Hash, Debug)]
struct Hit(u32);

/// A world with some of everything, and its entities.
fn world() -> (World, [Entity; 4]) {
    let mut world = World::new();
    let dead = world.spawn(Health(9)).id();
    let ann = world.spawn((Health(1), Name("ann".into()))).id();
    let bob = world.spawn((Health(2), Marked)).id();
    let child = world.spawn((ChildOf(ann), Name("child".into()))).id();
    world.relate(ann, Owes(3), bob);
    world.relate(child, Owes(4), ann);
    world.insert_resource(Score(5));
    world.init_resource::<Messages<Hit>>();
    world.write_message(Hit(6));
    world.despawn(dead);
    (world, [ann, bob, child, dead])
}

#[test]
fn a_clone_of_a_world_is_equal_and_evolves_alike() {
    let (mut world, [ann, bob, child, _]) = world();
    let mut clone = world.try_clone().unwrap();
    clone.check_invariants();
    assert_ne!(clone.id(), world.id());
    assert!(world.diff(&clone).unwrap().is_empty());
    assert_eq!(world.checksum().unwrap(), clone.checksum().unwrap());
    let evolve = |world: &mut World| {
        let first = world.spawn(Health(7)).id();
        world.despawn(ann);
        world.relate(bob, Owes(8), first);
        world.resource_mut::<Score>().0 += 1;
        let ids: Vec<Entity> = world.spawn_batch((0..5).map(Health)).collect();
        (first, ids, world.contains(child), world.checksum().unwrap())
    };
    assert_eq!(evolve(&mut world), evolve(&mut clone));
    clone.spawn(Marked);
    assert!(!world.diff(&clone).unwrap().is_empty());
}

#[test]
fn a_clone_has_values_of_its_own() {
    let (mut world, [ann, bob, ..]) = world();
    let mut clone = world.try_clone().unwrap();
    clone.get_mut::<Name>(ann).unwrap().0.push('!');
    clone.unrelate::<Owes>(ann, bob);
    clone.resource_mut::<Score>().0 = 0;
    assert_eq!(world.get::<Name>(ann).unwrap().0, "ann");
    assert_eq!(world.get_pair::<Owes>(ann, bob), Some(&Owes(3)));
    assert_eq!(world.resource::<Score>(), &Score(5));
    drop(world);
    assert_eq!(clone.get::<Name>(ann).unwrap().0, "ann!");
}

#[test]
fn a_snapshot_replaces_the_contents_of_another_world() {
    #[derive(Component)]
    struct Foreign;
    #[derive(Resource)]
    struct Own;

    let (mut world, [ann, _, child, dead]) = world();
    let snapshot = world.snapshot().unwrap();
    let mut other = World::new();
    // Components have other numbers there.
    other.register_component::<Marked>();
    let old: Vec<Entity> = other.spawn_batch((0..9).map(|_| (Foreign, Name("old".into())))).collect();
    other.insert_resource(Own);
    let mut names = other.query::<&Name>();
    assert_eq!(names.iter(&other).count(), 9);
    let reserved = other.entities().reserve().unwrap();
    let told = Arc::new(Mutex::new(0));
    let added = Arc::clone(&told);
    other.add_observer(move |_: On<Add<Health>>| *added.lock().unwrap() += 1);
    let restored = Arc::clone(&told);
    other.add_observer(move |_: On<Restored>| *restored.lock().unwrap() += 100);

    other.restore_into(&snapshot).unwrap();
    other.check_invariants();
    assert!(world.diff(&other).unwrap().is_empty());
    assert!(!other.contains_resource::<Own>() && !other.contains(reserved) && !other.contains(dead));
    assert!(old[4..].iter().all(|id| !other.contains(*id)));
    assert_eq!(names.iter(&other).map(|name| &name.0[..]).collect::<Vec<_>>(), ["ann", "child"]);
    assert_eq!(other.get::<Children>(ann).unwrap().to_vec(), [child]);
    // The observers of that world remain, and run only for later events.
    assert_eq!(*told.lock().unwrap(), 100);
    assert_eq!(other.spawn(Health(1)).id(), world.spawn(Health(1)).id());
    assert_eq!(*told.lock().unwrap(), 101);
    // Any number of times, also there where it was taken.
    other.restore_into(&snapshot).unwrap();
    world.restore_into(&snapshot).unwrap();
    assert!(world.diff(&other).unwrap().is_empty());
}

#[test]
fn messages_wait_in_another_world_for_readers_that_have_not_read_them() {
    let (mut world, _) = world();
    let mut clone = world.try_clone().unwrap();
    let mut cursor = clone.resource::<Messages<Hit>>().get_cursor();
    let read: Vec<Hit> = cursor.read(clone.resource::<Messages<Hit>>()).cloned().collect();
    assert_eq!(read, [Hit(6)]);
    clone.write_message(Hit(7));
    assert_eq!(cursor.read(clone.resource::<Messages<Hit>>()).count(), 1);
    assert_eq!(world.resource::<Messages<Hit>>().len(), 1);
}

#[test]
fn restore_refuses_another_world_and_names_the_way_out() {
    let (mut source, _) = world();
    let snapshot = source.snapshot().unwrap();
    let error = World::new().restore(&snapshot).unwrap_err();
    assert_eq!(error, RestoreError::OtherWorld);
    assert!(error.to_string().contains("World::restore_into"), "{error}");
}

#[test]
fn what_cannot_be_cloned_is_named() {
    #[derive(Component)]
    struct Socket;
    #[derive(Resource)]
    struct Window;
    let (mut world, _) = world();
    let socket = world.spawn(Socket).id();
    world.insert_resource(Window);
    let Err(SnapshotError::NotTaken(what)) = world.try_clone() else { unreachable!() };
    assert!(matches!(what[..], [NotTaken::Component(_), NotTaken::Resource(_)]), "{what:?}");
    world.despawn(socket);
    let clone = world.try_clone_with(&SnapshotOptions::new().without_resource::<Window>()).unwrap();
    assert!(!clone.contains_resource::<Window>() && clone.resource::<Score>().0 == 5);
}

#[test]
fn a_world_that_cannot_hold_the_snapshot_stays_as_it_is() {
    #[derive(Component, Clone)]
    #[component(name = "one name")]
    struct One;
    #[derive(Component, Clone)]
    #[component(name = "one name")]
    struct Other;
    let mut source = World::new();
    source.spawn(One);
    let snapshot = source.snapshot().unwrap();
    let mut world = World::new();
    let entity = world.spawn(Other).id();
    let error = world.restore_into(&snapshot).unwrap_err();
    assert!(matches!(error, RestoreError::Contents(BuildError::Register(_))), "{error}");
    assert!(error.to_string().contains("One"), "{error}");
    assert!(world.get::<Other>(entity).is_some());
    world.check_invariants();
}

#[test]
fn components_made_at_run_time_are_found_by_their_names() {
    let heat = || ComponentDescriptor::builder("mod:heat", Description::<f32>::new().with_clone()).build();
    let mut source = World::new();
    let id = source.register_component_with_descriptor(heat()).unwrap();
    let entity = source.spawn_empty().id();
    source.entity_mut(entity).insert_erased(ErasedValue::new(heat(), 2.5_f32).unwrap()).unwrap();
    let clone = source.try_clone().unwrap();
    let of_clone = clone.components().iter().find(|info| info.name() == "mod:heat").map(|info| info.id()).unwrap();
    let value =
        |world: &World, id: ComponentId| *world.entity(entity).get_by_id(id).unwrap().downcast_ref::<f32>().unwrap();
    assert_eq!([value(&source, id), value(&clone, of_clone)], [2.5; 2]);
}

#[test]
fn ids_that_wait_for_commands_are_free_in_a_snapshot_of_an_observer() {
    #[derive(Resource, Default)]
    struct Taken(Vec<WorldSnapshot>, Option<World>, Option<SnapshotRing>);
    let mut world = World::new();
    world.init_resource::<Taken>();
    world.add_observer(|_: On<Add<Health>>, mut commands: Commands| {
        commands.queue(|world: &mut World| {
            let options = SnapshotOptions::new().without_resource::<Taken>();
            let snapshot = world.snapshot_with(&options).unwrap();
            // The contents that a format writes from the living world are equal.
            assert_eq!(world.living_contents(&options).unwrap().contents().ids(), snapshot.contents().ids());
            let clone = world.try_clone_with(&options).unwrap();
            let mut ring = SnapshotRing::with_options(2, options);
            ring.save(world, 0).unwrap();
            let mut taken = world.resource_mut::<Taken>();
            taken.0.push(snapshot);
            (taken.1, taken.2) = (Some(clone), Some(ring));
        });
    });
    let gone = world.spawn_empty().id();
    world.despawn(gone);
    let mut commands = world.commands();
    let health = commands.spawn(Health(1)).id();
    let waiting: Vec<Entity> = (0..3).map(|_| commands.spawn(Name("late".into())).id()).collect();
    world.flush();
    assert!(waiting.iter().all(|id| world.contains(*id)));

    let Taken(snapshots, clone, ring) = world.remove_resource::<Taken>().unwrap();
    let check = |world: &mut World| {
        world.check_invariants();
        assert!(world.contains(health) && waiting.iter().all(|id| !world.contains(*id)));
        let ids: Vec<Entity> = world.spawn_batch([(), (), ()]).collect();
        assert_eq!(
            ids.iter().map(|id| id.index()).collect::<Vec<_>>(),
            waiting.iter().map(|id| id.index()).collect::<Vec<_>>()
        );
        world.check_invariants();
    };
    world.restore(&snapshots[0]).unwrap();
    check(&mut world);
    let mut other = World::new();
    other.restore_into(&snapshots[0]).unwrap();
    check(&mut other);
    check(&mut clone.unwrap());
    ring.unwrap().restore(&mut world, 0).unwrap();
    check(&mut world);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(48), ..ProptestConfig::default() })]

    #[test]
    fn what_follows_in_another_world_is_what_would_have_followed(
        before in vec(step(), 0..60),
        wrong in vec(step(), 0..40),
        after in vec(step(), 0..40),
    ) {
        let mut game = Game::new();
        game.play(&before);
        let snapshot = game.world.snapshot().unwrap();
        let mut there = Game::of_another_process();
        there.play(&wrong);
        there.world.restore_into(&snapshot).unwrap();
        there.world.check_invariants();
        let expected = game.play(&after);
        prop_assert_eq!(&there.play(&after), &expected);
        // A second time, and a clone is no other world than a snapshot gives.
        there.world.restore_into(&snapshot).unwrap();
        let mut clone = there.world.try_clone().unwrap();
        clone.check_invariants();
        prop_assert_eq!(&there.play(&after), &expected);
        drop(snapshot);
        let (alive, others) = (Arc::clone(&game.alive), clone);
        drop((game, there, others));
        prop_assert_eq!(Arc::strong_count(&alive), 1);
    }
}

/// Worlds are sent between threads with all that is in them.
#[test]
fn a_clone_can_go_to_another_thread() {
    let (mut world, [ann, ..]) = world();
    let clone = world.try_clone().unwrap();
    let there = std::thread::spawn(move || clone.get::<Health>(ann).copied());
    let there: Result<Option<Health>, Box<dyn Any + Send>> = there.join();
    assert_eq!(there.unwrap(), Some(Health(1)));
}

/// A snapshot for a world that has one table, with values made by a function.
fn built(world: &mut World, column: impl FnOnce(&World) -> NewColumnContents) -> WorldSnapshot {
    let mut empty = World::new();
    let ids: Vec<Entity> = empty.spawn_batch([(), (), ()]).collect();
    let snapshot = empty.snapshot().unwrap();
    let contents = snapshot.contents();
    let mut builder = SnapshotBuilder::new(contents.ids(), contents.clock());
    builder.add_table(Vec::new(), contents.clock().tick, []);
    builder.add_table(ids, contents.clock().tick, [column(world)]);
    builder.build(world, &SnapshotOptions::new()).unwrap()
}

#[test]
fn values_that_only_a_list_knows_to_be_clone_are_restored_any_number_of_times() {
    #[derive(Component, Clone, PartialEq, Debug)]
    struct Loose<T: Send + Sync + 'static>(T);

    let values = ["a", "b", "c"].map(|text| Loose(String::from(text)));
    let (mut world, mut other) = (World::new(), World::new());
    let now = world.change_tick();
    let snapshot = built(&mut world, |_| NewColumnContents::of_clone(values.to_vec(), now));
    for _ in 0..3 {
        for world in [&mut world, &mut other] {
            world.restore_into(&snapshot).unwrap();
            assert_eq!(world.query::<&Loose<String>>().iter(world).cloned().collect::<Vec<_>>(), values);
            world.query::<&mut Loose<String>>().iter_mut(world).for_each(|mut value| value.0.clear());
            world.check_invariants();
        }
    }
    world.restore_from(snapshot).unwrap();
    assert_eq!(world.query::<&Loose<String>>().iter(&world).cloned().collect::<Vec<_>>(), values);
    world.check_invariants();
}

#[derive(Component, Default)]
struct NotClone(Vec<u32>);
#[derive(Component, Clone, Default)]
#[require(NotClone)]
struct Requires;

#[test]
fn constructed_values_that_are_not_clone_are_moved_into_one_world_and_named_otherwise() {
    let (mut world, mut other) = (World::new(), World::new());
    other.spawn(Health(1));
    let [requires, not_clone] = [world.register_component::<Requires>(), world.register_component::<NotClone>()];
    let now = world.change_tick();
    let constructed =
        |world: &World| NewColumnContents::of_required(world, not_clone, &[(&[requires], 3)], now).unwrap();
    let snapshot = built(&mut world, constructed);
    for world in [&mut world, &mut other] {
        match world.restore_into(&snapshot) {
            Err(RestoreError::NotClone(name)) => assert!(name.ends_with("NotClone"), "{name}"),
            result => panic!("{result:?}"),
        }
        world.check_invariants();
    }
    assert_eq!((world.len(), other.len()), (0, 1));
    world.restore_from(snapshot).unwrap();
    assert_eq!(world.query::<&NotClone>().iter(&world).count(), 3);
}

#[test]
fn more_constructed_values_than_memory_holds_are_refused_before_a_constructor_runs() {
    let mut world = World::new();
    let [requires, not_clone] = [world.register_component::<Requires>(), world.register_component::<NotClone>()];
    let now = world.change_tick();
    let by: &[ComponentId] = &[requires];
    // The sum of the counts wraps to 1.
    let groups = [(by, usize::MAX), (by, 2)];
    let text = expect_panic(|| NewColumnContents::of_required(&world, not_clone, &groups, now));
    assert!(text.starts_with("capacity overflow"), "{text}");
}
