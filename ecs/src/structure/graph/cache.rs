//! The plan cache: a memo in front of the edge map.
//!
//! The same changes often occur many times in a row. A typed operation finds the plan of its bundle by the type, before the number of the
//! bundle is known; the index of its entry in the cache is a compile-time constant. Other operations find a plan by the number of the
//! change.
//!
//! A key contains the plan flags that the caller can handle. So one comparison finds the plan and shows that no other work is required: a
//! plan with other flags is not found, and the caller prepares for it first. The graph clears the cache whenever plans are removed or their
//! flags change.

use alloc::sync::Arc;
use core::any::TypeId;

use super::change::{ChangeKey, PlanId};
use super::plan::{ChangeStep, MovePlan, PlanFlags};
use crate::component::type_bits;
use crate::entity::TableId;

/// The number of entries. A power of two.
const ENTRIES: usize = 32;

/// The key of a plan: a table, a change of its entities, and the flags of the plan.
#[derive(Clone, Copy)]
pub(crate) struct PlanKey {
    /// The type of the bundle, if the type identifies the change; otherwise [`NumberedBundle`].
    bundle: TypeId,
    /// The high half is the table, and the low half is the change. A typed key has the special flags of the plan in place of the bundle's
    /// number.
    word: u64,
    /// The special flags of the plan, if a number identifies the change.
    flags: PlanFlags,
    /// Flags of the plan that the comparison ignores.
    tolerated: PlanFlags,
    is_typed: bool,
    /// The index of the entry that may hold the plan.
    entry_index: u32,
}

/// The bundle in the key of a change that is identified by its number.
struct NumberedBundle;

impl PlanKey {
    /// Returns the key of a change of one step with a bundle of this type. Only the kind of the step that `step` makes counts. New entities
    /// have separate entries in the cache, as programs alternate between spawning and changing entities.
    #[inline]
    pub(crate) fn of_type(bundle: TypeId, step: fn(u32) -> ChangeStep, from: TableId, is_new: bool) -> Self {
        let change = ChangeKey::of(step(0));
        let turn = u64::from(is_new) + 2 * change.kind();
        let entry_index = (type_bits(bundle).wrapping_add(turn.wrapping_mul(5)) % ENTRIES as u64) as u32;
        let (flags, tolerated) = (PlanFlags::NONE, PlanFlags::NONE);
        Self { bundle, word: word(from, change), flags, tolerated, is_typed: true, entry_index }
    }

    /// Returns the key of a change with this number.
    #[inline]
    pub(crate) fn of_change(change: ChangeKey, from: TableId) -> Self {
        let word = word(from, change);
        let entry_index = (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - ENTRIES.ilog2())) as u32;
        let (flags, tolerated) = (PlanFlags::NONE, PlanFlags::NONE);
        Self { bundle: TypeId::of::<NumberedBundle>(), word, flags, tolerated, is_typed: false, entry_index }
    }

    /// Returns the key for a plan that has these special flags ([`PlanFlags::special`]).
    #[inline]
    #[must_use]
    pub(crate) fn with_flags(self, flags: PlanFlags) -> Self {
        match self.is_typed {
            true => Self { word: self.word & !ChangeKey::NUMBER | u64::from(flags.bits()), ..self },
            false => Self { flags, ..self },
        }
    }

    /// Returns a key that also matches plans that have any of these flags in addition.
    #[inline]
    #[must_use]
    pub(crate) fn tolerating(self, tolerated: PlanFlags) -> Self {
        Self { tolerated, ..self }
    }
}

#[inline]
fn word(from: TableId, change: ChangeKey) -> u64 {
    (from.index() as u64) << 32 | u64::from(change.bits())
}

struct CacheEntry {
    bundle: TypeId,
    word: u64,
    flags: PlanFlags,
    id: PlanId,
    plan: Arc<MovePlan>,
}

impl CacheEntry {
    /// The word of an empty entry. No table has such a number.
    const NO_WORD: u64 = u64::MAX;

    /// Returns an entry that no key matches.
    fn empty(plan: &Arc<MovePlan>) -> Self {
        let (bundle, word, id) = (TypeId::of::<NumberedBundle>(), Self::NO_WORD, PlanId { at: 0, epoch: 0 });
        Self { bundle, word, flags: PlanFlags::NONE, id, plan: Arc::clone(plan) }
    }

    #[inline]
    fn is_of(&self, key: PlanKey) -> bool {
        let tolerated = if key.is_typed { u64::from(key.tolerated.bits()) } else { 0 };
        self.bundle == key.bundle
            && self.word | tolerated == key.word | tolerated
            && (key.is_typed || self.flags.difference(key.tolerated) == key.flags)
    }
}

/// The most recently used plans.
pub(crate) struct PlanCache {
    entries: [CacheEntry; ENTRIES],
    /// The plan of empty entries.
    nothing: Arc<MovePlan>,
}

impl Default for PlanCache {
    fn default() -> Self {
        let nothing = Arc::new(MovePlan::to_table(TableId::UNUSED));
        Self { entries: core::array::from_fn(|_| CacheEntry::empty(&nothing)), nothing }
    }
}

impl PlanCache {
    /// Returns the plan with a key, if the cache has it and it has the flags of the key.
    #[inline]
    pub(crate) fn get(&self, key: PlanKey) -> Option<&MovePlan> {
        let entry = &self.entries[key.entry_index as usize % ENTRIES];
        entry.is_of(key).then_some(&entry.plan)
    }

    /// Returns the plan with a key and the special flags of the plan. The flags of the key are ignored.
    #[inline]
    pub(crate) fn find(&self, key: PlanKey) -> Option<(PlanId, PlanFlags)> {
        let entry = &self.entries[key.entry_index as usize % ENTRIES];
        let flags = entry.plan.flags.special();
        entry.is_of(key.with_flags(flags)).then_some((entry.id, flags))
    }

    pub(super) fn insert(&mut self, key: PlanKey, id: PlanId, plan: &Arc<MovePlan>) {
        let PlanKey { bundle, word, flags, entry_index, .. } = key.with_flags(plan.flags.special());
        self.entries[entry_index as usize % ENTRIES] = CacheEntry { bundle, word, flags, id, plan: Arc::clone(plan) };
    }

    /// Removes all plans.
    pub(super) fn clear(&mut self) {
        self.entries.iter_mut().for_each(|entry| *entry = CacheEntry::empty(&self.nothing));
    }

    /// Returns the entries of changes that are identified by their numbers: the number of the table, the change and the index of the plan.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, ChangeKey, u32)> {
        let entries = self.entries.iter().filter(|entry| entry.bundle == TypeId::of::<NumberedBundle>());
        let entries = entries.filter(|entry| entry.word != CacheEntry::NO_WORD);
        entries.map(|entry| ((entry.word >> 32) as usize, ChangeKey::from_bits(entry.word as u32), entry.id.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Position;
    struct Velocity;

    fn plan_id(at: u32) -> PlanId {
        PlanId { at, epoch: 2 }
    }

    fn plan_to(table: u32) -> Arc<MovePlan> {
        Arc::new(MovePlan::to_table(TableId(table)))
    }

    #[test]
    fn a_plan_is_found_by_its_type_its_step_and_its_table_only() {
        let mut cache = PlanCache::default();
        let key = PlanKey::of_type(TypeId::of::<Position>(), ChangeStep::Insert, TableId(3), false);
        cache.insert(key, plan_id(7), &plan_to(4));
        assert_eq!(cache.get(key).map(|plan| plan.table), Some(TableId(4)));
        assert_eq!(cache.find(key), Some((plan_id(7), PlanFlags::NONE)));
        let others = [
            PlanKey::of_type(TypeId::of::<Velocity>(), ChangeStep::Insert, TableId(3), false),
            PlanKey::of_type(TypeId::of::<Position>(), ChangeStep::Remove, TableId(3), false),
            PlanKey::of_type(TypeId::of::<Position>(), ChangeStep::Insert, TableId(5), false),
            PlanKey::of_change(ChangeKey::of(ChangeStep::Insert(0)), TableId(3)),
        ];
        assert!(others.into_iter().all(|other| cache.get(other).is_none() && cache.find(other).is_none()));
    }

    #[test]
    fn a_plan_with_flags_is_found_by_a_user_that_is_ready_for_them() {
        let mut cache = PlanCache::default();
        let mut plan = MovePlan::to_table(TableId(4));
        plan.flags = PlanFlags::REQUIRES.union(PlanFlags::MOVES);
        let key = PlanKey::of_change(ChangeKey::of(ChangeStep::Insert(2)), TableId(3));
        cache.insert(key, plan_id(7), &Arc::new(plan));
        assert!(cache.get(key).is_none());
        assert_eq!(cache.find(key), Some((plan_id(7), PlanFlags::REQUIRES)));
        assert!(cache.get(key.with_flags(PlanFlags::REQUIRES)).is_some());
        assert!(cache.get(key.with_flags(PlanFlags::SPARSE)).is_none());
    }

    #[test]
    fn a_later_plan_takes_the_place_of_an_earlier_one() {
        let mut cache = PlanCache::default();
        let key = |table| PlanKey::of_type(TypeId::of::<Position>(), ChangeStep::Insert, TableId(table), false);
        cache.insert(key(3), plan_id(7), &plan_to(4));
        cache.insert(key(5), plan_id(8), &plan_to(6));
        assert!(cache.get(key(3)).is_none());
        assert_eq!(cache.find(key(5)), Some((plan_id(8), PlanFlags::NONE)));
        assert_eq!(cache.numbered().count(), 0);
        cache.clear();
        assert!(cache.find(key(5)).is_none());
    }
}
