//! Commands that a function makes, to be queued or handed on: bevy_ecs's `system::command` and `system::entity_command`.

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::own_commands::{Command, EntityCommand};
use super::systems::FromWorld;
use crate::bundle::{Bundle, InsertMode};
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::label::ScheduleLabel;
use crate::message::Message;
use crate::query::{QueryData, QueryFilter};
use crate::resource::Resource;
use crate::system::{EcsError, IntoSystem, SystemInput};

/// Commands that functions make: bevy_ecs's names.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::command;
/// # #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.commands().queue(command::insert_resource(Score(3)));
/// world.flush();
/// assert_eq!(world.resource::<Score>().0, 3);
/// ```
pub(crate) mod of_world {
    use super::*;
    use crate::world::SystemId;

    /// As [`World::spawn_batch`].
    pub fn spawn_batch<I: IntoIterator<Item: Bundle> + Send + 'static>(bundles: I) -> impl Command {
        move |world: &mut World| {
            world.spawn_batch(bundles);
        }
    }

    /// Adds a bundle to each entity of a list, as [`World::try_insert_batch`].
    pub fn insert_batch<I, B>(batch: I, mode: InsertMode) -> impl Command
    where
        I: IntoIterator<Item = (Entity, B)> + Send + 'static,
        B: Bundle,
    {
        move |world: &mut World| match mode {
            InsertMode::Replace => world.try_insert_batch(batch).map_err(EcsError::from),
            InsertMode::Keep => world.try_insert_batch_if_new(batch).map_err(EcsError::from),
        }
    }

    /// As [`World::init_resource`].
    #[must_use]
    pub fn init_resource<R: Resource + FromWorld>() -> impl Command {
        World::init_resource::<R>
    }

    /// As [`World::insert_resource`].
    pub fn insert_resource<R: Resource>(resource: R) -> impl Command {
        move |world: &mut World| world.insert_resource(resource)
    }

    /// As [`World::remove_resource`].
    #[must_use]
    pub fn remove_resource<R: Resource>() -> impl Command {
        |world: &mut World| {
            world.remove_resource::<R>();
        }
    }

    /// As [`World::run_system`].
    #[must_use]
    pub fn run_system<Out: 'static>(id: SystemId<(), Out>) -> impl Command {
        move |world: &mut World| world.run_system(id).map(drop)
    }

    /// As [`World::run_system_with`].
    pub fn run_system_with<I>(id: SystemId<I>, input: I::Inner<'static>) -> impl Command
    where
        I: SystemInput<Inner<'static>: Send> + 'static,
    {
        move |world: &mut World| world.run_system_with(id, input)
    }

    /// As [`World::run_system_cached`].
    pub fn run_system_cached<Marker: 'static, S>(system: S) -> impl Command
    where
        S: IntoSystem<(), (), Marker> + Send + 'static,
    {
        move |world: &mut World| world.run_system_cached(system)
    }

    /// As [`World::run_system_cached_with`].
    pub fn run_system_cached_with<I, Marker: 'static, S>(system: S, input: I::Inner<'static>) -> impl Command
    where
        I: SystemInput<Inner<'static>: Send> + 'static,
        S: IntoSystem<I, (), Marker> + Send + 'static,
    {
        move |world: &mut World| world.run_system_cached_with(system, input)
    }

    /// As [`World::unregister_system`].
    #[must_use]
    pub fn unregister_system<I: SystemInput + 'static, Out: 'static>(id: SystemId<I, Out>) -> impl Command {
        move |world: &mut World| world.unregister_system(id).map(drop)
    }

    /// As [`World::unregister_system_cached`].
    pub fn unregister_system_cached<I, Out, Marker, S>(system: S) -> impl Command
    where
        I: SystemInput + 'static,
        Out: 'static,
        Marker: 'static,
        S: IntoSystem<I, Out, Marker> + Send + 'static,
    {
        move |world: &mut World| world.unregister_system_cached(system).map(drop)
    }

    /// As [`World::try_run_schedule`].
    pub fn run_schedule(label: impl ScheduleLabel) -> impl Command {
        move |world: &mut World| world.try_run_schedule(label)
    }

    /// As [`World::write_message`].
    pub fn write_message<M: Message>(message: M) -> impl Command {
        move |world: &mut World| {
            world.write_message(message);
        }
    }

    /// As [`World::despawn_all`].
    #[must_use]
    pub fn despawn_all<F: QueryFilter + 'static>() -> impl Command {
        World::despawn_all::<F>
    }

    /// As [`World::despawn_all_where`].
    pub fn despawn_all_where<D, F>(is_meant: impl FnMut(D::Item<'_, '_>) -> bool + Send + 'static) -> impl Command
    where
        D: QueryData + 'static,
        F: QueryFilter + 'static,
    {
        move |world: &mut World| world.despawn_all_where::<D, F>(is_meant)
    }
}

/// Commands for one entity that functions make: bevy_ecs's names.
///
/// ```
/// use strata_ecs::bundle::InsertMode;
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::entity_command;
/// # #[derive(Component, Debug, PartialEq)] struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(1)).id();
/// let mut commands = world.commands();
/// commands.entity(entity).queue(entity_command::insert(Health(3), InsertMode::Keep));
/// world.flush();
/// assert_eq!(world.get(entity), Some(&Health(1)));
/// ```
pub(crate) mod of_entity {
    use super::*;
    use crate::world::{EntityClonerBuilder, OptIn, OptOut};

    /// As [`EntityWorldMut::insert`] or [`insert_if_new`](EntityWorldMut::insert_if_new).
    pub fn insert(bundle: impl Bundle, mode: InsertMode) -> impl EntityCommand {
        move |mut entity: EntityWorldMut<'_>| {
            match mode {
                InsertMode::Replace => entity.insert(bundle),
                InsertMode::Keep => entity.insert_if_new(bundle),
            };
        }
    }

    /// Inserts what a function makes. With [`InsertMode::Keep`] it is not called if the component is there.
    pub fn insert_with<T: Component, F>(make: F, mode: InsertMode) -> impl EntityCommand
    where
        F: FnOnce() -> T + Send + 'static,
    {
        move |mut entity: EntityWorldMut<'_>| {
            if mode == InsertMode::Replace || !entity.contains::<T>() {
                entity.insert(make());
            }
        }
    }

    /// Inserts what [`FromWorld`] makes. With [`InsertMode::Keep`] nothing is made if the component is there.
    #[must_use]
    pub fn insert_from_world<T: Component + FromWorld>(mode: InsertMode) -> impl EntityCommand {
        move |mut entity: EntityWorldMut<'_>| {
            if mode == InsertMode::Replace || !entity.contains::<T>() {
                let made = entity.world_scope(T::from_world);
                // The function may have done anything to the world.
                if !entity.is_despawned() {
                    entity.insert(made);
                }
            }
        }
    }

    /// As [`EntityWorldMut::remove`].
    #[must_use]
    pub fn remove<B: Bundle>() -> impl EntityCommand {
        |mut entity: EntityWorldMut<'_>| {
            entity.remove::<B>();
        }
    }

    /// As [`EntityWorldMut::remove_with_requires`].
    #[must_use]
    pub fn remove_with_requires<B: Bundle>() -> impl EntityCommand {
        |mut entity: EntityWorldMut<'_>| {
            entity.remove_with_requires::<B>();
        }
    }

    /// As [`EntityWorldMut::remove_by_id`].
    #[must_use]
    pub fn remove_by_id(id: ComponentId) -> impl EntityCommand {
        move |mut entity: EntityWorldMut<'_>| entity.remove_by_id(id).map(drop)
    }

    /// As [`EntityWorldMut::clear`].
    #[must_use]
    pub fn clear() -> impl EntityCommand {
        |mut entity: EntityWorldMut<'_>| {
            entity.clear();
        }
    }

    /// As [`EntityWorldMut::retain`].
    #[must_use]
    pub fn retain<B: Bundle>() -> impl EntityCommand {
        |mut entity: EntityWorldMut<'_>| {
            entity.retain::<B>();
        }
    }

    /// As [`EntityWorldMut::despawn`].
    #[must_use]
    pub fn despawn() -> impl EntityCommand {
        |entity: EntityWorldMut<'_>| entity.despawn()
    }

    /// As [`EntityWorldMut::move_components`].
    #[must_use]
    pub fn move_components<B: Bundle>(target: Entity) -> impl EntityCommand {
        move |mut entity: EntityWorldMut<'_>| entity.move_components::<B>(target).map(drop)
    }

    /// As [`EntityWorldMut::clone_with_opt_out`].
    pub fn clone_with_opt_out(
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>) + Send + 'static,
    ) -> impl EntityCommand {
        move |mut entity: EntityWorldMut<'_>| entity.clone_with_opt_out(target, config).map(drop)
    }

    /// As [`EntityWorldMut::clone_with_opt_in`].
    pub fn clone_with_opt_in(
        target: Entity,
        config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>) + Send + 'static,
    ) -> impl EntityCommand {
        move |mut entity: EntityWorldMut<'_>| entity.clone_with_opt_in(target, config).map(drop)
    }
}
