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
