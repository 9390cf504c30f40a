//! Builders that initialize the parameters of a system with values of the caller.
//!
//! Tests: tests/systems/params/builders.rs

use alloc::boxed::Box;

use super::cast::World;
use super::system_state::SystemState;
use super::systems::FromWorld;
use crate::query::{Query, QueryData, QueryFilter};
use crate::storage::resource::Resource;
use crate::system::{
    BoxedSystem, BuildParam, FilteredResources, FilteredResourcesMut, FunctionSystem, Local, ParamBuilder, Res, ResMut,
    SystemParam, SystemParamFunction,
};

/// Converts a world to read access to all its resources.
impl<'w> From<&'w World> for FilteredResources<'w, '_> {
    fn from(world: &'w World) -> Self {
        Self::of(world.read())
    }
}

/// Converts a world to read access to all its resources.
impl<'w> From<&'w mut World> for FilteredResources<'w, '_> {
    fn from(world: &'w mut World) -> Self {
        Self::of(world.read())
    }
}

/// Converts a world to read and write access to all its resources.
impl<'w> From<&'w mut World> for FilteredResourcesMut<'w, '_> {
    fn from(world: &'w mut World) -> Self {
        Self::of(&mut world.store)
    }
}

/// A builder that initializes a parameter of a system. These are builders:
///
/// - a [`LocalBuilder`](crate::system::LocalBuilder), a [`ParamSetBuilder`](crate::system::ParamSetBuilder), a
///   [`DynParamBuilder`](crate::system::DynParamBuilder), an [`IfBuilder`](crate::system::IfBuilder), or a
///   [`ParamBuilder`];
/// - a [`QueryParamBuilder`](crate::system::QueryParamBuilder) or an existing query;
/// - a tuple or `Vec` of builders, for a tuple or `Vec` of parameters.
///
/// A system is built from a tuple with a builder for each of its parameters.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{LocalBuilder, ParamBuilder, SystemParamBuilder};
/// # #[derive(Resource)] struct Score(u32);
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// let system = (LocalBuilder(100), ParamBuilder::resource_mut::<Score>())
///     .build_state(&mut world)
///     .build_system(|mut next, mut score| {
///         *next += 1;
///         score.0 = *next;
///     });
///
/// let mut schedule = Schedule::default();
/// schedule.add_systems(system);
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Score>().0, 102);
/// ```
pub trait SystemParamBuilder<P: SystemParam>: BuildParam<P> {
    /// Initializes the parameters for a world. [`SystemState::build_system`] makes a system from the parameters and a
    /// function.
    ///
    /// The built state is used only in this world. If the system runs in another world, it is initialized there without
    /// the builder.
    ///
    /// # Panics
    ///
    /// If two parameters conflict, and the compiler could not detect this.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::{LocalBuilder, SystemParamBuilder};
    ///
    /// fn count(mut next: Local<u32>) -> u32 {
    ///     *next += 1;
    ///     *next
    /// }
    ///
    /// let mut world = World::new();
    /// let state = (LocalBuilder(7),).build_state(&mut world);
    /// assert_eq!(world.run_system_once(state.build_any_system(count)).unwrap(), 8);
    /// ```
    #[must_use]
    fn build_state(self, world: &mut World) -> SystemState<P> {
        SystemState::built(self, world)
    }

    /// Makes a system from a function. The parameters are built when the system is initialized for its first world:
    /// when its schedule is initialized, or when the system is run or registered. If the system runs in another world,
    /// it is initialized there without the builder.
    ///
    /// The parameter types of a closure must be written: the compiler infers them only with
    /// [`SystemState::build_system`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::{LocalBuilder, SystemParamBuilder};
    ///
    /// fn count(mut next: Local<u32>) -> u32 {
    ///     *next += 1;
    ///     *next
    /// }
    ///
    /// let system = (LocalBuilder(7),).build_system(count);
    /// assert_eq!(World::new().run_system_once(system).unwrap(), 8);
    /// ```
    #[track_caller]
    fn build_system<Marker, F>(self, function: F) -> BoxedSystem<F::In, F::Out>
    where
        Self: Send + Sync + 'static,
        Marker: 'static,
        F: SystemParamFunction<Marker, Out: 'static, Param = P>,
    {
        Box::new(FunctionSystem::built(function, self))
    }
}

#[diagnostic::do_not_recommend]
impl<P: SystemParam, B: BuildParam<P>> SystemParamBuilder<P> for B {}

impl ParamBuilder {
    /// Returns a builder of this parameter that determines the parameter's type. Closures with inferred parameters need
    /// it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::{ParamBuilder, SystemParamBuilder};
    ///
    /// let mut world = World::new();
    /// let spawn = (ParamBuilder::of::<Commands>(),).build_state(&mut world).build_system(|mut commands| {
    ///     commands.spawn_empty();
    /// });
    /// world.run_system_once(spawn).unwrap();
    /// assert_eq!(world.len(), 1);
    /// ```
    #[must_use]
    pub fn of<P: SystemParam>() -> impl SystemParamBuilder<P> {
        Self
    }

    /// Returns a builder of a [`Res`].
    #[must_use]
    pub fn resource<R: Resource>() -> impl SystemParamBuilder<Res<'static, R>> {
        Self
    }

    /// Returns a builder of a [`ResMut`].
    #[must_use]
    pub fn resource_mut<R: Resource>() -> impl SystemParamBuilder<ResMut<'static, R>> {
        Self
    }

    /// Returns a builder of a [`Local`] with the initial value that `FromWorld` makes.
    #[must_use]
    pub fn local<T: FromWorld + Send + Sync + 'static>() -> impl SystemParamBuilder<Local<'static, T>> {
        Self
    }

    /// Returns a builder of a [`Query`].
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// use strata_ecs::system::{ParamBuilder, SystemParamBuilder};
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let sum = (ParamBuilder::query::<&Health>(),).build_state(&mut world);
    /// let sum = sum.build_system(|healths| healths.iter().map(|health| health.0).sum::<u32>());
    /// assert_eq!(world.run_system_once(sum).unwrap(), 3);
    /// ```
    #[must_use]
    pub fn query<D: QueryData + 'static>() -> impl SystemParamBuilder<Query<'static, 'static, D, ()>> {
        Self
    }

    /// Returns a builder of a [`Query`] with a filter.
    #[must_use]
    pub fn query_filtered<D: QueryData + 'static, F: QueryFilter + 'static>()
    -> impl SystemParamBuilder<Query<'static, 'static, D, F>> {
        Self
    }
}
