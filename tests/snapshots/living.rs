//! Entities of a saved world that come to a world which has some already.

use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use strata_ecs::entity::{EntityMap, EntityMapper, MapEntities};
use strata_ecs::entity_disabling::Disabled;
use strata_ecs::prelude::*;

use strata_save::{LoadError, WorldFormat, components, relations, resources};

#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "number")]
struct Number(u32);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "target")]
struct Target(Entity);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "squad", storage = "sparse")]
struct Squad(#[entities] Vec<Entity>);
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "owner", immutable)]
struct Owner(Entity);
/// A link that also names another entity.
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "works_for")]
#[relationship(relationship_target = Workers)]
struct WorksFor {
    #[relationship]
    boss: Entity,
    #[entities]
    friends: Vec<Entity>,
}
#[derive(Component, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[component(name = "workers")]
#[relationship_target(relationship = WorksFor)]
struct Workers(Vec<Entity>);
#[derive(Relation, Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Sees {
    #[entities]
    through: Entity,
}
#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "living score")]
struct Score(u32);

fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Number, Target, Squad, Owner, WorksFor, Workers, ChildOf, Children])
        .with_relations(relations![Sees])
        .with_resources(resources![Score])
}

fn numbers<const N: usize>(world: &mut World) -> [Entity; N] {
    std::array::from_fn(|at| world.spawn(Number(at as u32)).id())
}

/// Saves a world and adds it to another one.
fn add(from: &mut World, to: &mut World) -> EntityMap {
    add_by(&format(), from, to)
}

fn add_by(format: &WorldFormat, from: &mut World, to: &mut World) -> EntityMap {
    let bytes = format.save(from).unwrap();
    let map = format.load_entities(to, &bytes).unwrap();
    to.check_invariants();
    map
}

#[test]
fn ids_are_kept_where_they_are_free() {
    let (mut saved, mut world) = (World::new(), World::new());
    let old: [Entity; 6] = numbers(&mut saved);
    saved.entity_mut(old[5]).insert((Target(old[4]), Squad(vec![old[0], old[3]])));
    saved.entity_mut(old[4]).insert(ChildOf(old[0]));
    // There the first one is alive, and the next three have been; the second and the third one are later tenants here, too.
    let there: [Entity; 4] = numbers(&mut world);
    there[1..].iter().for_each(|id| _ = world.despawn(*id));
    saved.despawn(old[1]);
    let later = saved.spawn(Number(7)).id();
    assert_eq!((later.index(), later.generation()), (1, 2));
    let map = add_by(&format().keeping_ids(), &mut saved, &mut world);
    let is_kept = |id: Entity| map.get(id) == Some(id);
    assert_eq!(old.map(is_kept), [false, false, false, false, true, true]);
    assert!(is_kept(later));
    // Who was dead here is dead, and all names are those of now.
    assert!(there[1..].iter().all(|id| !world.contains(*id)));
    let [first, fourth] = [old[0], old[3]].map(|id| map.get(id).unwrap());
    assert_eq!(world.get(old[5]), Some(&Squad(vec![first, fourth])));
    assert_eq!(world.get(old[5]), Some(&Target(old[4])));
    assert_eq!(world.get::<Children>(first).unwrap().to_vec(), [old[4]]);
    assert_eq!(world.get(there[0]), Some(&Number(0)));

    // The same once more: none of the ids is free now, and none of them ends.
    let alive = world.len();
    let again = add_by(&format().keeping_ids(), &mut saved, &mut world);
    assert!(again.iter().all(|(old, new)| old != new));
    assert_eq!(world.len(), 2 * alive - 1);
}

#[test]
fn an_id_that_is_far_away_is_kept_within_bounds() {
    let format = WorldFormat::new().with_components(components![Number]).keeping_ids();
    let (mut saved, mut world) = (World::new(), World::new());
    saved.spawn_batch((0..1000).map(Number)).for_each(drop);
    let last = saved.spawn(Number(1000)).id();
    let before: Vec<Entity> = saved.query_filtered::<Entity, ()>().iter(&saved).filter(|id| *id != last).collect();
    saved.many(&before).despawn();
    let player = world.spawn(Number(3)).id();
    let map = add_by(&format, &mut saved, &mut world);
    assert_eq!(map.get(last), Some(last));
    // The free indexes below it are used next, in order.
    let next = [(); 3].map(|()| world.spawn(Number(4)).id().index());
    assert_eq!((player.index(), next), (0, [1, 2, 3]));
    world.check_invariants();
}

#[test]
fn entities_in_values_links_and_pairs_are_the_new_ones() {
    let (mut saved, mut world) = (World::new(), World::new());
    numbers::<7>(&mut world);
    let [a, b, c] = numbers(&mut saved);
    saved.entity_mut(a).insert((Target(b), Squad(vec![c, a]), Owner(c)));
    saved.entity_mut(b).insert((ChildOf(a), WorksFor { boss: c, friends: vec![a] }));
    saved.entity_mut(c).insert(ChildOf(a));
    saved.relate(a, Sees { through: b }, c);
    let map = add(&mut saved, &mut world);
    assert_eq!(map.len(), 3);
    let [a, b, c] = [a, b, c].map(|old| map.get(old).unwrap());
    assert_eq!(world.len(), 10);
    assert_eq!(world.get(a), Some(&Target(b)));
    assert_eq!(world.get(a), Some(&Squad(vec![c, a])));
    assert_eq!(world.get(a), Some(&Owner(c)));
    assert_eq!(world.get(b), Some(&WorksFor { boss: c, friends: vec![a] }));
    assert_eq!(world.get(c), Some(&Workers(vec![b])));
    assert_eq!(world.get::<Children>(a).unwrap().to_vec(), [b, c]);
    assert_eq!(*world.get_pair::<Sees>(a, c).unwrap(), Sees { through: b });
    world.despawn(a);
    assert_eq!(world.len(), 7);
}

#[test]
fn what_was_dead_stays_dead() {
    let (mut saved, mut world) = (World::new(), World::new());
    let [a, b, dead, other] = numbers(&mut saved);
    saved.entity_mut(a).insert((Target(dead), Squad(vec![other, dead, Entity::PLACEHOLDER])));
    saved.entity_mut(b).insert(Target(dead));
    saved.despawn(dead);
    saved.despawn(other);
    // The same ids are alive there.
    let there: [Entity; 6] = numbers(&mut world);
    assert!(there.contains(&dead) && there.contains(&other));
    world.despawn(there[5]);
    let map = add(&mut saved, &mut world);
    let [a, b] = [a, b].map(|old| map.get(old).unwrap());
    let ghost = world.get::<Target>(a).unwrap().0;
    assert_eq!(world.get(b), Some(&Target(ghost)));
    let squad = world.get::<Squad>(a).unwrap().0.clone();
    assert_eq!((squad[1], squad[2]), (ghost, Entity::PLACEHOLDER));
    assert_ne!(squad[0], ghost);
    assert!(map.get(dead).is_none() && map.len() == 2);
    // No entity that comes later has one of these ids either.
    let later: Vec<Entity> = world.spawn_batch((0..100).map(Number)).collect();
    assert!(!later.contains(&ghost) && !later.contains(&squad[0]));
    assert!(!world.contains(ghost) && !world.contains(squad[0]));
    world.check_invariants();
}

#[test]
fn entities_that_queries_pass_over_come_too() {
    let (mut other, mut world) = (World::new(), World::new());
    let id = other.spawn((Number(3), Disabled)).id();
    let map = world.move_entities_from(other);
    assert!(world.get::<Disabled>(map.get(id).unwrap()).is_some());
    world.check_invariants();
}

#[test]
fn observers_are_told_when_everything_is_in_place() {
    #[derive(Resource, Default)]
    struct Seen(Vec<(Entity, bool)>);

    let (mut saved, mut world) = (World::new(), World::new());
    let [a, b] = numbers(&mut saved);
    saved.entity_mut(a).insert((ChildOf(b), Target(b)));
    world.init_resource::<Seen>();
    world.add_observer(
        |on: On<Insert<Target>>, targets: Query<&Target>, names: Query<&Number>, mut seen: ResMut<Seen>| {
            let target = targets.get(on.entity).unwrap().0;
            seen.0.push((on.entity, names.get(target).is_ok_and(|number| number.0 == 1)));
        },
    );
    let map = add(&mut saved, &mut world);
    assert_eq!(world.resource::<Seen>().0, [(map.get(a).unwrap(), true)]);
    let mut changed = world.query_filtered::<Entity, Added<Number>>();
    assert_eq!(changed.iter(&world).count(), 2);
}

#[test]
fn hooks_are_called_in_the_world_that_entities_come_to_alone() {
    #[derive(Resource, Default)]
    struct Calls(u32);
    #[derive(Component, Clone, Serialize, Deserialize)]
    #[component(name = "hooked", on_add = |mut world, _| world.resource_mut::<Calls>().0 += 1, on_remove = |_, _| panic!("removed"))]
    struct Hooked(u32);

    let format = WorldFormat::new().with_components(components![Hooked]);
    let mut saved = World::new();
    saved.init_resource::<Calls>();
    saved.spawn_batch((0..3).map(Hooked));
    let bytes = format.clone().without_resource::<Calls>().save(&mut saved).unwrap();
    let mut world = World::new();
    world.init_resource::<Calls>();
    format.load_entities(&mut world, &bytes).unwrap();
    assert_eq!(world.resource::<Calls>().0, 3);
    world.check_invariants();
}

#[test]
fn resources_and_ticks_stay_those_of_the_world() {
    let (mut saved, mut world) = (World::new(), World::new());
    saved.insert_resource(Score(3));
    saved.spawn(Number(1));
    world.insert_resource(Score(7));
    let tick = world.change_tick();
    add(&mut saved, &mut world);
    assert_eq!(world.resource::<Score>(), &Score(7));
    assert_eq!((world.change_tick(), world.frame_number()), (tick, 0));
}

#[test]
fn an_error_leaves_the_world_as_it_was() {
    let (mut saved, mut world) = (World::new(), World::new());
    let [a, b] = numbers(&mut saved);
    saved.entity_mut(a).insert(Target(b));
    numbers::<3>(&mut world);
    let before = format().save(&mut world).unwrap();
    let bytes = format().save(&mut saved).unwrap();
    for end in strata_tests::effort::places(0..bytes.len()) {
        assert!(matches!(format().load_entities(&mut world, &bytes[..end]), Err(LoadError::Bytes { .. })));
    }
    assert_eq!(format().save(&mut world).unwrap(), before);
}

/// Its entities cannot be mapped.
#[derive(Component, Clone, Serialize, Deserialize)]
#[component(name = "panics")]
struct Panics(#[entities] Inner);
#[derive(Clone, Serialize, Deserialize)]
struct Inner(Entity);

impl MapEntities for Inner {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        mapper.get_mapped(self.0);
        panic!("it cannot be mapped");
    }
}

#[test]
fn a_panic_while_entities_are_mapped_leaves_the_world_as_it_was() {
    let format = WorldFormat::new().with_components(components![Number, Target, Panics]);
    let (mut saved, mut world) = (World::new(), World::new());
    let [a, dead] = numbers(&mut saved);
    saved.entity_mut(a).insert((Target(dead), Panics(Inner(dead))));
    saved.despawn(dead);
    let bytes = format.save(&mut saved).unwrap();
    numbers::<3>(&mut world);
    let before = format.save(&mut world).unwrap();
    let loaded = catch_unwind(AssertUnwindSafe(|| format.load_entities(&mut world, &bytes).map(drop)));
    assert!(loaded.is_err());
    world.check_invariants();
    assert_eq!(format.save(&mut world).unwrap(), before);
}

/// The components of an entity, with entities mapped by a function.
type Look = (Option<u32>, Option<Entity>, Vec<Entity>, Option<Entity>, Vec<Entity>, Vec<(Entity, Entity)>);

fn look(world: &World, id: Entity, all: &[Entity], new: &dyn Fn(Entity) -> Entity) -> Look {
    let list = |list: Vec<Entity>| list.into_iter().map(new).collect::<Vec<_>>();
    let mut pairs: Vec<(Entity, Entity)> = Vec::new();
    for &other in all {
        pairs.extend(world.get_pair::<Sees>(id, other).map(|sees| (new(other), new(sees.through))));
    }
    (
        world.get::<Number>(id).map(|number| number.0),
        world.get::<Target>(id).map(|target| new(target.0)),
        world.get::<Squad>(id).map_or(Vec::new(), |squad| list(squad.0.clone())),
        world.get::<ChildOf>(id).map(|parent| new(parent.0)),
        world.get::<Children>(id).map_or(Vec::new(), |children| list(children.to_vec())),
        pairs,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_entities_are_the_same_but_for_their_ids(
        made in vec((any::<u8>(), any::<(u8, u8)>(), any::<bool>()), 1..40),
        there in vec(any::<bool>(), 0..40),
        keeps in any::<bool>(),
    ) {
        let (mut saved, mut world) = (World::new(), World::new());
        let mut ids: Vec<Entity> = Vec::new();
        for (at, (bits, (one, other), ends)) in made.into_iter().enumerate() {
            let id = saved.spawn_empty().id();
            let pick = |by: u8| ids.get(by as usize % (ids.len() + 1)).copied().unwrap_or(id);
            let (one, other) = (pick(one), pick(other));
            let mut entity = saved.entity_mut(id);
            if bits & 1 != 0 { entity.insert(Number(at as u32)); }
            if bits & 2 != 0 { entity.insert(Target(one)); }
            if bits & 4 != 0 { entity.insert(Squad(vec![other, one, id])); }
            if bits & 8 != 0 && one != id && saved.contains(one) { saved.entity_mut(id).insert(ChildOf(one)); }
            if bits & 16 != 0 && saved.contains(other) { saved.relate(id, Sees { through: one }, other); }
            if ends && other != id { saved.despawn(other); }
            ids.push(id);
        }
        let taken: Vec<Entity> = world.spawn_batch((0..there.len() as u32).map(Number)).collect();
        for (&id, ends) in taken.iter().zip(there) {
            if ends { world.despawn(id); }
        }
        let before = world.len();
        let alive: Vec<Entity> = ids.iter().copied().filter(|&id| saved.contains(id)).collect();
        let ended: Vec<Entity> = taken.iter().copied().filter(|&id| !world.contains(id)).collect();
        let can_be_kept = |id: Entity| match taken.get(id.index() as usize) {
            Some(own) => ended.contains(own) && id.generation() > own.generation(),
            None => true,
        };
        let kept: Vec<Entity> = alive.iter().copied().filter(|&id| keeps && can_be_kept(id)).collect();
        let format = if keeps { format().keeping_ids() } else { format() };
        let map = add_by(&format, &mut saved, &mut world);
        saved.check_invariants();
        prop_assert!(kept.iter().all(|&id| map.get(id) == Some(id)));
        prop_assert!(ended.iter().all(|&id| !world.contains(id)));
        prop_assert_eq!(map.len(), alive.len());
        prop_assert_eq!(world.len(), before + alive.len());
        // All entities that are dead are compared as this one.
        let dead = Entity::PLACEHOLDER;
        let new_ids: Vec<Entity> = alive.iter().map(|&id| map.get(id).unwrap()).collect();
        for (&old, &new) in alive.iter().zip(&new_ids) {
            let was = look(&saved, old, &alive, &|id| map.get(id).unwrap_or(dead));
            let is = look(&world, new, &new_ids, &|id| if new_ids.contains(&id) { id } else { dead });
            prop_assert_eq!(was, is);
            if let Some(target) = world.get::<Target>(new) {
                prop_assert_eq!(world.contains(target.0), saved.contains(saved.get::<Target>(old).unwrap().0));
            }
        }
    }
}

#[derive(Resource, Clone, PartialEq, Debug, Serialize, Deserialize)]
#[resource(name = "living player")]
struct Player {
    is: Entity,
    friends: Vec<Option<Entity>>,
    lost: Entity,
}

#[test]
fn resources_come_along_and_name_the_new_entities() {
    #[derive(Resource, Default)]
    struct Seen(Vec<bool>);
    let format = format().with_resources(resources![Player]);
    let mut saved = World::new();
    let [ann, bob, dead] = numbers(&mut saved);
    saved.despawn(dead);
    saved.insert_resource(Player { is: ann, friends: vec![Some(bob), None], lost: dead });
    let bytes = format.save(&mut saved).unwrap();

    let mut world = World::new();
    let _: [Entity; 5] = numbers(&mut world);
    world.init_resource::<Seen>();
    world.add_observer(|add: On<Add<Number>>, player: Option<Res<Player>>, mut seen: ResMut<Seen>| {
        seen.0.push(player.is_some_and(|player| player.is == add.entity || player.friends.contains(&Some(add.entity))));
    });
    let map = format.load_entities(&mut world, &bytes).unwrap();
    let player = world.resource::<Player>();
    assert_eq!((player.is, &player.friends[..]), (map.get(ann).unwrap(), &[map.get(bob), None][..]));
    assert!(!world.contains(player.lost));
    assert_eq!(world.resource::<Seen>().0, [true, true]);
    world.check_invariants();
}

#[test]
fn resources_that_the_world_has_stay_unless_the_format_replaces_them() {
    let mut saved = World::new();
    let [ann] = numbers(&mut saved);
    saved.insert_resource(Player { is: ann, friends: vec![], lost: ann });
    saved.insert_resource(Score(9));
    let format = format().with_resources(resources![Player]);
    let bytes = format.save(&mut saved).unwrap();
    let mut world = World::new();
    let [own] = numbers(&mut world);
    world.insert_resource(Player { is: own, friends: vec![], lost: own });
    format.load_entities(&mut world, &bytes).unwrap();
    assert_eq!((world.resource::<Player>().is, world.resource::<Score>()), (own, &Score(9)));

    let map = format.replacing_resources().load_entities(&mut world, &bytes).unwrap();
    assert_eq!(world.resource::<Player>().is, map.get(ann).unwrap());
}
