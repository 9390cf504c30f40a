//! Queries over what is linked.

use strata_ecs::prelude::*;

use crate::{LikedBy, Likes, children, entities};

/// root -> (a -> (c, d), b), each a child of the one before.
fn tree(world: &mut World) -> [Entity; 5] {
    let [root, a, b, c, d] = entities(world);
    world.entity_mut(root).add_children(&[a, b]);
    world.entity_mut(a).add_children(&[c, d]);
    [root, a, b, c, d]
}

#[test]
fn queries_go_up_and_down() {
    fn check(
        family: Query<(Option<&ChildOf>, Option<&Children>)>,
        up: Query<&ChildOf>,
        down: Query<&Children>,
        tree: Res<Tree>,
    ) {
        let [root, a, b, c, d] = tree.0;
        assert_eq!(up.related::<ChildOf>(c), Some(a));
        assert_eq!(up.related::<ChildOf>(root), None);
        assert!(down.relationship_sources::<Children>(a).eq([c, d]));
        assert!(up.iter_ancestors::<ChildOf>(d).eq([a, root]));
        assert_eq!(up.root_ancestor::<ChildOf>(d), root);
        assert_eq!(up.root_ancestor::<ChildOf>(root), root);
        assert!(down.iter_descendants::<Children>(root).eq([a, b, c, d]));
        assert!(down.iter_descendants_depth_first::<Children>(root).eq([a, c, d, b]));
        assert!(down.iter_leaves::<Children>(root).eq([c, d, b]));
        assert!(family.iter_siblings::<ChildOf>(a).eq([b]));
        assert_eq!(family.iter_siblings::<ChildOf>(root).count(), 0);
    }
    #[derive(Resource)]
    struct Tree([Entity; 5]);

    let mut world = World::new();
    let tree = tree(&mut world);
    world.insert_resource(Tree(tree));
    world.run_system_once(check).unwrap();
}

#[test]
fn both_sides_are_query_terms() {
    let mut world = World::new();
    let [root, a, b, c, d] = tree(&mut world);
    let mut roots = world.query_filtered::<Entity, (With<Children>, Without<ChildOf>)>();
    assert!(roots.iter(&world).eq([root]));
    let mut leaves = world.query_filtered::<Entity, (With<ChildOf>, Without<Children>)>();
    let mut found: Vec<Entity> = leaves.iter(&world).collect();
    found.sort();
    assert_eq!(found, [b, c, d]);
    let mut counts = world.query::<(Entity, &Children)>();
    let total: usize = counts.iter(&world).map(|(_, children)| children.len()).sum();
    assert_eq!(total, 4);
    assert_eq!(children(&world, a), [c, d]);
}

#[test]
fn row_systems_see_both_sides() {
    #[system]
    fn count(children: &Children, mut total: ResMut<Total>) {
        total.0 += children.len();
    }
    #[derive(Resource, Default)]
    struct Total(usize);

    let mut world = World::new();
    tree(&mut world);
    world.init_resource::<Total>();
    world.run_system_once(count).unwrap();
    assert_eq!(world.resource::<Total>().0, 4);
}

#[test]
fn other_relationships_go_the_same_way() {
    let mut world = World::new();
    let [a, b, c] = entities(&mut world);
    world.entity_mut(a).insert(Likes(b));
    world.entity_mut(b).insert(Likes(c));
    let mut likes = world.query::<&Likes>();
    assert!(likes.query(&world).iter_ancestors::<Likes>(a).eq([b, c]));
    let mut liked = world.query::<&LikedBy>();
    assert!(liked.query(&world).iter_descendants::<LikedBy>(c).eq([b, a]));
}

#[test]
fn a_query_of_links_explains_itself() {
    let mut world = World::new();
    let root = world.spawn(children![children![()], (), ()]).id();
    world.spawn_empty();
    let explanation = world.explain_query_filtered::<(&ChildOf, Option<&Children>), Without<Children>>();
    let terms: Vec<_> = explanation.terms().iter().map(|term| (term.term(), term.entities())).collect();
    assert_eq!(terms, [("&ChildOf", 4), ("Option<&Children>", 4), ("Without<Children>", 3)]);
    let text = world.explain_query_filtered::<&Children, Changed<ChildOf>>().to_string();
    assert!(
        text.contains("&Children: 1 table, 2 entities") && text.contains("Changed<ChildOf>: 1 table, 1 entity"),
        "{text}"
    );
    world.despawn(root);
    assert_eq!(world.explain_query::<&ChildOf>().culprit().unwrap().term(), "&ChildOf");
    assert!(world.explain_query::<&Children>().to_string().contains("no entity has `Children`"));
}
