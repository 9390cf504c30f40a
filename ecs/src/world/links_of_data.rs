//! Validates relationships in data: in a snapshot, or in the values from which a world is built.
//!
//! Data may come from outside, so it is checked completely. It must satisfy the same conditions that `relink` ensures
//! in a world: each source is in the list of its target exactly once, and in no other list. No entity is linked to
//! itself, or in a cycle, if the relationship does not allow it.
//!
//! Tests: tests/snapshots/contents.rs

use alloc::vec::Vec;

use hashbrown::HashMap;

use super::links::{LinkFunctions, side_of};
use crate::component::{ComponentDescriptor, ComponentIdentity, ErasedSlice};
use crate::entity::{Entity, EntityHashMap, EntityHashSet};
use crate::storage::column::{ColumnParts, NewValues};
use crate::structure::store::{BuildError, BuiltLinks};

/// The values of one component, with the entities that have them.
#[derive(Clone, Copy)]
struct SideValues<'a> {
    entities: &'a [Entity],
    values: ErasedSlice<'a>,
}

/// The values of both sides of a relationship; `None` if no entity has the component.
struct LinkSides<'a> {
    functions: &'static LinkFunctions,
    sources: Option<SideValues<'a>>,
    lists: Option<SideValues<'a>>,
}

/// Returns the links of each relationship, in the order in which the relationships first occur. If a component occurs
/// several times, only its first values count. Also records in each list which entity the list belongs to.
///
/// # Errors
///
/// If both sides of a relationship disagree, or a link is not allowed.
pub(crate) fn links_of_parts(all: &mut [(Vec<Entity>, ColumnParts)]) -> Result<Vec<BuiltLinks>, BuildError> {
    for (entities, column) in &mut *all {
        if let Some((functions, false)) = side_of(column.values.descriptor())
            && let NewValues::Vec(values) = &mut column.values
        {
            (functions.note_targets)(values, entities);
        }
    }
    let values = all.iter().map(|(entities, column)| (&entities[..], column.values.as_slice()));
    let links = sides_of(values).into_iter().map(|sides| match sides.links() {
        Ok(links) => Ok(BuiltLinks { relation: (sides.functions.source)(), links }),
        Err(entity) => Err(BuildError::Link((sides.functions.source)().name(), entity)),
    });
    links.collect()
}

/// Returns the relationships whose sides disagree, or which have a link that is not allowed. Each is given by the type
/// name of its source-side component.
pub(crate) fn broken_links<'a>(
    all: impl Iterator<Item = (&'a [Entity], ErasedSlice<'a>)>,
) -> impl Iterator<Item = &'static str> {
    let broken = sides_of(all).into_iter().filter(|sides| sides.links().is_err());
    broken.map(|sides| (sides.functions.source)().name())
}

/// Returns the sources that the first of some values lists; `None` if the component does not list sources. The values
/// are in no world, or are borrowed from one.
pub(crate) fn listed_sources(values: ErasedSlice<'_>) -> Option<Vec<Entity>> {
    let Some((functions, false)) = side_of(values.descriptor()) else { return None };
    let mut sources = Vec::new();
    let is_known = (functions.listed_by)(values, &mut |row, _, source| {
        if row == 0 {
            sources.push(source);
        }
    });
    is_known.then_some(sources)
}

/// Returns the component of the other side of a relationship, if the given component is a side of one.
pub(crate) fn other_side(component: &ComponentDescriptor) -> Option<&'static ComponentDescriptor> {
    let (functions, is_source) = side_of(component)?;
    Some(if is_source { (functions.target_list)() } else { (functions.source)() })
}

/// Groups the values by relationship.
fn sides_of<'a>(all: impl Iterator<Item = (&'a [Entity], ErasedSlice<'a>)>) -> Vec<LinkSides<'a>> {
    let (mut found, mut numbers) = (Vec::new(), HashMap::<ComponentIdentity, usize>::new());
    for (entities, values) in all {
        let Some((functions, is_source)) = side_of(values.descriptor()) else { continue };
        let number = *numbers.entry((functions.source)().identity()).or_insert(found.len());
        if number == found.len() {
            found.push(LinkSides { functions, sources: None, lists: None });
        }
        let of_side = match is_source {
            true => &mut found[number].sources,
            false => &mut found[number].lists,
        };
        of_side.get_or_insert(SideValues { entities, values });
    }
    found
}

impl LinkSides<'_> {
    /// Returns each source with its target and its index in the list of the target.
    ///
    /// # Errors
    ///
    /// If a link is not allowed, or if both sides disagree. The error is an entity for which this is so.
    fn links(&self) -> Result<Vec<(Entity, Entity, u32)>, Entity> {
        let named = self.named()?;
        let (mut links, mut met, mut wrong) = (Vec::new(), EntityHashSet::default(), None);
        if let Some(lists) = self.lists {
            let is_known = (self.functions.listed_by)(lists.values, &mut |row, place, source| {
                let Some(&target) = lists.entities.get(row) else { return };
                let may_be = source != target || self.functions.allows_self;
                if named.get(&source) == Some(&target) && may_be && met.insert(source) {
                    links.push((source, target, place as u32));
                } else if wrong.is_none() {
                    wrong = Some(target);
                }
            });
            wrong = wrong.or(lists.entities.first().copied().filter(|_| !is_known));
        }
        let sources = self.sources.map_or(&[][..], |sources| sources.entities);
        let unlisted = sources.iter().copied().find(|source| !met.contains(source));
        match wrong.or(unlisted).or_else(|| self.circle(&links, &named)) {
            None => Ok(links),
            Some(entity) => Err(entity),
        }
    }

    /// Returns a map from each source to its target.
    fn named(&self) -> Result<EntityHashMap<Entity>, Entity> {
        let Some(sources) = self.sources else { return Ok(EntityHashMap::default()) };
        match ((self.functions.named_by)(sources.values), sources.entities.first()) {
            (None, Some(&first)) => Err(first),
            (targets, _) => Ok(sources.entities.iter().copied().zip(targets.into_iter().flatten()).collect()),
        }
    }

    /// Returns an entity that would be despawned with itself, through a cycle of links. Direct links of an entity to
    /// itself are checked elsewhere.
    fn circle(&self, links: &[(Entity, Entity, u32)], named: &EntityHashMap<Entity>) -> Option<Entity> {
        if !self.functions.is_linked {
            return None;
        }
        // For each entity, the index of the walk towards the root in which the entity was first visited.
        let mut met = EntityHashMap::<usize>::default();
        for (walk, &(source, ..)) in links.iter().enumerate() {
            let mut next = Some(source);
            while let Some(entity) = next {
                match met.get(&entity) {
                    Some(&before) if before == walk => return Some(entity),
                    Some(_) => break,
                    None => _ = met.insert(entity, walk),
                }
                next = named.get(&entity).copied().filter(|&above| above != entity);
            }
        }
        None
    }
}
