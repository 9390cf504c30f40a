//! Links of entities that are cloned, or move to another world.

use strata_ecs::prelude::*;

use crate::{LikedBy, Likes, children, entities};

#[test]
fn a_clone_is_linked_and_has_no_sources() {
    let mut world = World::new();
    let [root] = entities(&mut world);
    let a = world.spawn(ChildOf(root)).id();
    let leaf = world.spawn(ChildOf(a)).id();
    let clone = world.clone_entity(a).unwrap();
    assert_eq!(children(&world, root), [a, clone]);
    assert!(world.get::<Children>(clone).is_none());
    assert_eq!(children(&world, a), [leaf]);
    world.check_invariants();
}

#[test]
fn links_between_entities_that_move_move_along() {
    let (mut here, mut there) = (World::new(), World::new());
    there.spawn_batch([(), (), (), ()]);
    let [root, a, b] = entities(&mut here);
    here.entity_mut(root).add_children(&[b, a]);
    here.entity_mut(a).insert(Likes(b));
    let map = here.all::<()>().move_to(&mut there);
    let [root, a, b] = [root, a, b].map(|old| map.get(old).unwrap());
    assert_eq!(children(&there, root), [b, a]);
    assert!(there.get::<LikedBy>(b).unwrap().iter().eq([a]));
    assert!(here.is_empty());
    here.check_invariants();
    there.check_invariants();
    there.despawn(root);
    assert_eq!(there.len(), 4);
}

#[test]
fn links_to_what_stays_end() {
    let (mut here, mut there) = (World::new(), World::new());
    there.spawn_batch([(), (), (), ()]);
    let [root, a, b, leaf] = entities(&mut here);
    here.entity_mut(root).add_children(&[a, b]);
    here.entity_mut(a).add_child(leaf);
    let map = here.many(&[a]).move_to(&mut there);
    let new = map.get(a).unwrap();
    assert!(there.get::<ChildOf>(new).is_none() && there.get::<Children>(new).is_none());
    assert!(there.take_command_errors().0.is_empty());
    assert_eq!(children(&here, root), [b]);
    assert!(here.contains(leaf) && here.get::<ChildOf>(leaf).is_none());
    here.check_invariants();
    there.check_invariants();
}

#[test]
fn memory_is_given_back() {
    let mut world = World::new();
    let [root] = entities(&mut world);
    world.spawn_batch((0..1000).map(|_| ChildOf(root)));
    world.despawn(root);
    world.shrink_to_fit();
    world.check_invariants();
}

#[test]
fn links_are_right_although_an_observer_panics_as_their_entities_leave() {
    let (mut here, mut there) = (World::new(), World::new());
    there.spawn_batch([(); 10]);
    let [root, a] = entities(&mut here);
    here.entity_mut(root).add_child(a);
    here.add_observer(|_: On<Discard<ChildOf>>| panic!("an observer"));
    let moved = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| _ = here.many(&[a]).move_to(&mut there)));
    assert!(moved.is_err());
    there.flush();
    here.flush();
    assert_eq!(there.query::<&ChildOf>().iter(&there).count(), 0);
    assert!(here.get::<Children>(root).is_none());
    there.check_invariants();
    here.check_invariants();
}
