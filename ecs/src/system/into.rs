//! What can be turned into a system, and systems made of others.

use super::base::BoxedSystem;
use super::combine;
use super::output::{BoxError, SystemOutput};

/// What can be turned into a system: functions whose parameters are all [`SystemParam`](crate::system::SystemParam)s,
/// functions of `&mut World`, and items made by `#[system]`.
///
/// `Marker` only keeps the kinds apart; it is always inferred.
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
    note = "a system is a function whose parameters are all system parameters: `Query`, `Res`, `ResMut`, \
            `MessageReader`, `MessageWriter`, `Local`, `Commands`, `&World`, `ParamSet`, tuples of these; or only \
            `&mut World`",
    note = "the first parameter may be an input, `In<T>`: such a system is given a `T` by `first.pipe(system)` or \
            `run_system_once_with(system, value)`",
    note = "write `#[system]` above a function over components (`&T`, `&mut T`); above any other one, it shows which parameter \
            is wrong"
)]
pub trait IntoSystem<In, Out, Marker>: Sized {
    /// Fails to be evaluated if the parameters get into each other's way. What a user hands a system to names it, so that
    /// the compiler points there.
    #[doc(hidden)]
    const CHECKED: () = ();

    /// The system.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # fn idle() {}
    /// let system = IntoSystem::into_system(idle);
    /// assert!(system.name().ends_with("::idle"));
    /// ```
    fn into_system(this: Self) -> BoxedSystem<In, Out>;

    /// The system, with an output that says whether it went well.
    #[doc(hidden)]
    fn into_fallible_system(this: Self) -> BoxedSystem<In, Result<(), BoxError>>
    where
        In: 'static,
        Out: SystemOutput,
    {
        combine::fallible(Self::into_system(this))
    }

    /// This system, and behind it another one that takes what it returns: two systems as one.
    ///
    /// What both borrow counts as borrowed for as long as either runs; but they run one after the other, so they may borrow
    /// the same. Their commands are applied when both have finished, in this order: the second does not see those of the
    /// first. If the first cannot run, the second does not.
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
    fn pipe<Next, NextOut, NextMarker>(self, next: Next) -> BoxedSystem<In, NextOut>
    where
        Next: PipedSystem<Out, NextOut, NextMarker>,
        In: 'static,
        Out: 'static,
        NextOut: 'static,
    {
        let () = Self::CHECKED;
        let () = Next::CHECKED;
        combine::pipe(Self::into_system(self), Next::into_system(next))
    }

    /// This system, with a function behind it that makes something else of what it returns.
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
    fn map<NewOut, F>(self, function: F) -> BoxedSystem<In, NewOut>
    where
        F: FnMut(Out) -> NewOut + Send + Sync + 'static,
        In: 'static,
        Out: 'static,
        NewOut: 'static,
    {
        let () = Self::CHECKED;
        combine::map(Self::into_system(self), function)
    }
}

/// Keeps systems that are systems already apart from others.
#[doc(hidden)]
pub struct BoxedMarker;

#[diagnostic::do_not_recommend]
impl<In, Out> IntoSystem<In, Out, BoxedMarker> for BoxedSystem<In, Out> {
    fn into_system(this: Self) -> Self {
        this
    }
}

/// A system that takes `T`: the second one of [`IntoSystem::pipe`].
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take what the system before it returns: `{T}`",
    label = "not a system with the input `In<{T}>`",
    note = "the first parameter of the second system is `In<{T}>`; the others are system parameters"
)]
pub trait PipedSystem<T, Out, Marker>: IntoSystem<T, Out, Marker> {}

#[diagnostic::do_not_recommend]
impl<T, Out, Marker, S: IntoSystem<T, Out, Marker>> PipedSystem<T, Out, Marker> for S {}
