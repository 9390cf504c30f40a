//! The access of a query.

use alloc::vec::Vec;
use core::iter;

use fixedbitset::FixedBitSet;

use super::set::{ComponentConflict, ComponentSet, add, first_common};
use crate::component::{ComponentId, Components, StorageType};

/// The components that a query reads and writes, and those that its entities must have or must not have.
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
    /// Components that are tested for changes: a read, when compared with other queries.
    ticks: ComponentSet,
    /// The ways in which an entity can match. A branch that contradicts itself is left out, unless the contradiction is about a
    /// sparse component: the query visits the tables then.
    branches: Vec<MatchBranch>,
    /// Whether branches were merged because there were too many: only their common conditions are known then.
    has_merged: bool,
    /// The access of nested queries, to other entities. Each is flat: queries nested inside of them are in this list, too.
    nested: Vec<Self>,
    conflict: Option<ComponentConflict>,
}

/// The maximum number of branches. The cost of a comparison grows with the product of both numbers.
const MOST_BRANCHES: usize = 128;

/// One way in which an entity can match: the components that it has, and those that it lacks.
#[derive(Clone, Default, Debug, PartialEq)]
struct MatchBranch {
    with: FixedBitSet,
    without: FixedBitSet,
}

impl MatchBranch {
    /// Whether one of two branches requires a component that the other one, or itself, excludes. Only components for which `counts`
    /// holds are compared. (A branch that excludes what it requires matches nothing.)
    fn is_apart_from(&self, other: &Self, counts: impl Fn(usize) -> bool) -> bool {
        let between = |a: &FixedBitSet, b: &FixedBitSet| a.intersection(b).any(&counts);
        let (own, theirs) = ((&self.with, &self.without), (&other.with, &other.without));
        [(own.0, theirs.1), (theirs.0, own.1), own, theirs].iter().any(|(with, without)| between(with, without))
    }

    /// Whether each entity that matches `self` also matches `other`.
    fn implies(&self, other: &Self) -> bool {
        other.with.is_subset(&self.with) && other.without.is_subset(&self.without)
    }

    /// The branch of entities that match both.
    fn and(&self, other: &Self) -> Self {
        Self { with: &self.with | &other.with, without: &self.without | &other.without }
    }

    /// The conditions that all branches share.
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
    /// Borrows nothing, and matches every entity.
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

    /// Whether the query or a nested query reads, writes or tests the component for changes.
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

    /// A component that the query itself borrows twice, once mutably.
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

    /// Whether no entity can match both: in each pair of their branches one requires a component that it or the other one excludes.
    /// `Or`, `AnyOf` and query enums have a branch for each member.
    ///
    /// The result is exact up to 128 branches; a branch that implies another one does not count. With more branches only the
    /// conditions that all of them share are compared, so the result may be `false` although no entity can match both. The cost is
    /// the product of the numbers of branches.
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

    /// Whether each pair of branches is disjoint, comparing only components for which `counts` holds.
    fn is_apart_from(&self, other: &Self, counts: impl Fn(usize) -> bool) -> bool {
        self.branches.iter().all(|branch| other.branches.iter().all(|other| branch.is_apart_from(other, &counts)))
    }

    /// A component that both borrow and at least one writes, if some entity could match both.
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

    /// The access to matched entities, and the access of each nested query.
    fn parts(&self) -> impl Iterator<Item = &Self> {
        iter::once(self).chain(&self.nested)
    }

    /// A component that the query writes and a nested query reads, if the nested query may match the same entities.
    pub(crate) fn nested_conflict(&self) -> Option<ComponentConflict> {
        self.nested.iter().find_map(|nested| self.part_conflict(nested))
    }

    /// Like [`conflict_with`](Self::conflict_with), without nested queries.
    fn part_conflict(&self, other: &Self) -> Option<ComponentConflict> {
        self.first_shared(other, |_| true).filter(|_| !self.is_disjoint_with(other))
    }

    /// The first component for which `counts` holds that both borrow, one of them mutably.
    fn first_shared(&self, other: &Self, counts: impl Fn(ComponentId) -> bool) -> Option<ComponentConflict> {
        let common = |a: &ComponentSet, b: &ComponentSet| a.common(b, &counts);
        common(&self.writes, &other.writes)
            .or_else(|| common(&self.writes, &other.reads))
            .or_else(|| common(&self.reads, &other.writes))
            .or_else(|| common(&self.writes, &other.ticks))
            .or_else(|| common(&self.ticks, &other.writes))
    }

    /// A component that prevents two queries from running at the same time on different threads. This is stricter than
    /// [`conflict_with`](Self::conflict_with): rows of one column that differ only in a sparse component share the change
    /// information of the column, and so do all rows of a sparse set.
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

    /// All components that it reads or writes, of the entities that it matches.
    fn all_borrowed(&self) -> ComponentSet {
        let mut all = self.reads.clone();
        all.union_with(&self.writes);
        all
    }

    /// Whether both borrow a common component, mutably or not.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        first_common(&self.all_borrowed(), &other.all_borrowed()).is_some()
    }

    /// Whether it borrows the component mutably.
    pub(crate) fn writes(&self, id: ComponentId) -> bool {
        self.writes.contains(id)
    }

    /// A component that `self` writes and `other` does not write, or that `self` reads or tests and `other` neither borrows nor
    /// tests.
    pub(crate) fn first_beyond(&self, other: &Self) -> Option<ComponentConflict> {
        let mut borrowed = other.all_borrowed();
        borrowed.union_with(&other.ticks);
        let looks_at = [&self.reads, &self.ticks].into_iter().find_map(|set| set.first_beyond(&borrowed));
        self.writes.first_beyond(&other.writes).or(looks_at)
    }

    /// Whether `other` matches every entity that `self` matches, given that it matches the entity's table. Only conditions on sparse
    /// components can differ then. May return `false` although it holds if `other` has alternatives with sparse components.
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

    /// Calls `each` with every component that it borrows or tests for changes, and whether it writes the component; with `None` for
    /// all components, or all except some.
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

    /// Every component that it borrows; `None` if it borrows all, or all except some.
    pub(crate) fn borrowed(&self) -> Option<Vec<ComponentId>> {
        let all = self.all_borrowed();
        (!all.all_but).then(|| all.named.ones().map(|index| ComponentId(index as u32)).collect())
    }

    /// Reads, or writes, all components except some, of all entities.
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

    /// Adds the borrows of an inner term, but not its requirements: for optional terms.
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
                // There are too many branches, so of the inner term only the conditions that all its branches share are kept.
                let common = MatchBranch::common(&inner.branches);
                self.branches =
                    common.map_or(before.clone(), |common| before.iter().map(|own| own.and(&common)).collect());
                self.has_merged = true;
                return;
            }
        }
    }

    /// Adds a branch, unless each entity that matches it also matches another branch.
    fn add_branch(&mut self, branch: MatchBranch) {
        if !self.branches.iter().any(|other| branch.implies(other)) {
            self.branches.retain(|other| !other.implies(&branch));
            self.branches.push(branch);
        }
    }

    /// Extends this access to a term that matches either `self` or `other`, but uses only one at a time: it borrows everything that
    /// either borrows, and has the branches of both.
    pub(crate) fn or(&mut self, other: &Self) {
        self.unite_borrows(other);
        other.branches.iter().for_each(|branch| self.add_branch(branch.clone()));
        self.has_merged |= other.has_merged;
        if self.branches.len() > MOST_BRANCHES {
            self.has_merged = true;
            self.branches = MatchBranch::common(&self.branches).into_iter().collect();
        }
    }

    /// Removes the branches that no table matches. Tables have no information about sparse components.
    pub(crate) fn drop_impossible(&mut self, is_sparse: impl Fn(ComponentId) -> bool) {
        self.branches.retain(|branch| {
            branch.with.intersection(&branch.without).all(|index| is_sparse(ComponentId(index as u32)))
        });
    }

    /// A note for a reported conflict of two queries that filters might make disjoint.
    pub(super) fn note(&self, other: &Self) -> &'static str {
        match self.parts().chain(other.parts()).any(|part| part.has_merged) {
            true => " (the filters have too many branches: only what all of them have in common was compared)",
            false => "",
        }
    }

    /// Whether it borrows any component mutably.
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
