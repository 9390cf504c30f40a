//! Links in data: whether both sides of relationships agree in a snapshot, or in what one is built of.
//!
//! Nothing is believed. What `relink` makes sure of in a world is looked at here, all at once: each source is on
//! the list of the target that it names, once, and no other is; none is linked to itself, or in a circle, where that cannot be.

use alloc::vec::Vec;

use hashbrown::HashMap;

use super::links::{LinkFunctions, side_of};
use crate::column::{ColumnParts, NewValues};
use crate::component::{ComponentDescriptor, ComponentIdentity, ErasedSlice};
use crate::entity::{Entity, EntityHashMap, EntityHashSet};
use crate::store::{BuildError, BuiltLinks};

/// The values that entities have of a component. Each of them has one.
#[derive(Clone, Copy)]
struct Values<'a> {
    entities: &'a [Entity],
    values: ErasedSlice<'a>,
}

/// Both sides of a relationship, as far as entities have them.
struct Sides<'a> {
    functions: &'static LinkFunctions,
    sources: Option<Values<'a>>,
    lists: Option<Values<'a>>,
}

/// The links that values make, of each relationship in the order in which these come. Each component is there once, or only the first of
/// its values count. Whose lists the values are is noted in them.
///
/// # Errors
///
/// If both sides of a relationship disagree, or entities are linked as they cannot be.
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

/// The relationships whose sides disagree in values, or by which entities are linked as they cannot be: the type name of the component
/// that names a target.
pub(crate) fn broken_links<'a>(
    all: impl Iterator<Item = (&'a [Entity], ErasedSlice<'a>)>,
) -> impl Iterator<Item = &'static str> {
    let broken = sides_of(all).into_iter().filter(|sides| sides.links().is_err());
    broken.map(|sides| (sides.functions.source)().name())
}

/// The sources that a component lists which is in no world, or is borrowed from one: the first of these values.
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

/// The component of the other side of a relationship, if this is one of a side.
pub(crate) fn other_side(component: &ComponentDescriptor) -> Option<&'static ComponentDescriptor> {
    let (functions, is_source) = side_of(component)?;
    Some(if is_source { (functions.target_list)() } else { (functions.source)() })
}

/// The relationships in values.
fn sides_of<'a>(all: impl Iterator<Item = (&'a [Entity], ErasedSlice<'a>)>) -> Vec<Sides<'a>> {
    let (mut found, mut numbers) = (Vec::new(), HashMap::<ComponentIdentity, usize>::new());
    for (entities, values) in all {
        let Some((functions, is_source)) = side_of(values.descriptor()) else { continue };
        let number = *numbers.entry((functions.source)().identity()).or_insert(found.len());
        if number == found.len() {
            found.push(Sides { functions, sources: None, lists: None });
        }
        let of_side = match is_source {
            true => &mut found[number].sources,
            false => &mut found[number].lists,
        };
        of_side.get_or_insert(Values { entities, values });
    }
    found
}

impl Sides<'_> {
    /// Each source with its target, and its place on the list of that; else an entity with a link that cannot be.
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

    /// The target that each source names.
    fn named(&self) -> Result<EntityHashMap<Entity>, Entity> {
        let Some(sources) = self.sources else { return Ok(EntityHashMap::default()) };
        match ((self.functions.named_by)(sources.values), sources.entities.first()) {
            (None, Some(&first)) => Err(first),
            (targets, _) => Ok(sources.entities.iter().copied().zip(targets.into_iter().flatten()).collect()),
        }
    }

    /// An entity that would end with itself, through others. An entity may be linked to itself alone, if that is allowed.
    fn circle(&self, links: &[(Entity, Entity, u32)], named: &EntityHashMap<Entity>) -> Option<Entity> {
        if !self.functions.is_linked {
            return None;
        }
        // In which walk up an entity was met.
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
