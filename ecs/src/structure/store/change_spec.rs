//! Identifies a structural change of one entity: its subject, its bundle or number, and the key of its plan.
//!
//! Tests: tests/storage/runs.rs, tests/model/edits.rs

use core::any::TypeId;
use core::marker::PhantomData;

use super::Store;
use crate::entity::{Entity, Location, TableId};
use crate::storage::sparse::SparseStorage;
use crate::structure::bundle::{Bundle, BundleParts, BundleTargets, PartKinds};
use crate::structure::graph::{ChangeKey, ChangeStep, MovePlan, PlanFlags, PlanKey};

/// The entity of a change.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    /// A new entity.
    New,
    /// An id that is reserved and has no row yet.
    Pending(Entity),
    /// A live entity and its row.
    Alive(Entity, Location),
}

impl Subject {
    /// Returns the table that the entity comes from.
    #[inline(always)]
    pub(super) fn table(self) -> TableId {
        match self {
            Self::New | Self::Pending(_) => TableId::EMPTY,
            Self::Alive(_, location) => location.table,
        }
    }

    /// Returns the index of the entity, unless it is new.
    #[inline(always)]
    pub(super) fn index(self) -> Option<u32> {
        match self {
            Self::New => None,
            Self::Pending(entity) | Self::Alive(entity, _) => Some(entity.index()),
        }
    }

    /// Returns whether the entity has no row yet.
    #[inline(always)]
    pub(super) fn has_no_row(self) -> bool {
        !matches!(self, Self::Alive(..))
    }
}

/// Identifies a change of one entity: by the bundle that it inserts or removes, or by its number. The constants and the flags define which
/// changes are carried out at once, without a *prepare* and a *finish* phase.
pub(super) trait ChangeSpec: Copy {
    /// Whether the change adds components.
    const ADDS: bool;

    /// Whether the change itself names table-stored components. If not, its plan is cached for entities of all tables, `read` is not
    /// called, and a change with required components, which may be table-stored, is carried out in phases.
    const IN_TABLES: bool = true;

    /// Whether the change adds components that require others. For a new entity the required components are constructed without a *prepare*
    /// phase, if all of them go to columns.
    const REQUIRES: bool = false;

    /// Returns the special flags that a plan must have to be carried out at once: exactly these, apart from `TOLERATED` and, for a new
    /// entity, [`PlanFlags::REQUIRES`].
    fn flags(_: Subject) -> PlanFlags {
        PlanFlags::NONE
    }

    /// A flag that a plan may have in addition and still be carried out at once: `REPLACES` for an insertion, `DROPS` for a removal. The
    /// values are dropped after the row has been written.
    const TOLERATED: PlanFlags = PlanFlags::NONE;

    /// Returns the key of the plan of the change for this subject. Unless `IN_TABLES` is true, the plan is for entities of any table.
    fn key(self, subject: Subject) -> PlanKey;

    /// Returns the number of the change.
    fn change(self) -> LazyChange;

    /// Returns whether the sparse storages have room for the components that the change adds to an entity.
    fn has_sparse_room(_: &MovePlan, _: &[SparseStorage], _: u32) -> bool {
        false
    }

    /// Removes the value of an entity from a sparse storage, if there is one.
    ///
    /// # Safety
    ///
    /// - The storage belongs to the only component that the change removes. Its values need no drop.
    unsafe fn remove_sole(storage: &mut SparseStorage, entity: Entity) {
        storage.remove(entity);
    }
}

/// The number of a change. A bundle gets its number when it is first used.
#[derive(Clone, Copy)]
pub(super) enum LazyChange {
    Known(ChangeKey),
    OfBundle(fn(&mut Store) -> ChangeKey),
}

impl LazyChange {
    /// Returns the number of the change. Registers the bundle if necessary.
    #[inline]
    pub(super) fn resolve(self, store: &mut Store) -> ChangeKey {
        match self {
            Self::Known(change) => change,
            Self::OfBundle(find) => find(store),
        }
    }
}

/// A change that is identified by its number.
#[derive(Clone, Copy)]
pub(super) struct NumberedChange<const ADDS: bool>(pub(super) ChangeKey);

impl<const ADDS: bool> ChangeSpec for NumberedChange<ADDS> {
    const ADDS: bool = ADDS;

    #[inline]
    fn key(self, subject: Subject) -> PlanKey {
        PlanKey::of_change(self.0, subject.table())
    }

    #[inline]
    fn change(self) -> LazyChange {
        LazyChange::Known(self.0)
    }
}

/// The insertion or removal of a bundle that is identified by its type.
pub(super) struct BundleChange<B, const ADDS: bool>(PhantomData<fn() -> B>);

impl_copy! { [B, const ADDS: bool] BundleChange<B, ADDS>; }

impl<B, const ADDS: bool> BundleChange<B, ADDS> {
    const STEP: fn(u32) -> ChangeStep = if ADDS { ChangeStep::Insert } else { ChangeStep::Remove };

    #[inline(always)]
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<B: Bundle, const ADDS: bool> ChangeSpec for BundleChange<B, ADDS> {
    const ADDS: bool = ADDS;
    const IN_TABLES: bool = B::Parts::KINDS.intersects(PartKinds::TABLE);
    // A replaced sparse value that needs drop is retired, and the *finish* phase drops it. So a bundle with sparse components tolerates
    // none here.
    const TOLERATED: PlanFlags = match (B::Parts::NEEDS_DROP && !B::Parts::KINDS.intersects(PartKinds::SPARSE), ADDS) {
        (false, _) => PlanFlags::NONE,
        (true, true) => PlanFlags::REPLACES,
        (true, false) => PlanFlags::DROPS,
    };
    const REQUIRES: bool = ADDS && B::Parts::KINDS.intersects(PartKinds::REQUIRES) && Self::IN_TABLES;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn flags(subject: Subject) -> PlanFlags {
        let kinds = B::Parts::KINDS;
        if !ADDS {
            let at_once = B::Parts::SOLE_SPARSE && !kinds.intersects(PartKinds::SPARSE_DROPS);
            return if at_once { PlanFlags::SPARSE } else { PlanFlags::NONE };
        }
        match kinds.intersects(PartKinds::SPARSE)
            && (subject.has_no_row() || !kinds.intersects(PartKinds::SPARSE_DROPS))
        {
            true if kinds.intersects(PartKinds::LINKS) => PlanFlags::LINKS,
            true => PlanFlags::SPARSE,
            false => PlanFlags::NONE,
        }
    }

    #[inline(always)]
    fn key(self, subject: Subject) -> PlanKey {
        let table = if Self::IN_TABLES { subject.table() } else { TableId::EMPTY };
        PlanKey::of_type(TypeId::of::<B>(), Self::STEP, table, subject.has_no_row())
    }

    #[inline]
    fn change(self) -> LazyChange {
        LazyChange::OfBundle(|store| ChangeKey::of(Self::STEP(store.register_bundle::<B>())))
    }

    #[inline(always)]
    fn has_sparse_room(plan: &MovePlan, sparse: &[SparseStorage], index: u32) -> bool {
        B::Parts::has_room(&mut BundleTargets::of(plan), sparse, index)
    }

    #[inline(always)]
    unsafe fn remove_sole(storage: &mut SparseStorage, entity: Entity) {
        // SAFETY: forwarded; the component is the only one of the bundle.
        unsafe { B::Parts::remove_sole(storage, entity) }
    }
}
