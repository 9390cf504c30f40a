//! Linked copies: an entity and all that is linked to it are cloned together, and compared with the originals.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::entity::{EntityCloner, EntityMapper, MapEntities};
use strata_ecs::prelude::*;
use strata_ecs::relation::PairSource;
use strata_ecs::store::CloneError;

use crate::pairs::{self, Knows, Needs, Owned, Twin, from, to};
use crate::{GuardedBy, Guards, LikedBy, Likes, children, entities};

/// A number that is unique among the originals.
#[derive(Component, Clone, Debug, PartialEq)]
struct Tag(usize);

/// Something that names an entity and is no link.
#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Looks(Entity);

/// A value of a pair that names an entity.
#[derive(Relation, Clone, Debug, PartialEq)]
struct Told {
    of: Entity,
}

fn clone_linked(world: &mut World, source: Entity) -> Entity {
    let mut cloner = EntityCloner::build_opt_out(world).linked_cloning(true).finish();
    cloner.spawn_clone(world, source).expect("all can be cloned")
}

/// The components of an entity, except those that follow from other entities.
#[derive(Debug, PartialEq)]
struct Seen {
    tag: Option<usize>,
    looks: Option<Entity>,
    parent: Option<Entity>,
    likes: Option<Entity>,
    guards: Option<Entity>,
    below: Vec<(Entity, Needs)>,
    owned: Vec<(Entity, Owned)>,
    told: Vec<(Entity, Entity)>,
}

fn seen(world: &World, entity: Entity) -> Seen {
    Seen {
        tag: world.get::<Tag>(entity).map(|tag| tag.0),
        looks: world.get::<Looks>(entity).map(|looks| looks.0),
        parent: world.get::<ChildOf>(entity).map(|parent| parent.0),
        likes: world.get::<Likes>(entity).map(|likes| likes.0),
        guards: world.get::<Guards>(entity).map(|guards| guards.0),
        below: from(world, entity),
        owned: from(world, entity),
        told: from::<Told>(world, entity).into_iter().map(|(target, told)| (target, told.of)).collect(),
    }
}

/// Returns the expected components of the copy of an entity.
fn renamed(seen: Seen, copy: &dyn Fn(Entity) -> Entity) -> Seen {
    Seen {
        tag: seen.tag,
        looks: seen.looks.map(copy),
        parent: seen.parent.map(copy),
        likes: seen.likes.map(copy),
        guards: seen.guards.map(copy),
        below: seen.below.into_iter().map(|(target, value)| (copy(target), value)).collect(),
        owned: seen.owned.into_iter().map(|(target, value)| (copy(target), value)).collect(),
        told: seen.told.into_iter().map(|(target, of)| (copy(target), copy(of))).collect(),
    }
}

fn sorted(mut entities: Vec<Entity>) -> Vec<Entity> {
    entities.sort();
    entities
}

fn guards_of(world: &World, entity: Entity) -> Vec<Entity> {
    sorted(world.get::<GuardedBy>(entity).map_or_else(Vec::new, |list| list.iter().collect()))
}

fn likers_of(world: &World, entity: Entity) -> Vec<Entity> {
    sorted(world.get::<LikedBy>(entity).map_or_else(Vec::new, |list| list.iter().collect()))
}

/// Pairs without direction of an entity with some others.
fn known<R: Relation + Clone>(world: &World, entity: Entity, number: fn(&R) -> u32) -> Vec<(Entity, u32)> {
    let mut known: Vec<_> = from::<R>(world, entity).iter().map(|(other, value)| (*other, number(value))).collect();
    known.sort();
    known
}

/// All that is linked to an entity so that it ends with it, by recursion.
fn tree(world: &World, root: Entity, found: &mut Vec<Entity>) {
    if !found.contains(&root) {
        found.push(root);
        children(world, root).into_iter().for_each(|child| tree(world, child, found));
        guards_of(world, root).into_iter().for_each(|guard| tree(world, guard, found));
    }
}

/// Clones what is at a place of all entities, and compares.
fn clone_and_compare(world: &mut World, all: &[Entity], root: Entity) {
    let mut originals = Vec::new();
    tree(world, root, &mut originals);
    let before: Vec<Seen> = all.iter().map(|&entity| seen(world, entity)).collect();
    let lists: Vec<[Vec<Entity>; 3]> =
        all.iter().map(|&one| [children(world, one), guards_of(world, one), likers_of(world, one)]).collect();

    let copy = clone_linked(world, root);

    world.check_invariants();
    assert_eq!(world.len(), all.len() + originals.len(), "as many copies as originals");
    let new: HashMap<usize, Entity> = world
        .query::<(Entity, &Tag)>()
        .iter(world)
        .filter(|(entity, _)| !all.contains(entity))
        .map(|(entity, tag)| (tag.0, entity))
        .collect();
    let copies: HashMap<Entity, Entity> =
        originals.iter().map(|&original| (original, new[&world.get::<Tag>(original).unwrap().0])).collect();
    assert_eq!(copies[&root], copy);
    let copy_of = |entity: Entity| copies.get(&entity).copied().unwrap_or(entity);
    for &original in &originals {
        let copy = copies[&original];
        assert_eq!(seen(world, copy), renamed(seen(world, original), &copy_of), "the copy of {original}");
        let copied = |list: Vec<Entity>| -> Vec<Entity> {
            list.iter().filter_map(|entity| copies.get(entity)).copied().collect()
        };
        assert_eq!(sorted(children(world, copy)), sorted(copied(children(world, original))), "its children");
        assert_eq!(guards_of(world, copy), sorted(copied(guards_of(world, original))), "its guards");
        assert_eq!(likers_of(world, copy), sorted(copied(likers_of(world, original))), "those who like it");
        let expected = known::<Knows>(world, original, |value| value.0).into_iter();
        let mut expected: Vec<_> = expected
            .filter(|(other, _)| !copies.values().any(|copy| copy == other))
            .map(|(other, value)| (copy_of(other), value))
            .collect();
        expected.sort();
        assert_eq!(known::<Knows>(world, copy, |value| value.0), expected, "whom it knows");
        let twin = known::<Twin>(world, original, |value| value.0).into_iter();
        let twin: Vec<_> = twin.filter_map(|(other, value)| Some((*copies.get(&other)?, value))).collect();
        assert_eq!(known::<Twin>(world, copy, |value| value.0), twin, "its twin");
    }
    for (at, &entity) in all.iter().enumerate() {
        assert_eq!(seen(world, entity), before[at], "{entity} is untouched");
        let old = |list: Vec<Entity>| -> Vec<Entity> { list.into_iter().filter(|one| all.contains(one)).collect() };
        let now = [children(world, entity), guards_of(world, entity), likers_of(world, entity)].map(old);
        assert_eq!(now, lists[at], "what {entity} lists");
    }
}

/// A pair between two entities, as numbers.
type Between = (usize, usize, usize);

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn copies_have_the_shape_of_the_originals(
        between in vec((0..9_usize, 0..20_usize, 0..20_usize), 0..100),
        roots in vec(0..20_usize, 1..4),
    ) {
        let mut world = World::new();
        world.on_command_error(strata_ecs::world::OnCommandError::Ignore);
        let all: Vec<Entity> = (0..20).map(|tag| world.spawn(Tag(tag)).id()).collect();
        for (number, &(kind, source, target)) in between.iter().enumerate() {
            relate(&mut world, (kind, source, target), number as u32, &all);
        }
        let mut known = all;
        for &root in &roots {
            let root = known[root];
            // Copies are originals of the next round.
            for (tag, &entity) in known.iter().enumerate() {
                world.entity_mut(entity).insert(Tag(tag));
            }
            clone_and_compare(&mut world, &known, root);
            let rest: Vec<Entity> = world.query::<Entity>().iter(&world).filter(|one| !known.contains(one)).collect();
            known.extend(rest);
        }
    }
}

fn relate(world: &mut World, (kind, source, target): Between, number: u32, all: &[Entity]) {
    let (source, target) = (all[source], all[target]);
    match kind {
        0 => _ = world.entity_mut(source).insert(ChildOf(target)),
        1 => _ = world.entity_mut(source).insert(Guards(target)),
        2 => _ = world.entity_mut(source).insert(Likes(target)),
        3 => _ = world.entity_mut(source).insert(Looks(target)),
        4 => _ = world.relate(source, Needs(number), target),
        5 => _ = world.relate(source, Owned(number), target),
        6 => _ = world.relate(source, Knows(number), target),
        7 => _ = world.relate(source, Twin(number), target),
        _ => _ = world.relate(source, Told { of: source }, target),
    }
}

#[test]
fn children_of_copies_are_in_order() {
    let mut world = World::new();
    let root =
        world.spawn((Tag(0), children![(Tag(1), children![Tag(4), Tag(5)]), Tag(2), (Tag(3), children![Tag(6)])])).id();
    let first = children(&world, root)[0];
    world.get_mut::<Children>(root).unwrap().swap(0, 2);
    let copy = clone_linked(&mut world, root);
    let tags = |entity: Entity| -> Vec<usize> {
        children(&world, entity).iter().map(|&child| world.get::<Tag>(child).unwrap().0).collect()
    };
    assert_eq!(tags(copy), [3, 2, 1]);
    assert_eq!(tags(*children(&world, copy).last().unwrap()), [4, 5]);
    assert_eq!(tags(first), [4, 5]);
    world.check_invariants();
}

#[test]
fn a_copy_is_a_child_of_the_same_parent_unless_that_is_denied() {
    let mut world = World::new();
    let [parent, root, leaf] = entities(&mut world);
    world.entity_mut(parent).add_child(root);
    world.entity_mut(root).add_child(leaf);
    let copy = clone_linked(&mut world, root);
    assert_eq!(children(&world, parent), [root, copy]);
    let mut root = world.entity_mut(root);
    let alone =
        root.clone_and_spawn_with_opt_out(|builder| _ = builder.deny::<ChildOf>().linked_cloning(true)).unwrap();
    assert!(world.get::<ChildOf>(alone).is_none());
    assert_eq!(children(&world, alone).len(), 1, "what is below is linked all the same");
    assert_eq!(children(&world, parent).len(), 2);
    world.check_invariants();
}

#[test]
fn only_what_is_chosen_is_cloned_of_each() {
    let mut world = World::new();
    let root = world.spawn((Tag(0), children![(Tag(1), Looks(Entity::PLACEHOLDER))])).id();
    let [without, with] = entities(&mut world);
    let mut builder = EntityCloner::build_opt_in(&mut world);
    builder.allow::<Tag>().linked_cloning(true).clone_entity(root, without).unwrap();
    let children_id = world.component_id::<Children>().unwrap();
    let mut builder = EntityCloner::build_opt_in(&mut world);
    builder.allow::<Tag>().allow_by_ids([children_id]).linked_cloning(true).clone_entity(root, with).unwrap();
    assert!(children(&world, without).is_empty());
    let [child] = children(&world, with)[..] else { panic!("there is one child") };
    assert_eq!((world.get(child), world.get::<Looks>(child)), (Some(&Tag(1)), None));
    let mut builder = EntityCloner::build_opt_out(&mut world);
    let cloner = builder.deny::<Children>().linked_cloning(true).finish();
    assert!(cloner.linked_cloning());
    let count = world.len();
    cloner.clone().spawn_clone(&mut world, root).unwrap();
    assert_eq!(world.len(), count + 1);
    world.check_invariants();
}

#[test]
fn a_target_keeps_the_children_that_it_has() {
    let mut world = World::new();
    let [root, a, target, b] = entities(&mut world);
    world.entity_mut(root).add_child(a);
    world.entity_mut(target).add_child(b);
    world.entity_mut(root).clone_with_opt_out(target, |builder| _ = builder.linked_cloning(true)).unwrap();
    let listed = children(&world, target);
    assert_eq!((listed.len(), listed[0]), (2, b));
    assert_eq!(children(&world, root), [a]);
    // A clone of the tree itself is possible, too.
    world.entity_mut(root).clone_with_opt_out(a, |builder| _ = builder.linked_cloning(true)).unwrap();
    assert_eq!((children(&world, a).len(), children(&world, root)), (1, vec![a]));
    world.check_invariants();
}

#[test]
fn commands_clone_what_is_linked() {
    let mut world = World::new();
    let root = world.spawn((Tag(0), children![Tag(1), (Tag(2), children![Tag(3)])])).id();
    let mut commands = world.commands();
    let copy = commands.entity(root).clone_and_spawn_with_opt_out(|builder| _ = builder.linked_cloning(true)).id();
    world.flush();
    assert_eq!((world.len(), children(&world, copy).len()), (8, 2));
    world.check_invariants();
}

#[test]
fn disabled_entities_are_cloned() {
    use strata_ecs::entity_disabling::Disabled;

    let mut world = World::new();
    let root = world.spawn(children![Disabled]).id();
    let copy = clone_linked(&mut world, root);
    assert!(world.entity(children(&world, copy)[0]).contains::<Disabled>());
}

#[test]
fn observers_find_both_sides_of_all_copies() {
    fn log(added: On<Add<Tag>>, tags: Query<(&Tag, Option<&ChildOf>, Option<&Children>)>, mut log: ResMut<Log>) {
        let (tag, parent, list) = tags.get(added.entity).unwrap();
        let parent = parent.map(|parent| tags.get(parent.0).unwrap().0.0);
        log.0.push((tag.0, parent, list.map_or(0, |list| list.len())));
    }
    #[derive(Resource, Default)]
    struct Log(Vec<(usize, Option<usize>, usize)>);

    let mut world = World::new();
    world.init_resource::<Log>();
    let root = world.spawn((Tag(0), children![(Tag(1), children![Tag(3)]), Tag(2)])).id();
    world.add_observer(log);
    clone_linked(&mut world, root);
    assert_eq!(world.resource::<Log>().0, [(0, None, 2), (1, Some(0), 1), (2, Some(0), 0), (3, Some(1), 0)]);
    world.check_invariants();
}

#[test]
fn what_cannot_be_cloned_leaves_everything_as_it_was() {
    #[derive(Component)]
    struct Connection;
    #[derive(Relation)]
    struct Holds;

    let mut world = World::new();
    let root = world.spawn((Tag(0), children![Tag(1), (Tag(2), Connection)])).id();
    let [a, b] = children(&world, root)[..] else { panic!("there are two children") };
    let mut cloner = EntityCloner::build_opt_out(&mut world).linked_cloning(true).finish();
    let error = cloner.spawn_clone(&mut world, root).unwrap_err();
    assert!(matches!(&error, CloneError::NotClone { entity, .. } if *entity == b), "{error}");
    world.entity_mut(b).remove::<Connection>();
    world.relate(a, Holds, b);
    let error = cloner.spawn_clone(&mut world, root).unwrap_err();
    assert!(matches!(&error, CloneError::NotClone { entity, .. } if *entity == a), "{error}");
    assert_eq!(world.len(), 3);
    let mut builder = EntityCloner::build_opt_out(&mut world);
    builder.deny::<PairSource<Holds>>().linked_cloning(true).finish().spawn_clone(&mut world, root).unwrap();
    assert_eq!((world.len(), world.pair_count::<Holds>()), (6, 1));
    world.despawn(root);
    assert!(matches!(cloner.spawn_clone(&mut world, root), Err(CloneError::Entity(_))));
    world.check_invariants();
}

/// It panics when it is cloned, when its entities are mapped, or when it is dropped, as `Panics` selects.
#[derive(Component, Debug)]
struct Fragile(Panics);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Panics {
    Never,
    Cloned,
    Mapped,
    Dropped,
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert_ne!(self.0, Panics::Cloned, "no clone");
        Self(self.0)
    }
}

impl MapEntities for Fragile {
    fn map_entities<M: EntityMapper>(&mut self, _: &mut M) {
        assert_ne!(self.0, Panics::Mapped, "no other entities");
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        assert!(self.0 != Panics::Dropped || std::thread::panicking(), "no end");
    }
}

#[test]
fn a_panic_leaves_a_usable_world() {
    for how in [Panics::Cloned, Panics::Mapped] {
        let mut world = World::new();
        let root = world.spawn((Tag(0), children![Tag(1), (Tag(2), Fragile(how), children![Tag(3)])])).id();
        let [first, second] = children(&world, root)[..] else { panic!("there are two children") };
        world.relate(first, pairs::Likes(7), second);
        let copied = catch_unwind(AssertUnwindSafe(|| _ = clone_linked(&mut world, root)));
        assert!(copied.is_err());
        world.check_invariants();
        assert_eq!((world.len(), world.pair_count::<pairs::Likes>()), (4, 1));
        world.entity_mut(second).insert(Fragile(Panics::Never));
        let copy = clone_linked(&mut world, root);
        assert_eq!(world.len(), 8);
        let [first, second] = children(&world, copy)[..] else { panic!("there are two children") };
        assert_eq!(to(&world, second), [(first, pairs::Likes(7))]);
        world.check_invariants();
    }
}

#[test]
fn all_copies_are_made_although_what_is_replaced_panics() {
    let mut world = World::new();
    let root = world.spawn((Fragile(Panics::Never), children![Tag(1), Tag(2)])).id();
    let target = world.spawn(Fragile(Panics::Dropped)).id();
    let mut cloner = EntityCloner::build_opt_out(&mut world).linked_cloning(true).finish();
    let copied = catch_unwind(AssertUnwindSafe(|| _ = cloner.clone_entity(&mut world, root, target)));
    assert!(copied.is_err());
    world.check_invariants();
    assert_eq!(world.get::<Fragile>(target).unwrap().0, Panics::Never);
    let tags: Vec<usize> = children(&world, target).iter().map(|&child| world.get::<Tag>(child).unwrap().0).collect();
    assert_eq!(tags, [1, 2]);
}

#[test]
fn deep_trees_are_cloned_without_a_stack() {
    let mut world = World::new();
    let root = world.spawn_empty().id();
    let mut last = root;
    for _ in 0..5_000 {
        last = world.spawn(ChildOf(last)).id();
    }
    let copy = clone_linked(&mut world, root);
    assert_eq!(world.len(), 10_002);
    world.despawn(copy);
    assert_eq!(world.len(), 5_001);
    world.check_invariants();
}

#[test]
fn other_fields_of_both_sides_are_cloned() {
    #[derive(Component, Clone)]
    #[relationship(relationship_target = Crew)]
    struct Serves {
        #[relationship]
        ship: Entity,
        since: u32,
    }
    #[derive(Component, Clone)]
    #[relationship_target(relationship = Serves, linked_spawn)]
    struct Crew {
        #[relationship]
        sailors: Vec<Entity>,
        pay: String,
        flagship: Option<Entity>,
    }
    let mut world = World::new();
    let [fleet, ship] = entities(&mut world);
    world.entity_mut(ship).insert(Serves { ship: fleet, since: 3 });
    let sailors: Vec<Entity> = [1, 2].map(|since| world.spawn(Serves { ship, since }).id()).into();
    let mut crew = world.get_mut::<Crew>(ship).unwrap();
    (crew.pay, crew.flagship) = ("rum".into(), Some(fleet));

    let copy = clone_linked(&mut world, fleet);
    world.check_invariants();
    let [copied] = world.get::<Crew>(copy).unwrap().sailors[..] else { panic!("one ship") };
    let Crew { sailors: new, pay, flagship } = world.get::<Crew>(copied).unwrap();
    // The fleet is cloned as well, so the copy names its copy.
    assert_eq!((pay.as_str(), *flagship, new.len()), ("rum", Some(copy), 2));
    for (nth, &sailor) in new.iter().enumerate() {
        let serves = world.get::<Serves>(sailor).unwrap();
        assert!(serves.ship == copied && serves.since as usize == nth + 1 && !sailors.contains(&sailor));
    }
    assert_eq!(world.get::<Crew>(ship).unwrap().sailors, sailors);

    // A target that has a crew keeps it.
    let [other, first] = entities(&mut world);
    world.entity_mut(first).insert(Serves { ship: other, since: 9 });
    world.get_mut::<Crew>(other).unwrap().pay = "tea".into();
    let mut cloner = EntityCloner::build_opt_out(&mut world).linked_cloning(true).finish();
    cloner.clone_entity(&mut world, ship, other).expect("all can be cloned");
    world.check_invariants();
    let Crew { sailors, pay, .. } = world.get::<Crew>(other).unwrap();
    assert_eq!((sailors.len(), sailors[0], pay.as_str()), (3, first, "tea"));
}

/// Moves of components to other entities, with what is linked to them.
mod moves {
    use super::*;

    #[derive(Component, Debug, PartialEq)]
    #[relationship(relationship_target = Crew)]
    struct Serves {
        #[relationship]
        ship: Entity,
        since: u32,
    }
    #[derive(Component, Debug, PartialEq)]
    #[relationship_target(relationship = Serves)]
    struct Crew {
        #[relationship]
        sailors: Vec<Entity>,
        pay: String,
    }

    /// It cannot be cloned.
    #[derive(Component, Debug, PartialEq)]
    struct Cargo(Box<str>);

    fn move_all(world: &mut World, from: Entity, to: Entity, is_linked: bool) {
        let mut builder = EntityCloner::build_opt_out(world);
        builder.move_components(true).linked_cloning(is_linked).clone_entity(from, to).expect("both are alive");
        world.check_invariants();
    }

    fn count(world: &World, entity: Entity) -> usize {
        world.entity(entity).components().count()
    }

    #[test]
    fn a_source_is_replaced_on_its_target_and_sources_follow_their_list() {
        let mut world = World::new();
        let [ship, new, heir] = entities(&mut world);
        let sailors = [1, 2].map(|since| world.spawn((Serves { ship, since }, Tag(since as usize))).id());
        world.entity_mut(ship).insert(Cargo("tea".into()));
        world.get_mut::<Crew>(ship).unwrap().pay = "rum".into();

        move_all(&mut world, sailors[0], heir, false);
        assert_eq!(count(&world, sailors[0]), 0);
        assert_eq!((world.get(heir), world.get(heir)), (Some(&Serves { ship, since: 1 }), Some(&Tag(1))));
        assert_eq!(world.get(ship), Some(&Crew { sailors: vec![sailors[1], heir], pay: "rum".into() }));

        move_all(&mut world, ship, new, false);
        assert_eq!(count(&world, ship), 0);
        assert_eq!(world.get(new), Some(&Cargo("tea".into())));
        assert_eq!(world.get(new), Some(&Crew { sailors: vec![sailors[1], heir], pay: "rum".into() }));
        assert_eq!(world.get(heir), Some(&Serves { ship: new, since: 1 }));
    }

    #[test]
    fn a_target_keeps_its_list_and_gets_more_sources() {
        let mut world = World::new();
        let [ship, other] = entities(&mut world);
        let sailor = world.spawn(Serves { ship, since: 1 }).id();
        let first = world.spawn(Serves { ship: other, since: 2 }).id();
        world.get_mut::<Crew>(other).unwrap().pay = "tea".into();
        move_all(&mut world, ship, other, false);
        assert_eq!(world.get(other), Some(&Crew { sailors: vec![first, sailor], pay: "tea".into() }));
        // Denied components remain.
        world.entity_mut(other).insert(Cargo("rum".into()));
        let mut entity = world.entity_mut(other);
        entity.clone_with_opt_out(ship, |builder| _ = builder.deny::<Crew>().move_components(true)).unwrap();
        assert_eq!((count(&world, other), world.get(ship)), (1, Some(&Cargo("rum".into()))));
        world.check_invariants();
    }

    #[test]
    fn what_is_linked_moves_to_new_entities() {
        let mut world = World::new();
        let root = world.spawn((Tag(0), children![(Tag(1), children![Tag(2)]), Cargo("tea".into())])).id();
        let [a, b] = children(&world, root)[..] else { panic!("there are two") };
        let leaf = children(&world, a)[0];
        // Entities inside of what moves, and a source that is not below the root.
        let [target, admirer] = entities(&mut world);
        world.entity_mut(leaf).insert((Looks(b), Guards(target)));
        world.entity_mut(admirer).insert(Likes(leaf));

        move_all(&mut world, root, target, true);
        assert!([root, a, b, leaf].iter().all(|&entity| count(&world, entity) == 0));
        let [new_a, new_b] = children(&world, target)[..] else { panic!("there are two") };
        let new_leaf = children(&world, new_a)[0];
        assert_eq!([target, new_a, new_leaf].map(|entity| world.get::<Tag>(entity).unwrap().0), [0, 1, 2]);
        assert_eq!((world.get(new_b), world.get(new_leaf)), (Some(&Cargo("tea".into())), Some(&Looks(new_b))));
        assert_eq!((world.get(new_leaf), world.get(admirer)), (Some(&Guards(target)), Some(&Likes(new_leaf))));
    }

    #[test]
    fn pairs_and_an_entity_that_is_its_own_target_stay() {
        let mut world = World::new();
        let [a, b] = entities(&mut world);
        world.relate(a, Knows(5), b);
        world.entity_mut(a).insert((Tag(1), ChildOf(b)));
        move_all(&mut world, a, a, false);
        assert_eq!((world.get(a), world.get(a)), (Some(&Tag(1)), Some(&ChildOf(b))));
        move_all(&mut world, a, b, false);
        assert_eq!((from(&world, a), world.get(b)), (vec![(b, Knows(5))], Some(&Tag(1))));
        world.take_command_errors();
    }

    #[test]
    fn hooks_see_values_go_and_come_and_errors_change_nothing() {
        #[derive(Component, Debug, PartialEq)]
        #[component(on_remove = |mut world, context| world.get_mut::<Marked>(context.entity).unwrap().0 += 1)]
        struct Marked(u32);

        let mut world = World::new();
        let [from, to, gone] = entities(&mut world);
        world.despawn(gone);
        world.entity_mut(from).insert(Marked(1));
        assert!(world.entity_mut(from).move_components::<Marked>(gone).is_err());
        assert_eq!(world.get(from), Some(&Marked(1)));
        world.commands().entity(from).move_components::<Marked>(to);
        world.commands().entity(to).move_components::<Marked>(gone);
        world.flush();
        assert_eq!((world.get(to), world.get::<Marked>(from)), (Some(&Marked(2)), None));
        assert_eq!(world.take_command_errors().0.len(), 1);
        let spawned = world.entity_mut(to).clone_and_spawn_with_opt_out(|builder| _ = builder.move_components(true));
        assert_eq!((world.get(spawned.unwrap()), world.get::<Marked>(to)), (Some(&Marked(3)), None));
    }
}
