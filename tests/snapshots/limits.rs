//! Data that snapshots cannot contain, restores that are rejected, and panics during both.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use strata_ecs::prelude::*;
use strata_ecs::snapshot::{NotTaken, RestoreError, SnapshotError, SnapshotOptions};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Health(u32);
#[derive(Component)]
struct Socket;
#[derive(Resource, Clone, Default)]
struct Log(Vec<String>);

#[test]
fn all_that_cannot_be_taken_is_named_at_once() {
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Rare;
    #[derive(Resource)]
    struct Window;
    #[derive(Message)]
    struct Step;
    #[derive(EntityEvent)]
    struct Hit(Entity);

    let mut world = World::new();
    world.register_component::<Socket>();
    let entity = world.spawn((Health(1), Rare)).id();
    world.spawn(Socket);
    world.insert_resource(Window);
    world.init_resource::<Messages<Step>>();
    world.insert_non_send(std::rc::Rc::new(3));
    world.entity_mut(entity).observe(|_: On<Hit>| {});
    let Err(SnapshotError::NotTaken(what)) = world.snapshot() else { unreachable!() };
    let text = SnapshotError::NotTaken(what.clone()).to_string();
    for name in ["Socket", "Rare", "Window", "Messages<", "Rc<i32>", "observers of single entities"] {
        assert!(text.contains(name), "{name} in {text}");
    }
    assert_eq!(what.len(), 6);
    let options = SnapshotOptions::new().without_uncloneable_resources().without_entity_observers();
    let Err(SnapshotError::NotTaken(what)) = world.snapshot_with(&options) else { unreachable!() };
    assert!(matches!(what[..], [NotTaken::Component(_), NotTaken::Component(_)]), "{what:?}");
    world.clear_entities();
    assert!(world.snapshot_with(&options).is_ok());
}

#[test]
fn values_without_clone_that_came_since_go() {
    let mut world = World::new();
    world.spawn(Health(1));
    let snapshot = world.snapshot().unwrap();
    world.spawn((Health(2), Socket));
    let snapshot = {
        world.restore(&snapshot).unwrap();
        world.spawn((Health(2), Socket)).despawn();
        // There is a table for them now, without rows.
        world.snapshot().unwrap()
    };
    world.spawn((Health(2), Socket));
    world.restore(&snapshot).unwrap();
    world.check_invariants();
    assert_eq!(world.len(), 1);
}

#[test]
fn nothing_is_restored_while_something_runs() {
    let mut world = World::new();
    world.init_resource::<Log>();
    world.spawn(Health(1));
    let snapshot = std::sync::Arc::new(world.snapshot().unwrap());
    let inside = std::sync::Arc::clone(&snapshot);
    let mut schedule = Schedule::default();
    schedule.add_systems(move |world: &mut World| {
        assert_eq!(world.restore(&inside), Err(RestoreError::Busy));
        assert!(matches!(world.snapshot(), Err(SnapshotError::Busy)));
        world.resource_mut::<Log>().0.push("ran".into());
    });
    let inside = std::sync::Arc::clone(&snapshot);
    schedule.add_systems(move |mut commands: Commands| {
        let inside = std::sync::Arc::clone(&inside);
        commands.queue(move |world: &mut World| {
            assert_eq!(world.restore(&inside), Err(RestoreError::Busy));
            world.resource_mut::<Log>().0.push("applied".into());
        });
    });
    (0..3).for_each(|_| schedule.run(&mut world));
    assert_eq!(world.resource::<Log>().0.len(), 6);
    world.frame(|world| assert_eq!(world.restore(&snapshot), Err(RestoreError::Busy)));
    world.resource_scope(|world, _: Mut<Log>| {
        assert!(matches!(world.restore(&snapshot), Err(RestoreError::Lent(_))));
        assert!(matches!(world.snapshot(), Err(SnapshotError::Lent(_))));
    });
    assert_eq!(World::new().restore(&snapshot), Err(RestoreError::OtherWorld));
    assert_eq!(World::new().restore_from(World::new().snapshot().unwrap()), Err(RestoreError::OtherWorld));
    let taken = world.snapshot().unwrap();
    world.frame(|world| assert_eq!(world.restore_from(taken), Err(RestoreError::Busy)));
    assert_eq!(world.restore(&snapshot), Ok(()));
}

#[test]
fn nothing_is_restored_while_an_observer_runs() {
    #[derive(Event)]
    struct Rewind;
    let mut world = World::new();
    world.init_resource::<Log>();
    let snapshot = std::sync::Arc::new(world.snapshot().unwrap());
    let inside = std::sync::Arc::clone(&snapshot);
    world.add_observer(move |_: On<Rewind>, mut commands: Commands| {
        let inside = std::sync::Arc::clone(&inside);
        // The command runs after all observers of the event have run.
        commands.queue(move |world: &mut World| {
            world.restore(&inside).unwrap();
            world.resource_mut::<Log>().0.push("restored".into());
        });
    });
    world.resource_mut::<Log>().0.push("before".into());
    world.trigger(Rewind);
    assert_eq!(world.resource::<Log>().0, ["restored"]);
}

static CLONES: AtomicUsize = AtomicUsize::new(usize::MAX);

#[derive(Component, Debug)]
struct Fragile(String);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        let left = CLONES.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        assert!(left.is_ok(), "no more clones");
        Self(self.0.clone())
    }
}

#[test]
fn a_panic_of_a_clone_leaves_the_world_as_it_was() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..5).map(|at| (Fragile(at.to_string()), Health(at)))).collect();
    let mut snapshot = world.snapshot().unwrap();
    world.despawn(ids[0]);
    world.get_mut::<Fragile>(ids[4]).unwrap().0.push('x');
    world.get_mut::<Health>(ids[4]).unwrap().0 = 9;
    CLONES.store(3, Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| world.restore(&snapshot))).is_err());
    world.check_invariants();
    assert_eq!((world.len(), &world.get::<Fragile>(ids[4]).unwrap().0[..]), (4, "4x"));
    assert_eq!(world.get(ids[4]), Some(&Health(9)));
    CLONES.store(2, Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| world.snapshot_into(&mut snapshot))).is_err());
    CLONES.store(usize::MAX, Relaxed);
    assert_eq!(world.restore(&snapshot), Err(RestoreError::Unfinished));
    let taken = world.snapshot().unwrap();
    world.clear_entities();
    // A snapshot that is not needed any more gives its values away.
    CLONES.store(0, Relaxed);
    world.restore_from(taken).unwrap();
    world.check_invariants();
    assert_eq!(world.get::<Fragile>(ids[4]).unwrap().0, "4x");
    CLONES.store(usize::MAX, Relaxed);
    world.snapshot_into(&mut snapshot).unwrap();
    world.clear_entities();
    world.restore(&snapshot).unwrap();
    assert_eq!(world.get::<Fragile>(ids[4]).unwrap().0, "4x");
}

#[test]
fn a_panic_of_a_drop_finds_the_world_restored() {
    #[derive(Component, Clone)]
    struct Bomb(bool);
    impl Drop for Bomb {
        fn drop(&mut self) {
            if self.0 {
                self.0 = false;
                panic!("dropped");
            }
        }
    }
    for is_last in [false, true] {
        let mut world = World::new();
        let entity = world.spawn((Bomb(false), Health(1))).id();
        let snapshot = world.snapshot().unwrap();
        world.get_mut::<Bomb>(entity).unwrap().0 = true;
        *world.get_mut::<Health>(entity).unwrap() = Health(2);
        world.spawn(Bomb(false));
        let restored = catch_unwind(AssertUnwindSafe(|| match is_last {
            false => world.restore(&snapshot),
            true => world.restore_from(snapshot),
        }));
        assert!(restored.is_err());
        world.check_invariants();
        assert_eq!((world.len(), world.get(entity)), (1, Some(&Health(1))));
        assert!(!world.get::<Bomb>(entity).unwrap().0);
    }
}
