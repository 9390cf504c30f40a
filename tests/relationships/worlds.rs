//! Links of entities that are cloned, spawned in batches, or move to another world.

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::name::Name;
use strata_ecs::prelude::*;

use crate::{GuardedBy, Guards, LikedBy, Likes, children, entities, pairs};

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

/// The targets, the sources and the pairs of an entity.
#[derive(Debug, PartialEq)]
struct Ends {
    named: [Option<Entity>; 3],
    lists: [Vec<Entity>; 3],
    from: Vec<(Entity, pairs::Likes)>,
    to: Vec<(Entity, pairs::Likes)>,
    owned: Vec<(Entity, pairs::Owned)>,
    known: Vec<(Entity, pairs::Knows)>,
}

fn ends(world: &World, entity: Entity) -> Ends {
    let named = [
        world.get::<ChildOf>(entity).map(|parent| parent.0),
        world.get::<Likes>(entity).map(|likes| likes.0),
        world.get::<Guards>(entity).map(|guards| guards.0),
    ];
    let liked: Vec<Entity> = world.get::<LikedBy>(entity).map_or_else(Vec::new, |list| list.iter().collect());
    let mut guards: Vec<Entity> = world.get::<GuardedBy>(entity).map_or_else(Vec::new, |list| list.iter().collect());
    guards.sort();
    let mut to = pairs::to(world, entity);
    to.sort_by_key(|(source, _)| *source);
    let mut known = pairs::from(world, entity);
    known.sort_by_key(|(other, _)| *other);
    let (from, owned) = (pairs::from(world, entity), pairs::from(world, entity));
    Ends { named, lists: [children(world, entity), liked, guards], from, to, owned, known }
}

/// The same with those entities alone of which a function says what stands for them.
fn renamed(ends: Ends, new: &dyn Fn(Entity) -> Option<Entity>) -> Ends {
    fn pairs<R>(all: Vec<(Entity, R)>, new: &dyn Fn(Entity) -> Option<Entity>) -> Vec<(Entity, R)> {
        all.into_iter().filter_map(|(other, value)| Some((new(other)?, value))).collect()
    }
    let lists = ends.lists.map(|list| list.into_iter().filter_map(new).collect::<Vec<_>>());
    let [children, liked, mut guards] = lists;
    guards.sort();
    let (mut to, mut known) = (pairs(ends.to, new), pairs(ends.known, new));
    to.sort_by_key(|(source, _)| *source);
    known.sort_by_key(|(other, _)| *other);
    Ends {
        named: ends.named.map(|named| new(named?)),
        lists: [children, liked, guards],
        from: pairs(ends.from, new),
        to,
        owned: pairs(ends.owned, new),
        known,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_between_two_that_move_moves_and_what_is_between_two_that_stay_stays(
        between in vec((0..6_usize, 0..16_usize, 0..16_usize), 0..60),
        tables in vec(any::<bool>(), 16),
        leave in vec(any::<bool>(), 16),
        already in 0..30_usize,
    ) {
        let (mut here, mut there) = (World::new(), World::new());
        here.on_command_error(strata_ecs::world::OnCommandError::Ignore);
        // Relations have other numbers there, and ids are taken.
        there.register_component::<Guards>();
        let family = there.spawn(children![(), ()]).id();
        there.spawn_batch((0..already).map(|_| ChildOf(family)));
        let all = entities::<16>(&mut here);
        for (&entity, _) in all.iter().zip(tables).filter(|(_, other)| *other) {
            here.entity_mut(entity).insert(Mark);
        }
        for (number, &(kind, source, target)) in between.iter().enumerate() {
            let (source, target, number) = (all[source], all[target], number as u32);
            match kind {
                0 => _ = here.entity_mut(source).insert(ChildOf(target)),
                1 => _ = here.entity_mut(source).insert(Likes(target)),
                2 => _ = here.entity_mut(source).insert(Guards(target)),
                3 => _ = here.relate(source, pairs::Likes(number), target),
                4 => _ = here.relate(source, pairs::Owned(number), target),
                _ => _ = here.relate(source, pairs::Knows(number), target),
            }
        }
        let before = all.map(|entity| ends(&here, entity));
        let leaving: Vec<Entity> = all.iter().zip(&leave).filter(|(_, leaves)| **leaves).map(|(one, _)| *one).collect();
        let map = here.many(&leaving).move_to(&mut there);
        here.check_invariants();
        there.check_invariants();
        assert!(there.take_command_errors().0.is_empty());
        assert_eq!((here.len(), there.len()), (16 - leaving.len(), 3 + already + leaving.len()));
        for (entity, before) in all.into_iter().zip(before) {
            match map.get(entity) {
                Some(new) => assert_eq!(ends(&there, new), renamed(before, &|other| map.get(other))),
                None => {
                    let stays = |other: Entity| map.get(other).is_none().then_some(other);
                    assert_eq!(ends(&here, entity), renamed(before, &stays));
                }
            }
        }
        assert_eq!(children(&there, family).len(), 2 + already);
    }
}

/// It moves an entity to another table.
#[derive(Component)]
struct Mark;

#[test]
fn batches_spawn_trees() {
    let mut world = World::new();
    let crews = (0..100).map(|nth| (Name::new(format!("{nth}")), children![Mark, (Mark, children![(), ()])]));
    let ships: Vec<Entity> = world.spawn_batch(crews).collect();
    assert_eq!(world.len(), 500);
    for (nth, &ship) in ships.iter().enumerate() {
        assert_eq!(world.get::<Name>(ship).unwrap().as_str(), nth.to_string());
        let [first, second] = children(&world, ship)[..] else { panic!("there are two children") };
        assert_eq!((children(&world, first).len(), children(&world, second).len()), (0, 2));
    }
    world.insert_batch(ships[..10].iter().map(|&ship| (ship, children![()])).collect::<Vec<_>>());
    assert_eq!((children(&world, ships[9]).len(), children(&world, ships[10]).len()), (3, 2));
    let fleet = world.spawn_empty().id();
    world.insert_batch(ships.iter().map(|&ship| (ship, ChildOf(fleet))).collect::<Vec<_>>());
    assert_eq!(children(&world, fleet), ships);
    world.check_invariants();
    world.despawn(fleet);
    assert!(world.is_empty());
    world.check_invariants();
}

#[test]
fn commands_spawn_trees_in_batches() {
    let mut world = World::new();
    let mut commands = world.commands();
    commands.spawn_batch((0..10).map(|_| children![Mark, Mark]));
    world.flush();
    assert_eq!((world.len(), world.query::<(&Mark, &ChildOf)>().iter(&world).count()), (30, 20));
    world.check_invariants();
}

#[test]
fn columns_of_links_are_links() {
    let mut world = World::new();
    let [a, b] = entities(&mut world);
    let parents: Vec<ChildOf> = (0..10).map(|nth| ChildOf(if nth % 3 == 0 { a } else { b })).collect();
    let all: Vec<Entity> = world.spawn_columns((parents, (0..10).map(|_| Mark).collect::<Vec<_>>())).unwrap().collect();
    assert_eq!(children(&world, a), [0, 3, 6, 9].map(|nth| all[nth]));
    assert_eq!(children(&world, b).len(), 6);
    world.check_invariants();
}
