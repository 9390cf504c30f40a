//! The contents of a snapshot as data, and snapshots that are built from data.

use strata_ecs::change::{ComponentTicks, Tick};
use strata_ecs::prelude::*;
use strata_ecs::relation::PairSource;
use strata_ecs::relationship::{Relationship, RelationshipTarget};
use strata_ecs::snapshot::{
    BuildError, EntityIds, EntityIdsError, LeftOut, NewColumnContents, SnapshotBuilder, SnapshotClock,
    SnapshotContents, SnapshotOptions,
};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Plain(u32);
#[derive(Component, Clone, PartialEq, Debug)]
struct Text(String);
#[derive(Component)]
struct NoClone;
#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Rare(u16);
#[derive(Component, Clone, Debug)]
#[component(storage = "sparse")]
struct Tag;
#[derive(Relation, Clone)]
struct Hunting;
#[derive(Component, Clone, PartialEq, Debug)]
#[relationship(relationship_target = GuardedBy, allow_self_referential)]
struct Guards(Entity);
#[derive(Component, Clone, Debug)]
#[relationship_target(relationship = Guards)]
struct GuardedBy(Vec<Entity>);
#[derive(Resource, Clone, PartialEq, Debug)]
struct Score(u32);

/// A world with something of each kind, and a query that keeps changes of `Plain` and of `Tag` known.
fn world() -> (World, Vec<Entity>, QueryState<Entity, Or<(Changed<Plain>, Changed<Tag>)>>) {
    let mut world = World::new();
    let tracked = world.query_filtered();
    let mut ids = vec![
        world.spawn((Plain(1), Rare(1))).id(),
        world.spawn((Plain(2), Text("two".into()), Tag)).id(),
        world.spawn(Tag).id(),
        world.spawn((Rare(4), Tag)).id(),
        world.spawn((Plain(5), Text("five".into()))).id(),
    ];
    world.insert_resource(Score(3));
    world.frame(|_| {});
    world.increment_change_tick();
    world.get_mut::<Plain>(ids[1]).unwrap().0 += 10;
    world.despawn(ids.remove(3));
    (world, ids, tracked)
}

/// The contents once more, with the components in the other order.
fn builder(contents: SnapshotContents<'_>) -> SnapshotBuilder {
    let mut builder = SnapshotBuilder::new(contents.ids(), contents.clock());
    for table in contents.tables() {
        let columns = table.columns().map(|column| {
            let (values, stamp) = (column.values(), column.stamp());
            let new = if let Some(values) = values.downcast_ref::<Plain>() {
                NewColumnContents::of(values.to_vec(), stamp)
            } else {
                NewColumnContents::of(values.downcast_ref::<Text>().unwrap().to_vec(), stamp)
            };
            match column.ticks() {
                Some(ticks) => new.with_ticks(ticks),
                None => new,
            }
        });
        let mut columns: Vec<_> = columns.collect();
        columns.reverse();
        builder.add_table(table.entities().to_vec(), table.stamp(), columns);
    }
    for storage in contents.storages() {
        let column = storage.column();
        let new = match column.values().downcast_ref::<Rare>() {
            Some(values) => NewColumnContents::of(values.to_vec(), column.stamp()),
            None => NewColumnContents::of(column.values().downcast_ref::<Tag>().unwrap().to_vec(), column.stamp()),
        };
        let new = match column.ticks() {
            Some(ticks) => new.with_ticks(ticks),
            None => new,
        };
        builder.add_storage(storage.entities(), new);
    }
    for resource in contents.resources() {
        builder.add_resource(resource.get::<Score>().unwrap().clone(), resource.ticks());
    }
    builder
}

/// All that can be seen of a world of this file, and what comes next.
fn look(world: &mut World) -> String {
    world.check_invariants();
    let mut seen = format!("{:?} {:?} {}", world.get_resource::<Score>(), world.change_tick(), world.frame_number());
    for table in world.tables() {
        for &id in table.entities() {
            let entity = world.entity(id);
            let ticks = (entity.get_change_ticks::<Plain>(), entity.get_change_ticks::<Tag>());
            seen += &format!("\n{id} {ticks:?} {:?} {:?}", entity.get::<Plain>(), entity.get::<Text>());
            seen += &format!(" {:?} {:?}", entity.get::<Rare>(), entity.get::<Tag>());
        }
    }
    let next: Vec<Entity> = world.spawn_batch([Plain(0), Plain(1), Plain(2)]).collect();
    let rare: Vec<Entity> = world.query_filtered::<Entity, With<Rare>>().iter(world).collect();
    seen + &format!("\n{next:?} {rare:?}")
}

#[test]
fn a_snapshot_is_built_of_its_contents() {
    let (mut world, ids, _tracked) = world();
    let snapshot = world.snapshot().unwrap();
    let contents = snapshot.contents();
    assert_eq!(contents.left_out(), []);

    // Components have other numbers there, and nothing is known of changes.
    let mut other = World::new();
    other.spawn((Tag, Text("gone".into())));
    other.register_component::<Rare>();
    other.insert_resource(Score(9));
    let built = builder(contents).build(&mut other, &SnapshotOptions::new()).unwrap();
    assert_eq!((built.len(), built.frame_number()), (4, 1));
    other.restore(&built).unwrap();
    assert!(!other.contains(Entity::from_bits(ids[3].to_bits() + (1 << 32))));
    assert_eq!(world.checksum_with(&plain()).unwrap(), other.checksum_with(&plain()).unwrap());
    assert_eq!(look(&mut world), look(&mut other));
}

/// `Text` has no `Hash`, nor have others.
fn plain() -> strata_ecs::snapshot::StateOptions {
    let mut options = strata_ecs::snapshot::StateOptions::new();
    options = options.with_hash::<Text>(|text, hasher| hasher.write(text.0.as_bytes()));
    options
}

#[test]
fn what_contents_do_not_show_is_named() {
    #[derive(Component, Clone)]
    struct Gone;
    #[derive(Relation, Clone)]
    struct Hunting;

    #[derive(ScheduleLabel, Clone, PartialEq, Eq, Hash, Debug)]
    struct Sums;

    let mut world = World::new();
    let mut schedule = Schedule::new(Sums);
    schedule.add_systems(|mut sum: Local<u32>| *sum += 1);
    world.add_schedule(schedule);
    world.run_schedule(Sums);
    let mut reader = world.removed_reader::<Gone>();
    let gone = world.spawn(Gone).id();
    world.despawn(gone);
    let parent = world.spawn_empty().id();
    let child = world.spawn(ChildOf(parent)).id();
    world.relate(child, Hunting, parent);
    let left_out = world.snapshot().unwrap().contents().left_out();
    let is = |found: &dyn Fn(&LeftOut) -> bool| left_out.iter().any(found);
    // The state of systems is included if their schedule is known.
    assert!(!is(&|one| matches!(one, LeftOut::Systems(_))), "{left_out:?}");
    assert!(is(&|one| matches!(one, LeftOut::Removals(name) if name.ends_with("Gone"))), "{left_out:?}");
    // Links and pairs are shown.
    assert!(!is(&|one| matches!(one, LeftOut::Side(_))), "{left_out:?}");

    assert_eq!(reader.read(&world).count(), 1);
    let left_out = world.snapshot().unwrap().contents().left_out();
    assert!(!left_out.iter().any(|one| matches!(one, LeftOut::Removals(_))), "{left_out:?}");
}

/// An entity with index 0 that is alive, another one that is free, and one that is retired.
fn ids() -> EntityIds {
    EntityIds { generations: vec![3, 2, 0], free: vec![1], retired: vec![7], first_generation: 1 }
}

fn clock() -> SnapshotClock {
    let [tick, last, checked] = [10, 3, 0].map(Tick::new);
    SnapshotClock { frame_number: 5, is_frame_open: false, tick, last, checked }
}

/// The error of a builder with ids, after something was done with it; nothing happens to the world.
#[track_caller]
fn error(ids: EntityIds, add: impl FnOnce(&mut SnapshotBuilder, Entity)) -> BuildError {
    let mut world = World::new();
    let kept = world.spawn(Plain(1)).id();
    let mut builder = SnapshotBuilder::new(ids, clock());
    add(&mut builder, Entity::from_bits(3 << 32));
    let error = builder.build(&mut world, &SnapshotOptions::new()).unwrap_err();
    world.check_invariants();
    assert_eq!((world.get(kept), world.entities().len()), (Some(&Plain(1)), 1));
    assert!(!error.to_string().is_empty());
    error
}

#[test]
fn ids_and_rows_belong_together() {
    let now = clock().tick;
    let with = |change: &dyn Fn(&mut EntityIds), entities: &dyn Fn(Entity) -> Vec<Entity>| {
        let mut ids = ids();
        change(&mut ids);
        let error = error(ids, |builder, entity| _ = builder.add_table(entities(entity), now, []));
        match error {
            BuildError::Ids(error) => error,
            error => panic!("{error}"),
        }
    };
    let (same, one) = (|_: &mut EntityIds| {}, |entity| vec![entity]);
    let free = |index: u32, generation: u64| Entity::from_bits(generation << 32 | u64::from(index));
    let entity = free(0, 3);
    assert_eq!(with(&same, &|entity| vec![entity, entity]), EntityIdsError::Twice(entity));
    assert_eq!(with(&same, &|_| vec![free(0, 2)]), EntityIdsError::Unknown(free(0, 2)));
    assert_eq!(with(&same, &|_| vec![free(9, 1)]), EntityIdsError::Unknown(free(9, 1)));
    assert_eq!(with(&same, &|entity| vec![entity, free(1, 2)]), EntityIdsError::NotFree(1));
    assert_eq!(with(&same, &|_| vec![]), EntityIdsError::Lost(0));
    assert_eq!(with(&|ids| ids.free.clear(), &one), EntityIdsError::Lost(1));
    assert_eq!(with(&|ids| ids.free.push(1), &one), EntityIdsError::NotFree(1));
    assert_eq!(with(&|ids| ids.free.push(2), &one), EntityIdsError::NotFree(2));
    assert_eq!(with(&|ids| ids.free.push(3), &one), EntityIdsError::NotFree(3));
    assert_eq!(with(&|ids| ids.retired.push(7), &one), EntityIdsError::Retired(7));
    assert_eq!(with(&|ids| ids.retired[0] = 2, &one), EntityIdsError::Retired(2));
    assert_eq!(with(&|ids| ids.retired[0] = u32::MAX, &one), EntityIdsError::Retired(u32::MAX));
    assert_eq!(with(&|ids| ids.first_generation = 0, &one), EntityIdsError::FirstGeneration);
}

#[test]
fn more_frames_than_a_world_can_count_are_refused() {
    let none = || EntityIds { generations: vec![], free: vec![], retired: vec![], first_generation: 1 };
    let [tick, last, checked] = [2, 1, 0].map(Tick::new);
    let mut world = World::new();
    let mut build = |frame_number: u64| {
        let clock = SnapshotClock { frame_number, is_frame_open: false, tick, last, checked };
        SnapshotBuilder::new(none(), clock).build(&mut world, &SnapshotOptions::new()).map(drop)
    };
    assert_eq!(build(u64::MAX), Err(BuildError::Time));
    assert_eq!(build(u64::MAX / 2 + 1), Err(BuildError::Time));
    assert_eq!(build(u64::MAX / 2), Ok(()));
}

#[test]
fn tables_and_values_belong_together() {
    let now = clock().tick;
    let ticks = |tick: u32| ComponentTicks::new(Tick::new(tick));
    let plain = |count: u32| NewColumnContents::of(Vec::from_iter((0..count).map(Plain)), now);
    let rare = || NewColumnContents::of(vec![Rare(1)], now);
    let name = |error: BuildError| match error {
        BuildError::Twice(name) | BuildError::Length(name) | BuildError::Storage(name) => name.rsplit("::").next(),
        BuildError::SparseEntity(name, _) | BuildError::Ticks(name) => name.rsplit("::").next(),
        BuildError::NotClone(name) | BuildError::Side(name) => name.rsplit("::").next(),
        _ => None,
    };
    let table = |columns: Vec<NewColumnContents>| {
        error(ids(), |builder, entity| _ = builder.add_table(vec![], now, []).add_table(vec![entity], now, columns))
    };
    assert!(matches!(table(vec![]), BuildError::FirstTable));
    assert!(matches!(
        error(ids(), |new, entity| _ = new.add_table(vec![entity], now, [plain(1)])),
        BuildError::FirstTable
    ));
    assert!(matches!(table(vec![plain(2)]), BuildError::Length(_)));
    assert!(matches!(table(vec![plain(1), plain(1)]), BuildError::Twice(_)));
    assert!(matches!(table(vec![rare()]), BuildError::Storage(_)));
    assert!(matches!(table(vec![NewColumnContents::of(vec![NoClone], now)]), BuildError::NotClone(_)));
    assert!(matches!(table(vec![plain(1).with_ticks(vec![])]), BuildError::Ticks(_)));
    assert!(matches!(table(vec![plain(1).with_ticks(vec![ticks(11)])]), BuildError::Time));
    assert!(matches!(table(vec![NewColumnContents::of(vec![Plain(1)], Tick::new(11))]), BuildError::Time));
    let sparse = |add: &dyn Fn(&mut SnapshotBuilder, Entity)| {
        error(ids(), |builder, entity| {
            builder.add_table(vec![entity], now, []);
            add(builder, entity);
        })
    };
    assert!(matches!(sparse(&|new, one| _ = new.add_storage(vec![one], plain(1))), BuildError::Storage(_)));
    assert!(matches!(sparse(&|new, _| _ = new.add_storage(vec![], rare())), BuildError::Length(_)));
    let twice = sparse(&|new, one| _ = new.add_storage(vec![one, one], NewColumnContents::of(vec![Tag, Tag], now)));
    assert!(matches!(twice, BuildError::SparseEntity(..)));
    let dead = Entity::from_bits(2 << 32 | 1);
    assert!(matches!(sparse(&|new, _| _ = new.add_storage(vec![dead], rare())), BuildError::SparseEntity(..)));
    let both = sparse(&|new, one| _ = new.add_storage(vec![one], rare()).add_storage(vec![one], rare()));
    assert_eq!(name(both), Some("Rare"));
    let mut other = World::new();
    let [wolf, rabbit] = [(); 2].map(|()| other.spawn_empty().id());
    other.relate(wolf, Hunting, rabbit);
    let pair = *other.get::<PairSource<Hunting>>(wolf).unwrap();
    let pairs = sparse(&|new, one| _ = new.add_storage(vec![one], NewColumnContents::of(vec![pair], now)));
    assert!(matches!(pairs, BuildError::Side(_)));
    let in_table = NewColumnContents::of(vec![ChildOf(wolf)], now);
    assert!(matches!(table(vec![in_table]), BuildError::Storage(_)));
    let same = error(ids(), |builder, entity| {
        builder.add_table(vec![entity], now, []).add_table(vec![], now, [plain(0)]).add_table(vec![], now, [plain(0)]);
    });
    assert_eq!(name(same), Some("Plain"));
    let resources = sparse(&|new, _| _ = new.add_resource(Score(1), ticks(1)).add_resource(Score(2), ticks(1)));
    assert_eq!(name(resources), Some("Score"));
}

/// A snapshot with three entities, some of which name others, and some of which list others.
fn linked<S, T>(
    world: &mut World,
    named: &[(usize, usize)],
    listed: &[(usize, &[usize])],
) -> Result<strata_ecs::snapshot::WorldSnapshot, BuildError>
where
    S: Relationship<RelationshipTarget = T> + Clone,
    T: RelationshipTarget<Relationship = S> + Clone,
    T::Collection: FromIterator<Entity>,
{
    let now = clock().tick;
    let ids = EntityIds { generations: vec![3, 3, 3], free: vec![], retired: vec![], first_generation: 1 };
    let of = |index: usize| Entity::from_bits(3 << 32 | index as u64);
    let mut builder = SnapshotBuilder::new(ids, clock());
    builder.add_table((0..3).map(of).collect(), now, []);
    if !listed.is_empty() {
        let lists = listed.iter().map(|(_, list)| T::from_collection_risky(list.iter().copied().map(of).collect()));
        let lists = NewColumnContents::of(lists.collect(), now);
        builder.add_storage(listed.iter().map(|(one, _)| of(*one)).collect(), lists);
    }
    if !named.is_empty() {
        let targets = named.iter().map(|(_, target)| S::from(of(*target)));
        let targets = NewColumnContents::of(targets.collect(), now);
        builder.add_storage(named.iter().map(|(one, _)| of(*one)).collect(), targets);
    }
    builder.build(world, &SnapshotOptions::new())
}

#[test]
fn both_sides_of_a_link_belong_together() {
    type Named<'a> = &'a [(usize, usize)];
    type Listed<'a> = &'a [(usize, &'a [usize])];
    let mut world = World::new();
    let mut can_be = |named: Named<'_>, listed: Listed<'_>| match linked::<ChildOf, Children>(&mut world, named, listed)
    {
        Ok(snapshot) => {
            world.restore(&snapshot).unwrap();
            world.check_invariants();
            true
        }
        Err(BuildError::Link(name, entity)) => {
            assert!(name.ends_with("ChildOf") && entity.index() < 3);
            false
        }
        Err(error) => panic!("{error}"),
    };
    assert!(can_be(&[(1, 0), (2, 0)], &[(0, &[2, 1])]));
    assert!(can_be(&[(1, 0), (2, 1)], &[(1, &[2]), (0, &[1])]));
    assert!(can_be(&[], &[(1, &[])]));
    // Only one side knows of it.
    assert!(!can_be(&[(1, 0)], &[]));
    assert!(!can_be(&[(1, 0)], &[(0, &[])]));
    assert!(!can_be(&[(1, 0), (2, 0)], &[(0, &[1])]));
    assert!(!can_be(&[], &[(0, &[1])]));
    // It is on another list, on two, or twice on one, or an entity that is not alive is.
    assert!(!can_be(&[(1, 0)], &[(2, &[1])]));
    assert!(!can_be(&[(1, 0)], &[(0, &[1]), (2, &[1])]));
    assert!(!can_be(&[(1, 0)], &[(0, &[1, 1])]));
    assert!(!can_be(&[(1, 0)], &[(0, &[1, 7])]));
    assert!(!can_be(&[(1, 7)], &[(0, &[1])]));
    // To itself, and in circles.
    assert!(!can_be(&[(1, 1)], &[(1, &[1])]));
    assert!(!can_be(&[(1, 0), (0, 1)], &[(0, &[1]), (1, &[0])]));
    assert!(!can_be(&[(0, 1), (1, 2), (2, 0)], &[(0, &[2]), (1, &[0]), (2, &[1])]));

    // Where sources do not end with their target that can be.
    let snapshot =
        linked::<Guards, GuardedBy>(&mut world, &[(0, 0), (1, 2), (2, 1)], &[(0, &[0]), (1, &[2]), (2, &[1])]);
    world.restore(&snapshot.unwrap()).unwrap();
    world.check_invariants();
    let [one, other] = [1, 2].map(|index| Entity::from_bits(3 << 32 | index));
    world.despawn(other);
    world.check_invariants();
    assert!(world.contains(one) && world.get::<Guards>(one).is_none());
}
