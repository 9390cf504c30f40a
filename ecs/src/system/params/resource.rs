//! Resources as parameters.
//!
//! Tests: tests/storage/resources.rs, tests/changes/change_detection/detect.rs

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use crate::access::ParamAccess;
use crate::access::const_access::{ConstAccess, YieldedOnce};
use crate::query::change::{Mut, TickPlace, Ticks, detect_changes, detect_changes_mut};
use crate::storage::resource::{Resource, ResourceId, missing_text};
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::memory::StateVisitor;
use crate::system::meta::SystemMeta;
use crate::system::param::ParamSource;
use crate::system::param_error::ParamError;

/// A system parameter that reads a resource.
///
/// If the resource does not exist, the system cannot run. Take `Option<Res<R>>` if it may be absent.
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
#[doc(alias("singleton", "GetSingleton", "UniqueView", "Read"))]
pub struct Res<'w, R: ?Sized> {
    value: &'w R,
    ticks: Ticks<'w>,
}

impl<'w, R: ?Sized> Res<'w, R> {
    /// Returns the plain reference.
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

    /// Returns the resource, with its ticks.
    #[inline]
    pub(super) fn into_parts(self) -> (&'w R, Ticks<'w>) {
        (self.value, self.ticks)
    }
}

impl_into_iter! {
    /// Iterates over the collection in the resource.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Resource)] struct Scores(Vec<u32>);
    /// # impl<'a> IntoIterator for &'a Scores {
    /// #     type Item = &'a u32;
    /// #     type IntoIter = std::slice::Iter<'a, u32>;
    /// #     fn into_iter(self) -> Self::IntoIter { self.0.iter() }
    /// # }
    /// fn total(scores: Res<Scores>) -> u32 {
    ///     let mut total = 0;
    ///     for score in &scores {
    ///         total += score;
    ///     }
    ///     total
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Scores(vec![3, 4]));
    /// assert_eq!(world.run_system_once(total).unwrap(), 7);
    /// ```
    ['a, R] &'a Res<'_, R> => &'a R, |this| this.value
}

/// A system parameter that changes a resource.
///
/// If the resource does not exist, the system cannot run. Take `Option<ResMut<R>>` if it may be absent.
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
#[doc(alias("GetSingletonRW", "UniqueViewMut", "Write"))]
pub struct ResMut<'w, R: ?Sized> {
    value: &'w mut R,
    ticks: Ticks<'w>,
}

impl<'w, R: ?Sized> ResMut<'w, R> {
    /// Returns the plain reference.
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
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn into_inner(self) -> &'w mut R {
        self.ticks.mark();
        self.value
    }

    /// Returns the resource, with its ticks. This does not mark the resource as changed.
    #[inline]
    pub(in crate::system) fn into_parts(self) -> (&'w mut R, Ticks<'w>) {
        (self.value, self.ticks)
    }

    /// Returns the resource, with its ticks, borrowed.
    #[inline(always)]
    pub(in crate::system) fn parts(&mut self) -> (&mut R, &Ticks<'w>) {
        (self.value, &self.ticks)
    }

    /// Creates the parameter from the parts that [`into_parts`](Self::into_parts) returns, or from a value and other ticks.
    #[inline]
    pub(in crate::system) fn of_parts(value: &'w mut R, ticks: Ticks<'w>) -> Self {
        Self { value, ticks }
    }

    /// Reborrows with a shorter lifetime.
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
    #[inline]
    pub fn reborrow(&mut self) -> ResMut<'_, R> {
        ResMut { value: self.value, ticks: self.ticks }
    }

    /// Returns a part of the resource, with the ticks of the whole. Dereferencing the part mutably marks the resource as changed;
    /// calling this method does not.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// #[derive(Resource, Default)]
    /// struct Settings {
    ///     volume: u32,
    /// }
    ///
    /// fn mute(settings: ResMut<Settings>) {
    ///     settings.map_unchanged(|settings| &mut settings.volume).set_if_neq(0);
    /// }
    /// # let mut world = World::new();
    /// # world.init_resource::<Settings>();
    /// # world.run_system_once(mute).unwrap();
    /// ```
    pub fn map_unchanged<U: ?Sized>(self, part: impl FnOnce(&mut R) -> &mut U) -> Mut<'w, U> {
        Mut::new(part(self.value), self.ticks)
    }

    /// Like [`map_unchanged`](Self::map_unchanged), but for a part that may be absent.
    pub fn filter_map_unchanged<U: ?Sized>(self, part: impl FnOnce(&mut R) -> Option<&mut U>) -> Option<Mut<'w, U>> {
        part(self.value).map(|value| Mut::new(value, self.ticks))
    }

    /// Like [`map_unchanged`](Self::map_unchanged), but for a function that may fail.
    ///
    /// # Errors
    ///
    /// The error that the function returns.
    pub fn try_map_unchanged<U: ?Sized, E>(
        self,
        part: impl FnOnce(&mut R) -> Result<&mut U, E>,
    ) -> Result<Mut<'w, U>, E> {
        part(self.value).map(|value| Mut::new(value, self.ticks))
    }
}

impl_into_iter! {
    /// Iterates over the collection in the resource, as with [`Res`]. Does not mark the resource as changed.
    ['a, R] &'a ResMut<'_, R> => &'a R, |this| &*this.value
}

impl_into_iter! {
    /// Iterates mutably over the collection in the resource. Marks the resource as changed.
    ['a, R] &'a mut ResMut<'_, R> => &'a mut R, |this| &mut **this
}

/// Adds the access to a resource and returns its id.
fn init_resource<R: Resource>(
    store: &mut Store,
    meta: &mut SystemMeta,
    write: bool,
    reads_messages: bool,
) -> ResourceId {
    let id = store.resources.register::<R>();
    let access = ParamAccess::Resource { id: id.0, name: type_name::<R>(), write, reads_messages };
    meta.add_access(access, store);
    meta.next_param();
    id
}

#[cold]
fn missing<R: Resource>() -> ParamError {
    ParamError::missing(missing_text::<R>() + ", or make the parameter an `Option`")
}

/// Returns the part of the access to a resource that is known at compile time.
const fn resource_access<R: Resource>(write: bool) -> ConstAccess {
    match R::KEY {
        Some(key) => ConstAccess::Resource { key, write },
        None => ConstAccess::Nothing,
    }
}

/// State that a system keeps for a resource from run to run.
#[doc(hidden)]
pub trait ResourceState<R>: Send + Sync + 'static {
    /// Whether the state is a cursor in a list of messages.
    const READS_MESSAGES: bool = false;

    /// Returns the state for a new system.
    fn begin(resource: &R) -> Self;

    /// Returns the number of entries that were dropped before the system could read them.
    fn missed(&self, _resource: &R) -> u64 {
        0
    }

    /// Visits the state.
    fn visit_state(&mut self, keeper: &mut StateVisitor<'_>);
}

impl<R> ResourceState<R> for () {
    fn begin(_: &R) {}

    fn visit_state(&mut self, _: &mut StateVisitor<'_>) {}
}

#[cold]
fn removed<R: Resource>() -> ParamError {
    let name = type_name::<R>();
    ParamError::missing(alloc::format!(
        "resource `{name}` was there when the system was prepared and has been removed; make it again with \
         `World::init_resource`"
    ))
}

/// Defines how a resource is borrowed.
#[doc(hidden)]
pub trait Borrowing: 'static {
    /// Whether it borrows the resource mutably.
    const WRITES: bool;
    /// The parameter.
    type Param<'w, R: Resource>: Deref<Target = R>;

    /// Returns the parameter, if the resource exists.
    ///
    /// # Safety
    ///
    /// - `id` is the id of `R` in the cell's store.
    /// - `R` may be borrowed this way for `'w`.
    unsafe fn get<'w, R: Resource>(id: ResourceId, cell: StoreCell<'w>) -> Option<Self::Param<'w, R>>;
}

macro_rules! borrowings {
    ($($(#[$doc:meta])* $Borrowing:ident: $writes:literal, $Param:ident, $as_reference:ident;)*) => { $(
        $(#[$doc])*
        #[doc(hidden)]
        pub struct $Borrowing;

        impl Borrowing for $Borrowing {
            const WRITES: bool = $writes;
            type Param<'w, R: Resource> = $Param<'w, R>;

            #[inline]
            unsafe fn get<'w, R: Resource>(id: ResourceId, cell: StoreCell<'w>) -> Option<$Param<'w, R>> {
                let (value, cells) = cell.store().resources.raw(id)?;
                // SAFETY: `id` is the id of `R`, so the pointer points to an `R`; the caller grants the access for 'w.
                let value = unsafe { value.cast::<R>().$as_reference() };
                Some($Param { value, ticks: Ticks::new(TickPlace::One(cells), cell.run_ticks()) })
            }
        }
    )* };
}

borrowings! {
    /// Borrows to read.
    Reads: false, Res, as_ref;
    /// Borrows to write.
    Writes: true, ResMut, as_mut;
}

/// The source of a resource that exists.
#[doc(hidden)]
pub struct ResourceSource<R, B>(PhantomData<fn() -> (R, B)>);

// SAFETY: adds the access to the resource.
unsafe impl<R: Resource, B: Borrowing> ParamSource for ResourceSource<R, B> {
    type State = ResourceId;
    type Got<'w, 's> = B::Param<'w, R>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = resource_access::<R>(B::WRITES);

    fn init(store: &mut Store, meta: &mut SystemMeta) -> ResourceId {
        init_resource::<R>(store, meta, B::WRITES, false)
    }

    #[inline]
    unsafe fn get<'w>(id: &mut ResourceId, cell: StoreCell<'w>) -> Result<B::Param<'w, R>, ParamError> {
        // SAFETY: `init` made the id for this store and added the access.
        unsafe { B::get::<R>(*id, cell) }.ok_or_else(missing::<R>)
    }

    #[inline]
    unsafe fn get_if_there<'w>(
        id: &mut ResourceId,
        cell: StoreCell<'w>,
    ) -> Result<Option<B::Param<'w, R>>, ParamError> {
        // SAFETY: `init` made the id for this store and added the access.
        Ok(unsafe { B::get::<R>(*id, cell) })
    }
}

/// The state of a [`ResourceSourceWith`].
#[doc(hidden)]
#[derive(Debug)]
pub struct KeptState<K> {
    id: ResourceId,
    kept: K,
    system: &'static str,
    /// Whether missed messages have been reported.
    is_reported: bool,
}

impl<K> KeptState<K> {
    #[cold]
    fn report_missed<R: Resource>(&mut self, missed: u64, cell: StoreCell<'_>) {
        self.is_reported = true;
        cell.store().commands.errors.report_missed(self.system, type_name::<R>(), missed);
    }
}

/// The source of a resource that is inserted if it does not exist, with state that the system keeps.
#[doc(hidden)]
pub struct ResourceSourceWith<R, B, K>(PhantomData<fn() -> (R, B, K)>);

// SAFETY: adds the access to the resource.
unsafe impl<R: Resource + Default, B: Borrowing, K: ResourceState<R>> ParamSource for ResourceSourceWith<R, B, K> {
    type State = KeptState<K>;
    type Got<'w, 's> = (B::Param<'w, R>, &'s mut K);

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = {
        let access = &<ResourceSource<R, B> as ParamSource>::ACCESS;
        if K::READS_MESSAGES { ConstAccess::Once(YieldedOnce::Messages, access) } else { *access }
    };

    fn init(store: &mut Store, meta: &mut SystemMeta) -> Self::State {
        let kept = K::begin(store.resources.get_or_init::<R>(store.clock.stamp_in(meta.system)));
        let id = init_resource::<R>(store, meta, B::WRITES, K::READS_MESSAGES);
        KeptState { id, kept, system: meta.name(), is_reported: false }
    }

    fn visit_state(state: &mut Self::State, keeper: &mut StateVisitor<'_>) {
        state.kept.visit_state(keeper);
    }

    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cell: StoreCell<'w>) -> Result<Self::Got<'w, 's>, ParamError> {
        // SAFETY: `init` made the id for this store and added the access.
        let Some(param) = (unsafe { B::get::<R>(state.id, cell) }) else { return Err(removed::<R>()) };
        if K::READS_MESSAGES && !state.is_reported {
            let missed = state.kept.missed(&param);
            if missed > 0 {
                state.report_missed::<R>(missed, cell);
            }
        }
        Ok((param, &mut state.kept))
    }
}

params! {
    [R: Resource] Res<'_, R> => Res<'w, R>, ResourceSource<R, Reads>, |got| got;
    [R: Resource] ResMut<'_, R> => ResMut<'w, R>, ResourceSource<R, Writes>, |got| got;
}

/// Defines the code that [`Res`] and [`ResMut`] share with the parameters for values that stay on one thread.
macro_rules! borrowed_values {
    ($($Shared:ident, $Mut:ident;)*) => { $(
        impl_copy! { [T: ?Sized] $Shared<'_, T>; }

        /// Creates the parameter for unit tests that call a system directly.
        impl<'w, T: ?Sized> From<&'w T> for $Shared<'w, T> {
            fn from(value: &'w T) -> Self {
                Self { value, ticks: Ticks::nowhere() }
            }
        }

        /// Creates the parameter for unit tests that call a system directly.
        impl<'w, T: ?Sized> From<&'w mut T> for $Mut<'w, T> {
            fn from(value: &'w mut T) -> Self {
                Self { value, ticks: Ticks::nowhere() }
            }
        }

        impl<T: ?Sized> DerefMut for $Mut<'_, T> {
            #[inline]
            #[cfg_attr(feature = "track_location", track_caller)]
            fn deref_mut(&mut self) -> &mut T {
                self.ticks.mark();
                self.value
            }
        }

        borrowed_values!(in $Shared);
        borrowed_values!(in $Mut);
        detect_changes!([T: ?Sized] $Shared<'_, T>, [T: ?Sized] $Mut<'_, T>);
        detect_changes_mut!([T: ?Sized] $Mut<'_, T> => T);
    )* };
    (in $Param:ident) => {
        impl_deref!(#[inline] [T: ?Sized] $Param<'_, T> => T, |this| *this.value);

        impl_debug!([T: fmt::Debug + ?Sized] $Param<'_, T> => |this, f|
            f.debug_tuple(stringify!($Param)).field(&this.value).finish());
    };
}
#[cfg(feature = "std")]
pub(super) use borrowed_values;

borrowed_values!(Res, ResMut;);
