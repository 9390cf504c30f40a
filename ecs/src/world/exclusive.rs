//! Systems that are functions of the whole world, and their other parameters, which do not borrow the world.
//!
//! A function of a [`DeferredWorld`] can change values, but make no structural changes. Like a function of `&mut
//! World`, it runs alone. Unlike that, it can be an observer.
//!
//! Tests: tests/systems/params/exclusive.rs, tests/systems/params/deferred_worlds.rs

use core::any::type_name;
use core::marker::PhantomData;

use super::cast::World;
use super::deferred::DeferredWorld;
use super::system_state::SystemState;
use super::systems::{ExclusiveMarker, ExclusiveState, FromWorld, exclusive};
use crate::access::Access;
use crate::query::{QueryData, QueryFilter, QueryState};
use crate::structure::store::WorldId;
use crate::system::{BoxedSystem, IntoSystem, Local, StateVisitor, SyncCell, SystemName, SystemParam, WrittenInput};

/// A parameter of a function of `&mut World` or [`DeferredWorld`]. It comes after the world, and borrows nothing of the
/// world:
///
/// - [`Local`]: a value that only this function uses;
/// - `&mut QueryState<D, F>` and `&mut SystemState<P>`: they are prepared before the first run, and the function can
///   use them with the world any number of times;
/// - [`SystemName`], [`WorldId`], `PhantomData`, and tuples of up to eight of these parameters.
///
/// A function has up to eight such parameters. Their state belongs to one world. If the function runs in another world,
/// the state is initialized again.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # #[derive(Resource)] struct Poison(u32);
///
/// /// Takes the whole world, so that it can despawn at once, and finds the weak ones by a query that is prepared once.
/// fn bury(world: &mut World, weak: &mut QueryState<(Entity, &Health)>, mut buried: Local<usize>) -> usize {
///     let dead: Vec<Entity> = weak.iter(world).filter(|(_, health)| health.0 == 0).map(|(entity, _)| entity).collect();
///     *buried += dead.len();
///     dead.into_iter().for_each(|entity| _ = world.despawn(entity));
///     *buried
/// }
///
/// fn poison(world: &mut World, state: &mut SystemState<(Query<&mut Health>, Res<Poison>)>) {
///     let (mut healths, poison) = state.get_mut(world).unwrap();
///     healths.iter_mut().for_each(|mut health| health.0 = health.0.saturating_sub(poison.0));
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Poison(2));
/// world.spawn_batch([Health(1), Health(5)]);
/// let mut schedule = Schedule::default();
/// schedule.add_systems((poison, bury.pipe(|In(buried): In<usize>| assert_eq!(buried, 1))).chain());
/// schedule.run(&mut world);
/// assert_eq!(world.len(), 1);
/// ```
pub trait ExclusiveSystemParam: Sized {
    /// The state that is kept between runs.
    #[doc(hidden)]
    type State: Send + Sync + 'static;

    /// This parameter with another lifetime.
    type Item<'s>: ExclusiveSystemParam<State = Self::State>;

    /// Initializes the state for a world. `system` is the name of the system.
    #[doc(hidden)]
    fn init(world: &mut World, system: &'static str) -> Self::State;

    #[doc(hidden)]
    fn item(state: &mut Self::State) -> Self::Item<'_>;

    /// Passes all of the state to the visitor.
    #[doc(hidden)]
    fn visit_state(_: &mut Self::State, _: &mut StateVisitor<'_>) {}
}

impl<T: FromWorld + Send + 'static> ExclusiveSystemParam for Local<'_, T> {
    type State = SyncCell<T>;
    type Item<'s> = Local<'s, T>;

    fn init(world: &mut World, _: &'static str) -> SyncCell<T> {
        SyncCell::new(T::from_world(world))
    }

    #[inline]
    fn item(state: &mut SyncCell<T>) -> Local<'_, T> {
        Local::from(state.get())
    }

    fn visit_state(state: &mut SyncCell<T>, keeper: &mut StateVisitor<'_>) {
        keeper.value(state.get());
    }
}

impl<D: QueryData + 'static, F: QueryFilter + 'static> ExclusiveSystemParam for &mut QueryState<D, F> {
    type State = QueryState<D, F>;
    type Item<'s> = &'s mut QueryState<D, F>;

    fn init(world: &mut World, _: &'static str) -> QueryState<D, F> {
        world.query_filtered()
    }

    #[inline]
    fn item(state: &mut QueryState<D, F>) -> &mut QueryState<D, F> {
        state
    }

    /// Visits nothing: the query uses the last run of the system, so it has no tick of its own.
    fn visit_state(_: &mut QueryState<D, F>, _: &mut StateVisitor<'_>) {}
}

impl<P> ExclusiveSystemParam for &mut SystemState<P>
where
    P: SystemParam + 'static,
    SystemState<P>: Send + Sync,
{
    type State = SystemState<P>;
    type Item<'s> = &'s mut SystemState<P>;

    fn init(world: &mut World, _: &'static str) -> SystemState<P> {
        SystemState::new(world)
    }

    #[inline]
    fn item(state: &mut SystemState<P>) -> &mut SystemState<P> {
        state
    }

    fn visit_state(state: &mut SystemState<P>, keeper: &mut StateVisitor<'_>) {
        state.visit_state(keeper);
    }
}

impl<T: ?Sized + 'static> ExclusiveSystemParam for PhantomData<T> {
    type State = ();
    type Item<'s> = Self;

    fn init(_: &mut World, _: &'static str) {}

    #[inline]
    fn item((): &mut ()) -> Self {
        Self
    }
}

impl ExclusiveSystemParam for WorldId {
    type State = Self;
    type Item<'s> = Self;

    fn init(world: &mut World, _: &'static str) -> Self {
        world.id()
    }

    #[inline]
    fn item(state: &mut Self) -> Self {
        *state
    }
}

impl ExclusiveSystemParam for SystemName {
    type State = Self;
    type Item<'s> = Self;

    fn init(_: &mut World, system: &'static str) -> Self {
        Self::new(system)
    }

    #[inline]
    fn item(state: &mut Self) -> Self {
        *state
    }
}

/// Marker type: distinguishes functions of a `DeferredWorld` from other systems.
#[doc(hidden)]
pub struct DeferredMarker;

/// Calls a function of a `DeferredWorld`, and applies its commands. During a dispatch, they are applied at the end of the dispatch.
fn with_deferred<Out>(world: &mut World, call: impl FnOnce(DeferredWorld<'_>) -> Out) -> Out {
    let out = call(DeferredWorld::from(&mut *world));
    if !world.store.events.dispatch.is_running() {
        world.flush();
    }
    out
}

/// The state of the parameters `P` of a function.
struct KeptBy<P: ExclusiveSystemParam>(P::State);

impl<P: ExclusiveSystemParam + 'static> ExclusiveState for KeptBy<P> {
    fn prepared(world: &mut World, system: &'static str) -> Self {
        Self(P::init(world, system))
    }

    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>) {
        P::visit_state(&mut self.0, keeper);
    }
}

macro_rules! param_tuples {
    ($($P:ident $at:tt)*) => {
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no members")]
        impl<$($P: ExclusiveSystemParam),*> ExclusiveSystemParam for ($($P,)*) {
            type State = ($($P::State,)*);
            type Item<'s> = ($($P::Item<'s>,)*);

            fn init(world: &mut World, system: &'static str) -> Self::State {
                ($($P::init(world, system),)*)
            }

            #[inline]
            fn item(state: &mut Self::State) -> Self::Item<'_> {
                ($($P::item(&mut state.$at),)*)
            }

            fn visit_state(state: &mut Self::State, keeper: &mut StateVisitor<'_>) {
                $($P::visit_state(&mut state.$at, keeper);)*
            }
        }
    };
}

/// Implements `IntoSystem` for functions with one type of world parameter, followed by other parameters.
macro_rules! functions {
    ($Marker:ident $World:ty, $access:expr, $with:expr; $($P:ident $at:tt)*) => {
        impl<Func, Out, $($P: ExclusiveSystemParam + 'static),*> IntoSystem<(), Out, ($Marker, fn($($P),*))> for Func
        where
            Func: Send + Sync + 'static,
            for<'a> &'a mut Func: FnMut($World, $($P),*) -> Out + FnMut($World, $($P::Item<'_>),*) -> Out,
            Out: Unpin + 'static,
        {
            fn into_system(mut this: Self) -> BoxedSystem<(), Out> {
                // The indirection tells the compiler which of the two `FnMut` signatures of the function is meant.
                #[inline]
                fn call<Out, $($P),*>(
                    mut function: impl FnMut($World, $($P),*) -> Out,
                    world: $World,
                    params: ($($P,)*),
                ) -> Out {
                    let _ = &params;
                    function(world, $(params.$at),*)
                }
                let function = move |(), world: &mut World, kept: &mut KeptBy<($($P,)*)>| {
                    let params = <($($P,)*) as ExclusiveSystemParam>::item(&mut kept.0);
                    $with(world, |world: $World| call(&mut this, world, params))
                };
                exclusive(type_name::<Func>(), function, $access)
            }
        }

        impl<Func, Input, Out, $($P: ExclusiveSystemParam + 'static),*> IntoSystem<Input, Out, ($Marker, Input, fn($($P),*))>
            for Func
        where
            Func: Send + Sync + 'static,
            for<'a> &'a mut Func: FnMut(Input, $World, $($P),*) -> Out
                + FnMut(Input::Param<'_>, $World, $($P::Item<'_>),*) -> Out,
            Input: WrittenInput + 'static,
            Out: Unpin + 'static,
        {
            fn into_system(mut this: Self) -> BoxedSystem<Input, Out> {
                #[inline]
                fn call<Input, Out, $($P),*>(
                    mut function: impl FnMut(Input, $World, $($P),*) -> Out,
                    input: Input,
                    world: $World,
                    params: ($($P,)*),
                ) -> Out {
                    let _ = &params;
                    function(input, world, $(params.$at),*)
                }
                let function = move |input: Input::Inner<'_>, world: &mut World, kept: &mut KeptBy<($($P,)*)>| {
                    let (input, params) = (Input::wrap(input), <($($P,)*) as ExclusiveSystemParam>::item(&mut kept.0));
                    $with(world, |world: $World| call(&mut this, input, world, params))
                };
                exclusive(type_name::<Func>(), function, $access)
            }
        }
    };
}

macro_rules! exclusive_params {
    (functions: $($P:ident $at:tt)*) => {
        functions!(ExclusiveMarker &mut World, Access::exclusive(), with_world; $($P $at)*);
        functions!(DeferredMarker DeferredWorld<'_>, Access::exclusive_values(), with_deferred; $($P $at)*);
    };
    ($($P:ident $at:tt)+) => {
        param_tuples!($($P $at)+);
        exclusive_params!(functions: $($P $at)+);
    };
}

/// Calls a function with the whole world: the counterpart of [`with_deferred`] for functions of `&mut World`.
#[inline]
fn with_world<Out>(world: &mut World, call: impl FnOnce(&mut World) -> Out) -> Out {
    call(world)
}

param_tuples!();
exclusive_params!(functions:);
exclusive_params!(A 0);
exclusive_params!(A 0 B 1);
exclusive_params!(A 0 B 1 C 2);
exclusive_params!(A 0 B 1 C 2 D 3);
exclusive_params!(A 0 B 1 C 2 D 3 E 4);
exclusive_params!(A 0 B 1 C 2 D 3 E 4 F 5);
exclusive_params!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
exclusive_params!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
