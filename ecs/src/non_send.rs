//! Values that stay on one thread: at most one of each type, as with resources, and of types that need not be `Send`.
//!
//! A world may be sent to other threads and shared with them, these values not. So each is only read, changed, moved or
//! dropped on the thread that inserted it, its *owner*, and every way to a value asks first which thread this is. A world
//! that is dropped on another thread leaks the value.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::type_name;
use core::cell::Cell;
use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::component::SlotMap;
use crate::tick::{Tick, TickCells, WriteStamp};

/// The number of a type of such values in its world.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NonSendId(pub(crate) u32);

/// The number of a thread, which no other thread of the process ever has. Unlike [`thread::ThreadId`] it costs one load,
/// and can be had to the very end of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ThreadNumber(u64);

impl ThreadNumber {
    #[inline]
    fn current() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        std::thread_local! {
            /// 0 until somebody asks.
            static NUMBER: Cell<u64> = const { Cell::new(0) };
        }
        NUMBER.with(|number| {
            if number.get() == 0 {
                number.set(NEXT.fetch_add(1, Ordering::Relaxed));
            }
            Self(number.get())
        })
    }
}

/// As in "thread `main` (ThreadId(1))".
fn describe_current() -> String {
    let thread = thread::current();
    match thread.name() {
        Some(name) => alloc::format!("thread `{name}` ({:?})", thread.id()),
        None => alloc::format!("an unnamed thread ({:?})", thread.id()),
    }
}

/// Somebody wants to use a value on a thread that does not own it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct WrongThread {
    value: &'static str,
    owner: String,
    current: String,
}

impl WrongThread {
    /// The same as a panic.
    #[cold]
    #[track_caller]
    pub(crate) fn raise(&self) -> ! {
        panic!("{self}");
    }
}

impl fmt::Display for WrongThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, owner, current } = self;
        write!(
            f,
            "non-Send value `{value}` was inserted on {owner} and cannot be used on {current}; use it where it was \
             inserted, or make it a resource if it is `Send` and `Sync`"
        )
    }
}

/// A value, on the heap.
struct Held {
    value: NonNull<u8>,
    owner: ThreadNumber,
    owner_name: Box<str>,
}

/// The place of one type.
struct Place {
    name: &'static str,
    held: Option<Held>,
    ticks: TickCells,
    drop: unsafe fn(NonNull<u8>),
}

impl Place {
    /// The value, if there is one, on the thread that owns it.
    #[inline]
    fn value(&self) -> Result<Option<NonNull<u8>>, WrongThread> {
        match &self.held {
            Some(held) if held.owner == ThreadNumber::current() => Ok(Some(held.value)),
            Some(held) => Err(self.wrong_thread(held)),
            None => Ok(None),
        }
    }

    #[cold]
    fn wrong_thread(&self, held: &Held) -> WrongThread {
        WrongThread { value: self.name, owner: String::from(&*held.owner_name), current: describe_current() }
    }
}

impl Drop for Place {
    /// On another thread than the owner's nobody may touch the value, so it is leaked.
    fn drop(&mut self) {
        if let Some(held) = self.held.take()
            && held.owner == ThreadNumber::current()
        {
            // SAFETY: the value came from `Box::into_raw` of the type that `drop` belongs to; nobody else has it. This is
            // the thread that inserted it.
            unsafe { (self.drop)(held.value) }
        }
    }
}

/// # Safety
///
/// - `value` came from `Box::into_raw` of a `Box<T>` and is not used again.
/// - If `T` is not `Send`, this is the thread on which it was made.
unsafe fn drop_box<T>(value: NonNull<u8>) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(value.cast::<T>().as_ptr()) });
}

/// All such values of a world.
#[derive(Default)]
pub(crate) struct NonSends {
    places: Vec<Place>,
    ids: SlotMap,
}

// SAFETY: what is sent along is pointers. The values are used through `Place::value` only, which gives the pointer to nobody
// on another thread than the one that inserted the value.
unsafe impl Send for NonSends {}
// SAFETY: as for `Send`: no thread but the one that inserted a value gets a reference to it. The rest of a place may be
// shared.
unsafe impl Sync for NonSends {}

impl NonSends {
    /// The number of a type, if this world has met it.
    pub(crate) fn id<T: 'static>(&self) -> Option<NonSendId> {
        self.ids.get::<T>(None).map(NonSendId)
    }

    /// The number of a type, which is registered now if need be.
    pub(crate) fn register<T: 'static>(&mut self) -> NonSendId {
        if let Some(id) = self.id::<T>() {
            return id;
        }
        let ticks = TickCells::default();
        let place = |_| Place { name: type_name::<T>(), held: None, ticks, drop: drop_box::<T> };
        NonSendId(self.ids.register::<T, _>(None, &mut self.places, place))
    }

    /// Sets a value, which belongs to this thread from now on, and returns the old one.
    ///
    /// # Errors
    ///
    /// If the old one belongs to another thread. It stays, and the new one is dropped.
    pub(crate) fn insert<T: 'static>(&mut self, value: T, now: WriteStamp) -> Result<Option<T>, WrongThread> {
        let id = self.register::<T>();
        let place = &mut self.places[id.0 as usize];
        let old = place.value()?;
        let owner_name = describe_current().into_boxed_str();
        let value = NonNull::from(Box::leak(Box::new(value))).cast();
        place.held = Some(Held { value, owner: ThreadNumber::current(), owner_name });
        match old {
            None => place.ticks.set_added(now),
            Some(_) => place.ticks.set_changed(now),
        }
        // SAFETY: a value in the place of `T` came from `Box::<T>::into_raw`, and the place has let go of it. This is the
        // thread that inserted it.
        Ok(old.map(|old| *unsafe { Box::from_raw(old.cast::<T>().as_ptr()) }))
    }

    /// Takes a value out.
    ///
    /// # Errors
    ///
    /// If it belongs to another thread. It stays.
    pub(crate) fn remove<T: 'static>(&mut self) -> Result<Option<T>, WrongThread> {
        let Some(id) = self.id::<T>() else { return Ok(None) };
        let place = &mut self.places[id.0 as usize];
        let Some(old) = place.value()? else { return Ok(None) };
        place.held = None;
        // SAFETY: a value in the place of `T` came from `Box::<T>::into_raw`, and the place has let go of it. This is the
        // thread that inserted it.
        Ok(Some(*unsafe { Box::from_raw(old.cast::<T>().as_ptr()) }))
    }

    /// Whether there is a value, on whatever thread.
    pub(crate) fn contains<T: 'static>(&self) -> bool {
        self.id::<T>().is_some_and(|id| self.places[id.0 as usize].held.is_some())
    }

    /// Where the value with this number is, if there is one, and when it was added and changed.
    ///
    /// # Errors
    ///
    /// If it belongs to another thread.
    #[inline]
    pub(crate) fn raw(&self, id: NonSendId) -> Result<Option<(NonNull<u8>, &TickCells)>, WrongThread> {
        let Some(place) = self.places.get(id.0 as usize) else { return Ok(None) };
        Ok(place.value()?.map(|value| (value, &place.ticks)))
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// If it belongs to another thread.
    pub(crate) fn get<T: 'static>(&self) -> Result<Option<&T>, WrongThread> {
        let Some(id) = self.id::<T>() else { return Ok(None) };
        // SAFETY: the place of `T` holds a `T`. `&self` keeps others from borrowing it mutably: those who do so through the
        // raw pointer promise that it is not borrowed otherwise. This is the thread that inserted it.
        Ok(self.raw(id)?.map(|(value, _)| unsafe { value.cast::<T>().as_ref() }))
    }

    /// The value, to change it, and when it was added and changed.
    ///
    /// # Errors
    ///
    /// If it belongs to another thread.
    pub(crate) fn get_mut<T: 'static>(&mut self) -> Result<Option<(&mut T, &TickCells)>, WrongThread> {
        let Some(id) = self.id::<T>() else { return Ok(None) };
        let found = self.raw(id)?;
        // SAFETY: the place of `T` holds a `T`, and `&mut self` makes this the only borrow. This is the thread that inserted
        // it.
        Ok(found.map(|(value, ticks)| (unsafe { value.cast::<T>().as_mut() }, ticks)))
    }

    /// Brings ticks that are too old to be told from older ones forward.
    pub(crate) fn clamp_ticks(&self, now: Tick) {
        self.places.iter().for_each(|place| place.ticks.clamp(now));
    }

    /// The names of the values that are there, in the order in which the world met their types.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.places.iter().filter(|place| place.held.is_some()).map(|place| place.name)
    }
}
