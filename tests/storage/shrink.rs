//! `World::shrink_to_fit`: memory comes back, and nothing else can be seen of it.

use strata_ecs::entity::{EntityError, TableId};
use strata_ecs::prelude::*;
use strata_ecs::store::SpawnAtError;
use strata_tests::alloc;
use strata_tests::drops::{self, Token};

#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Solid(u32);
#[derive(Component, Debug, PartialEq, Clone)]
struct Name(String);
#[derive(Component)]
struct Flag;
#[derive(Component, Debug, PartialEq, Clone)]
#[component(storage = "sparse")]
struct Loose(String);
#[derive(Component)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Component)]
struct Counted(Token);
#[derive(Component)]
#[component(storage = "sparse")]
struct LooseCounted(Token);

/// One of 17 components, of which 100,000 shapes can be made.
#[derive(Component, Debug, PartialEq, Clone, Copy)]
struct Part<const N: usize>(u64);

macro_rules! with_part {
    ($number:expr, $name:ident => $do:expr) => {
        with_part!(@ $number, $name, $do, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    };
    (@ $number:expr, $name:ident, $do:expr, $($n:literal)*) => {
        match $number {
            $( $n => { type $name = Part<$n>; $do } )*
            _ => unreachable!("there are 17 parts"),
        }
    };
}

const SHAPES: u64 = 100_000;

/// A world with a few hundred entities in a handful of tables.
fn small_world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let mut entities: Vec<Entity> = world.spawn_batch((0..200).map(|n| (Part::<0>(n), Part::<3>(n + 1)))).collect();
    entities.extend(world.spawn_batch((200..300).map(Part::<0>)));
    entities.extend(world.spawn_batch((300..400).map(|n| (Part::<0>(n), Part::<16>(n)))));
    world.check_invariants();
    (world, entities)
}

/// Whether the entities of `small_world` are as they were made.
fn assert_small_world(world: &World, entities: &[Entity]) {
    assert_eq!(world.len(), entities.len());
    for (n, &entity) in (0..).zip(entities) {
        assert_eq!(world.get(entity), Some(&Part::<0>(n)));
        assert_eq!(world.get(entity), (n < 200).then_some(&Part::<3>(n + 1)));
        assert_eq!(world.get(entity), (n >= 300).then_some(&Part::<16>(n)));
        let location = world.entity(entity).location();
        let table = world.tables().get(location.table).expect("the table of a living entity");
        assert_eq!((table.id(), table.entities()[location.row as usize]), (location.table, entity));
    }
}

/// The bytes held by `small_world` before and after `visit`, which makes short-lived shapes, and shrinking.
fn assert_memory_returns(visit: impl FnOnce(&mut World)) {
    let outside = alloc::held();
    let (mut world, entities) = small_world();
    let mut query = world.query::<&Part<0>>();
    assert_eq!(query.iter(&world).count(), entities.len());
    let listed = isize::try_from(entities.capacity() * size_of::<Entity>()).expect("small");
    let before = alloc::held() - outside - listed;
    visit(&mut world);
    assert_eq!(query.iter(&world).count(), entities.len());
    assert!(query.matched_tables() > 30_000);
    let full = alloc::held() - outside - listed;
    assert!(world.tables().iter().len() >= SHAPES as usize);
    let counted = isize::try_from(world.allocated_bytes()).expect("small");
    assert!(counted <= full && counted * 10 >= full * 9, "{counted} bytes counted of {full}");
    world.shrink_to_fit();
    assert_eq!(query.iter(&world).count(), entities.len());
    let after = alloc::held() - outside - listed;
    assert!(after <= before * 2, "{before} bytes before, {full} with all shapes, {after} after shrinking");
    assert_eq!(world.tables().iter().len(), 4);
    world.check_invariants();
    assert_small_world(&world, &entities);
}

#[test]
fn memory_of_shapes_made_by_single_insertions_returns() {
    assert_memory_returns(|world| {
        // Each number differs from the one before in one bit if it is written in Gray's code.
        let mut walkers: Vec<Entity> = (0..3).map(|_| world.spawn_empty().id()).collect();
        for step in 1..=SHAPES {
            let bit = step.trailing_zeros();
            let gray = step ^ (step >> 1);
            for &walker in &walkers {
                let mut walker = world.entity_mut(walker);
                with_part!(bit, P => if gray >> bit & 1 == 1 { walker.insert(P { 0: step }) } else { walker.remove::<P>() });
            }
        }
        walkers.drain(..).for_each(|walker| world.entity_mut(walker).despawn());
    });
}

#[test]
fn memory_of_shapes_put_together_at_run_time_returns() {
    assert_memory_returns(|world| {
        let mut builder = EntityBuilder::new();
        for shape in 1..=SHAPES {
            for bit in (0..17_u32).filter(|bit| shape >> bit & 1 == 1) {
                with_part!(bit, P => { builder.add(P { 0: shape }); });
            }
            let entity = world.spawn_dynamic(&mut builder).id();
            assert!(world.despawn(entity));
        }
    });
}

#[test]
fn a_crowd_that_is_gone_leaves_no_memory_behind() {
    let (mut world, entities) = small_world();
    // The world meets the types first. It has lists by the numbers of types, and the process numbers those of all tests.
    let first = world.spawn((Solid(0), Loose(String::new()), Tag, Flag)).id();
    world.despawn(first);
    world.shrink_to_fit();
    let before = alloc::held();
    let crowd: Vec<Entity> =
        world.spawn_batch((0..50_000).map(|n| (Solid(n), Loose(n.to_string()), Tag, Flag))).collect();
    for entity in crowd {
        assert!(world.despawn(entity));
    }
    world.shrink_to_fit();
    // A table and the headers of storages remain.
    let grown = alloc::held() - before;
    assert!(grown < 8192, "{grown} bytes stay");
    world.check_invariants();
    assert_small_world(&world, &entities);
}

#[test]
fn shrinking_an_empty_world_and_shrinking_twice_changes_nothing() {
    let mut world = World::new();
    for _ in 0..3 {
        world.shrink_to_fit();
        world.check_invariants();
        assert_eq!((world.len(), world.tables().iter().len()), (0, 1));
    }
    let entity = world.spawn((Solid(1), Loose(String::from("a")))).id();
    world.shrink_to_fit();
    let held = alloc::held();
    world.shrink_to_fit();
    assert_eq!(alloc::held(), held);
    world.check_invariants();
    assert_eq!(world.get(entity), Some(&Solid(1)));
    world.clear_entities();
    world.shrink_to_fit();
    world.shrink_to_fit();
    world.check_invariants();
    assert_eq!(world.entities().index_bound(), 0);
    assert!(!world.contains(entity));
}

#[test]
fn the_generation_of_tables_grows_only_if_one_is_removed() {
    let mut world = World::new();
    let entity = world.spawn(Solid(1)).id();
    let before = world.tables().generation();
    world.shrink_to_fit();
    assert_eq!(world.tables().generation(), before);
    world.despawn(entity);
    world.shrink_to_fit();
    assert!(world.tables().generation() > before);
    let now = world.tables().generation();
    world.spawn(Solid(2));
    assert!(world.tables().generation() > now);
}

#[test]
fn queries_find_the_tables_of_after() {
    let mut world = World::new();
    let gone = [world.spawn((Solid(1), Flag)).id(), world.spawn(Flag).id()];
    let kept = world.spawn((Solid(2), Name(String::from("b")))).id();
    let more = world.spawn((Solid(3), Name(String::from("c")), Flag, Tag)).id();
    let mut solid = world.query::<(Entity, &Solid)>();
    let mut names = world.query_filtered::<(&mut Name, Option<&Solid>), Without<Flag>>();
    let mut tagged = world.query::<(&Solid, &Tag)>();
    let mut unused = world.query::<&Name>();
    assert_eq!((solid.iter(&world).count(), solid.matched_tables()), (3, 3));
    assert_eq!((names.iter(&world).count(), tagged.iter(&world).count()), (1, 1));
    gone.iter().for_each(|&entity| assert!(world.despawn(entity)));
    world.shrink_to_fit();
    world.check_invariants();

    let mut found: Vec<u32> = solid.iter(&world).map(|(_, solid)| solid.0).collect();
    found.sort_unstable();
    assert_eq!((found, solid.matched_tables()), (vec![2, 3], 2));
    assert_eq!(solid.get(&world, kept).map(|(id, solid)| (id, solid.0)), Ok((kept, 2)));
    assert_eq!(solid.get(&world, more).map(|(id, solid)| (id, solid.0)), Ok((more, 3)));
    assert!(solid.get(&world, gone[0]).is_err());
    assert!(names.get_mut(&mut world, more).is_err());
    names.get_mut(&mut world, kept).expect("it matches").0.0.push('!');
    assert_eq!(world.get(kept), Some(&Name(String::from("b!"))));
    assert_eq!(tagged.iter(&world).map(|(solid, _)| solid.0).collect::<Vec<_>>(), [3]);
    assert_eq!(unused.iter(&world).count(), 2);
}

#[test]
fn a_query_notices_when_there_are_as_many_tables_as_before() {
    let mut world = World::new();
    let first = world.spawn((Flag, Solid(1))).id();
    let mut query = world.query::<&Solid>();
    let mut idle = world.query::<&Solid>();
    let count = world.tables().iter().len();
    assert_eq!((query.iter(&world).count(), idle.iter(&world).count()), (1, 1));
    for round in 2..20 {
        let old = world.query::<Entity>().iter(&world).next().expect("one lives");
        world.despawn(old);
        world.shrink_to_fit();
        // Another table has the number of the one that was matched.
        let new = if round % 2 == 0 {
            world.spawn((Name(String::new()), Solid(round))).id()
        } else {
            world.spawn((Solid(round), Flag)).id()
        };
        assert_eq!(world.tables().iter().len(), count);
        assert_eq!(query.iter(&world).map(|solid| solid.0).collect::<Vec<_>>(), [round]);
        assert_eq!(query.get(&world, new), Ok(&Solid(round)));
        world.check_invariants();
    }
    assert_eq!(idle.iter(&world).map(|solid| solid.0).collect::<Vec<_>>(), [19]);
    assert!(!world.contains(first));
}

#[test]
fn systems_go_on() {
    fn double(all: Query<'_, '_, &mut Solid>) {
        for mut solid in all {
            solid.0 *= 2;
        }
    }
    let mut world = World::new();
    let mut schedule = Schedule::default();
    schedule.add_systems(double);
    let gone: Vec<Entity> = world.spawn_batch((0..10).map(|n| (Solid(n), Flag))).collect();
    let kept = world.spawn((Solid(1), Name(String::new()))).id();
    schedule.run(&mut world);
    gone.iter().for_each(|&entity| assert!(world.despawn(entity)));
    world.shrink_to_fit();
    schedule.run(&mut world);
    assert_eq!(world.get(kept), Some(&Solid(4)));
    world.spawn((Solid(1), Flag));
    schedule.run(&mut world);
    assert_eq!(world.get(kept), Some(&Solid(8)));
}

#[test]
fn entities_move_between_tables_as_before() {
    let mut world = World::new();
    let gone = world.spawn((Flag, Name(String::new()))).id();
    let entities: Vec<Entity> = world.spawn_batch((0..100).map(|n| (Solid(n), Name(n.to_string())))).collect();
    // Makes plans whose tables will be removed or renumbered.
    world.entity_mut(gone).remove::<Name>().insert(Solid(0));
    world.entity_mut(entities[0]).insert(Flag).remove::<Flag>();
    world.despawn(gone);
    for round in 0..4 {
        world.shrink_to_fit();
        world.check_invariants();
        for (n, &entity) in (0..).zip(&entities) {
            let mut entity = world.entity_mut(entity);
            match round {
                0 => entity.insert(Flag),
                1 => entity.remove::<Name>(),
                2 => entity.insert(Name(format!("{n}!"))),
                _ => entity.insert(Solid(n + 1)),
            };
        }
        world.check_invariants();
    }
    for (n, &entity) in (0..).zip(&entities) {
        assert_eq!(world.get(entity), Some(&Solid(n + 1)));
        assert_eq!(world.get(entity), Some(&Name(format!("{n}!"))));
        assert!(world.entity(entity).contains::<Flag>());
    }
    assert_eq!(world.entity_mut(entities[7]).take::<(Solid, Name)>(), Some((Solid(8), Name(String::from("7!")))));
    world.check_invariants();
}

#[test]
fn builders_find_their_bundle_again() {
    let mut world = World::new();
    let mut builder = EntityBuilder::new();
    for round in 0..3 {
        builder.add(Solid(round)).add(Loose(String::from("x")));
        let first = world.spawn_dynamic(&mut builder).id();
        builder.add(Name(String::from("n"))).add(Tag);
        let second = world.spawn_dynamic(&mut builder).id();
        world.shrink_to_fit();
        builder.add(Name(String::from("late")));
        world.entity_mut(first).insert_dynamic(&mut builder);
        assert_eq!(world.get(first), Some(&Solid(round)));
        assert_eq!(
            (world.get(first), world.get(second)),
            (Some(&Name(String::from("late"))), Some(&Name(String::from("n"))))
        );
        assert_eq!((world.get::<Solid>(second), world.get::<Loose>(second)), (None, None));
        world.check_invariants();
        world.despawn(first);
        world.shrink_to_fit();
        world.check_invariants();
    }
}

#[test]
fn ids_that_died_stay_dead() {
    let mut world = World::new();
    let mut seen: Vec<Entity> = Vec::new();
    for round in 0..30 {
        let fresh: Vec<Entity> = match round % 3 {
            0 => world.spawn_batch((0..10 + round).map(Solid)).collect(),
            1 => (0..10).map(|_| world.spawn_empty().id()).collect(),
            _ => {
                let reserved = world.reserve_entities(12).collect();
                world.flush();
                reserved
            }
        };
        for &entity in &fresh {
            assert!(world.contains(entity) && !seen.contains(&entity), "{entity} was handed out twice");
            assert!(world.despawn(entity));
        }
        seen.extend(fresh);
        world.shrink_to_fit();
        world.check_invariants();
        assert_eq!(world.entities().index_bound(), 0);
        for &entity in &seen {
            assert_eq!(world.entities().locate(entity), Err(EntityError::Despawned(entity.into())));
            let refused = world.spawn_at(entity, Solid(0)).map(|spawned| spawned.id());
            assert_eq!(refused, Err(SpawnAtError::Entity(EntityError::Despawned(entity.into()))));
        }
    }
    let never = Entity::from_bits(u64::from(u32::MAX) << 32 | 5);
    assert_eq!(world.entities().locate(never), Err(EntityError::Unknown(never)));
    assert_eq!(world.entities().locate(Entity::PLACEHOLDER), Err(EntityError::Unknown(Entity::PLACEHOLDER)));
}

#[test]
fn spawning_at_an_id_beyond_the_slots_fills_the_gap_with_safe_ids() {
    let mut world = World::new();
    let old: Vec<Entity> = world.spawn_batch((0..50).map(Solid)).collect();
    old.iter().for_each(|&entity| assert!(world.despawn(entity)));
    world.shrink_to_fit();
    let far = Entity::from_bits(9 << 32 | 40);
    assert_eq!(world.spawn_at(far, Solid(7)).map(|spawned| spawned.id()), Ok(far));
    for _ in 0..60 {
        assert!(!old.contains(&world.spawn_empty().id()));
    }
    assert!(old.iter().all(|&entity| !world.contains(entity)));
    assert_eq!(world.get(far), Some(&Solid(7)));
    world.check_invariants();
}

#[test]
fn ids_reserved_before_and_after_become_entities() {
    let mut world = World::new();
    let dead: Vec<Entity> = world.spawn_batch((0..20).map(Solid)).collect();
    dead.iter().for_each(|&entity| assert!(world.despawn(entity)));
    let before: Vec<Entity> = world.reserve_entities(3).collect();
    world.shrink_to_fit();
    assert!(before.iter().all(|&entity| world.contains(entity)));
    world.check_invariants();
    before.iter().for_each(|&entity| assert!(world.despawn(entity)));
    world.shrink_to_fit();
    let after: Vec<Entity> = (0..3).map(|_| world.reserve_entity()).collect();
    for &entity in &after {
        assert!(!dead.contains(&entity) && !before.contains(&entity));
        assert_eq!(world.entities().locate(entity), Err(EntityError::Reserved(entity)));
    }
    world.flush();
    assert!(after.iter().all(|&entity| world.contains(entity)));
    assert!(dead.iter().chain(&before).all(|&entity| !world.contains(entity)));
    world.check_invariants();
}

#[test]
fn commands_that_wait_go_on_waiting() {
    let mut world = World::new();
    let kept = world.spawn(Name(String::from("a"))).id();
    let spawned = world.commands().spawn((Solid(5), Flag)).id();
    world.commands().entity(kept).insert(Solid(6));
    world.commands().queue(World::shrink_to_fit);
    world.commands().entity(kept).remove::<Name>();
    world.shrink_to_fit();
    assert!(world.get::<Solid>(kept).is_none());
    world.flush();
    assert_eq!((world.get(kept), world.get(spawned)), (Some(&Solid(6)), Some(&Solid(5))));
    assert!(world.get::<Name>(kept).is_none());
    assert_eq!(world.take_command_errors().0, []);
    world.check_invariants();
}

#[test]
fn an_entity_that_is_being_changed_notices() {
    let mut world = World::new();
    world.spawn(Name(String::new()));
    let mut entity = world.spawn(Flag);
    entity.insert(Solid(1));
    let before = entity.location();
    entity.world_scope(World::shrink_to_fit);
    assert_ne!(entity.location().table, before.table);
    entity.insert(Name(String::from("b"))).remove::<Flag>();
    assert_eq!(entity.get(), Some(&Solid(1)));
    world.check_invariants();
}

#[test]
fn sparse_components_and_tags_stay() {
    let mut world = World::new();
    let all: Vec<Entity> = world.spawn_batch((0..5000).map(Solid)).collect();
    for (n, &entity) in all.iter().enumerate() {
        world.entity_mut(entity).insert((Loose(n.to_string()), Tag));
    }
    // One entity in the second page of 1024, and none above the third.
    let kept = [all[1500], all[2100], all[2101]];
    for &entity in all.iter().filter(|entity| !kept.contains(entity)) {
        world.entity_mut(entity).remove::<(Loose, Tag)>();
    }
    let before = world.allocated_bytes();
    world.shrink_to_fit();
    world.check_invariants();
    assert!(world.allocated_bytes() < before);
    for &entity in &all {
        assert_eq!(world.entity(entity).contains::<Loose>(), kept.contains(&entity));
        assert_eq!(world.entity(entity).contains::<Tag>(), kept.contains(&entity));
    }
    assert_eq!(world.get(kept[1]), Some(&Loose(String::from("2100"))));
    for &entity in &[all[0], all[4999], all[1501]] {
        world.entity_mut(entity).insert((Loose(String::from("new")), Tag));
        world.check_invariants();
    }
    world.entity_mut(kept[0]).remove::<Loose>();
    world.despawn(kept[2]);
    assert_eq!(world.query::<&Loose>().iter(&world).count(), 4);
    assert_eq!(world.query_filtered::<Entity, With<Tag>>().iter(&world).count(), 5);
    world.check_invariants();
}

#[test]
fn nothing_is_dropped_by_shrinking_and_everything_later() {
    drops::reset();
    let mut world = World::new();
    let all: Vec<Entity> =
        world.spawn_batch((0..100).map(|_| (Counted(Token::new()), LooseCounted(Token::new())))).collect();
    for &entity in &all[10..60] {
        world.entity_mut(entity).insert(Flag);
    }
    for &entity in &all[..90] {
        assert!(world.despawn(entity));
    }
    assert_eq!(drops::alive(), 20);
    world.shrink_to_fit();
    world.check_invariants();
    assert_eq!(drops::alive(), 20);
    world.entity_mut(all[95]).remove::<Counted>();
    world.entity_mut(all[96]).insert(Flag).remove::<LooseCounted>();
    assert_eq!(drops::alive(), 18);
    world.shrink_to_fit();
    drop(world);
    drops::assert_all_dropped_once();
}

#[test]
fn without_memory_for_smaller_copies_everything_stays_right() {
    let make = || {
        let (mut world, entities) = small_world();
        let gone: Vec<Entity> = world.spawn_batch((0..100).map(|n| (Solid(n), Flag))).collect();
        world.entity_mut(entities[0]).insert((Loose(String::from("a")), Tag));
        world.entity_mut(entities[1]).insert((Loose(String::from("b")), Tag)).remove::<Loose>();
        world.commands().spawn(Flag);
        world.commands().entity(Entity::PLACEHOLDER).despawn();
        world.flush();
        for entity in gone {
            assert!(world.despawn(entity));
        }
        let last = world.query_filtered::<Entity, With<Flag>>().iter(&world).next().expect("of the command");
        assert!(world.despawn(last));
        (world, entities)
    };
    for for_ever in [false, true] {
        let mut failed = 0;
        for calls in 0.. {
            let (mut world, entities) = make();
            let ((), failures) = alloc::failing(calls, for_ever, || world.shrink_to_fit());
            world.check_invariants();
            assert_small_world(&world, &entities);
            assert_eq!(world.tables().iter().len(), 4);
            world.spawn((Solid(1), Flag, Loose(String::new())));
            world.shrink_to_fit();
            world.check_invariants();
            failed += failures;
            if failures == 0 {
                break;
            }
        }
        assert!(failed > 10, "{failed} failures");
    }
}

#[test]
fn rows_without_columns_keep_their_places() {
    let mut world = World::new();
    let empty: Vec<Entity> = (0..70).map(|_| world.spawn_empty().id()).collect();
    let flags: Vec<Entity> = world.spawn_batch((0..70).map(|_| Flag)).collect();
    for &entity in empty.iter().chain(&flags).filter(|entity| entity.index() % 2 == 0) {
        assert!(world.despawn(entity.to_owned()));
    }
    world.shrink_to_fit();
    world.check_invariants();
    assert_eq!(world.tables().get(TableId::EMPTY).map(|table| table.len()), Some(35));
    for _ in 0..40 {
        world.spawn_empty();
        world.spawn(Flag);
        world.check_invariants();
    }
    assert_eq!(world.len(), 150);
}
