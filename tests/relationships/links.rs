//! The operations that add and remove links, and those that do not.

use strata_ecs::entity::EntityCloner;
use strata_ecs::prelude::*;

use crate::{Flies, GuardedBy, Guards, LikedBy, Likes, Pilot, children, entities};

#[test]
fn the_list_comes_with_the_first_source_and_goes_with_the_last() {
    let mut world = World::new();
    let [a, b, target] = entities(&mut world);
    world.entity_mut(a).insert(Likes(target));
    world.entity_mut(b).insert(Likes(target));
    assert!(world.get::<LikedBy>(target).unwrap().iter().eq([a, b]));
    world.entity_mut(a).remove::<Likes>();
    assert!(world.get::<LikedBy>(target).unwrap().iter().eq([b]));
    world.despawn(b);
    assert!(world.get::<LikedBy>(target).is_none());
    world.check_invariants();
}

#[test]
fn another_value_moves_the_link() {
    let mut world = World::new();
    let [a, x, y] = entities(&mut world);
    world.entity_mut(a).insert(Likes(x)).insert(Likes(y));
    assert!(world.get::<LikedBy>(x).is_none());
    assert!(world.get::<LikedBy>(y).unwrap().iter().eq([a]));
    // The same once more changes nothing.
    world.entity_mut(a).insert(Likes(y));
    assert_eq!(world.get::<LikedBy>(y).unwrap().len(), 1);
    world.check_invariants();
}

#[test]
fn circles_of_plain_links_are_links() {
    let mut world = World::new();
    let [a, b] = entities(&mut world);
    world.entity_mut(a).insert(Likes(b));
    world.entity_mut(b).insert(Likes(a));
    assert!(world.get::<LikedBy>(a).unwrap().iter().eq([b]));
    world.despawn(a);
    assert!(world.get::<Likes>(b).is_none() && world.get::<LikedBy>(b).is_none());
    assert!(world.take_command_errors().0.is_empty());
    world.check_invariants();
}

#[test]
fn the_end_of_a_target_removes_what_names_it() {
    let mut world = World::new();
    let [a, b, target] = entities(&mut world);
    world.many(&[a, b]).insert(Likes(target));
    world.despawn(target);
    assert!(world.contains(a) && world.get::<Likes>(a).is_none() && world.get::<Likes>(b).is_none());
    world.check_invariants();
}

#[test]
fn removing_the_list_removes_what_names_the_entity() {
    let mut world = World::new();
    let [a, b, target] = entities(&mut world);
    world.many(&[a, b]).insert(ChildOf(target));
    world.entity_mut(target).remove::<Children>();
    assert!(world.get::<ChildOf>(a).is_none() && world.get::<ChildOf>(b).is_none());
    assert_eq!(world.len(), 3);
    world.check_invariants();
}

#[test]
fn a_single_source_gives_way_to_another_one() {
    let mut world = World::new();
    let [ann, ben, ship] = entities(&mut world);
    world.entity_mut(ann).insert(Flies(ship));
    world.entity_mut(ben).insert(Flies(ship));
    assert!(world.get::<Flies>(ann).is_none());
    assert!(world.get::<Pilot>(ship).unwrap().iter().eq([ben]));
    world.check_invariants();
}

#[test]
fn an_entity_links_to_itself_only_if_that_is_said() {
    let mut world = World::new();
    let [a] = entities(&mut world);
    world.entity_mut(a).insert(Guards(a));
    assert!(world.get::<GuardedBy>(a).unwrap().iter().eq([a]));
    world.entity_mut(a).insert(Likes(a));
    assert!(world.get::<Likes>(a).is_none());
    let errors = world.take_command_errors().0;
    assert!(errors[0].to_string().contains("cannot be linked to itself"), "{}", errors[0]);
    assert_eq!(errors[0].command(), "insert");
    assert!(errors[0].bundle().ends_with("Likes"));
    world.check_invariants();
    world.despawn(a);
    assert!(world.is_empty());
}

#[test]
fn a_dead_target_makes_no_link() {
    let mut world = World::new();
    let [a, b, dead] = entities(&mut world);
    world.despawn(dead);
    world.entity_mut(a).insert(ChildOf(dead));
    assert!(world.get::<ChildOf>(a).is_none());
    let errors = world.take_command_errors().0;
    assert!(errors[0].to_string().contains("is not alive"), "{}", errors[0]);
    // It is no longer linked to its previous target.
    world.entity_mut(a).insert(ChildOf(b)).insert(ChildOf(dead));
    assert!(world.get::<ChildOf>(a).is_none() && world.get::<Children>(b).is_none());
    world.check_invariants();
}

#[test]
fn children_are_never_above_their_parents() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.entity_mut(b).insert(ChildOf(a));
    world.entity_mut(c).insert(ChildOf(b));
    world.entity_mut(a).insert(ChildOf(c));
    assert!(world.get::<ChildOf>(a).is_none());
    let errors = world.take_command_errors().0;
    assert!(errors[0].to_string().contains("they would end with each other"), "{}", errors[0]);
    // In one operation the first one counts.
    let [x, y] = entities(&mut world);
    let other = [(x, y), (y, x)];
    world.many(&[x, y]).insert_with(|entity| ChildOf(other.iter().find(|pair| pair.0 == entity).unwrap().1));
    assert_eq!(world.get(x), Some(&ChildOf(y)));
    assert!(world.get::<ChildOf>(y).is_none());
    world.check_invariants();
}

#[test]
fn links_of_one_operation_are_there_when_it_is_told() {
    fn log(added: On<Add<ChildOf>>, parents: Query<&ChildOf>, lists: Query<&Children>, mut seen: ResMut<Seen>) {
        let parent = parents.get(added.entity).unwrap().parent();
        seen.0.push(lists.get(parent).unwrap().to_vec());
    }
    #[derive(Resource, Default)]
    struct Seen(Vec<Vec<Entity>>);

    let mut world = World::new();
    world.init_resource::<Seen>();
    world.add_observer(log);
    let [parent] = entities(&mut world);
    let batch = world.spawn_batch([ChildOf(parent), ChildOf(parent)]).collect::<Vec<_>>();
    assert_eq!(world.resource::<Seen>().0, [batch.clone(), batch]);
}

#[test]
fn what_is_refused_is_told_and_goes() {
    fn came(_: On<Add<ChildOf>>, mut log: ResMut<Log>) {
        log.0.push("came");
    }
    fn went(_: On<Remove<ChildOf>>, mut log: ResMut<Log>) {
        log.0.push("went");
    }
    #[derive(Resource, Default)]
    struct Log(Vec<&'static str>);

    let mut world = World::new();
    world.init_resource::<Log>();
    world.add_observer(came);
    world.add_observer(went);
    let [a] = entities(&mut world);
    world.entity_mut(a).insert(ChildOf(a));
    assert_eq!(world.resource::<Log>().0, ["came", "went"]);
    assert!(!world.entity(a).contains::<ChildOf>());
}

#[test]
fn changes_of_a_list_are_changes() {
    let mut world = World::new();
    let [a, b, root] = entities(&mut world);
    world.entity_mut(a).insert(ChildOf(root));
    let mut changed = world.query_filtered::<Entity, Changed<Children>>();
    let mut schedule = Schedule::default();
    schedule.add_systems(|lists: Query<Entity, Changed<Children>>, mut count: ResMut<Count>| {
        count.0 += lists.iter().count()
    });
    #[derive(Resource, Default)]
    struct Count(usize);
    world.init_resource::<Count>();
    schedule.run(&mut world);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Count>().0, 1);
    world.entity_mut(b).insert(ChildOf(root));
    schedule.run(&mut world);
    assert_eq!(world.resource::<Count>().0, 2);
    world.despawn(a);
    schedule.run(&mut world);
    assert_eq!(world.resource::<Count>().0, 3);
    let _ = changed.iter(&world).count();
}

#[test]
fn a_list_by_hand_keeps_those_that_name_the_entity() {
    let mut world = World::new();
    let [a, b, c, root] = entities(&mut world);
    world.many(&[a, b]).insert(ChildOf(root));
    world.entity_mut(root).insert(Children::from_collection_risky(vec![b, c, b].into()));
    assert_eq!(children(&world, root), [b]);
    assert!(world.get::<ChildOf>(a).is_none() && world.get::<ChildOf>(c).is_none());
    world.check_invariants();
    world.entity_mut(root).insert(Children::from_collection_risky(vec![c].into()));
    assert!(world.get::<Children>(root).is_none());
    world.check_invariants();
}

#[test]
fn sources_that_go_leave_the_others_in_order() {
    let mut world = World::new();
    let [root] = entities(&mut world);
    let mut left: Vec<Entity> = (0..300).map(|_| world.spawn(ChildOf(root)).id()).collect();
    let mut seed = 7_usize;
    while !left.is_empty() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (seed >> 33) % left.len();
        match (seed >> 20) % 5 {
            0 => assert_eq!(children(&world, root), left),
            1 => {
                let mut list = world.get_mut::<Children>(root).unwrap();
                list.sort_by_key(|&child| std::cmp::Reverse(child));
                left.sort_by_key(|&child| std::cmp::Reverse(child));
            }
            2 => _ = world.entity_mut(left.remove(at)).remove::<ChildOf>(),
            3 => {
                let child = left.remove(at);
                world.entity_mut(child).remove::<ChildOf>().insert(ChildOf(root));
                left.push(child);
            }
            _ => assert!(world.despawn(left.remove(at))),
        }
    }
    assert!(world.get::<Children>(root).is_none());
    world.check_invariants();
}

#[test]
fn threads_that_read_a_list_at_once_all_wait_for_its_holes_to_be_closed() {
    let mut world = World::new();
    let [root] = entities(&mut world);
    for _ in 0..50 {
        let spawned: Vec<Entity> = (0..500).map(|_| world.spawn(ChildOf(root)).id()).collect();
        spawned.iter().step_by(3).for_each(|&child| _ = world.despawn(child));
        let left: Vec<Entity> = spawned.into_iter().enumerate().filter(|(at, _)| at % 3 != 0).map(|(_, e)| e).collect();
        let world = &world;
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert!(children(world, root).ends_with(&left)));
            }
        });
    }
    world.check_invariants();
}

#[test]
fn lists_that_a_program_has_exchanged_are_mended_when_one_of_them_changes() {
    for ends in [false, true] {
        let mut world = World::new();
        let [a, b] = entities(&mut world);
        let [of_a, of_b] = [a, b].map(|root| [(); 3].map(|()| world.spawn(ChildOf(root)).id()));
        let [mut of_first, mut of_second] = world.entity_mut([a, b]);
        let (mut first, mut second) =
            (of_first.get_mut::<Children>().unwrap(), of_second.get_mut::<Children>().unwrap());
        std::mem::swap(&mut *first, &mut *second);
        if ends {
            world.despawn(a);
            assert!(of_a.iter().all(|&child| !world.contains(child)));
        } else {
            world.despawn(of_a[0]);
            assert_eq!(children(&world, a), of_a[1..]);
        }
        assert_eq!(children(&world, b), of_b);
        world.check_invariants();
        *world.get_mut::<Children>(b).unwrap() = Children::default();
        world.despawn(b);
        assert!(of_b.iter().all(|&child| !world.contains(child)));
        world.check_invariants();
    }
}

/// Operations that remove the list of a target, alone or with other components.
const TAKE_THE_LIST: &[fn(&mut World, Entity)] = &[
    |world, target| _ = world.despawn(target),
    |world, target| _ = world.entity_mut(target).clear(),
    |world, target| _ = world.entity_mut(target).remove::<Children>(),
    |world, target| _ = world.entity_mut(target).retain::<Name>(),
    |world, target| _ = world.entity_mut(target).insert(Children::default()),
    |world, target| drop(world.entity_mut(target).take::<Children>()),
    |world, target| drop(world.entity_mut(target).take::<(Name, Children)>()),
    |world, target| _ = world.many(&[target]).despawn(),
    |world, target| {
        let mut taken = world.entity_mut(target).take_all();
        let other = world.spawn_dynamic(&mut taken).id();
        assert!(children(world, other).is_empty());
        assert_eq!(world.get::<Name>(other), Some(&Name::new("target")));
    },
];

#[test]
fn lists_that_are_exchanged_are_mended_before_an_operation_without_changing_an_entity() {
    let meanwhile: [fn(&mut World); 3] =
        [|_| {}, World::clear_entities, |world| _ = world.spawn(Name::new("another")).insert(Children::default())];
    for (number, take) in TAKE_THE_LIST.iter().enumerate() {
        for meanwhile in meanwhile {
            let mut world = World::new();
            let target = world.spawn((Name::new("target"), Children::default())).id();
            let [other] = entities(&mut world);
            let listed = [(); 3].map(|()| world.spawn(ChildOf(other)).id());
            let [mut first, mut second] = world.entity_mut([target, other]);
            std::mem::swap(&mut *first.get_mut::<Children>().unwrap(), &mut *second.get_mut::<Children>().unwrap());
            world.add_observer(move |_: On<Remove<Children>>, mut commands: Commands| commands.queue(meanwhile));
            take(&mut world, target);
            world.flush();
            world.check_invariants();
            if world.contains(other) {
                assert_eq!(children(&world, other), listed, "operation {number}");
            }
            let mut spawned = [(); 8].map(|()| world.spawn_empty().id());
            spawned.sort_unstable();
            assert!(spawned.windows(2).all(|pair| pair[0] != pair[1]), "operation {number}");
        }
    }
}

/// Operations that use the whole list of the first entity. The second entity also has a list, and the third one does not.
const USE_THE_LIST: &[fn(&mut World, [Entity; 3])] = &[
    |world, [a, b, _]| _ = world.entity_mut(a).move_components::<Children>(b).unwrap(),
    |world, [a, _, c]| _ = world.entity_mut(a).move_components::<(Name, Children)>(c).unwrap(),
    |world, [a, b, _]| {
        _ = EntityCloner::build_opt_out(world).move_components(true).clone_entity(a, b).unwrap();
    },
    |world, [a, b, _]| {
        _ = EntityCloner::build_opt_out(world).linked_cloning(true).clone_entity(a, b).unwrap();
    },
    |world, [a, _, c]| {
        _ = EntityCloner::build_opt_out(world).linked_cloning(true).clone_entity(a, c).unwrap();
    },
    |world, [a, _, _]| {
        let mut cloner = EntityCloner::build_opt_out(world).linked_cloning(true).move_components(true).finish();
        cloner.spawn_clone(world, a).unwrap();
    },
    |world, [a, _, _]| _ = world.entity_mut(a).despawn_children(),
    |world, [a, _, _]| _ = world.entity_mut(a).replace_children(&[]),
    |world, [a, _, c]| _ = world.entity_mut(a).replace_children(&[c]),
    |world, [a, _, _]| _ = world.entity_mut(a).insert_children(0, &[]),
    |world, [a, _, c]| _ = world.entity_mut(a).insert_children(1, &[c]),
    |world, [a, _, _]| _ = world.entity_mut(a).insert_recursive::<Children>(Name::new("below")),
    |world, [a, _, _]| _ = world.entity_mut(a).remove_recursive::<Children, Name>(),
    |world, [a, _, _]| _ = world.entity_mut(a).detach_all_children(),
    |world, [a, _, _]| {
        let mut other = World::new();
        let mut linked = world.query::<(Entity, &ChildOf)>();
        let sources = linked.iter(world).filter(|(_, parent)| parent.0 == a).map(|(child, _)| child);
        let moved: Vec<Entity> = sources.chain([a]).collect();
        world.many(&moved).move_to(&mut other);
        *world = other;
    },
    |world, _| {
        let all = std::mem::take(world);
        world.spawn_empty();
        world.move_entities_from(all);
    },
];

/// The entities of a world with their children, their parents and their names.
fn tree(world: &mut World) -> Vec<(Entity, Vec<Entity>, Option<Entity>, Option<String>)> {
    let mut all: Vec<Entity> = world.query::<Entity>().iter(world).collect();
    all.sort_unstable();
    let name = |entity| world.get::<Name>(entity).map(ToString::to_string);
    let parent = |entity| world.get::<ChildOf>(entity).map(ChildOf::parent);
    all.into_iter().map(|entity| (entity, children(world, entity), parent(entity), name(entity))).collect()
}

#[test]
fn an_operation_on_an_exchanged_list_uses_the_sources_that_are_linked() {
    let exchange_with: [fn(&mut World, [Entity; 3]); 3] = [
        |_, _| {},
        |world, [a, b, _]| {
            let [mut first, mut second] = world.entity_mut([a, b]);
            std::mem::swap(&mut *first.get_mut::<Children>().unwrap(), &mut *second.get_mut::<Children>().unwrap());
        },
        |world, [a, _, _]| _ = std::mem::take(&mut *world.get_mut::<Children>(a).unwrap()),
    ];
    for (number, operation) in USE_THE_LIST.iter().enumerate() {
        let trees = exchange_with.map(|exchange| {
            let mut world = World::new();
            let targets @ [a, b, _] = ["a", "b", "c"].map(|name| world.spawn(Name::new(name)).id());
            for (target, count) in [(b, 2), (a, 3)] {
                (0..count).for_each(|nth| _ = world.spawn((ChildOf(target), Name::new(format!("child {nth}")))));
            }
            let last = children(&world, a)[2];
            world.entity_mut(a).insert_children(0, &[last]);
            exchange(&mut world, targets);
            operation(&mut world, targets);
            world.flush();
            world.check_invariants();
            tree(&mut world)
        });
        assert_eq!(trees[1], trees[0], "operation {number}, lists swapped");
        assert_eq!(trees[2], trees[0], "operation {number}, a list taken");
    }
}
