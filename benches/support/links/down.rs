//! A sum down a hierarchy, from each parent to its children: by a loop over arrays sorted by depth, and by a system.

use std::hint::black_box;

use strata_ecs::prelude::*;

use super::{CHILDREN, ROOTS};
use crate::support::{Sample, repeated};

#[derive(Component, Clone, Copy)]
struct Local(f32);
#[derive(Component, Clone, Copy)]
struct Global(f32);

#[system(down = ChildOf)]
fn hand_down(local: &Local, global: &mut Global, #[parent] parent: Option<&Global>) {
    global.0 = parent.map_or(0.0, |parent| parent.0) + local.0;
}

/// The final value of the last child: the values of a root and a child.
const SUM: f32 = 3.0;

pub(super) fn by_hand() -> Sample {
    let local: Vec<f32> = [vec![1.0; ROOTS], vec![2.0; ROOTS * CHILDREN]].concat();
    let mut global = vec![0.0; local.len()];
    let parents: Vec<u32> = (0..ROOTS * CHILDREN).map(|at| (at / CHILDREN) as u32).collect();
    repeated(move || {
        let (roots, children) = black_box(&mut global).split_at_mut(ROOTS);
        roots.iter_mut().zip(&local).for_each(|(global, local)| *global = *local);
        let rows = children.iter_mut().zip(&local[ROOTS..]).zip(&parents);
        rows.for_each(|((global, local), &parent)| *global = roots[parent as usize] + local);
        assert_eq!(children.last(), Some(&SUM));
    })
}

pub(super) fn by_system() -> Sample {
    let mut world = World::new();
    let roots: Vec<Entity> = (0..ROOTS).map(|_| world.spawn((Local(1.0), Global(0.0))).id()).collect();
    let mut last = Entity::PLACEHOLDER;
    for root in roots {
        for _ in 0..CHILDREN {
            last = world.spawn((Local(2.0), Global(0.0), ChildOf(root))).id();
        }
    }
    let mut schedule = Schedule::default();
    schedule.add_systems(hand_down);
    repeated(move || {
        schedule.run(&mut world);
        assert_eq!(world.get::<Global>(last).map(|global| global.0), Some(SUM));
    })
}
