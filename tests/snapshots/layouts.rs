//! Values of unusual layouts, and worlds at their edges: for the sanitizer mostly.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::prelude::*;
use strata_ecs::system::SystemState;

#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[repr(align(128))]
struct Aligned(u8);
#[derive(Component, Clone, PartialEq, Debug)]
#[repr(align(256))]
struct AlignedOwned(Box<u32>);
#[derive(Component, Clone, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Sparse(Box<u32>);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Large([u64; 200]);

thread_local! {
    static ALIVE: Cell<isize> = const { Cell::new(0) };
    static FUSE: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn burn() {
    FUSE.set(FUSE.get().checked_sub(1).unwrap_or_else(|| {
        FUSE.set(usize::MAX);
        panic!("burnt")
    }));
}

/// Values without a size that count each other.
#[derive(Component, Debug)]
struct Counted;
#[derive(Component, Debug)]
#[component(storage = "sparse")]
struct CountedTag(Counted);
#[derive(Component, Debug)]
struct Heap(Box<u32>, Counted);
#[derive(Resource, Clone)]
struct Kept(Vec<Heap>);

impl Counted {
    fn new() -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self
    }
}
impl Clone for Counted {
    fn clone(&self) -> Self {
        burn();
        Self::new()
    }
}
impl Clone for CountedTag {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
impl Clone for Heap {
    fn clone(&self) -> Self {
        Self(self.0.clone(), self.1.clone())
    }
}
impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
        if !std::thread::panicking() {
            burn();
        }
    }
}

#[test]
fn alignment_and_size_of_values_make_no_difference() {
    let mut world = World::new();
    let spawn = |world: &mut World, count: u32| -> Vec<Entity> {
        let value = |at: u32| {
            let [owned, sparse] = [AlignedOwned(Box::new(at)), AlignedOwned(Box::new(at + 1))];
            (Aligned(at as u8), owned, Sparse(sparse.0), Large([at.into(); 200]))
        };
        world.spawn_batch((0..count).map(value)).collect()
    };
    for (before, after) in [(0, 3), (1, 100), (100, 1), (70, 0), (3, 3)] {
        world.clear_entities();
        let ids = spawn(&mut world, before);
        let snapshot = world.snapshot().unwrap();
        if after % 2 == 0 {
            world.clear_entities();
        }
        world.shrink_to_fit();
        spawn(&mut world, after);
        for _ in 0..2 {
            world.restore(&snapshot).unwrap();
            world.check_invariants();
            assert_eq!(world.len(), ids.len());
            for (at, id) in (0..).zip(&ids) {
                let entity = world.entity(*id);
                assert_eq!(entity.get::<Aligned>(), Some(&Aligned(at as u8)));
                assert_eq!(entity.get::<AlignedOwned>(), Some(&AlignedOwned(Box::new(at))));
                assert_eq!(entity.get::<Sparse>(), Some(&Sparse(Box::new(at + 1))));
                assert_eq!(entity.get::<Large>(), Some(&Large([at.into(); 200])));
            }
            spawn(&mut world, 40);
            world.all::<With<Aligned>>().despawn();
        }
    }
}

#[test]
fn each_value_is_dropped_once_wherever_a_clone_or_drop_panics() {
    for fuse in 0..60 {
        let mut world = World::new();
        let mut lost = world.removed_value_reader::<Heap>();
        let make = |at: u32| (Heap(Box::new(at), Counted::new()), Counted::new(), CountedTag(Counted::new()));
        let ids: Vec<Entity> = world.spawn_batch((0..4).map(make)).collect();
        world.insert_resource(Kept(vec![Heap(Box::new(1), Counted::new())]));
        world.despawn(ids[1]);
        let mut snapshot = world.snapshot().unwrap();
        world.despawn(ids[0]);
        world.spawn(make(9));
        world.entity_mut(ids[2]).remove::<Counted>();
        FUSE.set(fuse);
        let restored = catch_unwind(AssertUnwindSafe(|| world.restore(&snapshot).unwrap()));
        FUSE.set(usize::MAX);
        world.check_invariants();
        // Either it is as it was, or as the snapshot.
        let is_restored = world.contains(ids[0]);
        assert!(is_restored || restored.is_err());
        assert_eq!(world.get::<Counted>(ids[2]).is_some(), is_restored);
        assert_eq!(lost.read(&world).count(), if is_restored { 1 } else { 2 });
        FUSE.set(fuse);
        let taken = catch_unwind(AssertUnwindSafe(|| world.snapshot_into(&mut snapshot).unwrap()));
        FUSE.set(usize::MAX);
        assert_eq!(world.restore(&snapshot).is_ok(), taken.is_ok());
        world.check_invariants();
        drop((snapshot, world));
        assert_eq!(ALIVE.get(), 0, "with fuse {fuse}");
    }
}

#[test]
fn what_is_borrowed_by_queries_and_states_is_found_again() {
    let mut world = World::new();
    let empty = world.snapshot().unwrap();
    let mut query = world.query::<(&mut Aligned, &AlignedOwned)>();
    let mut state = SystemState::<(Query<&Aligned>, Query<&Sparse>, Commands)>::new(&mut world);
    let mut full = None;
    for round in 0..6 {
        world.spawn_batch((0..round * 9).map(|at| (Aligned(at as u8), AlignedOwned(Box::new(at)))));
        world.spawn((AlignedOwned(Box::new(1)), Aligned(2), Large([3; 200]), Sparse(Box::new(4))));
        let seen = query.iter_mut(&mut world).map(|(aligned, owned)| u32::from(aligned.0) + *owned.0).sum::<u32>();
        let (all, sparse, mut commands) = state.get_mut(&mut world).unwrap();
        commands.spawn(Aligned(1));
        assert_eq!((all.iter().count() as u32, sparse.iter().count()), (round * 9 + 1, 1));
        state.apply(&mut world);
        let full = full.insert(world.snapshot().unwrap());
        world.restore(&empty).unwrap();
        assert_eq!(query.iter(&world).count(), 0);
        assert_eq!(state.get_mut(&mut world).unwrap().0.iter().count(), 0);
        world.spawn((Large([1; 200]), Aligned(7)));
        world.restore(full).unwrap();
        assert_eq!(query.iter(&world).map(|(aligned, owned)| u32::from(aligned.0) + *owned.0).sum::<u32>(), seen);
        assert_eq!(world.query::<&Aligned>().iter(&world).count() as u32, round * 9 + 2);
        world.restore(&empty).unwrap();
    }
}
