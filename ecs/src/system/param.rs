//! What a system can take as a parameter.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::base::{ParamError, SystemMeta};
use crate::access::ParamAccess;
use crate::cell::Cell;
use crate::command::{self, CommandQueue, Commands};
use crate::const_access::ConstAccess;
use crate::query::{Fetch, FilterTerms, Query, QueryData, QueryFilter, QueryState};
use crate::resource::{Resource, ResourceId};
use crate::store::Store;

/// A parameter of a system: [`Query`], [`Res`], [`ResMut`], `Option` of these two, [`Local`], [`Commands`], `&World`,
/// and tuples of up to 15 of these, nested.
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
    note = "system parameters are `Query`, `Res`, `ResMut`, `Local`, `Commands`, `&World` and tuples of these",
    note = "a component is borrowed in `#[system]` functions: `&T` or `&mut T`; where an alias hides that, write `#[row]` before \
            the parameter"
)]
pub trait SystemParam: Sized {
    /// How it is fetched.
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

/// How a parameter is fetched.
///
/// # Safety
///
/// - `init` adds everything to the access that `get` gives access to.
#[doc(hidden)]
pub unsafe trait ParamSource: 'static {
    /// What the system keeps for it.
    type State: Send + Sync + 'static;
    /// What is fetched.
    type Got<'w, 's>;

    /// How many parameters it is.
    const COUNT: usize;
    /// What is known of the access when the program is compiled.
    const ACCESS: ConstAccess = ConstAccess::Nothing;

    /// Prepares it for a world.
    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State;

    /// Fetches it.
    ///
    /// # Safety
    ///
    /// - The state was made for the cell's store.
    /// - What `init` added to the access may be borrowed for `'w`, and nobody else borrows it.
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: Cell<'w>) -> Result<Self::Got<'w, 's>, ParamError>;

    /// Applies what it has recorded.
    fn apply(_state: &mut Self::State, _meta: &SystemMeta, _store: &mut Store) {}
}

/// How a [`Query`] is fetched.
#[doc(hidden)]
pub struct QuerySource<D, F>(PhantomData<fn() -> (D, F)>);

// SAFETY: adds the access of the query.
unsafe impl<D: QueryData + 'static, F: QueryFilter + 'static> ParamSource for QuerySource<D, F> {
    type State = QueryState<D, F>;
    type Got<'w, 's> = Query<'w, 's, D, F>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = ConstAccess::Terms(&[D::Terms::ACCESS, F::Terms::ACCESS]);

    fn init(store: &mut Store, meta: &mut SystemMeta) -> QueryState<D, F> {
        let state = QueryState::try_new(store).unwrap_or_else(|twice| {
            let name = store.components.name(twice);
            let param = meta.describe(0);
            panic!("system `{}`: {param}: component `{name}` is borrowed twice, once mutably", meta.name())
        });
        meta.add_access(ParamAccess::Query(state.access().clone()), store);
        meta.next_param();
        state
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut QueryState<D, F>, cell: Cell<'w>) -> Result<Query<'w, 's, D, F>, ParamError> {
        state.update(cell.store());
        // SAFETY: the state is up to date; the caller promises the access.
        Ok(unsafe { Query::new(cell, state) })
    }
}

impl<D: QueryData + 'static, F: QueryFilter + 'static> SystemParam for Query<'_, '_, D, F> {
    type Source = QuerySource<D, F>;
    type Item<'w, 's> = Query<'w, 's, D, F>;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        got
    }
}

/// A resource that a system reads.
///
/// The system cannot run if the resource does not exist; take `Option<Res<R>>` if that is all right.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Resource)]
/// struct Gravity(f32);
///
/// fn fall(gravity: Res<Gravity>) {
///     assert_eq!(gravity.0, 9.81);
/// }
///
/// let mut world = World::new();
/// let error = world.run_system_once(fall).unwrap_err();
/// assert!(error.to_string().contains("Gravity"));
/// world.insert_resource(Gravity(9.81));
/// world.run_system_once(fall).unwrap();
/// ```
pub struct Res<'w, R: ?Sized> {
    value: &'w R,
}

impl<R: ?Sized> Clone for Res<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: ?Sized> Copy for Res<'_, R> {}

impl<'w, R: ?Sized> Res<'w, R> {
    /// The plain reference.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// fn points<'w>(score: Res<'w, Score>) -> &'w u32 {
    ///     &score.into_inner().0
    /// }
    /// assert_eq!(*points(Res::from(&Score(4))), 4);
    /// ```
    #[must_use]
    pub fn into_inner(self) -> &'w R {
        self.value
    }
}

/// For unit tests of systems, which can be called by hand.
impl<'w, R: ?Sized> From<&'w R> for Res<'w, R> {
    fn from(value: &'w R) -> Self {
        Self { value }
    }
}

impl<R: ?Sized> Deref for Res<'_, R> {
    type Target = R;

    #[inline]
    fn deref(&self) -> &R {
        self.value
    }
}

impl<R: fmt::Debug + ?Sized> fmt::Debug for Res<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Res").field(&self.value).finish()
    }
}

/// A resource that a system changes.
///
/// The system cannot run if the resource does not exist; take `Option<ResMut<R>>` if that is all right.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Resource)] struct Score(u32);
///
/// fn win(mut score: ResMut<Score>) {
///     score.0 += 1;
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Score(4));
/// world.run_system_once(win).unwrap();
/// assert_eq!(world.resource::<Score>().0, 5);
/// ```
pub struct ResMut<'w, R: ?Sized> {
    value: &'w mut R,
}

impl<'w, R: ?Sized> ResMut<'w, R> {
    /// The plain reference.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// let mut score = Score(4);
    /// let points: &mut u32 = &mut ResMut::from(&mut score).into_inner().0;
    /// *points += 1;
    /// assert_eq!(score.0, 5);
    /// ```
    #[must_use]
    pub fn into_inner(self) -> &'w mut R {
        self.value
    }

    /// The same borrow for a shorter time.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Score(u32);
    ///
    /// fn win(mut score: ResMut<Score>) {
    ///     score.0 += 1;
    /// }
    ///
    /// fn win_twice(mut score: ResMut<Score>) {
    ///     win(score.reborrow());
    ///     win(score);
    /// }
    /// # let mut score = Score(0);
    /// # win_twice(ResMut::from(&mut score));
    /// # assert_eq!(score.0, 2);
    /// ```
    pub fn reborrow(&mut self) -> ResMut<'_, R> {
        ResMut { value: self.value }
    }
}

/// For unit tests of systems, which can be called by hand.
impl<'w, R: ?Sized> From<&'w mut R> for ResMut<'w, R> {
    fn from(value: &'w mut R) -> Self {
        Self { value }
    }
}

impl<R: ?Sized> Deref for ResMut<'_, R> {
    type Target = R;

    #[inline]
    fn deref(&self) -> &R {
        self.value
    }
}

impl<R: ?Sized> DerefMut for ResMut<'_, R> {
    #[inline]
    fn deref_mut(&mut self) -> &mut R {
        self.value
    }
}

impl<R: fmt::Debug + ?Sized> fmt::Debug for ResMut<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ResMut").field(&self.value).finish()
    }
}

/// Adds the access to a resource and says which it is.
fn init_resource<R: Resource>(store: &mut Store, meta: &mut SystemMeta, write: bool) -> ResourceId {
    let id = store.resources.register::<R>();
    meta.add_access(ParamAccess::Resource { id: id.0, name: type_name::<R>(), write }, store);
    meta.next_param();
    id
}

#[cold]
fn missing<R: Resource>() -> ParamError {
    let name = type_name::<R>();
    ParamError::new(alloc::format!(
        "resource `{name}` does not exist; insert it with `World::insert_resource` or `World::init_resource`, or make the \
         parameter an `Option`"
    ))
}

/// What is known of the access to a resource.
const fn resource_access<R: Resource>(write: bool) -> ConstAccess {
    match R::KEY {
        Some(key) => ConstAccess::Resource { key, write },
        None => ConstAccess::Nothing,
    }
}

/// How a resource is fetched: as the parameter `$param`, with the method `$borrow` of the pointer to it.
macro_rules! resource_param {
    ($param:ident, $source:ident, $optional:ident, $write:literal, $borrow:ident) => {
        #[doc(hidden)]
        pub struct $source<R>(PhantomData<fn() -> R>);

        // SAFETY: adds the access to the resource.
        unsafe impl<R: Resource> ParamSource for $source<R> {
            type State = ResourceId;
            type Got<'w, 's> = $param<'w, R>;

            const COUNT: usize = 1;
            const ACCESS: ConstAccess = resource_access::<R>($write);

            fn init(store: &mut Store, meta: &mut SystemMeta) -> ResourceId {
                init_resource::<R>(store, meta, $write)
            }

            #[inline]
            unsafe fn get<'w>(id: &mut ResourceId, cell: Cell<'w>) -> Result<$param<'w, R>, ParamError> {
                match cell.store().resources.raw(*id) {
                    // SAFETY: the place of `R` holds an `R`; the caller promises the access.
                    Some(value) => Ok($param { value: unsafe { value.cast::<R>().$borrow() } }),
                    None => Err(missing::<R>()),
                }
            }
        }

        impl<R: Resource> SystemParam for $param<'_, R> {
            type Source = $source<R>;
            type Item<'w, 's> = $param<'w, R>;

            #[inline]
            fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                got
            }
        }

        #[doc(hidden)]
        pub struct $optional<R>(PhantomData<fn() -> R>);

        // SAFETY: adds the access to the resource.
        unsafe impl<R: Resource> ParamSource for $optional<R> {
            type State = ResourceId;
            type Got<'w, 's> = Option<$param<'w, R>>;

            const COUNT: usize = 1;
            const ACCESS: ConstAccess = resource_access::<R>($write);

            fn init(store: &mut Store, meta: &mut SystemMeta) -> ResourceId {
                init_resource::<R>(store, meta, $write)
            }

            #[inline]
            unsafe fn get<'w>(id: &mut ResourceId, cell: Cell<'w>) -> Result<Option<$param<'w, R>>, ParamError> {
                // SAFETY: the place of `R` holds an `R`; the caller promises the access.
                let borrow = |value: core::ptr::NonNull<u8>| unsafe { value.cast::<R>().$borrow() };
                Ok(cell.store().resources.raw(*id).map(|value| $param { value: borrow(value) }))
            }
        }

        impl<R: Resource> SystemParam for Option<$param<'_, R>> {
            type Source = $optional<R>;
            type Item<'w, 's> = Option<$param<'w, R>>;

            #[inline]
            fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                got
            }
        }
    };
}

resource_param!(Res, ResSource, OptionResSource, false, as_ref);
resource_param!(ResMut, ResMutSource, OptionResMutSource, true, as_mut);

/// A value that belongs to one system and lives from run to run. It starts as `T::default()`, or as what
/// [`FromWorld`](crate::world::FromWorld) makes.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// # #[derive(Resource, Default)]
/// # struct Total(u32);
/// fn count(mut runs: Local<u32>, mut total: ResMut<Total>) {
///     *runs += 1;
///     total.0 = *runs;
/// }
///
/// let mut world = World::new();
/// world.init_resource::<Total>();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(count);
/// schedule.run(&mut world);
/// schedule.run(&mut world);
/// assert_eq!(world.resource::<Total>().0, 2);
/// ```
pub struct Local<'s, T> {
    value: &'s mut T,
}

impl<'s, T> Local<'s, T> {
    /// The same borrow for a shorter time.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn count(mut runs: Local<u32>) {
    ///     *runs += 1;
    /// }
    ///
    /// fn count_twice(mut runs: Local<u32>) {
    ///     count(runs.reborrow());
    ///     count(runs);
    /// }
    /// # let mut runs = 0;
    /// # count_twice(Local::from(&mut runs));
    /// # assert_eq!(runs, 2);
    /// ```
    pub fn reborrow(&mut self) -> Local<'_, T> {
        Local { value: self.value }
    }
}

/// For unit tests of systems, which can be called by hand.
impl<'s, T> From<&'s mut T> for Local<'s, T> {
    fn from(value: &'s mut T) -> Self {
        Self { value }
    }
}

impl<T> Deref for Local<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for Local<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Local<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Local").field(&self.value).finish()
    }
}

/// How [`Commands`] are fetched.
#[doc(hidden)]
pub struct CommandsSource;

// SAFETY: borrows only the entity index, to reserve ids, which any number of threads may do.
unsafe impl ParamSource for CommandsSource {
    type State = CommandQueue;
    type Got<'w, 's> = Commands<'w, 's>;

    const COUNT: usize = 1;

    fn init(_: &mut Store, meta: &mut SystemMeta) -> CommandQueue {
        meta.next_param();
        CommandQueue::default()
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut CommandQueue, cell: Cell<'w>) -> Result<Commands<'w, 's>, ParamError> {
        if !state.queue.is_empty() {
            // The last run did not come to its end; what it asked for is not wanted any more.
            *state = CommandQueue::default();
        }
        Ok(Commands::from_parts(&mut state.queue, &cell.store().entities))
    }

    #[inline]
    fn apply(state: &mut CommandQueue, meta: &SystemMeta, store: &mut Store) {
        if !state.queue.is_empty() {
            command::apply(&mut state.queue, store, Some(meta.name()));
        }
    }
}

impl SystemParam for Commands<'_, '_> {
    type Source = CommandsSource;
    type Item<'w, 's> = Commands<'w, 's>;

    #[inline]
    fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
        got
    }
}

// SAFETY: borrows nothing.
unsafe impl ParamSource for () {
    type State = ();
    type Got<'w, 's> = ();

    const COUNT: usize = 0;

    fn init(_: &mut Store, _: &mut SystemMeta) {}

    #[inline]
    unsafe fn get<'w, 's>((): &'s mut (), _: Cell<'w>) -> Result<(), ParamError> {
        Ok(())
    }
}

impl SystemParam for () {
    type Source = ();
    type Item<'w, 's> = ();

    #[inline]
    fn item<'w, 's>((): <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {}
}

macro_rules! tuples {
    ($($T:ident $at:tt)*) => {
        // SAFETY: each member adds its own access.
        unsafe impl<$($T: ParamSource),*> ParamSource for ($($T,)*) {
            type State = ($($T::State,)*);
            type Got<'w, 's> = ($($T::Got<'w, 's>,)*);

            const COUNT: usize = 0 $(+ $T::COUNT)*;
            const ACCESS: ConstAccess = ConstAccess::Params(&[$($T::ACCESS),*]);

            fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
                ($($T::init(store, meta),)*)
            }

            #[inline]
            unsafe fn get<'w, 's>(
                state: &'s mut Self::State,
                cell: Cell<'w>,
            ) -> Result<Self::Got<'w, 's>, ParamError> {
                // SAFETY: the caller's promise, member by member.
                unsafe { Ok(($($T::get(&mut state.$at, cell)?,)*)) }
            }

            #[inline]
            fn apply(state: &mut Self::State, meta: &SystemMeta, store: &mut Store) {
                $($T::apply(&mut state.$at, meta, store);)*
            }
        }

        impl<$($T: SystemParam),*> SystemParam for ($($T,)*) {
            type Source = ($($T::Source,)*);
            type Item<'w, 's> = ($($T::Item<'w, 's>,)*);

            #[inline]
            fn item<'w, 's>(got: <Self::Source as ParamSource>::Got<'w, 's>) -> Self::Item<'w, 's> {
                ($($T::item(got.$at),)*)
            }
        }
    };
}

all_tuples!(tuples);
