//! Values that stay on one thread, as parameters.
//!
//! Tests: tests/storage/non_send.rs

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;
use core::ops::DerefMut;

use super::resource::{Borrowing, Reads, Writes, borrowed_values};
use crate::access::ParamAccess;
use crate::access::const_access::ConstAccess;
use crate::query::change::{Ticks, detect_changes, detect_changes_mut};
use crate::storage::non_send::{OnThread, WrongThread};
use crate::storage::resource::ResourceId;
use crate::structure::cell::StoreCell;
use crate::structure::store::Store;
use crate::system::meta::SystemMeta;
use crate::system::param::ParamSource;
use crate::system::param_error::ParamError;

/// A system parameter that reads a value of [`World::insert_non_send`](crate::world::World::insert_non_send).
///
/// The system runs on the thread that runs the schedule. If the value does not exist or belongs to another thread, the system
/// cannot run. Take `Option<NonSend<T>>` if the value may be absent. Needs the feature `std`.
///
/// ```
/// use strata_ecs::prelude::*;
/// use std::cell::RefCell;
/// use std::rc::Rc;
///
/// struct Log(Rc<RefCell<Vec<u32>>>);
///
/// fn note(log: NonSend<Log>) {
///     log.0.borrow_mut().push(4);
/// }
///
/// let mut world = World::new();
/// let lines = Rc::default();
/// world.insert_non_send(Log(Rc::clone(&lines)));
/// world.run_system_once(note).unwrap();
/// assert_eq!(*lines.borrow(), [4]);
/// ```
#[doc(alias("NonSendSync", "main_thread"))]
pub struct NonSend<'w, T: ?Sized> {
    value: &'w T,
    ticks: Ticks<'w>,
}

impl<'w, T: ?Sized> NonSend<'w, T> {
    /// Returns the plain reference.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn longest<'w>(names: NonSend<'w, Vec<&'static str>>) -> Option<&'w &'static str> {
    ///     names.into_inner().iter().max_by_key(|name| name.len())
    /// }
    /// assert_eq!(longest(NonSend::from(&vec!["a", "bc"])), Some(&"bc"));
    /// ```
    #[must_use]
    pub fn into_inner(self) -> &'w T {
        self.value
    }
}

impl_from! {
    /// The same value, to read only.
    ['w, T: ?Sized] NonSendMut<'w, T> => NonSend<'w, T>, |value| Self { value: value.value, ticks: value.ticks };
}

/// A system parameter that changes a value of [`World::insert_non_send`](crate::world::World::insert_non_send).
///
/// As with [`NonSend`], the system runs on the thread that runs the schedule. If the value does not exist or belongs to another
/// thread, the system cannot run. Needs the feature `std`.
///
/// ```
/// use strata_ecs::prelude::*;
/// use std::rc::Rc;
///
/// fn count(mut total: NonSendMut<Rc<u32>>) {
///     *Rc::make_mut(&mut total) += 1;
/// }
///
/// let mut world = World::new();
/// world.insert_non_send(Rc::new(4_u32));
/// world.run_system_once(count).unwrap();
/// assert_eq!(**world.non_send::<Rc<u32>>(), 5);
/// ```
pub struct NonSendMut<'w, T: ?Sized> {
    value: &'w mut T,
    ticks: Ticks<'w>,
}

impl<'w, T: ?Sized> NonSendMut<'w, T> {
    /// Returns the plain reference. The value counts as changed.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut names = vec!["a"];
    /// NonSendMut::from(&mut names).into_inner().push("b");
    /// assert_eq!(names, ["a", "b"]);
    /// ```
    #[must_use]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn into_inner(self) -> &'w mut T {
        self.ticks.mark();
        self.value
    }

    /// Reborrows with a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn push(mut names: NonSendMut<Vec<u32>>) {
    ///     names.push(1);
    /// }
    ///
    /// fn push_twice(mut names: NonSendMut<Vec<u32>>) {
    ///     push(names.reborrow());
    ///     push(names);
    /// }
    /// # let mut names = vec![];
    /// # push_twice(NonSendMut::from(&mut names));
    /// # assert_eq!(names, [1, 1]);
    /// ```
    pub fn reborrow(&mut self) -> NonSendMut<'_, T> {
        NonSendMut { value: self.value, ticks: self.ticks }
    }
}

/// A parameter without data. A system that has this parameter runs on the thread that runs the schedule. For libraries that require
/// one thread, or use thread-local state. Needs the feature `std`.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::system::NonSendMarker;
///
/// fn poll(_: NonSendMarker) {}
///
/// let mut world = World::new();
/// let mut schedule = Schedule::default();
/// schedule.add_systems(poll);
/// schedule.run(&mut world);
/// ```
#[derive(Debug)]
pub struct NonSendMarker(PhantomData<*mut ()>);

impl NonSendMarker {
    pub(in crate::system) fn again(&self) -> Self {
        Self(self.0)
    }
}

/// Adds the access to a value and returns the id of the resource that holds it.
fn init_non_send<T: 'static>(store: &mut Store, meta: &mut SystemMeta, write: bool) -> ResourceId {
    let id = store.resources.register::<OnThread<T>>();
    meta.add_access(ParamAccess::NonSend { id: id.0, name: type_name::<T>(), write }, store);
    meta.access.add_non_send();
    meta.next_param();
    id
}

#[cold]
fn missing<T>() -> ParamError {
    let name = type_name::<T>();
    ParamError::missing(alloc::format!(
        "non-Send value `{name}` does not exist; insert it with `World::insert_non_send` or `World::init_non_send`, or make \
         the parameter an `Option`"
    ))
}

/// Defines how the value inside the resource that holds it is borrowed.
#[doc(hidden)]
pub trait ValueBorrowing: Borrowing {
    /// The parameter.
    type ValueParam<'w, T: 'static>;

    /// Returns the parameter, if this thread is the thread of the value.
    fn value<'w, T: 'static>(held: Self::Param<'w, OnThread<T>>) -> Result<Self::ValueParam<'w, T>, WrongThread>;
}

impl ValueBorrowing for Reads {
    type ValueParam<'w, T: 'static> = NonSend<'w, T>;

    #[inline]
    fn value<'w, T: 'static>(held: Self::Param<'w, OnThread<T>>) -> Result<Self::ValueParam<'w, T>, WrongThread> {
        let (held, ticks) = held.into_parts();
        Ok(NonSend { value: held.get()?, ticks })
    }
}

impl ValueBorrowing for Writes {
    type ValueParam<'w, T: 'static> = NonSendMut<'w, T>;

    #[inline]
    fn value<'w, T: 'static>(held: Self::Param<'w, OnThread<T>>) -> Result<Self::ValueParam<'w, T>, WrongThread> {
        let (held, ticks) = held.into_parts();
        Ok(NonSendMut { value: held.get_mut()?, ticks })
    }
}

/// The source of a value that exists.
#[doc(hidden)]
pub struct NonSendSource<T, B>(PhantomData<fn() -> (T, B)>);

// SAFETY: adds the access to the value.
unsafe impl<T: 'static, B: ValueBorrowing> ParamSource for NonSendSource<T, B> {
    type State = ResourceId;
    type Got<'w, 's> = B::ValueParam<'w, T>;

    const COUNT: usize = 1;
    const ACCESS: ConstAccess = ConstAccess::NonSend;

    fn init(store: &mut Store, meta: &mut SystemMeta) -> ResourceId {
        init_non_send::<T>(store, meta, B::WRITES)
    }

    #[inline]
    unsafe fn get<'w>(id: &mut ResourceId, cell: StoreCell<'w>) -> Result<B::ValueParam<'w, T>, ParamError> {
        // SAFETY: both clauses are forwarded: the state was made for the cell's store, and the access is granted.
        unsafe { Self::get_if_there(id, cell) }?.ok_or_else(missing::<T>)
    }

    #[inline]
    unsafe fn get_if_there<'w>(
        id: &mut ResourceId,
        cell: StoreCell<'w>,
    ) -> Result<Option<B::ValueParam<'w, T>>, ParamError> {
        // SAFETY: `init` made the id for this store and added the access to the resource that holds the value.
        let held = unsafe { B::get::<OnThread<T>>(*id, cell) };
        held.map(B::value).transpose().map_err(|error| ParamError::new(alloc::format!("{error}")))
    }
}

params! {
    [T: 'static] NonSend<'_, T> => NonSend<'w, T>, NonSendSource<T, Reads>, |got| got;
    [T: 'static] NonSendMut<'_, T> => NonSendMut<'w, T>, NonSendSource<T, Writes>, |got| got;
}

borrowed_values!(NonSend, NonSendMut;);

plain_source! {
    /// The source of a [`NonSendMarker`].
    MarkerSource;
    keeps (), |meta| meta.access.add_non_send();
    gives NonSendMarker, |_nothing, _cell| NonSendMarker(PhantomData);
}

params! {
    [] NonSendMarker => Self, MarkerSource, |got| got;
}
