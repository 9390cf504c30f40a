//! Change detection without systems.
//!
//! Tests: tests/changes/change_detection

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::entity_ref::EntityRef;
use crate::component::transition::Transition;
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::query::change::{ComponentTicks, Ref, Tick, TickPlace, Ticks};
use crate::storage::resource::Resource;
use crate::structure::store::skip_ticks;

impl World {
    /// Turns the recorder for tests on or off. While it is on, the transitions of every operation are recorded.
    #[doc(hidden)]
    pub fn record_transitions(&mut self, on: bool) {
        self.store.events.record_transitions(&mut self.store.structure.archetypes, on);
    }

    /// Returns the transitions that were recorded since the last call, and clears the list.
    #[doc(hidden)]
    pub fn take_transitions(&mut self) -> alloc::vec::Vec<(Entity, Transition)> {
        self.store.events.take_recorded()
    }

    /// Returns the current tick, which operations outside of systems use as the tick of their changes.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// let mut world = World::new();
    /// let mut query = world.query::<Ref<Health>>();
    /// world.spawn(Health(3));
    /// assert_eq!(query.single(&world).unwrap().added(), world.change_tick());
    /// ```
    #[must_use]
    pub fn change_tick(&self) -> Tick {
        self.store.clock.change_tick()
    }

    /// Returns the current tick, like [`change_tick`](Self::change_tick). bevy_ecs has this name.
    #[must_use]
    pub fn read_change_tick(&self) -> Tick {
        self.change_tick()
    }

    /// Returns the tick after which a change counts as new outside of systems: for queries of a [`QueryState`], for
    /// [`EntityRef::get_ref`] and similar methods. In a system that takes `&mut World`, it is the last run of the
    /// system.
    ///
    /// [`QueryState`]: crate::query::QueryState
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let now = world.change_tick();
    /// world.clear_trackers();
    /// assert_eq!(world.last_change_tick(), now);
    /// ```
    #[must_use]
    pub fn last_change_tick(&self) -> Tick {
        self.store.clock.last.get()
    }

    /// Advances to the next tick and returns the previous one. Each run of a system does this.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let before = world.increment_change_tick();
    /// assert!(world.change_tick() != before);
    /// ```
    #[doc(alias("GlobalSystemVersion"))]
    pub fn increment_change_tick(&mut self) -> Tick {
        self.store.next_tick()
    }

    /// Marks all changes so far as seen, outside of systems. Systems are not affected: each has its own last run.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn(Health(3));
    /// let mut changed = world.query_filtered::<Entity, Changed<Health>>();
    /// assert_eq!(changed.iter(&world).count(), 1);
    /// world.clear_trackers();
    /// assert_eq!(changed.iter(&world).count(), 0);
    /// ```
    pub fn clear_trackers(&mut self) {
        let now = self.store.next_tick();
        self.store.clock.last.set(now);
    }

    /// For tests of the wrapping of ticks: advances the tick as if `runs` systems had run.
    #[doc(hidden)]
    pub fn skip_change_ticks(&mut self, runs: u32) {
        skip_ticks(&mut self.store, runs);
    }

    /// Returns a resource with its change ticks.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// assert!(world.get_resource_ref::<Score>().unwrap().is_added());
    /// ```
    #[must_use]
    pub fn get_resource_ref<R: Resource>(&self) -> Option<Ref<'_, R>> {
        let value = self.store.resources.get::<R>()?;
        let cells = self.store.resources.ticks::<R>()?;
        Some(Ref::new(value, Ticks::new(TickPlace::One(cells), self.store.run_ticks())))
    }

    /// Returns the ticks at which a resource was added and changed, if it exists.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// assert_eq!(world.get_resource_change_ticks::<Score>().unwrap().added, world.change_tick());
    /// ```
    #[must_use]
    pub fn get_resource_change_ticks<R: Resource>(&self) -> Option<ComponentTicks> {
        let cells = self.store.resources.ticks::<R>().filter(|_| self.contains_resource::<R>())?;
        Some(cells.get())
    }

    /// Returns whether a resource exists and was changed since [`World::last_change_tick`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// world.clear_trackers();
    /// assert!(!world.is_resource_changed::<Score>());
    /// world.resource_mut::<Score>().0 += 1;
    /// assert!(world.is_resource_changed::<Score>());
    /// ```
    #[must_use]
    pub fn is_resource_changed<R: Resource>(&self) -> bool {
        self.get_resource_change_ticks::<R>().is_some_and(|ticks| self.store.run_ticks().is_new(ticks.changed))
    }

    /// Returns whether a resource exists and was added since [`World::last_change_tick`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    /// # let mut world = World::new();
    /// world.insert_resource(Score(3));
    /// assert!(world.is_resource_added::<Score>());
    /// ```
    #[must_use]
    pub fn is_resource_added<R: Resource>(&self) -> bool {
        self.get_resource_change_ticks::<R>().is_some_and(|ticks| self.store.run_ticks().is_new(ticks.added))
    }
}

impl<'w> EntityRef<'w> {
    /// Returns a component with its change ticks. `O(1)`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// assert!(world.entity(entity).get_ref::<Health>().unwrap().is_added());
    /// ```
    #[must_use]
    pub fn get_ref<T: Component>(&self) -> Option<Ref<'w, T>> {
        self.0.get_ref()
    }

    /// Returns the ticks at which a component was added and changed. They are known only while the component is
    /// tracked: see [`ComponentInfo::is_tracked`](crate::component::ComponentInfo::is_tracked). If it is not tracked,
    /// this call starts the tracking.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// let _watcher = world.query_filtered::<(), Changed<Health>>();
    /// let entity = world.spawn(Health(3)).id();
    /// let ticks = world.entity(entity).get_change_ticks::<Health>().unwrap();
    /// assert_eq!(ticks.added, world.change_tick());
    /// ```
    #[must_use]
    pub fn get_change_ticks<T: Component>(&self) -> Option<ComponentTicks> {
        self.get_change_ticks_by_id(self.0.store().structure.archetypes.components.id::<T>()?)
    }

    /// Returns the ticks at which a component was added and changed, if the entity has it and it is tracked: see
    /// [`EntityRef::get_change_ticks`].
    ///
    /// ```
    /// use strata_ecs::component::{ChangeTracking, ComponentDescriptor, Description};
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let heat = ComponentDescriptor::builder("mod:heat", Description::<f32>::new());
    /// let heat = world.register_component_with_descriptor(heat.tracking(ChangeTracking::Always).build()).unwrap();
    /// let entity = world.spawn_empty().insert_by_id(heat, 21.5_f32).unwrap().id();
    /// let ticks = world.entity(entity).get_change_ticks_by_id(heat).unwrap();
    /// assert_eq!(ticks.added, world.change_tick());
    /// ```
    #[must_use]
    pub fn get_change_ticks_by_id(&self, id: ComponentId) -> Option<ComponentTicks> {
        self.0.ticks_by_id(id)
    }
}

impl EntityWorldMut<'_> {
    forward! {
        as_readonly:

        /// Returns a component with its change ticks. `O(1)`.
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component)] struct Health(u32);
        /// # let mut world = World::new();
        /// assert!(world.spawn(Health(3)).get_ref::<Health>().unwrap().is_changed());
        /// ```
        fn get_ref<T: Component>(&self) -> Option<Ref<'_, T>>;

        /// Returns the ticks at which a component was added and changed, if it is tracked: see
        /// [`EntityRef::get_change_ticks`].
        ///
        /// ```
        /// use strata_ecs::prelude::*;
        /// # #[derive(Component)] struct Health(u32);
        /// # let mut world = World::new();
        /// let _watcher = world.query_filtered::<(), Changed<Health>>();
        /// assert!(world.spawn(Health(3)).get_change_ticks::<Health>().is_some());
        /// ```
        fn get_change_ticks<T: Component>(&self) -> Option<ComponentTicks>;
    }
}
