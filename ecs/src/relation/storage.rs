//! The pairs of one relation, with their values.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::index::PairIndex;
use super::lists::Link;
use super::payload::Payload;
use super::traits::{OnTargetDespawn, Relation};
use crate::alloc_error::{AllocError, try_reserve, try_shrink};
use crate::component::{ComponentDescriptor, ErasedRef, ErasedRefMut, KnownClones};
use crate::entity::{Entity, EntityMapper};
use crate::tick::{ComponentTicks, RunTicks, Tick, TickCells, WriteStamp};
use crate::tracking::Which;

/// What has become of a pair, of which something may be told.
pub(crate) enum PairEvent<R> {
    /// It has come.
    Made([Entity; 2]),
    /// It has gone, and this was its value.
    Ended([Entity; 2], R),
}

/// For how much of what is to be told memory is kept.
const KEPT: usize = 64;

/// The pairs of a relation.
pub struct PairStorage<R> {
    index: PairIndex,
    /// By row.
    values: Vec<Payload<R>>,
    /// By row.
    ticks: Vec<TickCells>,
    /// What the operation that is going on has done, and is not told yet. Values are dropped then.
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

    /// Adds a pair that is not there.
    ///
    /// # Errors
    ///
    /// If there is no memory. The value comes back.
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

    /// Gives a pair another value. The old one is dropped by the caller.
    pub(crate) fn replace(&mut self, row: usize, value: R, now: WriteStamp) -> R {
        self.ticks[row].set_changed(now);
        core::mem::replace(self.values[row].of_owner(), value)
    }

    /// The value of a pair.
    ///
    /// # Safety
    ///
    /// - As for [`get`](Self::get).
    #[inline]
    pub(crate) unsafe fn value(&self, row: usize) -> &R {
        // SAFETY: the caller's promise.
        unsafe { self.values[row].get() }
    }

    /// The value of a pair, and its ticks.
    ///
    /// # Safety
    ///
    /// - No code changes the values of the relation as long as the reference is used.
    #[inline]
    pub(crate) unsafe fn get(&self, row: usize) -> (&R, &TickCells) {
        // SAFETY: the caller's promise.
        (unsafe { self.values[row].get() }, &self.ticks[row])
    }

    /// The value of a pair, and its ticks.
    ///
    /// # Safety
    ///
    /// - No other code reads or changes the value of this pair as long as the reference is used.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the caller promises that nothing else borrows the value")]
    pub(crate) unsafe fn get_mut(&self, row: usize) -> (&mut R, &TickCells) {
        // SAFETY: the caller's promise.
        (unsafe { self.values[row].get_mut() }, &self.ticks[row])
    }

    /// The value of a pair, and its ticks.
    pub(crate) fn of_owner(&mut self, row: usize) -> (&mut R, &TickCells) {
        (self.values[row].of_owner(), &self.ticks[row])
    }

    /// Whether a pair is there.
    pub(crate) fn is_there(&self, [source, target]: [Entity; 2]) -> bool {
        self.index.find(source, target).is_some()
    }

    /// Notes that a pair has come.
    pub(crate) fn note_made(&mut self, ends: [Entity; 2]) {
        self.events.push(PairEvent::Made(ends));
    }

    /// What has happened since this was last called.
    pub(crate) fn take_events(&mut self) -> Vec<PairEvent<R>> {
        core::mem::take(&mut self.events)
    }

    /// Takes the memory back of what [`take_events`](Self::take_events) has returned, unless it is much.
    pub(crate) fn give_back(&mut self, mut events: Vec<PairEvent<R>>) {
        events.clear();
        if self.events.capacity() == 0 && events.capacity() <= KEPT {
            self.events = events;
        }
    }
}

/// The pairs of a relation whose type is not known.
pub(crate) trait ErasedPairs: Any + Send + Sync {
    /// What becomes of pairs whose target is despawned.
    fn on_target_despawn(&self) -> OnTargetDespawn;

    /// Whether pairs have no direction.
    fn is_symmetric(&self) -> bool;

    fn index(&self) -> &PairIndex;

    /// Removes a pair, and says whether it was there; the last one gets its row. Its value waits until the operation has ended. Without
    /// memory it raises that, and nothing has happened.
    fn remove(&mut self, source: Entity, target: Entity) -> bool;

    /// Whether one of the pairs of an entity, as a source (0) or as a target (1), is new.
    fn has_new(&self, end: usize, entity: Entity, which: Which, run_ticks: RunTicks) -> bool;

    /// Has the pairs of a target stay that is no more.
    fn forget_target(&mut self, target: Entity);

    /// Whether something is to be told, and dropped.
    fn has_pending(&self) -> bool;

    /// Takes the pairs of some entities to another storage of the same type, under other ids, and returns the ids there. Their values move.
    fn move_to(&mut self, to: &mut dyn ErasedPairs, rows: &[[Entity; 4]], now: WriteStamp);

    /// Clones the pairs of which an entity is the source. A function says which entities are cloned beside it: of a pair without direction
    /// only the first of two such has a clone. None if values cannot be cloned.
    fn clone_from(&mut self, source: Entity, is_cloned: &dyn Fn(Entity) -> bool) -> Option<Box<dyn PairClones>>;

    /// A copy of all pairs; none if there are some whose values cannot be cloned.
    /// `clones` has the functions of relations whose definitions name none.
    fn copy(&mut self, clones: &KnownClones) -> Option<Box<dyn PairsCopy>>;

    /// A copy of the pairs of which one of these entities is the source; none if there are some whose values cannot be cloned.
    fn copy_from(&mut self, sources: &[Entity], clones: &KnownClones) -> Option<Box<dyn PairsCopy>>;

    /// The sources of pairs that are new or have new values, each once or more often. `O(pairs)`.
    fn changed_sources(&self, since: RunTicks) -> Vec<Entity>;

    /// What is known of the values.
    fn descriptor(&self) -> &'static ComponentDescriptor;

    /// All pairs with their values, by row.
    ///
    /// # Safety
    ///
    /// - No code changes the values of the relation as long as they are used.
    unsafe fn values(&self) -> Box<dyn Iterator<Item = ([Entity; 2], ErasedRef<'_>)> + '_>;

    /// Replaces the entities inside of values by those that stand for them.
    fn map_entities(&mut self, mapper: &mut dyn EntityMapper);

    /// Whether [`copy`](Self::copy) makes one.
    fn can_be_copied(&self, clones: &KnownClones) -> bool;

    /// No pairs, of the same relation.
    fn without_pairs(&self) -> Box<dyn ErasedPairs>;

    /// Keeps ticks from growing too old.
    fn clamp_ticks(&self, now: Tick);

    /// Gives back memory that is not needed.
    fn shrink_to_fit(&mut self);

    fn allocated_bytes(&self) -> usize;
}

/// Clones of the pairs of one source, of a relation whose type is not known: a `Vec<(Entity, R)>` of targets and values.
pub(crate) trait PairClones: Any {
    /// Replaces the targets, and the entities inside of values, by those that stand for them.
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

/// What is known of the values of a relation.
pub(crate) fn descriptor_of<R: Relation>() -> &'static ComponentDescriptor {
    const { &ComponentDescriptor::of_resource_type(&R::DESCRIPTION) }
}

/// A copy of the pairs of a relation whose type is not known.
pub(crate) trait PairsCopy: Send + Sync {
    /// The pairs once more.
    fn pairs(&self) -> Box<dyn ErasedPairs>;

    /// What is known of the values.
    fn descriptor(&self) -> &'static ComponentDescriptor;

    fn index(&self) -> &PairIndex;

    /// By row: when a pair was made, and when its value changed.
    fn ticks(&self) -> &[TickCells];

    /// The values: a `Vec<R>`, by row.
    fn values(&self) -> &dyn Any;

    /// The pairs with clones of their values, for another copy.
    fn to_parts(&self) -> Box<dyn PairsParts>;
}

/// A pair in a snapshot, but for its value: see [`PairsContents`](crate::snapshot::PairsContents).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairContents {
    /// The source and the target.
    pub ends: [Entity; 2],
    /// How many pairs come before this one in the order of its source's, and in that of its target's. The second number means nothing if
    /// the target is no more.
    pub places: [u32; 2],
    /// When the pair was made, and when its value changed.
    pub ticks: ComponentTicks,
}

/// What is wrong with pairs.
pub(crate) enum PairsFault {
    /// There are not as many values as pairs.
    Length,
    /// A tick cannot be.
    Ticks,
    /// There cannot be this pair, or not at this place.
    Pair([Entity; 2]),
    /// Values cannot be cloned.
    NotClone,
}

/// What pairs are built for.
pub(crate) struct PairsSetting<'a> {
    pub(crate) is_alive: &'a dyn Fn(Entity) -> bool,
    /// Whether there was an entity with this id, and is not any more.
    pub(crate) is_past: &'a dyn Fn(Entity) -> bool,
    pub(crate) is_known: &'a dyn Fn(Tick) -> bool,
    /// How values are cloned of relations whose definitions do not say so.
    pub(crate) clones: &'a KnownClones,
}

/// The pairs of one relation, by row, to be checked and put together.
pub(crate) trait PairsParts: Any + Send + Sync {
    /// What is known of the values.
    fn relation(&self) -> &'static ComponentDescriptor;

    fn pairs(&self) -> &[PairContents];

    /// Keeps those pairs that are wanted, by row.
    fn retain(&mut self, wanted: &[bool]);

    /// The components of sources and of targets.
    fn components(&self) -> [&'static ComponentDescriptor; 2];

    /// A copy with these pairs.
    ///
    /// # Errors
    ///
    /// If there cannot be such pairs; or, outside, if there is no memory.
    fn build(self: Box<Self>, setting: &PairsSetting<'_>)
    -> Result<Result<Box<dyn PairsCopy>, PairsFault>, AllocError>;
}

/// The function that clones values of a relation: that of its definition, or else the one that is known.
pub(super) fn clone_of<R: Relation>(clones: &KnownClones) -> Option<fn(&R) -> R> {
    R::CLONE.or_else(|| clones.typed::<R>())
}

/// The parts of a relation.
pub(crate) struct PartsOf<R> {
    pub(crate) pairs: Vec<PairContents>,
    pub(crate) values: Vec<R>,
}

/// A copy of the pairs of a relation.
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

    fn has_new(&self, end: usize, entity: Entity, which: Which, run_ticks: RunTicks) -> bool {
        let links = self.index.list(end, entity).iter().filter(|link| link.is_pair());
        let mut ticks = links.map(|link| &self.ticks[link.row as usize]);
        ticks.any(|ticks| {
            run_ticks.is_new(match which {
                Which::Added => ticks.added.get(),
                Which::Changed => ticks.changed.get(),
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
        let is_taken = |link: &&Link| match (R::SYMMETRIC, is_cloned(link.other)) {
            (false, _) => true,
            (true, true) => index.ends()[link.row as usize][0] == source,
            // One that has a pair already, and no other beside it, keeps that.
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
        // Without a function there is nothing to clone.
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
                // One without direction is on the lists of both of its ends.
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
            // SAFETY: no code changes the value as long as it is used (the caller's promise).
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
