//! Adding observers and triggering events, directly on a world or by a command.
//!
//! Tests: tests/observers/entities.rs, tests/observers/order.rs

use super::describe::{IntoEntityObserver, IntoObserver};
use super::dispatch;
use super::id::ObserverId;

use crate::entity::Entity;
use crate::events::event::{EntityEvent, Event};
use crate::structure::store::{SavedCaller, Store, Structure};
use crate::system::commands::{Commands, EntityCommands};
use crate::world::{DeferredWorld, EntityWorldMut, World};

impl World {
    /// Adds an observer. If it is a system, it observes all events of its type. If it is an
    /// [`Observer`](super::Observer), its configuration determines which events it observes.
    ///
    /// Amortized `O(1)` for a triggered event. For a lifecycle event the cost is `O(components)` of the world. For the
    /// first observer of a component and event it is also `O(columns + plans)`, since tables store the set of observed
    /// events. Operations on components without observers cost no more than before.
    ///
    /// # Panics
    ///
    /// If the parameters of the observer conflict, or if it takes `&mut World`. For functions, both are compile errors.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Explosion {
    ///     power: u32,
    /// }
    /// #[derive(Component)]
    /// struct Glass;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([Glass, Glass]);
    /// world.add_observer(|explosion: On<Explosion>, glass: Query<Entity, With<Glass>>, mut commands: Commands| {
    ///     for window in glass.iter().take(explosion.power as usize) {
    ///         commands.entity(window).despawn();
    ///     }
    /// });
    /// world.trigger(Explosion { power: 1 });
    /// assert_eq!(world.len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn add_observer<M>(&mut self, observer: impl IntoObserver<M>) -> ObserverId {
        let id = ObserverId::next();
        observer.into_observer().register(self.store.track_caller(), id);
        id
    }

    /// Returns whether the world has ever had an observer of a type of event, even if it has been removed since.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Explosion;
    ///
    /// let mut world = World::new();
    /// assert!(!world.has_observers::<Explosion>());
    /// world.add_observer(|_: On<Explosion>| {});
    /// assert!(world.has_observers::<Explosion>());
    /// ```
    #[must_use]
    pub fn has_observers<E: Event>(&self) -> bool {
        self.store.events.dispatch.number::<E>(E::slot()).is_some()
    }

    /// Removes and drops an observer. Returns false if it is not an observer of this world, or has been removed before.
    /// `O(observers)` of its type of event, and `O(components)`. For the last observer of a component and lifecycle
    /// event it is also `O(columns + plans)`.
    ///
    /// An observer of entities is removed some time after the last of these entities has been despawned: when many
    /// other observers have been added, or by [`World::shrink_to_fit`]. After its entities have been despawned, it is
    /// not notified of any event.
    pub fn remove_observer(&mut self, observer: ObserverId) -> bool {
        let Store { structure: Structure { entities, .. }, events, .. } = &mut self.store;
        let Some(removed) = events.dispatch.remove(observer.0, entities) else { return false };
        self.store.refresh_observed(removed.unwatched);
        drop(removed.observers);
        true
    }

    /// Triggers an event: runs the observers of the event, and applies the commands that they have recorded.
    ///
    /// `O(notified observers)`. An event without observers costs a few nanoseconds.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Goal {
    ///     team: &'static str,
    /// }
    /// #[derive(Resource, Default)]
    /// struct News(Vec<String>);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<News>();
    /// world.add_observer(|goal: On<Goal>, mut news: ResMut<News>| news.0.push(format!("{} scores", goal.team)));
    /// world.trigger(Goal { team: "red" });
    /// assert_eq!(world.resource::<News>().0, ["red scores"]);
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn trigger<E: Event<Trigger<'static>: Default>>(&mut self, mut event: E) {
        self.trigger_ref(&mut event);
    }

    /// Triggers an event like [`trigger`](Self::trigger), with a trigger that is not the default one.
    ///
    /// ```
    /// use strata_ecs::event::PropagateEntityTrigger;
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(EntityEvent)]
    /// #[entity_event(propagate = ())]
    /// struct Push(Entity);
    ///
    /// let mut world = World::new();
    /// let stone = world.spawn_empty().id();
    /// let mut trigger = PropagateEntityTrigger::default();
    /// trigger.propagate = true;
    /// world.add_observer(|push: On<Push>| assert!(push.get_propagate()));
    /// world.trigger_with(Push(stone), trigger);
    /// ```
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn trigger_with<E: Event>(&mut self, mut event: E, mut trigger: E::Trigger<'static>) {
        self.trigger_ref_with(&mut event, &mut trigger);
    }

    /// Triggers a borrowed event, like [`trigger`](Self::trigger). Observers may change the event.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn trigger_ref<E: Event<Trigger<'static>: Default>>(&mut self, event: &mut E) {
        self.trigger_ref_with(event, &mut Default::default());
    }

    /// Triggers a borrowed event with a borrowed trigger, like [`trigger_ref`](Self::trigger_ref).
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn trigger_ref_with<E: Event>(&mut self, event: &mut E, trigger: &mut E::Trigger<'static>) {
        self.store.track_caller();
        self.trigger_as_before(event, trigger);
    }

    /// Triggers an event like `trigger_ref_with`, but keeps the current caller, which is the command that is being
    /// applied.
    #[inline]
    fn trigger_as_before<E: Event>(&mut self, event: &mut E, trigger: &mut E::Trigger<'static>) {
        // Code that has the world does not run during a dispatch, so the event is always dispatched.
        let is_dispatched = dispatch::trigger(&mut self.store, event, trigger);
        debug_assert!(is_dispatched);
    }

    /// Sets the maximum length of a chain of events. If an observer triggers an event, by a command or directly, the
    /// event that the observer was notified of is its cause. An event whose chain of causes exceeds the limit is not
    /// dispatched. It is reported with the chain, like an error of a command: see [`World::on_command_error`]. The
    /// default is 128. Each event of a chain uses stack space.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Echo;
    /// #[derive(Resource, Default)]
    /// struct Heard(u32);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Heard>();
    /// world.set_event_limit(10);
    /// world.add_observer(|_: On<Echo>, mut heard: ResMut<Heard>, mut commands: Commands| {
    ///     heard.0 += 1;
    ///     commands.trigger(Echo);
    /// });
    /// world.trigger(Echo);
    /// assert_eq!(world.resource::<Heard>().0, 10);
    /// assert!(world.take_command_errors().0[0].to_string().contains("too many events led to it"));
    /// ```
    pub fn set_event_limit(&mut self, limit: usize) {
        self.store.events.dispatch.set_limit(limit);
    }
}

impl DeferredWorld<'_> {
    /// Triggers an event, like [`World::trigger`]. If an event of the same type is being dispatched, the new event is
    /// recorded as a command, and dispatched after the current dispatch has ended.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn trigger<E: Event<Trigger<'static>: Default>>(&mut self, mut event: E) {
        let store = self.store_mut();
        let caller = SavedCaller::save(store);
        let is_dispatched = dispatch::trigger(store.track_caller(), &mut event, &mut Default::default());
        caller.restore(store);
        if !is_dispatched {
            self.commands().trigger(event);
        }
    }
}

impl EntityWorldMut<'_> {
    /// Adds an observer for the events of this entity.
    ///
    /// # Panics
    ///
    /// Same as [`World::add_observer`]. Also if the entity is not alive any more.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(EntityEvent)]
    /// struct Open {
    ///     entity: Entity,
    /// }
    /// # #[derive(Resource, Default)] struct Treasure(u32);
    ///
    /// let mut world = World::new();
    /// # world.init_resource::<Treasure>();
    /// let chest = world.spawn_empty().observe(|_: On<Open>, mut treasure: ResMut<Treasure>| treasure.0 += 1).id();
    /// world.trigger(Open { entity: chest });
    /// assert_eq!(world.resource::<Treasure>().0, 1);
    /// ```
    #[track_caller]
    pub fn observe<M>(&mut self, observer: impl IntoEntityObserver<M>) -> &mut Self {
        // `location` panics if the entity is not alive.
        let _ = self.location();
        let observer = observer.into_observer_for_entity(self.id());
        observer.register(self.store_mut().track_caller(), ObserverId::next());
        self
    }

    /// Triggers an event that a function creates for this entity. Afterwards the commands of the observers have been
    /// applied, so the entity may have been despawned.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(EntityEvent)]
    /// struct Open {
    ///     entity: Entity,
    /// }
    /// # #[derive(Resource, Default)] struct Opened(u32);
    ///
    /// let mut world = World::new();
    /// # world.init_resource::<Opened>();
    /// world.add_observer(|_: On<Open>, mut opened: ResMut<Opened>| opened.0 += 1);
    /// world.spawn_empty().trigger(|entity| Open { entity });
    /// assert_eq!(world.resource::<Opened>().0, 1);
    /// ```
    #[track_caller]
    pub fn trigger<E: EntityEvent<Trigger<'static>: Default>>(&mut self, event: impl FnOnce(Entity) -> E) -> &mut Self {
        let event = event(self.expect_target());
        World::from_store_mut(self.store_mut()).trigger(event);
        self
    }
}

impl Commands<'_, '_> {
    /// Adds an observer when the command is applied. The id is returned immediately.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Event)]
    /// struct Alarm;
    /// # #[derive(Resource, Default)] struct Alarms(u32);
    ///
    /// fn listen(mut commands: Commands) {
    ///     commands.add_observer(|_: On<Alarm>, mut alarms: ResMut<Alarms>| alarms.0 += 1);
    ///     commands.trigger(Alarm);
    /// }
    ///
    /// let mut world = World::new();
    /// # world.init_resource::<Alarms>();
    /// world.run_system_once(listen).unwrap();
    /// assert_eq!(world.resource::<Alarms>().0, 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn add_observer<M>(&mut self, observer: impl IntoObserver<M>) -> ObserverId {
        let (id, observer) = (ObserverId::next(), observer.into_observer());
        self.queue(move |world: &mut World| observer.register(&mut world.store, id));
        id
    }

    /// Removes an observer when the command is applied, if the observer exists then.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove_observer(&mut self, observer: ObserverId) {
        self.queue(move |world: &mut World| {
            world.remove_observer(observer);
        });
    }

    /// Triggers an event when the command is applied: see [`World::trigger`].
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn trigger<E: Event<Trigger<'static>: Default>>(&mut self, mut event: E) {
        self.queue(move |world: &mut World| world.trigger_as_before(&mut event, &mut Default::default()));
    }

    /// Triggers an event like [`trigger`](Self::trigger), with a trigger that is not the default one.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn trigger_with<E: Event<Trigger<'static>: Send>>(&mut self, mut event: E, mut trigger: E::Trigger<'static>) {
        self.queue(move |world: &mut World| world.trigger_as_before(&mut event, &mut trigger));
    }
}

impl EntityCommands<'_> {
    /// Adds an observer for the events of this entity when the command is applied. If the entity is not alive then, an
    /// error is reported.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn observe<M>(&mut self, observer: impl IntoEntityObserver<M>) -> &mut Self {
        let (entity, id) = (self.id(), ObserverId::next());
        let observer = observer.into_observer_for_entity(entity);
        self.queue(move |mut entity: EntityWorldMut<'_>| observer.register(entity.store_mut(), id))
    }

    /// Triggers an event that a function creates for this entity, when the command is applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(EntityEvent)]
    /// struct Open {
    ///     entity: Entity,
    /// }
    /// # #[derive(Resource, Default)] struct Opened(u32);
    ///
    /// let mut world = World::new();
    /// # world.init_resource::<Opened>();
    /// world.commands().spawn_empty().observe(|_: On<Open>, mut opened: ResMut<Opened>| opened.0 += 1).trigger(|entity| Open { entity });
    /// world.flush();
    /// assert_eq!(world.resource::<Opened>().0, 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn trigger<E: EntityEvent<Trigger<'static>: Default>>(&mut self, event: impl FnOnce(Entity) -> E) -> &mut Self {
        let event = event(self.id());
        self.commands().trigger(event);
        self
    }
}
