//! Taking entities out of sparse storages.

use super::removed::record_left;
use crate::entity::{Entities, Entity, SparseSummary};
use crate::graph::MovePlan;
use crate::removal::Removals;
use crate::sparse::SparseStorage;

/// Takes an entity out of the sparse storages that a plan says it leaves, where the values stay retired until they are
/// dropped, and notes which ones may hold it now.
#[inline]
pub(super) fn leave_sparse(
    entities: &mut Entities,
    sparse: &mut [SparseStorage],
    removals: &mut Removals,
    plan: &MovePlan,
    entity: Entity,
) {
    record_left(removals, sparse, entities.sparse_summary(entity.index()), plan, entity);
    if !plan.leaves.is_empty() {
        let count = sparse.len();
        let mut summary = Some(entities.sparse_summary(entity.index()));
        for &storage in &plan.leaves {
            sparse[storage as usize].leave(entity);
            summary = summary.and_then(|summary| summary.without(storage as usize, count));
        }
        match summary {
            Some(summary) => entities.set_sparse_summary(entity.index(), summary),
            None => refresh_summary(entities, sparse, entity),
        }
    }
    if let Some(retains) = &plan.retains {
        for storage in entities.sparse_summary(entity.index()).storages(sparse.len()) {
            if !retains.contains(&(storage as u32)) {
                sparse[storage].leave(entity);
            }
        }
        refresh_summary(entities, sparse, entity);
    }
    if !plan.summary.is_empty() {
        let summary = entities.sparse_summary(entity.index()).union(plan.summary);
        entities.set_sparse_summary(entity.index(), summary);
    }
}

/// Works out anew which sparse storages may hold an entity, after some have let go of it.
#[cold]
pub(super) fn refresh_summary(entities: &mut Entities, sparse: &[SparseStorage], entity: Entity) {
    let old = entities.sparse_summary(entity.index());
    let summary = old
        .storages(sparse.len())
        .filter(|&storage| sparse[storage].contains(entity.index()))
        .fold(SparseSummary::default(), SparseSummary::with);
    entities.set_sparse_summary(entity.index(), summary);
}
