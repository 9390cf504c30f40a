//! New values, and the change that inserts them.
//!
//! A plan lists the targets of the components of a change in the order in which the change adds them, and the code that writes the values
//! relies on that order. So the change and the function that writes the values are made together, and are kept together until the row is
//! written.
//!
//! Tests: tests/model/edits.rs, tests/storage/runs.rs

use alloc::vec::Vec;

use super::{Store, Structure};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::structure::bundle::{Bundle, BundleParts, RowWriter};
use crate::structure::graph::{ChangeKey, ChangeStep};

/// A change, and the function that writes the new values into one row.
pub(super) struct InsertOp<P> {
    change: ChangeKey,
    write: P,
}

impl<P: FnOnce(&mut RowWriter<'_>)> InsertOp<P> {
    /// # Safety
    ///
    /// - The first steps of the change may take or remove components. If `write` gets a writer for a plan of this change, it writes every
    ///   component of each bundle that the other steps add, in order, and does nothing else. It does not panic.
    #[inline]
    pub(super) unsafe fn new(change: ChangeKey, write: P) -> Self {
        Self { change, write }
    }

    /// Returns the change.
    #[inline]
    pub(super) fn change(&self) -> ChangeKey {
        self.change
    }

    /// Writes the values.
    ///
    /// # Safety
    ///
    /// - The plan of the writer is a plan of the change.
    #[inline]
    pub(super) unsafe fn write(self, writer: &mut RowWriter<'_>) {
        (self.write)(writer);
    }
}

/// A change that adds nothing. The removed values are dropped.
#[derive(Clone, Copy)]
pub(super) struct RemoveOp(ChangeKey);

impl RemoveOp {
    #[inline]
    pub(super) fn change(self) -> ChangeKey {
        self.0
    }
}

/// Returns the change that removes the components of a bundle.
#[inline]
pub(super) fn removing<B: Bundle>(store: &mut Store) -> RemoveOp {
    RemoveOp(ChangeKey::of(ChangeStep::Remove(store.register_bundle::<B>())))
}

/// Returns the change that removes these components.
pub(super) fn removing_components(store: &mut Store, ids: &[ComponentId]) -> RemoveOp {
    // A bundle whose registration failed may have left a sparse component without a storage, which is created here.
    store.note_new_components();
    RemoveOp(ChangeKey::of(ChangeStep::Remove(store.structure.archetypes.register_dynamic(ids))))
}

/// Returns the change that removes all components except those of a bundle and those that these require.
pub(super) fn retaining<B: Bundle>(store: &mut Store) -> RemoveOp {
    RemoveOp(ChangeKey::of(ChangeStep::Retain(store.register_bundle::<B>())))
}

/// Returns the insertion of a bundle, which is given as its parts.
#[inline]
pub(super) fn inserting<'p, B: Bundle>(
    store: &mut Store,
    parts: &'p mut B::Parts,
) -> InsertOp<impl FnOnce(&mut RowWriter<'_>) + use<'p, B>> {
    adding::<B>(store, None, ChangeStep::Insert, parts)
}

/// Returns the insertion of the components of a bundle that an entity does not have.
pub(super) fn inserting_if_new<'p, B: Bundle>(
    store: &mut Store,
    entity: Entity,
    parts: &'p mut B::Parts,
) -> InsertOp<impl FnOnce(&mut RowWriter<'_>) + use<'p, B>> {
    let step = ChangeStep::InsertIfNew(store.register_bundle::<B>());
    let change = ChangeKey::of(store.structure.for_entity(step, entity));
    // SAFETY: the change adds this bundle and nothing else. Only `InsertOp::write` calls the closure, and its caller guarantees that the
    // plan of the writer is a plan of the change.
    unsafe { InsertOp::new(change, |writer| parts.write_row::<true>(writer)) }
}

/// Returns the insertion of a bundle after a removal.
pub(super) fn inserting_after<'p, B: Bundle>(
    store: &mut Store,
    loss: RemoveOp,
    parts: &'p mut B::Parts,
) -> InsertOp<impl FnOnce(&mut RowWriter<'_>) + use<'p, B>> {
    adding::<B>(store, Some(loss), ChangeStep::Insert, parts)
}

/// Returns the insertion of a bundle, after a removal if there is one. `step` makes the step of the insertion, which must write every
/// value, from the number of the bundle.
#[inline]
fn adding<'p, B: Bundle>(
    store: &mut Store,
    after: Option<RemoveOp>,
    step: fn(u32) -> ChangeStep,
    parts: &'p mut B::Parts,
) -> InsertOp<impl FnOnce(&mut RowWriter<'_>) + use<'p, B>> {
    let step = step(store.register_bundle::<B>());
    let change = match after {
        None => ChangeKey::of(step),
        Some(loss) => store.structure.archetypes.then(loss.0, step),
    };
    // SAFETY: the change adds this bundle and nothing else, by an insertion that writes every value. Only `InsertOp::write` calls the
    // closure, and its caller guarantees that the plan of the writer is a plan of the change.
    unsafe { InsertOp::new(change, |writer| parts.write_row::<false>(writer)) }
}

impl Structure {
    /// Returns a step that has the effect of this step on an entity, and does not depend on the sparse components of the entity. If the
    /// given step keeps sparse components that the entity already has and that require others, the returned step has a bundle that marks
    /// these components.
    pub(super) fn for_entity(&mut self, step: ChangeStep, entity: Entity) -> ChangeStep {
        let ChangeStep::InsertIfNew(bundle) = step else { return step };
        let held: Vec<ComponentId> =
            self.archetypes.requiring_sparse(bundle).filter(|&id| self.has(entity, id)).collect();
        if held.is_empty() { step } else { ChangeStep::InsertIfNew(self.archetypes.register_held(bundle, held)) }
    }
}
