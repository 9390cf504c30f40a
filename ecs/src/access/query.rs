//! The access of a query.

use alloc::vec::Vec;
use core::iter;

use fixedbitset::FixedBitSet;

use super::set::{ComponentConflict, ComponentSet, add, first_common};
use crate::component::{ComponentId, Components, StorageType};

/// The access of a query: the components that it reads and writes, and the components that its entities must have or must not have.
///
/// ```
/// use strata_ecs::access::ComponentConflict;
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let writer = world.query::<&mut Health>();
/// let reader = world.query::<&Health>();
/// let id = world.component_id::<Health>().unwrap();
/// assert_eq!(writer.access().conflict_with(reader.access()), Some(ComponentConflict::Component(id)));
/// assert_eq!(reader.access().conflict_with(reader.access()), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FilteredAccess {
    reads: ComponentSet,
    writes: ComponentSet,
    /// Components that are tested for changes. Compared with other queries, this counts as a read.
    ticks: ComponentSet,
    /// The ways in which an entity can match. A branch that contradicts itself is left out. But if the contradiction is about a sparse
    /// component, the branch is kept, because the query visits the tables.
    branches: Vec<MatchBranch>,
    /// Whether branches were merged because there were too many. If so, only the conditions that these branches share are known.
    has_merged: bool,
    /// The accesses of nested queries to other entities. The list is flat: it also contains the queries that are nested inside of nested
    /// queries.
    nested: Vec<Self>,
    conflict: Option<ComponentConflict>,
}

/// The maximum number of branches of an access. The cost of a comparison grows with the product of the numbers of branches.
const MOST_BRANCHES: usize = 128;

/// One way in which an entity can match: the components that the entity has, and the components that it lacks.
#[derive(Clone, Default, Debug, PartialEq)]
struct MatchBranch {
    with: FixedBitSet,
    without: FixedBitSet,
}

impl MatchBranch {
    /// Returns whether no entity can match both branches: one of them requires a component that the other branch, or the same branch,
    /// excludes. Only components for which `counts` returns true are compared.
    fn is_apart_from(&self, other: &Self, counts: impl Fn(usize) -> bool) -> bool {
        let between = |a: &FixedBitSet, b: &FixedBitSet| a.intersection(b).any(&counts);
        let (own, theirs) = ((&self.with, &self.without), (&other.with, &other.without));
        [(own.0, theirs.1), (theirs.0, own.1), own, theirs].iter().any(|(with, without)| between(with, without))
    }

    /// Returns whether each entity that matches `self` also matches `other`.
    fn implies(&self, other: &Self) -> bool {
        other.with.is_subset(&self.with) && other.without.is_subset(&self.without)
    }

    /// Returns the branch of the entities that match both branches.
    fn and(&self, other: &Self) -> Self {
        Self { with: &self.with | &other.with, without: &self.without | &other.without }
    }

    /// Returns the conditions that all branches share; `None` if there are no branches.
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
    /// Returns the access of a query that borrows nothing and matches every entity.
    fn default() -> Self {
        let [reads, writes, ticks] = [const { ComponentSet { named: FixedBitSet::new(), all_but: false } }; 3];
        Self {
            reads,
            writes,
            ticks,
            branches: alloc::vec![MatchBranch::default()],
            has_merged: false,
            nested: Vec::new(),
            conflict: None,
        }
    }
}

impl FilteredAccess {
    /// Adds a component that the query reads.
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
        if self.writes.contains(id) {
            self.conflict.get_or_insert(ComponentConflict::Component(id));
        }
        self.reads.insert(id);
    }

    /// Adds a component that the query writes.
    ///
    /// ```
    /// use strata_ecs::access::{ComponentConflict, FilteredAccess};
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let mut access = FilteredAccess::default();
    /// access.add_write(id);
    /// assert_eq!(access.conflict_with(&access), Some(ComponentConflict::Component(id)));
    /// ```
    pub fn add_write(&mut self, id: ComponentId) {
        if self.writes.contains(id) || self.reads.contains(id) {
            self.conflict.get_or_insert(ComponentConflict::Component(id));
        }
        self.writes.insert(id);
    }

    /// Adds a component that is tested for changes. The query itself may change it at the same time.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let own = world.query_filtered::<&mut Health, Changed<Health>>();
    /// assert_eq!(own.access().own_conflict(), None);
    /// let (watcher, writer) = (world.query_filtered::<(), Changed<Health>>(), world.query::<&mut Health>());
    /// assert!(watcher.access().conflict_with(writer.access()).is_some());
    /// ```
    pub fn add_ticks(&mut self, id: ComponentId) {
        self.ticks.insert(id);
    }

    /// Requires that every matched entity has the component.
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

    /// Requires that no matched entity has the component.
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

    /// Returns whether the query, or a query nested in it, reads the component, writes it, or tests it for changes.
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
        self.parts().any(|part| [&part.reads, &part.writes, &part.ticks].iter().any(|set| set.contains(id)))
    }

    /// Returns a component that the query itself borrows twice, at least once mutably.
    ///
    /// ```
    /// use strata_ecs::access::{ComponentConflict, FilteredAccess};
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let id = world.register_component::<Health>();
    /// let mut access = FilteredAccess::default();
    /// access.add_read(id);
    /// assert_eq!(access.own_conflict(), None);
    /// access.add_write(id);
    /// assert_eq!(access.own_conflict(), Some(ComponentConflict::Component(id)));
    /// ```
    #[must_use]
    pub fn own_conflict(&self) -> Option<ComponentConflict> {
        self.conflict
    }

    /// Returns whether no entity can match both queries. Each query has one or more branches: `Or`, `AnyOf` and query enums have a branch
    /// for each member. The queries are disjoint if in each pair of their branches one branch requires a component that one of these two
    /// branches excludes.
    ///
    /// The result is exact if each query has at most 128 branches. A branch that implies another branch does not count. If a query has more
    /// branches, only the conditions that all branches share are compared, so the result may be `false` although no entity can match both.
    /// The cost is the product of the numbers of branches.
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

    /// Returns whether each pair of branches is disjoint. Only components for which `counts` returns true are compared.
    fn is_apart_from(&self, other: &Self, counts: impl Fn(usize) -> bool) -> bool {
        self.branches.iter().all(|branch| other.branches.iter().all(|other| branch.is_apart_from(other, &counts)))
    }

    /// Returns a component that both queries borrow and at least one of them writes. `None` if there is no such component, or if no entity
    /// can match both queries.
    ///
    /// ```
    /// use strata_ecs::access::ComponentConflict;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # #[derive(Component)] struct Poisoned;
    /// # let mut world = World::new();
    /// let all = world.query::<&mut Health>();
    /// let poisoned = world.query_filtered::<&Health, With<Poisoned>>();
    /// let healthy = world.query_filtered::<&mut Health, Without<Poisoned>>();
    /// let health = world.component_id::<Health>().map(ComponentConflict::Component);
    /// assert_eq!(all.access().conflict_with(poisoned.access()), health);
    /// assert_eq!(healthy.access().conflict_with(poisoned.access()), None);
    /// ```
    #[must_use]
    pub fn conflict_with(&self, other: &Self) -> Option<ComponentConflict> {
        self.parts().find_map(|part| other.parts().find_map(|theirs| part.part_conflict(theirs)))
    }

    /// Returns the access to matched entities, and the access of each nested query.
    fn parts(&self) -> impl Iterator<Item = &Self> {
        iter::once(self).chain(&self.nested)
    }

    /// Returns a component that the query writes and a nested query reads. `None` if there is no such component, or if the nested query
    /// cannot match the same entities.
    pub(crate) fn nested_conflict(&self) -> Option<ComponentConflict> {
        self.nested.iter().find_map(|nested| self.part_conflict(nested))
    }

    /// Like [`conflict_with`](Self::conflict_with), without nested queries.
    fn part_conflict(&self, other: &Self) -> Option<ComponentConflict> {
        self.first_shared(other, |_| true).filter(|_| !self.is_disjoint_with(other))
    }

    /// Returns the first component that both queries borrow, at least one of them mutably. Only components for which `counts` returns true
    /// are compared.
    fn first_shared(&self, other: &Self, counts: impl Fn(ComponentId) -> bool) -> Option<ComponentConflict> {
        let common = |a: &ComponentSet, b: &ComponentSet| a.common(b, &counts);
        common(&self.writes, &other.writes)
            .or_else(|| common(&self.writes, &other.reads))
            .or_else(|| common(&self.reads, &other.writes))
            .or_else(|| common(&self.writes, &other.ticks))
            .or_else(|| common(&self.ticks, &other.writes))
    }

    /// Returns a component that prevents two queries from running at the same time on different threads. This check is stricter than
    /// [`conflict_with`](Self::conflict_with). Rows of one column share change information, even if the queries visit different rows
    /// because of a sparse component. All rows of a sparse set also share change information.
    pub(crate) fn collision_with(&self, other: &Self, components: &Components) -> Option<ComponentConflict> {
        self.parts().find_map(|part| other.parts().find_map(|theirs| part.part_collision(theirs, components)))
    }

    /// Like [`collision_with`](Self::collision_with), without nested queries.
    fn part_collision(&self, other: &Self, components: &Components) -> Option<ComponentConflict> {
        let is_sparse = |id: ComponentId| components.info(id).is_none_or(|info| info.storage() == StorageType::Sparse);
        let in_other_tables = self.is_apart_from(other, |index| !is_sparse(ComponentId(index as u32)));
        // If the queries match different tables, they can only share sparse components. Two queries that borrow all components always share
        // these.
        self.first_shared(other, |id| !in_other_tables || is_sparse(id))
    }

    /// Returns all components of matched entities that the query reads or writes.
    fn all_borrowed(&self) -> ComponentSet {
        let mut all = self.reads.clone();
        all.union_with(&self.writes);
        all
    }

    /// Returns whether there is a component that both queries borrow, mutably or not.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        first_common(&self.all_borrowed(), &other.all_borrowed()).is_some()
    }

    /// Returns whether the query borrows the component mutably.
    pub(crate) fn writes(&self, id: ComponentId) -> bool {
        self.writes.contains(id)
    }

    /// Returns a component for which the access of `self` exceeds the access of `other`: `self` writes the component and `other` does not,
    /// or `self` reads it or tests it for changes and `other` does not access it at all.
    pub(crate) fn first_beyond(&self, other: &Self) -> Option<ComponentConflict> {
        let mut borrowed = other.all_borrowed();
        borrowed.union_with(&other.ticks);
        let looks_at = [&self.reads, &self.ticks].into_iter().find_map(|set| set.first_beyond(&borrowed));
        self.writes.first_beyond(&other.writes).or(looks_at)
    }

    /// Returns whether `other` matches every entity that `self` matches, provided that `other` matches the table of the entity. So only
    /// conditions on sparse components matter. If `other` has alternatives with sparse components, the result may be `false` although the
    /// statement holds.
    pub(crate) fn keeps_to_rows_of(&self, other: &Self, components: &Components) -> bool {
        let is_sparse = |index: usize| {
            components.info(ComponentId(index as u32)).is_none_or(|info| info.storage() == StorageType::Sparse)
        };
        // Every table that `other` matches fulfils the conditions on table components that all branches share, so `self` need not imply
        // these.
        let Some(common) = MatchBranch::common(&other.branches) else { return true };
        let is_said = |own: &FixedBitSet, theirs: &FixedBitSet, common: &FixedBitSet| {
            theirs.ones().all(|index| own.contains(index) || common.contains(index) && !is_sparse(index))
        };
        let names_sparse = |branch: &MatchBranch| branch.with.union(&branch.without).any(is_sparse);
        let implies = |own: &MatchBranch, theirs: &MatchBranch| {
            is_said(&own.with, &theirs.with, &common.with) && is_said(&own.without, &theirs.without, &common.without)
        };
        !other.has_merged
            && (!other.branches.iter().any(names_sparse)
                || self.branches.iter().all(|own| other.branches.iter().any(|theirs| implies(own, theirs))))
    }

    /// Calls `each` with every component that the query borrows or tests for changes, and with whether it writes the component. If the
    /// query borrows all components, or all except some, calls `each` with `None`.
    #[cfg(feature = "parallel")]
    pub(super) fn each_borrowed(&self, mut each: impl FnMut(Option<ComponentId>, bool)) {
        let sets = self.parts().flat_map(|part| [(&part.reads, false), (&part.ticks, false), (&part.writes, true)]);
        for (set, writes) in sets {
            match set.all_but {
                true => each(None, writes),
                false => set.named.ones().for_each(|index| each(Some(ComponentId(index as u32)), writes)),
            }
        }
    }

    /// Returns every component that the query borrows; `None` if it borrows all components, or all except some.
    pub(crate) fn borrowed(&self) -> Option<Vec<ComponentId>> {
        let all = self.all_borrowed();
        (!all.all_but).then(|| all.named.ones().map(|index| ComponentId(index as u32)).collect())
    }

    /// Returns the access of a query that reads, or writes, all components except some, of all entities.
    pub(crate) fn all_but(except: impl Iterator<Item = ComponentId>, writes: bool) -> Self {
        let mut named = FixedBitSet::new();
        except.for_each(|id| add(&mut named, id));
        let set = ComponentSet { named, all_but: true };
        match writes {
            true => Self { writes: set, ..Self::default() },
            false => Self { reads: set, ..Self::default() },
        }
    }

    /// Adds the access of a nested query, which only reads.
    pub(crate) fn add_nested(&mut self, mut query: Self) {
        self.nested.append(&mut query.nested);
        self.nested.push(query);
    }

    /// Adds the borrows of an inner term, but not its requirements. This is for optional terms.
    pub(crate) fn add_borrows_of(&mut self, inner: &Self) {
        let twice = first_common(&self.writes, &inner.writes)
            .or_else(|| first_common(&self.writes, &inner.reads))
            .or_else(|| first_common(&self.reads, &inner.writes));
        self.unite_borrows(inner);
        self.conflict = self.conflict.or(twice);
    }

    fn unite_borrows(&mut self, other: &Self) {
        self.conflict = self.conflict.or(other.conflict);
        self.nested.extend_from_slice(&other.nested);
        self.ticks.union_with(&other.ticks);
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
    }

    /// Adds the requirements of an inner term.
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
                // There are too many branches. So only the conditions that all branches of the inner term share are kept.
                let common = MatchBranch::common(&inner.branches);
                self.branches =
                    common.map_or(before.clone(), |common| before.iter().map(|own| own.and(&common)).collect());
                self.has_merged = true;
                return;
            }
        }
    }

    /// Adds a branch, unless each entity that matches it also matches another branch. Removes other branches for which this holds.
    fn add_branch(&mut self, branch: MatchBranch) {
        if !self.branches.iter().any(|other| branch.implies(other)) {
            self.branches.retain(|other| !other.implies(&branch));
            self.branches.push(branch);
        }
    }

    /// Combines two accesses for a term that matches if `self` or `other` matches, and that uses only one of them at a time. The result
    /// borrows everything that either of them borrows, and has the branches of both.
    pub(crate) fn or(&mut self, other: &Self) {
        self.unite_borrows(other);
        other.branches.iter().for_each(|branch| self.add_branch(branch.clone()));
        self.has_merged |= other.has_merged;
        if self.branches.len() > MOST_BRANCHES {
            self.has_merged = true;
            self.branches = MatchBranch::common(&self.branches).into_iter().collect();
        }
    }

    /// Removes the branches that no table can match. Contradictions about sparse components do not count, because tables have no
    /// information about these.
    pub(crate) fn drop_impossible(&mut self, is_sparse: impl Fn(ComponentId) -> bool) {
        self.branches.retain(|branch| {
            branch.with.intersection(&branch.without).all(|index| is_sparse(ComponentId(index as u32)))
        });
    }

    /// Returns a note for the message about a conflict of two queries, if their filters were not compared completely; otherwise an empty
    /// text.
    pub(super) fn note(&self, other: &Self) -> &'static str {
        match self.parts().chain(other.parts()).any(|part| part.has_merged) {
            true => " (the filters have too many branches: only what all of them have in common was compared)",
            false => "",
        }
    }

    /// Returns whether the query borrows any component mutably.
    pub(super) fn writes_anything(&self) -> bool {
        !self.writes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> [ComponentId; 2] {
        [ComponentId(0), ComponentId(70)]
    }

    #[test]
    fn a_write_conflicts_unless_filters_keep_the_queries_apart() {
        let [a, b] = ids();
        let mut writer = FilteredAccess::default();
        writer.add_write(a);
        writer.add_with(a);
        let mut reader = FilteredAccess::default();
        reader.add_read(a);
        assert_eq!(writer.conflict_with(&reader), Some(ComponentConflict::Component(a)));
        assert_eq!(reader.conflict_with(&reader), None);
        reader.add_with(b);
        assert_eq!(writer.conflict_with(&reader), Some(ComponentConflict::Component(a)));
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
        assert_eq!(access.own_conflict(), Some(ComponentConflict::Component(b)));
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
        assert_eq!(whole.conflict_with(&excluding), Some(ComponentConflict::Component(a)));
        excluding.add_without(a);
        assert_eq!(whole.conflict_with(&excluding), None);
        whole.add_borrows_of(&other);
        assert_eq!(whole.own_conflict(), Some(ComponentConflict::Component(a)));
    }
}
