//! Hierarchies. The source is shared by this library and `bevy_ecs` and compiled for both; the parent module provides the library's names
//! in `ecs`.

use std::hint::black_box;

use super::ecs::*;
use crate::support::links::{CHILDREN, ROOTS, SIBLINGS, Which, other_root};
use crate::support::{Sample, fresh, repeated, undone};

#[derive(Clone, Copy, Component)]
struct Value(f32);

/// Roots with children.
fn forest(world: &mut World) -> Vec<Entity> {
    let tree = |_| {
        let root = world.spawn(Value(0.0)).id();
        for _ in 0..CHILDREN {
            world.spawn((Value(1.0), ChildOf(root)));
        }
        root
    };
    (0..ROOTS).map(tree).collect()
}

pub(crate) fn spawn() -> Sample {
    fresh(World::new, |mut world| {
        black_box(forest(&mut world));
        world
    })
}

pub(crate) fn walk() -> Sample {
    let mut world = World::new();
    forest(&mut world);
    let (mut lists, mut values) = (world.query::<&Children>(), world.query::<&Value>());
    repeated(move || {
        let (world, mut sum) = (black_box(&world), 0.0);
        let values = values.query(world);
        for children in lists.iter(world) {
            // A single sum over all children would be kept in memory with some compilers and contestants.
            sum += children.iter().map(|child| values.get(child).map_or(0.0, |value| value.0)).sum::<f32>();
        }
        assert_eq!(sum as usize, ROOTS * CHILDREN);
    })
}

pub(crate) fn despawn() -> Sample {
    let filled = || {
        let mut world = World::new();
        let roots = forest(&mut world);
        (world, roots)
    };
    fresh(filled, |(mut world, roots)| {
        for &root in &roots {
            world.despawn(root);
        }
        assert_eq!(world.query::<&Value>().iter(&world).count(), 0);
        (world, roots)
    })
}

/// A world, its roots, and their children.
fn with_children() -> (World, Vec<Entity>, Vec<Entity>) {
    let mut world = World::new();
    let roots = forest(&mut world);
    let children: Vec<Entity> = world.query_filtered::<Entity, With<ChildOf>>().iter(&world).collect();
    (world, roots, children)
}

pub(crate) fn re_parent() -> Sample {
    fresh(with_children, |(mut world, roots, children)| {
        for (at, &child) in children.iter().enumerate() {
            world.entity_mut(child).insert(ChildOf(roots[other_root(at)]));
        }
        (world, roots, children)
    })
}

/// Moves the children of one root to another root together.
pub(crate) fn re_parent_together() -> Sample {
    fresh(with_children, |(mut world, roots, children)| {
        for (at, children) in children.chunks(CHILDREN).enumerate() {
            world.entity_mut(roots[other_root(at)]).add_children(children);
        }
        (world, roots, children)
    })
}

/// Reads a list of entities. Not inlined: all contestants must run the same machine code.
#[inline(never)]
fn sum(entities: &[Entity]) -> u64 {
    entities.iter().fold(0_u64, |sum, entity| sum.wrapping_add(entity.to_bits()))
}

/// Despawns one of many siblings and reads the others.
pub(crate) fn sibling(which: Which) -> Sample {
    let mut world = World::new();
    let root = world.spawn(Value(0.0)).id();
    for _ in 0..SIBLINGS {
        world.spawn((Value(1.0), ChildOf(root)));
    }
    let mut next =
        world.get::<Children>(root).expect("it has children").iter().nth(which.place()).expect("it is there");
    let work = move |(world, next): &mut (World, Entity)| {
        world.despawn(*next);
        let children = world.get::<Children>(root).expect("it has children");
        black_box(sum(children));
    };
    let undo = move |(world, next): &mut (World, Entity)| {
        *next = world.spawn(Value(1.0)).id();
        world.entity_mut(root).insert_children(which.place(), &[*next]);
        assert_eq!(world.get::<Children>(root).map_or(0, |children| children.iter().count()), SIBLINGS);
    };
    next = black_box(next);
    undone((world, next), work, undo)
}

/// As [`sibling`], for an entity without a parent, and a list of the others.
pub(crate) fn alone() -> Sample {
    let mut world = World::new();
    let others: Vec<Entity> = (1..SIBLINGS).map(|_| world.spawn(Value(1.0)).id()).collect();
    let next = world.spawn(Value(1.0)).id();
    let work = move |(world, next): &mut (World, Entity)| {
        world.despawn(*next);
        black_box(sum(&others));
    };
    undone((world, next), work, |(world, next)| *next = world.spawn(Value(1.0)).id())
}
