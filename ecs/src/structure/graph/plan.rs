//! Move plans: the effect of a change of components on the entities of a table.
//!
//! Tests: ecs/src/structure/graph/planner.rs, tests/model/edits.rs

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::component::transition::{ListenerMask, Transition};
use crate::component::{ComponentId, Components, Constructor, LifecycleMask};
use crate::entity::{SparseMask, TableId};
use crate::storage::table::ColumnMove;
use crate::util::alloc_error::{AllocError, try_reserve_exact};
use crate::util::flags::flag_set;

/// One step of a change. Contains the number of a bundle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChangeStep {
    /// Inserts the components, or replaces their values.
    Insert(u32),
    /// Inserts the components that the entity does not have.
    InsertIfNew(u32),
    /// As `Insert`, without required components.
    InsertExactly(u32),
    /// Removes and drops those of the components that the entity has.
    Remove(u32),
    /// Moves the components out of the entity, which has all of them.
    Take(u32),
    /// Removes and drops all components except these and those that they require.
    Retain(u32),
}

impl ChangeStep {
    /// Returns the number of the bundle.
    pub(super) fn bundle(self) -> u32 {
        let (Self::Insert(bundle)
        | Self::InsertIfNew(bundle)
        | Self::InsertExactly(bundle)
        | Self::Remove(bundle)
        | Self::Take(bundle)
        | Self::Retain(bundle)) = self;
        bundle
    }
}

/// The destination of one component of a bundle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ComponentTarget {
    /// A column of the destination table.
    Column {
        index: u32,
        /// Whether the row already has a value of the component, which is replaced.
        replace: bool,
    },
    /// The value is not written: the entity keeps its old value, in this column of the destination table.
    Kept(u32),
    /// The sparse storage with this number.
    Sparse(u32),
    /// The sparse storage with this number. If the entity has a value there, the new value is not written.
    SparseIfNew(u32),
    /// The value is not written: another step of the change removes or replaces it.
    Nowhere,
}

/// A component that a change adds because other components require it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequiredComponent {
    pub(crate) id: ComponentId,
    /// A constructor of values of the component.
    pub(crate) constructor: Constructor,
    /// Never [`ComponentTarget::Nowhere`]: a value that would be removed again is not constructed.
    pub(crate) target: ComponentTarget,
}

impl RequiredComponent {
    /// Returns the column of the destination, if the value goes to a column in which the row has no value yet.
    pub(crate) fn new_column(&self) -> Option<usize> {
        match self.target {
            ComponentTarget::Column { index, replace: false } => Some(index as usize),
            _ => None,
        }
    }
}

/// Where the value of one component of a bundle is stored before the change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ComponentSource {
    /// A column of the source table.
    Column(u32),
    /// The sparse storage with this number.
    Sparse(u32),
    /// Nowhere: the source table has no column of the component.
    Absent,
}

flag_set! {
    /// The work of a move plan besides moving small values between columns.
    pub(crate) struct PlanFlags(u16) {
        /// The entity moves to another table.
        MOVES = 1;
        /// Required components are constructed.
        REQUIRES = 1 << 1;
        /// Some required components cannot be constructed in a new row of the destination: they are sparse or replace a value, or the row
        /// does not move.
        REQUIRES_ELSEWHERE = 1 << 2;
        /// Values are added to or removed from sparse storages.
        SPARSE = 1 << 3;
        /// A step removes a component that a later step adds.
        RENEWS = 1 << 4;
        /// The entity begins or ceases to be disabled, so earlier changes of its sparse components may have to be marked as made now.
        DISABLES = 1 << 5;
        /// Observers or hooks may be notified before the entity changes.
        NOTIFIES_BEFORE = 1 << 6;
        /// There are listeners of any kind that are notified after the entity has changed.
        NOTIFIES_AFTER = 1 << 7;
        /// Removals or spawns are recorded.
        RECORDS = 1 << 8;
        /// Values that are removed have to be dropped.
        DROPS = 1 << 9;
        /// Values that are replaced in the destination, or not written, have to be dropped: they go to the row past the end.
        REPLACES = 1 << 10;
        /// Some values that move are large: the change runs in phases, although there may be nothing to prepare or finish.
        LARGE = 1 << 11;
        /// The source table has every table-stored component of the bundle that the first step removes or takes.
        COMPLETE = 1 << 12;
        /// The only change in sparse storages is that one component is added, and no listeners are interested in the change except
        /// listeners of this component. If the component names the target of a relationship that is not observed, *finish* only has to link
        /// the entity.
        ONLY_LINKS = 1 << 13;
        /// The special flags of a plan with [`ONLY_LINKS`](Self::ONLY_LINKS). They include the two flags for notifications, since the
        /// bookkeeping of relationships counts as a listener.
        LINKS = Self::SPARSE.0 | Self::NOTIFIES_BEFORE.0 | Self::NOTIFIES_AFTER.0 | Self::ONLY_LINKS.0;
        /// The flags of plans that have to be prepared before rows move: this may fail, or run user code.
        PREPARE = Self::REQUIRES.0 | Self::SPARSE.0 | Self::DISABLES.0 | Self::NOTIFIES_BEFORE.0 | Self::RECORDS.0;
        /// The flags of plans that have to be finished after rows have moved.
        FINISH = Self::REQUIRES_ELSEWHERE.0
            | Self::SPARSE.0
            | Self::RENEWS.0
            | Self::DISABLES.0
            | Self::NOTIFIES_AFTER.0
            | Self::RECORDS.0
            | Self::DROPS.0
            | Self::REPLACES.0;
        /// The flags of plans that do more than move small values between columns.
        SPECIAL = Self::PREPARE.0 | Self::FINISH.0 | Self::LARGE.0 | Self::ONLY_LINKS.0;
        /// The flags that depend on the listeners.
        LISTENERS = Self::NOTIFIES_BEFORE.0 | Self::NOTIFIES_AFTER.0 | Self::RECORDS.0 | Self::ONLY_LINKS.0;
    }
}

impl PlanFlags {
    /// Returns the flags as a number.
    #[inline]
    pub(super) const fn bits(self) -> u16 {
        self.0
    }

    /// Returns those of these flags that are in [`SPECIAL`](Self::SPECIAL).
    #[inline]
    #[must_use]
    pub(crate) const fn special(self) -> Self {
        self.intersection(Self::SPECIAL)
    }
}

/// The listeners that are notified of a change.
#[derive(Default, Debug)]
pub(crate) struct PlanListeners {
    /// The lifecycle events of table-stored components that are delivered before the change.
    pub(crate) before: Box<[(ComponentId, LifecycleMask)]>,
    /// The lifecycle events of table-stored components that are delivered after the change.
    pub(crate) after: Box<[(ComponentId, LifecycleMask)]>,
    /// The listeners that are interested in the change.
    pub(crate) interest: ListenerMask,
}

/// The effect of a change on an entity of a table.
#[derive(Debug)]
pub(crate) struct MovePlan {
    /// The destination; the source itself if no column is added or removed.
    pub(crate) table: TableId,
    pub(crate) flags: PlanFlags,
    /// The moves of columns of the source with small values that are kept or overwritten. Empty if the destination is the source.
    pub(crate) moves: Box<[ColumnMove]>,
    /// The moves of columns with large values, and of columns whose values go to the row past the end. Empty if the destination is the
    /// source.
    pub(crate) other_moves: Box<[ColumnMove]>,
    /// The columns of the destination with a replaced or unwritten value that has to be dropped. The value goes to the row past the end.
    pub(crate) replaces: Box<[u32]>,
    /// The target of each component of each bundle that is inserted, step by step.
    pub(crate) targets: Box<[ComponentTarget]>,
    /// The missing components that the inserted bundles require. If such a component also occurs in `targets`, its target there is
    /// [`ComponentTarget::Nowhere`].
    pub(crate) required: Box<[RequiredComponent]>,
    /// The sources of the components of the bundle that the first step removes or takes.
    pub(crate) sources: Box<[ComponentSource]>,
    /// The numbers of the sparse storages from which the entity is removed.
    pub(crate) left_storages: Box<[u32]>,
    /// If a step retains a bundle: the numbers of the only sparse storages that may hold the entity afterwards.
    pub(crate) retains: Option<Box<[u32]>>,
    /// The sparse storages to which values are added. They are added to the sparse summary of the entity: the mask of the storages that may
    /// hold it.
    pub(crate) added_storages: SparseMask,
    /// The targets of components that one step removes and a later step inserts again. The value is overwritten in place, but its ticks and
    /// events are those of an added component.
    pub(crate) renewed: Box<[ComponentTarget]>,
    /// The columns of the source whose components the entity loses. Empty if the destination is the source.
    pub(crate) lost: Box<[(u32, ComponentId)]>,
    /// The transitions of table-stored components other than losses, such as being added or replaced.
    pub(crate) transitions: Box<[Transition]>,
    /// Updated by [`super::Graph::update_interest`].
    pub(crate) listeners: PlanListeners,
}

impl MovePlan {
    /// Returns a plan that leads to this table and does nothing.
    pub(super) fn to_table(table: TableId) -> Self {
        Self {
            table,
            flags: PlanFlags::NONE,
            moves: Box::default(),
            other_moves: Box::default(),
            replaces: Box::default(),
            targets: Box::default(),
            required: Box::default(),
            sources: Box::default(),
            left_storages: Box::default(),
            retains: None,
            added_storages: SparseMask::default(),
            renewed: Box::default(),
            lost: Box::default(),
            transitions: Box::default(),
            listeners: PlanListeners::default(),
        }
    }

    /// Returns the numbers of the sparse storages to which values may be added, with repetitions.
    pub(crate) fn sparse_targets(&self) -> impl Iterator<Item = usize> {
        let targets = self.targets.iter().chain(self.required.iter().map(|required| &required.target));
        targets.filter_map(|target| match *target {
            ComponentTarget::Sparse(number) | ComponentTarget::SparseIfNew(number) => Some(number as usize),
            ComponentTarget::Column { .. } | ComponentTarget::Kept(_) | ComponentTarget::Nowhere => None,
        })
    }

    /// Returns the component that links a source to the target that it names, if the plan has [`PlanFlags::ONLY_LINKS`].
    #[inline]
    pub(crate) fn linking_component(&self, components: &Components) -> Option<ComponentId> {
        self.sparse_targets().next().map(|number| components.sparse()[number])
    }

    /// Returns whether values are written to columns of the destination.
    pub(crate) fn writes_columns(&self) -> bool {
        let required = self.required.iter().map(|required| &required.target);
        let mut targets = self.targets.iter().chain(required).chain(&self.renewed);
        targets.any(|target| matches!(target, ComponentTarget::Column { .. }))
    }

    /// Returns the numbers of the sparse storages from which values are taken.
    pub(crate) fn sparse_sources(&self) -> impl Iterator<Item = usize> {
        self.sources.iter().filter_map(|source| match source {
            ComponentSource::Sparse(number) => Some(*number as usize),
            ComponentSource::Column(_) | ComponentSource::Absent => None,
        })
    }

    /// Returns whether the plan affects only columns, and all required components can be constructed in a new row of the destination.
    pub(crate) fn is_plain(&self) -> bool {
        !self.flags.intersects(PlanFlags::REQUIRES_ELSEWHERE.union(PlanFlags::SPARSE))
    }

    /// Returns the moves of all columns of the source. Empty if the destination is the source.
    pub(crate) fn all_moves(&self) -> impl Iterator<Item = &ColumnMove> + Clone {
        self.moves.iter().chain(&self.other_moves)
    }

    /// Returns the moves of the columns whose values the entity keeps. Empty if the destination is the source.
    pub(crate) fn kept(&self) -> impl Iterator<Item = ColumnMove> {
        self.all_moves().copied().filter(ColumnMove::is_kept)
    }

    /// Returns the columns of the source whose values do not move.
    pub(crate) fn left(&self) -> impl Iterator<Item = u32> {
        self.all_moves().filter(|step| !step.is_kept()).map(|step| step.from)
    }

    /// Returns whether the plan gets [`PlanFlags::ONLY_LINKS`].
    fn only_links(&self) -> bool {
        self.sparse_targets().count() == 1
            && self.left_storages.is_empty()
            && self.retains.is_none()
            && self.sparse_sources().next().is_none()
            && self.required.is_empty()
            && self.renewed.is_empty()
            && self.listeners.before.is_empty()
            && self.listeners.after.is_empty()
            && self.listeners.interest == ListenerMask::OBSERVERS
    }

    /// Returns whether all components of a new entity go to columns, and no listener is notified before the entity exists.
    pub(crate) fn makes_in_columns(&self) -> bool {
        self.added_storages.is_empty()
            && !self.flags.intersects(PlanFlags::REQUIRES_ELSEWHERE)
            && self.renewed.is_empty()
            && (self.listeners.interest.is_empty() || self.listeners.interest.are_notified_afterwards())
    }

    /// Recomputes the listeners of this plan. `in_all` are the listeners that are interested in all plans.
    ///
    /// # Errors
    ///
    /// If there is no memory. The plan must not be used then.
    pub(super) fn update_interest(&mut self, components: &Components, in_all: ListenerMask) -> Result<(), AllocError> {
        let loses_watched = self.lost.iter().any(|&(_, id)| components.is_watched(id));
        let sparse = |&storage: &u32| components.sparse().get(storage as usize);
        let leaves_watched = self.left_storages.iter().filter_map(sparse).any(|&id| components.is_watched(id));
        let lost = || self.lost.iter().map(|&(_, id)| Transition::Lost(id));
        let changes = || lost().chain(self.transitions.iter().copied());
        let before = try_collect(changes().filter_map(|transition| transition.observed_before(components)))?;
        let after = try_collect(changes().filter_map(|transition| transition.observed_after(components)))?;
        self.listeners = PlanListeners { before, after, interest: ListenerMask::NONE };
        let interest = in_all
            .union(ListenerMask::REMOVALS.only_if(loses_watched))
            .union(ListenerMask::OBSERVERS.only_if(self.is_observed(components)));
        self.listeners.interest = interest;
        let notifies = interest.intersects(ListenerMask::OBSERVERS);
        let comes_before = self.flags.intersects(PlanFlags::SPARSE) || !self.listeners.before.is_empty();
        self.flags =
            self.flags
                .difference(PlanFlags::LISTENERS)
                .union(PlanFlags::NOTIFIES_BEFORE.only_if(notifies && comes_before))
                .union(PlanFlags::ONLY_LINKS.only_if(self.only_links()))
                .union(PlanFlags::NOTIFIES_AFTER.only_if(!interest.is_empty()))
                .union(PlanFlags::RECORDS.only_if(
                    interest.intersects(ListenerMask::REMOVALS.union(ListenerMask::SPAWNS)) || leaves_watched,
                ));
        // If removals of this table are recorded, the moves keep the lost values for the removal logs.
        let is_lost = |step: &ColumnMove| self.lost.iter().any(|(column, _)| *column == step.from);
        let mut all = Vec::new();
        try_reserve_exact(&mut all, self.moves.len() + self.other_moves.len())?;
        all.extend(
            self.moves.iter().chain(&self.other_moves).map(|step| step.keep_value(loses_watched && is_lost(step))),
        );
        self.set_moves(all)?;
        Ok(())
    }

    /// Sets the moves of the columns of the source.
    ///
    /// # Errors
    ///
    /// If there is no memory. The plan must not be used then.
    pub(super) fn set_moves(&mut self, all: Vec<ColumnMove>) -> Result<(), AllocError> {
        self.moves = try_collect(all.iter().copied().filter(ColumnMove::is_common))?;
        self.other_moves = try_collect(all.iter().copied().filter(|step| !step.is_common()))?;
        self.flags = self
            .flags
            .difference(PlanFlags::LARGE)
            .union(PlanFlags::LARGE.only_if(self.other_moves.iter().any(ColumnMove::is_large)));
        Ok(())
    }

    /// Returns whether observers or hooks may be notified of the change.
    fn is_observed(&self, components: &Components) -> bool {
        let hears =
            |storage: usize| components.sparse().get(storage).is_some_and(|&id| !components.observed(id).is_empty());
        !self.listeners.before.is_empty()
            || !self.listeners.after.is_empty()
            || self.sparse_targets().chain(self.sparse_sources()).any(hears)
            || self.left_storages.iter().any(|&storage| hears(storage as usize))
            || (self.retains.is_some() && (0..components.sparse().len()).any(hears))
    }

    /// For an entity that has a value in a sparse storage: returns the transition of this value, or `None` if the plan does not affect it.
    pub(crate) fn fate_of_sparse(&self, storage: usize, id: ComponentId) -> Option<Transition> {
        let number = storage as u32;
        let comes = |target: &ComponentTarget| *target == ComponentTarget::Sparse(number);
        let targets = self.targets.iter().chain(self.required.iter().map(|required| &required.target));
        if targets.chain(&self.renewed).any(comes) {
            return Some(Transition::Replaced(id));
        }
        let leaves = self.left_storages.contains(&number)
            || self.sparse_sources().any(|source| source == storage)
            || self.retains.as_ref().is_some_and(|retains| !retains.contains(&number));
        leaves.then_some(Transition::Lost(id))
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        size_of_val(&*self.moves)
            + size_of_val(&*self.lost)
            + size_of_val(&*self.transitions)
            + size_of_val(&*self.other_moves)
            + size_of_val(&*self.listeners.before)
            + size_of_val(&*self.listeners.after)
            + size_of_val(&*self.replaces)
            + size_of_val(&*self.targets)
            + size_of_val(&*self.required)
            + size_of_val(&*self.sources)
            + size_of_val(&*self.left_storages)
            + size_of_val(&*self.renewed)
            + self.retains.as_deref().map_or(0, size_of_val)
    }
}

fn try_collect<T>(items: impl Iterator<Item = T> + Clone) -> Result<Box<[T]>, AllocError> {
    let mut all = Vec::new();
    try_reserve_exact(&mut all, items.clone().count())?;
    all.extend(items);
    Ok(all.into_boxed_slice())
}
