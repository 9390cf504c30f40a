//! What a store keeps of relationships: which source is listed by which target, and what is to be brought up to date.
//!
//! An operation changes a component that names a target, or one that lists sources, as it changes any other. Before it, what goes is
//! noted here, and behind it what has come; then both sides are made to agree, by functions of a higher layer, before observers and hooks
//! are told of it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::component::{ComponentId, Components};
use crate::entity::Entity;

/// A source whose target may go on without it.
#[derive(Clone, Copy)]
pub(crate) struct Orphan {
    /// The component of the source.
    pub(crate) relation: ComponentId,
    pub(crate) source: Entity,
    pub(crate) target: Entity,
    /// Whether the target has ended.
    pub(crate) has_ended: bool,
}

/// How many notes are kept for those who want to know which targets have changed: 48 KiB.
const MOST_NOTES: usize = 4096;

/// An entity that may have lost its pairs.
#[derive(Clone, Copy)]
pub(crate) struct Unpaired {
    /// That which the sources, or the targets, of the relation have.
    pub(crate) component: ComponentId,
    pub(crate) entity: Entity,
    /// Whether the entity has ended, if it is not alive: it has not if it is in another world.
    pub(crate) has_ended: bool,
}

/// The links of a store.
#[derive(Default)]
pub(crate) struct Links {
    /// By the component of the sources: the target on which a source is listed.
    listed: Vec<(ComponentId, Listed)>,
    /// How often the target of a source was noted.
    changes: u64,
    /// The last of these notes, if someone wants to know: the component of the source, and the source.
    journal: Option<VecDeque<(ComponentId, Entity)>>,
    /// Targets that have got another list, and the component that it is.
    pub(crate) adopting: Vec<(ComponentId, Entity)>,
    /// Sources that may name no target any more, or another one.
    pub(crate) parting: Vec<(ComponentId, Entity)>,
    /// Sources that have come to name a target, in their order.
    pub(crate) coming: Vec<(ComponentId, Entity)>,
    /// Sources of targets that have lost their list, or have got another one.
    pub(crate) orphans: Vec<Orphan>,
    /// Entities that may be in pairs no more, or may have the component of one without being in any.
    pub(crate) unpaired: Vec<Unpaired>,
    /// Whether entities leave for another world, so that their ends are none.
    pub(super) is_moving: bool,
    /// Whether a target gets its list from here, so that it is right.
    pub(crate) is_listing: bool,
}

impl Links {
    /// The target on which a source is listed.
    #[inline]
    pub(crate) fn target(&self, relation: ComponentId, source: Entity) -> Option<Entity> {
        self.of(relation)?.get(source)
    }

    /// Notes on which target a source is listed, if on one.
    pub(crate) fn set_target(&mut self, relation: ComponentId, source: Entity, target: Option<Entity>) {
        let at = self.listed.iter().position(|(id, _)| *id == relation);
        let at = at.unwrap_or_else(|| {
            self.listed.push((relation, Listed::default()));
            self.listed.len() - 1
        });
        self.changes += 1;
        if let Some(journal) = &mut self.journal {
            if journal.len() == MOST_NOTES {
                journal.pop_front();
            }
            journal.push_back((relation, source));
        }
        let listed = &mut self.listed[at].1;
        listed.changed = self.changes;
        listed.set(source, target);
    }

    /// A number that is another one whenever the targets of sources may be others than before.
    pub(crate) fn version(&self, relation: ComponentId) -> u64 {
        self.of(relation).map_or(0, |listed| listed.changed)
    }

    /// Notes that an entity has got a component of a relationship, or another value of it.
    pub(super) fn note(&mut self, entity: Entity, id: ComponentId, components: &Components) {
        if components.is_of_pairs(id) {
            self.unpaired.push(Unpaired { component: id, entity, has_ended: false });
        } else if !components.lists_sources(id) {
            self.coming.push((id, entity));
        } else if !self.is_listing {
            self.adopting.push((id, entity));
        }
    }

    /// From now on it can be asked which sources have changed their targets.
    pub(crate) fn keep_journal(&mut self) {
        self.journal.get_or_insert_default();
    }

    /// How many notes there have been, of all relationships.
    pub(crate) fn notes(&self) -> u64 {
        self.changes
    }

    /// The sources about which there were notes behind so many, if all of these are still known. Some may come more than once.
    pub(crate) fn changed_since(&self, notes: u64, relation: ComponentId) -> Option<impl Iterator<Item = Entity>> {
        let journal = self.journal.as_ref()?;
        let new = usize::try_from(self.changes.checked_sub(notes)?).ok()?;
        let first = journal.len().checked_sub(new)?;
        Some(journal.range(first..).filter(move |(id, _)| *id == relation).map(|(_, source)| *source))
    }

    /// How many sources are listed.
    pub(crate) fn count(&self, relation: ComponentId) -> usize {
        self.of(relation).map_or(0, |listed| listed.count)
    }

    #[inline]
    fn of(&self, relation: ComponentId) -> Option<&Listed> {
        self.listed.iter().find(|(id, _)| *id == relation).map(|(_, listed)| listed)
    }

    /// Whether all links that have ended have gone.
    pub(crate) fn have_parted(&self) -> bool {
        self.adopting.is_empty() && self.parting.is_empty() && self.orphans.is_empty()
    }

    /// Whether everything is up to date.
    #[inline]
    pub(crate) fn are_settled(&self) -> bool {
        self.have_parted() && self.coming.is_empty() && self.unpaired.is_empty()
    }

    /// Notes a source whose target has lost its list, or may have got another one.
    pub(crate) fn orphan(&mut self, relation: ComponentId, source: Entity, target: Entity, ends: bool) {
        let has_ended = ends && !self.is_moving;
        self.orphans.push(Orphan { relation, source, target, has_ended });
    }

    /// Notes an entity that is about to lose the component of pairs.
    pub(crate) fn unpair(&mut self, component: ComponentId, entity: Entity, ends: bool) {
        let has_ended = ends && !self.is_moving;
        self.unpaired.push(Unpaired { component, entity, has_ended });
    }

    /// What an operation takes away has been noted.
    pub(crate) fn unlinked(&mut self) {
        self.is_moving = false;
    }

    /// What is known of all sources, at a time when everything is up to date.
    pub(super) fn copy(&self) -> LinksCopy {
        LinksCopy(self.listed.clone())
    }

    /// Knows what a copy knows.
    pub(super) fn become_copy(&mut self, copy: LinksCopy) {
        self.listed = copy.0;
        // Forests compare these numbers with those that they have kept, and look at all links again.
        self.changes += 1;
        self.listed.iter_mut().for_each(|(_, listed)| listed.changed = self.changes);
        self.journal.iter_mut().for_each(VecDeque::clear);
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink_to_fit(&mut self) {
        self.listed.iter_mut().for_each(|(_, listed)| listed.shrink_to_fit());
        self.listed.retain(|(_, listed)| listed.count != 0);
        [&mut self.adopting, &mut self.parting, &mut self.coming].into_iter().for_each(Vec::shrink_to_fit);
        self.orphans.shrink_to_fit();
        self.unpaired.shrink_to_fit();
    }
}

/// On which targets sources are listed.
#[derive(Clone, Default)]
pub(super) struct LinksCopy(Vec<(ComponentId, Listed)>);

/// Entities a page.
const PAGE: usize = 256;

/// By the index of a source: the target on which it is listed. Pages are there only where there are such.
#[derive(Clone, Default)]
struct Listed {
    pages: Vec<Option<Box<[Place; PAGE]>>>,
    count: usize,
    /// Which of all notes was the last about one of these sources.
    changed: u64,
}

/// A target, and the generation of the source; the placeholder if there is none.
#[derive(Clone, Copy)]
struct Place {
    target: Entity,
    generation: u32,
}

impl Place {
    const NONE: Self = Self { target: Entity::PLACEHOLDER, generation: 0 };
}

impl Listed {
    #[inline]
    fn get(&self, source: Entity) -> Option<Entity> {
        let (page, place) = (source.index() as usize / PAGE, source.index() as usize % PAGE);
        let place = self.pages.get(page)?.as_ref()?[place];
        let is_there = place.target != Entity::PLACEHOLDER && place.generation == source.generation();
        is_there.then_some(place.target)
    }

    fn set(&mut self, source: Entity, target: Option<Entity>) {
        let (page, place) = (source.index() as usize / PAGE, source.index() as usize % PAGE);
        if target.is_none() && !matches!(self.pages.get(page), Some(Some(_))) {
            return;
        }
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([Place::NONE; PAGE]));
        let place = &mut page[place];
        let is_own = place.generation == source.generation();
        if target.is_none() && !is_own {
            return;
        }
        self.count -= usize::from(place.target != Entity::PLACEHOLDER);
        self.count += usize::from(target.is_some());
        *place = target.map_or(Place::NONE, |target| Place { target, generation: source.generation() });
    }

    fn shrink_to_fit(&mut self) {
        for page in &mut self.pages {
            if page.as_ref().is_some_and(|page| page.iter().all(|place| place.target == Entity::PLACEHOLDER)) {
                *page = None;
            }
        }
        while let Some(None) = self.pages.last() {
            self.pages.pop();
        }
        self.pages.shrink_to_fit();
    }
}
