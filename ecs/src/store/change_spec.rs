//! What a structural change of one entity does: its entity, its step, and the key of its plan.

use core::any::TypeId;
use core::marker::PhantomData;

use super::Store;
use crate::bundle::{Bundle, BundleParts, PartKinds, Targets};
use crate::entity::{Entity, Location, TableId};
use crate::graph::{Change, ChangeStep, MovePlan, PlanFlags, PlanKey};
use crate::sparse::SparseStorage;

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
    /// The table from which the entity comes.
    #[inline(always)]
    pub(super) fn table(self) -> TableId {
        match self {
            Self::New | Self::Pending(_) => TableId::EMPTY,
            Self::Alive(_, location) => location.table,
        }
    }

    /// The index of the entity, unless it is new.
    #[inline(always)]
    pub(super) fn index(self) -> Option<u32> {
        match self {
            Self::New => None,
            Self::Pending(entity) | Self::Alive(entity, _) => Some(entity.index()),
        }
    }

    /// Whether the entity has no row yet.
    #[inline(always)]
    pub(super) fn has_no_row(self) -> bool {
        !matches!(self, Self::Alive(..))
    }
}

/// A change of one entity.
pub(super) trait ChangeSpec: Copy {
    /// Whether it adds anything.
    const ADDS: bool;

    /// Whether the step itself names table-stored components. If not, its plan is cached for entities of all tables, nothing is read, and
    /// requirements, which may be table-stored, are left to a change in phases.
    const IN_TABLES: bool = true;

    /// The flag that such a plan may have besides: `REPLACES` for an insertion, `DROPS` for a removal. The values are dropped at the end.
    const TOLERATED: PlanFlags = PlanFlags::NONE;

    /// Whether it adds components that require others. For a new entity these are constructed without a *prepare* phase, if all go to
    /// columns.
    const REQUIRES: bool = false;

    /// The special flags that a plan must have, exactly, for the change to need neither a *prepare* nor a *finish* phase. See `DROPS` and
    /// `REQUIRES` for flags that it may have in addition.
    fn flags(_: Subject) -> PlanFlags {
        PlanFlags::NONE
    }

    /// The key of a plan with the flags of the step. If the step does not concern tables, that is its plan for entities of any table.
    fn key(self, subject: Subject) -> PlanKey;

    /// The number of the change.
    fn change(self) -> LazyChange;

    /// Whether there is room in sparse storages for what the step adds to an entity.
    fn has_sparse_room(_: &MovePlan, _: &[SparseStorage], _: u32) -> bool {
        false
    }

    /// Removes the value of an entity from a sparse storage, if there is one.
    ///
    /// # Safety
    ///
    /// - The storage is that of the only component that the step removes. Dropping a value does nothing.
    unsafe fn remove_sole(storage: &mut SparseStorage, entity: Entity) {
        storage.remove(entity);
    }
}

/// The number of a change. A bundle gets its number when it is used for the first time.
#[derive(Clone, Copy)]
pub(super) enum LazyChange {
    Known(Change),
    OfBundle(fn(&mut Store) -> Change),
}

impl LazyChange {
    /// The number, which a new bundle gets now.
    #[inline]
    pub(super) fn resolve(self, store: &mut Store) -> Change {
        match self {
            Self::Known(change) => change,
            Self::OfBundle(find) => find(store),
        }
    }
}

/// A change that is known by its number.
#[derive(Clone, Copy)]
pub(super) struct NumberedChange<const ADDS: bool>(pub(super) Change);

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

/// The insertion or removal of a bundle that is known by its type.
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
        LazyChange::OfBundle(|store| Change::of(Self::STEP(store.register_bundle::<B>())))
    }

    #[inline(always)]
    fn has_sparse_room(plan: &MovePlan, sparse: &[SparseStorage], index: u32) -> bool {
        B::Parts::has_room(&mut Targets::of(plan), sparse, index)
    }

    #[inline(always)]
    unsafe fn remove_sole(storage: &mut SparseStorage, entity: Entity) {
        // SAFETY: forwarded; the component is the only one of the bundle.
        unsafe { B::Parts::remove_sole(storage, entity) }
    }
}
