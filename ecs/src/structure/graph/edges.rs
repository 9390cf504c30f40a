//! The edges: the plan of each change for each table.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cache::{PlanCache, PlanKey};
use super::change::{ChangeKey, KIND, LONG, PlanId, SEQUENCE};
use super::plan::{ChangeStep, MovePlan};
use super::planner::Planner;
use crate::component::transition::ListenerMask;
use crate::component::{BundleContents, Components};
use crate::entity::TableId;
use crate::storage::table::Tables;
use crate::util::id_map::IdMap;

/// A map from changes to indexes of plans or nodes. The kind of a change is in the highest bits of its number.
type ChangeMap = IdMap;

/// A sequence of steps: its last step, and the node of the sequence of all steps before.
struct SequenceNode {
    before: Option<u32>,
    step: ChangeStep,
    /// For each step: the node of the sequence that has this step in addition, at the end.
    longer: ChangeMap,
}

/// The only long sequence that is kept.
#[derive(Default)]
struct LongSequence {
    /// The number of the sequence. No later sequence gets this number, so a removed sequence is not mistaken for a later one.
    number: u32,
    steps: Vec<ChangeStep>,
    /// The index of the plan for each table.
    plans: Option<IdMap>,
    /// The indexes of plans of earlier long sequences, to be reused.
    spare: Vec<u32>,
    /// The indexes of the plans of this sequence.
    used: Vec<u32>,
}

/// The edges of all tables.
#[derive(Default)]
pub(crate) struct ArchetypeGraph {
    edges: Vec<ChangeMap>,
    plans: Vec<Arc<MovePlan>>,
    nodes: Vec<SequenceNode>,
    /// For each step: the node of the sequence that consists only of this step.
    first: Option<ChangeMap>,
    long: LongSequence,
    pub(crate) cache: PlanCache,
    /// How often plans have been removed.
    epoch: u32,
    /// The listeners that are interested in all plans.
    pub(crate) in_all: ListenerMask,
}

impl ArchetypeGraph {
    /// Stores a plan in the cache with this key.
    pub(crate) fn add_to_cache(&mut self, key: PlanKey, plan: PlanId) {
        assert!(plan.epoch == self.epoch, "a plan that has been forgotten");
        self.cache.insert(key, plan, &self.plans[plan.at as usize]);
    }

    /// Returns the plan with this id.
    ///
    /// # Panics
    ///
    /// If plans have been removed since.
    #[inline]
    pub(crate) fn get(&self, id: PlanId) -> &MovePlan {
        assert!(id.epoch == self.epoch, "a plan that has been forgotten");
        &self.plans[id.at as usize]
    }

    /// Returns the plan for a change of an entity of a table, if it exists.
    #[inline]
    pub(crate) fn find_edge(&mut self, from: TableId, change: ChangeKey) -> Option<PlanId> {
        let at = match change.is_long() {
            true if change.number() != self.long.number => None,
            true => self.long.plans.as_ref().and_then(|plans| plans.get(from.index() as u32)),
            false => self.edges.get(from.index()).and_then(|edges| edges.get(change.0)),
        };
        at.map(|at| self.cache_plan(from, change, at))
    }

    #[inline]
    fn cache_plan(&mut self, from: TableId, change: ChangeKey, at: u32) -> PlanId {
        let plan = PlanId { at, epoch: self.epoch };
        self.cache.insert(PlanKey::of_change(change, from), plan, &self.plans[at as usize]);
        plan
    }

    /// Makes the plan for a change of an entity of a table; `contents` returns the components of a bundle.
    #[cold]
    #[inline(never)]
    pub(crate) fn make<'a>(
        &mut self,
        from: TableId,
        change: ChangeKey,
        contents: &dyn Fn(u32) -> BundleContents<'a>,
        tables: &mut Tables,
        components: &Components,
    ) -> PlanId {
        let steps = self.steps(change);
        let mut plan = Planner { from, steps: &steps, contents, components }.plan(tables);
        plan.update_interest(components, self.in_all).unwrap_or_else(|error| error.raise());
        let plan = Arc::new(plan);
        if change.is_long() {
            let at = self.keep_long(from, plan);
            return self.cache_plan(from, change, at);
        }
        if self.edges.len() <= from.index() {
            self.edges.resize_with(from.index() + 1, ChangeMap::default);
        }
        let at = self.plans.len() as u32;
        self.plans.reserve(1);
        self.edges[from.index()].insert(change.0, at);
        // `push` cannot fail, because room was reserved. This matters, because the new edge must lead to a plan.
        self.plans.push(plan);
        self.cache_plan(from, change, at)
    }

    /// Stores a plan for the long sequence, in place of a plan for an earlier long sequence if there is one.
    fn keep_long(&mut self, from: TableId, plan: Arc<MovePlan>) -> u32 {
        self.long.used.reserve(1);
        let at = match self.long.spare.pop() {
            Some(at) => {
                self.plans[at as usize] = plan;
                at
            }
            None => {
                self.plans.push(plan);
                self.plans.len() as u32 - 1
            }
        };
        self.long.used.push(at);
        self.long.plans.get_or_insert_default().insert(from.index() as u32, at);
        at
    }

    /// Returns the change that consists of these steps. It is valid until the next call of this function.
    pub(crate) fn long(&mut self, steps: Vec<ChangeStep>) -> ChangeKey {
        let LongSequence { number, mut spare, used, .. } = core::mem::take(&mut self.long);
        spare.extend(used);
        let number = (number + 1) % (1 << KIND);
        self.long = LongSequence { number, steps, plans: None, spare, used: Vec::new() };
        // The plans of the previous long sequence may be overwritten, so cached references to plans become invalid.
        self.epoch = self.epoch.wrapping_add(1);
        self.cache.clear();
        ChangeKey(LONG << KIND | number)
    }

    /// Returns the change that consists of the steps of `first`, followed by `step`.
    pub(crate) fn then(&mut self, first: ChangeKey, step: ChangeStep) -> ChangeKey {
        let before = if first.is_sequence() { first.number() } else { self.node_of(first) };
        let key = ChangeKey::of(step).0;
        let node = match self.nodes[before as usize].longer.get(key) {
            Some(node) => node,
            None => {
                let (number, node) = self.next_node(Some(before), step);
                self.nodes[before as usize].longer.insert(key, number);
                self.nodes.push(node);
                number
            }
        };
        ChangeKey(SEQUENCE << KIND | node)
    }

    fn node_of(&mut self, first: ChangeKey) -> u32 {
        match self.first.as_ref().and_then(|nodes| nodes.get(first.0)) {
            Some(node) => node,
            None => {
                let (number, node) = self.next_node(None, first.step());
                self.first.get_or_insert_default().insert(first.0, number);
                self.nodes.push(node);
                number
            }
        }
    }

    /// Returns the next node and its number. Makes room for it, so that its number can be stored before it is pushed.
    fn next_node(&mut self, before: Option<u32>, step: ChangeStep) -> (u32, SequenceNode) {
        let number = self.nodes.len() as u32;
        assert!(number < 1 << KIND, "a world cannot remember more than {} sequences of changes", 1 << KIND);
        self.nodes.reserve(1);
        (number, SequenceNode { before, step, longer: ChangeMap::default() })
    }

    pub(crate) fn steps(&self, change: ChangeKey) -> Vec<ChangeStep> {
        if change.is_long() {
            assert!(change.number() == self.long.number, "a change that has been forgotten");
            return self.long.steps.clone();
        }
        if !change.is_sequence() {
            return [change.step()].into();
        }
        let mut steps = Vec::new();
        let mut next = Some(change.number());
        while let Some(node) = next.map(|node| &self.nodes[node as usize]) {
            steps.push(node.step);
            next = node.before;
        }
        steps.reverse();
        steps
    }

    /// Returns all plans that lookups can find, with the number of the table and the change; plans in the cache occur twice.
    pub(super) fn found(&self) -> impl Iterator<Item = (usize, ChangeKey, &MovePlan)> {
        let edges = self.edges.iter().enumerate();
        let short = edges.flat_map(|(from, edges)| edges.iter().map(move |(change, at)| (from, ChangeKey(change), at)));
        let long = ChangeKey(LONG << KIND | self.long.number);
        let long = self.long.plans.iter().flat_map(IdMap::iter).map(move |(from, at)| (from as usize, long, at));
        short
            .chain(long)
            .chain(self.cache.numbered())
            .map(|(from, change, at)| (from, change, &*self.plans[at as usize]))
    }

    /// Panics if a sequence differs from its parent sequence plus one step.
    pub(super) fn check_sequences(&self) {
        for (number, node) in (0..).zip(&self.nodes) {
            assert!(node.before.is_none_or(|before| before < number), "sequence {number} follows a later one");
            for (step, longer) in node.longer.iter() {
                let longer = &self.nodes[longer as usize];
                assert_eq!(
                    (longer.before, ChangeKey::of(longer.step)),
                    (Some(number), ChangeKey(step)),
                    "what follows {number}"
                );
            }
        }
    }

    /// Returns how often plans have been removed. Whenever plans are removed, the numbers of changes of several steps become invalid.
    #[inline]
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Returns the number of sequences that are kept.
    pub(crate) fn sequences(&self) -> usize {
        self.nodes.len()
    }

    /// Recomputes the listeners of each plan. Stores `in_all`, the listeners that are interested in all plans, for later plans. `O(plans)`.
    pub(crate) fn update_interest(&mut self, components: &Components, in_all: ListenerMask) {
        self.in_all = in_all;
        // The cache has copies of the flags of plans, which change below.
        self.cache.clear();
        let update = |plan: &mut Arc<MovePlan>| match Arc::get_mut(plan) {
            Some(plan) => plan.update_interest(components, in_all).is_ok(),
            None => false,
        };
        if !self.plans.iter_mut().all(update) {
            // There was no memory to update a plan, so all plans are removed. They are made again when they are needed.
            self.clear();
        }
    }

    /// Removes all edges and frees their memory. They are made again when they are needed. Numbers of tables and bundles may change
    /// afterwards.
    pub(crate) fn clear(&mut self) {
        // `clear` must not allocate: it is also called when there is no memory.
        let Self { edges, plans, nodes, first, long, cache, epoch, in_all: _ } = self;
        (*edges, *plans, *nodes, *first) = (Vec::new(), Vec::new(), Vec::new(), None);
        // The number is kept, so that no later sequence gets the number of an earlier one.
        *long = LongSequence { number: long.number, ..LongSequence::default() };
        cache.clear();
        *epoch = epoch.wrapping_add(1);
    }

    /// Returns the bytes that the edges have allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.plans.iter().map(|plan| plan.allocated_bytes()).sum::<usize>()
            + self.edges.iter().map(ChangeMap::allocated_bytes).sum::<usize>()
            + self.nodes.iter().map(|node| node.longer.allocated_bytes()).sum::<usize>()
            + self.edges.capacity() * size_of::<ChangeMap>()
            + self.plans.capacity() * size_of::<Arc<MovePlan>>()
            + self.plans.len() * size_of::<MovePlan>()
            + self.nodes.capacity() * size_of::<SequenceNode>()
            + self.long.steps.capacity() * size_of::<ChangeStep>()
            + self.long.plans.as_ref().map_or(0, IdMap::allocated_bytes)
            + (self.long.spare.capacity() + self.long.used.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::Required;

    #[test]
    fn plans_are_found_soon_whatever_kinds_of_changes_a_table_has() {
        const COUNT: u32 = 20_000;
        let components = Components::default();
        let (mut graph, mut tables) = (ArchetypeGraph::default(), Tables::new(&components));
        let contents = |_| BundleContents { explicit: &[], required: &[] as &[Required], held: &[] };
        let kinds = [
            ChangeStep::Insert,
            ChangeStep::InsertIfNew,
            ChangeStep::Remove,
            ChangeStep::Take,
            ChangeStep::Retain,
            ChangeStep::InsertExactly,
        ];
        for number in 0..COUNT / 8 {
            let mut ask = |change| {
                graph.make(TableId::EMPTY, change, &contents, &mut tables, &components);
            };
            kinds.iter().for_each(|kind| ask(ChangeKey::of(kind(number))));
            // Bundles that are assembled at run time have numbers of their own.
            ask(ChangeKey::of(ChangeStep::InsertExactly(1 << 28 | number)));
            let first = ChangeKey::of(ChangeStep::Remove(number));
            let both = graph.then(first, ChangeStep::Insert(0));
            graph.make(TableId::EMPTY, both, &contents, &mut tables, &components);
        }
        // With half of the cells in use, half a step is expected for each lookup.
        assert!(graph.edges[0].steps() < COUNT, "{} steps for {COUNT} plans", graph.edges[0].steps());
    }
}
