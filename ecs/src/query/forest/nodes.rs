//! The nodes of a forest, and the links between them.
//!
//! A node is identified by its index. The index stays the same if the entity moves to another place. Unused nodes are listed and
//! reused.
//!
//! Tests: tests/relationships/forests.rs, tests/relationships/down.rs

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use super::runs::{DepthAndPlace, Place};
use crate::entity::Entity;

/// The index of no node.
pub(super) const NO_NODE: u32 = u32::MAX;
/// Marks a node whose depth is not known yet. `ON_THE_WAY` marks a node on the path that is being followed.
const UNKNOWN: u32 = u32::MAX;
const ON_THE_WAY: u32 = u32::MAX - 1;

/// A visited entity, or the target of a visited entity.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) entity: Entity,
    /// The target of a visited entity, or the placeholder if it has no target.
    pub(super) target: Entity,
    /// The node of the target.
    pub(super) above: u32,
    /// The depth of the node; 0 if the target is not visited.
    pub(super) depth: u32,
    /// The first visited source. The sources form a doubly linked list.
    pub(super) first_source: u32,
    pub(super) next: u32,
    previous: u32,
    pub(super) is_visited: bool,
    /// Whether the sources may not be in the order of their places.
    is_unsorted: bool,
    /// Whether the node is in `Nodes::touched`.
    is_touched: bool,
}

/// The nodes of a forest.
#[derive(Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    /// The place of each node.
    pub(super) places: Vec<Place>,
    free: Vec<u32>,
    /// Nodes that have changed since the last call of `take_touched`, each with its place and depth before the first change. The place
    /// is [`Place::NONE`] if the node was not visited.
    touched: Vec<(u32, DepthAndPlace)>,
    /// Nodes whose sources have to be sorted.
    unsorted: Vec<u32>,
    /// Reusable memory for lists of nodes.
    way: Vec<u32>,
}

impl Index<u32> for Nodes {
    type Output = Node;

    #[inline]
    fn index(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }
}

impl IndexMut<u32> for Nodes {
    #[inline]
    fn index_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }
}

impl Nodes {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a node that is not visited and has no place.
    pub(super) fn add(&mut self, entity: Entity) -> u32 {
        let node = Node {
            entity,
            target: Entity::PLACEHOLDER,
            above: NO_NODE,
            depth: 0,
            first_source: NO_NODE,
            next: NO_NODE,
            previous: NO_NODE,
            is_visited: false,
            is_unsorted: false,
            is_touched: false,
        };
        let Some(index) = self.free.pop() else {
            self.nodes.push(node);
            self.places.push(Place::NONE);
            return self.nodes.len() as u32 - 1;
        };
        // The node may have been touched before it became free.
        let is_touched = self[index].is_touched;
        self[index] = Node { is_touched, ..node };
        index
    }

    /// Frees a node, which has no place, no target and no sources.
    pub(super) fn release(&mut self, node: u32) {
        debug_assert!(self[node].above == NO_NODE && self[node].first_source == NO_NODE && !self[node].is_visited);
        self[node].entity = Entity::PLACEHOLDER;
        self.free.push(node);
    }

    /// Records the place and the depth of a node before the node is first changed.
    #[inline]
    pub(super) fn touch(&mut self, node: u32) {
        let Node { is_touched, is_visited, depth, .. } = &mut self.nodes[node as usize];
        if !*is_touched {
            *is_touched = true;
            let place = if *is_visited { self.places[node as usize] } else { Place::NONE };
            self.touched.push((node, (*depth, place)));
        }
    }

    /// Returns the number of touched nodes.
    pub(super) fn touched(&self) -> usize {
        self.touched.len()
    }

    /// Calls `each` for each touched node whose depth, place or visit has changed, and clears the list of touched nodes. The first
    /// argument is the old depth and place, if the node was visited. The second is the current depth and place, if the node is
    /// visited.
    pub(super) fn take_touched(&mut self, mut each: impl FnMut(Option<DepthAndPlace>, Option<DepthAndPlace>)) {
        for (node, before) in self.touched.drain(..) {
            let Node { is_touched, is_visited, depth, .. } = &mut self.nodes[node as usize];
            *is_touched = false;
            let before = Some(before).filter(|(_, place)| *place != Place::NONE);
            let now = is_visited.then(|| (*depth, self.places[node as usize]));
            if before != now {
                each(before, now);
            }
        }
    }

    /// Adds a node to the sources of the node above it, if there is one.
    pub(super) fn join(&mut self, node: u32) {
        let above = self[node].above;
        if above == NO_NODE {
            return;
        }
        let next = core::mem::replace(&mut self[above].first_source, node);
        (self[node].next, self[node].previous) = (next, NO_NODE);
        if next != NO_NODE {
            self[next].previous = node;
            self.unsort(above);
        }
    }

    /// Removes a node from the sources of the node above it, if there is one.
    pub(super) fn leave(&mut self, node: u32) {
        let Node { above, next, previous, .. } = self[node];
        if above == NO_NODE {
            return;
        }
        self[node].above = NO_NODE;
        match previous {
            NO_NODE => self[above].first_source = next,
            _ => self[previous].next = next,
        }
        if next != NO_NODE {
            self[next].previous = previous;
        }
    }

    /// Records that the sources of a node may not be in the order of their places.
    #[inline]
    pub(super) fn unsort(&mut self, node: u32) {
        if !core::mem::replace(&mut self[node].is_unsorted, true) {
            self.unsorted.push(node);
        }
    }

    /// Clears the list of nodes with unsorted sources. The nodes stay marked as unsorted.
    pub(super) fn forget_unsorted(&mut self) {
        self.unsorted.clear();
    }

    /// Sorts the sources of all listed nodes by their places.
    pub(super) fn sort_all(&mut self) {
        while let Some(node) = self.unsorted.pop() {
            self.sort_sources(node);
        }
    }

    /// Sorts the sources of a node by their places.
    pub(super) fn sort_sources(&mut self, node: u32) {
        if !core::mem::replace(&mut self[node].is_unsorted, false) {
            return;
        }
        let mut sources = core::mem::take(&mut self.way);
        sources.extend(self.sources(node));
        sources.sort_by_key(|&source| self.places[source as usize]);
        let mut previous = NO_NODE;
        for &source in &sources {
            match previous {
                NO_NODE => self[node].first_source = source,
                _ => self[previous].next = source,
            }
            self[source].previous = previous;
            previous = source;
        }
        if previous != NO_NODE {
            self[previous].next = NO_NODE;
        }
        sources.clear();
        self.way = sources;
    }

    /// Returns the visited sources of a node.
    #[inline]
    pub(super) fn sources(&self, node: u32) -> impl Iterator<Item = u32> {
        let some = |node: u32| Some(node).filter(|node| *node != NO_NODE);
        core::iter::successors(some(self[node].first_source), move |&source| some(self[source].next))
    }

    /// Returns the node above, if it is visited.
    #[inline]
    pub(super) fn visited_above(&self, node: u32) -> Option<u32> {
        let above = self[node].above;
        (above != NO_NODE && self[above].is_visited).then_some(above)
    }

    /// Recomputes the depths of `seeds` and of all nodes below them. Cuts each cycle at one node, which becomes a root. Which node
    /// this is depends only on the places. Returns these nodes.
    pub(super) fn find_depths_below(&mut self, seeds: &mut Vec<u32>) -> Vec<u32> {
        let mut below = Vec::new();
        while let Some(node) = seeds.pop() {
            if self[node].is_visited && self[node].depth != UNKNOWN {
                self.touch(node);
                self[node].depth = UNKNOWN;
                below.push(node);
                seeds.extend(self.sources(node));
            }
        }
        let mut cut = Vec::new();
        if !self.find_depths(&below, None) {
            below.iter().for_each(|&node| self[node].depth = UNKNOWN);
            below.sort_unstable_by_key(|&node| self.places[node as usize]);
            self.find_depths(&below, Some(&mut cut));
        }
        cut
    }

    /// Computes depths by following the targets of each node up to a node with a known depth. At a cycle, cuts it and adds the node
    /// to `cut`, or returns false if `cut` is `None`.
    fn find_depths(&mut self, nodes: &[u32], mut cut: Option<&mut Vec<u32>>) -> bool {
        let mut way = core::mem::take(&mut self.way);
        way.clear();
        for &first in nodes {
            if self[first].depth != UNKNOWN {
                continue;
            }
            let mut at = first;
            let mut depth = loop {
                self[at].depth = ON_THE_WAY;
                way.push(at);
                let Some(above) = self.visited_above(at) else { break 0 };
                match (self[above].depth, &mut cut) {
                    (UNKNOWN, _) => at = above,
                    (ON_THE_WAY, None) => return false,
                    (ON_THE_WAY, Some(cut)) => {
                        self.leave(at);
                        cut.push(at);
                        break 0;
                    }
                    (depth, _) => break depth + 1,
                }
            };
            while let Some(node) = way.pop() {
                self[node].depth = depth;
                depth += 1;
            }
        }
        self.way = way;
        true
    }
}
