//! Values that frames share, because they have not been borrowed mutably, and values that each frame clones.

#![expect(dead_code, reason = "only the descriptions of some types are used")]

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use strata_ecs::component::{Cells, ChangeTracking, Component, ComponentDescriptor, Describe, Mutable, TypeCells};
use strata_ecs::prelude::*;
use strata_ecs::relationship::SourceList;
use strata_ecs::snapshot::SnapshotRing;

/// Counts how often a type was cloned.
macro_rules! counted {
    ($($Type:ident: $clones:ident, |$this:ident| $clone:expr;)*) => { $(
        static $clones: AtomicU32 = AtomicU32::new(0);

        impl Clone for $Type {
            fn clone(&self) -> Self {
                let $this = self;
                $clones.fetch_add(1, Ordering::Relaxed);
                $clone
            }
        }
    )* };
}

#[derive(Component, PartialEq, Debug)]
struct Text(String);
#[expect(clippy::box_collection, reason = "a type inside of a box inside of an option")]
#[derive(Component, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Note(Option<Box<String>>);
#[derive(Component, Debug)]
struct Uses(AtomicU32);
#[derive(Component)]
struct Behavior(Box<dyn Step>);
/// Not described.
#[derive(PartialEq, Debug)]
struct Opaque(u32);
#[derive(Component, PartialEq, Debug)]
struct Unknown(Opaque);
#[derive(Component, PartialEq, Debug)]
#[component(no_cells)]
struct Declared(Opaque);

counted! {
    Text: TEXTS, |this| Self(this.0.clone());
    Note: NOTES, |this| Self(this.0.clone());
    Uses: USES, |this| Self(AtomicU32::new(this.0.load(Ordering::Relaxed)));
    Behavior: BEHAVIORS, |this| Self(this.0.copied());
    Unknown: UNKNOWN, |this| Self(Opaque(this.0.0));
    Declared: DECLARED, |this| Self(Opaque(this.0.0));
}

#[derive(Component, Clone, PartialEq, Debug)]
struct Label(String);
#[derive(Component, Clone, PartialEq, Debug)]
#[component(track = "never")]
struct Silent(String);
#[derive(Component, Clone, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component, Clone, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Sparse(String);

#[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
struct Frame;

trait Step: Send + Sync {
    fn steps(&self) -> u32;
    fn step(&self);
    fn copied(&self) -> Box<dyn Step>;
}

struct Counter(AtomicU32);

impl Step for Counter {
    fn steps(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn copied(&self) -> Box<dyn Step> {
        Box::new(Self(AtomicU32::new(self.steps())))
    }
}

/// Saves two frames of a world in which nothing changes, and returns the number of clones that each of them made.
fn clones(world: &mut World, clones: &AtomicU32) -> [u32; 2] {
    let mut ring = SnapshotRing::new(4);
    [0, 1].map(|frame| {
        let before = clones.load(Ordering::Relaxed);
        ring.save(world, frame).unwrap();
        clones.load(Ordering::Relaxed) - before
    })
}

#[test]
fn a_value_without_cells_is_cloned_once() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(|at| Text(at.to_string()))).for_each(drop);
    assert_eq!(clones(&mut world, &TEXTS), [3, 0]);
}

#[test]
fn a_sparse_value_without_cells_is_cloned_once() {
    let mut world = World::new();
    world.spawn(Note(Some(Box::new("a".into()))));
    assert_eq!(clones(&mut world, &NOTES), [1, 0]);
}

#[test]
fn a_value_of_unknown_parts_is_cloned_for_each_frame() {
    let mut world = World::new();
    world.spawn(Unknown(Opaque(1)));
    assert_eq!(clones(&mut world, &UNKNOWN), [1, 1]);
}

#[test]
fn the_author_of_a_type_can_declare_that_it_has_no_cells() {
    let mut world = World::new();
    world.spawn(Declared(Opaque(1)));
    assert_eq!(clones(&mut world, &DECLARED), [1, 0]);
}

#[test]
fn a_change_through_an_atomic_is_saved() {
    let mut world = World::new();
    let id = world.spawn(Uses(AtomicU32::new(1))).id();
    let uses = |world: &World| world.get::<Uses>(id).unwrap().0.load(Ordering::Relaxed);
    let mut ring = SnapshotRing::new(2);
    ring.save(&mut world, 0).unwrap();
    world.get::<Uses>(id).unwrap().0.store(2, Ordering::Relaxed);
    ring.save(&mut world, 1).unwrap();
    ring.restore(&mut world, 0).unwrap();
    assert_eq!(uses(&world), 1);
    ring.restore(&mut world, 1).unwrap();
    assert_eq!(uses(&world), 2);
    assert!(USES.load(Ordering::Relaxed) >= 2);
}

#[test]
fn a_change_of_a_cell_in_a_trait_object_is_saved() {
    let mut world = World::new();
    let id = world.spawn(Behavior(Box::new(Counter(AtomicU32::new(0))))).id();
    let mut ring = SnapshotRing::new(2);
    ring.save(&mut world, 0).unwrap();
    world.get::<Behavior>(id).unwrap().0.step();
    ring.save(&mut world, 1).unwrap();
    ring.restore(&mut world, 0).unwrap();
    assert_eq!(world.get::<Behavior>(id).unwrap().0.steps(), 0);
    ring.restore(&mut world, 1).unwrap();
    assert_eq!(world.get::<Behavior>(id).unwrap().0.steps(), 1);
    assert!(BEHAVIORS.load(Ordering::Relaxed) >= 2);
}

#[test]
fn a_copy_type_may_refer_to_a_cell_which_copies_share() {
    static SHARED: AtomicU32 = AtomicU32::new(0);
    #[derive(Component, Clone, Copy)]
    struct Shared(&'static AtomicU32);

    assert_eq!(ComponentDescriptor::of::<Shared>().possible_cell(), None);
    let mut world = World::new();
    let id = world.spawn(Shared(&SHARED)).id();
    let mut ring = SnapshotRing::new(2);
    ring.save(&mut world, 0).unwrap();
    world.get::<Shared>(id).unwrap().0.store(7, Ordering::Relaxed);
    ring.save(&mut world, 1).unwrap();
    ring.restore(&mut world, 0).unwrap();
    assert_eq!(world.get::<Shared>(id).unwrap().0.load(Ordering::Relaxed), 7);
}

fn lacks_cells<C: Component>() -> bool {
    ComponentDescriptor::of::<C>().possible_cell().is_none()
}

#[test]
fn the_derive_looks_into_all_common_types() {
    type Alias = Vec<Option<Box<[(String, f64); 3]>>>;
    #[derive(Describe)]
    struct Inner {
        _name: &'static str,
        _list: Alias,
    }
    #[derive(Component)]
    enum Tree {
        _Leaf,
        _Node(Box<Self>, Vec<Self>),
        _Map { _map: std::collections::HashMap<u32, Inner>, _shared: Arc<str> },
    }
    #[derive(Component)]
    struct All((bool, char), Entity, Option<Tree>, std::time::Duration);
    #[derive(Component)]
    struct Nothing;

    assert!(lacks_cells::<Tree>() && lacks_cells::<All>() && lacks_cells::<Nothing>());
    assert!(lacks_cells::<Name>() && lacks_cells::<ChildOf>() && lacks_cells::<Children>());
}

#[test]
fn the_derive_finds_cells_at_any_depth() {
    type Alias = Option<AtomicU32>;
    #[derive(Describe)]
    struct Inner(Vec<Alias>);
    #[derive(Component)]
    enum Deep {
        _None,
        _Some(Box<[(u32, Inner)]>),
    }

    let found = ComponentDescriptor::of::<Deep>().possible_cell().unwrap();
    assert_eq!(found, std::any::type_name::<Vec<Alias>>());
}

#[test]
fn a_program_may_use_names_of_common_types_for_others() {
    #[expect(non_camel_case_types)]
    type u32 = AtomicU32;
    #[derive(Component)]
    struct Misleading(u32);

    assert!(!lacks_cells::<Misleading>());
}

#[test]
fn for_a_generic_component_its_bounds_count() {
    #[derive(Component)]
    struct Free<T>(Vec<T>);
    #[derive(Component)]
    struct Bound<T: TypeCells + Send + Sync>(Vec<T>);
    #[derive(Component)]
    struct Copied<T: Copy>(T);

    assert!(!lacks_cells::<Free<u32>>());
    assert!(lacks_cells::<Bound<u32>>() && !lacks_cells::<Bound<Uses>>());
    assert!(lacks_cells::<Copied<u32>>());
}

struct ByHand(u32);

impl TypeCells for ByHand {
    const CELLS: Cells = Cells::NONE;
}

#[test]
fn a_program_may_declare_a_type_without_derives() {
    #[derive(Component)]
    struct Holder(Vec<ByHand>);

    assert!(lacks_cells::<Holder>());
}

/// Checks that a write between two frames is in the second frame and not in the first one.
fn check<T: PartialEq + Debug>(world: &mut World, read: impl Fn(&mut World) -> T, write: impl FnOnce(&mut World)) {
    let mut ring = SnapshotRing::new(4);
    (0..3).for_each(|frame| ring.save(world, frame).unwrap());
    let before = read(world);
    write(world);
    world.flush();
    let after = read(world);
    assert_ne!(before, after);
    (3..5).for_each(|frame| ring.save(world, frame).unwrap());
    for (frame, expected) in [(2, &before), (4, &after), (1, &before), (3, &after)] {
        ring.restore(world, frame).unwrap();
        world.check_invariants();
        assert_eq!(read(world), *expected, "{frame}");
    }
}

/// Like [`check`], for a component of one entity, which is also tracked.
fn check_value<C: Component<Mutability = Mutable> + Clone + PartialEq + Debug>(
    value: &C,
    write: impl Fn(&mut World, Entity),
) {
    for is_tracked in [false, C::TRACK != ChangeTracking::Never] {
        let mut world = World::new();
        let ids = [(); 3].map(|()| world.spawn(value.clone()).id());
        let _tracked = is_tracked.then(|| world.query_filtered::<Entity, Changed<Label>>());
        let _sparse = is_tracked.then(|| world.query_filtered::<Entity, Changed<Sparse>>());
        let read = |world: &mut World| ids.map(|id| world.get::<C>(id).cloned());
        check(&mut world, read, |world| write(world, ids[1]));
    }
}

fn label() -> Label {
    Label("a".into())
}

#[test]
fn a_write_that_bypasses_change_detection_is_noticed() {
    check_value(&label(), |world, id| {
        world.get_mut::<Label>(id).unwrap().bypass_change_detection().0.push('b');
    });
    check_value(&Sparse("a".into()), |world, id| {
        world.get_mut::<Sparse>(id).unwrap().bypass_change_detection().0.push('b');
    });
    check_value(&label(), |world, _| {
        world.query::<&mut Label>().iter_mut(world).for_each(|mut label| label.bypass_change_detection().0.push('b'));
    });
}

#[test]
fn a_write_whose_tick_is_set_back_is_noticed() {
    check_value(&label(), |world, id| {
        let mut label = world.get_mut::<Label>(id).unwrap();
        let before = label.last_changed();
        label.0.push('b');
        label.set_last_changed(before);
    });
}

#[test]
fn a_write_by_a_query_is_noticed() {
    check_value(&label(), |world, id| world.query::<&mut Label>().get_mut(world, id).unwrap().0.push('b'));
    check_value(&Sparse("a".into()), |world, _| {
        world.query::<&mut Sparse>().iter_mut(world).for_each(|mut sparse| sparse.0.push('b'));
    });
}

#[test]
fn a_write_through_a_slice_is_noticed() {
    check_value(&label(), |world, id| {
        let (table, label) = (world.entity(id).location().table, world.component_id::<Label>().unwrap());
        world.column_mut_by_id::<Label>(table, label).unwrap()[1].0.push('b');
    });
}

#[test]
fn an_erased_write_is_noticed() {
    check_value(&label(), |world, id| {
        let label = world.component_id::<Label>().unwrap();
        world.get_mut_by_id(id, label).unwrap().downcast_mut::<Label>().unwrap().0.push('b');
    });
    check_value(&Sparse("a".into()), |world, id| {
        let sparse = world.component_id::<Sparse>().unwrap();
        world.get_mut_by_id(id, sparse).unwrap().downcast_mut::<Sparse>().unwrap().0.push('b');
    });
}

#[system]
fn lengthen(label: &mut Label) {
    label.0.push('b');
}

#[system]
fn lengthen_sparse(sparse: &mut Sparse) {
    sparse.0.push('b');
}

#[test]
fn a_write_by_a_row_system_is_noticed() {
    check_value(&label(), |world, _| world.run_system_once(lengthen).unwrap());
    check_value(&Sparse("a".into()), |world, _| world.run_system_once(lengthen_sparse).unwrap());
}

#[test]
fn a_write_of_a_component_that_is_never_tracked_is_noticed() {
    let silent = Silent("a".into());
    check_value(&silent, |world, id| world.get_mut::<Silent>(id).unwrap().0.push('b'));
    check_value(&silent, |world, _| {
        world.query::<&mut Silent>().iter_mut(world).for_each(|mut silent| silent.0.push('b'));
    });
}

#[test]
fn a_replaced_value_is_noticed() {
    check_value(&label(), |world, id| _ = world.entity_mut(id).insert(Label("b".into())));
    check_value(&Sparse("a".into()), |world, id| _ = world.entity_mut(id).insert(Sparse("b".into())));
}

#[test]
fn a_removed_and_added_sparse_value_is_noticed() {
    check_value(&Sparse("a".into()), |world, id| _ = world.entity_mut(id).remove::<Sparse>());
    check_value(&Sparse("a".into()), |world, id| {
        let sparse = world.entity_mut(id).take::<Sparse>().unwrap();
        world.entity_mut(id).insert(Sparse(sparse.0 + "b"));
    });
    check_value(&Tag, |world, id| _ = world.entity_mut(id).remove::<Tag>());
}

#[test]
fn a_changed_order_of_sparse_values_is_noticed() {
    let mut world = World::new();
    let ids = ["a", "b", "c"].map(|name| world.spawn(Sparse(name.into())).id());
    let order = |world: &mut World| -> Vec<Entity> {
        let snapshot = world.snapshot().unwrap();
        snapshot.contents().storages().flat_map(|storage| storage.entities()).collect()
    };
    check(&mut world, order, |world| {
        let sparse = world.entity_mut(ids[0]).take::<Sparse>().unwrap();
        world.entity_mut(ids[0]).insert(sparse);
    });
}

#[test]
fn a_changed_list_of_children_is_noticed() {
    let lists = |world: &mut World| -> Vec<(Entity, Vec<Entity>)> {
        let mut all = world.query::<(Entity, &Children)>();
        all.iter(world).map(|(entity, children)| (entity, children.to_vec())).collect()
    };
    let writes: [fn(&mut World, Entity, [Entity; 4]); 5] = [
        |world, _, [a, ..]| _ = world.despawn(a),
        |world, parent, _| _ = world.spawn(ChildOf(parent)),
        |world, parent, _| world.get_mut::<Children>(parent).unwrap().bypass_change_detection().swap(0, 2),
        |world, _, [a, b, ..]| _ = world.entity_mut(a).insert(ChildOf(b)),
        |world, _, [_, b, ..]| _ = world.entity_mut(b).remove::<ChildOf>(),
    ];
    for write in writes {
        let mut world = World::new();
        let parent = world.spawn_empty().id();
        let children = [(); 4].map(|()| world.spawn(ChildOf(parent)).id());
        check(&mut world, lists, |world| write(world, parent, children));
    }
}

#[test]
fn reading_a_list_of_sources_between_frames_keeps_it() {
    #[derive(Component, Clone)]
    #[relationship(relationship_target = Crew)]
    struct AboardOf(Entity);
    #[derive(Component, Clone)]
    #[relationship_target(relationship = AboardOf)]
    struct Crew(SourceList);

    assert!(lacks_cells::<Crew>());
    let mut world = World::new();
    let ship = world.spawn_empty().id();
    let crew = [(); 5].map(|()| world.spawn(AboardOf(ship)).id());
    world.despawn(crew[1]);
    let mut ring = SnapshotRing::new(4);
    for frame in 0..3 {
        ring.save(&mut world, frame).unwrap();
        assert_eq!(world.get::<Crew>(ship).unwrap().0.len(), 4);
    }
    world.despawn(crew[2]);
    ring.restore(&mut world, 1).unwrap();
    world.check_invariants();
    assert_eq!(*world.get::<Crew>(ship).unwrap().0, [crew[0], crew[2], crew[3], crew[4]]);
}

#[test]
fn the_oldest_frames_leave_values_that_others_share() {
    let mut world = World::new();
    let id = world.spawn((label(), Sparse("a".into()))).id();
    let mut ring = SnapshotRing::new(3);
    for frame in 0..20 {
        if frame % 5 == 0 {
            world.get_mut::<Label>(id).unwrap().0 = frame.to_string();
        }
        ring.save(&mut world, frame).unwrap();
    }
    for frame in [17, 19, 18] {
        ring.restore(&mut world, frame).unwrap();
        world.check_invariants();
        assert_eq!((world.get(id), world.get(id)), (Some(&Label("15".into())), Some(&Sparse("a".into()))));
    }
}

#[test]
fn frames_of_two_worlds_share_nothing() {
    let mut worlds = [World::new(), World::new()];
    let id = worlds.each_mut().map(|world| world.spawn((label(), Sparse("a".into()))).id())[0];
    worlds[1].get_mut::<Label>(id).unwrap().0 = "other".into();
    let mut ring = SnapshotRing::new(4);
    (0..4).for_each(|frame| ring.save(&mut worlds[frame % 2], frame as u64).unwrap());
    for frame in 0..4 {
        ring.restore(&mut worlds[frame % 2], frame as u64).unwrap();
        let expected = ["a", "other"][frame % 2];
        assert_eq!(worlds[frame % 2].get::<Label>(id).unwrap().0, expected);
    }
}

#[test]
fn changes_that_a_system_has_not_seen_are_in_shared_ticks() {
    let mut world = World::new();
    let ids = [(); 100].map(|()| world.spawn(label()).id());
    let mut schedule = Schedule::new(Frame);
    #[derive(Resource, Clone, Default, PartialEq, Debug)]
    struct Seen(Vec<Entity>);
    world.init_resource::<Seen>();
    schedule.add_systems(|changed: Query<Entity, Changed<Label>>, mut seen: ResMut<Seen>| {
        seen.0 = changed.iter().collect();
    });
    world.add_schedule(schedule);
    world.run_schedule(Frame);
    world.get_mut::<Label>(ids[7]).unwrap().0.push('b');
    let mut ring = SnapshotRing::new(4);
    (0..3).for_each(|frame| ring.save(&mut world, frame).unwrap());
    // The look changes how far the system has seen, and no tick of a row.
    world.run_schedule(Frame);
    ring.save(&mut world, 3).unwrap();
    for (frame, expected) in [(1, vec![ids[7]]), (3, vec![]), (2, vec![ids[7]])] {
        ring.restore(&mut world, frame).unwrap();
        world.run_schedule(Frame);
        assert_eq!(world.resource::<Seen>().0, expected, "{frame}");
    }
}

#[test]
fn ids_that_were_used_without_a_row_are_noticed() {
    let mut world = World::new();
    world.spawn_batch((0..4).map(|_| label())).for_each(drop);
    let next = |world: &mut World| {
        let ids = world.snapshot().unwrap().contents().ids();
        (ids.generations, ids.free)
    };
    check(&mut world, next, |world| {
        let id = world.spawn_empty().id();
        world.despawn(id);
    });
    check(&mut world, next, |world| {
        let id = world.commands().spawn_empty().id();
        world.commands().entity(id).despawn();
    });
}

#[test]
fn removals_are_saved_while_they_are_kept() {
    let mut world = World::new();
    let ids = [(); 3].map(|()| world.spawn(label()).id());
    #[derive(Resource, Clone, Default, PartialEq, Debug)]
    struct Seen(Vec<(Entity, String)>);
    world.init_resource::<Seen>();
    let mut schedule = Schedule::new(Frame);
    schedule.add_systems(|mut removed: RemovedValues<Label>, mut seen: ResMut<Seen>| {
        seen.0 = removed.read().map(|(entity, label)| (entity, label.0.clone())).collect();
    });
    world.add_schedule(schedule);
    world.run_schedule(Frame);
    world.despawn(ids[1]);
    let mut ring = SnapshotRing::new(4);
    (0..3).for_each(|frame| ring.save(&mut world, frame).unwrap());
    world.despawn(ids[0]);
    ring.save(&mut world, 3).unwrap();
    let gone = |at: usize| (ids[at], "a".to_owned());
    for (frame, expected) in [(1, vec![gone(1)]), (3, vec![gone(1), gone(0)]), (2, vec![gone(1)])] {
        ring.restore(&mut world, frame).unwrap();
        world.run_schedule(Frame);
        assert_eq!(world.resource::<Seen>().0, expected, "{frame}");
    }
}
