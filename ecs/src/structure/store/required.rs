//! Construction of required components.
//!
//! The plan of a change lists the missing required components. Constructors are user code: they run when there is room for everything and
//! before anything moves. If a constructor panics, the constructed values are dropped, and nothing has happened.
//!
//! Requirements are resolved once for a component, when it is registered, once for a bundle, and once for a plan. A constructor writes into
//! the row past the end of the destination. It writes into staged memory instead if the component is sparse or an earlier step of a
//! sequence removes it, and into a whole column if many rows are added. A value that a later step of a sequence would replace or remove is
//! not constructed; in this respect a sequence differs from the same steps applied one by one. Cycles of requirements are found before the
//! first component of a cycle is registered. The step `InsertExactly` adds no required components; clones are inserted by it.
//!
//! Tests: tests/storage/required

use alloc::vec::Vec;
use core::mem::forget;

use super::{Store, Structure};
use crate::component::{
    Component, ComponentId, Components, Constructor, ErasedVec, Required, RequiredComponentsError, StorageType,
};
use crate::entity::Entities;
use crate::storage::sparse::SparseStorage;
use crate::storage::table::Table;
use crate::structure::bundle::RowWriter;
use crate::structure::graph::{ComponentTarget, MovePlan, RequiredComponent};
use crate::util::alloc_error::AllocError;
use crate::util::guard::{OnDrop, for_each_despite_panics};

/// Constructs the required components of a plan that go to new columns, in the row past the end of a table. If a constructor panics, the
/// constructed values are dropped.
///
/// # Safety
///
/// - The plan leads to this table, which has room for a row. The caller commits the row.
#[inline(never)]
pub(super) unsafe fn construct_required(table: &mut Table, plan: &MovePlan) {
    let mut constructed = OnDrop::new((table, 0), |(table, count)| {
        let row = table.len();
        let columns = plan.required[..*count].iter().filter_map(RequiredComponent::new_column);
        for_each_despite_panics(columns, |column| {
            // SAFETY: a constructor has made this value in the row past the end, and nothing else owns it.
            unsafe { table.drop_rows_past_end(Some(&[column as u32]), row, 1) }
        });
    });
    for required in &plan.required {
        if let Some(column) = required.new_column() {
            // SAFETY: the plan belongs to this table, so the index is one of its columns, and the constructor makes values of its
            // component. The row past the end is within the capacity and holds no value.
            unsafe {
                let to = constructed.0.column_unchecked(column).get(constructed.0.len());
                required.constructor.fill(to.as_ptr(), 1);
            }
        }
        constructed.1 += 1;
    }
    forget(constructed);
}

/// Values of several components for one or more entities: for each component, its target and its values.
pub(super) type StagedValues = Vec<(ComponentTarget, ErasedVec)>;

/// Constructs the required components of a plan that `wanted` accepts, for this number of entities.
pub(super) fn stage_required(
    plan: &MovePlan,
    components: &Components,
    count: usize,
    wanted: impl Fn(&RequiredComponent) -> bool,
) -> Result<StagedValues, AllocError> {
    let mut staged = StagedValues::new();
    for required in plan.required.iter().filter(|required| wanted(required)) {
        let Some(info) = components.info(required.id) else { continue };
        // SAFETY: the constructor makes values of this component.
        let values = unsafe { ErasedVec::made(info.descriptor(), &[(required.constructor, count)])? };
        staged.push((required.target, values));
    }
    Ok(staged)
}

/// Moves values into the rows past the end of a table.
///
/// # Safety
///
/// - The values belong to a plan that leads to this table. The table has room past the end for as many rows as there are values of each
///   component, and its columns hold no values there. The caller commits the rows.
pub(super) unsafe fn move_staged_past_end(values: &mut StagedValues, table: &Table) {
    for (target, values) in values {
        if let ComponentTarget::Column { index, .. } = *target {
            let column = table.column(index as usize);
            debug_assert_eq!(column.item_size(), values.descriptor().layout().size());
            // SAFETY: the column belongs to the component, as the plan leads to this table, and has room past the end for all values.
            unsafe { values.move_to(column.get(table.len())) }
        }
    }
}

/// Returns whether a required component has to be added to the entity with this index. A sparse component is looked up, because the table
/// of the entity does not show whether the entity has it.
pub(super) fn is_missing(required: &RequiredComponent, sparse: &[SparseStorage], index: u32) -> bool {
    match required.target {
        ComponentTarget::SparseIfNew(number) => !sparse[number as usize].contains(index),
        _ => true,
    }
}

/// Writes the values of one entity to their targets.
///
/// # Safety
///
/// - The values belong to required components of the writer's plan, one value each, and were made for this entity.
pub(super) unsafe fn write_staged(values: &mut StagedValues, writer: &mut RowWriter<'_>) {
    for (target, value) in values.iter_mut() {
        // SAFETY: there is one value, of the component of this target.
        unsafe { writer.write_value(*target, value) }
    }
}

/// Registers that a component requires another one.
///
/// # Errors
///
/// If an entity has the component, if it already requires the other one, or if the other one requires the component.
pub(crate) fn require<T: Component, R: Component>(
    store: &mut Store,
    make: fn() -> R,
) -> Result<(), RequiredComponentsError> {
    let (by, id) = (store.register_component::<T>(), store.register_component::<R>());
    let in_tables = || store.structure.archetypes.tables.iter().any(|table| !table.is_empty() && table.contains(by));
    let info = store.structure.archetypes.components.info(by).filter(|info| info.storage() == StorageType::Sparse);
    let in_use = match info.and_then(|info| store.structure.sparse.get(info.sparse_index())) {
        Some(storage) => storage.len() != 0,
        None => in_tables(),
    };
    if in_use {
        let (requiree, required) =
            (store.structure.archetypes.components.name(by), store.structure.archetypes.components.name(id));
        return Err(RequiredComponentsError::InUse { requiree, required });
    }
    store.structure.archetypes.require(by, Required { id, constructor: Constructor::new(make) })?;
    Ok(())
}

impl Structure {
    /// Constructs values of a component for groups of entities, in the order of the groups. A group consists of components and a number of
    /// entities. The constructor with which a component of the group requires this component makes the values for the group. Returns `None`
    /// if there is a group none of whose components requires this component.
    ///
    /// # Errors
    ///
    /// If there is no memory.
    pub(crate) fn construct_required(
        &self,
        id: ComponentId,
        groups: &[(&[ComponentId], usize)],
    ) -> Result<Option<ErasedVec>, AllocError> {
        let components = &self.archetypes.components;
        let constructor = |&(by, count): &(&[ComponentId], usize)| {
            let required = components.required_by(by);
            let required = required.iter().find(|required| required.id == id)?;
            Some((required.constructor, count))
        };
        let constructors: Option<Vec<(Constructor, usize)>> = groups.iter().map(constructor).collect();
        let Some((constructors, info)) = constructors.zip(components.info(id)) else { return Ok(None) };
        // SAFETY: the registry stores a constructor with the id of the component whose values it makes.
        unsafe { ErasedVec::made(info.descriptor(), &constructors) }.map(Some)
    }
}

/// Makes room for the entity with this index in the sparse storages of a plan and in the sparse summaries.
pub(super) fn reserve_sparse(
    sparse: &mut [SparseStorage],
    entities: &mut Entities,
    plan: &MovePlan,
    index: u32,
) -> Result<(), AllocError> {
    if plan.added_storages.is_empty() {
        return Ok(());
    }
    let mut reserve = |target: ComponentTarget| match target {
        ComponentTarget::Sparse(number) | ComponentTarget::SparseIfNew(number) => {
            sparse[number as usize].reserve(index)
        }
        ComponentTarget::Column { .. } | ComponentTarget::Kept(_) | ComponentTarget::Nowhere => Ok(()),
    };
    plan.targets.iter().try_for_each(|&target| reserve(target))?;
    plan.required.iter().try_for_each(|required| reserve(required.target))?;
    entities.reserve_summary(index)
}
