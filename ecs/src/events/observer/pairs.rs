//! Adds and removes pairs of relations, and notifies observers.
//!
//! Tests: tests/relationships/pairs/operations.rs, tests/relationships/pairs/events.rs

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::dispatch::dispatch;
use crate::component::Component;
use crate::entity::Entity;
use crate::events::event::{Event, Relate, Unrelate};
use crate::query::change::Mut;
use crate::query::{PairIter, ReadPairs, WritePairs};
use crate::relations::relation::{PairEvent, PairFunctions, PairSource, PairTarget, Relation};
use crate::storage::message::Messages;
use crate::structure::store::{Store, StoreEntityMut, pairs};
use crate::system::commands::{Commands, EntityCommands};
use crate::util::guard::DeferredPanic;
use crate::world::{EntityWorldMut, World};

/// Provides the function table of a relation as a constant.
struct PairFunctionsOf<R>(R);

impl<R: Relation> PairFunctionsOf<R> {
    const FUNCTIONS: &'static PairFunctions<Store> = &PairFunctions {
        register: register_relation::<R>,
        mark: [
            |store, entity| mark(store, entity, PairSource::<R>::new()),
            |store, entity| mark(store, entity, PairTarget::<R>::new()),
        ],
        relate_clones: |store, source, clones| {
            let clones: Box<dyn Any> = clones;
            let Ok(clones) = clones.downcast::<Vec<(Entity, R)>>() else { return };
            for (target, value) in *clones {
                if store.structure.entities.contains(source) && store.structure.entities.contains(target) {
                    relate(store, source, value, target);
                }
            }
        },
        is_observed: |store| has_observers::<Relate<R>>(store),
        notify: notify_of_pairs::<R>,
    };
}

/// Returns the index of a relation in a store. Registers the relation if necessary.
pub(crate) fn register_relation<R: Relation>(store: &mut Store) -> usize {
    pairs::register_relation::<R>(store, PairFunctionsOf::<R>::FUNCTIONS)
}

fn mark<C: Component>(store: &mut Store, entity: Entity, mark: C) {
    if let Ok(mut entity) = StoreEntityMut::find(store, entity) {
        entity.insert_for_origin(mark);
    }
}

#[inline]
fn relate<R: Relation>(store: &mut Store, source: Entity, value: R, target: Entity) -> bool {
    pairs::relate(store, PairFunctionsOf::<R>::FUNCTIONS, source, value, target)
}

#[inline]
fn unrelate<R: Relation>(store: &mut Store, source: Entity, target: Entity) -> bool {
    store.relations.number::<R>().is_some_and(|number| pairs::unrelate(store, number, &[[source, target]]) != 0)
}

fn unrelate_all<R: Relation>(store: &mut Store, end: usize, entity: Entity) {
    let number = store.relations.number::<R>();
    number.into_iter().for_each(|number| pairs::unrelate_all(store, number, end, entity));
}

/// Returns whether a type of event has ever had an observer.
fn has_observers<E: Event>(store: &Store) -> bool {
    store.events.dispatch.number::<E>(E::slot()).is_some()
}

/// Runs the observers of an event, if the event has ever had any. Their commands are deferred.
fn notify<E: Event<Trigger<'static>: Default>>(store: &mut Store, event: &mut E) {
    if let Some(number) = store.events.dispatch.number::<E>(E::slot()) {
        dispatch(store, number, event, &mut Default::default());
    }
}

/// Notifies observers of pairs that were added or removed, and drops the values of removed pairs. If an observer
/// panics, the panic is resumed after all have been notified. The commands of observers are deferred until the caller
/// applies them, because they may replace the world.
fn notify_of_pairs<R: Relation>(store: &mut Store) {
    let Some(number) = store.relations.number::<R>() else { return };
    let Some(pairs) = store.relations.get_mut::<R>(number) else { return };
    let mut all = pairs.take_events();
    if all.len() > 1 {
        let mut panicked = DeferredPanic::default();
        for event in all.drain(..) {
            panicked = panicked.or(DeferredPanic::catch(|| notify_of_pair(store, event)));
        }
        panicked.go_on();
    } else if let Some(event) = all.pop() {
        // For a single event no panic is caught: there is no other notification that the panic would skip.
        notify_of_pair(store, event);
    }
    if let Some(pairs) = store.relations.get_mut::<R>(number) {
        pairs.give_back(all);
    }
}

/// Notifies observers of one event of a pair. For an added pair, does so only if the pair has not been removed since.
fn notify_of_pair<R: Relation>(store: &mut Store, event: PairEvent<R>) {
    match event {
        PairEvent::Made(ends) => {
            if store.relations.get::<R>().is_some_and(|pairs| pairs.is_there(ends)) {
                notify(store, &mut Relate::<R>::new(ends));
            }
        }
        PairEvent::Ended([source, target], relation) => {
            let mut ended = Unrelate { source, target, relation };
            notify(store, &mut ended);
            let now = store.now();
            if let Some((messages, ticks)) = store.resources.get_mut::<Messages<Unrelate<R>>>() {
                messages.write(ended);
                ticks.set_changed(now);
            }
        }
    }
}

impl World {
    /// Makes two entities a pair of a relation, as source and target. If they are a pair already, the new value
    /// replaces the old one. Returns whether they are a pair afterwards. `O(1)`, amortized; see [`Relation`] for the
    /// costs of the options of a relation.
    ///
    /// If the pair is not possible, because one of the entities is not alive or the relation forbids it, a
    /// [`CommandError`](crate::store::CommandError) is reported, and the value is dropped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Relation, Debug, PartialEq)]
    /// struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    /// assert!(world.relate(a, Likes(1), b));
    /// assert!(world.relate(a, Likes(2), b));
    /// assert_eq!((world.get_pair(a, b), world.pair_count::<Likes>()), (Some(&Likes(2)), 1));
    ///
    /// world.despawn(b);
    /// assert!(!world.relate(a, Likes(3), b));
    /// assert_eq!(world.take_command_errors().0[0].command(), "relate");
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn relate<R: Relation>(&mut self, source: Entity, relation: R, target: Entity) -> bool {
        relate(self.store.track_caller(), source, relation, target)
    }

    /// Removes a pair and drops its value. Returns whether the pair existed. `O(1)`, amortized.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Relation, Debug, PartialEq)] struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    /// world.relate(a, Likes(1), b);
    /// assert_eq!([(a, b), (a, b), (b, a)].map(|(source, target)| world.unrelate::<Likes>(source, target)), [true, false, false]);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unrelate<R: Relation>(&mut self, source: Entity, target: Entity) -> bool {
        unrelate::<R>(self.store.track_caller(), source, target)
    }

    /// Removes all pairs whose source is an entity. `O(pairs of the entity)`.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unrelate_from<R: Relation>(&mut self, source: Entity) {
        unrelate_all::<R>(self.store.track_caller(), 0, source);
    }

    /// Removes all pairs whose target is a living entity. `O(pairs of the entity)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Relation, Debug, PartialEq)] struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    /// for (source, target) in [(a, b), (c, b), (b, c)] {
    ///     world.relate(source, Likes(1), target);
    /// }
    /// world.unrelate_to::<Likes>(b);
    /// assert!(world.pairs::<Likes>().eq([(b, &Likes(1), c)]));
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unrelate_to<R: Relation>(&mut self, target: Entity) {
        unrelate_all::<R>(self.store.track_caller(), 1, target);
    }

    /// Returns the value of a pair. `O(1)`.
    #[inline]
    #[must_use]
    pub fn get_pair<R: Relation>(&self, source: Entity, target: Entity) -> Option<&R> {
        ReadPairs::<R>::of(self.read())?.get(source, target)
    }

    /// Returns mutable access to the value of a pair. `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Relation, Debug, PartialEq)] struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let [a, b] = [(); 2].map(|()| world.spawn_empty().id());
    /// world.relate(a, Likes(1), b);
    /// world.get_pair_mut::<Likes>(a, b).unwrap().0 += 1;
    /// assert_eq!(world.get_pair(a, b), Some(&Likes(2)));
    /// ```
    #[inline]
    pub fn get_pair_mut<R: Relation>(&mut self, source: Entity, target: Entity) -> Option<Mut<'_, R>> {
        WritePairs::<R>::of(&mut self.store)?.into_mut(source, target)
    }

    /// Iterates over all pairs of a relation: source, value, target. They are in the order in which they were made,
    /// except that the last pair takes the position of a removed one.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Relation, Debug, PartialEq)] struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    /// world.relate(a, Likes(1), b);
    /// world.relate(b, Likes(2), c);
    /// world.relate(c, Likes(3), a);
    /// world.unrelate::<Likes>(a, b);
    /// assert!(world.pairs::<Likes>().eq([(c, &Likes(3), a), (b, &Likes(2), c)]));
    /// ```
    pub fn pairs<R: Relation>(&self) -> impl ExactSizeIterator<Item = (Entity, &R, Entity)> {
        ReadPairs::<R>::all(self.read())
    }

    /// Returns the number of pairs of a relation.
    #[must_use]
    pub fn pair_count<R: Relation>(&self) -> usize {
        self.pairs::<R>().len()
    }

    /// Iterates over the pairs whose source is an entity: targets with values, in the order in which they were made. If
    /// the relation is symmetric, these are all pairs of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Relation, Debug, PartialEq)] struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    /// world.relate(a, Likes(1), b);
    /// world.relate(a, Likes(2), c);
    /// assert!(world.pairs_from::<Likes>(a).eq([(b, &Likes(1)), (c, &Likes(2))]));
    /// assert_eq!(world.pairs_from::<Likes>(a).len(), 2);
    /// ```
    #[inline]
    pub fn pairs_from<R: Relation>(&self, source: Entity) -> PairIter<'_, R> {
        ReadPairs::<R>::of_entity(self.read(), 0, source)
    }

    /// Iterates over the pairs whose target is an entity: sources with values, in the order in which they were made. If
    /// the relation is symmetric, these are all pairs of the entity.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// /// Each entity has at most one spouse.
    /// #[derive(Relation, Debug, PartialEq)]
    /// #[relation(symmetric, exclusive)]
    /// struct Married {
    ///     since: u32,
    /// }
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [(); 3].map(|()| world.spawn_empty().id());
    /// world.relate(a, Married { since: 3 }, b);
    /// assert!(world.pairs_to::<Married>(a).eq([(b, &Married { since: 3 })]));
    /// world.relate(c, Married { since: 4 }, a);
    /// assert_eq!(world.pairs_from::<Married>(b).len(), 0);
    /// ```
    #[inline]
    pub fn pairs_to<R: Relation>(&self, target: Entity) -> PairIter<'_, R> {
        ReadPairs::<R>::of_entity(self.read(), 1, target)
    }
}

impl EntityWorldMut<'_> {
    /// Adds a pair with this entity as the source: see [`World::relate`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Relation, Debug, PartialEq)] struct Likes(i32);
    ///
    /// let mut world = World::new();
    /// let target = world.spawn_empty().id();
    /// let source = world.spawn_empty().relate(Likes(1), target).id();
    /// assert_eq!(world.get_pair(source, target), Some(&Likes(1)));
    /// ```
    #[track_caller]
    pub fn relate<R: Relation>(&mut self, relation: R, target: Entity) -> &mut Self {
        let source = self.expect_target();
        relate(self.store_mut().track_caller(), source, relation, target);
        self
    }

    /// Removes a pair with this entity as the source, if it exists: see [`World::unrelate`].
    #[track_caller]
    pub fn unrelate<R: Relation>(&mut self, target: Entity) -> &mut Self {
        let source = self.expect_target();
        unrelate::<R>(self.store_mut().track_caller(), source, target);
        self
    }
}

impl Commands<'_, '_> {
    /// Makes two entities a pair of a relation when the commands are applied: see [`World::relate`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Relation, Debug, PartialEq)] struct Likes(i32);
    ///
    /// fn meet(mut commands: Commands) {
    ///     let [a, b] = [(); 2].map(|()| commands.spawn_empty().id());
    ///     commands.relate(a, Likes(1), b);
    /// }
    ///
    /// let mut world = World::new();
    /// world.run_system_once(meet).unwrap();
    /// assert_eq!(world.pair_count::<Likes>(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn relate<R: Relation>(&mut self, source: Entity, relation: R, target: Entity) {
        self.queue(move |world: &mut World| _ = relate(&mut world.store, source, relation, target));
    }

    /// Removes a pair when the commands are applied, if the pair exists then.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unrelate<R: Relation>(&mut self, source: Entity, target: Entity) {
        self.queue(move |world: &mut World| _ = unrelate::<R>(&mut world.store, source, target));
    }
}

impl EntityCommands<'_> {
    /// Adds a pair with this entity as the source when the commands are applied: see [`World::relate`].
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn relate<R: Relation>(&mut self, relation: R, target: Entity) -> &mut Self {
        let source = self.id();
        self.commands().relate(source, relation, target);
        self
    }

    /// Removes a pair with this entity as the source when the commands are applied, if the pair exists then.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn unrelate<R: Relation>(&mut self, target: Entity) -> &mut Self {
        let source = self.id();
        self.commands().unrelate::<R>(source, target);
        self
    }
}
