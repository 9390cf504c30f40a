//! Parents and children.

use proptest::collection::vec;
use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_ecs::world::OnCommandError;
use strata_tests::effort;

use crate::{GuardedBy, Guards, children, entities};

#[test]
fn children_end_with_their_parent() {
    let mut world = World::new();
    let [root, a, b, leaf, other] = entities(&mut world);
    world.entity_mut(root).add_children(&[a, b]);
    world.entity_mut(a).add_child(leaf);
    world.despawn(root);
    assert_eq!(world.len(), 1);
    assert!(world.contains(other));
    world.check_invariants();
}

#[test]
fn deep_trees_need_no_stack() {
    let mut world = World::new();
    let root = world.spawn_empty().id();
    let mut last = root;
    for _ in 0..5_000 {
        last = world.spawn(ChildOf(last)).id();
    }
    world.despawn(root);
    assert!(world.is_empty());
}

#[test]
fn all_are_told_that_end_with_their_parent() {
    fn log(despawned: On<Despawn<Node>>, names: Query<&Node>, mut log: ResMut<Log>) {
        log.0.push(names.get(despawned.entity).unwrap().0);
    }
    #[derive(Component)]
    struct Node(u32);
    #[derive(Resource, Default)]
    struct Log(Vec<u32>);

    let mut world = World::new();
    world.init_resource::<Log>();
    world.add_observer(log);
    let root = world.spawn((Node(1), children![(Node(2), children![Node(4)]), Node(3)])).id();
    world.despawn(root);
    assert_eq!(world.resource::<Log>().0, [1, 2, 3, 4]);
    assert!(world.is_empty());
}

#[test]
fn children_that_are_inserted_far_behind_the_end_come_last_in_order() {
    for at in [2, 3, 100, usize::MAX - 1, usize::MAX] {
        let mut world = World::new();
        let [root, a, b, c, d] = [(); 5].map(|()| world.spawn_empty().id());
        world.entity_mut(root).add_children(&[a, b]).insert_children(at, &[c, d]);
        assert_eq!(**world.get::<Children>(root).unwrap(), [a, b, c, d], "at {at}");
        world.check_invariants();
    }
}

#[test]
fn children_that_are_inserted_stay_together_wherever_they_were() {
    // As numbers of children: the inserted children, the index, and the resulting list of four children and an entity that is not a child.
    let cases: [(&[usize], usize, [usize; 5]); 14] = [
        (&[0, 1], 2, [2, 3, 0, 1, 4]),
        (&[0, 1], 1, [2, 0, 1, 3, 4]),
        (&[0, 1], 0, [0, 1, 2, 3, 4]),
        (&[1, 0], 0, [1, 0, 2, 3, 4]),
        (&[3, 0], 1, [1, 3, 0, 2, 4]),
        (&[0, 3], 1, [1, 0, 3, 2, 4]),
        (&[0, 4, 2], 1, [1, 0, 4, 2, 3]),
        (&[4, 0], 2, [1, 2, 4, 0, 3]),
        (&[0, 2], 9, [1, 3, 0, 2, 4]),
        (&[0, 2, 4], usize::MAX, [1, 3, 0, 2, 4]),
        (&[3, 2, 1, 0], 2, [3, 2, 1, 0, 4]),
        (&[2], 2, [0, 1, 2, 3, 4]),
        // The last time counts, and leaves its place to another one.
        (&[0, 3, 4, 4], 1, [1, 0, 3, 2, 4]),
        (&[1, 1, 0], 0, [2, 1, 0, 3, 4]),
    ];
    for (inserted, index, expected) in cases {
        for by_command in [false, true] {
            let mut world = World::new();
            let all = [(); 5].map(|()| world.spawn_empty().id());
            let root = world.spawn_empty().add_children(&all[..4]).id();
            let ids: Vec<Entity> = inserted.iter().map(|&number| all[number]).collect();
            match by_command {
                true => _ = world.commands().entity(root).insert_children(index, &ids),
                false => _ = world.entity_mut(root).insert_children(index, &ids),
            }
            world.flush();
            let expected: Vec<Entity> = expected.iter().map(|&number| all[number]).collect();
            let mut found = children(&world, root);
            // The entity that was not a child comes last if it is still not a child.
            found.extend(all[4..].iter().filter(|_| !inserted.contains(&4)));
            assert_eq!(found, expected, "{inserted:?} at {index}");
            world.check_invariants();
            // They are found where they are.
            all.iter().for_each(|&child| _ = world.entity_mut(child).remove::<ChildOf>());
            assert!(world.get::<Children>(root).is_none());
            world.check_invariants();
        }
    }
}

#[test]
fn a_child_that_is_refused_takes_no_place_among_those_that_are_inserted() {
    let mut world = World::new();
    let [top, a, b] = [(); 3].map(|()| world.spawn_empty().id());
    let root = world.spawn(ChildOf(top)).add_children(&[a, b]).id();
    // An ancestor of the entity cannot become its child.
    world.entity_mut(root).insert_children(0, &[b, top, a]);
    assert_eq!(children(&world, root), [b, a]);
    world.check_invariants();
}

#[test]
fn order_is_kept() {
    let mut world = World::new();
    let [root, a, b, c, d] = entities(&mut world);
    world.entity_mut(root).add_children(&[d, b, a, c]);
    assert_eq!(children(&world, root), [d, b, a, c]);
    world.entity_mut(root).detach_child(b);
    assert_eq!(children(&world, root), [d, a, c]);
    world.entity_mut(root).insert_children(1, &[b, d]);
    assert_eq!(children(&world, root), [a, b, d, c]);
    world.entity_mut(root).insert_child(0, c).insert_child(9, a);
    assert_eq!(children(&world, root), [c, b, d, a]);
    world.entity_mut(root).replace_children(&[a, c]);
    assert_eq!(children(&world, root), [a, c]);
    assert!(world.get::<ChildOf>(b).is_none() && world.get::<ChildOf>(d).is_none());
    world.entity_mut(root).replace_children_with_difference(&[c], &[d, a], &[d]);
    assert_eq!(children(&world, root), [d, a]);
    world.entity_mut(root).detach_all_children();
    assert!(world.get::<Children>(root).is_none());
    assert_eq!(world.len(), 5);
    world.check_invariants();
}

#[test]
fn a_list_of_children_equals_what_has_the_same_entities_in_order() {
    let mut world = World::new();
    let [root, a, b] = entities(&mut world);
    world.entity_mut(root).add_children(&[a, b]);
    let list = world.get::<Children>(root).unwrap().collection();
    assert!(*list == [a, b] && *list == vec![a, b] && *list == [a, b][..]);
    assert!(*list != [b, a] && *list != vec![a] && *list != [][..]);
}

#[test]
fn replaced_children_can_be_none_or_twice() {
    let mut world = World::new();
    let [root, a, b] = entities(&mut world);
    world.entity_mut(root).add_children(&[a, b]).replace_children(&[b, b]);
    assert_eq!(children(&world, root), [b]);
    world.entity_mut(root).replace_children(&[]);
    assert!(world.get::<Children>(root).is_none());
    world.check_invariants();
}

#[test]
#[should_panic(expected = "despawned")]
fn a_dead_child_is_refused() {
    let mut world = World::new();
    let [root, a] = entities(&mut world);
    world.despawn(a);
    world.entity_mut(root).add_children(&[a]);
}

#[test]
fn children_can_be_sorted() {
    let mut world = World::new();
    let [root, a, b, c] = entities(&mut world);
    world.entity_mut(root).add_children(&[c, a, b]);
    world.get_mut::<Children>(root).unwrap().sort_by_key(|entity| entity.index());
    assert_eq!(children(&world, root), [a, b, c]);
    world.get_mut::<Children>(root).unwrap().sort_unstable_by(|a, b| b.index().cmp(&a.index()));
    world.despawn(b);
    assert_eq!(children(&world, root), [c, a]);
    world.check_invariants();
}

#[test]
fn what_is_below_can_be_changed_at_once() {
    #[derive(Component, Clone)]
    struct Hidden;

    let mut world = World::new();
    let root = world.spawn(children![children![(), ()], ()]).id();
    world.spawn_empty();
    world.entity_mut(root).insert_recursive::<Children>(Hidden);
    assert_eq!(world.query::<&Hidden>().iter(&world).count(), 5);
    let first = children(&world, root)[0];
    world.entity_mut(first).remove_recursive::<Children, Hidden>();
    assert_eq!(world.query::<&Hidden>().iter(&world).count(), 2);
    world.entity_mut(first).despawn_children();
    assert_eq!(world.len(), 4);
    assert!(world.get::<Children>(first).is_none());
    world.check_invariants();
}

#[test]
fn many_entities_can_be_given_a_parent_at_once() {
    let mut world = World::new();
    let [root, other] = entities(&mut world);
    let all: Vec<Entity> = world.spawn_batch((0..100).map(|_| ChildOf(root))).collect();
    assert_eq!(children(&world, root), all);
    world.many(&all[50..]).insert(ChildOf(other));
    assert_eq!((children(&world, root).len(), children(&world, other).len()), (50, 50));
    assert_eq!(world.all::<With<ChildOf>>().remove::<ChildOf>(), 100);
    assert!(world.get::<Children>(root).is_none() && world.get::<Children>(other).is_none());
    world.many(&all).insert(ChildOf(root));
    world.all::<With<Children>>().despawn();
    assert_eq!(world.len(), 1);
    world.check_invariants();
}

#[test]
fn all_can_be_cleared() {
    let mut world = World::new();
    world.spawn(children![children![()], ()]);
    world.clear_entities();
    assert!(world.is_empty());
    world.check_invariants();
    let root = world.spawn(children![()]).id();
    assert_eq!(children(&world, root).len(), 1);
    world.check_invariants();
}

#[test]
fn circles_are_gone_through_once() {
    #[derive(Component, Clone)]
    struct Hidden;

    let mut world = World::new();
    let [a, b] = entities(&mut world);
    world.entity_mut(a).insert(crate::Likes(b));
    world.entity_mut(b).insert(crate::Likes(a));
    world.entity_mut(a).insert_recursive::<crate::LikedBy>(Hidden);
    assert!(world.entity(b).contains::<Hidden>());
    world.entity_mut(a).remove_recursive::<crate::LikedBy, crate::LikedBy>();
    assert!(world.get::<crate::Likes>(a).is_none() && world.get::<crate::Likes>(b).is_none());
    world.check_invariants();
}

#[test]
fn many_children_leave_together() {
    let mut world = World::new();
    let [root] = entities(&mut world);
    let all: Vec<Entity> = world.spawn_batch((0..20_000).map(|_| ChildOf(root))).collect();
    world.entity_mut(root).detach_children(&all[..10_000]);
    assert_eq!(children(&world, root), all[10_000..]);
    world.entity_mut(root).despawn_children();
    assert_eq!(world.len(), 10_001);
    world.check_invariants();
}

#[test]
fn each_of_many_children_is_found() {
    let mut world = World::new();
    for count in [15, 16, 17, 40] {
        for gone in 0..count {
            let [root] = entities(&mut world);
            let mut all: Vec<Entity> = world.spawn_batch((0..count).map(|_| ChildOf(root))).collect();
            world.despawn(all.remove(gone));
            assert_eq!(children(&world, root), all);
            let last = all.pop().unwrap();
            world.entity_mut(root).insert_child(gone.min(all.len()), last);
            all.insert(gone.min(all.len()), last);
            assert_eq!(children(&world, root), all);
        }
    }
    world.check_invariants();
}

#[test]
fn children_that_come_together_leave_their_parents() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    let [first, second, third, alone] = entities(&mut world);
    world.entity_mut(a).add_children(&[first, second, third]);
    world.entity_mut(b).add_child(c);
    // One of them is there already, one has no parent, one is above the new parent and is refused, and one comes twice.
    world.entity_mut(c).add_children(&[second]).add_children(&[third, second, alone, b, first, third]);
    assert_eq!(children(&world, c), [second, third, alone, first]);
    assert_eq!(children(&world, a), []);
    assert_eq!(children(&world, b), [c]);
    assert!(world.get::<ChildOf>(b).is_none());
    world.check_invariants();
    world.entity_mut(a).add_children(&[first, alone, third, second]);
    assert_eq!(children(&world, a), [first, alone, third, second]);
    assert!(world.get::<Children>(c).is_none());
    world.check_invariants();
}

#[test]
fn many_children_of_several_parents_come_together_in_order() {
    let mut world = World::new();
    let parents: Vec<Entity> = (0..4).map(|_| world.spawn_empty().id()).collect();
    let [new, old] = entities(&mut world);
    world.entity_mut(new).add_child(old);
    let spawn = |at: usize| world.spawn(ChildOf(parents[at / 20 % parents.len()])).id();
    let nodes: Vec<Entity> = (0..200).map(spawn).collect();
    // Some stay, one is a child already, one comes twice, and those of one parent come in several runs.
    let mut moved: Vec<Entity> = nodes.iter().copied().filter(|node| node.index() % 7 != 0).collect();
    moved.insert(50, old);
    moved.push(moved[3]);
    world.entity_mut(new).add_children(&moved);
    let come = moved[..moved.len() - 1].iter().copied().filter(|&node| node != old);
    assert_eq!(children(&world, new), [old].into_iter().chain(come).collect::<Vec<_>>());
    for (number, &parent) in parents.iter().enumerate() {
        let stay = nodes.iter().enumerate().filter(|(at, node)| at / 20 % 4 == number && node.index() % 7 == 0);
        assert_eq!(children(&world, parent), stay.map(|(_, &node)| node).collect::<Vec<_>>());
    }
    world.check_invariants();
}

#[test]
fn a_list_has_room_again_when_the_last_of_its_children_have_left() {
    let mut world = World::new();
    let [a, b] = entities(&mut world);
    let all: [Entity; 6] = entities(&mut world);
    world.entity_mut(a).add_children(&all);
    // Holes stay until the last child leaves; then the holes at the end are removed with it.
    for at in [3, 4, 1, 5] {
        world.entity_mut(all[at]).insert(ChildOf(b));
    }
    world.entity_mut(all[4]).insert(ChildOf(a));
    world.entity_mut(all[0]).insert(ChildOf(b));
    assert_eq!(children(&world, a), [all[2], all[4]]);
    assert_eq!(children(&world, b), [all[3], all[1], all[5], all[0]]);
    world.check_invariants();
}

#[test]
fn recorded_links_of_entities_that_have_ended_are_reported_and_the_others_are_made() {
    let mut world = World::new();
    world.on_command_error(OnCommandError::Keep);
    let [parent, ended, child] = entities(&mut world);
    world.despawn(ended);
    world.commands().entity(parent).add_children(&[ended, child]);
    world.commands().spawn(Name::new("behind"));
    world.flush();
    assert_eq!(children(&world, parent), [child]);
    let told = |world: &mut World| world.take_command_errors().0.iter().map(ToString::to_string).collect::<Vec<_>>();
    let errors = told(&mut world);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].contains(&ended.to_string()), "{}", errors[0]);
    assert_eq!(world.query::<&Name>().iter(&world).count(), 1);
    world.commands().entity(parent).insert_children(0, &[ended]).replace_children(&[ended]);
    world.flush();
    assert_eq!(told(&mut world).len(), 2);
    assert_eq!(children(&world, parent), []);
}

/// Some entities, of which some come together to others, and what they are like afterwards.
fn after_moves<R: Relationship>(is_watched: bool, moves: &[(usize, Vec<usize>)]) -> Vec<(Option<Entity>, Vec<Entity>)> {
    let mut world = World::new();
    world.on_command_error(OnCommandError::Ignore);
    if is_watched {
        world.add_observer(|_: On<Insert<R>>| ());
    }
    let all: [Entity; 7] = entities(&mut world);
    for (target, moved) in moves {
        let moved: Vec<Entity> = moved.iter().map(|&at| all[at]).collect();
        world.entity_mut(all[*target]).add_related::<R>(&moved);
        world.check_invariants();
    }
    let of = |&entity: &Entity| {
        let sources = world.get::<R::RelationshipTarget>(entity);
        (world.get::<R>(entity).map(R::get), sources.map_or_else(Vec::new, |sources| sources.iter().collect()))
    };
    all.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(512), failure_persistence: None, ..ProptestConfig::default() })]

    /// Links that would form a cycle are rejected, which is decided when all entities have left their targets. An entity may guard itself.
    #[test]
    fn entities_come_together_to_the_same_places_whether_that_is_watched_or_not(
        moves in vec((0..7usize, vec(0..7usize, 0..5)), 1..8)
    ) {
        prop_assert_eq!(after_moves::<ChildOf>(false, &moves), after_moves::<ChildOf>(true, &moves));
        let sorted = |mut all: Vec<(Option<Entity>, Vec<Entity>)>| {
            all.iter_mut().for_each(|(_, sources)| sources.sort());
            all
        };
        prop_assert_eq!(sorted(after_moves::<Guards>(false, &moves)), sorted(after_moves::<Guards>(true, &moves)));
    }
}

#[test]
fn entities_come_together_to_one_that_names_itself() {
    let mut world = World::new();
    let [itself, first, second] = entities(&mut world);
    world.entity_mut(itself).insert(Guards(itself));
    world.entity_mut(itself).add_related::<Guards>(&[first]).add_related::<Guards>(&[]);
    world.entity_mut(first).add_related::<Guards>(&[second]);
    assert_eq!(world.get(second), Some(&Guards(first)));
    assert_eq!(world.get::<GuardedBy>(itself).unwrap().len(), 2);
    world.check_invariants();
}

/// Spawns an entity with a number, and possibly another component, in a table or in sparse storage.
fn with_value(world: &mut World, number: u64, kind: u8) -> Entity {
    #[derive(Component)]
    struct Owned(Box<u64>);

    let mut entity = world.spawn(Numbered(number));
    match kind {
        0 => _ = entity.insert(Wide([number; 3])),
        1 => _ = entity.insert(Rare(number)),
        2 => _ = entity.insert(Mark),
        3 => _ = entity.insert(Owned(Box::new(number))),
        _ => {}
    }
    entity.id()
}

#[derive(Component, PartialEq, Debug)]
struct Numbered(u64);

#[derive(Component, PartialEq, Debug)]
struct Wide([u64; 3]);

#[derive(Component, PartialEq, Debug)]
#[component(storage = "sparse")]
struct Rare(u64);

#[derive(Component)]
#[component(storage = "sparse")]
struct Mark;

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    /// Consecutive rows are removed together, and rows from the end of the table replace them.
    #[test]
    fn those_that_stay_when_trees_end_keep_what_they_have(
        trees in vec(vec(0..24u8, 0..9), 1..12),
        is_spread in any::<bool>(),
        ends in vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut world = World::new();
        let roots: Vec<Entity> = trees.iter().map(|_| with_value(&mut world, u64::MAX, 9)).collect();
        let mut below: Vec<Vec<Entity>> = vec![Vec::new(); trees.len()];
        let longest = trees.iter().map(Vec::len).max().unwrap_or(0);
        let places = (0..trees.len() * longest).map(|at| match is_spread {
            true => (at % trees.len(), at / trees.len()),
            false => (at / longest, at % longest),
        });
        let mut all = Vec::new();
        for (tree, at) in places {
            let Some(&kind) = trees[tree].get(at) else { continue };
            let number = all.len() as u64;
            let child = with_value(&mut world, number, kind);
            // Some have the one before them as their parent.
            let above = below[tree].last().copied().filter(|_| kind >= 18).unwrap_or(roots[tree]);
            world.entity_mut(above).add_child(child);
            below[tree].push(child);
            all.push((tree, child, kind));
        }
        let mut alive = vec![true; trees.len()];
        for end in ends {
            let tree = end.index(trees.len());
            prop_assert_eq!(world.despawn(roots[tree]), alive[tree]);
            alive[tree] = false;
            world.check_invariants();
            for (number, &(tree, child, kind)) in all.iter().enumerate() {
                let (number, lives) = (number as u64, alive[tree]);
                prop_assert_eq!(world.get(child).map(|Numbered(it)| *it), lives.then_some(number));
                prop_assert_eq!(world.get(child).map(|Wide(them)| *them), (lives && kind == 0).then_some([number; 3]));
                prop_assert_eq!(world.get(child).map(|Rare(it)| *it), (lives && kind == 1).then_some(number));
                prop_assert_eq!(world.get::<Mark>(child).is_some(), lives && kind == 2);
            }
        }
        let more: Vec<Entity> = (0..100).map(|number| with_value(&mut world, number, 1)).collect();
        prop_assert!(more.iter().zip(0..).all(|(&entity, number)| world.get(entity) == Some(&Rare(number))));
        world.check_invariants();
    }
}
