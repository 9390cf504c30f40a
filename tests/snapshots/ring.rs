//! Frames that share what has not changed between them.

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_ecs::snapshot::{RestoreError, RingError, SnapshotRing};
use strata_tests::effort;

use super::histories::{Game, step};

#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Place(u64);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Speed(u64);
#[derive(Component, Clone, Copy, PartialEq, Debug)]
#[component(track = "never")]
struct Silent(u64);

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(24), ..ProptestConfig::default() })]

    /// Each frame of a ring is what a snapshot of that time is, whatever was saved and restored between.
    #[test]
    fn a_frame_is_what_it_was(
        before in vec(step(), 0..40),
        rounds in vec((vec(step(), 0..12), 0..6_u64, 0..8_u8), 1..14),
        after in vec(step(), 0..20),
    ) {
        let mut game = Game::new();
        game.play(&before);
        let mut ring = SnapshotRing::new(4);
        let mut whole = Vec::new();
        for (number, (steps, back, what)) in rounds.iter().enumerate() {
            let number = number as u64;
            ring.save(&mut game.world, number).unwrap();
            whole.retain(|(frame, _)| *frame < number);
            // A whole copy of its own.
            whole.push((number, game.world.snapshot().unwrap()));
            game.play(steps);
            let frame = number.saturating_sub(*back);
            let Some((_, snapshot)) = whole.iter().find(|(of, _)| *of == frame) else { continue };
            match what {
                // Another way back, of which the ring knows nothing.
                0 => game.world.restore(snapshot).unwrap(),
                1..=3 => {}
                _ => match ring.restore(&mut game.world, frame) {
                    Err(error) => prop_assert_eq!(error, RingError::NoFrame(frame)),
                    Ok(()) => {
                        game.world.check_invariants();
                        let found = game.play(&after);
                        game.world.restore(snapshot).unwrap();
                        prop_assert_eq!(found, game.play(&after));
                        ring.restore(&mut game.world, frame).unwrap();
                    }
                },
            }
        }
        for frame in ring.frames().collect::<Vec<_>>() {
            let (_, snapshot) = whole.iter().find(|(of, _)| *of == frame).unwrap();
            ring.restore(&mut game.world, frame).unwrap();
            game.world.check_invariants();
            let found = game.play(&after);
            game.world.restore(snapshot).unwrap();
            prop_assert_eq!(found, game.play(&after));
        }
        drop((ring, whole));
        let Game { world, alive, .. } = game;
        drop(world);
        prop_assert_eq!(std::sync::Arc::strong_count(&alive), 1);
    }
}

fn places(world: &mut World) -> Vec<u64> {
    world.query::<&Place>().iter(world).map(|place| place.0).collect()
}

fn all(world: &mut World) -> Vec<(Entity, u64, bool)> {
    let mut all = world.query::<(Entity, &Place, Has<Speed>)>();
    all.iter(world).map(|(entity, place, has)| (entity, place.0, has)).collect()
}

#[test]
fn each_way_of_writing_is_noticed() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..8).map(|at| (Place(at), Silent(at)))).collect();
    let mut places_and = world.query::<(&mut Place, &mut Silent)>();
    let place = world.component_id::<Place>().unwrap();
    let table = world.entity(ids[0]).location().table;
    let mut schedule = Schedule::default();
    schedule.add_systems(|mut all: Query<&mut Place>| all.iter_mut().for_each(|mut place| place.0 += 1));
    let writes: &mut [&mut dyn FnMut(&mut World)] = &mut [
        &mut |world| places_and.iter_mut(world).for_each(|(mut place, _)| place.0 += 1),
        &mut |world| world.get_mut::<Place>(ids[2]).unwrap().0 += 1,
        &mut |world| {
            world.entity_mut(ids[3]).insert(Place(77));
        },
        &mut |world| world.column_mut_by_id::<Place>(table, place).unwrap()[4].0 += 1,
        &mut |world| {
            world.get_mut_by_id(ids[5], place).unwrap().downcast_mut::<Place>().unwrap().0 += 1;
        },
        &mut |world| schedule.run(world),
        &mut |world| {
            world.despawn(ids[0]);
        },
        &mut |world| {
            world.spawn((Place(5), Silent(0)));
        },
        &mut |world| {
            world.entity_mut(ids[6]).insert(Speed(1));
        },
        &mut |world| {
            world.entity_mut(ids[6]).remove::<Speed>();
        },
        &mut |world| {
            world.commands().entity(ids[7]).insert(Place(99));
        },
    ];
    let mut ring = SnapshotRing::new(2);
    ring.save(&mut world, 0).unwrap();
    for (at, write) in writes.iter_mut().enumerate() {
        let before = all(&mut world);
        ring.save(&mut world, 0).unwrap();
        write(&mut world);
        world.flush();
        let after = all(&mut world);
        assert_ne!(before, after, "{at}");
        ring.save(&mut world, 1).unwrap();
        ring.restore(&mut world, 0).unwrap();
        world.check_invariants();
        assert_eq!(all(&mut world), before, "{at}");
        ring.restore(&mut world, 1).unwrap();
        world.check_invariants();
        assert_eq!(all(&mut world), after, "{at}");
    }
}

#[test]
fn values_whose_changes_are_never_known_are_copied() {
    let mut world = World::new();
    let id = world.spawn(Silent(1)).id();
    let mut ring = SnapshotRing::new(2);
    ring.save(&mut world, 0).unwrap();
    world.query::<&mut Silent>().single_mut(&mut world).unwrap().0 = 2;
    ring.save(&mut world, 1).unwrap();
    ring.restore(&mut world, 0).unwrap();
    assert_eq!(world.get(id), Some(&Silent(1)));
    ring.restore(&mut world, 1).unwrap();
    assert_eq!(world.get(id), Some(&Silent(2)));
}

#[test]
fn a_table_that_was_made_anew_is_another_one() {
    let mut world = World::new();
    world.spawn((Place(1), Speed(1)));
    let mut ring = SnapshotRing::new(2);
    ring.save(&mut world, 0).unwrap();
    world.clear_entities();
    world.shrink_to_fit();
    world.spawn((Place(2), Speed(2)));
    ring.save(&mut world, 1).unwrap();
    let ids: Vec<Entity> = world.query::<Entity>().iter(&world).collect();
    ring.restore(&mut world, 0).unwrap();
    world.check_invariants();
    assert_eq!(places(&mut world), [1]);
    assert!(!world.contains(ids[0]));
    ring.restore(&mut world, 1).unwrap();
    world.check_invariants();
    assert_eq!(places(&mut world), [2]);
    assert!(world.contains(ids[0]));
}

#[test]
fn time_lines_with_the_same_ticks_are_told_apart() {
    let mut world = World::new();
    let id = world.spawn_batch((0..3).map(Place)).last().unwrap();
    let early = world.snapshot().unwrap();
    world.increment_change_tick();
    world.get_mut::<Place>(id).unwrap().0 = 10;
    let mut ring = SnapshotRing::new(3);
    ring.save(&mut world, 0).unwrap();
    // The same ticks again, with other values.
    world.restore(&early).unwrap();
    world.increment_change_tick();
    world.get_mut::<Place>(id).unwrap().0 = 20;
    ring.save(&mut world, 1).unwrap();
    ring.restore(&mut world, 0).unwrap();
    assert_eq!(world.get(id), Some(&Place(10)));
    ring.restore(&mut world, 1).unwrap();
    assert_eq!(world.get(id), Some(&Place(20)));
}

#[test]
fn frames_that_are_saved_again_replace_those_behind_them() {
    let mut world = World::new();
    world.spawn(Place(0));
    let mut ring = SnapshotRing::new(3);
    (0..6).for_each(|frame| ring.save(&mut world, frame).unwrap());
    assert_eq!(ring.frames().collect::<Vec<_>>(), [3, 4, 5]);
    ring.restore(&mut world, 3).unwrap();
    assert_eq!(ring.frames().len(), 3);
    ring.save(&mut world, 4).unwrap();
    assert_eq!(ring.frames().collect::<Vec<_>>(), [3, 4]);
    assert_eq!(ring.restore(&mut world, 5), Err(RingError::NoFrame(5)));
    assert_eq!(ring.restore(&mut World::new(), 4), Err(RingError::Refused(RestoreError::OtherWorld)));
    ring.clear();
    assert_eq!(ring.restore(&mut world, 4), Err(RingError::NoFrame(4)));
}

#[test]
fn one_ring_may_serve_two_worlds() {
    let mut worlds = [World::new(), World::new()];
    let ids = worlds.each_mut().map(|world| world.spawn(Place(1)).id());
    worlds[1].get_mut::<Place>(ids[1]).unwrap().0 = 2;
    let mut ring = SnapshotRing::new(4);
    for frame in 0..4 {
        ring.save(&mut worlds[frame % 2], frame as u64).unwrap();
    }
    for frame in [3, 0, 2, 1] {
        worlds.iter_mut().zip(ids).for_each(|(world, id)| world.get_mut::<Place>(id).unwrap().0 = 9);
        ring.restore(&mut worlds[frame % 2], frame as u64).unwrap();
        assert_eq!(worlds[frame % 2].get::<Place>(ids[0]).unwrap().0, frame as u64 % 2 + 1);
    }
}

#[test]
fn what_has_not_changed_is_shared() {
    let mut world = World::new();
    let ids: Vec<Entity> = world.spawn_batch((0..100_000).map(|at| (Place(at), Speed(at)))).collect();
    let mut ring = SnapshotRing::new(8);
    ring.save(&mut world, 0).unwrap();
    let whole = ring.get(0).unwrap().allocated_bytes() as isize;
    let before = strata_tests::alloc::held();
    (1..8).for_each(|frame| ring.save(&mut world, frame).unwrap());
    let more = strata_tests::alloc::held() - before;
    assert!(more < whole / 20, "{more} of {whole}");
    world.get_mut::<Place>(ids[7]).unwrap().0 = 1;
    ring.save(&mut world, 8).unwrap();
    let more = strata_tests::alloc::held() - before;
    assert!((800_000..900_000).contains(&more), "{more}");
    ring.restore(&mut world, 1).unwrap();
    assert_eq!(world.get(ids[7]), Some(&Place(7)));
}
