//! Origins: the source line and the system of an operation. They are known only with the feature `track_location`.
//!
//! Three types contain a [`Tracked`]. [`KnownRef`] is an optional reference, [`KnownCell`] is a cell for a `KnownRef` that is written
//! through shared references, and [`PerIndex`] is a list by index. Without the feature these types, and types that consist of them, have no
//! size and do nothing.
//!
//! `Store::track_caller` sets the origin of the following operations on an exclusively borrowed store. A command has the origin of the code
//! that recorded it. If a running system may share the store, its `RunTicks` contain the name of the system, and a dereference adds its
//! line. If a change combines several commands, each component gets the origin of the command that inserted it. The feature does not change
//! the behaviour, except that with it components are tracked from their registration on.

use alloc::boxed::Box;
use alloc::vec::Vec;
#[cfg(not(feature = "track_location"))]
use core::marker::PhantomData;
use core::panic::Location;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::util::alloc_error::{AllocError, try_reserve, try_shrink};

/// Whether origins are recorded.
pub(crate) const TRACKED: bool = cfg!(feature = "track_location");

/// A value that is stored only with the feature `track_location`. Without the feature this type has no size and the alignment 1.
#[derive(Clone, Copy, Debug, Default)]
struct Tracked<T>(#[cfg(feature = "track_location")] T, #[cfg(not(feature = "track_location"))] PhantomData<fn() -> T>);

impl<T> Tracked<T> {
    #[inline]
    #[cfg(feature = "track_location")]
    const fn new(value: T) -> Self {
        Self(value)
    }

    #[inline]
    #[cfg(not(feature = "track_location"))]
    const fn new(value: T) -> Self {
        core::mem::forget(value);
        Self(PhantomData)
    }

    #[inline]
    const fn get(&self) -> Option<&T> {
        #[cfg(feature = "track_location")]
        return Some(&self.0);
        #[cfg(not(feature = "track_location"))]
        None
    }

    #[inline]
    fn get_mut(&mut self) -> Option<&mut T> {
        #[cfg(feature = "track_location")]
        return Some(&mut self.0);
        #[cfg(not(feature = "track_location"))]
        None
    }
}

/// An optional reference to a value that lives until the program ends. It is always absent without the feature.
#[derive(Debug)]
struct KnownRef<T: 'static>(Tracked<Option<&'static T>>);

impl_copy! { [T] KnownRef<T>; }

impl<T> KnownRef<T> {
    const NONE: Self = Self(Tracked::new(None));

    #[inline]
    const fn get(self) -> Option<&'static T> {
        match self.0.get() {
            Some(known) => *known,
            None => None,
        }
    }
}

impl KnownRef<Location<'static>> {
    /// Returns the location of the caller of the calling function. If that caller is `#[track_caller]`, too, returns the location of its
    /// caller, and so on.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    const fn caller() -> Self {
        Self(Tracked::new(Some(Location::caller())))
    }
}

/// The name of a system, in a linked list. Each name is in the list once.
#[derive(Debug)]
struct NameNode {
    name: &'static str,
    next: Option<&'static Self>,
}

/// The first node of the list of all names; the newest name comes first. The list only grows, by one node for each system of the program.
static NAMES: KnownCell<NameNode> = KnownCell(Tracked::new(AtomicPtr::new(ptr::null_mut())));

impl KnownRef<NameNode> {
    fn of(name: &'static str) -> Self {
        let Some(head) = NAMES.0.get() else { return Self::NONE };
        let mut new = None;
        loop {
            let first = NAMES.get().get();
            let mut names = core::iter::successors(first, |known| known.next);
            // If another thread has entered the name in the meantime, `new` is not needed; it is leaked, which is rare.
            if let Some(known) = names.find(|known| known.name == name) {
                return Self(Tracked::new(Some(known)));
            }
            let node = new.get_or_insert_with(|| Box::leak(Box::new(NameNode { name, next: None })));
            node.next = first;
            let before = first.map_or(ptr::null(), ptr::from_ref).cast_mut();
            if head.compare_exchange(before, *node, Ordering::Release, Ordering::Relaxed).is_ok() {
                return Self(Tracked::new(new.map(|node| &*node)));
            }
        }
    }

    const fn name(self) -> Option<&'static str> {
        match self.get() {
            Some(node) => Some(node.name),
            None => None,
        }
    }
}

/// A cell for a [`KnownRef`] that can be written through shared references.
#[derive(Debug)]
struct KnownCell<T: 'static>(Tracked<AtomicPtr<T>>);

impl<T> Default for KnownCell<T> {
    fn default() -> Self {
        Self(Tracked::default())
    }
}

impl<T: Sync> KnownCell<T> {
    #[inline]
    fn get(&self) -> KnownRef<T> {
        let Some(place) = self.0.get() else { return KnownRef::NONE };
        // SAFETY: the address is null or points to a value that lives until the program ends and is no longer changed: only
        // `set` and `KnownRef::of` store addresses, of such values. The load with `Acquire` synchronizes with the store with
        // `Release`, so the writes to the value are visible. The value may be shared between threads.
        KnownRef(Tracked::new(unsafe { place.load(Ordering::Acquire).as_ref() }))
    }

    #[inline]
    fn set(&self, known: KnownRef<T>) {
        if let Some(place) = self.0.get() {
            place.store(known.get().map_or(ptr::null(), ptr::from_ref).cast_mut(), Ordering::Release);
        }
    }
}

/// A list of values by index, which exists only with the feature.
#[derive(Debug, Default)]
pub(crate) struct PerIndex<T>(Tracked<Vec<T>>);

impl<T: Default> PerIndex<T> {
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.0.get()?.get(index)
    }

    /// Returns the entry of an index. The list grows if necessary. `None` without the feature, or if the allocation fails.
    #[inline]
    pub(crate) fn get_or_grow(&mut self, index: usize) -> Option<&mut T> {
        if index >= self.0.get()?.len() {
            self.grow_to(index + 1).ok()?;
        }
        self.0.get_mut()?.get_mut(index)
    }

    /// Grows the list to `len` entries.
    ///
    /// # Errors
    ///
    /// If the allocation fails. The existing entries stay.
    #[inline]
    pub(crate) fn grow_to(&mut self, len: usize) -> Result<(), AllocError> {
        let Some(list) = self.0.get_mut() else { return Ok(()) };
        try_reserve(list, len.saturating_sub(list.len()))?;
        list.resize_with(len.max(list.len()), T::default);
        Ok(())
    }

    #[inline]
    pub(crate) fn shrink_to(&mut self, len: usize) {
        if let Some(list) = self.0.get_mut() {
            list.truncate(len);
            try_shrink(list);
        }
    }

    #[inline]
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.0.get().map_or(0, |list| list.capacity() * size_of::<T>())
    }
}

/// The name of the running system, if a system is running and its name is known.
#[derive(Clone, Copy)]
pub(crate) struct SystemOrigin(KnownRef<NameNode>);

impl SystemOrigin {
    pub(crate) const NONE: Self = Self(KnownRef::NONE);

    #[inline]
    pub(crate) fn of(name: &'static str) -> Self {
        Self(KnownRef::of(name))
    }
}

impl_debug!([] SystemOrigin => |this, f| this.0.name().fmt(f));

/// The source line and the system of an operation.
///
/// It describes which code changed a component last ([`DetectChanges::changed_by`](crate::change::DetectChanges::changed_by)), spawned an
/// entity ([`EntityRef::spawned_by`](crate::world::EntityRef::spawned_by)), or despawned an entity
/// ([`Entities::entity_get_spawned_or_despawned_by`](crate::entity::Entities::entity_get_spawned_or_despawned_by)). Origins are known only
/// with the feature `track_location`. Without the feature this type has no size, and nothing is known.
///
/// The origin of a command is the line that recorded the command. The origin of an operation on a selection of entities is the line that
/// made the selection.
///
/// ```
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(3)).id();
/// let origin = world.entity(entity).spawned_by();
/// if origin.is_known() {
///     println!("spawned at {origin}"); // src/main.rs:5:20
/// }
/// assert_eq!(origin.is_known(), cfg!(feature = "track_location"));
/// ```
#[derive(Clone, Copy)]
#[doc(alias("MaybeLocation"))]
pub struct Origin {
    location: KnownRef<Location<'static>>,
    system: SystemOrigin,
}

impl Origin {
    /// The origin of which nothing is known.
    pub const UNKNOWN: Self = Self { location: KnownRef::NONE, system: SystemOrigin::NONE };

    /// Returns the calling line, in a system.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) const fn here(system: SystemOrigin) -> Self {
        Self { location: KnownRef::caller(), system }
    }

    /// Returns an origin with a system and without a line.
    #[inline]
    pub(crate) const fn in_system(system: SystemOrigin) -> Self {
        Self { location: KnownRef::NONE, system }
    }

    /// Returns the system, if it is known.
    #[inline]
    pub(crate) const fn system_name(self) -> SystemOrigin {
        self.system
    }

    /// Returns the source line, if it is known. A change through a `&mut T` of a row system has no line: the value counts as changed
    /// regardless of what the system does with it.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// if let Some(location) = world.spawn_empty().spawned_by().location() {
    ///     assert!(location.file().ends_with(".rs"));
    /// }
    /// ```
    #[must_use]
    pub const fn location(&self) -> Option<&'static Location<'static>> {
        self.location.get()
    }

    /// Same as [`location`](Self::location), under bevy_ecs's name.
    #[must_use]
    pub const fn into_option(self) -> Option<&'static Location<'static>> {
        self.location()
    }

    /// Calls a function with the location and returns the result; `None` if the location is not known.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// let by = world.spawn_empty().spawned_by();
    /// let text = by.map(|location| format!(" by {location}")).unwrap_or_default();
    /// assert_eq!(text.is_empty(), !by.is_known());
    /// ```
    #[must_use]
    pub fn map<U>(self, f: impl FnOnce(&'static Location<'static>) -> U) -> Option<U> {
        self.location().map(f)
    }

    /// Returns the name of the system that did the operation, or that recorded the command for the operation. `None` if there was no such
    /// system, or if it is not known.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut world = World::new();
    /// assert_eq!(world.spawn_empty().spawned_by().system(), None); // No system is running.
    /// ```
    #[must_use]
    pub const fn system(&self) -> Option<&'static str> {
        self.system.0.name()
    }

    /// Returns whether the line or the system is known.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.location().is_some() || self.system().is_some()
    }

    /// Compares two origins by address, which is fast. If it returns true, the origins are equal. It may return false for equal origins.
    #[inline]
    pub(crate) fn is_same(self, other: Self) -> bool {
        let same_place = match (self.location.get(), other.location.get()) {
            (Some(one), Some(other)) => ptr::eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        same_place && self.system() == other.system()
    }
}

impl Default for Origin {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        (self.location(), self.system()) == (other.location(), other.system())
    }
}

impl Eq for Origin {}

impl_display! {
    /// For instance ``system `game::bury` at src/game.rs:40:9``. If nothing is known, a text that states this.
    [] Origin => |this, f| match (this.system(), this.location()) {
        (Some(system), Some(location)) => write!(f, "system `{system}` at {location}"),
        (Some(system), None) => write!(f, "system `{system}`"),
        (None, Some(location)) => location.fmt(f),
        (None, None) => f.write_str("an unknown place"),
    }
}

impl_debug!([] Origin => |this, f| write!(f, "Origin({this})"));

/// Shows an origin after a participle, as in ``despawned by system `bury` at src/game.rs:40:9`` or `despawned at src/main.rs:7:5`.
pub(crate) struct ByOrigin(pub(crate) Origin);

impl_display! {
    [] ByOrigin => |this, f| match (this.0.system(), this.0.is_known()) {
        (Some(_), _) => write!(f, " by {}", this.0),
        (None, true) => write!(f, " at {}", this.0),
        (None, false) => Ok(()),
    }
}

/// A cell for an [`Origin`] that can be written through shared references.
#[derive(Debug, Default)]
pub(crate) struct OriginCell {
    location: KnownCell<Location<'static>>,
    system: KnownCell<NameNode>,
}

impl OriginCell {
    #[inline]
    pub(crate) fn get(&self) -> Origin {
        Origin { location: self.location.get(), system: SystemOrigin(self.system.get()) }
    }

    #[inline]
    pub(crate) fn set(&self, origin: Origin) {
        self.location.set(origin.location);
        self.system.set(origin.system.0);
    }
}

/// The origin of the last change of each row of a column.
pub(crate) type RowOrigins = PerIndex<OriginCell>;

impl RowOrigins {
    #[inline]
    pub(crate) fn origin(&self, row: usize) -> Origin {
        self.get(row).map_or(Origin::UNKNOWN, OriginCell::get)
    }

    #[inline]
    pub(crate) fn set(&self, row: usize, origin: Origin) {
        if let Some(cell) = self.get(row) {
            cell.set(origin);
        }
    }

    #[inline]
    pub(crate) fn set_range(&self, first: usize, count: usize, origin: Origin) {
        if TRACKED {
            (first..first + count).for_each(|row| self.set(row, origin));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_feature_nothing_has_a_size() {
        let sizes = [size_of::<Origin>(), size_of::<SystemOrigin>(), size_of::<OriginCell>(), size_of::<RowOrigins>()];
        assert_eq!(sizes == [0; 4], !TRACKED, "{sizes:?}");
    }

    #[test]
    fn a_system_has_one_name_on_every_thread() {
        let [one, same, other] =
            ["game::bury", "game::bury", "game::dig"].map(|name| Origin::in_system(SystemOrigin::of(name)));
        assert!(one.is_same(same) && one == same);
        assert_eq!((one.is_same(other), one == other), (!TRACKED, !TRACKED));
        assert!(!TRACKED || ptr::eq(one.system().unwrap(), same.system().unwrap()));
    }

    #[test]
    #[cfg(feature = "std")]
    fn many_threads_may_name_systems_at_once() {
        let names = ["a", "b", "c", "d", "e"];
        let ask = || names.map(|name| SystemOrigin::of(name).0.name());
        let expected = if TRACKED { names.map(Some) } else { [None; 5] };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), expected));
        });
    }
}
