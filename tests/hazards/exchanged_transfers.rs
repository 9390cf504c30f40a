//! As `exchanged_anywhere`, for what moves entities between worlds, brings a world back, loads, follows another world, and triggers events.

use std::sync::atomic::Ordering::Relaxed;

use strata_ecs::prelude::*;
use strata_ecs::snapshot::{SnapshotOptions, SnapshotRing};
use strata_save::{Replica, WorldFormat, components, relations};

use super::exchanged_anywhere::{
    Guards, Hooked, Ids, Knows, Likes, Moment, Needed, Number, Operation, Owns, Pushed, Rang, Sparse, Text, Wards,
    fails, fill,
};

/// A world without observers, with the entities that the others have, and the same again as children of the first.
fn source() -> (World, Ids) {
    let mut source = World::new();
    let ids = fill(&mut source, 7);
    let more = fill(&mut source, 8);
    source.entity_mut(more.root).insert(ChildOf(ids.root));
    source.relate(more.others[0], Owns(3), ids.others[0]);
    (source, ids)
}

fn options() -> SnapshotOptions {
    SnapshotOptions::new().without_resource::<Moment>()
}

fn format() -> WorldFormat {
    WorldFormat::new()
        .with_components(components![Text, Number, Needed, Sparse, Hooked, Guards, Wards, ChildOf, Children])
        .with_relations(relations![Likes, Owns, Knows])
        .with_known_only()
}

/// Runs an action in a world whose observers exchange nothing during it.
fn undisturbed<T>(world: &mut World, action: impl FnOnce(&mut World) -> T) -> T {
    let moment = world.resource::<Moment>().clone();
    let left = moment.left.swap(usize::MAX, Relaxed);
    let out = action(world);
    moment.left.store(left, Relaxed);
    out
}

/// Applies a full delta of a world, and then what happens to that world.
fn follow(world: &mut World, change: fn(&mut World, Ids)) {
    let (mut leader, ids) = source();
    let format = format();
    format.start_journal(&mut leader, 10_000).expect("it is idle");
    let mut replica = Replica::default();
    let full = format.full_delta(&mut leader).expect("all is known");
    undisturbed(world, |world| replica.apply(&format, world, &full.bytes).expect("it is the first"));
    change(&mut leader, ids);
    let next = format.delta_since(&mut leader, &full.position).expect("it is known");
    replica.apply(&format, world, &next.bytes).expect("it is the next");
    assert_eq!(replica.mark(), Some(next.position.into()));
}

const TRANSFERS: &[(&str, Operation)] = &[
    ("move_entities_from", |world, _| _ = world.move_entities_from(source().0)),
    ("move_entities_keeping_ids", |world, _| _ = world.move_entities_keeping_ids(source().0)),
    ("all: move_to", |world, _| {
        let mut target = World::new();
        target.spawn_batch([(); 5]).for_each(drop);
        let map = world.all::<With<Number>>().move_to(&mut target);
        assert_eq!(map.iter().filter(|(_, new)| target.contains(*new)).count(), target.len() - 5);
        target.check_invariants();
    }),
    ("many: move_to", |world, ids| {
        let mut target = World::new();
        _ = world.many(&[ids.root, ids.others[3], ids.children[1]]).move_to(&mut target);
        target.check_invariants();
    }),
    ("all: move here", |world, _| {
        let (mut source, _) = source();
        _ = source.all::<With<Number>>().move_to(world);
        source.check_invariants();
    }),
    ("restore", |world, ids| {
        let snapshot = world.snapshot_with(&options()).expect("it is idle");
        undisturbed(world, |world| world.despawn(ids.root));
        world.restore(&snapshot).expect("it is idle");
    }),
    ("restore_from", |world, ids| {
        let snapshot = world.snapshot_with(&options()).expect("it is idle");
        undisturbed(world, |world| world.despawn(ids.root));
        world.restore_from(snapshot).expect("it is idle");
    }),
    ("restore_into", |world, _| {
        let snapshot = source().0.snapshot().expect("it is idle");
        world.restore_into(&snapshot).expect("it is idle");
    }),
    ("a ring", |world, ids| {
        let mut ring = SnapshotRing::with_options(4, options());
        for frame in 0..3 {
            ring.save(world, frame).expect("it is idle");
            undisturbed(world, |world| _ = world.entity_mut(ids.root).insert(Number(frame as u32)));
        }
        ring.restore(world, 1).expect("it is kept");
    }),
    ("load", |world, _| {
        let bytes = format().save(&mut source().0).expect("all is known");
        format().load(world, &bytes).expect("it was saved");
    }),
    ("load_entities", |world, _| {
        let bytes = format().save(&mut source().0).expect("all is known");
        format().load_entities(world, &bytes).expect("it was saved");
    }),
    ("load_entities keeping ids", |world, _| {
        let format = format().keeping_ids();
        let bytes = format.save(&mut source().0).expect("all is known");
        format.load_entities(world, &bytes).expect("it was saved");
    }),
    ("a full delta", |world, _| {
        let (mut leader, _) = source();
        format().start_journal(&mut leader, 10_000).expect("it is idle");
        let full = format().full_delta(&mut leader).expect("all is known");
        Replica::default().apply(&format(), world, &full.bytes).expect("it is the first");
    }),
    ("a second full delta", |world, _| {
        let (mut leader, ids) = source();
        format().start_journal(&mut leader, 10_000).expect("it is idle");
        let mut replica = Replica::default();
        let full = format().full_delta(&mut leader).expect("all is known");
        undisturbed(world, |world| replica.apply(&format(), world, &full.bytes).expect("it is the first"));
        leader.despawn(ids.children[0]);
        leader.entity_mut(ids.others[0]).remove::<Text>();
        let full = format().full_delta(&mut leader).expect("all is known");
        replica.apply(&format(), world, &full.bytes).expect("it is full");
    }),
    ("a delta of new entities", |world, _| follow(world, |leader, _| _ = fill(leader, 9))),
    ("a delta of ends", |world, _| {
        follow(world, |leader, ids| {
            leader.despawn(ids.children[1]);
            leader.despawn(ids.root);
        });
    }),
    ("a delta of values", |world, _| {
        follow(world, |leader, ids| {
            leader.entity_mut(ids.root).insert((Number(11), Text(String::from("new")), Sparse(3))).remove::<Hooked>();
            leader.entity_mut(ids.others[3]).insert((Number(12), Sparse(4))).remove::<Text>();
            leader.entity_mut(ids.children[2]).remove::<(Number, Sparse)>();
        });
    }),
    ("a delta of links and pairs", |world, _| {
        follow(world, |leader, ids| {
            leader.entity_mut(ids.children[0]).insert(ChildOf(ids.children[1]));
            leader.entity_mut(ids.others[0]).insert(Guards(ids.others[1]));
            leader.entity_mut(ids.children[2]).remove::<ChildOf>();
            leader.relate(ids.root, Likes(String::from("other")), ids.others[2]);
            leader.relate(ids.others[1], Owns(5), ids.others[3]);
            leader.unrelate::<Knows>(ids.root, ids.children[0]);
        });
    }),
    ("trigger", |world, _| world.trigger(Rang)),
    ("trigger up the tree", |world, ids| world.trigger(Pushed(ids.children[1]))),
    ("trigger by commands", |world, ids| {
        let mut commands = world.commands();
        commands.trigger(Rang);
        commands.entity(ids.others[3]).insert(Number(8));
        commands.trigger(Pushed(ids.children[2]));
        commands.spawn((Number(6), ChildOf(ids.others[0])));
        world.flush();
    }),
    ("messages", |world, ids| {
        world.init_resource::<Messages<Sent>>();
        let mut schedule = Schedule::default();
        let write = move |mut sent: MessageWriter<'_, Sent>| {
            sent.write_batch(ids.others.map(Sent));
        };
        let read = |mut sent: MessageReader<'_, '_, Sent>, mut commands: Commands<'_, '_>| {
            for &Sent(to) in sent.read() {
                commands.entity(to).insert(Number(3));
                commands.trigger(Pushed(to));
            }
        };
        schedule.add_systems((write, read).chain());
        schedule.run(world);
    }),
];

#[derive(Message)]
struct Sent(Entity);

#[test]
fn worlds_that_are_exchanged_in_a_transfer_a_load_or_an_event_stay_apart() {
    let failed: Vec<&str> =
        TRANSFERS.iter().filter(|(name, operation)| fails(name, *operation, true)).map(|one| one.0).collect();
    assert!(failed.is_empty(), "these fail: {failed:?}");
}
