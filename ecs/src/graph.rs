//! Edges between tables: what a change of shape does to an entity of a table.
//!
//! A change is one [`Step`] (insert a bundle, remove one, and so on) or a sequence of steps that are carried out together.
//! An edge is found by (source table, change) with one probe of a small map that the source owns, and holds the finished
//! plan of the move: which column goes where, which values are new, which are dropped, where everything ends up. The
//! plan of a sequence leads straight to the last table; the tables in between are never made.
//!
//! Plans are made on first use, so memory follows what is used. Columns have an allocation each, so bytes of two columns
//! cannot be copied as one; what can be merged is the decision how to copy, and so the pairs stand in the order of the
//! sizes of their items.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::component::{ComponentId, Components, Constructor, Contents, StorageType};
use crate::entity::{SparseSummary, TableId};
use crate::id_map::IdMap;
use crate::table::{ColumnPair, Tables};

/// A change of an entity's shape, in one number: what is done with which bundle, or which sequence of such steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Change(u32);

/// One step of a change. The numbers are those of bundles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Adds the components, or replaces their values.
    Insert(u32),
    /// Adds those of the components that are not there.
    InsertIfNew(u32),
    /// As `Insert`, but what the components require is not added.
    InsertExactly(u32),
    /// Removes the components, as far as they are there, and drops them.
    Remove(u32),
    /// Moves the components out; all of them are there.
    Take(u32),
    /// Removes and drops all other components.
    Retain(u32),
}

/// Where the kind of a change begins; below it are the numbers.
const KIND: u32 = 29;
/// The kind of sequences. Their number is that of a node.
const SEQUENCE: u32 = 6;

impl Change {
    /// A change of one step.
    #[inline]
    pub(crate) const fn of(step: Step) -> Self {
        let (kind, number) = match step {
            Step::Insert(number) => (0, number),
            Step::InsertIfNew(number) => (1, number),
            Step::Remove(number) => (2, number),
            Step::Take(number) => (3, number),
            Step::Retain(number) => (4, number),
            Step::InsertExactly(number) => (5, number),
        };
        debug_assert!(number < 1 << KIND);
        Self(kind << KIND | number)
    }

    fn number(self) -> u32 {
        self.0 & ((1 << KIND) - 1)
    }

    fn is_sequence(self) -> bool {
        self.0 >> KIND == SEQUENCE
    }

    fn step(self) -> Step {
        let number = self.number();
        match self.0 >> KIND {
            0 => Step::Insert(number),
            1 => Step::InsertIfNew(number),
            2 => Step::Remove(number),
            3 => Step::Take(number),
            4 => Step::Retain(number),
            _ => Step::InsertExactly(number),
        }
    }
}

/// Where one component of a bundle goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// Into a column of the destination table.
    Column {
        index: u32,
        /// Whether the row has a value of the component already, which is replaced.
        replace: bool,
    },
    /// Into the sparse storage with this number.
    Sparse(u32),
    /// Into the sparse storage with this number, unless there is a value.
    SparseIfNew(u32),
    /// Nowhere: the value is dropped.
    Nowhere,
}

/// A component that a change brings along because others require it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) id: ComponentId,
    /// One for values of the component.
    pub(crate) constructor: Constructor,
    /// Never [`Target::Nowhere`]: what would not be there in the end is not made.
    pub(crate) target: Target,
}

impl Arrival {
    /// The column of the destination, if that is where the value goes and no other one is there.
    pub(crate) fn new_column(&self) -> Option<usize> {
        match self.target {
            Target::Column { index, replace: false } => Some(index as usize),
            _ => None,
        }
    }

    /// Whether a value may be there that an earlier step removes.
    fn may_replace(&self) -> bool {
        matches!(self.target, Target::Column { replace: true, .. } | Target::Sparse(_))
    }
}

/// Where one component of a bundle is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// In a column of the source table.
    Column(u32),
    /// In the sparse storage with this number.
    Sparse(u32),
    /// Nowhere: the table has no such column.
    Absent,
}

/// What a change does to an entity of a table.
pub(crate) struct MovePlan {
    /// The destination; the source itself if no column comes or goes.
    pub(crate) table: TableId,
    /// The columns that the entity keeps. Empty if the destination is the source.
    pub(crate) copies: Box<[ColumnPair]>,
    /// The columns of the source whose value goes. Empty if the destination is the source.
    pub(crate) drops: Box<[u32]>,
    /// For each component of each bundle that is added, step by step.
    pub(crate) targets: Box<[Target]>,
    /// What the bundles that are added require and the entity does not have. No component is also in `targets`, unless it
    /// goes nowhere there.
    pub(crate) required: Box<[Arrival]>,
    /// Whether some of that goes elsewhere than to columns where no value is.
    pub(crate) requires_aside: bool,
    /// The components of the bundle that is removed or taken by the first step.
    pub(crate) sources: Box<[Source]>,
    /// Whether the source table has every table-stored component of that bundle.
    pub(crate) complete: bool,
    /// The sparse storages that must not hold the entity afterwards and are known by number.
    pub(crate) leaves: Box<[u32]>,
    /// The only sparse storages that may hold the entity afterwards, if a step says so.
    pub(crate) retains: Option<Box<[u32]>>,
    /// The sparse storages that something is added to.
    pub(crate) summary: SparseSummary,
    /// Whether the entity may leave something behind that has to be dropped.
    pub(crate) drops_values: bool,
    /// Where a step removes a component that a later one adds: the new value takes the place of the old one, but it is no
    /// change of that.
    pub(crate) renewed: Box<[Target]>,
    /// Whether there is such a place.
    pub(crate) renews: bool,
}

impl MovePlan {
    /// The sparse storages that something may be added to, with repetitions.
    pub(crate) fn sparse_targets(&self) -> impl Iterator<Item = usize> {
        let targets = self.targets.iter().chain(self.required.iter().map(|arrival| &arrival.target));
        targets.filter_map(|target| match *target {
            Target::Sparse(number) | Target::SparseIfNew(number) => Some(number as usize),
            Target::Column { .. } | Target::Nowhere => None,
        })
    }

    fn allocated_bytes(&self) -> usize {
        size_of_val(&*self.copies)
            + size_of_val(&*self.drops)
            + size_of_val(&*self.targets)
            + size_of_val(&*self.required)
            + size_of_val(&*self.sources)
            + size_of_val(&*self.leaves)
            + size_of_val(&*self.renewed)
            + self.retains.as_deref().map_or(0, size_of_val)
    }
}

/// A sequence: the last step, and the node of those before it.
struct Node {
    before: Option<u32>,
    step: Step,
    /// By step: the node of the sequence that is longer by it.
    longer: IdMap,
}

/// What was asked for last: changes come in runs.
#[derive(Clone, Copy)]
struct Last {
    from: TableId,
    change: Change,
    at: u32,
}

/// The edges of all tables.
#[derive(Default)]
pub(crate) struct Graph {
    edges: Vec<IdMap>,
    plans: Vec<MovePlan>,
    nodes: Vec<Node>,
    /// By change of one step: the node of the sequence that begins with it.
    first: Option<IdMap>,
    last: Option<Last>,
}

impl Graph {
    /// The plan for a change of an entity of a table; `contents` gives the components of a bundle if the plan has to be made.
    #[inline]
    pub(crate) fn plan<'a>(
        &mut self,
        from: TableId,
        change: Change,
        contents: impl Fn(u32) -> Contents<'a>,
        tables: &mut Tables,
        components: &Components,
    ) -> &MovePlan {
        let at = match self.last {
            Some(last) if last.from == from && last.change == change => last.at,
            _ => self.find(from, change, &contents, tables, components),
        };
        &self.plans[at as usize]
    }

    /// The plan that was asked for last.
    #[inline]
    pub(crate) fn last_plan(&self) -> &MovePlan {
        match self.last {
            Some(last) => &self.plans[last.at as usize],
            None => unreachable!("a plan has been asked for"),
        }
    }

    #[inline(never)]
    fn find<'a>(
        &mut self,
        from: TableId,
        change: Change,
        contents: &dyn Fn(u32) -> Contents<'a>,
        tables: &mut Tables,
        components: &Components,
    ) -> u32 {
        let known = self.edges.get(from.index()).and_then(|edges| edges.get(change.0));
        let at = known.unwrap_or_else(|| self.make(from, change, contents, tables, components));
        self.last = Some(Last { from, change, at });
        at
    }

    #[cold]
    #[inline(never)]
    fn make<'a>(
        &mut self,
        from: TableId,
        change: Change,
        contents: &dyn Fn(u32) -> Contents<'a>,
        tables: &mut Tables,
        components: &Components,
    ) -> u32 {
        let steps = self.steps(change);
        let plan = Planner { from, steps: &steps, contents, components }.plan(tables);
        let at = self.plans.len() as u32;
        self.plans.push(plan);
        if self.edges.len() <= from.index() {
            self.edges.resize_with(from.index() + 1, IdMap::default);
        }
        self.edges[from.index()].insert(change.0, at);
        at
    }

    /// The change that makes another one first and then a step.
    pub(crate) fn then(&mut self, first: Change, step: Step) -> Change {
        let before = if first.is_sequence() { first.number() } else { self.node_of(first) };
        let key = Change::of(step).0;
        let node = match self.nodes[before as usize].longer.get(key) {
            Some(node) => node,
            None => {
                let node = self.push_node(Some(before), step);
                self.nodes[before as usize].longer.insert(key, node);
                node
            }
        };
        Change(SEQUENCE << KIND | node)
    }

    fn node_of(&mut self, first: Change) -> u32 {
        match self.first.as_ref().and_then(|nodes| nodes.get(first.0)) {
            Some(node) => node,
            None => {
                let node = self.push_node(None, first.step());
                self.first.get_or_insert_default().insert(first.0, node);
                node
            }
        }
    }

    fn push_node(&mut self, before: Option<u32>, step: Step) -> u32 {
        let node = self.nodes.len() as u32;
        assert!(node < 1 << KIND, "a world cannot remember more than {} sequences of changes", 1 << KIND);
        self.nodes.push(Node { before, step, longer: IdMap::default() });
        node
    }

    fn steps(&self, change: Change) -> Vec<Step> {
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

    /// How many sequences of steps are remembered.
    pub(crate) fn sequences(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets all edges and gives their memory back; they are made anew when they are needed. Numbers of tables and of
    /// bundles may change afterwards.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The bytes that the edges have allocated.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.plans.iter().map(MovePlan::allocated_bytes).sum::<usize>()
            + self.edges.iter().map(IdMap::allocated_bytes).sum::<usize>()
            + self.nodes.iter().map(|node| node.longer.allocated_bytes()).sum::<usize>()
            + self.edges.capacity() * size_of::<IdMap>()
            + self.plans.capacity() * size_of::<MovePlan>()
            + self.nodes.capacity() * size_of::<Node>()
    }
}

/// Works out what steps do to entities of a table.
pub(crate) struct Planner<'a, 'b> {
    pub(crate) from: TableId,
    pub(crate) steps: &'b [Step],
    pub(crate) contents: &'b dyn Fn(u32) -> Contents<'a>,
    pub(crate) components: &'b Components,
}

/// What one component goes through.
#[derive(Default)]
struct Story {
    /// The steps that write a value which is still there at the end.
    writes: Vec<usize>,
    /// The step that adds the value which is there at the end, if it does so because its bundle requires it.
    required: Option<usize>,
    /// Whether an old value stays, for a write to replace.
    stays: bool,
    /// Whether it is certain that the entity has it at the end (of a sparse component that no step is about, it is not).
    present: bool,
    /// Whether a step removes it, and no later one adds it.
    leaves: bool,
    /// Whether a step removes it.
    removed: bool,
}

impl<'a> Planner<'a, '_> {
    fn has(&self, bundle: u32, id: ComponentId) -> bool {
        (self.contents)(bundle).explicit.contains(&id)
    }

    fn requires(&self, bundle: u32, id: ComponentId) -> bool {
        (self.contents)(bundle).requirement(id).is_some()
    }

    /// `source`: whether the source table has the component.
    fn story(&self, id: ComponentId, source: bool) -> Story {
        let mut story = Story { stays: source, present: source, ..Story::default() };
        for (at, &step) in self.steps.iter().enumerate() {
            match step {
                Step::Insert(bundle) | Step::InsertExactly(bundle) if self.has(bundle, id) => {
                    story.writes.push(at);
                    (story.present, story.required, story.leaves) = (true, None, false);
                }
                Step::InsertIfNew(bundle) if self.has(bundle, id) && !story.present => {
                    story.writes.push(at);
                    (story.present, story.leaves) = (true, false);
                }
                Step::Insert(bundle) | Step::InsertIfNew(bundle) if self.requires(bundle, id) && !story.present => {
                    (story.present, story.required, story.leaves) = (true, Some(at), false);
                }
                Step::Take(bundle) if self.has(bundle, id) => {
                    // Whoever takes it sees to it that no storage holds it any more.
                    story = Story { removed: true, ..Story::default() };
                }
                Step::Remove(bundle) if self.has(bundle, id) => {
                    story = Story { leaves: true, removed: true, stays: story.stays, ..Story::default() };
                }
                Step::Retain(bundle) if !self.has(bundle, id) => {
                    story = Story { leaves: true, removed: true, stays: story.stays, ..Story::default() };
                }
                _ => {}
            }
        }
        story
    }

    fn sparse(&self, id: ComponentId) -> Option<u32> {
        let info = self.components.info(id).filter(|info| info.storage() == StorageType::Sparse)?;
        Some(info.sparse_index() as u32)
    }

    /// The components that the steps name, without those of steps that name what stays.
    fn named(&self) -> Vec<ComponentId> {
        let mut named = Vec::new();
        for step in self.steps {
            match *step {
                Step::Retain(_) => {}
                Step::Insert(bundle) | Step::InsertIfNew(bundle) => {
                    let contents = (self.contents)(bundle);
                    named.extend(contents.explicit.iter().copied().chain(contents.required.iter().map(|all| all.id)));
                }
                Step::InsertExactly(bundle) | Step::Remove(bundle) | Step::Take(bundle) => {
                    named.extend((self.contents)(bundle).explicit);
                }
            }
        }
        named.sort_unstable();
        named.dedup();
        named
    }

    pub(crate) fn plan(&self, tables: &mut Tables) -> MovePlan {
        let old: Vec<ComponentId> = tables.get(self.from).map_or(Vec::new(), |table| table.components().to_vec());
        let named = self.named();
        let mut all: Vec<ComponentId> = old.iter().copied().filter(|&id| self.story(id, true).present).collect();
        let new = named.iter().copied().filter(|id| self.sparse(*id).is_none() && !old.contains(id));
        all.extend(new.filter(|&id| self.story(id, false).present));
        all.sort_unstable();
        let to = tables.find_or_create(&all, self.components);
        let targets = self.targets(tables, to);
        let required = self.required(&named, tables, to);
        let leaves = named.iter().filter_map(|&id| self.sparse(id).filter(|_| self.story(id, false).leaves));
        let gone = named.iter().filter(|&&id| self.sparse(id).is_some() && self.story(id, false).leaves);
        let gone = old.iter().filter(|id| all.binary_search(id).is_err()).chain(gone);
        let mut gone = gone.filter_map(|&id| self.components.info(id));
        let replaces = required.iter().any(Arrival::may_replace);
        let drops_values = replaces || gone.any(|info| info.needs_drop());
        let (sources, complete) = self.sources(tables);
        let retains = self.retains();
        let renewed = self.renewed(&named, tables, to);
        MovePlan {
            renews: !renewed.is_empty(),
            renewed,
            drops_values: drops_values || retains.is_some(),
            table: to,
            copies: self.copies(tables, to),
            drops: self.drops(tables, to),
            summary: summary(targets.iter().chain(required.iter().map(|arrival| &arrival.target))),
            requires_aside: required.iter().any(|arrival| arrival.new_column().is_none()),
            targets,
            required,
            sources,
            complete,
            leaves: leaves.collect(),
            retains,
        }
    }

    /// Where components of which a step removes the old value and a later one adds a new one end up.
    fn renewed(&self, named: &[ComponentId], tables: &Tables, to: TableId) -> Box<[Target]> {
        let target = |&id: &ComponentId| {
            let sparse = self.sparse(id);
            let story = self.story(id, sparse.is_none() && has(tables, self.from, id));
            (story.removed && story.present).then(|| match sparse {
                Some(number) => Target::Sparse(number),
                None => Target::Column { index: column(tables, to, id), replace: story.stays },
            })
        };
        named.iter().filter_map(target).collect()
    }

    fn targets(&self, tables: &Tables, to: TableId) -> Box<[Target]> {
        let mut targets = Vec::new();
        for (at, &step) in self.steps.iter().enumerate() {
            let (Step::Insert(bundle) | Step::InsertExactly(bundle) | Step::InsertIfNew(bundle)) = step else {
                continue;
            };
            let if_new = matches!(step, Step::InsertIfNew(_));
            targets.extend((self.contents)(bundle).explicit.iter().map(|&id| self.target(id, at, if_new, tables, to)));
        }
        targets.into()
    }

    fn target(&self, id: ComponentId, at: usize, if_new: bool, tables: &Tables, to: TableId) -> Target {
        let sparse = self.sparse(id);
        let story = self.story(id, sparse.is_none() && has(tables, self.from, id));
        let Some(nth) = story.writes.iter().position(|&write| write == at) else { return Target::Nowhere };
        match sparse {
            // A value from before may be there unless an earlier step has removed it or written another.
            Some(number) if if_new && nth == 0 && self.untouched_before(id, at) => Target::SparseIfNew(number),
            Some(number) => Target::Sparse(number),
            None => Target::Column { index: column(tables, to, id), replace: story.stays || nth > 0 },
        }
    }

    /// What the steps add because their bundles require it, of the components that are named.
    fn required(&self, named: &[ComponentId], tables: &Tables, to: TableId) -> Box<[Arrival]> {
        let arrival = |&id: &ComponentId| {
            let sparse = self.sparse(id);
            let story = self.story(id, sparse.is_none() && has(tables, self.from, id));
            let at = story.required?;
            let (Step::Insert(bundle) | Step::InsertIfNew(bundle)) = self.steps[at] else { return None };
            let target = match sparse {
                Some(number) if self.untouched_before(id, at) => Target::SparseIfNew(number),
                Some(number) => Target::Sparse(number),
                None => Target::Column { index: column(tables, to, id), replace: story.stays },
            };
            let constructor = (self.contents)(bundle).requirement(id)?.constructor;
            Some(Arrival { id, constructor, target })
        };
        named.iter().filter_map(arrival).collect()
    }

    fn untouched_before(&self, id: ComponentId, at: usize) -> bool {
        self.steps[..at].iter().all(|step| match *step {
            Step::Retain(bundle) => self.has(bundle, id),
            Step::Insert(bundle)
            | Step::InsertExactly(bundle)
            | Step::InsertIfNew(bundle)
            | Step::Remove(bundle)
            | Step::Take(bundle) => !self.has(bundle, id),
        })
    }

    /// The columns that the entity keeps when it moves.
    fn copies(&self, tables: &Tables, to: TableId) -> Box<[ColumnPair]> {
        let (Some(source), Some(target)) = (tables.get(self.from), tables.get(to)) else { return Box::default() };
        if self.from == to {
            return Box::default();
        }
        let pair = |(at, &id): (usize, &ComponentId)| {
            let to = target.column_index(id).filter(|_| self.story(id, true).stays)?;
            Some(ColumnPair { from: at as u32, to: to as u32, size: source.column(at).item().size() })
        };
        let mut pairs: Vec<ColumnPair> = source.components().iter().enumerate().filter_map(pair).collect();
        pairs.sort_unstable_by_key(|pair| (pair.size, pair.from));
        pairs.into()
    }

    /// The columns of the source that the entity leaves behind when it moves.
    fn drops(&self, tables: &Tables, to: TableId) -> Box<[u32]> {
        let (Some(source), Some(target)) = (tables.get(self.from), tables.get(to)) else { return Box::default() };
        if self.from == to {
            return Box::default();
        }
        let left = |&(_, &id): &(usize, &ComponentId)| !target.contains(id) || !self.story(id, true).stays;
        source.components().iter().enumerate().filter(left).map(|(at, _)| at as u32).collect()
    }

    fn sources(&self, tables: &Tables) -> (Box<[Source]>, bool) {
        let Some(&(Step::Remove(bundle) | Step::Take(bundle))) = self.steps.first() else {
            return (Box::default(), false);
        };
        let sources = (self.contents)(bundle).explicit.iter().map(|&id| match self.sparse(id) {
            Some(number) => Source::Sparse(number),
            None if has(tables, self.from, id) => Source::Column(column(tables, self.from, id)),
            None => Source::Absent,
        });
        let sources: Box<[Source]> = sources.collect();
        let complete = !sources.contains(&Source::Absent);
        (sources, complete)
    }

    /// The sparse storages that an entity may be in afterwards, if a step names what stays.
    fn retains(&self) -> Option<Box<[u32]>> {
        if !self.steps.iter().any(|step| matches!(step, Step::Retain(_))) {
            return None;
        }
        let storages = self.components.sparse().iter().enumerate();
        Some(storages.filter(|&(_, &id)| self.story(id, true).present).map(|(number, _)| number as u32).collect())
    }
}

fn summary<'t>(targets: impl Iterator<Item = &'t Target>) -> SparseSummary {
    targets.fold(SparseSummary::default(), |summary, target| match target {
        Target::Sparse(number) | Target::SparseIfNew(number) => summary.with(*number as usize),
        Target::Column { .. } | Target::Nowhere => summary,
    })
}

fn has(tables: &Tables, table: TableId, id: ComponentId) -> bool {
    tables.get(table).is_some_and(|table| table.contains(id))
}

/// The column of a component that the table is known to have.
fn column(tables: &Tables, table: TableId, id: ComponentId) -> u32 {
    let found = tables.get(table).and_then(|table| table.column_index(id));
    let Some(index) = found else { unreachable!("the table was made with this component") };
    index as u32
}
