//! What a schedule was told: its systems, its sets, and what runs before what.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::any::TypeId;
use core::ops::Range;

use hashbrown::HashMap;

use super::config::{Config, Group, Leaf, Order, Schedulable, ScheduleSystem};
use super::error::ScheduleBuildError;
use super::set::FunctionSet;
use crate::label::InternedSystemSet;
use crate::store::Store;
use crate::system::BoxedSystem;

/// A system or a set, by its number among its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Member {
    System(u32),
    Set(u32),
}

/// What of a system is needed to run it.
pub(super) struct Runnable {
    pub(super) system: ScheduleSystem,
    /// Its own ones, as a range of [`Graph::conditions`].
    pub(super) conditions: Range<u32>,
}

/// A system that decides whether others run.
pub(super) struct Condition {
    pub(super) system: BoxedSystem<(), bool>,
    /// How many ticks it needs.
    pub(super) ticks: u32,
}

impl Condition {
    fn new(system: BoxedSystem<(), bool>) -> Self {
        Self { ticks: system.ticks(), system }
    }
}

/// What else is known of a system.
pub(super) struct SystemNode {
    /// The sets that it was put into.
    pub(super) sets: Vec<u32>,
    pub(super) ambiguous_with: Vec<InternedSystemSet>,
    pub(super) ambiguous_with_all: bool,
}

/// A set of systems.
pub(super) struct SetNode {
    /// The name. Tuples with a condition or in a chain have none.
    pub(super) label: Option<InternedSystemSet>,
    /// The sets that it is in.
    pub(super) parents: Vec<u32>,
    pub(super) conditions: Vec<Condition>,
    /// Whether anything was said of it but its name.
    declared: bool,
}

/// One before the other.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) first: Member,
    pub(super) second: Member,
    /// Whether the second sees what the first has recorded.
    pub(super) sync: bool,
}

/// A demand on the order that names what may be added later.
struct Reference {
    of: Member,
    order: Order,
}

/// All that a schedule was told.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) runnables: Vec<Runnable>,
    /// Those of systems.
    pub(super) conditions: Vec<Condition>,
    pub(super) systems: Vec<SystemNode>,
    pub(super) sets: Vec<SetNode>,
    by_label: HashMap<InternedSystemSet, u32>,
    chains: Vec<Before>,
    references: Vec<Reference>,
}

/// What a configuration becomes in a graph.
pub(super) trait AddTo: Schedulable {
    fn add_to(leaf: Leaf<Self>, graph: &mut Graph, parent: Option<u32>) -> Member;
}

impl AddTo for ScheduleSystem {
    fn add_to(leaf: Leaf<Self>, graph: &mut Graph, parent: Option<u32>) -> Member {
        let number = graph.systems.len() as u32;
        let of = Member::System(number);
        let mut sets: Vec<u32> = leaf.sets.iter().map(|set| graph.declare(*set)).collect();
        sets.extend(parent);
        sets.sort_unstable();
        sets.dedup();
        graph.references.extend(leaf.orders.into_iter().map(|order| Reference { of, order }));
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
    fn add_to(leaf: Leaf<Self>, graph: &mut Graph, parent: Option<u32>) -> Member {
        let number = graph.declare(leaf.node);
        let of = Member::Set(number);
        let parents: Vec<u32> = leaf.sets.iter().map(|set| graph.declare(*set)).chain(parent).collect();
        graph.references.extend(leaf.orders.into_iter().map(|order| Reference { of, order }));
        let set = &mut graph.sets[number as usize];
        set.parents.extend(parents);
        set.conditions.extend(leaf.conditions.into_iter().map(Condition::new));
        of
    }
}

impl Graph {
    /// Adds systems, or what is said of sets.
    pub(super) fn add<T: AddTo>(&mut self, config: Config<T>) {
        self.add_config(config, None, false);
    }

    /// Adds what a configuration says, and makes a set of a group if there has to be something to refer to.
    fn add_config<T: AddTo>(&mut self, config: Config<T>, parent: Option<u32>, as_one: bool) -> Option<Member> {
        let Group { members, chained, conditions } = match config {
            Config::Leaf(leaf) => return Some(T::add_to(*leaf, self, parent)),
            Config::Group(group) => group,
        };
        let own = (as_one || !conditions.is_empty()).then(|| self.add_group(parent, conditions));
        let parent = own.or(parent);
        let mut before: Option<Member> = None;
        for member in members {
            let added = self.add_config(member, parent, chained.is_some());
            if let (Some(chain), Some(second)) = (chained, added) {
                let first = before.replace(second);
                self.chains.extend(first.map(|first| Before { first, second, sync: chain.sync }));
            }
        }
        own.map(Member::Set)
    }

    fn add_group(&mut self, parent: Option<u32>, conditions: Vec<BoxedSystem<(), bool>>) -> u32 {
        let conditions = conditions.into_iter().map(Condition::new).collect();
        self.sets.push(SetNode { label: None, parents: parent.into_iter().collect(), conditions, declared: true });
        self.sets.len() as u32 - 1
    }

    /// The number of a set that exists from now on.
    fn declare(&mut self, label: InternedSystemSet) -> u32 {
        let number = *self.by_label.entry(label).or_insert_with(|| {
            self.sets.push(SetNode {
                label: Some(label),
                parents: Vec::new(),
                conditions: Vec::new(),
                declared: false,
            });
            self.sets.len() as u32 - 1
        });
        self.sets[number as usize].declared = true;
        number
    }

    /// The number of a set.
    pub(super) fn set(&self, label: InternedSystemSet) -> Option<u32> {
        self.by_label.get(&label).copied()
    }

    /// The name of a system or a set.
    pub(super) fn name(&self, member: Member) -> String {
        match member {
            Member::System(number) => self.runnables[number as usize].system.name().to_string(),
            Member::Set(number) => match self.sets[number as usize].label {
                Some(label) => alloc::format!("{label:?}"),
                None => {
                    let inside = (0..self.systems.len() as u32).filter(|at| self.is_in(*at, number));
                    let names: Vec<&str> = inside.map(|at| self.runnables[at as usize].system.name()).take(3).collect();
                    alloc::format!("({}, ..)", names.join(", "))
                }
            },
        }
    }

    /// Whether a system was put into a set, by itself or with another set.
    pub(super) fn is_in(&self, system: u32, set: u32) -> bool {
        self.sets_around(&self.systems[system as usize].sets).contains(&set)
    }

    /// These sets and those that they are in, outer ones first.
    pub(super) fn sets_around(&self, sets: &[u32]) -> Vec<u32> {
        fn visit(graph: &Graph, set: u32, found: &mut Vec<u32>, path: &mut Vec<u32>) {
            if found.contains(&set) || path.contains(&set) {
                return;
            }
            path.push(set);
            graph.sets[set as usize].parents.iter().for_each(|parent| visit(graph, *parent, found, path));
            path.pop();
            found.push(set);
        }
        let mut found = Vec::new();
        sets.iter().for_each(|set| visit(self, *set, &mut found, &mut Vec::new()));
        found
    }

    /// Prepares all systems for a world.
    ///
    /// # Panics
    ///
    /// If two parameters of a system are in each other's way.
    pub(super) fn initialize(&mut self, store: &mut Store) -> Result<(), ScheduleBuildError> {
        let of_sets = self.sets.iter_mut().flat_map(|set| &mut set.conditions);
        for condition in of_sets.chain(&mut self.conditions) {
            condition.system.initialize(store);
            if !condition.system.access().is_read_only() {
                let condition = condition.system.name().to_string();
                return Err(ScheduleBuildError::ConditionWrites { condition });
            }
        }
        self.runnables.iter_mut().for_each(|runnable| runnable.system.initialize(store));
        Ok(())
    }

    /// The conditions of a system.
    pub(super) fn conditions_of(&self, system: u32) -> &[Condition] {
        let range = &self.runnables[system as usize].conditions;
        &self.conditions[range.start as usize..range.end as usize]
    }

    /// All that runs before something else, with references resolved. `O(n)`.
    pub(super) fn orders(&self) -> Result<Vec<Before>, ScheduleBuildError> {
        let mut all = self.chains.clone();
        all.reserve(self.references.len());
        let mut functions = HashMap::new();
        if self.references.iter().any(|reference| FunctionSet::function_of(reference.order.other).is_some()) {
            for (number, runnable) in self.runnables.iter().enumerate() {
                if let Some(function) = runnable.system.function() {
                    functions.entry(function).and_modify(|only| *only = None).or_insert(Some(number as u32));
                }
            }
        }
        for Reference { of, order } in &self.references {
            let other = self.resolve(order.other, *of, &functions)?;
            let (first, second) = if order.after { (other, *of) } else { (*of, other) };
            all.push(Before { first, second, sync: order.sync });
        }
        Ok(all)
    }

    /// What something is ordered by. `functions` has the only system of each function, or `None` if there are several.
    fn resolve(
        &self,
        label: InternedSystemSet,
        by: Member,
        functions: &HashMap<TypeId, Option<u32>>,
    ) -> Result<Member, ScheduleBuildError> {
        let missing = || ScheduleBuildError::Unknown { missing: alloc::format!("{label:?}"), by: self.name(by) };
        let Some(function) = FunctionSet::function_of(label) else {
            let number = self.set(label).filter(|number| self.sets[*number as usize].declared);
            return number.map(Member::Set).ok_or_else(missing);
        };
        match functions.get(&function) {
            None => Err(missing()),
            Some(Some(system)) => Ok(Member::System(*system)),
            Some(None) => Err(ScheduleBuildError::Duplicate { system: alloc::format!("{label:?}"), by: self.name(by) }),
        }
    }
}
