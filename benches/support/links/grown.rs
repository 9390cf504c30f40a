//! A system down what has changed in a large tree: after one leaf has moved, and after one entity has been spawned.

use std::hint::black_box;

use strata_ecs::prelude::*;

use crate::support::{Sample, undone};

/// Entities of the tree; each has up to [`CHILDREN`] children.
const ENTITIES: usize = 100_000;
const CHILDREN: usize = 10;
/// The parent index of a root.
const NO_PARENT: usize = usize::MAX;

#[derive(Component, Clone, Copy)]
struct Local(i64);
#[derive(Component, Clone, Copy)]
struct Global(i64);

#[system(down = ChildOf, changed(Local))]
fn hand_down(local: &Local, global: &mut Global, #[parent] parent: Option<&Global>) {
    global.0 = local.0 + parent.map_or(0, |parent| parent.0);
}

/// What happens before each run.
#[derive(Clone, Copy)]
pub(super) enum Change {
    /// The value of a leaf changes.
    Leaf,
    /// A leaf is spawned, and despawned afterwards.
    NewLeaf,
    /// An entity without parent is spawned, and despawned afterwards.
    NewRoot,
}

pub(super) fn by_system(change: Change) -> Sample {
    let (mut world, mut schedule) = (World::new(), Schedule::default());
    let mut entities = vec![world.spawn((Local(1), Global(0))).id()];
    for number in 1..ENTITIES {
        let parent = entities[(number - 1) / CHILDREN];
        entities.push(world.spawn((Local(1), Global(0), ChildOf(parent))).id());
    }
    schedule.add_systems(hand_down);
    schedule.run(&mut world);
    let [root, leaf] = [entities[0], entities[ENTITIES - 1]];
    let prepare = move |world: &mut World| match change {
        Change::Leaf => {
            world.get_mut::<Local>(leaf).expect("it is alive").0 += 1;
            leaf
        }
        Change::NewLeaf => world.spawn((Local(2), Global(0), ChildOf(root))).id(),
        Change::NewRoot => world.spawn((Local(3), Global(0))).id(),
    };
    let changed = prepare(&mut world);
    let work = |(world, schedule, _): &mut (World, Schedule, Entity)| {
        schedule.run(black_box(world));
    };
    let undo = move |(world, schedule, changed): &mut (World, Schedule, Entity)| {
        let [local, global] =
            [world.get::<Local>(*changed).map(|local| local.0), world.get::<Global>(*changed).map(|global| global.0)];
        match change {
            Change::Leaf => assert!(global > local),
            Change::NewLeaf => assert_eq!(global, Some(3)),
            Change::NewRoot => assert_eq!(global, Some(3)),
        }
        if *changed != leaf {
            world.despawn(*changed);
            schedule.run(world);
        }
        *changed = prepare(world);
    };
    undone((world, schedule, changed), work, undo)
}

/// A tree by hand, with a list of changed nodes.
#[derive(Default)]
struct Tree {
    local: Vec<i64>,
    global: Vec<i64>,
    parents: Vec<usize>,
    depths: Vec<u32>,
    children: Vec<Vec<usize>>,
    changed: Vec<usize>,
}

impl Tree {
    fn spawn(&mut self, local: i64, parent: usize) {
        let node = self.local.len();
        self.local.push(local);
        self.global.push(0);
        self.parents.push(parent);
        self.depths.push(if parent == NO_PARENT { 0 } else { self.depths[parent] + 1 });
        self.children.push(Vec::new());
        if parent != NO_PARENT {
            self.children[parent].push(node);
        }
        self.changed.push(node);
    }

    fn despawn_last(&mut self) {
        self.local.pop();
        self.global.pop();
        self.depths.pop();
        self.children.pop();
        if let Some(parent) = self.parents.pop().filter(|parent| *parent != NO_PARENT) {
            self.children[parent].pop();
        }
    }

    fn hand_down(&mut self) {
        let mut nodes = std::mem::take(&mut self.changed);
        nodes.sort_unstable_by_key(|&node| self.depths[node]);
        let mut at = 0;
        while at < nodes.len() {
            let node = nodes[at];
            let parent = self.parents[node];
            self.global[node] = self.local[node] + if parent == NO_PARENT { 0 } else { self.global[parent] };
            nodes.extend(&self.children[node]);
            at += 1;
        }
        nodes.clear();
        self.changed = nodes;
    }
}

pub(super) fn by_hand(change: Change) -> Sample {
    let mut tree = Tree::default();
    for number in 0..ENTITIES {
        tree.spawn(1, if number == 0 { NO_PARENT } else { (number - 1) / CHILDREN });
    }
    tree.changed = vec![0];
    tree.hand_down();
    let prepare = move |tree: &mut Tree| match change {
        Change::Leaf => {
            tree.local[ENTITIES - 1] += 1;
            tree.changed.push(ENTITIES - 1);
        }
        Change::NewLeaf => tree.spawn(2, 0),
        Change::NewRoot => tree.spawn(3, NO_PARENT),
    };
    prepare(&mut tree);
    let work = |tree: &mut Tree| black_box(tree).hand_down();
    let undo = move |tree: &mut Tree| {
        let last = tree.local.len() - 1;
        assert!(tree.global[last] >= tree.local[last]);
        if last >= ENTITIES {
            tree.despawn_last();
        }
        prepare(tree);
    };
    undone(tree, work, undo)
}
