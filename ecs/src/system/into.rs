//! Conversion into systems, and systems made of others.
//!
//! Tests: tests/systems/systems.rs, tests/systems/params/inputs.rs

use super::base::BoxedSystem;
use super::combine;
use super::combine::{OwnInput, pipe};
use super::input::SystemInput;
use super::notify::WithNotifySystem;
use super::output::SystemOutput;
use super::params::MadeFromStore;
use crate::util::error::EcsError;

/// A type that converts into a system. These types are functions whose parameters are all
/// [`SystemParam`](crate::system::SystemParam)s, functions of `&mut World` and of parameters that the system owns
/// ([`ExclusiveSystemParam`](crate::system::ExclusiveSystemParam)), and items made by `#[system]`.
///
/// `Marker` only distinguishes these kinds of types. It is always inferred.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// fn name_of<Out: 'static, Marker>(system: impl IntoSystem<(), Out, Marker>) -> String {
///     IntoSystem::into_system(system).name().to_string()
/// }
/// fn count(entities: Query<Entity>) -> usize {
///     entities.count()
/// }
/// assert!(name_of(count).ends_with("::count"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a system",
    label = "not a system",
    note = "write `#[system]` above the function to see which parameter is wrong; such a function may also take components (`&T`, \
            `&mut T`), and up to 40 parameters",
    note = "a system is a function with at most 16 parameters, all of which implement `SystemParam`: `Query`, `Res`, `ResMut`, \
            `MessageReader`, `MessageWriter`, `Local`, `Commands`, `&World`, `ParamSet`, tuples of these; or with `&mut World` and \
            after it only `Local`, `&mut QueryState` and `&mut SystemState`",
    note = "the first parameter may be an input, `In<T>`: such a system is given a `T` by `first.pipe(system)` or \
            `run_system_once_with(system, value)`"
)]
#[doc(alias("SystemBase", "ISystem"))]
pub trait IntoSystem<I: SystemInput, Out, Marker>: Sized {
    /// Fails to evaluate if the parameters conflict. Every function that takes a system from the user evaluates this constant, so
    /// the compiler's error points to that call.
    #[doc(hidden)]
    const CHECKED: () = ();

    /// Converts `this` into a system.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let system = IntoSystem::into_system(idle);
    /// assert!(system.name().ends_with("::idle"));
    /// ```
    #[track_caller]
    fn into_system(this: Self) -> BoxedSystem<I, Out>;

    /// Converts `this` into a system whose output is a `Result`.
    #[doc(hidden)]
    #[track_caller]
    fn into_fallible_system(this: Self) -> BoxedSystem<I, Result<(), EcsError>>
    where
        I: 'static,
        Out: SystemOutput,
    {
        combine::fallible(Self::into_system(this))
    }

    /// Converts into a system that observes events, with a `Result` as its output, and passes it to `with`.
    #[doc(hidden)]
    #[track_caller]
    fn with_notify_system<W: WithNotifySystem<I>>(this: Self, with: W) -> W::Out
    where
        I: 'static,
        Out: SystemOutput,
    {
        with.with(Self::into_fallible_system(this))
    }

    /// Returns a system that runs this system, and then another one that takes its output.
    ///
    /// The access of both systems counts as borrowed for as long as either runs. They run one after the other, so they may borrow
    /// the same data. When both have finished, the commands of the first are applied, and then those of the second. So the second
    /// system does not see the effects of the first system's commands. If the first system cannot run, the second does not run.
    ///
    /// # Panics
    ///
    /// If more than 500 systems are nested. Each system of a pipe uses a part of the stack when it runs.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// fn weakest(all: Query<(Entity, &Health)>) -> Option<Entity> {
    ///     all.iter().min_by_key(|(_, health)| health.0).map(|(entity, _)| entity)
    /// }
    ///
    /// fn heal(In(patient): In<Option<Entity>>, mut all: Query<&mut Health>) {
    ///     if let Some(patient) = patient {
    ///         all.get_mut(patient).unwrap().0 += 10;
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// let [weak, strong] = [1, 5].map(|n| world.spawn(Health(n)).id());
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems(weakest.pipe(heal));
    /// schedule.run(&mut world);
    /// assert_eq!(world.get::<Health>(weak).unwrap().0, 11);
    /// assert_eq!(world.get::<Health>(strong).unwrap().0, 5);
    /// ```
    #[track_caller]
    fn pipe<Next, NextOut, NextMarker>(self, next: Next) -> BoxedSystem<I, NextOut>
    where
        Next: PipedSystem<Out, NextOut, NextMarker>,
        I: 'static,
        Out: 'static,
        NextOut: 'static,
    {
        let () = Self::CHECKED;
        let () = Next::PIPE_CHECKED;
        next.pipe_after(Self::into_system(self))
    }

    /// Returns a system that runs this system, and then a function that converts its output.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn population(everybody: Query<Entity>) -> usize {
    ///     everybody.count()
    /// }
    ///
    /// let empty = population.map(|count| count == 0);
    /// assert!(World::new().run_system_once(empty).unwrap());
    /// ```
    #[track_caller]
    fn map<NewOut, F>(self, function: F) -> BoxedSystem<I, NewOut>
    where
        F: FnMut(Out) -> NewOut + Send + Sync + 'static,
        I: 'static,
        Out: 'static,
        NewOut: 'static,
    {
        let () = Self::CHECKED;
        combine::map(Self::into_system(self), function)
    }

    /// Returns a system that runs this system with a mutable reference to `value` as its input. The returned system keeps the value
    /// and needs no other input.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource, Default)] struct Total(u32);
    ///
    /// fn count_up(InMut(next): InMut<u32>, mut total: ResMut<Total>) {
    ///     total.0 += *next;
    ///     *next += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// world.init_resource::<Total>();
    /// let mut schedule = Schedule::default();
    /// schedule.add_systems(count_up.with_input(10));
    /// schedule.run(&mut world);
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Total>().0, 10 + 11);
    /// ```
    #[track_caller]
    fn with_input<T>(self, value: T) -> BoxedSystem<(), Out>
    where
        I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
        Out: 'static,
        T: Send + Sync + 'static,
    {
        let () = Self::CHECKED;
        combine::wrap(None, OwnInput::Value(value), Self::into_system(self))
    }

    /// Like [`with_input`](Self::with_input), but the value is made from the world ([`FromWorld`](crate::world::FromWorld)) when
    /// the system is prepared for it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// struct Seed(usize);
    ///
    /// impl FromWorld for Seed {
    ///     fn from_world(world: &mut World) -> Self {
    ///         Self(world.len())
    ///     }
    /// }
    ///
    /// fn draw(InMut(seed): InMut<Seed>) -> usize {
    ///     seed.0
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_empty();
    /// assert_eq!(world.run_system_once(draw.with_input_from::<Seed>()).unwrap(), 1);
    /// ```
    #[track_caller]
    fn with_input_from<T>(self) -> BoxedSystem<(), Out>
    where
        I: for<'i> SystemInput<Inner<'i> = &'i mut T> + 'static,
        Out: 'static,
        T: MadeFromStore + Send + Sync + 'static,
    {
        let () = Self::CHECKED;
        combine::wrap(None, OwnInput::MadeBy(T::made_from_store, None), Self::into_system(self))
    }
}

/// Distinguishes boxed systems from types that have to be converted. It is the same type as in bevy_ecs, so that a function that
/// returns a system or a condition can name its marker.
#[doc(hidden)]
pub type BoxedMarker = ();

#[diagnostic::do_not_recommend]
impl<I: SystemInput, Out> IntoSystem<I, Out, BoxedMarker> for BoxedSystem<I, Out> {
    fn into_system(this: Self) -> Self {
        this
    }
}

/// A system that takes `T` as its input: the second system of [`IntoSystem::pipe`].
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take what the system before it returns: `{T}`",
    label = "not a system with the input `In<{T}>`",
    note = "the first parameter of the second system is `In<{T}>`; the others, at most 16, implement `SystemParam`",
    note = "write `#[system]` above the function to see which parameter is wrong"
)]
pub trait PipedSystem<T, Out, Marker>: Sized {
    /// Fails to evaluate if the parameters conflict, like `IntoSystem::CHECKED`.
    const PIPE_CHECKED: ();

    #[track_caller]
    fn pipe_after<I: SystemInput + 'static>(self, first: BoxedSystem<I, T>) -> BoxedSystem<I, Out>;
}

#[diagnostic::do_not_recommend]
impl<T, I, Out, Marker, S> PipedSystem<T, Out, (I, Marker)> for S
where
    T: 'static,
    I: for<'i> SystemInput<Inner<'i> = T> + 'static,
    Out: 'static,
    S: IntoSystem<I, Out, Marker>,
{
    const PIPE_CHECKED: () = S::CHECKED;

    fn pipe_after<First: SystemInput + 'static>(self, first: BoxedSystem<First, T>) -> BoxedSystem<First, Out> {
        pipe(first, S::into_system(self))
    }
}
