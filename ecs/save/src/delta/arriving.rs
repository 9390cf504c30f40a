//! The values of a delta by their destinations, and how they are inserted.
//!
//! Tests: tests/snapshots/deltas.rs

use std::collections::HashSet;
use std::rc::Rc;

use strata_ecs::component::{ComponentDescriptor, ComponentId, ErasedValue};
use strata_ecs::prelude::{Entity, World};
use strata_ecs::snapshot::NewColumnContents;

use super::known::Known;
use super::update::Found;

/// The entities of a group, and the values that they get.
pub(super) struct Coming<'u> {
    /// The components that the entities should have.
    pub(super) components: &'u [&'static ComponentDescriptor],
    /// The entities in this world: new entities first, then changed ones.
    pub(super) own: Vec<Entity>,
    /// The number of new entities.
    pub(super) made: usize,
    /// Whether the values of new entities can be inserted at once. Then `order` holds the index in `own` of the entity of each row of
    /// `together`.
    pub(super) is_together: bool,
    pub(super) order: Vec<u32>,
    pub(super) together: Vec<NewColumnContents>,
    /// Values that are inserted one by one, for each entity; empty if there are no such values.
    pub(super) singly: Vec<Vec<(ComponentId, ErasedValue)>>,
}

impl Coming<'_> {
    pub(super) fn add(&mut self, id: ComponentId, order: &[u32], values: NewColumnContents) {
        self.singly.resize_with(self.own.len(), Vec::new);
        for (nth, value) in order.iter().zip(values.into_values()) {
            self.singly[*nth as usize].push((id, value));
        }
    }

    /// Adds a column of values for new entities.
    pub(super) fn add_together(&mut self, id: ComponentId, order: &[u32], values: NewColumnContents) {
        if self.together.is_empty() {
            self.order = order.to_vec();
        }
        if self.order == order {
            self.together.push(values);
        } else {
            self.add(id, order, values);
        }
    }
}

/// The values of a delta that is being applied.
#[derive(Default)]
pub(super) struct Arriving<'u> {
    pub(super) groups: Vec<Coming<'u>>,
    /// Values of entities that get no new components. They are written in place if the component is mutable.
    pub(super) in_place: Vec<(ComponentId, Rc<[Entity]>, NewColumnContents)>,
}

impl Arriving<'_> {
    /// Adds values that have the same destination.
    pub(super) fn add(&mut self, id: ComponentId, way: Way, going: &Going, values: NewColumnContents) {
        match (way, going) {
            (Way::Together(group), Going::In(order)) => self.groups[group as usize].add_together(id, order, values),
            (Way::Singly(group), Going::In(order)) => self.groups[group as usize].add(id, order, values),
            (_, Going::To(entities)) => self.in_place.push((id, Rc::clone(entities), values)),
            (Way::InPlace, Going::In(_)) => unreachable!("what is written in place is in no group"),
        }
    }
}

/// The entities that get the values of a column.
pub(super) enum Going {
    To(Rc<[Entity]>),
    /// Entities of a group, by their indexes in the group.
    In(Vec<u32>),
}

impl Going {
    /// Collects the entities, all of which have the destination `way`.
    pub(super) fn of(way: Way, entities: &mut dyn Iterator<Item = &Found>) -> Self {
        match way {
            Way::InPlace => Self::To(
                entities.filter_map(|found| if let Found::Known(own) = found { Some(*own) } else { None }).collect(),
            ),
            _ => Self::In(
                entities
                    .filter_map(|found| if let Found::In(place) = found { Some(place.nth) } else { None })
                    .collect(),
            ),
        }
    }
}

/// The destination of the values of a column.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Way {
    InPlace,
    /// The new entities of a group: their values are inserted at once.
    Together(u32),
    /// Entities of a group whose values are inserted entity by entity.
    Singly(u32),
}

/// Removes components that the entities of groups should not have.
pub(super) fn remove_others(groups: &[Coming<'_>], known: &Known, world: &mut World) {
    for group in groups {
        let wanted: HashSet<ComponentId> = group.components.iter().map(|component| known.id(component)).collect();
        let is_other = |id: &ComponentId| known.removable.contains(id) && !wanted.contains(id);
        // The last table whose entities have no other components.
        let mut right = None;
        for &entity in &group.own {
            let Ok(found) = world.get_entity(entity) else { continue };
            let table = found.location().table;
            if right == Some(table) {
                continue;
            }
            let others: Vec<ComponentId> = found.components().filter(is_other).collect();
            if others.is_empty() {
                right = known.are_in_tables.then_some(table);
            } else if let Ok(mut entity) = world.get_entity_mut(entity)
                && let Err(error) = entity.remove_by_ids(&others)
            {
                unreachable!("the components are registered, and the entity is alive: {error}");
            }
        }
    }
}

/// Inserts and writes values, and returns the number of values of entities that are not alive.
pub(super) fn insert(arriving: &mut Arriving<'_>, known: &Known, world: &mut World) -> usize {
    let Arriving { groups, in_place } = arriving;
    let in_place = core::mem::take(in_place);
    let (links, in_place): (Vec<_>, Vec<_>) =
        in_place.into_iter().partition(|(id, ..)| known.relationships.contains(id));
    let links: Vec<(ComponentId, Vec<(Entity, ErasedValue)>)> = links
        .into_iter()
        .map(|(id, entities, values)| (id, entities.iter().copied().zip(values.into_values()).collect()))
        .collect();
    for relationship in &known.relationships {
        let singly = groups.iter().flat_map(|coming| coming.own.iter().zip(&coming.singly));
        let of_entities =
            singly.filter_map(|(entity, values)| Some((*entity, &values.iter().find(|(id, _)| id == relationship)?.1)));
        let written = links.iter().filter(|(id, _)| id == relationship).flat_map(|(_, values)| values);
        let links: Vec<(Entity, &ErasedValue)> =
            of_entities.chain(written.map(|(entity, value)| (*entity, value))).collect();
        world.part_circles(&links);
    }
    groups.iter_mut().map(|coming| insert_into(coming, known, world)).sum::<usize>()
        + in_place
            .into_iter()
            .map(|(id, entities, values)| insert_singly(world.write_contents(id, &entities, values), world))
            .sum::<usize>()
        + links.into_iter().map(|(_, values)| insert_singly(values, world)).sum::<usize>()
}

/// Inserts the values of a group, and returns the number of values of entities that are not alive.
fn insert_into(coming: &mut Coming<'_>, known: &Known, world: &mut World) -> usize {
    let (order, columns) = (core::mem::take(&mut coming.order), core::mem::take(&mut coming.together));
    let mut done = 0;
    if !columns.is_empty() {
        let entities: Vec<Entity> = order.iter().map(|nth| coming.own[*nth as usize]).collect();
        // New entities have all of their components: there are columns of all, unless some were in another order.
        let are_all = coming.singly.iter().take(coming.made).all(Vec::is_empty);
        match if are_all { world.insert_contents(&entities, columns) } else { Err(columns) } {
            Ok(()) => done = coming.made,
            Err(columns) => {
                columns.into_iter().for_each(|values| coming.add(known.id(values.descriptor()), &order, values))
            }
        }
    }
    let (mut missing, mut singly) = (0, core::mem::take(&mut coming.singly).into_iter().skip(done));
    for entity in &coming.own[done..] {
        let values = singly.next().unwrap_or_default();
        let count = values.len();
        match world.get_entity_mut(*entity) {
            Ok(_) if values.is_empty() => {}
            Ok(mut entity) => {
                if let Err(error) = entity.insert_by_ids(values) {
                    unreachable!("each component is registered and comes once: {error}");
                }
            }
            Err(_) => missing += count.max(1),
        }
    }
    missing
}

/// Inserts values one by one, and returns the number of values of entities that are not alive.
fn insert_singly(values: Vec<(Entity, ErasedValue)>, world: &mut World) -> usize {
    let mut missing = 0;
    for (entity, value) in values {
        match world.get_entity_mut(entity) {
            // The component is immutable, or the program has removed it.
            Ok(mut entity) => {
                if let Err(error) = entity.insert_erased(value) {
                    unreachable!("the component is registered: {error}");
                }
            }
            Err(_) => missing += 1,
        }
    }
    missing
}
