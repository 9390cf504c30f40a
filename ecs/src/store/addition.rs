//! New values, and the change that they belong to.
//!
//! A plan says where the components of a change go, in the order in which the change adds them; what writes the values relies
//! on that. So both are made in one place, and stay together until the row is there.

use alloc::vec::Vec;

use super::{Store, Structure};
use crate::bundle::{Bundle, BundleParts, RowWriter};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::graph::{Change, ChangeStep};

/// A change, and what writes the values that it adds to one row.
pub(super) struct Addition<P> {
    change: Change,
    write: P,
}

impl<P: FnOnce(&mut RowWriter<'_>)> Addition<P> {
    /// # Safety
    ///
    /// - The first steps of the change may take or remove something. `write` writes every component of each bundle that the others
    ///   add, in order, if it gets a writer for a plan of this change, and does nothing else. It does not panic.
    #[inline]
    pub(super) unsafe fn new(change: Change, write: P) -> Self {
        Self { change, write }
    }

    /// What the values belong to.
    #[inline]
    pub(super) fn change(&self) -> Change {
        self.change
    }

    /// Writes the values.
    ///
    /// # Safety
    ///
    /// - The plan of the writer is one of the change.
    #[inline]
    pub(super) unsafe fn write(self, writer: &mut RowWriter<'_>) {
        (self.write)(writer);
    }
}

/// A change that adds nothing: what goes is dropped.
#[derive(Clone, Copy)]
pub(super) struct Loss(Change);

impl Loss {
    #[inline]
    pub(super) fn change(self) -> Change {
        self.0
    }
}

impl Store {
    /// The loss of a bundle's components, as far as they are there.
    #[inline]
    pub(super) fn removing<B: Bundle>(&mut self) -> Loss {
        Loss(Change::of(ChangeStep::Remove(self.register_bundle::<B>())))
    }

    /// The loss of these components of the world, as far as they are there.
    pub(super) fn removing_components(&mut self, ids: &[ComponentId]) -> Loss {
        // A bundle that could not be registered may have left one of them without.
        self.note_new_components();
        Loss(Change::of(ChangeStep::Remove(self.structure.archetypes.register_dynamic(ids))))
    }

    /// The loss of all components but those of a bundle and those that these require.
    pub(super) fn retaining<B: Bundle>(&mut self) -> Loss {
        Loss(Change::of(ChangeStep::Retain(self.register_bundle::<B>())))
    }

    /// The addition of a bundle, which has these parts.
    #[inline]
    pub(super) fn inserting<'p, B: Bundle>(
        &mut self,
        parts: &'p mut B::Parts,
    ) -> Addition<impl FnOnce(&mut RowWriter<'_>) + use<'p, B>> {
        self.adding::<B>(None, ChangeStep::Insert, parts)
    }

    /// The addition of those components of a bundle that an entity does not have.
    pub(super) fn inserting_if_new<'p, B: Bundle>(
        &mut self,
        entity: Entity,
        parts: &'p mut B::Parts,
    ) -> Addition<impl FnOnce(&mut RowWriter<'_>) + use<'p, B>> {
        let step = ChangeStep::InsertIfNew(self.register_bundle::<B>());
        let change = Change::of(self.structure.for_entity(step, entity));
        // SAFETY: the change adds this bundle and nothing else. `Addition::write` alone calls what writes the parts, and its caller
        // promises that the plan of the writer is one of the change.
        unsafe { Addition::new(change, |writer| parts.write_row::<true>(writer)) }
    }

    /// The addition of a bundle behind a loss.
    pub(super) fn inserting_after<'p, B: Bundle>(
        &mut self,
        loss: Loss,
        parts: &'p mut B::Parts,
    ) -> Addition<impl FnOnce(&mut RowWriter<'_>) + use<'p, B>> {
        self.adding::<B>(Some(loss), ChangeStep::Insert, parts)
    }

    /// The addition of a bundle, by a step that adds something.
    #[inline]
    fn adding<'p, B: Bundle>(
        &mut self,
        after: Option<Loss>,
        step: fn(u32) -> ChangeStep,
        parts: &'p mut B::Parts,
    ) -> Addition<impl FnOnce(&mut RowWriter<'_>) + use<'p, B>> {
        let step = step(self.register_bundle::<B>());
        let change = match after {
            None => Change::of(step),
            Some(loss) => self.structure.archetypes.then(loss.0, step),
        };
        // SAFETY: the change adds this bundle and nothing else, by an insertion, of which every value is wanted. `Addition::write` alone
        // calls what writes the parts, and its caller promises that the plan of the writer is one of the change.
        unsafe { Addition::new(change, |writer| parts.write_row::<false>(writer)) }
    }
}

impl Structure {
    /// The step that does to an entity what this one says: with a bundle that names the sparse components that the entity has already, if
    /// the step keeps these and they require others.
    pub(super) fn for_entity(&mut self, step: ChangeStep, entity: Entity) -> ChangeStep {
        let ChangeStep::InsertIfNew(bundle) = step else { return step };
        let held: Vec<ComponentId> =
            self.archetypes.requiring_sparse(bundle).filter(|&id| self.has(entity, id)).collect();
        if held.is_empty() { step } else { ChangeStep::InsertIfNew(self.archetypes.register_held(bundle, held)) }
    }
}
