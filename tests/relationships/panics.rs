//! Panics of what the user writes, in the middle of linking and unlinking: `flush`, or the next operation that links or unlinks, makes both
//! sides agree.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::prelude::*;
use strata_ecs::relationship::Relationship;

use crate::{children, entities};

/// Panics whenever it is dropped in a world that is armed.
#[derive(Component)]
#[relationship(relationship_target = Held)]
struct Holds(#[relationship] Entity, Fuse);

#[derive(Component)]
#[relationship_target(relationship = Holds)]
struct Held(#[relationship] Vec<Entity>, Fuse);

#[derive(Default)]
struct Fuse;

thread_local! {
    static ARMED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

impl Drop for Fuse {
    fn drop(&mut self) {
        if ARMED.get() && !std::thread::panicking() {
            panic!("a fuse");
        }
    }
}

/// Does something while each fuse that is dropped panics, and says whether one has.
fn armed(action: impl FnOnce()) -> bool {
    ARMED.set(true);
    let done = catch_unwind(AssertUnwindSafe(action));
    ARMED.set(false);
    done.is_err()
}

fn held(world: &World, target: Entity) -> Vec<Entity> {
    world.get::<Held>(target).map_or_else(Vec::new, |held| held.0.clone())
}

#[test]
fn all_sources_of_a_dead_target_are_released() {
    let mut world = World::new();
    let [target] = entities(&mut world);
    let sources: Vec<Entity> = (0..5).map(|_| world.spawn(Holds(target, Fuse)).id()).collect();
    assert!(armed(|| _ = world.despawn(target)));
    world.flush();
    world.check_invariants();
    assert!(sources.iter().all(|&source| world.contains(source) && !world.entity(source).contains::<Holds>()));
}

#[test]
fn a_list_that_panics_when_it_goes_is_gone() {
    let mut world = World::new();
    let [target] = entities(&mut world);
    let source = world.spawn(Holds(target, Fuse)).id();
    assert!(armed(|| _ = world.entity_mut(source).remove::<Holds>()));
    world.flush();
    world.check_invariants();
    assert!(!world.entity(target).contains::<Held>());
}

#[test]
fn links_that_come_are_on_both_sides() {
    let mut world = World::new();
    let [x, y] = entities(&mut world);
    let sources: Vec<Entity> = (0..3).map(|_| world.spawn(Holds(x, Fuse)).id()).collect();
    assert!(armed(|| _ = world.many(&sources).insert_with(|_| Holds(y, Fuse))));
    world.flush();
    world.check_invariants();
    // A part of an operation on many entities may be missing.
    let both = [x, y].map(|target| held(&world, target)).concat();
    assert!(both.len() == 3 && sources.iter().all(|source| both.contains(source)));
}

#[derive(Component)]
struct Part(Fuse);

#[test]
fn what_is_below_ends_although_something_panics() {
    let mut world = World::new();
    let root = world.spawn(children![(Part(Fuse), children![Part(Fuse), Part(Fuse)]), Part(Fuse), ()]).id();
    assert_eq!(children(&world, root).len(), 3);
    assert!(armed(|| _ = world.despawn(root)));
    world.flush();
    world.check_invariants();
    assert!(world.is_empty());
}

#[test]
fn each_list_by_hand_is_put_right() {
    let mut world = World::new();
    let [x, y] = entities(&mut world);
    let mut lists = Vec::new();
    assert!(armed(|| lists = world.spawn_batch((0..3).map(|_| Held(vec![x, y, x], Fuse))).collect()));
    world.flush();
    world.check_invariants();
    assert_eq!(world.query::<&Held>().iter(&world).count(), 0);
}

#[test]
fn a_child_whose_value_panics_as_it_drops_leaves_its_parent_at_once() {
    for (nth, is_watched) in (0..8).flat_map(|nth| [(nth, false), (nth, true)]) {
        let mut world = World::new();
        if is_watched {
            world.add_observer(|_: On<Remove<ChildOf>>| {});
        }
        let root = world.spawn_empty().id();
        let children_with_parts: Vec<Entity> = (0..5).map(|_| world.spawn((ChildOf(root), Part(Fuse))).id()).collect();
        let child = children_with_parts[0];
        let other = world.spawn(ChildOf(root)).id();
        let end_of_one = |world: &mut World| match nth {
            0 => _ = world.despawn(child),
            1 => world.entity_mut(child).despawn(),
            2 => _ = world.many(&[child]).despawn(),
            3 => _ = world.many(&children_with_parts).despawn(),
            4 => _ = world.entity_mut(child).remove::<(ChildOf, Part)>(),
            5 => _ = world.many(&children_with_parts).remove::<(Part, ChildOf)>(),
            6 => _ = world.all::<With<Part>>().despawn(),
            _ => _ = world.entity_mut(child).clear(),
        };
        assert!(armed(|| end_of_one(&mut world)), "{nth}");
        let left = if [3, 5, 6].contains(&nth) { 1 } else { 5 };
        let listed = children(&world, root);
        assert!(
            listed.len() == left && listed.last() == Some(&other) && !listed.contains(&child),
            "{nth} {is_watched}"
        );
        world.check_invariants();
    }
}

#[test]
fn what_makes_no_link_goes_although_an_observer_panics() {
    #[derive(Component, Clone)]
    #[relationship(relationship_target = Named)]
    struct Names(Entity);
    #[derive(Component)]
    #[relationship_target(relationship = Names)]
    struct Named(Vec<Entity>);

    for of_ends in [false, true] {
        let mut world = World::new();
        let [dead, a, b, c] = entities(&mut world);
        world.despawn(dead);
        match of_ends {
            false => _ = world.add_observer(|_: On<Insert<Names>>| panic!("an observer")),
            true => _ = world.add_observer(|_: On<Remove<Names>>| panic!("an observer")),
        }
        let linked = catch_unwind(AssertUnwindSafe(|| _ = world.many(&[a, b, c]).insert(Names(dead))));
        assert!(linked.is_err());
        _ = catch_unwind(AssertUnwindSafe(|| world.flush()));
        assert_eq!(world.query::<&Names>().iter(&world).count(), 0, "{of_ends}");
        world.check_invariants();
    }
}

/// The links of one kind that cannot be: to itself, to an entity that is not alive, and in a circle.
type Refused = (&'static str, fn(&mut World, [Entity; 4]));

const REFUSED: [Refused; 5] = [
    ("to itself", |world, [a, ..]| _ = world.entity_mut(a).insert(ChildOf(a))),
    ("to a dead entity", |world, [a, _, _, dead]| _ = world.entity_mut(a).insert(ChildOf(dead))),
    ("in a circle", |world, [_, b, c, _]| _ = world.entity_mut(b).insert(ChildOf(c))),
    ("of several entities", |world, [a, b, c, dead]| _ = world.many(&[a, b, c]).insert(ChildOf(dead))),
    ("of new entities", |world, [.., dead]| world.spawn_batch([0; 3].map(|_| ChildOf(dead))).for_each(drop)),
];

#[test]
fn a_snapshot_after_a_panic_of_an_observer_holds_no_refused_link() {
    for (name, link) in REFUSED {
        for moment in 0..4 {
            let mut world = World::new();
            let [a, b, c, dead] = entities(&mut world);
            world.entity_mut(c).insert(ChildOf(b));
            world.despawn(dead);
            match moment {
                0 => _ = world.add_observer(|_: On<Add<ChildOf>>| panic!("an observer")),
                1 => _ = world.add_observer(|_: On<Insert<ChildOf>>| panic!("an observer")),
                2 => _ = world.add_observer(|_: On<Remove<ChildOf>>| panic!("an observer")),
                _ => {
                    world.add_observer(|_: On<Insert<ChildOf>>, mut commands: Commands| {
                        commands.queue(|_: &mut World| panic!("a command of an observer"));
                    });
                }
            }
            let linked = catch_unwind(AssertUnwindSafe(|| link(&mut world, [a, b, c, dead])));
            assert!(linked.is_err(), "{name}, moment {moment}");
            let refused = |world: &mut World| {
                let mut all = world.query::<(Entity, &ChildOf)>();
                all.iter(world).filter(|(source, link)| !children(world, link.parent()).contains(source)).count()
            };
            assert_eq!(refused(&mut world), 0, "{name}, moment {moment}");
            let options = strata_ecs::snapshot::SnapshotOptions::new();
            let snapshot = world.snapshot_with(&options).expect("nothing is running");
            let mut clone = World::new();
            clone.restore_into(&snapshot).expect("nothing is running");
            assert_eq!(refused(&mut clone), 0, "{name}, moment {moment}");
            clone.check_invariants();
            world.check_invariants();
        }
    }
}

thread_local! {
    /// How many calls of the functions of lists are left until one panics; none does if there is no number.
    static CALLS_LEFT: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// A list whose functions panic when a number of calls has been counted, before they have changed anything or afterwards.
#[derive(Default)]
struct Failing(Vec<Entity>);

fn count_call() {
    match CALLS_LEFT.get() {
        Some(0) => {
            CALLS_LEFT.set(None);
            panic!("a list");
        }
        left => CALLS_LEFT.set(left.map(|left| left - 1)),
    }
}

fn counted<T>(call: impl FnOnce() -> T) -> T {
    count_call();
    let out = call();
    count_call();
    out
}

impl strata_ecs::relationship::RelationshipSourceCollection for Failing {
    type SourceIter<'a> = std::iter::Copied<std::slice::Iter<'a, Entity>>;

    fn new() -> Self {
        counted(Self::default)
    }

    fn with_capacity(_: usize) -> Self {
        counted(Self::default)
    }

    fn reserve(&mut self, additional: usize) {
        counted(|| self.0.reserve(additional));
    }

    fn add(&mut self, entity: Entity) -> bool {
        counted(|| self.0.push(entity));
        true
    }

    fn remove(&mut self, entity: Entity) -> bool {
        let at = self.0.as_slice().iter().position(|&other| other == entity);
        counted(|| at.map(|at| self.0.remove(at))).is_some()
    }

    fn iter(&self) -> Self::SourceIter<'_> {
        self.0.as_slice().iter().copied()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        counted(|| self.0.clear());
    }

    fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }

    fn extend_from_iter(&mut self, entities: impl IntoIterator<Item = Entity>) {
        entities.into_iter().for_each(|entity| _ = self.add(entity));
    }
}

#[derive(Component)]
#[relationship(relationship_target = Docks)]
struct DockedAt(Entity);

#[derive(Component)]
#[relationship_target(relationship = DockedAt)]
struct Docks(Failing);

#[derive(Component)]
#[relationship(relationship_target = Cargo)]
struct InHoldOf(Entity);

#[derive(Component)]
#[relationship_target(relationship = InHoldOf, linked_spawn)]
struct Cargo(Failing);

/// Two targets and sources of the first one, and another world.
struct Harbor {
    world: World,
    other: World,
    targets: [Entity; 2],
    sources: [Entity; 6],
}

/// Does something again and again, of which another call of a function of a list panics each time.
fn with_each_call_failing<R: Relationship>(operation: impl Fn(&mut Harbor), link: fn(Entity) -> R) {
    for calls in 0.. {
        let mut world = World::new();
        let targets = entities(&mut world);
        let sources = [(); 6].map(|()| world.spawn(link(targets[0])).id());
        let mut harbor = Harbor { world, other: World::new(), targets, sources };
        CALLS_LEFT.set(Some(calls));
        let done = catch_unwind(AssertUnwindSafe(|| operation(&mut harbor)));
        let was_enough = CALLS_LEFT.take().is_some();
        assert_eq!(done.is_ok(), was_enough, "a panic goes on, and none is made up");
        let Harbor { world, other, .. } = &mut harbor;
        for world in [world, other] {
            world.flush();
            world.check_invariants();
            // Links are made and unmade as ever.
            let target = world.spawn_empty().id();
            let sources: Vec<Entity> =
                world.iter_entities().map(|entity| entity.id()).filter(|&id| id != target).collect();
            _ = world.many(&sources).insert_with(|_| link(target));
            world.check_invariants();
            world.despawn(target);
            world.check_invariants();
        }
        if was_enough {
            return;
        }
    }
}

#[test]
fn both_sides_agree_whatever_function_of_a_list_panics() {
    fn try_all<R: Relationship>(link: fn(Entity) -> R) {
        let operations: &[&dyn Fn(&mut Harbor)] = &[
            &|harbor| _ = harbor.world.spawn(link(harbor.targets[0])),
            &|harbor| _ = harbor.world.spawn(link(harbor.targets[1])),
            &|harbor| _ = harbor.world.spawn_batch([(); 3].map(|()| link(harbor.targets[1]))),
            &|harbor| _ = harbor.world.entity_mut(harbor.sources[0]).insert(link(harbor.targets[1])),
            &|harbor| _ = harbor.world.many(&harbor.sources[1..]).insert_with(|_| link(harbor.targets[1])),
            &|harbor| _ = harbor.world.entity_mut(harbor.sources[2]).remove::<R>(),
            &|harbor| _ = harbor.world.many(&harbor.sources).remove::<R>(),
            &|harbor| _ = harbor.world.entity_mut(harbor.targets[0]).remove::<R::RelationshipTarget>(),
            &|harbor| _ = harbor.world.despawn(harbor.sources[1]),
            &|harbor| _ = harbor.world.many(&harbor.sources).despawn(),
            &|harbor| _ = harbor.world.despawn(harbor.targets[0]),
            &|harbor| _ = harbor.world.entity_mut(harbor.targets[1]).add_related::<R>(&harbor.sources[..5]),
            &|harbor| {
                let sources = [harbor.sources[3], harbor.targets[1], harbor.sources[1]];
                harbor.world.entity_mut(harbor.targets[0]).replace_related::<R>(&sources);
            },
            &|harbor| _ = harbor.world.entity_mut(harbor.targets[0]).detach_all_related::<R>(),
            &|harbor| {
                let [a, b] = harbor.targets;
                _ = harbor.world.many(&[a, harbor.sources[0], harbor.sources[1], b]).move_to(&mut harbor.other);
            },
            &|harbor| {
                let Harbor { world, targets, sources, .. } = harbor;
                world.with_deferred_events(|world| {
                    world.entity_mut(sources[0]).insert(link(targets[1]));
                    world.despawn(targets[0]);
                    world.spawn(link(targets[1]));
                });
            },
        ];
        operations.iter().for_each(|operation| with_each_call_failing(operation, link));
    }
    try_all(DockedAt);
    try_all(InHoldOf);
}

#[test]
fn a_report_of_a_refused_link_that_panics_does_so_once_and_the_component_goes() {
    let ways: [fn(&mut World, Entity, Entity); 4] = [
        |world, _, dead| _ = world.spawn(ChildOf(dead)),
        |world, entity, dead| _ = world.entity_mut(entity).insert(ChildOf(dead)),
        |world, entity, _| _ = world.entity_mut(entity).insert(ChildOf(entity)),
        |world, entity, dead| {
            world.commands().entity(entity).insert(ChildOf(dead));
            world.flush();
        },
    ];
    for (number, way) in ways.into_iter().enumerate() {
        for is_observed in [false, true] {
            let mut world = World::new();
            let [entity, parent, dead] = entities(&mut world);
            world.despawn(dead);
            if is_observed {
                world.add_observer(|_: On<Add<ChildOf>>| {});
            }
            world.set_error_handler(strata_ecs::error::panic);
            let refused = catch_unwind(AssertUnwindSafe(|| way(&mut world, entity, dead)));
            assert!(refused.is_err(), "way {number}, observed: {is_observed}");
            assert_eq!(world.query::<&ChildOf>().iter(&world).count(), 0, "way {number}, observed: {is_observed}");
            world.check_invariants();
            // Later links are made as usual.
            world.entity_mut(entity).insert(ChildOf(parent));
            assert_eq!(children(&world, parent), [entity]);
            world.check_invariants();
        }
    }
}
