//! The entries of the entities in a delta, and a record of the values that have been read, so that repeated entities and values are
//! rejected.
//!
//! Tests: tests/snapshots/deltas.rs

use strata_ecs::component::ComponentDescriptor;
use strata_ecs::entity::EntityHashMap;
use strata_ecs::prelude::Entity;

use super::update::{Found, Group, Place};
use crate::error::Problem;

/// The entry of an entity in a delta.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fate {
    /// The entity is new, or its components have changed.
    In(Place),
    Ended,
}

/// The entries of all entities in a delta.
#[derive(Default)]
pub(super) struct Fates {
    /// The entries of entities in groups, by the index of the entity. Empty if the highest index is much larger than the number of
    /// entities.
    by_index: Vec<(Entity, Place)>,
    others: EntityHashMap<Fate>,
}

impl Fates {
    /// Creates an empty map with room for `count` entities in groups.
    pub(super) fn of(count: usize, highest: u32) -> Self {
        let len = if highest as usize / 4 <= count { highest as usize + 1 } else { 0 };
        let none = (Entity::PLACEHOLDER, Place { group: 0, nth: 0 });
        Self { by_index: vec![none; len], others: EntityHashMap::default() }
    }

    pub(super) fn get(&self, entity: Entity) -> Option<Fate> {
        match self.by_index.get(entity.index() as usize) {
            Some((known, place)) if *known == entity => Some(Fate::In(*place)),
            _ if self.others.is_empty() => None,
            _ => self.others.get(&entity).copied(),
        }
    }

    /// Adds the entry of an entity. Returns false if the entity already has an entry.
    pub(super) fn set(&mut self, entity: Entity, fate: Fate) -> bool {
        if let (Some(room), Fate::In(place)) = (self.by_index.get_mut(entity.index() as usize), fate) {
            if room.0 == Entity::PLACEHOLDER {
                *room = (entity, place);
                return true;
            }
            if room.0 == entity {
                return false;
            }
        }
        self.get(entity).is_none() && self.others.insert(entity, fate).is_none()
    }
}

/// The values of entities in groups that have been read: a bit for each component of each entity.
pub(super) struct Got {
    /// For each group, the number of its components and the index of its first bit.
    groups: Vec<(usize, usize)>,
    bits: Vec<u64>,
}

impl Got {
    pub(super) fn of(groups: &[Group]) -> Self {
        let (mut of, mut bits) = (Vec::new(), 0);
        for group in groups {
            of.push((group.components.len(), bits));
            bits += (group.made.len() + group.changed.len()) * group.components.len();
        }
        Self { groups: of, bits: vec![0; bits.div_ceil(64)] }
    }

    fn bit(&self, place: Place, component: usize) -> usize {
        let (components, from) = self.groups[place.group as usize];
        from + place.nth as usize * components + component
    }

    fn has(&self, bit: usize) -> bool {
        self.bits[bit / 64] & 1 << (bit % 64) != 0
    }

    /// Records a value. Returns false if the entity already has a value of the component.
    pub(super) fn insert(&mut self, place: Place, component: usize) -> bool {
        let bit = self.bit(place, component);
        let is_new = !self.has(bit);
        self.bits[bit / 64] |= 1 << (bit % 64);
        is_new
    }

    /// Records a value of a component for each of the entities that is in a group. `number` is the number of the component in the delta.
    pub(super) fn insert_all<'f>(
        &mut self,
        groups: &[Group],
        component: &ComponentDescriptor,
        number: u32,
        mut entities: impl Iterator<Item = &'f Found>,
    ) -> Result<(), Problem> {
        // The group of the last entity, and the index of the component in it.
        let mut last = None;
        entities.try_for_each(|found| {
            let Found::In(place) = *found else { return Ok(()) };
            let (_, nth) = match last {
                Some(known @ (group, _)) if group == place.group => known,
                _ => {
                    let all = &groups[place.group as usize].components;
                    let nth = all.iter().position(|one| one.identity() == component.identity());
                    *last.insert((place.group, nth.ok_or(Problem::Number(number))?))
                }
            };
            if self.insert(place, nth) { Ok(()) } else { Err(Problem::Twice) }
        })
    }

    /// Returns the first missing value of the first `entities` entities of a group: the entity and the component.
    pub(super) fn missing(&self, group: usize, entities: usize) -> Option<(usize, usize)> {
        let (components, from) = self.groups[group];
        let (mut bit, end) = (from, from + entities * components);
        while bit < end {
            if bit % 64 == 0 && self.bits[bit / 64] == u64::MAX {
                bit += 64;
            } else if self.has(bit) {
                bit += 1;
            } else {
                return Some(((bit - from) / components, (bit - from) % components));
            }
        }
        None
    }
}
