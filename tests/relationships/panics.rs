//! Panics of what the user writes, in the middle of linking and unlinking: `flush`, or the next operation that links or unlinks, makes both
//! sides agree.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata_ecs::prelude::*;

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
