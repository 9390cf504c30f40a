//! Events of pairs.

use strata_ecs::event::{Relate, RemovedRelations, Unrelate};
use strata_ecs::prelude::*;
use strata_ecs::relation::{PairSource, PairTarget};

use super::{Knows, Likes, Owned};
use crate::entities;

#[derive(Resource, Default)]
struct Told(Vec<String>);

fn names(world: &mut World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Told>().0)
}

#[test]
fn observers_are_told_of_what_comes_and_goes() {
    let mut world = World::new();
    world.init_resource::<Told>();
    world.add_observer(|made: On<Relate<Likes>>, mut told: ResMut<Told>, all: Query<Pairs<&Likes>>| {
        let (_, value) = all.get(made.source).expect("it is there").find(|(to, _)| *to == made.target).expect("a pair");
        told.0.push(format!("made {}", value.0));
    });
    world.add_observer(|ended: On<Unrelate<Likes>>, mut told: ResMut<Told>| {
        told.0.push(format!("ended {}", ended.relation.0));
    });
    let [a, b, c] = entities(&mut world);
    world.relate(a, Likes(1), b);
    world.relate(a, Likes(2), b);
    world.relate(b, Likes(3), c);
    assert_eq!(names(&mut world), ["made 1", "made 3"]);
    world.unrelate::<Likes>(a, b);
    assert_eq!(names(&mut world), ["ended 2"]);
    world.relate(a, Likes(4), c);
    world.despawn(c);
    assert_eq!(names(&mut world), ["made 4", "ended 3", "ended 4"]);
}

#[test]
fn observers_of_the_source_are_told() {
    let mut world = World::new();
    world.init_resource::<Told>();
    let [a, b] = entities(&mut world);
    world.entity_mut(a).observe(|made: On<Relate<Likes>>, mut told: ResMut<Told>| told.0.push(made.target.to_string()));
    world.relate(a, Likes(1), b);
    world.relate(b, Likes(2), a);
    assert_eq!(names(&mut world), [b.to_string()]);
}

#[test]
fn an_observer_may_change_pairs() {
    let mut world = World::new();
    world.init_resource::<Told>();
    world.add_observer(|made: On<Relate<Likes>>, mut told: ResMut<Told>| told.0.push(made.target.to_string()));
    world.add_observer(|made: On<Relate<Likes>>, mut commands: Commands| {
        if made.source != made.target {
            commands.relate(made.source, Likes(9), made.source);
            commands.unrelate::<Likes>(made.source, made.target);
        }
    });
    let [a, b] = entities(&mut world);
    world.relate(a, Likes(1), b);
    world.check_invariants();
    assert!(world.pairs::<Likes>().eq([(a, &Likes(9), a)]));
    assert_eq!(names(&mut world).len(), 2);
}

#[test]
fn observers_of_the_components_are_told_of_the_first_and_the_last_pair() {
    let mut world = World::new();
    world.init_resource::<Told>();
    world.add_observer(|_: On<Add<PairSource<Likes>>>, mut told: ResMut<Told>| told.0.push("source".into()));
    world.add_observer(|_: On<Add<PairTarget<Likes>>>, mut told: ResMut<Told>| told.0.push("target".into()));
    world.add_observer(|gone: On<Remove<PairTarget<Likes>>>, mut told: ResMut<Told>, mut commands: Commands| {
        told.0.push("no target".into());
        commands.entity(gone.entity).despawn();
    });
    let [a, b, c] = entities(&mut world);
    world.relate(a, Likes(1), b);
    world.relate(a, Likes(1), c);
    assert_eq!(names(&mut world), ["source", "target", "target"]);
    world.unrelate::<Likes>(a, b);
    world.check_invariants();
    assert_eq!(names(&mut world), ["no target"]);
    assert!(!world.contains(b));
    world.despawn(a);
    world.check_invariants();
    assert!(world.is_empty());
}

#[test]
fn removed_pairs_are_read_with_their_last_values() {
    #[derive(Resource, Default)]
    struct Read(Vec<(Entity, Entity, u32)>);

    fn read(mut removed: RemovedRelations<Owned>, mut read: ResMut<Read>) {
        read.0.extend(removed.read().map(|ended| (ended.source, ended.target, ended.relation.0)));
    }

    let mut world = World::new();
    world.init_resource::<Read>();
    let mut schedule = Schedule::default();
    schedule.add_systems(read);
    schedule.initialize(&mut world).expect("a schedule");
    let [a, b, c, d] = entities(&mut world);
    world.relate(a, Owned(1), b);
    world.relate(a, Owned(2), c);
    world.get_pair_mut::<Owned>(a, c).expect("a pair").0 = 5;
    world.relate(d, Owned(3), c);
    world.despawn(c);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Read>().0, [(a, b, 1), (a, c, 5), (d, c, 3)]);
    assert!(!world.contains(a) && !world.contains(d));
}

#[test]
fn a_symmetric_pair_is_told_once() {
    let mut world = World::new();
    world.init_resource::<Told>();
    world.add_observer(|ended: On<Unrelate<Knows>>, mut told: ResMut<Told>| told.0.push(ended.source.to_string()));
    let [a, b] = entities(&mut world);
    world.relate(a, Knows(1), b);
    world.despawn(b);
    assert_eq!(names(&mut world), [a.to_string()]);
}
