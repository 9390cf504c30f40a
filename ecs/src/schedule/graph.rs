//! The configuration of a schedule: its systems, its sets, and the constraints between them.
//!
//! Tests: tests/schedules/schedule/orders.rs

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::TypeId;
use core::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::config::{Chain, Config, NodeConfig, OrderConfig, Schedulable, ScheduleSystem};
use super::error::ScheduleBuildError;
use super::set::FunctionSet;
use crate::access::Access;
use crate::schedule::label::InternedSystemSet;
use crate::storage::resource::ResourceId;
use crate::structure::store::Store;
use crate::system::BoxedSystem;

/// A system or a set, identified by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum SystemOrSet {
    System(u32),
    Set(u32),
}

/// The parts of a system that a run needs.
pub(super) struct Runnable {
    pub(super) system: ScheduleSystem,
    /// The system's own conditions, as a range of [`ScheduleGraph::conditions`].
    pub(super) conditions: Range<u32>,
}

/// A system that is evaluated to decide whether other systems run.
pub(super) struct Condition {
    pub(super) system: BoxedSystem<(), bool>,
    /// The number of ticks that the condition needs.
    pub(super) ticks: u32,
}

impl Condition {
    fn new(system: BoxedSystem<(), bool>) -> Self {
        Self { ticks: system.facts().ticks, system }
    }
}

/// The parts of a system that a run does not need.
pub(super) struct SystemNode {
    /// The sets that the system was added to.
    pub(super) sets: Vec<u32>,
    pub(super) ambiguous_with: Vec<InternedSystemSet>,
    pub(super) ambiguous_with_all: bool,
}

/// A set of systems.
#[derive(Default)]
pub(super) struct SetNode {
    /// The name of the set. Sets of tuples with a condition or in a chain have no name.
    pub(super) label: Option<InternedSystemSet>,
    /// The sets that this set is in.
    pub(super) parents: Vec<u32>,
    pub(super) conditions: Vec<Condition>,
    /// Whether a configuration or a member has declared the set.
    pub(super) declared: bool,
}

/// A constraint: `first` runs before `second`.
#[derive(Clone, Copy)]
pub(super) struct OrderConstraint {
    pub(super) first: SystemOrSet,
    pub(super) second: SystemOrSet,
    /// Whether `second` sees the effects of the commands of `first`.
    pub(super) sync: bool,
}

/// A constraint that refers to a system or set that may be added later.
pub(super) struct NamedConstraint {
    pub(super) of: SystemOrSet,
    pub(super) order: OrderConfig,
}

/// The whole configuration of a schedule.
#[derive(Default)]
pub(super) struct ScheduleGraph {
    pub(super) runnables: Vec<Runnable>,
    /// The conditions of all systems: see [`Runnable::conditions`].
    pub(super) conditions: Vec<Condition>,
    pub(super) systems: Vec<SystemNode>,
    pub(super) sets: Vec<SetNode>,
    pub(super) by_label: HashMap<InternedSystemSet, u32>,
    pub(super) chains: Vec<OrderConstraint>,
    pub(super) references: Vec<NamedConstraint>,
}

/// A group whose members are being added.
struct OpenGroup<T> {
    members: alloc::vec::IntoIter<Config<T>>,
    chained: Option<Chain>,
    /// The set that represents the group, if there is one.
    own: Option<u32>,
    /// The innermost set around its members.
    parent: Option<u32>,
    /// If the group is chained: the member that was added last.
    before: Option<SystemOrSet>,
}

/// Adds a configuration to a graph.
pub(super) trait AddTo: Schedulable {
    fn add_to(leaf: NodeConfig<Self>, graph: &mut ScheduleGraph, parent: Option<u32>) -> SystemOrSet;
}

impl AddTo for ScheduleSystem {
    fn add_to(leaf: NodeConfig<Self>, graph: &mut ScheduleGraph, parent: Option<u32>) -> SystemOrSet {
        let number = graph.systems.len() as u32;
        let of = SystemOrSet::System(number);
        let mut sets: Vec<u32> = leaf.sets.iter().map(|set| graph.declare(*set)).collect();
        sets.extend(parent);
        sets.sort_unstable();
        sets.dedup();
        graph.references.extend(leaf.orders.into_iter().map(|order| NamedConstraint { of, order }));
        let first = graph.conditions.len() as u32;
        graph.conditions.extend(leaf.conditions.into_iter().map(Condition::new));
        graph.runnables.push(Runnable { system: leaf.node, conditions: first..graph.conditions.len() as u32 });
        graph.systems.push(SystemNode {
            sets,
            ambiguous_with: leaf.ambiguous_with,
            ambiguous_with_all: leaf.ambiguous_with_all,
        });
        of
    }
}

impl AddTo for InternedSystemSet {
    fn add_to(leaf: NodeConfig<Self>, graph: &mut ScheduleGraph, parent: Option<u32>) -> SystemOrSet {
        let number = graph.declare(leaf.node);
        let of = SystemOrSet::Set(number);
        let parents: Vec<u32> = leaf.sets.iter().map(|set| graph.declare(*set)).chain(parent).collect();
        graph.references.extend(leaf.orders.into_iter().map(|order| NamedConstraint { of, order }));
        let set = &mut graph.sets[number as usize];
        set.parents.extend(parents);
        set.conditions.extend(leaf.conditions.into_iter().map(Condition::new));
        of
    }
}

/// Returns an error if parameters of a prepared system conflict.
fn agreed(access: &Access) -> Result<(), ScheduleBuildError> {
    access.refusal().map_or(Ok(()), |why| Err(ScheduleBuildError::Parameters(why.to_string())))
}

impl ScheduleGraph {
    /// Adds systems, or the configuration of sets. A group becomes a set if something has to refer to the group.
    pub(super) fn add<T: AddTo>(&mut self, config: Config<T>) {
        // The open groups, outermost first. A list instead of recursion, since groups may be nested deeply.
        let mut path: Vec<OpenGroup<T>> = Vec::new();
        let mut next = Some(config);
        while let Some(config) = next {
            let parent = path.last().and_then(|around| around.parent);
            match config {
                Config::Leaf(leaf) => {
                    let member = T::add_to(*leaf, self, parent);
                    self.chain(path.last_mut(), member);
                }
                Config::Group(mut group) => {
                    let conditions = core::mem::take(&mut group.conditions);
                    let as_one = path.last().is_some_and(|around| around.chained.is_some());
                    let own = (as_one || !conditions.is_empty()).then(|| self.add_group(parent, conditions));
                    path.push(OpenGroup {
                        members: core::mem::take(&mut group.members).into_iter(),
                        chained: group.chained,
                        own,
                        parent: own.or(parent),
                        before: None,
                    });
                }
            }
            next = self.next_member(&mut path);
        }
    }

    /// Returns the next member of the innermost open group that has members left. Closes the groups inside of that
    /// group.
    fn next_member<T: AddTo>(&mut self, path: &mut Vec<OpenGroup<T>>) -> Option<Config<T>> {
        loop {
            if let Some(member) = path.last_mut()?.members.next() {
                return Some(member);
            }
            let done = path.pop();
            if let Some(own) = done.and_then(|group| group.own) {
                self.chain(path.last_mut(), SystemOrSet::Set(own));
            }
        }
    }

    /// If the group is chained, orders a member after the previous one.
    fn chain<T>(&mut self, group: Option<&mut OpenGroup<T>>, second: SystemOrSet) {
        if let Some(group) = group
            && let Some(chain) = group.chained
        {
            let first = group.before.replace(second);
            self.chains.extend(first.map(|first| OrderConstraint { first, second, sync: chain.sync }));
        }
    }

    fn add_group(&mut self, parent: Option<u32>, conditions: Vec<BoxedSystem<(), bool>>) -> u32 {
        let conditions = conditions.into_iter().map(Condition::new).collect();
        self.sets.push(SetNode { label: None, parents: parent.into_iter().collect(), conditions, declared: true });
        self.sets.len() as u32 - 1
    }

    /// Returns the index of a set. Adds the set if it does not exist yet.
    fn declare(&mut self, label: InternedSystemSet) -> u32 {
        let number = *self.by_label.entry(label).or_insert_with(|| {
            self.sets.push(SetNode { label: Some(label), ..SetNode::default() });
            self.sets.len() as u32 - 1
        });
        self.sets[number as usize].declared = true;
        number
    }

    /// Returns the index of a set, if it exists.
    pub(super) fn set(&self, label: InternedSystemSet) -> Option<u32> {
        self.by_label.get(&label).copied()
    }

    /// Returns the name of a system or a set.
    pub(super) fn name(&self, member: SystemOrSet) -> String {
        match member {
            SystemOrSet::System(number) => self.runnables[number as usize].system.name().to_string(),
            SystemOrSet::Set(number) => match self.sets[number as usize].label {
                Some(label) => alloc::format!("{label:?}"),
                None => {
                    let inside = (0..self.systems.len() as u32).filter(|at| self.is_in(*at, number));
                    let names: Vec<&str> = inside.map(|at| self.runnables[at as usize].system.name()).take(3).collect();
                    alloc::format!("({}, ..)", names.join(", "))
                }
            },
        }
    }

    /// Returns whether a system was added to a set, directly or through another set.
    pub(super) fn is_in(&self, system: u32, set: u32) -> bool {
        self.sets_around(&self.systems[system as usize].sets).contains(&set)
    }

    /// Returns these sets and all sets around them, outer sets first.
    pub(super) fn sets_around(&self, sets: &[u32]) -> Vec<u32> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        // The open sets, each with the number of its parents that have been visited. A list instead of recursion, since sets may be nested
        // deeply.
        let mut path: Vec<(u32, usize)> = Vec::new();
        for set in sets.iter().copied() {
            if seen.insert(set) {
                path.push((set, 0));
            }
            while let Some((set, next)) = path.last_mut() {
                match self.sets[*set as usize].parents.get(*next) {
                    Some(parent) => {
                        *next += 1;
                        if seen.insert(*parent) {
                            path.push((*parent, 0));
                        }
                    }
                    None => {
                        found.push(*set);
                        path.pop();
                    }
                }
            }
        }
        found
    }

    /// Prepares all systems for a world.
    pub(super) fn initialize(&mut self, store: &mut Store) -> Result<(), ScheduleBuildError> {
        let of_sets = self.sets.iter_mut().flat_map(|set| &mut set.conditions);
        for condition in of_sets.chain(&mut self.conditions) {
            condition.system.prepare(store);
            agreed(condition.system.access())?;
            if !condition.system.access().is_read_only() {
                let condition = condition.system.name().to_string();
                return Err(ScheduleBuildError::ConditionWrites { condition });
            }
        }
        for runnable in &mut self.runnables {
            runnable.system.prepare(store);
            agreed(runnable.system.access())?;
        }
        Ok(())
    }

    /// Returns the message types that systems and conditions read. The systems must have been initialized.
    pub(super) fn message_readers(&self) -> Vec<ResourceId> {
        let of_sets = self.sets.iter().flat_map(|set| &set.conditions);
        let conditions = of_sets.chain(&self.conditions).map(|condition| condition.system.access());
        let systems = self.runnables.iter().map(|runnable| runnable.system.access());
        let mut all: Vec<u32> = systems.chain(conditions).flat_map(Access::message_readers).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(ResourceId).collect()
    }

    /// Returns the conditions of a system.
    pub(super) fn conditions_of(&self, system: u32) -> &[Condition] {
        let range = &self.runnables[system as usize].conditions;
        &self.conditions[range.start as usize..range.end as usize]
    }

    /// Returns all constraints, with references resolved. `O(n)`.
    pub(super) fn orders(&self) -> Result<Vec<OrderConstraint>, ScheduleBuildError> {
        let mut all = self.chains.clone();
        all.reserve(self.references.len());
        let functions = self.functions();
        for reference in &self.references {
            all.push(self.before(reference, &functions)?);
        }
        Ok(all)
    }

    /// Returns the system of each function that a constraint refers to; `None` if there are several.
    pub(super) fn functions(&self) -> HashMap<TypeId, Option<u32>> {
        let mut functions = HashMap::new();
        if self.references.iter().any(|reference| FunctionSet::function_of(reference.order.other).is_some()) {
            for (number, runnable) in self.runnables.iter().enumerate() {
                if let Some(function) = runnable.system.facts().function {
                    functions.entry(function).and_modify(|only| *only = None).or_insert(Some(number as u32));
                }
            }
        }
        functions
    }

    /// Resolves a constraint. `functions` must be the result of [`Self::functions`].
    pub(super) fn before(
        &self,
        NamedConstraint { of, order }: &NamedConstraint,
        functions: &HashMap<TypeId, Option<u32>>,
    ) -> Result<OrderConstraint, ScheduleBuildError> {
        let other = self.resolve(order.other, *of, functions)?;
        let (first, second) = if order.after { (other, *of) } else { (*of, other) };
        Ok(OrderConstraint { first, second, sync: order.sync })
    }

    /// Resolves the target of a constraint. `functions` contains the only system of each function, or `None` if there
    /// are several.
    fn resolve(
        &self,
        label: InternedSystemSet,
        by: SystemOrSet,
        functions: &HashMap<TypeId, Option<u32>>,
    ) -> Result<SystemOrSet, ScheduleBuildError> {
        let missing = || ScheduleBuildError::Unknown { missing: alloc::format!("{label:?}"), by: self.name(by) };
        let Some(function) = FunctionSet::function_of(label) else {
            let number = self.set(label).filter(|number| self.sets[*number as usize].declared);
            return number.map(SystemOrSet::Set).ok_or_else(missing);
        };
        match functions.get(&function) {
            None => Err(missing()),
            Some(Some(system)) => Ok(SystemOrSet::System(*system)),
            Some(None) => Err(ScheduleBuildError::Duplicate { system: alloc::format!("{label:?}"), by: self.name(by) }),
        }
    }
}
