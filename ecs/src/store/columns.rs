//! Making many entities of columns of values.

use core::fmt;

use super::Store;
use super::required::{Placed, make_aside, write_placed};
use super::spawn::{MAX_GAP, SpawnError};
use crate::alloc_error::{AllocError, try_reserve};
use crate::archetype::Planned;
use crate::bundle::{Bundle, ColumnBundle, ColumnLengthError, equal_columns};
use crate::entity::{ClaimError, Entity, EntityError, Location, SparseSummary, TableId};
use crate::graph::{Change, MovePlan, Step, Target};
use crate::sparse::SparseStorage;

/// Entities could not be made of columns with the ids that were asked for. The world is as it was before; the values
/// were dropped.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::{entity::EntityError, store::SpawnColumnsError};
/// # #[derive(Component, Clone, Debug, PartialEq)]
/// # struct Health(u32);
///
/// let mut world = World::new();
/// let ids = [7, 9].map(|index| Entity::from_raw_u32(index).unwrap());
/// let error = world.spawn_columns_at(&ids, vec![Health(1)]).unwrap_err();
/// assert_eq!(error, SpawnColumnsError::WrongCount { ids: 2, rows: 1 });
/// world.spawn_columns_at(&ids, vec![Health(1); 2]).unwrap();
/// let error = world.spawn_columns_at(&ids, vec![Health(1); 2]).unwrap_err();
/// assert_eq!(error, SpawnColumnsError::Entity(EntityError::Alive(ids[0])));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpawnColumnsError {
    /// The columns are not equally long.
    Lengths(ColumnLengthError),
    /// There is not one id for each row.
    WrongCount {
        /// How many ids were given.
        ids: usize,
        /// How long the columns are.
        rows: usize,
    },
    /// An id has the index of an earlier one in the list.
    Duplicate(Entity),
    /// An id cannot be used.
    Entity(EntityError),
    /// The index is so far beyond all others that the books for the gap would take more memory than is reasonable.
    TooFar(Entity),
    /// There is no memory.
    OutOfMemory(AllocError),
}

impl fmt::Display for SpawnColumnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lengths(error) => error.fmt(f),
            Self::WrongCount { ids, rows } => {
                write!(f, "there must be an id for each row: {ids} ids were given for columns of length {rows}")
            }
            Self::Duplicate(entity) => {
                write!(f, "entity {entity} cannot be spawned: index {} is twice in the list", entity.index())
            }
            Self::Entity(error) => error.fmt(f),
            Self::TooFar(entity) => {
                write!(f, "entity {entity} cannot be spawned: more than {MAX_GAP} unused indexes would be below it")
            }
            Self::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SpawnColumnsError {}

impl From<ColumnLengthError> for SpawnColumnsError {
    fn from(error: ColumnLengthError) -> Self {
        Self::Lengths(error)
    }
}

impl From<AllocError> for SpawnColumnsError {
    fn from(error: AllocError) -> Self {
        Self::OutOfMemory(error)
    }
}

impl From<ClaimError> for SpawnColumnsError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Entity(EntityError::Unknown(entity)) if entity != Entity::PLACEHOLDER => Self::TooFar(entity),
            ClaimError::Entity(error) => Self::Entity(error),
            ClaimError::Twice(entity) => Self::Duplicate(entity),
            ClaimError::OutOfMemory(error) => Self::OutOfMemory(error),
        }
    }
}

impl Store {
    /// Makes an entity of each row of some columns. They end up one behind the other: returned are the table and the first
    /// row.
    pub(crate) fn spawn_columns(&mut self, columns: impl ColumnBundle) -> Result<(TableId, usize), ColumnLengthError> {
        let (mut columns, rows) = equal_columns(columns)?;
        self.flush();
        let now = self.now();
        let change = self.register_values(&mut columns, Step::Insert);
        if let Err(error) = self.reserve_rows(change, rows) {
            error.raise();
        }
        let Planned { plan, tables, components } = self.archetypes.planned(TableId::EMPTY, change);
        let required = make_aside(plan, components, rows, |_| true);
        let mut values: Placed = plan.targets.iter().copied().zip(columns).collect();
        values.extend(required.unwrap_or_else(|error| error.raise()));
        let table = tables.get_mut(plan.table);
        let first = table.len();
        // SAFETY: the columns are those of the bundle that the change adds, in its order; room has been reserved. What is
        // required has been made for as many rows.
        unsafe { write_placed(&mut values, table) }
        let location = Location { table: plan.table, row: first as u32 };
        // SAFETY: room has been reserved; every column of the table belongs to a component of the bundle or one that is
        // required, and its rows have been filled.
        unsafe { table.commit_rows(rows, now, |ids| self.entities.allocate_rows(rows, location, ids)) }
        let (table, summary) = (plan.table, plan.summary);
        // SAFETY: as above; the entities are new, so they have no sparse components.
        unsafe { self.fill_sparse(&mut values, summary, table, first) };
        self.rows_made(table, first);
        Ok((table, first))
    }

    /// Makes entities with these very ids of the rows of some columns.
    pub(crate) fn spawn_columns_at(
        &mut self,
        entities: &[Entity],
        columns: impl ColumnBundle,
    ) -> Result<(), SpawnColumnsError> {
        let (mut columns, rows) = equal_columns(columns)?;
        if entities.len() != rows {
            return Err(SpawnColumnsError::WrongCount { ids: entities.len(), rows });
        }
        self.try_flush()?;
        let now = self.now();
        let change = self.register_values(&mut columns, Step::Insert);
        let Planned { plan, tables, components } = self.archetypes.planned(TableId::EMPTY, change);
        let table = tables.get_mut(plan.table);
        table.reserve(rows)?;
        let mut values: Placed = make_aside(plan, components, rows, |_| true)?;
        try_reserve(&mut values, columns.len())?;
        values.extend(plan.targets.iter().copied().zip(columns));
        let claimed = self.entities.claim(entities, MAX_GAP)?;
        let indexes = || entities.iter().map(|entity| entity.index());
        let mut room = reserve_sparse_rows(&mut self.sparse, plan, rows, indexes);
        if let Some(highest) = indexes().max().filter(|_| has_sparse(plan)) {
            room = room.and_then(|()| self.entities.reserve_summary(highest));
        }
        if let Err(error) = room {
            self.entities.release(entities, claimed);
            return Err(error.into());
        }
        let first = table.len();
        // SAFETY: the columns are those of the bundle that the change adds, in its order; room has been reserved. What is
        // required has been made for as many rows.
        unsafe { write_placed(&mut values, table) }
        // SAFETY: room has been reserved; every column of the table belongs to a component of the bundle or one that is
        // required, and its rows have been filled.
        unsafe { table.commit_rows(rows, now, |ids| ids.extend_from_slice(entities)) }
        let (table, summary) = (plan.table, plan.summary);
        self.entities.place_claimed(entities, claimed, Location { table, row: first as u32 });
        // SAFETY: as above; the entities are new, so they have no sparse components.
        unsafe { self.fill_sparse(&mut values, summary, table, first) };
        self.rows_made(table, first);
        Ok(())
    }

    /// Makes room for `additional` more entities of a bundle.
    pub(crate) fn try_reserve<B: Bundle>(&mut self, additional: usize) -> Result<(), AllocError> {
        self.try_flush()?;
        let change = self.insertion_of::<B>();
        self.reserve_rows(change, additional).map_err(|error| match error {
            SpawnError::IdsExhausted(_) => AllocError::TOO_LARGE,
            SpawnError::OutOfMemory(error) => error,
        })
    }

    /// Makes room for `rows` more entities of the bundle that a change adds, wherever they need some.
    fn reserve_rows(&mut self, change: Change, rows: usize) -> Result<(), SpawnError> {
        let Planned { plan, tables, .. } = self.archetypes.planned(TableId::EMPTY, change);
        self.entities.reserve_next_many(rows)?;
        tables.get_mut(plan.table).reserve(rows)?;
        if has_sparse(plan) {
            reserve_sparse_rows(&mut self.sparse, plan, rows, || self.entities.next_indexes(rows))?;
            self.entities.reserve_summaries(rows)?;
        }
        Ok(())
    }

    /// Moves the values of sparse components to where those of the rows from `first` on belong. `summary` says what these are.
    ///
    /// # Safety
    ///
    /// - There are as many values of each component as such rows, and room for them in sparse storages.
    /// - These entities have no sparse components.
    unsafe fn fill_sparse(&mut self, values: &mut Placed, summary: SparseSummary, table: TableId, first: usize) {
        if summary.is_empty() {
            return;
        }
        let now = self.now();
        let tables = &self.archetypes.tables;
        let entities = tables.get(table).map_or(&[][..], |table| &table.entities()[first..]);
        for (target, column) in values {
            let (Target::Sparse(storage) | Target::SparseIfNew(storage)) = *target else { continue };
            let storage = &mut self.sparse[storage as usize];
            debug_assert_eq!(column.len(), entities.len());
            let mut start = None;
            for &entity in entities {
                // SAFETY: the entity has no value here, and room has been reserved. The values are written below, and
                // nothing else happens to the storage until then.
                let address = unsafe { storage.insert(entity, now) };
                start = start.or(Some(address));
            }
            if let Some(start) = start {
                // SAFETY: new values of a storage lie one behind the other, and the first belongs here; those without a size
                // all lie at one address. The storage is that of the column's component.
                unsafe { column.move_to(start) }
            }
        }
        for entity in entities {
            self.entities.set_sparse_summary(entity.index(), summary);
        }
    }
}

/// Whether some component of a plan is stored outside the tables.
fn has_sparse(plan: &MovePlan) -> bool {
    !plan.summary.is_empty()
}

/// Makes room in the sparse storages of a plan.
fn reserve_sparse_rows<I: Iterator<Item = u32>>(
    sparse: &mut [SparseStorage],
    plan: &MovePlan,
    rows: usize,
    indexes: impl Fn() -> I,
) -> Result<(), AllocError> {
    for number in plan.sparse_targets() {
        sparse[number].reserve_many(rows, indexes())?;
    }
    Ok(())
}
