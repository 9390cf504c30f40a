//! Finds the observers of an event: by component, by entity, or all of them. An observer is identified by its index in
//! the list of observers, here called *place*.

use alloc::vec::Vec;
use core::num::NonZeroU32;
use core::slice;

use hashbrown::HashMap;

use crate::component::ComponentId;
use crate::entity::{Entities, Entity, EntityHashMap, Pages};
use crate::util::alloc_error::try_shrink;

/// Indexes the observers of a type of event by what they watch.
#[derive(Default)]
pub(super) struct WatchIndex {
    /// The places of observers of all events.
    of_all: ObserverPlaces,
    /// For each component id: the places of observers that are notified of the component on all entities, including the
    /// observers of all events. `None` if no observer watches the component.
    of_components: Vec<Option<ObserverPlaces>>,
    /// For each component: the number of observers that watch it, on all entities or on some.
    counts: HashMap<Option<ComponentId>, u32>,
    of_entities: OfEntities,
}

/// Places of observers, in ascending order.
///
/// When an observer is removed, its place stays in the list at first. Such places are removed when they are more than
/// half of the list, or when one observer is left. So removing an observer takes `O(log n)`, amortized. A place without
/// an observer is skipped when events are dispatched.
#[derive(Clone, Default)]
struct ObserverPlaces {
    all: Vec<u32>,
    /// The number of places in the list that belong to removed observers.
    removed: usize,
}

impl ObserverPlaces {
    /// Adds a place that is not less than the others.
    fn push(&mut self, place: u32) {
        if self.all.last() != Some(&place) {
            self.all.push(place);
        }
    }

    /// Removes a place whose observer has just been removed. `is_occupied` returns whether a place has an observer.
    fn remove(&mut self, place: u32, is_occupied: &dyn Fn(u32) -> bool) {
        if self.all.binary_search(&place).is_err() {
            return;
        }
        self.removed += 1;
        let left = self.all.len() - self.removed;
        if left < 2 || left < self.removed {
            self.all.retain(|&place| is_occupied(place));
            self.removed = 0;
        }
    }
}

impl_deref!(#[inline(always)] [] ObserverPlaces => [u32], |this| this.all);

impl WatchIndex {
    /// Adds what an observer watches. The place of the observer is greater than all others.
    pub(super) fn enter(
        &mut self,
        place: u32,
        components: &[ComponentId],
        of_entities: &[Entity],
        entities: &Entities,
    ) {
        for watched in watched(components) {
            *self.counts.entry(watched).or_default() += 1;
            if of_entities.is_empty() {
                if let Some(id) = watched {
                    if self.of_components.len() <= id.index() {
                        self.of_components.resize(id.index() + 1, None);
                    }
                    self.of_components[id.index()].get_or_insert_with(|| self.of_all.clone());
                }
                self.lists(watched).for_each(|places| places.push(place));
            }
        }
        of_entities.iter().for_each(|&entity| self.of_entities.add(entity, place, entities.contains(entity)));
    }

    /// Iterates over the lists of observers that watch a component on all entities. For `None`, iterates over the lists
    /// of all components, and the list of observers of all events.
    fn lists(&mut self, watched: Option<ComponentId>) -> impl Iterator<Item = &mut ObserverPlaces> {
        let (of_components, of_all) = match watched {
            Some(id) => (self.of_components.get_mut(id.index()..=id.index()).unwrap_or_default(), None),
            None => (&mut self.of_components[..], Some(&mut self.of_all)),
        };
        of_components.iter_mut().flatten().chain(of_all)
    }

    /// Removes what the observer at a place watched, after the observer has been removed. `is_occupied` returns whether
    /// a place has an observer.
    ///
    /// `O(log observers)` for each component and entity, amortized. An observer of all events is in the list of each
    /// component.
    pub(super) fn leave(
        &mut self,
        place: u32,
        components: &[ComponentId],
        of_entities: &[Entity],
        is_occupied: &dyn Fn(u32) -> bool,
    ) {
        for watched in watched(components) {
            if let Some(count) = self.counts.get_mut(&watched) {
                *count -= 1;
            }
            if of_entities.is_empty() {
                self.lists(watched).for_each(|places| places.remove(place, is_occupied));
            }
        }
        of_entities.iter().for_each(|&entity| self.of_entities.remove(entity, place, is_occupied));
    }

    /// Shrinks the capacity of the lists to what they need.
    pub(super) fn shrink_to_fit(&mut self) {
        let Self { of_all, of_components, of_entities, .. } = self;
        let of_entity = of_entities.lists.iter_mut().chain(of_entities.others.values_mut());
        let lists = of_components.iter_mut().flatten().chain([of_all]).chain(of_entity);
        lists.for_each(|places| try_shrink(&mut places.all));
        try_shrink(of_components);
        of_entities.pages.shrink_to_fit(|here| here.generation == 0);
        try_shrink(&mut of_entities.lists);
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the places of observers of all events.
    #[inline]
    pub(super) fn of_all(&self) -> &[u32] {
        &self.of_all
    }

    /// Returns the places of observers that are notified of a component, whatever the entity is.
    #[inline]
    pub(super) fn of_component(&self, id: ComponentId) -> &[u32] {
        match self.of_components.get(id.index()) {
            Some(Some(places)) => places,
            _ => &self.of_all,
        }
    }

    /// Returns the places of observers that watch an entity, in order.
    #[inline]
    pub(super) fn of_entity(&self, entity: Entity) -> &[u32] {
        self.of_entities.get(entity)
    }

    /// Returns the number of watched entities. Some of them may be dead.
    #[inline]
    pub(super) fn entities(&self) -> usize {
        self.of_entities.len
    }

    /// Returns whether an observer watches the component. For `None`: whether an observer watches all components.
    pub(super) fn watches(&self, component: Option<ComponentId>) -> bool {
        self.counts.get(&component).is_some_and(|&count| count != 0)
    }

    /// Iterates over the components that have been watched since the index was last [cleared](Self::clear), including
    /// those that are no longer watched.
    pub(super) fn watched(&self) -> impl Iterator<Item = Option<ComponentId>> {
        self.counts.keys().copied()
    }
}

/// Iterates over the keys under which an observer is counted: each of these components, or `None` if it watches all
/// components.
pub(super) fn watched(components: &[ComponentId]) -> impl Iterator<Item = Option<ComponentId>> {
    let any = components.is_empty().then_some(None);
    components.iter().copied().map(Some).chain(any)
}

/// The number of entity indexes per page.
const PAGE: usize = 256;

/// The observers of the entity with a certain index.
#[derive(Clone, Copy)]
struct OfIndex {
    /// The generation of the entity, or 0 if there is no entity.
    generation: u32,
    /// The place of the entity's only observer. If it has several: [`MANY`] and the index of their list.
    places: u32,
}

/// Set if the entity has several observers. Then the other bits are the index of their list.
const MANY: u32 = 1 << 31;

const NO_ENTITY: OfIndex = OfIndex { generation: 0, places: 0 };

/// The observers that watch single entities.
///
/// An entity that was alive when it got an observer is found by its index. The few other entities have lists in a map.
#[derive(Default)]
struct OfEntities {
    /// The observers by entity index. A page exists only if it contains an entity.
    pages: Pages<OfIndex, PAGE>,
    /// The lists of places for entities with several observers, each in order.
    lists: Vec<ObserverPlaces>,
    /// The indexes of the lists that are not in use.
    unused: Vec<u32>,
    others: EntityHashMap<ObserverPlaces>,
    len: usize,
}

impl OfEntities {
    /// Returns the places of the observers of an entity, in order.
    #[inline]
    fn get(&self, entity: Entity) -> &[u32] {
        if let Some(found) = self.pages.get(entity.index()).filter(|found| found.generation == entity.generation()) {
            return if found.places & MANY == 0 {
                slice::from_ref(&found.places)
            } else {
                &self.lists[(found.places & !MANY) as usize]
            };
        }
        if self.others.is_empty() { &[] } else { self.get_other(entity) }
    }

    #[cold]
    fn get_other(&self, entity: Entity) -> &[u32] {
        self.others.get(&entity).map_or(&[], |places| places)
    }

    /// Appends an observer to the observers of an entity.
    fn add(&mut self, entity: Entity, place: u32, is_alive: bool) {
        let generation = entity.generation();
        let is_here = self.pages.get(entity.index()).is_some_and(|here| here.generation == generation);
        if is_here || is_alive && place & MANY == 0 && !self.others.contains_key(&entity) {
            return self.add_by_index(entity, place);
        }
        let places = self.others.entry(entity).or_insert_with(|| {
            self.len += 1;
            ObserverPlaces::default()
        });
        places.push(place);
    }

    fn add_by_index(&mut self, entity: Entity, place: u32) {
        let Self { pages, lists, unused, others, len } = self;
        let generation = entity.generation();
        let here = pages.get_or_add(entity.index(), NO_ENTITY);
        if here.generation == generation {
            if here.places & MANY == 0 {
                if here.places == place {
                    return;
                }
                let number = unused.pop().unwrap_or_else(|| {
                    lists.push(ObserverPlaces::default());
                    lists.len() as u32 - 1
                });
                [here.places, place].into_iter().for_each(|place| lists[number as usize].push(place));
                here.places = MANY | number;
            } else {
                lists[(here.places & !MANY) as usize].push(place);
            }
            return;
        }
        // The entity that had the index before is dead. Its observers move to `others`.
        if let Some(before) = NonZeroU32::new(here.generation) {
            let list = match here.places {
                places if places & MANY == 0 => ObserverPlaces { all: alloc::vec![places], removed: 0 },
                places => {
                    unused.push(places & !MANY);
                    core::mem::take(&mut lists[(places & !MANY) as usize])
                }
            };
            others.insert(Entity::new(entity.index(), before), list);
        }
        *here = OfIndex { generation, places: place };
        *len += 1;
    }

    /// Removes an observer of an entity. `is_occupied` returns whether a place has an observer.
    fn remove(&mut self, entity: Entity, place: u32, is_occupied: &dyn Fn(u32) -> bool) {
        let Self { pages, lists, unused, others, len } = self;
        let here = pages.get_mut(entity.index());
        if let Some(here) = here.filter(|here| here.generation == entity.generation()) {
            if here.places & MANY == 0 {
                if here.places == place {
                    *here = NO_ENTITY;
                    *len -= 1;
                }
                return;
            }
            let list = &mut lists[(here.places & !MANY) as usize];
            list.remove(place, is_occupied);
            if let [last] = list[..] {
                list.all.clear();
                unused.push(here.places & !MANY);
                here.places = last;
            }
            return;
        }
        if let Some(places) = others.get_mut(&entity) {
            places.remove(place, is_occupied);
            if places.is_empty() {
                others.remove(&entity);
                *len -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn entity(index: u32, generation: u32) -> Entity {
        Entity::new(index, NonZeroU32::new(generation).unwrap())
    }

    /// Returns the observers of an entity, without those that have been removed.
    fn living(watched: &OfEntities, entity: Entity, removed: &[u32]) -> Vec<u32> {
        watched.get(entity).iter().copied().filter(|place| !removed.contains(place)).collect()
    }

    #[test]
    fn an_entity_has_its_observers_in_order_whether_it_is_alive_or_not() {
        for alive in [true, false] {
            let mut watched = OfEntities::default();
            for place in [2, 5, 5, 9] {
                watched.add(entity(700, 3), place, alive);
                watched.add(entity(1, 1), 4, alive);
            }
            assert_eq!(watched.get(entity(700, 3)), [2, 5, 9]);
            assert_eq!(watched.get(entity(1, 1)), [4]);
            assert_eq!((watched.get(entity(700, 2)), watched.get(entity(2, 1))), (&[][..], &[][..]));
            assert_eq!(watched.len, 2);
            let mut removed = Vec::new();
            for (place, left) in [(5, &[2, 9][..]), (7, &[2, 9]), (2, &[9]), (9, &[])] {
                removed.push(place);
                watched.remove(entity(700, 3), place, &|place| !removed.contains(&place));
                assert_eq!(living(&watched, entity(700, 3), &removed), left);
            }
            assert_eq!(watched.len, 1);
            watched.add(entity(700, 3), 11, true);
            assert_eq!(watched.get(entity(700, 3)), [11]);
        }
    }

    #[test]
    fn tenants_of_one_index_are_told_apart() {
        let mut watched = OfEntities::default();
        let [first, second, third] = [1, 2, 3].map(|generation| entity(40, generation));
        watched.add(first, 1, true);
        watched.add(second, 2, true);
        watched.add(second, 3, true);
        watched.add(third, 4, true);
        watched.add(second, 5, false);
        let all = |watched: &OfEntities| [first, second, third].map(|entity| watched.get(entity).to_vec());
        assert_eq!(all(&watched), [vec![1], vec![2, 3, 5], vec![4]]);
        assert_eq!(watched.len, 3);
        let removed = [3, 4, 1];
        for (entity, place) in [second, third, first].into_iter().zip(removed) {
            watched.remove(entity, place, &|place| !removed.contains(&place));
        }
        let all = |watched: &OfEntities| [first, second, third].map(|entity| living(watched, entity, &removed));
        assert_eq!(all(&watched), [vec![], vec![2, 5], vec![]]);
        assert_eq!(watched.len, 1);
        // The third entity reuses the list that the second one had.
        watched.add(third, 6, true);
        watched.add(third, 7, true);
        assert_eq!(all(&watched), [vec![], vec![2, 5], vec![6, 7]]);
        assert_eq!((watched.lists.len(), watched.unused.len()), (1, 0));
    }

    /// Tests that the lists agree with a list of all observers after any sequence of additions and removals.
    #[test]
    fn lists_hold_the_observers_that_have_not_been_removed() {
        let entities = Entities::default();
        let (mut state, mut watching) = (1_u64, WatchIndex::default());
        let mut random = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        let mut here: Vec<(u32, Vec<ComponentId>, Vec<Entity>)> = Vec::new();
        for place in 0..3_000 {
            if random(3) == 0 || here.len() < 3 && random(2) == 0 {
                let some = |count: usize, random: &mut dyn FnMut(usize) -> usize| {
                    (0..count).map(|_| random(4)).collect::<Vec<usize>>()
                };
                let components = some([0, 1, 1, 2][random(4)], &mut random);
                let mut components: Vec<_> = components.into_iter().map(|index| ComponentId(index as u32)).collect();
                components.dedup();
                let watched: Vec<_> = some([0, 0, 0, 1][random(4)], &mut random);
                let watched: Vec<_> = watched.into_iter().map(|index| entity(index as u32, 1)).collect();
                watching.enter(place, &components, &watched, &entities);
                here.push((place, components, watched));
            } else if !here.is_empty() {
                let (place, components, watched) = here.swap_remove(random(here.len()));
                watching.leave(place, &components, &watched, &|place| here.iter().any(|other| other.0 == place));
            }
            let expected = |holds: &dyn Fn(&[ComponentId], &[Entity]) -> bool| {
                let held = here.iter().filter(|(_, components, watched)| holds(components, watched));
                let mut places: Vec<u32> = held.map(|other| other.0).collect();
                places.sort_unstable();
                places
            };
            let is_here = |place: &u32| here.iter().any(|other| other.0 == *place);
            let living = |places: &[u32]| places.iter().copied().filter(is_here).collect::<Vec<u32>>();
            for id in (0..5).map(ComponentId) {
                let of_component = expected(&|components, watched| {
                    watched.is_empty() && (components.is_empty() || components.contains(&id))
                });
                assert_eq!(living(watching.of_component(id)), of_component);
            }
            let of_all = expected(&|components, watched| watched.is_empty() && components.is_empty());
            assert_eq!(living(watching.of_all()), of_all);
            for of in (0..4).map(|index| entity(index, 1)) {
                assert_eq!(living(watching.of_entity(of)), expected(&|_, watched| watched.contains(&of)));
            }
        }
    }

    #[test]
    fn ids_of_no_entity_cost_no_pages() {
        let mut watched = OfEntities::default();
        watched.add(Entity::PLACEHOLDER, 1, false);
        assert_eq!(watched.get(Entity::PLACEHOLDER), [1]);
        assert_eq!(watched.pages.allocated_bytes(), 0);
    }
}
