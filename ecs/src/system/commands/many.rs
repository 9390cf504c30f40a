//! Commands for many entities at once.
//!
//! Tests: tests/storage/selections/queue.rs

use alloc::vec::Vec;

use super::api::Commands;
use crate::entity::Entity;
use crate::query::selection::EntitySelection;
use crate::query::{QueryFilter, ReadOnlyQueryData, select};
use crate::structure::bundle::{Bundle, OneOfEach};
use crate::structure::store::{Selection, Store};

/// Selects entities when the command is applied.
type SelectFn = alloc::boxed::Box<dyn FnOnce(&mut Store) -> Vec<Selection> + Send>;

/// Commands for many entities at once, from [`Commands::all`] and [`Commands::many`]. The entities are selected when
/// the command is applied. Entities that earlier commands spawn are included. Entities that later commands spawn, and
/// ids that are only reserved, are not included. See [`EntitySelection`] for the costs.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Enemy;
/// #[derive(Component, Clone)]
/// struct Frozen;
///
/// fn freeze(mut commands: Commands) {
///     commands.all::<With<Enemy>>().insert(Frozen);
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([Enemy, Enemy]);
/// world.run_system_once(freeze).unwrap();
/// assert_eq!(world.all::<With<Frozen>>().len(), 2);
/// ```
#[must_use = "a selection does nothing by itself"]
pub struct SelectionCommands<'a> {
    commands: Commands<'a, 'a>,
    select: SelectFn,
}

impl Commands<'_, '_> {
    /// Returns commands for all entities that match a filter when the commands are applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// world.spawn_batch([Enemy, Enemy]);
    /// world.commands().all::<With<Enemy>>().despawn();
    /// world.flush();
    /// assert!(world.is_empty());
    /// ```
    pub fn all<F: QueryFilter + 'static>(&mut self) -> SelectionCommands<'_> {
        SelectionCommands { commands: self.reborrow(), select: alloc::boxed::Box::new(select::<F>) }
    }

    /// Returns commands for the entities of a list, in any order. Entities that are not alive when a command is applied
    /// are skipped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// let ids: Vec<Entity> = world.spawn_batch([Enemy, Enemy]).collect();
    /// world.commands().many(ids).despawn();
    /// world.flush();
    /// assert!(world.is_empty());
    /// ```
    pub fn many(&mut self, entities: impl Into<Vec<Entity>>) -> SelectionCommands<'_> {
        let entities = entities.into();
        let select = move |store: &mut Store| store.select(&entities);
        SelectionCommands { commands: self.reborrow(), select: alloc::boxed::Box::new(select) }
    }
}

impl SelectionCommands<'_> {
    #[cfg_attr(feature = "track_location", track_caller)]
    fn push(mut self, change: impl FnOnce(EntitySelection<'_>) + Send + 'static) {
        let select = self.select;
        // Reserved ids whose spawn commands come later in the queue are not selected.
        self.commands.push(move |store| {
            let selections = select(store);
            change(EntitySelection::new(store, selections));
        });
    }

    /// Adds a clone of a bundle to each entity; see [`EntitySelection::insert`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component, Clone)] struct Frozen;
    /// # let mut world = World::new();
    /// let enemy = world.spawn(Enemy).id();
    /// world.commands().all::<With<Enemy>>().insert(Frozen);
    /// world.flush();
    /// assert!(world.entity(enemy).contains::<Frozen>());
    /// ```
    #[track_caller]
    pub fn insert<B: Bundle + Clone>(self, bundle: B) {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.push(move |entities| {
            entities.insert(bundle);
        });
    }

    /// Adds the bundle that a function creates for each entity; see [`EntitySelection::insert_with`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Number(u32);
    /// # let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.commands().all::<()>().insert_with(|entity| Number(entity.index()));
    /// world.flush();
    /// assert_eq!(world.get::<Number>(entity).unwrap().0, entity.index());
    /// ```
    #[track_caller]
    pub fn insert_with<B: Bundle>(self, make: impl FnMut(Entity) -> B + Send + 'static) {
        let () = OneOfEach::<B>::COMPONENTS;
        OneOfEach::<B>::check();
        self.push(move |entities| {
            entities.insert_with(make);
        });
    }

    /// Adds the bundle that a function creates from other components; see [`EntitySelection::insert_from`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Speed(f32);
    /// # #[derive(Component)] struct Energy(f32);
    /// # let mut world = World::new();
    /// let entity = world.spawn(Speed(2.0)).id();
    /// world.commands().all::<()>().insert_from::<&Speed, _>(|speed| Energy(speed.0 * speed.0 / 2.0));
    /// world.flush();
    /// assert_eq!(world.get::<Energy>(entity).unwrap().0, 2.0);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn insert_from<D, B>(self, make: impl FnMut(D::Item<'_, '_>) -> B + Send + 'static)
    where
        D: ReadOnlyQueryData,
        B: Bundle,
    {
        self.push(move |entities| {
            entities.insert_from::<D, B>(make);
        });
    }

    /// Removes the components of a bundle; see [`EntitySelection::remove`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Frozen;
    /// # let mut world = World::new();
    /// let entity = world.spawn(Frozen).id();
    /// world.commands().all::<With<Frozen>>().remove::<Frozen>();
    /// world.flush();
    /// assert!(!world.entity(entity).contains::<Frozen>());
    /// ```
    #[track_caller]
    pub fn remove<B: Bundle>(self) {
        OneOfEach::<B>::check();
        self.push(|entities| {
            entities.remove::<B>();
        });
    }

    /// Despawns the entities.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// world.spawn_batch([Enemy, Enemy]);
    /// world.commands().all::<With<Enemy>>().despawn();
    /// world.flush();
    /// assert!(world.is_empty());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn(self) {
        self.push(|entities| {
            entities.despawn();
        });
    }
}

impl_debug_of_fields! { [] SelectionCommands<'_> {} }
