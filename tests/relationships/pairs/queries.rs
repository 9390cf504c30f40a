//! Pairs in queries.

use strata_ecs::prelude::*;
use strata_ecs::relation::{PairSource, PairTarget};

use super::{Below, Knows, Likes};
use crate::entities;

#[derive(Component, Debug, PartialEq)]
struct Place(i32);

#[test]
fn filters_know_who_is_in_pairs() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.relate(a, Likes(1), b);
    world.relate(b, Likes(1), c);
    let mut sources = world.query_filtered::<Entity, With<PairSource<Likes>>>();
    assert!(sources.iter(&world).eq([a, b]));
    let mut ends = world.query_filtered::<Entity, (With<PairTarget<Likes>>, Without<PairSource<Likes>>)>();
    assert!(ends.iter(&world).eq([c]));
    world.unrelate::<Likes>(a, b);
    assert!(sources.iter(&world).eq([b]));
}

#[test]
fn the_pairs_of_each_entity() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    for (source, target) in [(a, b), (a, c), (b, c)] {
        world.relate(source, Likes(1), target);
    }
    let mut query = world.query::<(Entity, Pairs<&mut Likes>)>();
    for (source, pairs) in query.iter_mut(&mut world) {
        let count = pairs.len() as u32;
        pairs.for_each(|(_, mut likes)| likes.0 = 10 * count + source.index() - a.index());
    }
    let mut targets = world.query::<(Entity, PairsTo<&Likes>)>();
    let all: Vec<(Entity, Vec<u32>)> =
        targets.iter(&world).map(|(target, pairs)| (target, pairs.map(|(_, likes)| likes.0).collect())).collect();
    assert_eq!(all, [(b, vec![20]), (c, vec![20, 11])]);
    let mut optional = world.query::<Option<Pairs<&Likes>>>();
    assert!(optional.get(&world, c).unwrap().is_none());
    // Several at once: each has values of its own.
    let mut items: Vec<_> = query.iter_mut(&mut world).map(|(_, pairs)| pairs).collect();
    let mut first = items[0].next().unwrap().1;
    let mut second = items[1].next().unwrap().1;
    std::mem::swap(&mut *first, &mut *second);
    assert_eq!((world.get_pair(a, b), world.get_pair(b, c)), (Some(&Likes(11)), Some(&Likes(20))));
}

#[test]
fn what_has_changed_is_known() {
    #[derive(Resource, Default)]
    struct Seen(Vec<(bool, bool)>);

    fn look(all: Query<Pairs<Ref<Likes>>>, mut seen: ResMut<Seen>) {
        seen.0 = all.iter().flatten().map(|(_, likes)| (likes.is_added(), likes.is_changed())).collect();
    }

    let mut world = World::new();
    world.init_resource::<Seen>();
    let mut schedule = Schedule::default();
    schedule.add_systems(look);
    let [a, b, c] = entities(&mut world);
    world.relate(a, Likes(1), b);
    world.relate(a, Likes(2), c);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, [(true, true); 2]);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, [(false, false); 2]);
    world.get_pair_mut::<Likes>(a, c).unwrap().0 = 5;
    world.relate(b, Likes(1), a);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Seen>().0, [(false, false), (false, true), (true, true)]);
}

#[test]
fn the_target_of_an_exclusive_relation() {
    let mut world = World::new();
    let [root] = entities(&mut world);
    let [a, b] = [1, 2].map(|at| world.spawn(Place(at)).id());
    world.relate(a, Below(1), root);
    world.relate(b, Below(2), a);
    let mut query = world.query::<(Entity, Target<Below, (Entity, &Place)>)>();
    let all: Vec<_> = query.iter(&world).collect();
    assert_eq!(all, [(a, None), (b, Some((a, &Place(1))))]);
}

#[test]
fn pairs_in_parallel() {
    let mut world = World::new();
    let all = entities::<500>(&mut world);
    for (nth, &source) in all.iter().enumerate() {
        world.relate(source, Likes(0), all[(nth + 1) % 500]);
        world.relate(source, Likes(0), all[(nth * 3) % 500]);
    }
    fn count(mut query: Query<Pairs<&mut Likes>>) {
        query.par_iter_mut().for_each(|pairs| pairs.for_each(|(_, mut likes)| likes.0 += 1));
    }
    world.run_system_once(count).unwrap();
    assert!(world.pairs::<Likes>().all(|(_, likes, _)| likes.0 == 1));
    assert!(world.pair_count::<Likes>() > 900);
}

#[test]
fn a_symmetric_relation_is_read() {
    let mut world = World::new();
    let [a, b] = entities(&mut world);
    world.relate(a, Knows(3), b);
    let mut query = world.query::<Pairs<&Knows>>();
    let sums: u32 = query.iter(&world).flatten().map(|(_, knows)| knows.0).sum();
    assert_eq!(sums, 6);
}

#[test]
fn a_query_explains_itself() {
    let mut world = World::new();
    let [a, b] = entities(&mut world);
    assert_eq!(world.explain_query::<Pairs<&Likes>>().terms()[0].unregistered(), ["PairSource<Likes>"]);
    world.relate(a, Likes(3), b);
    let explanation = world.explain_query_filtered::<Pairs<&mut Likes>, Without<PairTarget<Likes>>>();
    let terms: Vec<_> = explanation.terms().iter().map(|term| (term.term(), term.entities())).collect();
    assert_eq!(terms, [("&mut PairSource<Likes>", 1), ("Without<PairTarget<Likes>>", 1)]);
    let explanation = world.explain_query_filtered::<Pairs<&Likes>, With<PairTarget<Likes>>>();
    assert_eq!(explanation.culprit().unwrap().term(), "With<PairTarget<Likes>>");
    let explanation = world.explain_query_filtered::<Entity, Changed<Pairs<Likes>>>();
    assert_eq!((explanation.terms()[1].term(), explanation.matched_entities()), ("Changed<PairSource<Likes>>", 1));
    world.clear_trackers();
    let text = world.explain_query_filtered::<Entity, Changed<Pairs<Likes>>>().to_string();
    assert!(text.contains("no pair for which one of these has `PairSource<Likes>` was made or changed"), "{text}");
    world.get_pair_mut::<Likes>(a, b).unwrap().0 = 4;
    world.relate(a, Below(1), b);
    let text = world.explain_query::<(Entity, Target<Below, &Place>)>().to_string();
    assert!(text.contains("PairSource<Below>: 1 table, 1 entity") && text.contains("NestedQuery<&Place"), "{text}");
    assert_eq!(world.explain_query_filtered::<Entity, Changed<PairsTo<Likes>>>().matched_entities(), 1);
    assert!(world.explain_query_filtered::<Entity, Added<PairsTo<Likes>>>().is_empty());
    let text = world.explain_query::<PairsTo<&Likes>>().to_string();
    assert!(text.contains("PairTarget<") && text.contains("PairSource<") && text.contains("Likes"), "{text}");
}
