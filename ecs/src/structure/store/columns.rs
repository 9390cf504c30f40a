//! Spawning entities from columns of values, and exchanging the values of a column.
//!
//! Tests: tests/storage/columns.rs, tests/storage/made_columns.rs

use alloc::vec::Vec;
use core::ptr;

use super::Store;
use super::dynamic::change_with;
use super::make::{ErasedRows, RowIds, make_rows};
use super::required::{StagedValues, stage_required};
use super::spawn_error::{MAX_GAP, SpawnError};
use crate::component::{ChangeTracking, ComponentId, ComponentInfo, ErasedVec, NewColumn};
use crate::entity::{ClaimError, Entity, EntityError, TableId};
use crate::storage::column::NewValues;
use crate::storage::sparse::SparseStorage;
use crate::structure::archetype::PlanContext;
use crate::structure::bundle::{Bundle, ColumnBundle, ColumnLengthError, equal_columns};
use crate::structure::graph::{ChangeKey, ChangeStep, ComponentTarget, MovePlan};
use crate::util::alloc_error::{AllocError, try_reserve};
use crate::util::guard::OnDrop;

/// Entities could not be spawned from columns with the requested ids. The world is unchanged; the values were dropped.
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
    /// The columns differ in length.
    Lengths(ColumnLengthError),
    /// The number of ids differs from the number of rows.
    WrongCount {
        /// The number of ids.
        ids: usize,
        /// The length of the columns.
        rows: usize,
    },
    /// An id has the same index as an earlier one in the list.
    Duplicate(Entity),
    /// An id cannot be used.
    Entity(EntityError),
    /// The index is so far beyond all others that the entity slots for the gap would take too much memory.
    TooFar(Entity),
    /// There is no memory.
    OutOfMemory(AllocError),
}

impl_error! {
    [] SpawnColumnsError => |this, f| match this {
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
    },
    Lengths(ColumnLengthError), OutOfMemory(AllocError)
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

/// Spawns an entity for each row of some columns. The entities get consecutive rows of one table; returns the table and the first row.
pub(crate) fn spawn_columns(
    store: &mut Store,
    columns: impl ColumnBundle,
) -> Result<(TableId, usize), ColumnLengthError> {
    let (mut columns, rows) = equal_columns(columns)?;
    store.flush();
    let change = change_with(store, &mut columns, NewColumn::descriptor, ChangeStep::Insert);
    reserve_rows(store, change, rows).unwrap_or_else(|error| error.raise());
    let PlanContext { plan, tables, components } = store.structure.archetypes.planned(TableId::EMPTY, change);
    let (table, summary) = (plan.table, plan.added_storages);
    let mut values = stage_required(plan, components, rows, |_| true).unwrap_or_else(|error| error.raise());
    values.reserve(columns.len());
    let room = Vec::with_capacity(columns.len());
    let mut made = OnDrop::new((tables.get_mut(table), room), |(table, columns)| {
        let first = table.len();
        // SAFETY: these columns have been written there, and the rows do not exist.
        unsafe { table.drop_rows_past_end(Some(columns), first, rows) }
    });
    for (&target, column) in plan.targets.iter().zip(columns) {
        match (target, column) {
            (ComponentTarget::Column { index, .. }, NewColumn::Made(column)) => {
                let to = made.0.column(index as usize);
                // SAFETY: the change adds the bundle of these columns, in their order, so `column` belongs to the component. The table has
                // room for so many rows, and the column holds no values there.
                unsafe { column.make_at(to.get(made.0.len())) }
                made.1.push(index);
            }
            (target, column) => values.push((target, column.into_values())),
        }
    }
    made.1.clear();
    drop(made);
    let mut values = ErasedRows { values, summary };
    // SAFETY: room has been reserved. The columns belong to the bundle that the change adds, in its order, and the required components have
    // been constructed for as many rows. Some columns have been written in place, and nothing has happened since.
    let first = unsafe { make_rows(store, table, rows, RowIds::New, &mut values) };
    Ok((table, first.row as usize))
}

/// Spawns entities with the given ids for the rows of some columns.
pub(crate) fn spawn_columns_at(
    store: &mut Store,
    entities: &[Entity],
    columns: impl ColumnBundle,
) -> Result<(), SpawnColumnsError> {
    let (mut columns, rows) = equal_columns(columns)?;
    if entities.len() != rows {
        return Err(SpawnColumnsError::WrongCount { ids: entities.len(), rows });
    }
    store.try_flush()?;
    let change = change_with(store, &mut columns, NewColumn::descriptor, ChangeStep::Insert);
    // The values are constructed before the ids are checked.
    let columns: Vec<ErasedVec> = columns.into_iter().map(NewColumn::into_values).collect();
    let PlanContext { plan, tables, components } = store.structure.archetypes.planned(TableId::EMPTY, change);
    let table = tables.get_mut(plan.table);
    table.reserve(rows)?;
    let mut values: StagedValues = stage_required(plan, components, rows, |_| true)?;
    try_reserve(&mut values, columns.len())?;
    values.extend(plan.targets.iter().copied().zip(columns));
    let claimed = store.structure.entities.claim(entities, MAX_GAP)?;
    let indexes = || entities.iter().map(|entity| entity.index());
    let mut room = reserve_sparse_rows(&mut store.structure.sparse, plan, rows, indexes);
    if let Some(highest) = indexes().max().filter(|_| has_sparse(plan)) {
        room = room.and_then(|()| store.structure.entities.reserve_summary(highest));
    }
    if let Err(error) = room {
        store.structure.entities.release(entities, claimed);
        return Err(error.into());
    }
    let (table, summary) = (plan.table, plan.added_storages);
    let mut values = ErasedRows { values, summary };
    // SAFETY: room has been reserved. The columns belong to the bundle that the change adds, in its order, and the required components have
    // been constructed for as many rows.
    unsafe { make_rows(store, table, rows, RowIds::Claimed(entities, claimed), &mut values) };
    store.flush_events();
    Ok(())
}

impl Store {
    /// Exchanges the values that entities have of a component with the given values, in order, and marks the values of the entities as
    /// changed. Returns the indexes of the values that were not exchanged, because the entity has no value or the component is immutable.
    pub(crate) fn exchange_values(&mut self, id: ComponentId, entities: &[Entity], values: &mut NewValues) -> Vec<u32> {
        assert_eq!(entities.len(), values.len(), "there is a value for each entity");
        let is_of = |info: &ComponentInfo| info.mutable() && info.descriptor().is_same(values.descriptor());
        if !self.structure.archetypes.components.info(id).is_some_and(is_of) {
            return (0..entities.len() as u32).collect();
        }
        let (size, now, mut left) = (values.descriptor().layout().size(), self.now(), Vec::new());
        let is_tracked = values.descriptor().tracking() != ChangeTracking::Never;
        for (nth, &entity) in entities.iter().enumerate() {
            let Some((value, column, row)) = self.structure.place_by_id(entity, id) else {
                left.push(nth as u32);
                continue;
            };
            column.visit(now.tick);
            // SAFETY: both are values of the component with this id, whose descriptor has been compared. The given values are not part of
            // the store, which is borrowed mutably, and the row is one of the column.
            unsafe {
                ptr::swap_nonoverlapping(values.data().add(nth * size).as_ptr(), value.as_ptr(), size);
                if let Some(tracking) = column.tracking().filter(|_| is_tracked) {
                    tracking.mark(row, now);
                }
            }
        }
        left
    }
}

/// Makes room for `additional` more entities of a bundle.
pub(crate) fn reserve_bundles<B: Bundle>(store: &mut Store, additional: usize) -> Result<(), AllocError> {
    store.try_flush()?;
    let change = store.insertion_of::<B>();
    reserve_rows(store, change, additional).map_err(|error| match error {
        SpawnError::IdsExhausted(_) => AllocError::TOO_LARGE,
        SpawnError::OutOfMemory(error) => error,
    })
}

/// Makes room for `rows` more entities of the bundle that a change adds, in tables, sparse storages and ids.
fn reserve_rows(store: &mut Store, change: ChangeKey, rows: usize) -> Result<(), SpawnError> {
    let PlanContext { plan, tables, .. } = store.structure.archetypes.planned(TableId::EMPTY, change);
    store.structure.entities.reserve_next_many(rows)?;
    tables.get_mut(plan.table).reserve(rows)?;
    if has_sparse(plan) {
        reserve_sparse_rows(&mut store.structure.sparse, plan, rows, || store.structure.entities.next_indexes(rows))?;
        if let Some(highest) = store.structure.entities.next_indexes(rows).max() {
            store.structure.entities.reserve_summary(highest)?;
        }
    }
    Ok(())
}

/// Returns whether some component of a plan is sparse.
fn has_sparse(plan: &MovePlan) -> bool {
    !plan.added_storages.is_empty()
}

/// Makes room in the sparse storages of a plan for values of `rows` entities with these indexes.
fn reserve_sparse_rows<I: Iterator<Item = u32> + Clone>(
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
