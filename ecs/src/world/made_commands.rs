//! Functions that return commands, to be queued or passed on. They correspond to bevy_ecs's `system::command` and
//! `system::entity_command`.
//!
//! Tests: tests/commands/made.rs

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use super::own_commands::{Command, EntityCommand};
use super::systems::FromWorld;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::query::{QueryData, QueryFilter};
use crate::schedule::label::ScheduleLabel;
use crate::storage::message::Message;
use crate::storage::resource::Resource;
use crate::structure::bundle::{Bundle, InsertMode};
use crate::system::{EcsError, IntoSystem, SystemInput};

/// Defines functions that return commands. The input is the operation of each command on the world or on the entity.
macro_rules! commands {
    (
        $Command:ident($Target:ty):
        $(
            $(#[$meta:meta])*
            fn $name:ident[$($generics:tt)*]($($arg:ident: $Arg:ty),*) = |$target:pat_param| $body:expr;
        )*
    ) => { $(
        $(#[$meta])*
        pub fn $name<$($generics)*>($($arg: $Arg),*) -> impl $Command {
            move |$target: $Target| $body
        }
    )* };
}

/// Functions that return commands, with bevy_ecs's names.
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

    commands! {
        Command(&mut World):

        /// Returns a command that calls [`World::spawn_batch`].
        fn spawn_batch[I: IntoIterator<Item: Bundle> + Send + 'static](bundles: I) = |world| _ = world.spawn_batch(bundles);

        /// Returns a command that adds a bundle to each entity of a list, like [`World::try_insert_batch`].
        fn insert_batch[I: IntoIterator<Item = (Entity, B)> + Send + 'static, B: Bundle](batch: I, mode: InsertMode) = |world| match mode {
            InsertMode::Replace => world.try_insert_batch(batch).map_err(EcsError::from),
            InsertMode::Keep => world.try_insert_batch_if_new(batch).map_err(EcsError::from),
        };

        /// Returns a command that calls [`World::init_resource`].
        #[must_use]
        fn init_resource[R: Resource + FromWorld]() = |world| world.init_resource::<R>();

        /// Returns a command that calls [`World::insert_resource`].
        fn insert_resource[R: Resource](resource: R) = |world| world.insert_resource(resource);

        /// Returns a command that calls [`World::remove_resource`].
        #[must_use]
        fn remove_resource[R: Resource]() = |world| _ = world.remove_resource::<R>();

        /// Returns a command that calls [`World::run_system`].
        #[must_use]
        fn run_system[Out: 'static](id: SystemId<(), Out>) = |world| world.run_system(id).map(drop);

        /// Returns a command that calls [`World::run_system_with`].
        fn run_system_with[I: SystemInput<Inner<'static>: Send> + 'static](id: SystemId<I>, input: I::Inner<'static>) =
            |world| world.run_system_with(id, input);

        /// Returns a command that calls [`World::run_system_cached`].
        fn run_system_cached[Marker: 'static, S: IntoSystem<(), (), Marker> + Send + 'static](system: S) =
            |world| world.run_system_cached(system);

        /// Returns a command that calls [`World::run_system_cached_with`].
        fn run_system_cached_with[
            I: SystemInput<Inner<'static>: Send> + 'static,
            Marker: 'static,
            S: IntoSystem<I, (), Marker> + Send + 'static
        ](system: S, input: I::Inner<'static>) = |world| world.run_system_cached_with(system, input);

        /// Returns a command that calls [`World::unregister_system`].
        #[must_use]
        fn unregister_system[I: SystemInput + 'static, Out: 'static](id: SystemId<I, Out>) =
            |world| world.unregister_system(id).map(drop);

        /// Returns a command that calls [`World::unregister_system_cached`].
        fn unregister_system_cached[
            I: SystemInput + 'static,
            Out: 'static,
            Marker: 'static,
            S: IntoSystem<I, Out, Marker> + Send + 'static
        ](system: S) = |world| world.unregister_system_cached(system).map(drop);

        /// Returns a command that calls [`World::try_run_schedule`].
        fn run_schedule[](label: impl ScheduleLabel) = |world| world.try_run_schedule(label);

        /// Returns a command that calls [`World::write_message`].
        fn write_message[M: Message](message: M) = |world| _ = world.write_message(message);

        /// Returns a command that calls [`World::despawn_all`].
        #[must_use]
        fn despawn_all[F: QueryFilter + 'static]() = |world| world.despawn_all::<F>();

        /// Returns a command that calls [`World::despawn_all_where`].
        fn despawn_all_where[D: QueryData + 'static, F: QueryFilter + 'static](
            is_meant: impl FnMut(D::Item<'_, '_>) -> bool + Send + 'static
        ) = |world| world.despawn_all_where::<D, F>(is_meant);
    }
}

/// Functions that return commands for one entity, with bevy_ecs's names.
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
    pub use crate::world::entry_commands::{insert_from_world, insert_with};
    use crate::world::{EntityClonerBuilder, OptIn, OptOut};

    commands! {
        EntityCommand(EntityWorldMut<'_>):

        /// Returns a command that calls [`EntityWorldMut::insert`] or [`insert_if_new`](EntityWorldMut::insert_if_new).
        fn insert[](bundle: impl Bundle, mode: InsertMode) = |mut entity| _ = match mode {
            InsertMode::Replace => entity.insert(bundle),
            InsertMode::Keep => entity.insert_if_new(bundle),
        };

        /// Returns a command that calls [`EntityWorldMut::remove`].
        #[must_use]
        fn remove[B: Bundle]() = |mut entity| _ = entity.remove::<B>();

        /// Returns a command that calls [`EntityWorldMut::remove_with_requires`].
        #[must_use]
        fn remove_with_requires[B: Bundle]() = |mut entity| _ = entity.remove_with_requires::<B>();

        /// Returns a command that calls [`EntityWorldMut::remove_by_id`].
        #[must_use]
        fn remove_by_id[](id: ComponentId) = |mut entity| entity.remove_by_id(id).map(drop);

        /// Returns a command that calls [`EntityWorldMut::clear`].
        #[must_use]
        fn clear[]() = |mut entity| _ = entity.clear();

        /// Returns a command that calls [`EntityWorldMut::retain`].
        #[must_use]
        fn retain[B: Bundle]() = |mut entity| _ = entity.retain::<B>();

        /// Returns a command that calls [`EntityWorldMut::despawn`].
        #[must_use]
        fn despawn[]() = |entity| entity.despawn();

        /// Returns a command that calls [`EntityWorldMut::move_components`].
        #[must_use]
        fn move_components[B: Bundle](target: Entity) = |mut entity| entity.move_components::<B>(target).map(drop);

        /// Returns a command that calls [`EntityWorldMut::clone_with_opt_out`].
        fn clone_with_opt_out[](
            target: Entity,
            config: impl FnOnce(&mut EntityClonerBuilder<'_, OptOut>) + Send + 'static
        ) = |mut entity| entity.clone_with_opt_out(target, config).map(drop);

        /// Returns a command that calls [`EntityWorldMut::clone_with_opt_in`].
        fn clone_with_opt_in[](
            target: Entity,
            config: impl FnOnce(&mut EntityClonerBuilder<'_, OptIn>) + Send + 'static
        ) = |mut entity| entity.clone_with_opt_in(target, config).map(drop);
    }
}
