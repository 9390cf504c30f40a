//! Origins: the line of the source and the system that did something. Known with the feature `track_location` only.
//!
//! Three types come in two versions: [`Known`], a reference that may be there, [`KnownCell`], a place for one that is
//! written through shared references, and [`PerIndex`], a list of what is known by index. Without the feature they have no
//! size and do nothing, and neither has or does what is made of them, here and elsewhere.
//!
//! `Store::by_caller` sets the origin of the operations that follow on an exclusively borrowed store. A command has the
//! origin of the code that recorded it. A run of a system that may share the store has the system's name in its `RunTicks`,
//! and a dereference adds its line. Steps of commands from several places are still one change; each component gets the
//! origin of the step that brought it. With or without the feature the same happens, except that with it components are
//! tracked from their registration on.

use core::fmt;
use core::panic::Location;

use crate::alloc_error::AllocError;

#[cfg(feature = "track_location")]
mod known {
    //! What is known is kept.

    use alloc::boxed::Box;
    use alloc::vec::Vec;
    use core::panic::Location;
    use core::ptr;
    use core::sync::atomic::{AtomicPtr, Ordering};

    use crate::alloc_error::{AllocError, try_reserve, try_shrink};

    /// Whether anything is ever known.
    pub(crate) const TRACKED: bool = true;

    /// Something that lives as long as the program, if it is known.
    #[derive(Debug)]
    pub(crate) struct Known<T: 'static>(Option<&'static T>);

    impl<T> Known<T> {
        pub(crate) const NONE: Self = Self(None);

        #[inline]
        pub(crate) const fn get(self) -> Option<&'static T> {
            self.0
        }
    }

    impl Known<Location<'static>> {
        /// Where the function was called that calls this, or the one that called that, as far as they track their callers.
        #[inline]
        #[track_caller]
        pub(crate) const fn caller() -> Self {
            Self(Some(Location::caller()))
        }
    }

    /// The name of a system. There is one of each in the program.
    #[derive(Debug)]
    pub(crate) struct Name {
        name: &'static str,
        next: Option<&'static Self>,
    }

    /// All names, the newest first. The list only grows, by one for each system that the program has.
    static NAMES: KnownCell<Name> = KnownCell(AtomicPtr::new(ptr::null_mut()));

    impl Known<Name> {
        pub(crate) fn of(name: &'static str) -> Self {
            let mut new = None;
            loop {
                let first = NAMES.get().0;
                let mut names = core::iter::successors(first, |known| known.next);
                // What another thread has entered meanwhile makes `new` superfluous; it stays in memory, which is rare.
                if let Some(known) = names.find(|known| known.name == name) {
                    return Self(Some(known));
                }
                let node = new.get_or_insert_with(|| Box::leak(Box::new(Name { name, next: None })));
                node.next = first;
                let before = first.map_or(ptr::null(), ptr::from_ref).cast_mut();
                if NAMES.0.compare_exchange(before, *node, Ordering::Release, Ordering::Relaxed).is_ok() {
                    return Self(new.map(|node| &*node));
                }
            }
        }

        pub(crate) const fn name(self) -> Option<&'static str> {
            match self.0 {
                Some(node) => Some(node.name),
                None => None,
            }
        }
    }

    /// A place for a [`Known`], which may be written through shared references.
    #[derive(Debug)]
    pub(crate) struct KnownCell<T: 'static>(AtomicPtr<T>);

    impl<T> Default for KnownCell<T> {
        fn default() -> Self {
            Self(AtomicPtr::default())
        }
    }

    impl<T: Sync> KnownCell<T> {
        #[inline]
        pub(crate) fn get(&self) -> Known<T> {
            // SAFETY: the address is null or that of a value that lives as long as the program and is not changed any more:
            // nothing else is ever stored, by `set` and by `Known::of`. What was written to it before can be seen, since it
            // was stored with `Release`. It may be shared between threads.
            Known(unsafe { self.0.load(Ordering::Acquire).as_ref() })
        }

        #[inline]
        pub(crate) fn set(&self, known: Known<T>) {
            self.0.store(known.0.map_or(ptr::null(), ptr::from_ref).cast_mut(), Ordering::Release);
        }
    }

    /// What is known by index.
    #[derive(Debug)]
    pub(crate) struct PerIndex<T>(Vec<T>);

    impl<T> Default for PerIndex<T> {
        fn default() -> Self {
            Self(Vec::new())
        }
    }

    impl<T: Default> PerIndex<T> {
        #[inline]
        pub(crate) fn get(&self, index: usize) -> Option<&T> {
            self.0.get(index)
        }

        /// The place of an index. None if there is no memory for it: then this is not known.
        #[inline]
        pub(crate) fn place(&mut self, index: usize) -> Option<&mut T> {
            if index >= self.0.len() {
                self.grow_to(index + 1).ok()?;
            }
            self.0.get_mut(index)
        }

        pub(crate) fn grow_to(&mut self, len: usize) -> Result<(), AllocError> {
            let more = len.saturating_sub(self.0.len());
            try_reserve(&mut self.0, more)?;
            self.0.resize_with(len.max(self.0.len()), T::default);
            Ok(())
        }

        pub(crate) fn shrink_to(&mut self, len: usize) {
            self.0.truncate(len);
            try_shrink(&mut self.0);
        }

        pub(crate) fn allocated_bytes(&self) -> usize {
            self.0.capacity() * size_of::<T>()
        }
    }
}

#[cfg(not(feature = "track_location"))]
mod known {
    //! Nothing is known, and nothing is kept.

    use core::marker::PhantomData;
    use core::panic::Location;

    use crate::alloc_error::AllocError;

    pub(crate) const TRACKED: bool = false;

    #[derive(Debug)]
    pub(crate) struct Known<T: 'static>(PhantomData<&'static T>);

    impl<T> Known<T> {
        pub(crate) const NONE: Self = Self(PhantomData);

        #[inline]
        pub(crate) const fn get(self) -> Option<&'static T> {
            None
        }
    }

    impl Known<Location<'static>> {
        #[inline]
        pub(crate) const fn caller() -> Self {
            Self::NONE
        }
    }

    #[derive(Debug)]
    pub(crate) struct Name;

    impl Known<Name> {
        #[inline]
        pub(crate) const fn of(_: &'static str) -> Self {
            Self::NONE
        }

        #[inline]
        pub(crate) const fn name(self) -> Option<&'static str> {
            None
        }
    }

    #[derive(Debug)]
    pub(crate) struct KnownCell<T: 'static>(PhantomData<&'static T>);

    impl<T> Default for KnownCell<T> {
        fn default() -> Self {
            Self(PhantomData)
        }
    }

    impl<T> KnownCell<T> {
        #[inline]
        pub(crate) fn get(&self) -> Known<T> {
            Known::NONE
        }

        #[inline]
        pub(crate) fn set(&self, _: Known<T>) {}
    }

    #[derive(Debug)]
    pub(crate) struct PerIndex<T>(PhantomData<fn() -> T>);

    impl<T> Default for PerIndex<T> {
        fn default() -> Self {
            Self(PhantomData)
        }
    }

    impl<T> PerIndex<T> {
        #[inline]
        pub(crate) fn get(&self, _: usize) -> Option<&T> {
            None
        }

        #[inline]
        pub(crate) fn place(&mut self, _: usize) -> Option<&mut T> {
            None
        }

        #[inline]
        pub(crate) fn grow_to(&mut self, _: usize) -> Result<(), AllocError> {
            Ok(())
        }

        #[inline]
        pub(crate) fn shrink_to(&mut self, _: usize) {}

        #[inline]
        pub(crate) fn allocated_bytes(&self) -> usize {
            0
        }
    }
}

use self::known::{Known, KnownCell, Name};
pub(crate) use self::known::{PerIndex, TRACKED};

impl_copy! { [T] Known<T>; }

/// The system that is running, if one is and that is known.
#[derive(Clone, Copy)]
pub(crate) struct SystemName(Known<Name>);

impl SystemName {
    pub(crate) const NONE: Self = Self(Known::NONE);

    #[inline]
    pub(crate) fn of(name: &'static str) -> Self {
        Self(Known::of(name))
    }
}

impl fmt::Debug for SystemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.name().fmt(f)
    }
}

/// The line of the source and the system that did something.
///
/// It tells what changed a component last ([`DetectChanges::changed_by`](crate::change::DetectChanges::changed_by)), what
/// spawned an entity ([`EntityRef::spawned_by`](crate::world::EntityRef::spawned_by)), and what despawned one
/// ([`Entities::entity_get_spawned_or_despawned_by`](crate::entity::Entities::entity_get_spawned_or_despawned_by)). All of
/// that is known with the feature `track_location` only. Without it this type has no size, and nothing is known.
///
/// What a command does is put down to the line that recorded it, and what is done to a selection of entities to the line that
/// selected them.
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
    location: Known<Location<'static>>,
    system: SystemName,
}

impl Origin {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { location: Known::NONE, system: SystemName::NONE };

    /// The caller, in a system.
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub(crate) const fn here(system: SystemName) -> Self {
        Self { location: Known::caller(), system }
    }

    /// A system, wherever in it.
    #[inline]
    pub(crate) const fn in_system(system: SystemName) -> Self {
        Self { location: Known::NONE, system }
    }

    /// The system, if there is one.
    #[inline]
    pub(crate) const fn system_name(self) -> SystemName {
        self.system
    }

    /// Where it was done, if it was done in a certain place. The `&mut T` of a row system has none: it counts as changed
    /// whatever the system does with it.
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

    /// The same as [`location`](Self::location), by bevy_ecs's name.
    #[must_use]
    pub const fn into_option(self) -> Option<&'static Location<'static>> {
        self.location()
    }

    /// What a function makes of the location, if that is known.
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

    /// The name of the system that did it, or recorded the command to do it, if one did.
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

    /// Whether anything is known.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.location().is_some() || self.system().is_some()
    }

    /// Whether two are the same, at a glance: equal ones may differ.
    #[inline]
    pub(crate) fn is_same(self, other: Self) -> bool {
        let same_place = match (self.location.get(), other.location.get()) {
            (Some(one), Some(other)) => core::ptr::eq(one, other),
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

/// As in ``system `game::bury` at src/game.rs:40:9``. Where nothing is known it says so.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.system(), self.location()) {
            (Some(system), Some(location)) => write!(f, "system `{system}` at {location}"),
            (Some(system), None) => write!(f, "system `{system}`"),
            (None, Some(location)) => location.fmt(f),
            (None, None) => f.write_str("an unknown place"),
        }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Origin({self})")
    }
}

/// As it stands behind a participle: ``despawned by system `bury` at src/game.rs:40:9``, `despawned at src/main.rs:7:5`.
pub(crate) struct By(pub(crate) Origin);

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.system(), self.0.is_known()) {
            (Some(_), _) => write!(f, " by {}", self.0),
            (None, true) => write!(f, " at {}", self.0),
            (None, false) => Ok(()),
        }
    }
}

/// A place for an [`Origin`], which may be written through shared references.
#[derive(Debug, Default)]
pub(crate) struct OriginCell {
    location: KnownCell<Location<'static>>,
    system: KnownCell<Name>,
}

impl OriginCell {
    #[inline]
    pub(crate) fn get(&self) -> Origin {
        Origin { location: self.location.get(), system: SystemName(self.system.get()) }
    }

    #[inline]
    pub(crate) fn set(&self, origin: Origin) {
        self.location.set(origin.location);
        self.system.set(origin.system.0);
    }
}

/// The origin of the last change of each row of a column.
#[derive(Debug, Default)]
pub(crate) struct RowOrigins(PerIndex<OriginCell>);

impl RowOrigins {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Origin {
        self.0.get(row).map_or(Origin::UNKNOWN, OriginCell::get)
    }

    #[inline]
    pub(crate) fn set(&self, row: usize, origin: Origin) {
        if let Some(cell) = self.0.get(row) {
            cell.set(origin);
        }
    }

    #[inline]
    pub(crate) fn set_range(&self, first: usize, count: usize, origin: Origin) {
        if TRACKED {
            (first..first + count).for_each(|row| self.set(row, origin));
        }
    }

    /// Makes room for so many rows.
    ///
    /// # Errors
    ///
    /// If there is no memory. What was there stays.
    #[inline]
    pub(crate) fn grow_to(&mut self, rows: usize) -> Result<(), AllocError> {
        self.0.grow_to(rows)
    }

    #[inline]
    pub(crate) fn shrink_to(&mut self, rows: usize) {
        self.0.shrink_to(rows);
    }

    #[inline]
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.0.allocated_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_feature_nothing_has_a_size() {
        let sizes = [size_of::<Origin>(), size_of::<SystemName>(), size_of::<OriginCell>(), size_of::<RowOrigins>()];
        assert_eq!(sizes == [0; 4], !TRACKED, "{sizes:?}");
    }

    #[test]
    fn a_system_has_one_name_on_every_thread() {
        let [one, same, other] =
            ["game::bury", "game::bury", "game::dig"].map(|name| Origin::in_system(SystemName::of(name)));
        assert!(one.is_same(same) && one == same);
        assert_eq!((one.is_same(other), one == other), (!TRACKED, !TRACKED));
        assert!(!TRACKED || core::ptr::eq(one.system().unwrap(), same.system().unwrap()));
    }

    #[test]
    #[cfg(feature = "std")]
    fn many_threads_may_name_systems_at_once() {
        let names = ["a", "b", "c", "d", "e"];
        let ask = || names.map(|name| SystemName::of(name).0.name());
        let expected = if TRACKED { names.map(Some) } else { [None; 5] };
        std::thread::scope(|scope| {
            let threads: alloc::vec::Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), expected));
        });
    }
}
