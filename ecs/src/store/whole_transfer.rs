//! Moving all entities of a store that ends to another one, with the entities inside of their values.
//!
//! Which ids the entities get is known before anything moves. So the values are brought up to date where they are, by user code that may
//! panic, and the observers and hooks of the other store never see old ids.

use alloc::vec;
use alloc::vec::Vec;

use super::Store;
use super::bulk::Selection;
use crate::component::{ComponentId, Components};
use crate::entity::{Entities, Entity, EntityHashMap, EntityMapper, TableId};
use crate::guard::Waiting;

/// Replaces the entities inside of the value of a component that an entity has.
pub(super) type MapInside = fn(&mut Store, Entity, ComponentId, &mut dyn EntityMapper);

/// Which ids entities get that are about to move to another store.
///
/// Any other entity has no place there. It gets an id of its own that no entity of the other store has, or will ever have.
struct NewIds<'a> {
    of: &'a Entities,
    /// By the index of the old id: the old id and the new one.
    moving: Vec<(Entity, Entity)>,
    /// What else has been named.
    others: EntityHashMap<Entity>,
    /// How many of the next ids are given away.
    given: u64,
}

impl<'a> NewIds<'a> {
    /// Those of entities that move in this order, for which there is room.
    fn new(of: &'a Entities, moving: &[Entity]) -> Self {
        let others = EntityHashMap::from_iter(core::iter::empty::<(Entity, Entity)>());
        let indexes = moving.iter().map(|entity| entity.index() as usize + 1).max().unwrap_or(0);
        let mut new = Self { of, moving: vec![(Entity::PLACEHOLDER, Entity::PLACEHOLDER); indexes], others, given: 0 };
        for &entity in moving {
            let Some(id) = new.next() else { unreachable!("there is room for all that move") };
            new.moving[entity.index() as usize] = (entity, id);
        }
        new
    }

    fn next(&mut self) -> Option<Entity> {
        let next = self.of.at_position(self.given)?;
        self.given += 1;
        Some(next)
    }
}

impl EntityMapper for NewIds<'_> {
    fn get_mapped(&mut self, source: Entity) -> Entity {
        if source == Entity::PLACEHOLDER {
            return source;
        }
        if let Some(&(_, new)) = self.moving.get(source.index() as usize).filter(|(old, _)| *old == source) {
            return new;
        }
        if let Some(&known) = self.others.get(&source) {
            return known;
        }
        // Without an id that is left it names nothing.
        let Some(dead) = self.next() else { return Entity::PLACEHOLDER };
        self.others.insert(source, dead);
        dead
    }

    fn set_mapped(&mut self, source: Entity, target: Entity) {
        match self.moving.get_mut(source.index() as usize).filter(|(old, _)| *old == source) {
            Some((_, new)) => *new = target,
            None => _ = self.others.insert(source, target),
        }
    }
}

/// Whether values of a component say which entities are inside.
fn maps(components: &Components, id: ComponentId) -> bool {
    components.info(id).is_some_and(|info| info.descriptor().functions().map_entities_fn().is_some())
}

impl Store {
    /// Moves all entities to another store, and returns their old and new ids. Nothing is told in this store, which ends. Entities inside of
    /// values are replaced, by a function for those of components. All that may fail comes before anything moves.
    pub(crate) fn move_all_to(mut self, to: &mut Self, map: MapInside) -> Vec<(Entity, Entity)> {
        self.flush();
        to.flush();
        let tables = self.archetypes.tables.iter().filter(|table| !table.is_empty());
        let tables: Vec<(TableId, _)> = tables.map(|table| (table.id(), None)).collect();
        let selections: Vec<Selection> = self.in_order(tables.into_iter());
        let moving: Vec<Entity> = selections.iter().flat_map(|selection| selection.entities(&self)).collect();
        let reserve = |to: &mut Self, count| to.entities.reserve_next_many(count);
        if let Err(error) = reserve(to, moving.len()) {
            super::SpawnError::from(error).raise();
        }
        let dead = self.map_inside(&selections, &moving, to, map);
        if let Err(error) = reserve(to, moving.len() + dead) {
            super::SpawnError::from(error).raise();
        }
        to.entities.reserve_free(dead).unwrap_or_else(|error| error.raise());
        let mut ended = Vec::with_capacity(dead);
        // What goes has been told, and nothing of that is carried out.
        self.listeners.held += 1;
        self.listeners.foretold += 1;
        let ids = self.move_foretold_to(&selections, to, |to| to.entities.end_next(dead, &mut ended));
        let dropped = Waiting::catch(|| drop(self));
        to.react();
        dropped.go_on();
        ids
    }

    /// Replaces the entities inside of values by what stands for them in another store, and says how many ids it has to end there beside
    /// those of the entities that move.
    fn map_inside(&mut self, selections: &[Selection], moving: &[Entity], to: &Self, map: MapInside) -> usize {
        let components = &self.archetypes.components;
        let mut mapped: Vec<(Vec<Entity>, ComponentId)> = Vec::new();
        for selection in selections {
            let of_table = self.archetypes.tables.get(selection.table).map_or(&[][..], |table| table.components());
            let of_table = of_table.iter().copied().filter(|&id| maps(components, id));
            mapped.extend(of_table.map(|id| (selection.entities(self), id)));
        }
        for (storage, &id) in self.sparse.iter().zip(components.sparse()).filter(|&(_, &id)| maps(components, id)) {
            let indexes = storage.indexes().into_iter();
            mapped.push((indexes.filter_map(|index| Some(self.entities.at_index(index)?.0)).collect(), id));
        }
        if mapped.is_empty() && self.relations.places.iter().all(|place| place.pairs.index().len() == 0) {
            return 0;
        }
        let mut new = NewIds::new(&to.entities, moving);
        for (entities, id) in mapped {
            entities.into_iter().for_each(|entity| map(self, entity, id, &mut new));
        }
        self.relations.places.iter_mut().for_each(|place| place.pairs.map_entities(&mut new));
        (new.given as usize) - moving.len()
    }
}
