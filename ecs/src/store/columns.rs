//! Making many entities of columns of values.

use core::fmt;

use super::Store;
use super::required::{fill_required, make_aside};
use super::spawn::{MAX_GAP, SpawnError};
use crate::alloc_error::AllocError;
use crate::bundle::{Bundle, ColumnBundle, ColumnLengthError, equal_columns};
use crate::component::Values;
use crate::entity::{ClaimError, Entity, EntityError, Location, TableId};
use crate::graph::{Change, MovePlan, Step, Target};
use crate::sparse::SparseStorage;
use crate::table::Table;

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
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(TableId::EMPTY, change, contents, &mut self.tables, &self.components);
        let mut aside = match make_aside(plan, &self.components, rows, |_| true) {
            Ok(aside) => aside,
            Err(error) => error.raise(),
        };
        let table = self.tables.get_mut(plan.table);
        let first = table.len();
        // SAFETY: the columns are those of the bundle that the change adds, in its order; room has been reserved. What is
        // required has been made for as many rows.
        unsafe {
            fill_columns(&mut columns, plan, table);
            fill_required(&mut aside, table);
        }
        let location = Location { table: plan.table, row: first as u32 };
        // SAFETY: room has been reserved; every column of the table belongs to a component of the bundle or one that is
        // required, and its rows have been filled.
        unsafe { table.commit_rows(rows, now, |ids| self.entities.allocate_rows(rows, location, ids)) }
        let table = plan.table;
        // SAFETY: as above; the entities are new, so they have no sparse components.
        unsafe { self.fill_sparse(&mut columns, &mut aside, change, table, first) };
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
        self.flush();
        let now = self.now();
        let change = self.register_values(&mut columns, Step::Insert);
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(TableId::EMPTY, change, contents, &mut self.tables, &self.components);
        let table = self.tables.get_mut(plan.table);
        table.reserve(rows)?;
        let mut aside = make_aside(plan, &self.components, rows, |_| true)?;
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
        unsafe {
            fill_columns(&mut columns, plan, table);
            fill_required(&mut aside, table);
        }
        // SAFETY: room has been reserved; every column of the table belongs to a component of the bundle or one that is
        // required, and its rows have been filled.
        unsafe { table.commit_rows(rows, now, |ids| ids.extend_from_slice(entities)) }
        let table = plan.table;
        self.entities.place_claimed(entities, claimed, Location { table, row: first as u32 });
        // SAFETY: as above; the entities are new, so they have no sparse components.
        unsafe { self.fill_sparse(&mut columns, &mut aside, change, table, first) };
        Ok(())
    }

    /// Makes room for `additional` more entities of a bundle.
    pub(crate) fn try_reserve<B: Bundle>(&mut self, additional: usize) -> Result<(), AllocError> {
        self.flush();
        let change = self.insertion_of::<B>();
        self.reserve_rows(change, additional).map_err(|error| match error {
            SpawnError::IdsExhausted(_) => AllocError::TOO_LARGE,
            SpawnError::OutOfMemory(error) => error,
        })
    }

    /// Makes room for `rows` more entities of the bundle that a change adds, wherever they need some.
    fn reserve_rows(&mut self, change: Change, rows: usize) -> Result<(), SpawnError> {
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(TableId::EMPTY, change, contents, &mut self.tables, &self.components);
        self.entities.reserve_next_many(rows)?;
        self.tables.get_mut(plan.table).reserve(rows)?;
        if has_sparse(plan) {
            reserve_sparse_rows(&mut self.sparse, plan, rows, || self.entities.next_indexes(rows))?;
            self.entities.reserve_summaries(rows)?;
        }
        Ok(())
    }

    /// Moves the values of sparse components to where those of the rows from `first` on belong.
    ///
    /// # Safety
    ///
    /// - The columns are those of the bundle that the change adds, in its order, and as long as there are such rows; and so
    ///   is `aside`, which holds what the bundle requires.
    /// - The entities of these rows have no sparse components so far. Room has been reserved for those of the bundle.
    unsafe fn fill_sparse(
        &mut self,
        columns: &mut [Values],
        aside: &mut [(Target, Values)],
        change: Change,
        table: TableId,
        first: usize,
    ) {
        let now = self.now();
        let contents = |number| self.bundles.contents(number);
        let plan = self.graph.plan(TableId::EMPTY, change, contents, &mut self.tables, &self.components);
        if !has_sparse(plan) {
            return;
        }
        let summary = plan.summary;
        let entities = self.tables.get(table).map_or(&[][..], |table| &table.entities()[first..]);
        let required = aside.iter_mut().map(|(target, column)| (column, &*target));
        for (column, target) in columns.iter_mut().zip(&plan.targets).chain(required) {
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

/// Moves the values of table-stored components behind the last row of a table.
///
/// # Safety
///
/// - The plan is one for adding exactly these columns, in this order, to an entity without components; the table is where
///   it leads.
/// - Room has been reserved in the table for as many rows as the columns are long.
unsafe fn fill_columns(columns: &mut [Values], plan: &MovePlan, table: &Table) {
    for (values, target) in columns.iter_mut().zip(&plan.targets) {
        if let Target::Column { index, .. } = *target {
            let column = table.column(index as usize);
            debug_assert_eq!(column.item(), values.kind().layout());
            // SAFETY: the column is that of the component, and has room for all values behind the last row.
            unsafe { values.move_to(column.get(table.len())) }
        }
    }
}
