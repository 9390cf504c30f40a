//! The pairs of one relation, with their values.
//!
//! Tests: tests/relationships/pairs/histories.rs, tests/relationships/pairs/panics.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::index::PairIndex;
use super::lists::PairLink;
use super::payload::Payload;
use super::traits::{OnTargetDespawn, Relation};
use crate::component::{ComponentDescriptor, ErasedRef, ErasedRefMut, KnownClones};
use crate::entity::{Entity, EntityMapper};
use crate::storage::tick::{ComponentTicks, RunTicks, Tick, TickCells, WriteStamp};
use crate::storage::tracking::TickKind;
use crate::util::alloc_error::{AllocError, try_reserve, try_shrink};

/// A pending event of a pair.
pub(crate) enum PairEvent<R> {
    /// The pair was made.
    Made([Entity; 2]),
    /// The pair was removed. The second field is its value.
    Ended([Entity; 2], R),
}

/// The maximum capacity that the list of events keeps between operations.
const KEPT: usize = 64;

/// The pairs of a relation.
pub struct PairStorage<R> {
    index: PairIndex,
    /// One item for each pair, by row.
    values: Vec<Payload<R>>,
    /// One item for each pair, by row.
    ticks: Vec<TickCells>,
    /// Pending events of the current operation. When the events are triggered, the values of removed pairs are dropped.
    events: Vec<PairEvent<R>>,
}

impl<R: Relation> PairStorage<R> {
    pub(super) fn new() -> Self {
        Self {
            index: PairIndex::new(R::EXCLUSIVE, R::SYMMETRIC),
            values: Vec::new(),
            ticks: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Adds a new pair.
    ///
    /// # Errors
    ///
    /// If there is no memory. The error contains the value.
    pub(crate) fn insert(
        &mut self,
        [source, target]: [Entity; 2],
        value: R,
        now: WriteStamp,
    ) -> Result<(), (AllocError, R)> {
        let room = try_reserve(&mut self.values, 1)
            .and_then(|()| try_reserve(&mut self.ticks, 1))
            .and_then(|()| self.index.make_room(source, target));
        if let Err(error) = room {
            return Err((error, value));
        }
        self.index.insert(source, target);
        self.values.push(Payload::new(value));
        let ticks = TickCells::default();
        ticks.set_added(now);
        self.ticks.push(ticks);
        Ok(())
    }

    /// Replaces the value of a pair. Returns the old value, which the caller drops.
    pub(crate) fn replace(&mut self, row: usize, value: R, now: WriteStamp) -> R {
        self.ticks[row].set_changed(now);
        core::mem::replace(self.values[row].of_owner(), value)
    }

    /// Borrows the value of a pair.
    ///
    /// # Safety
    ///
    /// - The condition of [`get`](Self::get).
    #[inline]
    pub(crate) unsafe fn value(&self, row: usize) -> &R {
        // SAFETY: forwarded: no code changes the values of the relation while the reference is used.
        unsafe { self.values[row].get() }
    }

    /// Borrows the value of a pair, and returns its ticks.
    ///
    /// # Safety
    ///
    /// - No code changes the values of the relation while the reference is used.
    #[inline]
    pub(crate) unsafe fn get(&self, row: usize) -> (&R, &TickCells) {
        // SAFETY: forwarded: no code changes the values of the relation while the reference is used.
        (unsafe { self.values[row].get() }, &self.ticks[row])
    }

    /// Borrows the value of a pair, and returns its ticks.
    ///
    /// # Safety
    ///
    /// - No other code reads or changes the value of this pair while the reference is used.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the caller promises that nothing else borrows the value")]
    pub(crate) unsafe fn get_mut(&self, row: usize) -> (&mut R, &TickCells) {
        // SAFETY: forwarded: no other code reads or changes the value of this pair while the reference is used.
        (unsafe { self.values[row].get_mut() }, &self.ticks[row])
    }

    /// Borrows the value of a pair mutably, through exclusive access, and returns its ticks.
    pub(crate) fn of_owner(&mut self, row: usize) -> (&mut R, &TickCells) {
        (self.values[row].of_owner(), &self.ticks[row])
    }

    /// Returns whether a pair exists.
    pub(crate) fn is_there(&self, [source, target]: [Entity; 2]) -> bool {
        self.index.find(source, target).is_some()
    }

    /// Records that a pair was made.
    pub(crate) fn note_made(&mut self, ends: [Entity; 2]) {
        self.events.push(PairEvent::Made(ends));
    }

    /// Takes the events that were recorded since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<PairEvent<R>> {
        core::mem::take(&mut self.events)
    }

    /// Takes back the list that [`take_events`](Self::take_events) returned, to reuse its memory, unless its capacity is large.
    pub(crate) fn give_back(&mut self, mut events: Vec<PairEvent<R>>) {
        events.clear();
        if self.events.capacity() == 0 && events.capacity() <= KEPT {
            self.events = events;
        }
    }
}

/// The type-erased pairs of a relation.
pub(crate) trait ErasedPairs: Any + Send + Sync {
    /// Returns the policy for a pair whose target is despawned.
    fn on_target_despawn(&self) -> OnTargetDespawn;

    /// Returns whether pairs have no direction.
    fn is_symmetric(&self) -> bool;

    fn index(&self) -> &PairIndex;

    /// Removes a pair, and returns whether it existed. The last pair moves into its row. The value is kept until the end of the operation.
    /// If there is no memory, aborts or panics without any change.
    fn remove(&mut self, source: Entity, target: Entity) -> bool;

    /// Returns whether a pair of an entity was added, or changed, since the last run; `which` selects one of the two. Only pairs of which
    /// the entity is the source (`end` is 0) or the target (`end` is 1) count.
    fn has_new(&self, end: usize, entity: Entity, which: TickKind, run_ticks: RunTicks) -> bool;

    /// Removes the list of a despawned target, but keeps its pairs.
    fn forget_target(&mut self, target: Entity);

    /// Returns whether there are pending events, or values to drop.
    fn has_pending(&self) -> bool;

    /// Moves pairs to another storage of the same type, with other ids. `rows` contains, for each pair, its old ends and its new ends.
    fn move_to(&mut self, to: &mut dyn ErasedPairs, rows: &[[Entity; 4]], now: WriteStamp);

    /// Clones the pairs of which an entity is the source; `None` if values cannot be cloned. `is_cloned` returns whether another entity is
    /// cloned, too. If the relation is symmetric and both entities of a pair are cloned, the pair is cloned only with its first entity.
    fn clone_from(&mut self, source: Entity, is_cloned: &dyn Fn(Entity) -> bool) -> Option<Box<dyn PairClones>>;

    /// Copies all pairs; `None` if there are values that cannot be cloned. `clones` contains the clone functions of relations whose
    /// definitions lack one.
    fn copy(&mut self, clones: &KnownClones) -> Option<Box<dyn PairsCopy>>;

    /// Copies the pairs whose source is one of these entities; `None` if there are values that cannot be cloned.
    fn copy_from(&mut self, sources: &[Entity], clones: &KnownClones) -> Option<Box<dyn PairsCopy>>;

    /// Returns the sources of pairs that are new or have new values. A source may occur several times. `O(pairs)`.
    fn changed_sources(&self, since: RunTicks) -> Vec<Entity>;

    /// Returns the descriptor of the relation.
    fn descriptor(&self) -> &'static ComponentDescriptor;

    /// Iterates over all pairs with their values, by row.
    ///
    /// # Safety
    ///
    /// - No code changes the values of the relation while they are used.
    unsafe fn values(&self) -> Box<dyn Iterator<Item = ([Entity; 2], ErasedRef<'_>)> + '_>;

    /// Replaces the entities inside the values.
    fn map_entities(&mut self, mapper: &mut dyn EntityMapper);

    /// Returns whether [`copy`](Self::copy) would succeed.
    fn can_be_copied(&self, clones: &KnownClones) -> bool;

    /// Returns an empty storage of the same relation.
    fn without_pairs(&self) -> Box<dyn ErasedPairs>;

    /// Clamps ticks that are too old.
    fn clamp_ticks(&self, now: Tick);

    /// Frees unused memory.
    fn shrink_to_fit(&mut self);

    fn allocated_bytes(&self) -> usize;
}

/// The type-erased clones of the pairs of one source: a `Vec<(Entity, R)>` of targets and values.
pub(crate) trait PairClones: Any {
    /// Replaces the targets, and the entities inside the values.
    fn map_entities(&mut self, mapper: &mut dyn EntityMapper);
}

impl<R: Relation> PairClones for Vec<(Entity, R)> {
    fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        let descriptor = descriptor_of::<R>();
        for (target, value) in self {
            *target = mapper.get_mapped(*target);
            ErasedRefMut::of(descriptor, value).map_entities(mapper);
        }
    }
}

/// Returns the descriptor of a relation.
pub(crate) fn descriptor_of<R: Relation>() -> &'static ComponentDescriptor {
    const { &ComponentDescriptor::of_resource_type(&R::DESCRIPTION) }
}

/// A type-erased copy of the pairs of a relation.
pub(crate) trait PairsCopy: Send + Sync {
    /// Creates a storage with clones of the pairs.
    fn pairs(&self) -> Box<dyn ErasedPairs>;

    /// Returns the descriptor of the relation.
    fn descriptor(&self) -> &'static ComponentDescriptor;

    fn index(&self) -> &PairIndex;

    /// Returns the ticks at which each pair was made and its value changed, by row.
    fn ticks(&self) -> &[TickCells];

    /// Returns the values, a `Vec<R>`, by row.
    fn values(&self) -> &dyn Any;

    /// Returns the pairs with clones of their values, to build another copy.
    fn to_parts(&self) -> Box<dyn PairsParts>;
}

/// A pair in a snapshot, without its value: see [`PairsContents`](crate::snapshot::PairsContents).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairContents {
    /// The source and the target.
    pub ends: [Entity; 2],
    /// The number of pairs before this pair in the list of its source, and in the list of its target. If the target has been despawned, the
    /// second number has no meaning.
    pub places: [u32; 2],
    /// The ticks at which the pair was made and its value changed.
    pub ticks: ComponentTicks,
}

/// The reason why pairs are invalid.
pub(crate) enum PairsFault {
    /// The number of values differs from the number of pairs.
    Length,
    /// A tick is invalid.
    Ticks,
    /// This pair, or its position in a list, is invalid.
    Pair([Entity; 2]),
    /// Values cannot be cloned.
    NotClone,
}

/// Information about the world for which pairs are built.
pub(crate) struct PairsSetting<'a> {
    pub(crate) is_alive: &'a dyn Fn(Entity) -> bool,
    /// Returns whether there was an entity with this id, which has been despawned.
    pub(crate) is_past: &'a dyn Fn(Entity) -> bool,
    pub(crate) is_known: &'a dyn Fn(Tick) -> bool,
    /// The clone functions of relations whose definitions lack one.
    pub(crate) clones: &'a KnownClones,
}

/// The pairs of one relation as data, by row. They are validated when a copy is built from them.
pub(crate) trait PairsParts: Any + Send + Sync {
    /// Returns the descriptor of the relation.
    fn relation(&self) -> &'static ComponentDescriptor;

    fn pairs(&self) -> &[PairContents];

    /// Keeps the pairs whose flag is true, by row.
    fn retain(&mut self, wanted: &[bool]);

    /// Returns the components that mark sources and targets.
    fn components(&self) -> [&'static ComponentDescriptor; 2];

    /// Builds a copy with these pairs.
    ///
    /// # Errors
    ///
    /// The inner error reports invalid pairs. The outer error reports missing memory.
    fn build(self: Box<Self>, setting: &PairsSetting<'_>)
    -> Result<Result<Box<dyn PairsCopy>, PairsFault>, AllocError>;
}

/// Returns the function that clones values of a relation: the function of its definition or, without one, the function in `clones`.
pub(super) fn clone_of<R: Relation>(clones: &KnownClones) -> Option<fn(&R) -> R> {
    R::CLONE.or_else(|| clones.typed::<R>())
}

/// The typed [`PairsParts`] of a relation.
pub(crate) struct PartsOf<R> {
    pub(crate) pairs: Vec<PairContents>,
    pub(crate) values: Vec<R>,
}

/// A typed copy of the pairs of a relation.
pub(super) struct CopyOf<R> {
    pub(super) index: PairIndex,
    pub(super) values: Vec<R>,
    pub(super) ticks: Vec<TickCells>,
    pub(super) clone: fn(&R) -> R,
}

impl<R: Relation> PairsCopy for CopyOf<R> {
    fn pairs(&self) -> Box<dyn ErasedPairs> {
        let values = self.values.iter().map(|value| Payload::new((self.clone)(value))).collect();
        Box::new(PairStorage { index: self.index.clone(), values, ticks: self.ticks.clone(), events: Vec::new() })
    }

    fn descriptor(&self) -> &'static ComponentDescriptor {
        descriptor_of::<R>()
    }

    fn index(&self) -> &PairIndex {
        &self.index
    }

    fn ticks(&self) -> &[TickCells] {
        &self.ticks
    }

    fn values(&self) -> &dyn Any {
        &self.values
    }

    fn to_parts(&self) -> Box<dyn PairsParts> {
        let pairs = (self as &dyn PairsCopy).contents();
        Box::new(PartsOf { pairs, values: self.values.iter().map(self.clone).collect() })
    }
}

impl<R: Relation> ErasedPairs for PairStorage<R> {
    fn on_target_despawn(&self) -> OnTargetDespawn {
        R::ON_TARGET_DESPAWN
    }

    fn is_symmetric(&self) -> bool {
        R::SYMMETRIC
    }

    #[inline]
    fn index(&self) -> &PairIndex {
        &self.index
    }

    fn remove(&mut self, source: Entity, target: Entity) -> bool {
        try_reserve(&mut self.events, 1).unwrap_or_else(|error| error.raise());
        let Some((ends, row)) = self.index.remove(source, target) else { return false };
        self.ticks.swap_remove(row);
        let value = self.values.swap_remove(row).into_inner();
        self.events.push(PairEvent::Ended(ends, value));
        true
    }

    fn has_new(&self, end: usize, entity: Entity, which: TickKind, run_ticks: RunTicks) -> bool {
        let links = self.index.list(end, entity).iter().filter(|link| link.is_pair());
        let mut ticks = links.map(|link| &self.ticks[link.row as usize]);
        ticks.any(|ticks| {
            run_ticks.is_new(match which {
                TickKind::Added => ticks.added.get(),
                TickKind::Changed => ticks.changed.get(),
            })
        })
    }

    fn forget_target(&mut self, target: Entity) {
        self.index.forget_target(target);
    }

    #[inline]
    fn has_pending(&self) -> bool {
        !self.events.is_empty()
    }

    fn move_to(&mut self, to: &mut dyn ErasedPairs, rows: &[[Entity; 4]], now: WriteStamp) {
        let Some(to) = (to as &mut dyn Any).downcast_mut::<Self>() else { return };
        for &[source, target, new_source, new_target] in rows {
            let Some((ends, row)) = self.index.remove(source, target) else { continue };
            let is_turned = ends[0] != source;
            let new = if is_turned { [new_target, new_source] } else { [new_source, new_target] };
            self.ticks.swap_remove(row);
            let value = self.values.swap_remove(row).into_inner();
            if let Err((error, _value)) = to.insert(new, value, now) {
                error.raise();
            }
        }
    }

    fn clone_from(&mut self, source: Entity, is_cloned: &dyn Fn(Entity) -> bool) -> Option<Box<dyn PairClones>> {
        let (clone, Self { index, values, .. }) = (R::CLONE?, self);
        let is_taken = |link: &&PairLink| match (R::SYMMETRIC, is_cloned(link.other)) {
            (false, _) => true,
            (true, true) => index.ends()[link.row as usize][0] == source,
            // With an exclusive relation the other entity keeps its pair, and cannot be in a second one.
            (true, false) => !R::EXCLUSIVE,
        };
        let links = index.list(0, source).iter().filter(|link| link.is_pair()).filter(is_taken);
        let clones: Vec<(Entity, R)> =
            links.map(|link| (link.other, clone(values[link.row as usize].of_owner()))).collect();
        Some(Box::new(clones))
    }

    fn copy(&mut self, clones: &KnownClones) -> Option<Box<dyn PairsCopy>> {
        let Self { index, values, ticks, .. } = self;
        let clone = clone_of::<R>(clones);
        let values = match clone {
            Some(clone) => values.iter_mut().map(|value| clone(value.of_owner())).collect(),
            None if values.is_empty() => Vec::new(),
            None => return None,
        };
        // Without a clone function there are no values, so the fallback is never called.
        let clone = clone.unwrap_or(|_| unreachable!("a relation without `Clone` has been copied"));
        Some(Box::new(CopyOf { index: index.clone(), values, ticks: ticks.clone(), clone }))
    }

    fn copy_from(&mut self, sources: &[Entity], clones: &KnownClones) -> Option<Box<dyn PairsCopy>> {
        let clone = clone_of::<R>(clones)?;
        let mut copy =
            CopyOf { index: PairIndex::new(R::EXCLUSIVE, R::SYMMETRIC), values: Vec::new(), ticks: Vec::new(), clone };
        for &source in sources {
            for link in self.index.list(0, source).iter().filter(|link| link.is_pair()) {
                let row = link.row as usize;
                let [source, target] = self.index.ends()[row];
                // A symmetric pair is in the lists of both of its entities, but must be copied once.
                if R::SYMMETRIC && copy.index.find(source, target).is_some() {
                    continue;
                }
                copy.index.make_room(source, target).unwrap_or_else(|error| error.raise());
                copy.index.insert(source, target);
                copy.values.push(clone(self.values[row].of_owner()));
                copy.ticks.push(self.ticks[row].clone());
            }
        }
        Some(Box::new(copy))
    }

    fn changed_sources(&self, since: RunTicks) -> Vec<Entity> {
        let is_new = |ticks: &TickCells| since.is_new(ticks.changed.get()) || since.is_new(ticks.added.get());
        let new = self.index.ends().iter().zip(&self.ticks).filter(|(_, ticks)| is_new(ticks));
        new.map(|(ends, _)| ends[0]).collect()
    }

    fn descriptor(&self) -> &'static ComponentDescriptor {
        descriptor_of::<R>()
    }

    unsafe fn values(&self) -> Box<dyn Iterator<Item = ([Entity; 2], ErasedRef<'_>)> + '_> {
        let descriptor = ErasedPairs::descriptor(self);
        Box::new(self.index.ends().iter().zip(&self.values).map(move |(ends, value)| {
            // SAFETY: forwarded: no code changes the values of the relation while they are used.
            (*ends, ErasedRef::of(descriptor, unsafe { value.get() }))
        }))
    }

    fn map_entities(&mut self, mapper: &mut dyn EntityMapper) {
        let descriptor = descriptor_of::<R>();
        if descriptor.functions().map_entities_fn().is_none() {
            return;
        }
        for value in &mut self.values {
            ErasedRefMut::of(descriptor, value.of_owner()).map_entities(mapper);
        }
    }

    fn can_be_copied(&self, clones: &KnownClones) -> bool {
        clone_of::<R>(clones).is_some() || self.values.is_empty()
    }

    fn without_pairs(&self) -> Box<dyn ErasedPairs> {
        Box::new(Self::new())
    }

    fn clamp_ticks(&self, now: Tick) {
        self.ticks.iter().for_each(|ticks| ticks.clamp(now));
    }

    fn shrink_to_fit(&mut self) {
        self.index.shrink_to_fit();
        try_shrink(&mut self.values);
        try_shrink(&mut self.ticks);
        self.events.shrink_to_fit();
    }

    fn allocated_bytes(&self) -> usize {
        self.index.allocated_bytes()
            + self.values.capacity() * size_of::<Payload<R>>()
            + self.ticks.capacity() * size_of::<TickCells>()
            + self.events.capacity() * size_of::<PairEvent<R>>()
    }
}
