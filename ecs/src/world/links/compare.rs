//! Comparing both sides of all links, after an operation on them was broken off.

use alloc::vec::Vec;

use crate::component::ComponentId;
use crate::entity::{Entity, EntityHashSet};
use crate::store::{Orphan, Store};
use crate::world::cast::World;

/// How both sides of a relationship are read.
pub(super) struct Sides {
    /// The component of the sources.
    pub(super) source: ComponentId,
    /// The component of the targets.
    pub(super) list: ComponentId,
    /// The target that an entity names.
    pub(super) target: fn(&World, Entity) -> Option<Entity>,
    /// The sources that an entity lists; none if it lacks the component.
    pub(super) lists: fn(&World, Entity) -> Option<Vec<Entity>>,
    /// Brings the list of a target up to date if a program has exchanged it for another one.
    pub(super) mend: fn(&mut Store, ComponentId, Entity),
}

/// Notes all links of a relationship of which the two sides disagree, so that what settles notes makes them agree. Only notes are made
/// here: it can be done again. `O(entities)`
pub(super) fn compare(store: &mut Store, sides: &Sides) {
    let &Sides { source: id, list, .. } = sides;
    let entities: Vec<Entity> =
        store.structure.archetypes.tables.iter().flat_map(|table| table.entities()).copied().collect();
    // Those that are on the list of the target that they name.
    let mut listed = EntityHashSet::default();
    for &target in &entities {
        (sides.mend)(store, id, target);
        let Some(sources) = (sides.lists)(World::from_store(store), target) else { continue };
        let mut agrees = true;
        for source in sources {
            let named = (sides.target)(World::from_store(store), source);
            let is_noted = store.events.links.target(id, source) == Some(target);
            agrees &= named == Some(target) && listed.insert(source) && is_noted;
        }
        if !agrees {
            store.events.links.adopting.push((list, target));
        }
    }
    // Sources that have ended are on no list.
    let noted: Vec<Entity> = store.events.links.sources(id).collect();
    let ended = noted.into_iter().filter(|&source| !store.structure.entities.contains(source));
    store.events.links.parting.extend(ended.map(|source| (id, source)));
    for source in entities {
        let named = (sides.target)(World::from_store(store), source);
        let noted = store.events.links.target(id, source);
        if noted == named && (named.is_none() || listed.contains(&source)) {
            continue;
        }
        let links = &mut store.events.links;
        match named {
            // It was linked to the target, which has ended.
            Some(target) if noted == named && !store.structure.entities.contains(target) => {
                links.orphans.push(Orphan { relation: id, source, target, has_ended: true });
            }
            Some(_) => {
                links.coming.push((id, source));
                match noted == named {
                    // The target does not list it.
                    true => links.forget_target(id, source),
                    false => links.parting.push((id, source)),
                }
            }
            None => links.parting.push((id, source)),
        }
    }
}
