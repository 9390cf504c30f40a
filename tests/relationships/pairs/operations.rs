//! The effects of single operations on pairs.

use strata_ecs::prelude::*;
use strata_ecs::relation::{OnTargetDespawn, PairSource, PairTarget};
use strata_ecs::world::CloneError;

use super::{Below, Knows, Likes, Needs, Owned, Remembers, Twin, from, to};
use crate::entities;

#[test]
fn many_targets_and_many_sources() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    for (nth, (source, target)) in [(a, b), (a, c), (b, c), (c, c)].into_iter().enumerate() {
        assert!(world.relate(source, Likes(nth as u32), target));
    }
    world.check_invariants();
    assert_eq!(from(&world, a), [(b, Likes(0)), (c, Likes(1))]);
    assert_eq!(to(&world, c), [(a, Likes(1)), (b, Likes(2)), (c, Likes(3))]);
    assert_eq!((world.get_pair(b, c), world.get_pair::<Likes>(c, b)), (Some(&Likes(2)), None));
    assert_eq!(world.pair_count::<Likes>(), 4);
}

#[test]
fn the_order_of_others_stays_when_one_goes() {
    let mut world = World::new();
    let [target] = entities(&mut world);
    let sources = entities::<40>(&mut world);
    sources.iter().for_each(|&source| _ = world.relate(source, Likes(source.index()), target));
    let mut left = sources.to_vec();
    for at in [0, 20, 37, 3, 3, 3, 3, 10, 11, 12, 12, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] {
        world.unrelate::<Likes>(left.remove(at), target);
        world.check_invariants();
        assert!(world.pairs_to::<Likes>(target).entities().eq(left.iter().copied()));
        assert!(world.pairs_to::<Likes>(target).all(|(source, likes)| likes.0 == source.index()));
    }
}

#[test]
fn what_becomes_of_pairs_of_a_dead_target() {
    let mut world = World::new();
    let [target, a, b, c] = entities(&mut world);
    world.relate(a, Likes(1), target);
    world.relate(b, Owned(2), target);
    world.relate(c, Remembers(3), target);
    world.despawn(target);
    world.check_invariants();
    assert_eq!([a, b, c].map(|entity| world.contains(entity)), [true, false, true]);
    assert_eq!(world.pair_count::<Likes>() + world.pair_count::<Owned>(), 0);
    assert_eq!(from(&world, c), [(target, Remembers(3))]);
    assert_eq!(world.get_pair(c, target), Some(&Remembers(3)));
    // Another entity with its index is another one.
    let next = [(); 2].map(|()| world.spawn_empty().id()).into_iter().find(|next| next.index() == target.index());
    let next = next.expect("it is used again");
    assert_eq!(world.pairs_to::<Remembers>(next).len(), 0);
    world.relate(c, Remembers(4), next);
    world.check_invariants();
    world.despawn(c);
    world.check_invariants();
    assert_eq!(world.pair_count::<Remembers>(), 0);
}

#[test]
fn a_long_chain_ends_at_once() {
    let mut world = World::new();
    let chain: Vec<Entity> = (0..20_000).map(|_| world.spawn_empty().id()).collect();
    chain.windows(2).for_each(|two| _ = world.relate(two[1], Owned(0), two[0]));
    world.despawn(chain[0]);
    world.check_invariants();
    assert!(world.is_empty());
}

#[test]
fn an_exclusive_source_has_one_target() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.relate(a, Owned(1), b);
    world.relate(a, Owned(2), c);
    world.check_invariants();
    assert_eq!((from(&world, a), to::<Owned>(&world, b)), (vec![(c, Owned(2))], vec![]));
    assert!(!world.entity(b).contains::<PairTarget<Owned>>());
    world.relate(a, Owned(3), c);
    assert_eq!(world.get_pair(a, c), Some(&Owned(3)));
}

#[test]
fn both_see_one_value_of_a_symmetric_pair() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.relate(a, Knows(1), b);
    world.relate(b, Knows(2), a);
    world.relate(c, Knows(3), b);
    world.get_pair_mut::<Knows>(b, a).expect("a pair").0 = 7;
    world.check_invariants();
    assert_eq!((from(&world, a), to(&world, a)), (vec![(b, Knows(7))], vec![(b, Knows(7))]));
    assert_eq!(from(&world, b), [(a, Knows(7)), (c, Knows(3))]);
    assert!(world.unrelate::<Knows>(b, c) && !world.unrelate::<Knows>(c, b));
    assert!(!world.entity(c).contains::<PairSource<Knows>>() && !world.entity(c).contains::<PairTarget<Knows>>());
    assert!(!world.relate(a, Knows(1), a), "itself");
}

#[test]
fn a_twin_has_one_twin() {
    let mut world = World::new();
    let [a, b, c, d] = entities(&mut world);
    world.relate(a, Twin(1), b);
    world.relate(c, Twin(2), d);
    world.relate(b, Twin(3), c);
    world.check_invariants();
    assert!(world.pairs::<Twin>().eq([(b, &Twin(3), c)]));
    world.despawn(c);
    world.check_invariants();
    assert!(!world.contains(b) && world.contains(a) && world.contains(d));
}

#[test]
fn what_cannot_be_a_pair_is_reported() {
    let mut world = World::new();
    let [a, b, c, dead] = entities(&mut world);
    world.despawn(dead);
    world.relate(a, Below(1), b);
    world.relate(b, Below(2), c);
    assert!(!world.relate(c, Below(3), a) && !world.relate(a, Below(4), a));
    assert!(!world.relate(a, Likes(1), dead) && !world.relate(dead, Likes(1), a));
    assert!(world.relate(a, Needs(1), b) && world.relate(a, Needs(1), c) && world.relate(b, Needs(1), c));
    assert!(!world.relate(c, Needs(1), a));
    let errors = world.take_command_errors().0;
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(texts[0].contains("cannot be a pair of") && texts[0].contains("close a circle"), "{}", texts[0]);
    assert!(texts[2].contains("despawned"), "{}", texts[2]);
    assert_eq!((errors.len(), errors[4].command()), (5, "relate"));
    world.check_invariants();
}

#[test]
fn pairs_go_with_the_component_that_stands_for_them() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    for (source, target) in [(a, b), (a, c), (c, a)] {
        world.relate(source, Likes(1), target);
        world.relate(source, Remembers(1), target);
    }
    world.entity_mut(a).remove::<PairSource<Likes>>();
    world.check_invariants();
    assert!(world.pairs::<Likes>().eq([(c, &Likes(1), a)]));
    world.entity_mut(a).clear();
    world.check_invariants();
    assert_eq!(world.pair_count::<Likes>() + world.pair_count::<Remembers>(), 0);
}

#[test]
fn what_was_planned_before_there_were_pairs_knows_of_them() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.entity_mut(a).clear();
    world.relate(a, Likes(1), b);
    world.entity_mut(b).insert(ChildOf(c));
    [a, b].into_iter().for_each(|entity| _ = world.entity_mut(entity).clear());
    world.check_invariants();
    assert_eq!((world.pair_count::<Likes>(), crate::children(&world, c)), (0, vec![]));
}

#[test]
fn a_component_that_is_taken_and_put_elsewhere_stands_for_nothing() {
    let mut world = World::new();
    let [a, b] = entities(&mut world);
    world.relate(a, Likes(1), b);
    let mut values = world.entity_mut(a).take_all();
    world.check_invariants();
    assert_eq!(world.pair_count::<Likes>(), 0);
    let other = world.spawn_dynamic(&mut values).id();
    world.check_invariants();
    assert!(!world.entity(other).contains::<PairSource<Likes>>());
}

#[test]
fn a_clone_has_pairs_with_the_same_targets() {
    /// It cannot be cloned.
    #[derive(Relation)]
    struct Holds;

    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.relate(a, Likes(1), b);
    world.relate(c, Likes(2), a);
    world.relate(a, Owned(3), c);
    world.relate(a, Twin(4), b);
    world.relate(a, Knows(5), b);
    let clone = world.clone_entity(a).expect("all can be cloned");
    world.check_invariants();
    assert_eq!((from(&world, clone), to::<Likes>(&world, clone)), (vec![(b, Likes(1))], vec![]));
    assert_eq!((from(&world, clone), from(&world, clone)), (vec![(c, Owned(3))], vec![(b, Knows(5))]));
    assert_eq!((from::<Twin>(&world, clone), from(&world, a)), (vec![], vec![(b, Twin(4))]));
    world.relate(a, Holds, b);
    match world.clone_entity(a) {
        Err(CloneError::NotClone { components, .. }) => assert!(components[0].ends_with("Holds")),
        other => panic!("{other:?}"),
    }
    world
        .entity_mut(a)
        .clone_with_opt_out(c, |builder| _ = builder.deny::<PairSource<Holds>>())
        .expect("it is left out");
    world.check_invariants();
    assert_eq!(from(&world, c), [(a, Likes(2)), (b, Likes(1))]);
}

#[test]
fn pairs_among_those_that_move_go_with_them() {
    let (mut here, mut there) = (World::new(), World::new());
    there.spawn_empty();
    let [a, b, c] = entities(&mut here);
    for (source, target) in [(a, b), (b, c), (c, a)] {
        here.relate(source, Likes(source.index()), target);
        here.relate(source, Remembers(1), target);
        here.relate(source, Knows(source.index()), target);
    }
    here.relate(c, Owned(1), a);
    let ids = here.many(&[a, b]).move_to(&mut there);
    here.check_invariants();
    there.check_invariants();
    let [new_a, new_b] = [a, b].map(|old| ids.get(old).expect("it has moved"));
    assert!(there.pairs::<Likes>().eq([(new_a, &Likes(a.index()), new_b)]));
    assert!(there.pairs::<Knows>().eq([(new_a, &Knows(a.index()), new_b)]));
    assert_eq!(there.pair_count::<Remembers>(), 1);
    assert_eq!(here.pair_count::<Likes>() + here.pair_count::<Remembers>() + here.pair_count::<Knows>(), 0);
    assert!(here.contains(c), "its target has not ended");
}

#[test]
fn memory_follows_the_pairs() {
    let mut world = World::new();
    let all = entities::<2000>(&mut world);
    world.relate(all[0], Likes(0), all[1]);
    world.shrink_to_fit();
    let before = world.allocated_bytes();
    for nth in 0..2000 {
        world.relate(all[nth], Likes(1), all[nth * 7 % 2000]);
        world.relate(all[nth], Likes(1), all[0]);
    }
    let full = world.allocated_bytes();
    assert!(full - before > 2000 * 2 * 24);
    all.iter().for_each(|&source| world.unrelate_from::<Likes>(source));
    world.shrink_to_fit();
    world.check_invariants();
    assert!(world.allocated_bytes() <= before + 256, "{} {}", world.allocated_bytes(), before);
    for nth in 0..2000 {
        world.relate(all[nth], Likes(1), all[nth * 7 % 2000]);
    }
    let without_shrinking = world.allocated_bytes();
    world.shrink_to_fit();
    world.check_invariants();
    assert!(world.allocated_bytes() < without_shrinking);
    assert!(
        all.iter().enumerate().all(|(nth, &source)| world.get_pair(source, all[nth * 7 % 2000]) == Some(&Likes(1)))
    );
}

#[test]
fn commands_make_and_remove_pairs() {
    let mut world = World::new();
    let [a, b] = entities(&mut world);
    let mut commands = world.commands();
    let made = commands.spawn_empty().relate(Likes(1), a).id();
    commands.relate(a, Likes(2), b);
    commands.entity(a).relate(Likes(3), made).unrelate::<Likes>(b);
    commands.unrelate::<Likes>(b, a);
    commands.entity(b).despawn();
    commands.relate(made, Likes(4), b);
    world.flush();
    world.check_invariants();
    assert!(world.pairs::<Likes>().eq([(made, &Likes(1), a), (a, &Likes(3), made)]));
    assert_eq!(world.take_command_errors().0.len(), 1);
}

#[test]
fn the_derive_says_what_it_is_told() {
    assert_eq!(
        [Likes::ON_TARGET_DESPAWN, Owned::ON_TARGET_DESPAWN, Remembers::ON_TARGET_DESPAWN],
        [OnTargetDespawn::Release, OnTargetDespawn::Cascade, OnTargetDespawn::Ignore]
    );
    assert_eq!([Likes::EXCLUSIVE, Owned::EXCLUSIVE, Knows::SYMMETRIC, Below::ACYCLIC], [false, true, true, true]);
    assert!(Likes::CLONE.is_some());
}

#[test]
fn a_relation_may_have_parameters() {
    #[derive(Relation)]
    #[relation(exclusive)]
    struct Slot<T, const N: usize>(T);

    let mut world = World::new();
    let [a, b] = entities(&mut world);
    world.relate(a, Slot::<_, 1>("x"), b);
    world.relate(a, Slot::<_, 2>("y"), b);
    assert_eq!(world.get_pair::<Slot<&str, 1>>(a, b).map(|slot| slot.0), Some("x"));
    assert_eq!(world.get_pair::<Slot<&str, 2>>(a, b).map(|slot| slot.0), Some("y"));
}
