//! The trait of system parameters, and how they are fetched.
//!
//! Tests: tests/systems/params

use core::marker::PhantomData;

use super::memory::StateVisitor;
use super::meta::SystemMeta;
use super::param_error::ParamError;
use crate::access::const_access::ConstAccess;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;

/// A parameter of a system. Among the parameters are [`Query`](crate::query::Query), [`Res`](crate::system::Res),
/// [`ResMut`](crate::system::ResMut), [`MessageReader`](crate::system::MessageReader),
/// [`MessageWriter`](crate::system::MessageWriter), [`MessageMutator`](crate::system::MessageMutator),
/// [`RemovedComponents`](crate::system::RemovedComponents), [`RemovedValues`](crate::system::RemovedValues),
/// [`NonSend`](crate::system::NonSend), [`NonSendMut`](crate::system::NonSendMut), [`NonSendMarker`](crate::system::NonSendMarker),
/// [`Local`](crate::system::Local), [`Commands`](crate::command::Commands), `&World`, [`Lookup`](crate::system::Lookup),
/// [`Single`](crate::system::Single) and [`Populated`](crate::system::Populated).
///
/// Some parameters are made of others: a [`ParamSet`](crate::system::ParamSet) of parameters that conflict, tuples of up to 16
/// parameters, which may be nested, structs of parameters with `#[derive(SystemParam)]`, and `Option` and `Result<_, ParamError>`
/// of a parameter. A builder defines a [`DynSystemParam`](crate::system::DynSystemParam) and a `Vec` of parameters.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource)] struct Score(u32);
/// # #[derive(Component)] struct Health(u32);
///
/// fn count(score: Option<Res<Score>>, mut runs: Local<u32>, (query, world): (Query<&Health>, &World)) -> usize {
///     *runs += 1;
///     assert!(score.is_none() && *runs == 1 && !world.is_empty());
///     query.count()
/// }
/// # let mut world = World::new();
/// # world.spawn(Health(1));
/// assert_eq!(world.run_system_once(count).unwrap(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a system: write `&T` for a component and `Res<T>` for a resource",
    label = "not a system parameter",
    note = "system parameters are `Query`, `Res`, `ResMut`, `MessageReader`, `MessageWriter`, `Local`, `Commands`, `&World`, \
            `ParamSet` of at most eight, tuples of at most 16 of these, nested, and structs with `#[derive(SystemParam)]`",
    note = "a component is borrowed in `#[system]` functions: `&T` or `&mut T`; where an alias hides that, write `#[row]` before \
            the parameter"
)]
#[doc(alias("SystemData", "BorrowInfo"))]
pub trait SystemParam: Sized {
    /// The source that fetches the parameter.
    #[doc(hidden)]
    type Source: ParamSource;

    /// The same parameter with other lifetimes.
    type Item<'w, 's>: SystemParam<Source = Self::Source>;

    #[doc(hidden)]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's>;
}

/// A parameter with these lifetimes.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::SystemParamItem;
/// # #[derive(Resource)] struct Score(u32);
///
/// fn double(score: SystemParamItem<'_, '_, Res<'static, Score>>) -> u32 {
///     score.0 * 2 // It is a `Res<'_, Score>`.
/// }
/// assert_eq!(double(Res::from(&Score(4))), 8);
/// ```
pub type SystemParamItem<'w, 's, P> = <P as SystemParam>::Item<'w, 's>;

/// The source of a parameter. It prepares the state, adds the access, and fetches the parameter.
///
/// # Safety
///
/// - `init` adds everything that `get` can reach to the access.
#[doc(hidden)]
pub unsafe trait ParamSource: 'static {
    /// The state that the system keeps for the parameter.
    type State: Send + Sync + 'static;
    /// The fetched value.
    type Got<'w, 's>;

    /// The number of parameters that this source counts as.
    const COUNT: usize;
    /// The number of parts of the parameter that record changes to be applied later.
    const RECORDERS: usize = 0;
    /// The part of the access that is known at compile time.
    const ACCESS: ConstAccess = ConstAccess::Nothing;

    /// Prepares the parameter for a world.
    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State;

    /// Fetches the parameter. It may be fetched several times in one run, provided that values that were fetched before are no
    /// longer used.
    ///
    /// # Safety
    ///
    /// - The state was made for the cell's store.
    /// - The access that `init` added may be used for `'w`: no other code has a borrow that conflicts with it.
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError>;

    /// Fetches the parameter, or returns `None` if it is absent.
    ///
    /// # Safety
    ///
    /// - The conditions of [`get`](Self::get) hold.
    #[inline]
    unsafe fn get_if_there<'w, 's>(
        state: &'s mut Self::State,
        cell: StoreCell<'w>,
    ) -> Result<Option<Self::Got<'w, 's>>, ParamError> {
        // SAFETY: both clauses are forwarded: the state was made for the cell's store, and the access is granted for `'w`.
        match unsafe { Self::get(state, cell) } {
            Ok(got) => Ok(Some(got)),
            Err(error) if error.is_absence() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Applies the recorded changes. If this panics for one part of the parameter, the other parts are applied nevertheless.
    fn apply(_state: &mut Self::State, _meta: &SystemMeta, _store: &mut Store) {}

    /// Returns the number of rows in the tables that the parameter's queries match, or `None` if it has no queries. The state was
    /// made for the store.
    fn rows(_state: &Self::State, _store: &Store) -> Option<usize> {
        None
    }

    /// Visits all state that the parameter keeps from run to run.
    fn visit_state(_state: &mut Self::State, _keeper: &mut StateVisitor<'_>) {}

    /// Discards the recorded changes, because the run was interrupted.
    fn discard(_state: &mut Self::State) {}
}

/// Distinguishes state that is built for one system from state that is built for others. A builder only has the `'b` of its own
/// call.
type Brand<'b> = PhantomData<fn(&'b ()) -> &'b ()>;

/// A system that is being built, and the store for which it is built.
#[doc(hidden)]
pub struct BuildSite<'a, 'b> {
    pub(super) store: &'a mut Store,
    pub(super) meta: &'a mut SystemMeta,
    brand: Brand<'b>,
}

impl<'a, 'b> BuildSite<'a, 'b> {
    pub(super) fn new(store: &'a mut Store, meta: &'a mut SystemMeta) -> Self {
        Self { store, meta, brand: PhantomData }
    }

    /// Prepares a parameter with this source without a builder.
    pub(super) fn init<S: ParamSource>(&mut self) -> Built<'b, S> {
        Built { state: S::init(self.store, self.meta), brand: PhantomData }
    }

    /// See [`SystemMeta::init_composite`].
    pub(super) fn init_composite<T>(&mut self, build: impl FnOnce(&mut BuildSite<'_, 'b>) -> T) -> T {
        self.meta.init_composite(|meta| build(&mut BuildSite { store: self.store, meta, brand: PhantomData }))
    }

    /// See [`SystemMeta::as_set`].
    pub(super) fn as_set<T>(&mut self, build: impl FnOnce(&mut BuildSite<'_, 'b>) -> T) -> T {
        self.meta.as_set(|meta| build(&mut BuildSite { store: self.store, meta, brand: PhantomData }))
    }

    /// See [`SystemMeta::member`].
    pub(super) fn member<T>(&mut self, build: impl FnOnce(&mut BuildSite<'_, 'b>) -> T) -> T {
        self.meta.member(|meta| build(&mut BuildSite { store: self.store, meta, brand: PhantomData }))
    }

    /// See [`SystemMeta::field`].
    pub(super) fn field<T>(&mut self, name: &'static str, build: impl FnOnce(&mut BuildSite<'_, 'b>) -> T) -> T {
        self.meta.field(name, |meta| build(&mut BuildSite { store: self.store, meta, brand: PhantomData }))
    }
}

/// The state of a parameter that `S` fetches. It was prepared for the store of the [`BuildSite`] with the lifetime `'b`. The access
/// of that site's system contains everything that `S` gives access to with this state.
#[doc(hidden)]
pub struct Built<'b, S: ParamSource> {
    pub(super) state: S::State,
    brand: Brand<'b>,
}

impl<S: ParamSource> Built<'_, S> {
    /// # Safety
    ///
    /// - The state was prepared for the store of the [`BuildSite`] with this lifetime.
    /// - The access of that site's system contains everything that `S` gives access to with this state.
    pub(super) unsafe fn new(state: S::State) -> Self {
        Self { state, brand: PhantomData }
    }
}

impl<'b, S: ParamSource> Built<'b, S> {
    /// Returns the same state for a source that forwards to `S`.
    pub(super) fn forwarded<F: ForwardingSource<Inner = S>>(self) -> Built<'b, F> {
        Built { state: self.state, brand: PhantomData }
    }
}

/// A source that uses the state of another source, and fetches through that source: see `forwarding_source!`.
///
/// # Safety
///
/// - With a given state, the source gives access to nothing that `Inner` does not give access to.
pub(crate) unsafe trait ForwardingSource:
    ParamSource<State = <Self::Inner as ParamSource>::State>
{
    type Inner: ParamSource;
}

/// Builds the state of a parameter.
#[doc(hidden)]
pub trait BuildParam<P: SystemParam>: Sized {
    /// Prepares the parameter for a world.
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, P::Source>;
}

/// A builder of any parameter. It prepares the parameter as if there were no builder. See
/// [`SystemParamBuilder`](crate::system::SystemParamBuilder).
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::{LocalBuilder, ParamBuilder, SystemParamBuilder};
/// # #[derive(Resource)] struct Score(u32);
///
/// fn sum(first: Local<u32>, score: Res<Score>) -> u32 {
///     *first + score.0
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(3));
/// let state: SystemState<(Local<u32>, Res<Score>)> = (LocalBuilder(4), ParamBuilder).build_state(&mut world);
/// assert_eq!(world.run_system_once(state.build_any_system(sum)).unwrap(), 7);
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct ParamBuilder;

impl<P: SystemParam> BuildParam<P> for ParamBuilder {
    fn build<'b>(self, site: &mut BuildSite<'_, 'b>) -> Built<'b, P::Source> {
        site.init()
    }
}

/// Adds two numbers of rows; `None` counts as zero unless both are `None`.
pub(crate) fn add_rows(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}

/// Applies the recorded changes of a tuple's members. The members are independent: each is applied even if a command of another
/// member panics.
macro_rules! apply_members {
    ($Source:ident, $state:ident, $meta:ident, $store:ident, $($Participant:ident $at:tt $place:tt)*) => {
        // The condition is a constant, so that only the branch in use is compiled.
        if const { $Source::RECORDERS < 2 } {
            $($Participant::apply(&mut $state.$place, $meta, $store);)*
        } else {
            let members = [$($at),*].into_iter();
            $crate::util::guard::for_each_until_all_had_their_turn(members, |member: usize| match member {
                $($at => $Participant::apply(&mut $state.$place, $meta, $store),)*
                _ => unreachable!("the tuple has no such member"),
            });
        }
    };
}

/// Implements [`SystemParam`] for types. Each entry has the item, the source, and an expression that converts the source's value
/// into the item.
macro_rules! params {
    ($($(#[$attribute:meta])* [$($generics:tt)*] $Param:ty => $Item:ty, $Source:ty, |$got:pat_param| $item:expr;)*) => { $(
        $(#[$attribute])*
        impl<$($generics)*> $crate::system::SystemParam for $Param {
            type Source = $Source;
            type Item<'w, 's> = $Item;

            #[inline]
            fn item<'w, 's>($got: <Self::Source as $crate::system::ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                $item
            }
        }
    )* };
}

/// The methods of a [`ParamSource`] that uses the state of another source, except `init` and `get`.
macro_rules! forward_state {
    ($Source:ty) => {
        #[inline]
        fn apply(
            state: &mut Self::State,
            meta: &$crate::system::SystemMeta,
            store: &mut $crate::structure::store::Store,
        ) {
            <$Source>::apply(state, meta, store);
        }

        fn rows(state: &Self::State, store: &$crate::structure::store::Store) -> Option<usize> {
            <$Source>::rows(state, store)
        }

        fn visit_state(state: &mut Self::State, keeper: &mut $crate::system::StateVisitor<'_>) {
            <$Source>::visit_state(state, keeper);
        }

        fn discard(state: &mut Self::State) {
            <$Source>::discard(state);
        }
    };
}

/// Implements [`ParamSource`] for a source that fetches through another one: by its `get` or `get_if_there`, whose result it may
/// convert.
macro_rules! forwarding_source {
    (
        [$($generics:tt)*] $Source:ty => $Inner:ty, $Got:ty;
        COUNT = $count:expr, ACCESS = $access:expr;
        init |$store:ident, $meta:ident| $init:expr;
        $get:ident |$got:ident| $done:expr;
    ) => {
        // SAFETY: `init` calls the `init` of the inner source, which adds the access.
        unsafe impl<$($generics)*> ParamSource for $Source {
            type State = <$Inner as ParamSource>::State;
            type Got<'w, 's> = $Got;

            const COUNT: usize = $count;
            const RECORDERS: usize = <$Inner>::RECORDERS;
            const ACCESS: ConstAccess = $access;

            fn init($store: &mut Store, $meta: &mut SystemMeta) -> Self::State {
                $init
            }

            #[inline]
            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                cell: StoreCell<'w>,
            ) -> Result<Self::Got<'w, 's>, ParamError> {
                // SAFETY: both clauses are forwarded: the state is one of the inner source and was made for the cell's store; the
                // access is granted for `'w`.
                let $got = unsafe { <$Inner>::$get(state, cell) };
                $done
            }

            forward_state!($Inner);
        }

        // SAFETY: `get` fetches only through the inner source.
        unsafe impl<$($generics)*> $crate::system::ForwardingSource for $Source {
            type Inner = $Inner;
        }
    };
}

/// Defines a source that borrows nothing that could conflict. Each entry has the state of the source and the value that it fetches.
macro_rules! plain_source {
    (
        $(#[$doc:meta])* $Source:ident;
        keeps $State:ty, |$meta:ident| $init:expr;
        gives $Got:ty, |$state:ident, $cell:ident| $got:expr;
    ) => {
        $(#[$doc])*
        #[doc(hidden)]
        pub struct $Source;

        // SAFETY: borrows nothing.
        unsafe impl ParamSource for $Source {
            type State = $State;
            type Got<'w, 's> = $Got;

            const COUNT: usize = 1;

            fn init(_: &mut Store, $meta: &mut SystemMeta) -> $State {
                $meta.next_param();
                $init
            }

            #[inline]
            unsafe fn get<'w, 's>($state: &'s mut $State, $cell: StoreCell<'w>) -> Result<$Got, ParamError> {
                Ok($got)
            }
        }
    };
}
