//! Lists of sources from which single sources are removed, read as a whole and in part, in any order.

use std::thread;

use proptest::prelude::*;
use strata_ecs::prelude::*;
use strata_ecs::relationship::SourceListIter;

fn family(count: usize) -> (World, Entity, Vec<Entity>) {
    let mut world = World::new();
    let parent = world.spawn_empty().id();
    let children = (0..count).map(|_| world.spawn(ChildOf(parent)).id()).collect();
    (world, parent, children)
}

fn list(world: &World, parent: Entity) -> &Children {
    world.get::<Children>(parent).unwrap()
}

fn iter(world: &World, parent: Entity) -> SourceListIter<'_> {
    RelationshipTarget::iter(list(world, parent))
}

#[test]
fn the_number_of_sources_is_right_after_removals() {
    let (mut world, parent, children) = family(100);
    for (removed, &child) in children[..99].iter().enumerate() {
        world.despawn(child);
        assert_eq!(RelationshipTarget::len(list(&world, parent)), 99 - removed);
    }
    world.despawn(children[99]);
    assert!(world.get::<Children>(parent).is_none());
}

#[test]
fn an_iterator_yields_the_remaining_sources_in_order() {
    let (mut world, parent, mut children) = family(100);
    for at in [50, 0, 0, 96, 95, 20, 20, 0] {
        world.despawn(children.remove(at));
        assert!(iter(&world, parent).eq(children.iter().copied()));
        assert!(iter(&world, parent).rev().eq(children.iter().rev().copied()));
        assert_eq!(iter(&world, parent).len(), children.len());
        assert_eq!(iter(&world, parent).nth(30), Some(children[30]));
        assert_eq!(iter(&world, parent).fold(0, |count, _| count + 1), children.len());
    }
}

#[test]
fn an_iterator_stays_valid_while_the_list_is_read_as_a_slice() {
    let (mut world, parent, children) = family(100);
    world.despawn(children[10]);
    let mut iter = iter(&world, parent);
    assert!(iter.by_ref().take(5).eq(children[..5].iter().copied()));
    let slice: &[Entity] = list(&world, parent);
    assert_eq!(slice.len(), 99);
    assert!(iter.eq(slice[5..].iter().copied()));
    // The list that was read is the stored list from now on.
    world.despawn(children[20]);
    assert_eq!(list(&world, parent)[18..20], [children[19], children[21]]);
}

#[test]
fn several_threads_read_a_list_with_holes() {
    for _ in 0..20 {
        let (mut world, parent, children) = family(300);
        (0..100).for_each(|at| _ = world.despawn(children[at * 3]));
        let expected: Vec<Entity> = children.iter().copied().filter(|child| world.contains(*child)).collect();
        let (world, expected) = (&world, &expected);
        thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || {
                    if number % 2 == 0 {
                        assert!(iter(world, parent).eq(expected.iter().copied()));
                    }
                    assert_eq!(**list(world, parent), **expected);
                    assert!(iter(world, parent).eq(expected.iter().copied()));
                });
            }
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: strata_tests::effort::cases(100), ..ProptestConfig::default() })]

    #[test]
    fn a_list_is_as_a_vector(edits in prop::collection::vec((0..8_u8, any::<prop::sample::Index>()), 1..400)) {
        let (mut world, parent, mut expected) = family(60);
        let keeper = world.spawn(ChildOf(parent)).id();
        expected.push(keeper);
        for (edit, at) in edits {
            let at = at.index(expected.len());
            match edit {
                0..=2 if expected[at] != keeper => _ = world.despawn(expected.remove(at)),
                3 => expected.push(world.spawn(ChildOf(parent)).id()),
                4 => {
                    let entity = world.spawn_empty().id();
                    world.entity_mut(parent).insert_children(at, &[entity]);
                    expected.insert(at, entity);
                }
                5 => prop_assert_eq!(&**list(&world, parent), &*expected),
                6 => prop_assert!(iter(&world, parent).eq(expected.iter().copied())),
                _ => prop_assert_eq!(iter(&world, parent).next(), Some(expected[0])),
            }
            prop_assert_eq!(RelationshipTarget::len(list(&world, parent)), expected.len());
        }
        prop_assert_eq!(&**list(&world, parent), &*expected);
    }
}
