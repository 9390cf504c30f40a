//! User-defined commands, and commands that consist of several steps.
//!
//! Tests: tests/commands/own.rs

use alloc::string::ToString;
use alloc::sync::Arc;
use core::any::type_name;

use super::cast::World;
use super::entity_mut::EntityWorldMut;
use crate::query::{QueryData, QueryFilter};
use crate::structure::bundle::Bundle;
use crate::structure::store::{CommandErrors, CommandFailure, Store};
use crate::system::commands::{CommandQueue, Commands, EntityCommands};
use crate::util::error::{EcsError, ErrorContext, Severity};
use crate::util::trace;

/// The return type of a command: `()` or a `Result`. An error is passed to the [error
/// handler](crate::error::ErrorHandler) of the world. In a world without handler, an error is reported like a
/// [`CommandError`](crate::store::CommandError), if its severity is at least [`Severity::Error`]. A
/// [`Severity::Warning`] is logged, and an error of lower severity is ignored.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// let mut world = World::new();
/// world.commands().queue(|_: &mut World| -> Result { Err("no bread".into()) });
/// world.flush();
/// assert!(world.take_command_errors().0[0].to_string().ends_with("no bread"));
/// ```
#[diagnostic::on_unimplemented(
    message = "a command returns `()` or `Result<(), E>`, not `{Self}`",
    label = "not what a command may return"
)]
pub trait CommandOutput {
    /// Converts the output to a result.
    ///
    /// # Errors
    ///
    /// If the command returned an error.
    fn into_result(self) -> Result<(), EcsError>;
}

impl CommandOutput for () {
    #[inline]
    fn into_result(self) -> Result<(), EcsError> {
        Ok(())
    }
}

impl<E: Into<EcsError>> CommandOutput for Result<(), E> {
    fn into_result(self) -> Result<(), EcsError> {
        self.map_err(Into::into)
    }
}

/// Maps a function type to its return type. With it, the type `!` can be named, which has no name in stable Rust.
pub trait FunctionReturn {
    /// The return type.
    type Out;
}

impl<T> FunctionReturn for fn() -> T {
    type Out = T;
}

/// The type `!`: a closure that always panics has this return type.
impl CommandOutput for <fn() -> ! as FunctionReturn>::Out {
    fn into_result(self) -> Result<(), EcsError> {
        self
    }
}

/// A user-defined command, for [`Commands::queue`]. Functions and closures of `&mut World` implement it.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Resource, Default, Debug, PartialEq)]
/// struct Score(u32);
///
/// struct AddScore(u32);
///
/// impl Command for AddScore {
///     type Out = ();
///
///     fn apply(self, world: &mut World) {
///         world.resource_mut::<Score>().0 += self.0;
///     }
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Score>();
/// world.commands().queue(AddScore(5));
/// world.flush();
/// assert_eq!(world.resource::<Score>(), &Score(5));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no command: a command is a function of `&mut World`, or a type that implements `Command`",
    label = "not a command",
    note = "what a function returns is `()` or `Result<(), E>`; `move` the values that a closure uses into it"
)]
pub trait Command: Send + 'static {
    /// The return type: `()` or a `Result`.
    type Out: CommandOutput;

    /// Applies the command.
    fn apply(self, world: &mut World) -> Self::Out;
}

impl<F: FnOnce(&mut World) -> Out + Send + 'static, Out: CommandOutput> Command for F {
    type Out = Out;

    #[inline]
    fn apply(self, world: &mut World) -> Out {
        self(world)
    }
}

/// A user-defined command for one entity, for [`EntityCommands::queue`]. Functions and closures of [`EntityWorldMut`] implement it.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::EntityCommand;
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// struct Heal(u32);
///
/// impl EntityCommand for Heal {
///     type Out = ();
///
///     fn apply(self, mut entity: EntityWorldMut<'_>) {
///         entity.entry().and_modify(|mut health: Mut<'_, Health>| health.0 += self.0).or_insert(Health(self.0));
///     }
/// }
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(1)).id();
/// world.commands().entity(entity).queue(Heal(2)).queue(|mut entity: EntityWorldMut| {
///     entity.get_mut::<Health>().unwrap().0 *= 10;
/// });
/// world.flush();
/// assert_eq!(world.get(entity), Some(&Health(30)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no command for an entity: that is a function of `EntityWorldMut`, or a type that implements `EntityCommand`",
    label = "not a command for an entity"
)]
pub trait EntityCommand: Send + 'static {
    /// The return type: `()` or a `Result`.
    type Out: CommandOutput;

    /// Applies the command. The entity is alive.
    fn apply(self, entity: EntityWorldMut<'_>) -> Self::Out;
}

impl<F: FnOnce(EntityWorldMut<'_>) -> Out + Send + 'static, Out: CommandOutput> EntityCommand for F {
    type Out = Out;

    #[inline]
    fn apply(self, entity: EntityWorldMut<'_>) -> Out {
        self(entity)
    }
}

/// Passes the error of a command to the error handler of the world. Without a handler, reports or logs it.
fn settle<C>(world: &mut World, done: Result<(), EcsError>) {
    let Err(error) = done else { return };
    let by = world.store.structure.entities.caller();
    let context =
        |errors: &CommandErrors| ErrorContext { by, ..ErrorContext::command(type_name::<C>(), errors.system) };
    let Some(error) = world.store.commands.errors.handle(error, context) else { return };
    match error.severity() {
        Severity::Error | Severity::Panic => {
            let reason: Arc<str> = error.to_string().into();
            world.store.commands.errors.report("queue", type_name::<C>(), CommandFailure::Other(reason), by);
        }
        Severity::Warning => trace::warn(&error),
        _ => {}
    }
}

/// Wraps a command in the closure that is recorded for it.
fn carry_out<C: Command>(command: C) -> impl FnOnce(&mut Store) + Send + 'static {
    move |store| {
        store.place_pending();
        let world = World::from_store_mut(store);
        let done = command.apply(world).into_result();
        settle::<C>(world, done);
        store.structure.make_reserved_pending();
    }
}

impl CommandQueue {
    /// Adds a user-defined command, like [`Commands::queue`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Score(u32);
    ///
    /// let mut world = World::new();
    /// let mut queue = CommandQueue::default();
    /// queue.push(|world: &mut World| world.init_resource::<Score>());
    /// queue.push(|world: &mut World| world.resource_mut::<Score>().0 += 1);
    /// queue.apply(&mut world);
    /// assert_eq!(world.resource::<Score>().0, 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn push<C: Command>(&mut self, command: C) {
        self.record(carry_out(command));
    }
}

impl Commands<'_, '_> {
    /// Adds a user-defined command: a function of the world, or a [`Command`].
    ///
    /// If the command puts another world in the place of this one, for instance by `mem::swap`, the commands after it
    /// are not applied to the other world. They stay pending in the world for which they were recorded, until commands
    /// are applied to it again.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn restart(mut commands: Commands) {
    ///     commands.queue(|world: &mut World| world.clear_entities());
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_empty();
    /// world.run_system_once(restart).unwrap();
    /// assert!(world.is_empty());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    #[doc(alias("exec_mut"))]
    pub fn queue<C: Command>(&mut self, command: C) {
        self.push(carry_out(command));
    }

    /// Adds a user-defined command, like [`queue`](Self::queue), but ignores its output.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.commands().queue_silenced(|_: &mut World| -> Result { Err("no bread".into()) });
    /// world.flush();
    /// assert!(world.take_command_errors().0.is_empty());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn queue_silenced<C: Command>(&mut self, command: C) {
        self.queue(move |world: &mut World| {
            let _ = command.apply(world).into_result();
        });
    }

    /// Adds a user-defined command, like [`queue`](Self::queue), but passes an error of any severity to the given
    /// function. The module [`error`](crate::error) contains such functions: `ignore`, `trace`, `debug`, `info`,
    /// `warn`, `error` and `panic`.
    ///
    /// ```
    /// use strata_ecs::error::panic;
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Failures(Vec<String>);
    ///
    /// fn load(_: &mut World) -> Result {
    ///     Err("no such file".into())
    /// }
    ///
    /// let mut world = World::new();
    /// let (failures, received) = std::sync::mpsc::channel();
    /// world.commands().queue_handled(load, move |error, _| failures.send(error.to_string()).unwrap());
    /// world.commands().queue_handled(|_: &mut World| {}, panic); // It cannot fail.
    /// world.flush();
    /// assert_eq!(received.try_recv().unwrap(), "no such file");
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn queue_handled<C: Command>(
        &mut self,
        command: C,
        error_handler: impl FnOnce(EcsError, ErrorContext) + Send + 'static,
    ) {
        self.queue(move |world: &mut World| {
            let system = world.store.commands.errors.system;
            if let Err(error) = command.apply(world).into_result() {
                error_handler(error, ErrorContext::command(type_name::<C>(), system));
            }
        });
    }

    /// Despawns all entities that match a filter, when the command is applied, like `all::<F>().despawn()`.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # let mut world = World::new();
    /// world.spawn_batch([Enemy, Enemy]);
    /// world.commands().despawn_all::<With<Enemy>>();
    /// world.flush();
    /// assert!(world.is_empty());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn_all<F: QueryFilter + 'static>(&mut self) {
        self.all::<F>().despawn();
    }

    /// Despawns the entities of a query for which a function returns true, when the command is applied.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    /// # let mut world = World::new();
    /// world.spawn_batch([Health(0), Health(3)]);
    /// world.commands().despawn_all_where::<&Health, ()>(|health| health.0 == 0);
    /// world.flush();
    /// assert_eq!(world.len(), 1);
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn despawn_all_where<D, F>(&mut self, is_meant: impl FnMut(D::Item<'_, '_>) -> bool + Send + 'static)
    where
        D: QueryData + 'static,
        F: QueryFilter + 'static,
    {
        self.queue(move |world: &mut World| world.despawn_all_where::<D, F>(is_meant));
    }
}

impl EntityCommands<'_> {
    /// Adds a user-defined command for the entity: a function of [`EntityWorldMut`], or an [`EntityCommand`]. If the
    /// entity is not alive when the command is applied, an error is reported.
    ///
    /// See [`EntityCommand`] for an example.
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn queue<C: EntityCommand>(&mut self, command: C) -> &mut Self {
        let entity = self.id();
        self.commands().queue(move |world: &mut World| match world.get_entity_mut(entity) {
            Ok(found) => {
                let done = command.apply(found).into_result();
                settle::<C>(world, done);
            }
            Err(error) => {
                let by = world.store.structure.entities.caller();
                world.store.commands.errors.report("queue", type_name::<C>(), CommandFailure::Entity(error), by);
            }
        });
        self
    }

    /// Adds a user-defined command for the entity, like [`queue`](Self::queue), but reports no errors.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.despawn(entity);
    /// world.commands().entity(entity).queue_silenced(|_: EntityWorldMut| unreachable!("it is not alive"));
    /// world.flush();
    /// assert!(world.take_command_errors().0.is_empty());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn queue_silenced<C: EntityCommand>(&mut self, command: C) -> &mut Self {
        let entity = self.id();
        self.commands().queue(move |world: &mut World| {
            if let Ok(found) = world.get_entity_mut(entity) {
                let _ = command.apply(found).into_result();
            }
        });
        self
    }

    /// Adds a user-defined command for the entity, like [`queue`](Self::queue), but passes an error of any severity to
    /// the given function, also if the entity is not alive. See [`Commands::queue_handled`].
    ///
    /// ```
    /// use strata_ecs::entity::EntityError;
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn_empty().id();
    /// world.despawn(entity);
    /// world.commands().entity(entity).queue_handled(|_: EntityWorldMut| {}, move |error, _| {
    ///     assert_eq!(error.downcast_ref(), Some(&EntityError::Despawned(entity.into())));
    /// });
    /// world.flush();
    /// assert!(world.take_command_errors().0.is_empty());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn queue_handled<C: EntityCommand>(
        &mut self,
        command: C,
        error_handler: impl FnOnce(EcsError, ErrorContext) + Send + 'static,
    ) -> &mut Self {
        let entity = self.id();
        self.commands().queue(move |world: &mut World| {
            let system = world.store.commands.errors.system;
            let done = match world.get_entity_mut(entity) {
                Ok(found) => command.apply(found).into_result(),
                Err(error) => Err(error.into()),
            };
            if let Err(error) = done {
                error_handler(error, ErrorContext::command(type_name::<C>(), system));
            }
        });
        self
    }

    /// Removes the components of a bundle and all components that they require: see [`EntityWorldMut::remove_with_requires`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Default)] struct Health(u32);
    /// #[derive(Component)]
    /// #[require(Health)]
    /// struct Monster;
    ///
    /// # let mut world = World::new();
    /// let entity = world.spawn(Monster).id();
    /// world.commands().entity(entity).remove_with_requires::<Monster>();
    /// world.flush();
    /// assert!(!world.entity(entity).contains::<Health>());
    /// ```
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn remove_with_requires<B: Bundle>(&mut self) -> &mut Self {
        self.queue(|mut entity: EntityWorldMut<'_>| {
            entity.remove_with_requires::<B>();
        })
    }
}

impl EntityWorldMut<'_> {
    /// Removes the components of a bundle and all components that they require, directly or through others, in one move. Components
    /// that the entity does not have are skipped.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Default)] struct Health(u32);
    /// #[derive(Component)]
    /// #[require(Health)]
    /// struct Monster;
    ///
    /// let mut world = World::new();
    /// let mut entity = world.spawn(Monster);
    /// entity.remove_with_requires::<Monster>();
    /// assert!(!entity.contains::<Health>());
    /// ```
    #[track_caller]
    pub fn remove_with_requires<B: Bundle>(&mut self) -> &mut Self {
        self.at.remove_with_requires::<B>();
        self
    }
}
