//! Linking by commands.

use strata_ecs::prelude::*;

use crate::{LikedBy, Likes, children, entities};

#[test]
fn commands_build_a_tree() {
    fn build(mut commands: Commands) {
        commands.spawn(Root).with_children(|parent| {
            let target = parent.target_entity();
            parent.spawn_empty().with_child(());
            parent.spawn(Leaf);
            assert_eq!(parent.target_entity(), target);
        });
    }
    #[derive(Component)]
    struct Root;
    #[derive(Component)]
    struct Leaf;

    let mut world = World::new();
    world.run_system_once(build).unwrap();
    let root = world.query_filtered::<Entity, With<Root>>().single(&world).unwrap();
    let [first, second] = children(&world, root)[..] else { panic!("two children") };
    assert!(world.entity(second).contains::<Leaf>());
    assert_eq!(children(&world, first).len(), 1);
    world.check_invariants();
}

#[test]
fn each_method_has_its_command() {
    let mut world = World::new();
    let [root, a, b, c, d] = entities(&mut world);
    let children_after = |world: &mut World, record: &dyn Fn(&mut EntityCommands)| {
        let mut commands = world.commands();
        record(&mut commands.entity(root));
        world.flush();
        world.check_invariants();
        children(world, root)
    };
    assert_eq!(children_after(&mut world, &|e| _ = e.add_children(&[a, b])), [a, b]);
    assert_eq!(children_after(&mut world, &|e| _ = e.add_child(c)), [a, b, c]);
    assert_eq!(children_after(&mut world, &|e| _ = e.insert_children(1, &[d])), [a, d, b, c]);
    assert_eq!(children_after(&mut world, &|e| _ = e.insert_child(0, c)), [c, a, d, b]);
    assert_eq!(children_after(&mut world, &|e| _ = e.detach_children(&[a, d])), [c, b]);
    assert_eq!(children_after(&mut world, &|e| _ = e.detach_child(c)), [b]);
    assert_eq!(children_after(&mut world, &|e| _ = e.replace_children(&[d, a])), [d, a]);
    assert_eq!(children_after(&mut world, &|e| _ = e.replace_children_with_difference(&[d], &[a, c], &[c])), [a, c]);
    assert_eq!(children_after(&mut world, &|e| _ = e.add_one_related::<ChildOf>(d)), [a, c, d]);
    assert_eq!(children_after(&mut world, &|e| _ = e.detach_all_children()), []);
    assert_eq!(children_after(&mut world, &|e| _ = e.with_child(()).with_related::<ChildOf>(())).len(), 2);
    assert_eq!(children_after(&mut world, &|e| _ = e.despawn_children()), []);
    assert_eq!(world.len(), 5);
    world.commands().entity(root).with_related_entities::<Likes>(|fans| _ = fans.spawn_empty());
    world.flush();
    assert_eq!(world.get::<LikedBy>(root).unwrap().len(), 1);
    world.commands().entity(root).despawn_related::<LikedBy>();
    world.flush();
    assert_eq!(world.len(), 5);
}

#[test]
fn steps_for_one_entity_come_to_their_last_link() {
    let mut world = World::new();
    let [x, y] = entities(&mut world);
    let a = world.commands().spawn(ChildOf(x)).insert(ChildOf(y)).id();
    world.flush();
    assert_eq!((children(&world, x), children(&world, y)), (vec![], vec![a]));
    world.commands().entity(a).remove::<ChildOf>().insert(ChildOf(x)).remove::<ChildOf>();
    world.flush();
    assert_eq!((children(&world, x), children(&world, y)), (vec![], vec![]));
    world.check_invariants();
}

#[test]
fn a_parent_that_ends_in_the_same_queue_leaves_nothing() {
    let mut world = World::new();
    let [root, a] = entities(&mut world);
    let mut commands = world.commands();
    commands.entity(a).insert(ChildOf(root));
    commands.spawn(ChildOf(root));
    commands.entity(root).despawn();
    world.flush();
    assert!(world.is_empty());
    world.check_invariants();
}

#[test]
fn a_child_that_finds_another_parent_lives() {
    let mut world = World::new();
    let [root, other, a] = entities(&mut world);
    world.entity_mut(root).add_child(a);
    let mut commands = world.commands();
    commands.entity(a).insert(ChildOf(other));
    commands.entity(root).despawn();
    world.flush();
    assert_eq!(children(&world, other), [a]);
    world.check_invariants();
}

#[test]
fn children_that_end_in_one_queue_leave_their_lists() {
    let mut world = World::new();
    let roots = entities::<3>(&mut world);
    let of_each = roots.map(|root| world.spawn_batch((0..40).map(|_| ChildOf(root))).collect::<Vec<Entity>>());
    let leaf = world.spawn(ChildOf(of_each[1][20])).id();
    let goes = |at: &usize| *at >= 10 && at % 3 != 1;
    let mut commands = world.commands();
    for all in &of_each {
        (0..40).filter(goes).for_each(|at| commands.entity(all[at]).despawn());
    }
    world.flush();
    for (root, all) in roots.into_iter().zip(&of_each) {
        let kept: Vec<Entity> = (0..40).filter(|at| !goes(at)).map(|at| all[at]).collect();
        assert_eq!(children(&world, root), kept);
    }
    assert!(world.get_entity(leaf).is_err(), "it ends with its parent");
    world.check_invariants();
    let mut commands = world.commands();
    of_each[0].iter().for_each(|&child| commands.entity(child).try_despawn());
    world.flush();
    assert!(world.get::<Children>(roots[0]).is_none());
    world.check_invariants();
}

#[test]
fn what_is_told_of_a_list_comes_before_the_next_command() {
    #[derive(Resource, Default)]
    struct Counts(Vec<usize>);
    let mut world = World::new();
    world.init_resource::<Counts>();
    let roots = entities::<12>(&mut world);
    let all = roots.map(|root| world.spawn(ChildOf(root)).id());
    world.add_observer(|_: On<Remove<Children>>, others: Query<&ChildOf>, mut counts: ResMut<Counts>| {
        counts.0.push(others.iter().count());
    });
    let mut commands = world.commands();
    all.iter().for_each(|&child| commands.entity(child).despawn());
    world.flush();
    assert_eq!(world.resource::<Counts>().0, (0..12).rev().collect::<Vec<usize>>());
    world.check_invariants();
}

#[test]
fn a_tree_of_several_tables_ends_at_once() {
    #[derive(Component)]
    struct Odd;
    let mut world = World::new();
    let [root, other] = entities(&mut world);
    for at in 0..30 {
        let child = world.spawn(ChildOf(root)).id();
        if at % 7 == 0 {
            world.entity_mut(child).insert(Odd);
        }
        world.spawn_batch((0..6).map(|_| ChildOf(child))).for_each(drop);
    }
    world.despawn(root);
    assert_eq!(world.len(), 1);
    assert!(world.get_entity(other).is_ok());
    world.check_invariants();
}
