//! The comparison of two lists of links.
//!
//! Tests: tests/relationships/forests.rs, tests/relationships/down.rs

use alloc::vec::Vec;

use crate::entity::Entity;

/// Entities, each with its target, or with the placeholder if it has no target.
pub(crate) type Links = Vec<(Entity, Entity)>;

/// Returns the entities that are new or have a different target. With `with_targets`, also returns their old and new targets, and
/// the targets of entities that are gone. The list may contain duplicates.
pub(super) fn changed_links(before: &Links, now: &Links, with_targets: bool) -> Vec<Entity> {
    let (earlier, later) = (ByEntity::new(before), ByEntity::new(now));
    let mut changed = Vec::new();
    for &(entity, target) in now {
        if earlier.target(entity) != Some(target) {
            changed.push(entity);
            changed.extend(Some(target).filter(|_| with_targets));
        }
    }
    let gone = before.iter().filter(|(entity, target)| with_targets && later.target(*entity) != Some(*target));
    changed.extend(gone.map(|(_, target)| *target));
    changed
}

const NOT_HERE: u32 = u32::MAX;

/// Finds entities in a list of links.
struct ByEntity<'a> {
    links: &'a Links,
    by_index: Vec<u32>,
    /// Entities whose indexes exceed `by_index`, with their positions, sorted.
    others: Vec<(Entity, u32)>,
}

impl<'a> ByEntity<'a> {
    fn new(links: &'a Links) -> Self {
        let indexes = links.iter().map(|(entity, _)| entity.index() as usize + 1).max().unwrap_or(0);
        // The entities may come from a file, so their indexes are not limited by the size of the world.
        let indexes = indexes.min(links.len() * 64 + 1024);
        let (mut by_index, mut others) = (alloc::vec![NOT_HERE; indexes], Vec::new());
        for (at, (entity, _)) in (0..).zip(links) {
            match by_index.get_mut(entity.index() as usize) {
                Some(place) => *place = at,
                None => others.push((*entity, at)),
            }
        }
        others.sort_unstable();
        Self { links, by_index, others }
    }

    fn target(&self, entity: Entity) -> Option<Entity> {
        let at = match self.by_index.get(entity.index() as usize) {
            Some(at) => *at,
            None => self.others[self.others.binary_search_by_key(&entity, |(entity, _)| *entity).ok()?].1,
        };
        self.links.get(at as usize).filter(|(other, _)| *other == entity).map(|(_, target)| *target)
    }
}
