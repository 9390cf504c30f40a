//! A hierarchy by hand: entities with generations, a value each, a parent and a list of children.

use std::hint::black_box;

use super::{CHILDREN, ROOTS, other_root};
use crate::support::{Sample, fresh, repeated};

/// The parent index of a root.
const NO_PARENT: u32 = u32::MAX;

#[derive(Default)]
struct Tree {
    /// Indexed by id.
    generations: Vec<u32>,
    rows: Vec<u32>,
    parents: Vec<u32>,
    children: Vec<Vec<u32>>,
    free: Vec<u32>,
    /// Indexed by row.
    ids: Vec<u32>,
    values: Vec<f32>,
}

impl Tree {
    fn spawn(&mut self, value: f32, parent: u32) -> u32 {
        let row = self.ids.len() as u32;
        let id = match self.free.pop() {
            Some(id) => {
                self.rows[id as usize] = row;
                self.parents[id as usize] = parent;
                id
            }
            None => {
                self.generations.push(0);
                self.rows.push(row);
                self.parents.push(parent);
                self.children.push(Vec::new());
                self.generations.len() as u32 - 1
            }
        };
        self.ids.push(id);
        self.values.push(value);
        if parent != NO_PARENT {
            self.children[parent as usize].push(id);
        }
        id
    }

    fn leave_parent(&mut self, id: u32) {
        let parent = self.parents[id as usize];
        if parent != NO_PARENT {
            let siblings = &mut self.children[parent as usize];
            if let Some(at) = siblings.iter().position(|&sibling| sibling == id) {
                siblings.remove(at);
            }
        }
    }

    fn despawn(&mut self, root: u32) {
        self.leave_parent(root);
        let mut left = vec![root];
        while let Some(id) = left.pop() {
            left.append(&mut self.children[id as usize]);
            let row = self.rows[id as usize] as usize;
            self.ids.swap_remove(row);
            self.values.swap_remove(row);
            if let Some(&moved) = self.ids.get(row) {
                self.rows[moved as usize] = row as u32;
            }
            self.generations[id as usize] += 1;
            self.parents[id as usize] = NO_PARENT;
            self.free.push(id);
        }
    }

    fn set_parent(&mut self, id: u32, parent: u32) {
        self.leave_parent(id);
        self.parents[id as usize] = parent;
        self.children[parent as usize].push(id);
    }

    fn forest(&mut self) -> Vec<u32> {
        let tree = |_| {
            let root = self.spawn(0.0, NO_PARENT);
            for _ in 0..CHILDREN {
                self.spawn(1.0, root);
            }
            root
        };
        (0..ROOTS).map(tree).collect()
    }
}

fn filled() -> (Tree, Vec<u32>) {
    let mut tree = Tree::default();
    let roots = tree.forest();
    (tree, roots)
}

pub(super) fn spawn() -> Sample {
    fresh(Tree::default, |mut tree| {
        black_box(tree.forest());
        tree
    })
}

pub(super) fn walk() -> Sample {
    let (tree, _) = filled();
    repeated(move || {
        let (tree, mut sum) = (black_box(&tree), 0.0);
        for children in &tree.children {
            for &child in children {
                sum += tree.values[tree.rows[child as usize] as usize];
            }
        }
        assert_eq!(sum as usize, ROOTS * CHILDREN);
    })
}

pub(super) fn despawn() -> Sample {
    fresh(filled, |(mut tree, roots)| {
        for &root in &roots {
            tree.despawn(root);
        }
        assert!(tree.ids.is_empty());
        (tree, roots)
    })
}

pub(super) fn re_parent() -> Sample {
    let filled = || {
        let (tree, roots) = filled();
        let children: Vec<u32> =
            tree.ids.iter().copied().filter(|&id| tree.parents[id as usize] != NO_PARENT).collect();
        (tree, roots, children)
    };
    fresh(filled, |(mut tree, roots, children)| {
        for (at, &child) in children.iter().enumerate() {
            tree.set_parent(child, roots[other_root(at)]);
        }
        (tree, roots, children)
    })
}
