//! What a change of components does to the entities of a table.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::alloc_error::{AllocError, try_reserve_exact};
use crate::component::{ComponentId, Components, Constructor, Kinds};
use crate::entity::{SparseSummary, TableId};
use crate::table::{ColumnPair, LightMove};
use crate::transition::{Interest, Transition};

/// One step of a change. The numbers are those of bundles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChangeStep {
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
    /// Removes and drops all components but these and what they require.
    Retain(u32),
}

impl ChangeStep {
    /// The bundle.
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
pub(crate) struct RequiredComponent {
    pub(crate) id: ComponentId,
    /// One for values of the component.
    pub(crate) constructor: Constructor,
    /// Never [`Target::Nowhere`]: what would not be there in the end is not made.
    pub(crate) target: Target,
}

impl RequiredComponent {
    /// The column of the destination, if that is where the value goes and no other one is there.
    pub(crate) fn new_column(&self) -> Option<usize> {
        match self.target {
            Target::Column { index, replace: false } => Some(index as usize),
            _ => None,
        }
    }

    /// Whether a value may be there that an earlier step removes.
    pub(super) fn may_replace(&self) -> bool {
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
#[derive(Debug)]
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
    pub(crate) required: Box<[RequiredComponent]>,
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
    /// The columns of the source whose components the entity does not have afterwards. Empty if the destination is the source.
    pub(crate) lost: Box<[(u32, ComponentId)]>,
    /// What else becomes of table-stored components: none of these is lost.
    pub(crate) comes: Box<[Transition]>,
    /// What observers and hooks are told of table-stored components before it is carried out, and afterwards. Kept up to date with
    /// the listeners.
    pub(crate) before: Box<[(ComponentId, Kinds)]>,
    pub(crate) after: Box<[(ComponentId, Kinds)]>,
    /// The listeners that are told of it. Kept up to date by [`super::Graph::update_interest`].
    pub(crate) interest: Interest,
    /// Whether the entity begins or ends to be disabled, so that changes of its sparse components may be renewed.
    pub(crate) switches_disabled: bool,
    /// Whether more has to be done than to move bytes between columns: something is required or renewed, has to do with
    /// sparse storages, or is told.
    pub(crate) is_special: bool,
    /// Whether observers or hooks may be told something before it is carried out.
    pub(crate) is_foretold: bool,
    /// Whether that is to tell the recorder, observers or hooks what becomes of table-stored components, and nothing else.
    pub(crate) only_tells: bool,
    /// Whether that is to make what is required behind the last row, and nothing else.
    pub(crate) only_requires: bool,
    /// What becomes of the columns of the source if entities move to another table, all values of these columns have at most
    /// [`SMALL`](crate::column::SMALL) bytes, those that go need not be dropped, and none of those that come replaces another one.
    pub(crate) light_moves: Box<[LightMove]>,
    /// Whether entities move so.
    pub(super) only_moves: bool,
    /// Whether that is all, and nothing is special.
    pub(crate) is_light: bool,
    /// Whether that is all, and nothing is special but what observers and hooks are told afterwards of one component.
    pub(crate) tells_lightly: bool,
    /// Whether it is light or tells lightly.
    pub(crate) moves_lightly: bool,
    /// Whether that is all, and nothing is special but what is required, which goes to columns where no value is.
    pub(crate) requires_lightly: bool,
    /// The sparse storage that one component is added to, if nothing else is special and only observers, hooks or relationships may be told
    /// of that.
    pub(crate) adds_beside: Option<u32>,
}

impl MovePlan {
    /// The sparse storages that something may be added to, with repetitions.
    pub(crate) fn sparse_targets(&self) -> impl Iterator<Item = usize> {
        let targets = self.targets.iter().chain(self.required.iter().map(|required| &required.target));
        targets.filter_map(|target| match *target {
            Target::Sparse(number) | Target::SparseIfNew(number) => Some(number as usize),
            Target::Column { .. } | Target::Nowhere => None,
        })
    }

    /// The sparse storages that something is taken from.
    pub(crate) fn sparse_sources(&self) -> impl Iterator<Item = usize> {
        self.sources.iter().filter_map(|source| match source {
            Source::Sparse(number) => Some(*number as usize),
            Source::Column(_) | Source::Absent => None,
        })
    }

    /// Whether it has to do with nothing but columns, each written at most once, and what is required goes to other columns.
    pub(crate) fn is_plain(&self) -> bool {
        if self.requires_aside || !self.leaves.is_empty() || self.retains.is_some() || !self.summary.is_empty() {
            return false;
        }
        let mut columns = Vec::with_capacity(self.targets.len());
        self.targets.iter().all(|target| match *target {
            Target::Column { index, .. } => {
                let new = !columns.contains(&index);
                columns.push(index);
                new
            }
            Target::Nowhere => true,
            Target::Sparse(_) | Target::SparseIfNew(_) => false,
        })
    }

    /// Whether a new entity gets all of it in columns, of which nothing is told, or only when it is there.
    pub(crate) fn makes_in_columns(&self) -> bool {
        self.summary.is_empty()
            && !self.requires_aside
            && self.renewed.is_empty()
            && (self.interest.is_none() || self.interest.are_told_afterwards())
    }

    /// Computes the listeners of this plan anew, beside those of all plans.
    ///
    /// # Errors
    ///
    /// If there is no memory. The plan cannot be used then.
    pub(super) fn update_interest(&mut self, components: &Components, in_all: Interest) -> Result<(), AllocError> {
        let loses_watched = self.lost.iter().any(|&(_, id)| components.is_watched(id));
        let lost = || self.lost.iter().map(|&(_, id)| Transition::Lost(id));
        let changes = || lost().chain(self.comes.iter().copied());
        self.before = try_collect(changes().filter_map(|transition| transition.heard_before(components)))?;
        self.after = try_collect(changes().filter_map(|transition| transition.heard_after(components)))?;
        self.interest = in_all
            .and(Interest::REMOVALS.only_if(loses_watched))
            .and(Interest::REACTIONS.only_if(self.is_heard(components)));
        let touches_sparse = !self.summary.is_empty()
            || !self.leaves.is_empty()
            || self.retains.is_some()
            || self.sources.iter().any(|source| matches!(source, Source::Sparse(_)));
        let outside = touches_sparse || self.requires_aside || !self.renewed.is_empty() || self.switches_disabled;
        let more = outside || !self.interest.is_none();
        self.is_special = more || !self.required.is_empty();
        self.is_foretold = self.interest.has(Interest::REACTIONS) && (touches_sparse || !self.before.is_empty());
        self.only_tells = !outside && self.required.is_empty() && self.interest.are_told_afterwards();
        self.only_requires = !more;
        self.is_light = self.only_moves && !self.is_special;
        self.requires_lightly = self.only_moves && self.only_requires && !self.required.is_empty();
        self.tells_lightly = self.only_moves
            && self.only_tells
            && !self.is_foretold
            && !self.interest.has(Interest::RECORDER)
            && self.after.len() == 1;
        self.moves_lightly = self.is_light || self.tells_lightly;
        let is_simple = self.leaves.is_empty()
            && self.retains.is_none()
            && self.sparse_sources().next().is_none()
            && self.required.is_empty()
            && self.renewed.is_empty()
            && self.before.is_empty()
            && self.after.is_empty()
            && self.interest == Interest::REACTIONS;
        let only = {
            let mut beside = self.sparse_targets();
            beside.next().filter(|_| beside.next().is_none())
        };
        self.adds_beside = only.filter(|_| is_simple).map(|number| number as u32);
        Ok(())
    }

    /// Whether observers or hooks may be told of it.
    fn is_heard(&self, components: &Components) -> bool {
        let hears =
            |storage: usize| components.sparse().get(storage).is_some_and(|&id| !components.heard(id).is_none());
        !self.before.is_empty()
            || !self.after.is_empty()
            || self.sparse_targets().chain(self.sparse_sources()).any(hears)
            || self.leaves.iter().any(|&storage| hears(storage as usize))
            || (self.retains.is_some() && components.hears_sparse())
    }

    /// What becomes of the value that an entity has in a sparse storage.
    pub(crate) fn fate_of_sparse(&self, storage: usize, id: ComponentId) -> Option<Transition> {
        let number = storage as u32;
        let comes = |target: &Target| *target == Target::Sparse(number);
        let targets = self.targets.iter().chain(self.required.iter().map(|required| &required.target));
        if targets.chain(&self.renewed).any(comes) {
            return Some(Transition::Replaced(id));
        }
        let leaves = self.leaves.contains(&number)
            || self.sparse_sources().any(|source| source == storage)
            || self.retains.as_ref().is_some_and(|retains| !retains.contains(&number));
        leaves.then_some(Transition::Lost(id))
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        size_of_val(&*self.copies)
            + size_of_val(&*self.lost)
            + size_of_val(&*self.comes)
            + size_of_val(&*self.before)
            + size_of_val(&*self.after)
            + size_of_val(&*self.drops)
            + size_of_val(&*self.targets)
            + size_of_val(&*self.required)
            + size_of_val(&*self.sources)
            + size_of_val(&*self.leaves)
            + size_of_val(&*self.renewed)
            + size_of_val(&*self.light_moves)
            + self.retains.as_deref().map_or(0, size_of_val)
    }
}

fn try_collect<T>(items: impl Iterator<Item = T> + Clone) -> Result<Box<[T]>, AllocError> {
    let mut all = Vec::new();
    try_reserve_exact(&mut all, items.clone().count())?;
    all.extend(items);
    Ok(all.into_boxed_slice())
}
