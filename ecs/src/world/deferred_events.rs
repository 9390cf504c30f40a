//! Several operations whose lifecycle events are delivered together.
//!
//! Tests: tests/observers/deferred.rs

use super::cast::World;
use crate::structure::store::with_deferred_events;

impl World {
    /// Runs several operations as one: hooks and observers of added components (`Add`, `Insert`, new pairs) are called
    /// after the closure has returned. So they see the result of all operations, in whatever order these ran.
    ///
    /// - An event is delivered for each operation, but only if the entity still has the component at the end. If
    ///   several values were inserted, observers see the last value each time.
    /// - Hooks and observers of removals (`Remove`, `Discard`, `Despawn`) are called before the removal, as always.
    /// - Commands that hooks and observers record are applied at the end. Commands that the closure records are applied
    ///   when the closure flushes them.
    /// - A snapshot can neither be taken nor restored in the closure.
    /// - If the closure replaces this world by another one, the events of this world are delivered with its next
    ///   operation.
    ///
    /// If the closure panics, the events up to then are delivered with the next operation.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Label(&'static str);
    /// #[derive(Resource, Default)]
    /// struct Seen(Vec<&'static str>);
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Seen>();
    /// world.add_observer(|add: On<Add<ChildOf>>, up: Query<&ChildOf>, labels: Query<&Label>, mut seen: ResMut<Seen>| {
    ///     let parent = up.get(add.entity).unwrap().parent();
    ///     seen.0.push(labels.get(parent).map_or("none", |label| label.0));
    /// });
    /// world.with_deferred_events(|world| {
    ///     let parent = world.spawn_empty().id();
    ///     world.spawn(ChildOf(parent));
    ///     world.entity_mut(parent).insert(Label("parent"));
    /// });
    /// assert_eq!(world.resource::<Seen>().0, ["parent"]);
    /// ```
    pub fn with_deferred_events<T>(&mut self, operations: impl FnOnce(&mut Self) -> T) -> T {
        with_deferred_events(&mut self.store, |store| operations(Self::from_store_mut(store)))
    }
}
