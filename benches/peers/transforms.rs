//! Transforms handed down a hierarchy: by loops over arrays, by a system down the hierarchy, and by `bevy_transform`, with the types and the
//! arithmetic of the latter.

use bevy_transform::components::{GlobalTransform, Transform};

use crate::support::{Bench, Contestant, Sample, repeated};

/// Trees of two children a node, so deep.
const DEPTH: u32 = 8;
const ROOTS: usize = 392;
const NODES: usize = ROOTS * ((1 << DEPTH) - 1);

pub(crate) fn benches() -> [Bench; 2] {
    let bench = |name, contestants| Bench { file: "transforms", name, rows: NODES, contestants };
    [
        bench(
            "transforms down 100k nodes, all moved",
            vec![
                Contestant::new("by hand: arrays by depth", None, || by_hand(false)),
                Contestant::new("strata: down = ChildOf", Some(1.5), || in_strata::sample(false)),
                Contestant::new("bevy_transform", None, || in_bevy::sample(false)),
            ],
        ),
        bench(
            "transforms down 100k nodes, spawned shuffled",
            vec![
                Contestant::new("by hand: arrays, a list by depth", None, || by_hand(true)),
                Contestant::new("strata: down = ChildOf", Some(1.3), || in_strata::sample(true)),
                Contestant::new("bevy_transform", None, || in_bevy::sample(true)),
            ],
        ),
    ]
}

/// The parent of a node. Nodes are numbered by depth.
fn parent(node: usize) -> Option<usize> {
    node.checked_sub(ROOTS).map(|below| below / 2)
}

/// The nodes in the order in which they are spawned.
fn order(is_shuffled: bool) -> Vec<usize> {
    let (mut order, mut seed): (Vec<usize>, u64) = ((0..NODES).collect(), 1);
    if is_shuffled {
        for at in (1..NODES).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(at, (seed >> 33) as usize % (at + 1));
        }
    }
    order
}

fn first(node: usize) -> Transform {
    let mut local = Transform::from_xyz(node as f32 % 7.0, 1.0, 0.5);
    local.rotate_y(0.1 + (node % 5) as f32);
    local
}

/// One that is moved in each run, and stays near.
fn moved(local: &mut Transform) {
    local.translation.x = 7.0 - local.translation.x;
}

/// Where a node is.
fn placed(local: &Transform, parent: Option<&GlobalTransform>) -> GlobalTransform {
    parent.map_or_else(|| GlobalTransform::from(*local), |parent| parent.mul_transform(*local))
}

/// Arrays in the order in which nodes are spawned. Roots come first in the order of depths, and need no look at what is above.
struct Arrays {
    locals: Vec<Transform>,
    globals: Vec<GlobalTransform>,
    /// The places of the roots.
    roots: Vec<u32>,
    /// For each node that has a parent, by depth: its position and the position of its parent.
    below: Vec<[u32; 2]>,
    /// The latter alone: all that is needed where nodes are spawned by depth.
    parents: Vec<u32>,
}

impl Arrays {
    fn new(is_shuffled: bool) -> Self {
        let order = order(is_shuffled);
        let mut place = vec![0; NODES];
        order.iter().enumerate().for_each(|(at, &node)| place[node] = at as u32);
        let below: Vec<[u32; 2]> =
            (ROOTS..NODES).filter_map(|node| Some([place[node], place[parent(node)?]])).collect();
        Self {
            locals: order.iter().map(|&node| first(node)).collect(),
            globals: vec![GlobalTransform::IDENTITY; NODES],
            roots: place[..ROOTS].to_vec(),
            parents: below.iter().map(|&[_, parent]| parent).collect(),
            below,
        }
    }

    fn run(&mut self, is_shuffled: bool) {
        let Self { locals, globals, roots, below, parents } = self;
        locals.iter_mut().for_each(moved);
        roots.iter().for_each(|&at| globals[at as usize] = placed(&locals[at as usize], None));
        if is_shuffled {
            for &[at, parent] in &*below {
                globals[at as usize] = placed(&locals[at as usize], Some(&globals[parent as usize]));
            }
        } else {
            for ((at, local), &parent) in locals.iter().enumerate().skip(ROOTS).zip(&*parents) {
                globals[at] = placed(local, Some(&globals[parent as usize]));
            }
        }
    }
}

fn by_hand(is_shuffled: bool) -> Sample {
    let mut arrays = Arrays::new(is_shuffled);
    repeated(move || std::hint::black_box(&mut arrays).run(is_shuffled))
}

/// Checks all transforms after two runs, in the order of spawning.
fn check(is_shuffled: bool, globals: impl Iterator<Item = GlobalTransform>) {
    let mut arrays = Arrays::new(is_shuffled);
    (0..2).for_each(|_| arrays.run(is_shuffled));
    assert!(globals.eq(arrays.globals), "all come to the same");
}

mod in_strata {
    use super::{GlobalTransform, NODES, Sample, Transform, check, first, order, parent, placed, repeated};
    use strata_ecs::prelude::*;

    #[derive(Component)]
    struct Local(Transform);
    #[derive(Component)]
    struct Global(GlobalTransform);

    #[system]
    fn drift(local: &mut Local) {
        super::moved(&mut local.0);
    }

    #[system(down = ChildOf)]
    fn place(local: &Local, global: &mut Global, #[parent] above: Option<&Global>) {
        global.0 = placed(&local.0, above.map(|above| &above.0));
    }

    pub(super) fn sample(is_shuffled: bool) -> Sample {
        let (mut world, order) = (World::new(), order(is_shuffled));
        let mut nodes = vec![Entity::PLACEHOLDER; NODES];
        for &node in &order {
            nodes[node] = world.spawn((Local(first(node)), Global(GlobalTransform::IDENTITY))).id();
        }
        for &node in &order {
            if let Some(parent) = parent(node) {
                world.entity_mut(nodes[node]).insert(ChildOf(nodes[parent]));
            }
        }
        let mut schedule = Schedule::default();
        schedule.add_systems((drift, place).chain());
        (0..2).for_each(|_| schedule.run(&mut world));
        let global = |&node: &usize| world.get::<Global>(nodes[node]).expect("it is there").0;
        check(is_shuffled, order.iter().map(global));
        repeated(move || schedule.run(&mut world))
    }
}

mod in_bevy {
    use super::{GlobalTransform, NODES, Sample, Transform, check, first, order, parent, repeated};
    use bevy_ecs::prelude::*;
    use bevy_transform::systems::{
        StaticTransformOptimizations, mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms,
    };

    fn drift(mut locals: Query<'_, '_, &mut Transform>) {
        locals.iter_mut().for_each(|mut local| super::moved(&mut local));
    }

    pub(super) fn sample(is_shuffled: bool) -> Sample {
        let (mut world, order) = (World::new(), order(is_shuffled));
        world.init_resource::<StaticTransformOptimizations>();
        let mut nodes = vec![Entity::PLACEHOLDER; NODES];
        for &node in &order {
            nodes[node] = world.spawn(first(node)).id();
        }
        for &node in &order {
            if let Some(parent) = parent(node) {
                world.entity_mut(nodes[node]).insert(ChildOf(nodes[parent]));
            }
        }
        let mut schedule = Schedule::default();
        let propagate = (mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms);
        schedule.add_systems((drift, propagate.chain()).chain());
        (0..2).for_each(|_| schedule.run(&mut world));
        let global = |&node: &usize| *world.get::<GlobalTransform>(nodes[node]).expect("it is there");
        check(is_shuffled, order.iter().map(global));
        repeated(move || schedule.run(&mut world))
    }
}
