//! What a query or a system borrows, and when two of them are in each other's way.
//!
//! Code gets `&mut` to a value through a shared store only by an access that was checked: the terms of a query against each
//! other, the parameters of a system against each other, and a system that holds `&mut World` against everything. Ticks are
//! borrowed, too: asking whether a component has changed reads the component, except that a query may write what it asks the
//! changes of. The options of a row system (`with`, `changed` and so on) are filters of its rows and are checked among its
//! parameters: they exclude other queries, and they borrow.

use alloc::string::String;
use alloc::vec::Vec;

use fixedbitset::FixedBitSet;

use crate::component::{ComponentId, Components, StorageType};

/// The components that a query reads and writes, and those that its entities must have or must not have.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let writer = world.query::<&mut Health>();
/// let reader = world.query::<&Health>();
/// let id = world.component_id::<Health>();
/// assert_eq!(writer.access().conflict_with(reader.access()), id);
/// assert_eq!(reader.access().conflict_with(reader.access()), None);
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub struct FilteredAccess {
    reads: FixedBitSet,
    writes: FixedBitSet,
    /// Those of which it is asked whether they have changed: against others as if they were read.
    ticks: FixedBitSet,
    /// The ways in which an entity can match. One that contradicts itself is left out, unless in a sparse component: the
    /// query visits the tables then.
    branches: Vec<Branch>,
    /// Whether there were too many, so that some are known only by what they have in common.
    has_merged: bool,
    conflict: Option<ComponentId>,
}

/// How many branches are kept apart. The cost of a comparison grows with the product.
const MOST_BRANCHES: usize = 128;

/// One way in which an entity can match: what it has, and what it lacks.
#[derive(Clone, Default, Debug, PartialEq)]
struct Branch {
    with: FixedBitSet,
    without: FixedBitSet,
}

impl Branch {
    /// Whether a component for which this is true is demanded by one of two branches, and excluded by the other.
    fn is_apart_from(&self, other: &Self, counts: impl Fn(usize) -> bool) -> bool {
        let between = |a: &FixedBitSet, b: &FixedBitSet| a.intersection(b).any(&counts);
        between(&self.with, &other.without) || between(&self.without, &other.with)
    }

    /// Whether each entity that matches this matches the other one, too.
    fn implies(&self, other: &Self) -> bool {
        other.with.is_subset(&self.with) && other.without.is_subset(&self.without)
    }

    /// What an entity has and lacks that matches both.
    fn and(&self, other: &Self) -> Self {
        Self { with: &self.with | &other.with, without: &self.without | &other.without }
    }

    /// What all branches have in common.
    fn common(branches: &[Self]) -> Option<Self> {
        let (first, others) = branches.split_first()?;
        Some(others.iter().fold(first.clone(), |mut common, other| {
            common.with.intersect_with(&other.with);
            common.without.intersect_with(&other.without);
            common
        }))
    }
}

impl Default for FilteredAccess {
    /// Nothing is borrowed, and every entity matches.
    fn default() -> Self {
        let [reads, writes, ticks] = [const { FixedBitSet::new() }; 3];
        Self { reads, writes, ticks, branches: alloc::vec![Branch::default()], has_merged: false, conflict: None }
    }
}

fn add(set: &mut FixedBitSet, id: ComponentId) {
    set.grow_and_insert(id.index());
}

fn first_common(a: &FixedBitSet, b: &FixedBitSet) -> Option<ComponentId> {
    a.intersection(b).next().map(|index| ComponentId(index as u32))
}

impl FilteredAccess {
    /// Adds a component that is read.
    ///
    /// ```
    /// use strata_ecs::access::FilteredAccess;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let mut access = FilteredAccess::default();
    /// access.add_read(id);
    /// assert!(access.touches(id));
    /// ```
    pub fn add_read(&mut self, id: ComponentId) {
        if self.writes.contains(id.index()) {
            self.conflict.get_or_insert(id);
        }
        add(&mut self.reads, id);
    }

    /// Adds a component that is written.
    ///
    /// ```
    /// use strata_ecs::access::FilteredAccess;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let mut access = FilteredAccess::default();
    /// access.add_write(id);
    /// assert_eq!(access.conflict_with(&access), Some(id));
    /// ```
    pub fn add_write(&mut self, id: ComponentId) {
        if self.writes.contains(id.index()) || self.reads.contains(id.index()) {
            self.conflict.get_or_insert(id);
        }
        add(&mut self.writes, id);
    }

    /// Adds a component of which it is asked whether it has changed. The query itself may change it at the same time.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let own = world.query_filtered::<&mut Health, Changed<Health>>();
    /// assert_eq!(own.access().own_conflict(), None);
    /// let (watcher, writer) = (world.query_filtered::<(), Changed<Health>>(), world.query::<&mut Health>());
    /// assert_eq!(watcher.access().conflict_with(writer.access()), world.component_id::<Health>());
    /// ```
    pub fn add_ticks(&mut self, id: ComponentId) {
        add(&mut self.ticks, id);
    }

    /// Says that every matched entity has the component.
    ///
    /// ```
    /// use strata_ecs::access::FilteredAccess;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let mut access = FilteredAccess::default();
    /// access.add_with(id);
    /// assert!(!access.touches(id)); // Demanded, not borrowed.
    /// ```
    pub fn add_with(&mut self, id: ComponentId) {
        self.branches.iter_mut().for_each(|branch| add(&mut branch.with, id));
    }

    /// Says that no matched entity has the component.
    ///
    /// ```
    /// use strata_ecs::access::FilteredAccess;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let [mut with, mut without] = [FilteredAccess::default(), FilteredAccess::default()];
    /// with.add_with(id);
    /// without.add_without(id);
    /// assert!(with.is_disjoint_with(&without));
    /// ```
    pub fn add_without(&mut self, id: ComponentId) {
        self.branches.iter_mut().for_each(|branch| add(&mut branch.without, id));
    }

    /// Whether the component is read or written.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// assert!(world.query::<&mut Health>().access().touches(id));
    /// assert!(!world.query_filtered::<Entity, With<Health>>().access().touches(id));
    /// ```
    #[must_use]
    pub fn touches(&self, id: ComponentId) -> bool {
        [&self.reads, &self.writes, &self.ticks].iter().any(|set| set.contains(id.index()))
    }

    /// The component that the query itself borrows twice, once mutably.
    ///
    /// ```
    /// use strata_ecs::access::FilteredAccess;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let mut access = FilteredAccess::default();
    /// access.add_read(id);
    /// assert_eq!(access.own_conflict(), None);
    /// access.add_write(id);
    /// assert_eq!(access.own_conflict(), Some(id));
    /// ```
    #[must_use]
    pub fn own_conflict(&self) -> Option<ComponentId> {
        self.conflict
    }

    /// Whether no entity can be matched by both: in each pair of their branches one demands what the other forbids. `Or`,
    /// `AnyOf` and query enums have a branch for each member.
    ///
    /// The answer is exact up to 128 branches, where one that implies another does not count. Of more, only what they have in
    /// common is compared, so that the answer may be `false` although no entity can be matched by both. The cost is the
    /// product of the numbers of branches.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Poisoned;
    /// # let mut world = World::new();
    /// let poisoned = world.query_filtered::<&mut Health, With<Poisoned>>();
    /// let healthy = world.query_filtered::<&mut Health, Without<Poisoned>>();
    /// assert!(poisoned.access().is_disjoint_with(healthy.access()));
    /// ```
    #[must_use]
    pub fn is_disjoint_with(&self, other: &Self) -> bool {
        self.is_apart_from(other, |_| true)
    }

    /// Whether components for which this is true keep each pair of branches apart.
    fn is_apart_from(&self, other: &Self, counts: impl Fn(usize) -> bool) -> bool {
        self.branches.iter().all(|branch| other.branches.iter().all(|other| branch.is_apart_from(other, &counts)))
    }

    /// A component that both borrow and at least one writes, if some entity could be matched by both.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Poisoned;
    /// # let mut world = World::new();
    /// let all = world.query::<&mut Health>();
    /// let poisoned = world.query_filtered::<&Health, With<Poisoned>>();
    /// let healthy = world.query_filtered::<&mut Health, Without<Poisoned>>();
    /// assert_eq!(all.access().conflict_with(poisoned.access()), world.component_id::<Health>());
    /// assert_eq!(healthy.access().conflict_with(poisoned.access()), None);
    /// ```
    #[must_use]
    pub fn conflict_with(&self, other: &Self) -> Option<ComponentId> {
        let found = first_common(&self.writes, &other.writes)
            .or_else(|| first_common(&self.writes, &other.reads))
            .or_else(|| first_common(&self.reads, &other.writes))
            .or_else(|| first_common(&self.writes, &other.ticks))
            .or_else(|| first_common(&self.ticks, &other.writes));
        found.filter(|_| !self.is_disjoint_with(other))
    }

    /// Whether two queries must not be used at the same time by different threads. That is more than
    /// [`conflict_with`](Self::conflict_with): rows of one column that only a sparse component keeps apart share what is
    /// noted about changes of the column, and so do all rows of a sparse storage.
    pub(crate) fn collides_with(&self, other: &Self, components: &Components) -> bool {
        self.collision_with(other, components).is_some()
    }

    /// The component that keeps two queries from being used at the same time by different threads.
    pub(crate) fn collision_with(&self, other: &Self, components: &Components) -> Option<ComponentId> {
        let is_sparse = |index: usize| {
            components.info(ComponentId(index as u32)).is_none_or(|info| info.storage() == StorageType::Sparse)
        };
        let in_other_tables = self.is_apart_from(other, |index| !is_sparse(index));
        let common = |a: &FixedBitSet, b: &FixedBitSet| {
            let found = a.intersection(b).find(|index| !in_other_tables || is_sparse(*index));
            found.map(|index| ComponentId(index as u32))
        };
        common(&self.writes, &other.writes)
            .or_else(|| [&self.reads, &self.ticks].iter().find_map(|looked_at| common(looked_at, &other.writes)))
            .or_else(|| [&other.reads, &other.ticks].iter().find_map(|looked_at| common(&self.writes, looked_at)))
    }

    /// Whether there is a component that both borrow, whatever they do with it.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        let all = |access: &Self| access.reads.union(&access.writes).collect::<FixedBitSet>();
        !all(self).is_disjoint(&all(other))
    }

    /// Whether it borrows a component mutably.
    pub(crate) fn writes(&self, id: ComponentId) -> bool {
        self.writes.contains(id.index())
    }

    /// Whether it reads nothing but what another one borrows, and writes nothing but what that one writes.
    pub(crate) fn is_covered_by(&self, other: &Self) -> bool {
        self.writes.is_subset(&other.writes)
            && [&self.reads, &self.ticks]
                .iter()
                .all(|set| set.ones().all(|at| other.reads.contains(at) || other.writes.contains(at)))
    }

    /// Every component that it borrows.
    pub(crate) fn borrowed(&self) -> impl Iterator<Item = ComponentId> {
        self.reads.union(&self.writes).map(|index| ComponentId(index as u32))
    }

    /// Adds everything that an inner term borrows, but not what it demands of the entity: for optional terms.
    pub(crate) fn add_borrows_of(&mut self, inner: &Self) {
        let twice = first_common(&self.writes, &inner.writes)
            .or_else(|| first_common(&self.writes, &inner.reads))
            .or_else(|| first_common(&self.reads, &inner.writes));
        self.conflict = self.conflict.or(inner.conflict).or(twice);
        self.ticks.union_with(&inner.ticks);
        self.reads.union_with(&inner.reads);
        self.writes.union_with(&inner.writes);
    }

    /// Adds everything that an inner term demands of the entity.
    pub(crate) fn add_demands_of(&mut self, inner: &Self) {
        self.has_merged |= inner.has_merged;
        let before = core::mem::take(&mut self.branches);
        if let ([own], [other]) = (&before[..], &inner.branches[..]) {
            self.branches.push(own.and(other));
            return;
        }
        for own in &before {
            for other in &inner.branches {
                self.add_branch(own.and(other));
            }
            if self.branches.len() > MOST_BRANCHES {
                // The inner term's are as good as left out.
                let common = Branch::common(&inner.branches);
                self.branches =
                    common.map_or(before.clone(), |common| before.iter().map(|own| own.and(&common)).collect());
                self.has_merged = true;
                return;
            }
        }
    }

    /// Adds a way to match, unless each entity that matches so matches another way, too.
    fn add_branch(&mut self, branch: Branch) {
        if !self.branches.iter().any(|other| branch.implies(other)) {
            self.branches.retain(|other| !other.implies(&branch));
            self.branches.push(branch);
        }
    }

    /// Makes this the access of something that is one of the two, but never both: it borrows what either borrows, and
    /// has the branches of both.
    pub(crate) fn or(&mut self, other: &Self) {
        self.conflict = self.conflict.or(other.conflict);
        self.ticks.union_with(&other.ticks);
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
        other.branches.iter().for_each(|branch| self.add_branch(branch.clone()));
        self.has_merged |= other.has_merged;
        if self.branches.len() > MOST_BRANCHES {
            self.has_merged = true;
            self.branches = Branch::common(&self.branches).into_iter().collect();
        }
    }

    /// Leaves out the branches that no table matches. Tables say nothing about components that are sparse.
    pub(crate) fn drop_impossible(&mut self, is_sparse: impl Fn(ComponentId) -> bool) {
        self.branches.retain(|branch| {
            branch.with.intersection(&branch.without).all(|index| is_sparse(ComponentId(index as u32)))
        });
    }

    /// Why a conflict of two queries is reported although filters might keep them apart.
    fn note(&self, other: &Self) -> &'static str {
        match self.has_merged || other.has_merged {
            true => " (the filters have too many branches: only what all of them have in common was compared)",
            false => "",
        }
    }

    fn writes_anything(&self) -> bool {
        !self.writes.is_clear()
    }
}

/// What one parameter of a system borrows.
///
/// ```
/// use strata_ecs::access::ParamAccess;
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let id = world.register_component::<Health>();
/// let access = ParamAccess::Query(world.query::<&Health>().access().clone());
/// assert!(matches!(access, ParamAccess::Query(query) if query.touches(id)));
/// ```
#[derive(Clone, Debug)]
pub enum ParamAccess {
    /// Components, through a query.
    Query(FilteredAccess),
    /// One resource.
    Resource {
        /// The number of the resource in its world.
        id: u32,
        /// The name of its type.
        name: &'static str,
        /// Whether it is borrowed mutably.
        write: bool,
        /// Whether it is read as a list of messages, of which the system keeps in mind which it has seen.
        reads_messages: bool,
    },
    /// One value that stays on its thread.
    NonSend {
        /// The number of the type in its world.
        id: u32,
        /// The name of the type.
        name: &'static str,
        /// Whether it is borrowed mutably.
        write: bool,
    },
    /// The whole world, shared.
    World,
}

/// What a system borrows, parameter by parameter.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn exclusive(world: &mut World) {
///     world.clear_entities();
/// }
///
/// let system = IntoSystem::into_system(exclusive);
/// assert!(system.access().is_exclusive());
/// ```
#[derive(Clone, Default, Debug)]
pub struct Access {
    params: Vec<(usize, ParamAccess)>,
    exclusive: bool,
    /// Whether changes are recorded, to be made later.
    deferred: bool,
    /// Whether something is used that stays on its thread.
    non_send: bool,
}

/// Two parameters of one system borrow the same thing, one of them mutably.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AccessConflict {
    /// The position of the earlier one among what is borrowed.
    pub(crate) first: usize,
    /// As in "component `Position`".
    pub(crate) what: String,
}

impl Access {
    /// Everything: the system runs alone.
    pub(crate) fn exclusive() -> Self {
        Self { params: Vec::new(), exclusive: true, deferred: true, non_send: true }
    }

    /// Whether the system borrows the whole world mutably.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let alone = IntoSystem::into_system(|world: &mut World| world.len());
    /// assert!(alone.access().is_exclusive());
    /// let shared = IntoSystem::into_system(|| 3);
    /// assert!(!shared.access().is_exclusive());
    /// ```
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// What each parameter borrows, with the number of the parameter from 0.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let alone = IntoSystem::into_system(|world: &mut World| world.len());
    /// assert!(alone.access().params().is_empty()); // It borrows everything, not one thing for each parameter.
    /// ```
    #[must_use]
    pub fn params(&self) -> &[(usize, ParamAccess)] {
        &self.params
    }

    /// What two systems borrow that run as one, one after the other. The numbers of the parameters are those in each.
    pub(crate) fn union(&self, other: &Self) -> Self {
        let params = self.params.iter().chain(&other.params).cloned().collect();
        let (exclusive, deferred) = (self.exclusive || other.exclusive, self.deferred || other.deferred);
        Self { params, exclusive, deferred, non_send: self.non_send || other.non_send }
    }

    /// The same for many. `O(n)` in what they borrow.
    pub(crate) fn union_of<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        all.fold(Self::default(), |mut union, access| {
            union.params.extend(access.params.iter().cloned());
            union.exclusive |= access.exclusive;
            union.deferred |= access.deferred;
            union.non_send |= access.non_send;
            union
        })
    }

    /// What is borrowed by the parameters of which this is true.
    pub(crate) fn of_params(&self, is_meant: impl Fn(usize) -> bool) -> Self {
        let params = self.params.iter().filter(|(param, _)| is_meant(*param)).cloned().collect();
        Self { params, ..*self }
    }

    /// The first thing that keeps two systems from running at the same time, as in "component `Position`": where
    /// [`collides_with`](Self::collides_with) says so.
    pub(crate) fn first_collision(&self, other: &Self, components: &Components) -> Option<String> {
        let collision = |a: &ParamAccess, b: &ParamAccess| match (a, b) {
            (ParamAccess::Query(a), ParamAccess::Query(b)) => {
                a.collision_with(b, components).map(|id| alloc::format!("component `{}`", components.name(id)))
            }
            _ => conflict(a, b, components),
        };
        self.params.iter().find_map(|(_, a)| other.params.iter().find_map(|(_, b)| collision(a, b)))
    }

    /// The numbers of the resources that are lists of messages and are read as such. Some may come more than once.
    pub(crate) fn message_readers(&self) -> impl Iterator<Item = u32> {
        self.params.iter().filter_map(|(_, access)| match access {
            ParamAccess::Resource { id, reads_messages: true, .. } => Some(*id),
            _ => None,
        })
    }

    /// Whether a parameter borrows the world, to look at.
    pub(crate) fn looks_at_world(&self) -> bool {
        self.params.iter().any(|(_, access)| matches!(access, ParamAccess::World))
    }

    /// Whether the system may run on any thread. One that borrows the whole world mutably, or has a parameter for a value
    /// that stays on its thread, runs on the thread that runs the schedule.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// let idle = IntoSystem::into_system(|| 3);
    /// assert!(idle.access().is_send());
    /// let alone = IntoSystem::into_system(|world: &mut World| world.len());
    /// assert!(!alone.access().is_send());
    /// ```
    #[must_use]
    pub fn is_send(&self) -> bool {
        !self.non_send
    }

    /// Notes that the system uses something that stays on its thread.
    #[cfg(feature = "std")]
    pub(crate) fn add_non_send(&mut self) {
        self.non_send = true;
    }

    /// Notes that the system asks for changes that are made when it has finished.
    pub(crate) fn add_deferred(&mut self) {
        self.deferred = true;
    }

    /// Whether nothing is borrowed mutably, nor changed later.
    pub(crate) fn is_read_only(&self) -> bool {
        let writes = |access: &ParamAccess| match access {
            ParamAccess::Query(query) => query.writes_anything(),
            ParamAccess::Resource { write, .. } | ParamAccess::NonSend { write, .. } => *write,
            ParamAccess::World => false,
        };
        !self.exclusive && !self.deferred && !self.params.iter().any(|(_, access)| writes(access))
    }

    /// Adds what a parameter borrows. It may conflict with those before it that are `hidden`, by position.
    ///
    /// # Errors
    ///
    /// The conflict with an earlier parameter, if there is one. Nothing is added then.
    pub(crate) fn add(
        &mut self,
        param: usize,
        access: ParamAccess,
        components: &Components,
        hidden: impl Fn(usize) -> bool,
    ) -> Result<(), AccessConflict> {
        for (first, (_, other)) in self.params.iter().enumerate().filter(|(at, _)| !hidden(*at)) {
            if let Some(what) = conflict(other, &access, components) {
                return Err(AccessConflict { first, what });
            }
        }
        self.params.push((param, access));
        Ok(())
    }

    /// Whether the system asks for changes that are made when it has finished.
    pub(crate) fn is_deferred(&self) -> bool {
        self.deferred
    }

    /// Everything that keeps two systems from running in any order, as in "component `Position`".
    pub(crate) fn conflicts(&self, other: &Self, components: &Components) -> Vec<String> {
        if self.exclusive || other.exclusive {
            return alloc::vec![String::from("the whole world (`&mut World`)")];
        }
        let mut all = Vec::new();
        for (_, a) in &self.params {
            for (_, b) in &other.params {
                if let Some(what) = conflict(a, b, components)
                    && !all.contains(&what)
                {
                    all.push(what);
                }
            }
        }
        all
    }

    /// What the system borrows, in short.
    #[cfg(feature = "parallel")]
    pub(crate) fn footprint(&self) -> Footprint {
        if self.exclusive {
            return Footprint { touched: u128::MAX, written: u128::MAX };
        }
        let mut all = Footprint { touched: Footprint::WORLD, written: 0 };
        for (_, access) in &self.params {
            match access {
                ParamAccess::Query(query) => {
                    [&query.reads, &query.ticks].iter().flat_map(|set| set.ones()).for_each(|id| all.add(id, false));
                    query.writes.ones().for_each(|id| all.add(id, true));
                }
                ParamAccess::Resource { id, write, .. } | ParamAccess::NonSend { id, write, .. } => {
                    all.add(*id as usize, *write);
                }
                ParamAccess::World => all.touched = u128::MAX,
            }
        }
        all
    }

    /// Whether two systems must not run at the same time.
    pub(crate) fn collides_with(&self, other: &Self, components: &Components) -> bool {
        let collide = |a: &ParamAccess, b: &ParamAccess| match (a, b) {
            (ParamAccess::Query(a), ParamAccess::Query(b)) => a.collides_with(b, components),
            _ => conflict(a, b, components).is_some(),
        };
        self.exclusive
            || other.exclusive
            || self.params.iter().any(|(_, a)| other.params.iter().any(|(_, b)| collide(a, b)))
    }

    /// Whether two systems can run at the same time.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # let mut world = World::new();
    /// let alone = IntoSystem::into_system(|world: &mut World| world.len());
    /// let idle = IntoSystem::into_system(|| 3);
    /// assert!(idle.access().is_compatible(idle.access(), world.components()));
    /// assert!(!idle.access().is_compatible(alone.access(), world.components()));
    /// ```
    #[must_use]
    pub fn is_compatible(&self, other: &Self, components: &Components) -> bool {
        !self.exclusive
            && !other.exclusive
            && self.params.iter().all(|(_, a)| other.params.iter().all(|(_, b)| conflict(a, b, components).is_none()))
    }
}

/// What a system touches and writes, as bits that several things have in common.
///
/// Two systems collide only if one of them writes a bit that the other one touches.
#[cfg(feature = "parallel")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Footprint {
    pub(crate) touched: u128,
    pub(crate) written: u128,
}

#[cfg(feature = "parallel")]
impl Footprint {
    /// The bit that each system touches, and only one that runs alone writes.
    const WORLD: u128 = 1 << 127;

    fn add(&mut self, id: usize, writes: bool) {
        let bit = 1 << (id % 127);
        self.touched |= bit;
        if writes {
            self.written |= bit;
        }
    }
}

/// The thing that two parameters cannot borrow at the same time.
fn conflict(a: &ParamAccess, b: &ParamAccess, components: &Components) -> Option<String> {
    match (a, b) {
        (ParamAccess::Query(a), ParamAccess::Query(b)) => {
            a.conflict_with(b).map(|id| alloc::format!("component `{}`{}", components.name(id), a.note(b)))
        }
        (
            ParamAccess::Resource { id, name, write, .. },
            ParamAccess::Resource { id: other, write: other_write, .. },
        ) => (id == other && (*write || *other_write)).then(|| alloc::format!("resource `{name}`")),
        (ParamAccess::NonSend { id, name, write }, ParamAccess::NonSend { id: other, write: other_write, .. }) => {
            (id == other && (*write || *other_write)).then(|| alloc::format!("non-Send value `{name}`"))
        }
        (ParamAccess::World, ParamAccess::Query(query)) | (ParamAccess::Query(query), ParamAccess::World) => {
            query.writes_anything().then(|| String::from("the whole world (`&World`)"))
        }
        (ParamAccess::World, ParamAccess::Resource { write, .. } | ParamAccess::NonSend { write, .. })
        | (ParamAccess::Resource { write, .. } | ParamAccess::NonSend { write, .. }, ParamAccess::World) => {
            write.then(|| String::from("the whole world (`&World`)"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> [ComponentId; 2] {
        [ComponentId(0), ComponentId(70)]
    }

    /// Two ids share a bit if they are 127 apart.
    #[cfg(feature = "parallel")]
    #[test]
    fn what_collides_has_footprints_that_meet() {
        let query = |ids: &[usize], add: fn(&mut FilteredAccess, ComponentId)| {
            let mut access = FilteredAccess::default();
            ids.iter().for_each(|id| add(&mut access, ComponentId(*id as u32)));
            ParamAccess::Query(access)
        };
        let resource = |id, write| ParamAccess::Resource { id, name: "resource", write, reads_messages: false };
        let params = [
            query(&[], FilteredAccess::add_read),
            query(&[0, 130], FilteredAccess::add_read),
            query(&[3, 127], FilteredAccess::add_write),
            query(&[130], FilteredAccess::add_write),
            query(&[126], FilteredAccess::add_write),
            resource(3, false),
            resource(3, true),
            resource(130, true),
            ParamAccess::World,
        ];
        let mut all: Vec<_> =
            params.into_iter().map(|param| Access { params: alloc::vec![(0, param)], ..Access::default() }).collect();
        all.extend([Access::default(), Access::exclusive()]);
        let (components, mut collisions) = (Components::default(), 0);
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let (one, other) = (a.footprint(), b.footprint());
            let meet = (one.touched & other.written) | (one.written & other.touched) != 0;
            assert!(meet || !a.collides_with(b, &components), "{a:?} and {b:?}");
            collisions += usize::from(a.collides_with(b, &components));
        }
        assert!(collisions > all.len());
        let apart = [&all[2], &all[4]].map(Access::footprint);
        assert_eq!(apart[0].touched & apart[1].written, 0);
    }

    #[test]
    fn a_write_conflicts_unless_filters_keep_the_queries_apart() {
        let [a, b] = ids();
        let mut writer = FilteredAccess::default();
        writer.add_write(a);
        writer.add_with(a);
        let mut reader = FilteredAccess::default();
        reader.add_read(a);
        assert_eq!(writer.conflict_with(&reader), Some(a));
        assert_eq!(reader.conflict_with(&reader), None);
        reader.add_with(b);
        assert_eq!(writer.conflict_with(&reader), Some(a));
        writer.add_without(b);
        assert_eq!(writer.conflict_with(&reader), None);
    }

    #[test]
    fn a_query_that_borrows_twice_conflicts_with_itself() {
        let [a, b] = ids();
        let mut access = FilteredAccess::default();
        access.add_read(a);
        access.add_read(a);
        access.add_write(b);
        assert_eq!(access.own_conflict(), None);
        access.add_read(b);
        assert_eq!(access.own_conflict(), Some(b));
    }

    #[test]
    fn alternatives_borrow_what_either_does_and_demand_what_both_do() {
        let [a, b] = ids();
        let [mut either, mut other] = [FilteredAccess::default(), FilteredAccess::default()];
        either.add_write(a);
        either.add_with(a);
        other.add_read(a);
        other.add_with(a);
        other.add_with(b);
        either.or(&other);
        assert_eq!(either.own_conflict(), None);
        let [mut whole, mut excluding] = [FilteredAccess::default(), FilteredAccess::default()];
        whole.add_borrows_of(&either);
        whole.add_demands_of(&either);
        assert_eq!(whole.own_conflict(), None);
        excluding.add_write(a);
        excluding.add_without(b);
        assert_eq!(whole.conflict_with(&excluding), Some(a));
        excluding.add_without(a);
        assert_eq!(whole.conflict_with(&excluding), None);
        whole.add_borrows_of(&other);
        assert_eq!(whole.own_conflict(), Some(a));
    }
}
