//! Copies of worlds.

use strata_ecs::snapshot::SnapshotRing;

use super::*;

#[test]
fn a_world_goes_back_to_a_snapshot() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..5).map(|i| world.spawn((Label(i.to_string()), Position(i as f32, 0.0))).id()).collect();
    world.entity_mut(ids[0]).insert(Poison(Box::new(1)));
    let snapshot = world.snapshot().expect("everything is `Clone`");
    world.despawn(ids[1]);
    world.get_mut::<Label>(ids[2]).expect("an entity").0.push('!');
    world.entity_mut(ids[0]).remove::<Poison>();
    world.restore(&snapshot).expect("a snapshot of this world");
    assert_eq!(world.get::<Label>(ids[1]), Some(&Label("1".to_owned())));
    assert_eq!(world.get::<Label>(ids[2]), Some(&Label("2".to_owned())));
    assert_eq!(world.get::<Poison>(ids[0]).map(|poison| *poison.0), Some(1));
}

#[test]
fn a_ring_goes_back_by_frames() {
    let mut world = World::new();
    let id = world.spawn((Position(0.0, 0.0), Label("a".to_owned()))).id();
    let mut ring = SnapshotRing::new(3);
    for frame in 0..4 {
        world.get_mut::<Position>(id).expect("an entity").0 = frame as f32;
        ring.save(&mut world, frame).expect("everything is `Clone`");
    }
    ring.restore(&mut world, 2).expect("a frame of the ring");
    assert_eq!(world.get::<Position>(id), Some(&Position(2.0, 0.0)));
}
