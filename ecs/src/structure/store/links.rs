//! The links of a store: which target lists each source, and the pending updates of links.
//!
//! An operation changes a component that names a target, or one that lists sources, like any other component. It notes here which links are
//! about to end, before it runs, and which have begun, after it has run. Then functions of a higher layer make both sides agree, before
//! observers and hooks are notified.
//!
//! Tests: tests/relationships/histories.rs, tests/relationships/panics.rs

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::component::{ComponentDescriptor, ComponentId, Components};
use crate::entity::{Entity, Pages};
use crate::util::alloc_error::try_reserve;

/// A source whose target may stay alive without it.
#[derive(Clone, Copy)]
pub(crate) struct OrphanSource {
    /// The component of the source.
    pub(crate) relation: ComponentId,
    pub(crate) source: Entity,
    pub(crate) target: Entity,
    /// Whether the target has ended.
    pub(crate) has_ended: bool,
}

/// A source that leaves the list of a target.
#[derive(Clone, Copy)]
pub(crate) struct LeavingSource {
    pub(crate) source: Entity,
    pub(crate) target: Entity,
    /// The place at which the source was added to the list.
    pub(crate) place: u32,
}

/// The maximum number of kept notes of changed targets: 48 KiB.
const MOST_NOTES: usize = 4096;

/// An entity that may have lost its pairs.
#[derive(Clone, Copy)]
pub(crate) struct UnpairedEntity {
    /// The component of the sources, or of the targets, of the relation.
    pub(crate) component: ComponentId,
    pub(crate) entity: Entity,
    /// Whether the entity has been despawned. False if it is not alive because it has moved to another world.
    pub(crate) has_ended: bool,
}

/// The links of a store.
#[derive(Default)]
pub(crate) struct StoreLinks {
    /// For each component of sources: the target that lists each source.
    listed: Vec<(ComponentId, TargetsBySource)>,
    /// The number of notes of changed targets.
    changes: u64,
    /// The last of these notes, if a consumer needs them: the component of the source, and the source.
    journal: Option<VecDeque<(ComponentId, Entity)>>,
    /// Targets that have got another list, and the component of the list.
    pub(crate) adopting: Vec<(ComponentId, Entity)>,
    /// Sources that may have lost their target, or may name another one.
    pub(crate) parting: Vec<(ComponentId, Entity)>,
    /// Sources that have begun to name a target, in order.
    pub(crate) coming: Vec<(ComponentId, Entity)>,
    /// Sources with a component that cannot make a link. The component is removed after observers and hooks have been notified of its
    /// addition; if one of them panics, before the next operation notifies any.
    pub(crate) refused: VecDeque<(ComponentId, Entity)>,
    /// Reusable memory for sources that leave the lists of targets.
    pub(crate) leaving: Vec<LeavingSource>,
    /// Reusable memory for sources that are linked or unlinked together.
    pub(crate) batch: Vec<Entity>,
    /// Sources whose target has lost its list, or has got another one.
    pub(crate) orphans: Vec<OrphanSource>,
    /// Entities that may have lost their last pair, or may have the marker component without being in a pair.
    pub(crate) unpaired: Vec<UnpairedEntity>,
    /// The last target that got a source, and the row of its list at that time: a hint for the next lookup.
    pub(super) last_list: Option<(Entity, u32)>,
    /// Reusable memory for entities that are despawned together.
    pub(crate) ending: Vec<Entity>,
    /// Whether entities are moving to another world, so that they are not despawned.
    pub(super) is_moving: bool,
    /// Whether this module is writing the list of a target, so that the list is known to be correct.
    pub(crate) is_listing: bool,
    /// Whether the two sides of links may disagree, because an operation on them was aborted by a panic or there was no memory for a note.
    /// All of them are compared at the end of the next operation.
    pub(crate) may_disagree: bool,
}

impl StoreLinks {
    /// Returns the target that lists a source.
    #[inline]
    pub(crate) fn target(&self, relation: ComponentId, source: Entity) -> Option<Entity> {
        Some(self.place(relation, source)?.0)
    }

    /// Returns the target that lists a source, and the place at which the source was added. Other sources may have been removed since.
    #[inline]
    pub(crate) fn place(&self, relation: ComponentId, source: Entity) -> Option<(Entity, u32)> {
        self.of(relation)?.places.get(source.index())?.of(source)
    }

    /// Records which target lists a source, and at which place.
    #[inline]
    pub(crate) fn set_place(&mut self, relation: ComponentId, source: Entity, target: Entity, place: u32) {
        self.note_of(relation, source).set(target, place);
    }

    /// Returns the mutable record of a source.
    #[inline]
    pub(crate) fn note_of(&mut self, relation: ComponentId, source: Entity) -> SourceRecord<'_> {
        let at = self.listed.iter().position(|(id, _)| *id == relation);
        let at = at.unwrap_or_else(|| self.add_relation(relation));
        let Self { listed, changes, journal, .. } = self;
        let TargetsBySource { places, count, changed } = &mut listed[at].1;
        let spot = places.get_or_add(source.index(), TargetOfSource::NONE);
        SourceRecord { relation, source, spot, count, changed, changes, journal }
    }

    /// Returns whether a target lists all of these sources.
    pub(crate) fn are_listed_on(&self, relation: ComponentId, sources: &[Entity], target: Entity) -> bool {
        let Some(listed) = self.of(relation) else { return sources.is_empty() };
        sources.iter().all(|&source| {
            let place = listed.places.get(source.index());
            place.is_some_and(|place| place.is_on(source, target))
        })
    }

    /// Records that no target lists these sources.
    pub(crate) fn forget_targets(&mut self, relation: ComponentId, sources: &[Entity]) {
        self.changes += sources.len() as u64;
        if let Some(journal) = &mut self.journal {
            sources.iter().for_each(|&source| write_down(journal, relation, source));
        }
        if let Some((_, listed)) = self.listed.iter_mut().find(|(id, _)| *id == relation) {
            listed.changed = self.changes;
            listed.places.for_each_of(sources, |source, spot| {
                if spot.generation == source.generation() {
                    listed.count -= usize::from(spot.target != Entity::PLACEHOLDER);
                    *spot = TargetOfSource::NONE;
                }
            });
        }
    }

    #[cold]
    #[inline(never)]
    fn add_relation(&mut self, relation: ComponentId) -> usize {
        self.listed.push((relation, TargetsBySource::default()));
        self.listed.len() - 1
    }

    /// Returns the sources that a target lists, in the order of their places. `O(sources of all targets)`.
    pub(crate) fn sources_of(&self, relation: ComponentId, target: Entity) -> Vec<Entity> {
        let places = self.of(relation).into_iter().flat_map(|listed| listed.places.iter());
        let of_target = places.filter(|(_, place)| place.target == target);
        let source = |(index, place): (u32, &TargetOfSource)| Some((place.place, place.source(index)?));
        let mut sources: Vec<(u32, Entity)> = of_target.filter_map(source).collect();
        sources.sort_by_key(|(place, _)| *place);
        sources.into_iter().map(|(_, source)| source).collect()
    }

    /// Records that sources are at the places of this order in the list of their target.
    pub(crate) fn move_places(&mut self, relation: ComponentId, sources: &[Entity]) {
        let Some((_, listed)) = self.listed.iter_mut().find(|(id, _)| *id == relation) else { return };
        for (place, &source) in (0..).zip(sources) {
            let spot = listed.places.get_mut(source.index());
            if let Some(spot) = spot.filter(|spot| spot.generation == source.generation()) {
                spot.place = place;
            }
        }
    }

    /// Returns a number that changes whenever the targets of sources may have changed.
    pub(crate) fn version(&self, relation: ComponentId) -> u64 {
        self.of(relation).map_or(0, |listed| listed.changed)
    }

    /// Notes that an entity has got a component of a relationship, or another value of it. The operation must not fail here: if there is no
    /// memory for the note, all links are compared instead.
    pub(super) fn note(&mut self, entity: Entity, id: ComponentId, components: &Components) {
        let is_noted = if components.is_of_pairs(id) {
            push(&mut self.unpaired, UnpairedEntity { component: id, entity, has_ended: false })
        } else if !components.lists_sources(id) {
            push(&mut self.coming, (id, entity))
        } else {
            self.is_listing || push(&mut self.adopting, (id, entity))
        };
        self.may_disagree |= !is_noted;
    }

    /// Returns the sources that targets list. Some may have been despawned.
    pub(crate) fn sources(&self, relation: ComponentId) -> impl Iterator<Item = Entity> {
        let places = self.of(relation).into_iter().flat_map(|listed| listed.places.iter());
        let places = places.filter(|(_, place)| place.target != Entity::PLACEHOLDER);
        places.filter_map(|(index, place)| place.source(index))
    }

    /// Starts keeping notes of the sources whose targets change.
    pub(crate) fn keep_journal(&mut self) {
        self.journal.get_or_insert_default();
    }

    /// Returns the number of notes so far, of all relationships.
    pub(crate) fn notes(&self) -> u64 {
        self.changes
    }

    /// Returns the sources with notes after the first `notes` ones, if all of these are still kept. A source may occur more than once.
    pub(crate) fn changed_since(&self, notes: u64, relation: ComponentId) -> Option<impl Iterator<Item = Entity>> {
        let journal = self.journal.as_ref()?;
        let new = usize::try_from(self.changes.checked_sub(notes)?).ok()?;
        let first = journal.len().checked_sub(new)?;
        Some(journal.range(first..).filter(move |(id, _)| *id == relation).map(|(_, source)| *source))
    }

    /// Returns the number of listed sources.
    pub(crate) fn count(&self, relation: ComponentId) -> usize {
        self.of(relation).map_or(0, |listed| listed.count)
    }

    #[inline]
    fn of(&self, relation: ComponentId) -> Option<&TargetsBySource> {
        self.listed.iter().find(|(id, _)| *id == relation).map(|(_, listed)| listed)
    }

    /// Returns whether all ended links have been removed.
    pub(crate) fn have_parted(&self) -> bool {
        self.adopting.is_empty() && self.parting.is_empty() && self.orphans.is_empty()
    }

    /// Returns whether no updates are pending.
    #[inline]
    pub(crate) fn are_settled(&self) -> bool {
        self.have_parted() && self.coming.is_empty() && self.unpaired.is_empty()
    }

    /// Notes a source whose target has lost its list, or may have got another one. `ends` is whether the target is being despawned.
    pub(crate) fn orphan(&mut self, relation: ComponentId, source: Entity, target: Entity, ends: bool) {
        let has_ended = ends && !self.is_moving;
        self.orphans.push(OrphanSource { relation, source, target, has_ended });
    }

    /// Notes an entity that is about to lose the marker component of pairs. `ends` is whether it is being despawned.
    pub(crate) fn unpair(&mut self, component: ComponentId, entity: Entity, ends: bool) {
        let has_ended = ends && !self.is_moving;
        self.unpaired.push(UnpairedEntity { component, entity, has_ended });
    }

    /// Ends the phase in which an operation notes the links that it removes.
    pub(crate) fn unlinked(&mut self) {
        self.is_moving = false;
        // An operation that was aborted by a panic may have left entries.
        self.leaving.clear();
    }

    /// Copies the records of all sources. No updates are pending.
    pub(super) fn copy(&self) -> LinksCopy {
        LinksCopy(self.listed.clone())
    }

    /// Restores the records of a copy.
    pub(super) fn restore_from(&mut self, copy: LinksCopy) {
        self.listed = copy.0;
        // The new number makes forests read all links again: they compare it with the number that they have stored.
        self.changes += 1;
        self.listed.iter_mut().for_each(|(_, listed)| listed.changed = self.changes);
        self.journal.iter_mut().for_each(VecDeque::clear);
        self.refused.clear();
    }

    /// Frees spare memory.
    pub(super) fn shrink_to_fit(&mut self) {
        let is_empty = |place: &TargetOfSource| place.target == Entity::PLACEHOLDER;
        self.listed.iter_mut().for_each(|(_, listed)| listed.places.shrink_to_fit(is_empty));
        self.listed.retain(|(_, listed)| listed.count != 0);
        [&mut self.adopting, &mut self.parting, &mut self.coming].into_iter().for_each(Vec::shrink_to_fit);
        self.refused.shrink_to_fit();
        self.orphans.shrink_to_fit();
        self.unpaired.shrink_to_fit();
        (self.ending, self.leaving, self.batch) = Default::default();
    }
}

#[inline(never)]
fn write_down(journal: &mut VecDeque<(ComponentId, Entity)>, relation: ComponentId, source: Entity) {
    if journal.len() == MOST_NOTES {
        journal.pop_front();
    }
    if journal.try_reserve(1).is_err() {
        // This note is lost, and a journal with a gap is useless, so it is cleared.
        return journal.clear();
    }
    journal.push_back((relation, source));
}

/// Adds a note. Returns whether there was memory for it.
fn push<T>(notes: &mut Vec<T>, note: T) -> bool {
    let has_room = try_reserve(notes, 1).is_ok();
    if has_room {
        notes.push(note);
    }
    has_room
}

/// The record of a source.
pub(crate) struct SourceRecord<'l> {
    relation: ComponentId,
    source: Entity,
    spot: &'l mut TargetOfSource,
    count: &'l mut usize,
    changed: &'l mut u64,
    changes: &'l mut u64,
    journal: &'l mut Option<VecDeque<(ComponentId, Entity)>>,
}

impl SourceRecord<'_> {
    /// As [`StoreLinks::place`].
    #[inline]
    pub(crate) fn place(&self) -> Option<(Entity, u32)> {
        self.spot.of(self.source)
    }

    /// As [`StoreLinks::set_place`].
    #[inline]
    pub(crate) fn set(self, target: Entity, place: u32) {
        *self.changes += 1;
        *self.changed = *self.changes;
        if let Some(journal) = self.journal {
            write_down(journal, self.relation, self.source);
        }
        *self.count += usize::from(self.spot.target == Entity::PLACEHOLDER);
        *self.spot = TargetOfSource { target, generation: self.source.generation(), place };
    }
}

/// The target that lists each source.
#[derive(Clone, Default)]
pub(super) struct LinksCopy(Vec<(ComponentId, TargetsBySource)>);

/// All links of a relationship, for a copy that was not taken from a store.
pub(crate) struct BuiltLinks {
    /// The component of the sources.
    pub(crate) relation: &'static ComponentDescriptor,
    /// Each source with its target, and its place in the list of the target.
    pub(crate) links: Vec<(Entity, Entity, u32)>,
}

impl LinksCopy {
    /// Adds the links of a relationship that has no links so far. Each source occurs once.
    pub(super) fn add(&mut self, relation: ComponentId, links: &[(Entity, Entity, u32)]) {
        let mut listed = TargetsBySource { count: links.len(), ..TargetsBySource::default() };
        for &(source, target, place) in links {
            let noted = TargetOfSource { target, generation: source.generation(), place };
            *listed.places.get_or_add(source.index(), TargetOfSource::NONE) = noted;
        }
        self.0.push((relation, listed));
    }
}

/// The number of entities in a page.
const PAGE: usize = 256;

/// The target that lists each source, by the index of the source. A page exists only if it has such a source.
#[derive(Clone, Default)]
struct TargetsBySource {
    places: Pages<TargetOfSource, PAGE>,
    count: usize,
    /// The number of the last note about one of these sources.
    changed: u64,
}

/// A target, and the generation of the source. The target is the placeholder if the source is not listed.
#[derive(Clone, Copy)]
struct TargetOfSource {
    target: Entity,
    generation: u32,
    /// The place in the list of the target, when the source was added. Other sources may have been removed since.
    place: u32,
}

impl TargetOfSource {
    const NONE: Self = Self { target: Entity::PLACEHOLDER, generation: 0, place: 0 };

    /// Returns the target and the place, if they belong to this source.
    #[inline]
    fn of(&self, source: Entity) -> Option<(Entity, u32)> {
        let is_there = self.target != Entity::PLACEHOLDER && self.generation == source.generation();
        is_there.then_some((self.target, self.place))
    }

    /// Returns whether this target lists this source. The target must not be the placeholder.
    #[inline]
    fn is_on(&self, source: Entity, target: Entity) -> bool {
        self.target == target && self.generation == source.generation()
    }

    /// Returns the source with this index whose record this is.
    fn source(&self, index: u32) -> Option<Entity> {
        NonZeroU32::new(self.generation).map(|generation| Entity::new(index, generation))
    }
}
