//! Bundles that spawn other entities.

use strata_ecs::prelude::*;
use strata_ecs::relationship::RelatedSpawner;

use crate::{LikedBy, Likes, children, entities};

#[derive(Component, Clone, PartialEq, Debug)]
struct Name(&'static str);

fn names(world: &World, entity: Entity) -> Vec<&'static str> {
    children(world, entity).into_iter().map(|child| world.get::<Name>(child).unwrap().0).collect()
}

#[test]
fn children_are_spawned_in_order() {
    let mut world = World::new();
    let root = world.spawn((Name("root"), children![Name("a"), (Name("b"), children![Name("c")]), Name("d")])).id();
    assert_eq!(names(&world, root), ["a", "b", "d"]);
    let b = children(&world, root)[1];
    assert_eq!(names(&world, b), ["c"]);
    world.check_invariants();
}

#[test]
fn there_may_be_many() {
    let mut world = World::new();
    let root =
        world.spawn(children![(), (), (), (), (), (), (), (), (), (), (), (), (), (), (), (), (), (), (), ()]).id();
    assert_eq!(children(&world, root).len(), 20);
}

#[test]
fn all_kinds_of_lists_spawn() {
    let mut world = World::new();
    let [there] = entities(&mut world);
    world.entity_mut(there).insert(Name("there"));
    let list = (
        Spawn(Name("a")),
        SpawnIter(["b", "c"].map(Name).into_iter()),
        SpawnWith(|parent: &mut RelatedSpawner<ChildOf>| {
            let made = parent.spawn(Name("d")).id();
            assert_eq!(parent.world().get::<ChildOf>(made).unwrap().parent(), parent.target_entity());
        }),
        WithOneRelated(there),
        vec![Name("e"), Name("f")],
    );
    let root = world.spawn(Children::spawn(list)).id();
    assert_eq!(names(&world, root), ["a", "b", "c", "d", "there", "e", "f"]);
    let fan = world.spawn(related!(LikedBy[Name("x")])).id();
    assert_eq!(world.query::<&Likes>().single(&world).unwrap(), &Likes(fan));
    let taken = world.spawn(Children::spawn(WithRelated::new([there]))).id();
    assert_eq!(names(&world, taken), ["there"]);
    assert_eq!(names(&world, root).len(), 6);
    world.check_invariants();
}

#[test]
fn each_way_of_inserting_spawns() {
    let mut world = World::new();
    let [a] = entities(&mut world);
    world.entity_mut(a).insert(children![Name("1")]).insert(children![Name("2")]);
    assert_eq!(names(&world, a), ["1", "2"]);
    let batch: Vec<Entity> = world.spawn_batch([children![Name("x")], children![Name("y")]]).collect();
    assert_eq!((names(&world, batch[0]), names(&world, batch[1])), (vec!["x"], vec!["y"]));
    let b = world.commands().spawn(children![Name("1")]).insert(children![Name("2")]).insert(Name("b")).id();
    world.flush();
    assert_eq!((names(&world, b), world.get::<Name>(b)), (vec!["1", "2"], Some(&Name("b"))));
    world.check_invariants();
}

#[test]
fn what_is_spawned_can_be_nested_in_a_bundle() {
    fn tree(depth: u32) -> impl Bundle {
        (
            Name("node"),
            Children::spawn(SpawnWith(move |parent: &mut RelatedSpawner<ChildOf>| {
                if depth > 0 {
                    let leaf = parent.spawn(Name("leaf")).id();
                    parent.world_mut().entity_mut(leaf).with_children(|parent| _ = parent.spawn(Name("below")));
                }
            })),
        )
    }
    let mut world = World::new();
    let root = world.spawn(tree(1)).id();
    assert_eq!(names(&world, root), ["leaf"]);
    assert_eq!(world.len(), 3);
    world.despawn(root);
    assert!(world.is_empty());
}
