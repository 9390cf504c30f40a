//! References to components and resources together with their ticks.
//!
//! Tests: tests/changes/change_detection/detect.rs

use core::fmt;
use core::ops::DerefMut;

use super::detect::{detect_changes, detect_changes_mut};
use super::ticks::Ticks;

/// A mutable reference to a component or resource, with the ticks of its addition and last change.
///
/// A `Mut` is used like `&mut T`. Dereferencing it mutably counts as a change; reading does not. The trait [`DetectChangesMut`] has
/// the other methods.
///
/// [`DetectChangesMut`]: super::DetectChangesMut
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, PartialEq)]
/// struct Health(u32);
///
/// let mut world = World::new();
/// let entity = world.spawn(Health(1)).id();
/// let mut health = world.get_mut::<Health>(entity).unwrap();
/// health.0 += 1;
/// assert!(!health.set_if_neq(Health(2)));
/// assert!(health.set_if_neq(Health(3)));
/// ```
#[doc(alias("RefRW", "Tracked"))]
pub struct Mut<'w, T: ?Sized> {
    value: &'w mut T,
    ticks: Ticks<'w>,
}

impl<'w, T: ?Sized> Mut<'w, T> {
    #[inline]
    pub(crate) fn new(value: &'w mut T, ticks: Ticks<'w>) -> Self {
        Self { value, ticks }
    }

    /// Returns the plain reference. This counts as a change.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = 3;
    /// let plain: &mut i32 = Mut::from(&mut value).into_inner();
    /// *plain += 1;
    /// assert_eq!(value, 4);
    /// ```
    #[inline]
    #[must_use]
    #[cfg_attr(feature = "track_location", track_caller)]
    pub fn into_inner(self) -> &'w mut T {
        self.ticks.mark();
        self.value
    }

    /// Returns the same reference with a shorter lifetime.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// fn heal(mut health: Mut<u32>) {
    ///     *health += 1;
    /// }
    ///
    /// let mut value = 3;
    /// let mut health = Mut::from(&mut value);
    /// heal(health.reborrow());
    /// heal(health);
    /// assert_eq!(value, 5);
    /// ```
    #[inline]
    pub fn reborrow(&mut self) -> Mut<'_, T> {
        Mut { value: self.value, ticks: self.ticks }
    }

    /// Returns a reference to a part of the value. Changing the part counts as a change of the whole value. Calling this method
    /// does not count as a change.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)]
    /// # struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Health(3)).id();
    /// let health = world.get_mut::<Health>(entity).unwrap();
    /// let mut points: Mut<u32> = health.map_unchanged(|health| &mut health.0);
    /// *points += 1;
    /// assert_eq!(world.get(entity), Some(&Health(4)));
    /// ```
    #[inline]
    pub fn map_unchanged<U: ?Sized>(self, part: impl FnOnce(&mut T) -> &mut U) -> Mut<'w, U> {
        Mut { value: part(self.value), ticks: self.ticks }
    }

    /// Returns a reference to the value's `DerefMut` target. Like [`Mut::map_unchanged`], this does not count as a change.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = vec![1, 2];
    /// let mut value = Mut::from(&mut value);
    /// let mut numbers: Mut<[i32]> = value.as_deref_mut();
    /// numbers[0] = 3;
    /// assert_eq!(*value, [3, 2]);
    /// ```
    #[inline]
    pub fn as_deref_mut(&mut self) -> Mut<'_, T::Target>
    where
        T: DerefMut,
    {
        self.reborrow().map_unchanged(T::deref_mut)
    }

    /// Like [`Mut::map_unchanged`], but for a part that may not exist.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = Some(3);
    /// let inner: Option<Mut<i32>> = Mut::from(&mut value).filter_map_unchanged(Option::as_mut);
    /// *inner.unwrap() += 1;
    /// assert_eq!(value, Some(4));
    /// ```
    #[inline]
    pub fn filter_map_unchanged<U: ?Sized>(self, part: impl FnOnce(&mut T) -> Option<&mut U>) -> Option<Mut<'w, U>> {
        let ticks = self.ticks;
        part(self.value).map(|value| Mut { value, ticks })
    }

    /// Like [`Mut::map_unchanged`], but for a part whose access may fail.
    ///
    /// # Errors
    ///
    /// The error that `part` returns.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = [3, 4];
    /// let second = Mut::from(&mut value).try_map_unchanged(|all| all.get_mut(1).ok_or("too short"));
    /// *second.unwrap() += 1;
    /// assert_eq!(value, [3, 5]);
    /// ```
    #[inline]
    pub fn try_map_unchanged<U: ?Sized, E>(
        self,
        part: impl FnOnce(&mut T) -> Result<&mut U, E>,
    ) -> Result<Mut<'w, U>, E> {
        let ticks = self.ticks;
        part(self.value).map(|value| Mut { value, ticks })
    }
}

impl_from!(
    /// Creates a reference for unit tests that call systems directly. The value counts as added and changed.
    ['w, T: ?Sized] &'w mut T => Mut<'w, T>, |value| Self { value, ticks: Ticks::nowhere() }
);

impl<T: ?Sized> DerefMut for Mut<'_, T> {
    #[inline]
    #[cfg_attr(feature = "track_location", track_caller)]
    fn deref_mut(&mut self) -> &mut T {
        self.ticks.mark();
        self.value
    }
}

impl<T: ?Sized> AsMut<T> for Mut<'_, T> {
    #[cfg_attr(feature = "track_location", track_caller)]
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

/// A shared reference to a component or resource, with the ticks of its addition and last change.
///
/// ```
/// use strata_ecs::prelude::*;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// fn report(healths: Query<(Entity, Ref<Health>)>) {
///     for (entity, health) in &healths {
///         if health.is_added() {
///             println!("{entity} begins with {}", health.0);
///         } else if health.is_changed() {
///             println!("{entity} has {} now", health.0);
///         }
///     }
/// }
/// # let mut world = World::new();
/// # world.spawn(Health(3));
/// # world.run_system_once(report).unwrap();
/// ```
#[doc(alias("RefRO", "Tracked"))]
pub struct Ref<'w, T: ?Sized> {
    value: &'w T,
    ticks: Ticks<'w>,
}

impl_copy! { [T: ?Sized] Ref<'_, T>; }

impl<'w, T: ?Sized> Ref<'w, T> {
    #[inline]
    pub(crate) fn new(value: &'w T, ticks: Ticks<'w>) -> Self {
        Self { value, ticks }
    }

    /// Returns the plain reference.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let plain: &i32 = Ref::from(&3).into_inner();
    /// assert_eq!(plain, &3);
    /// ```
    #[inline]
    #[must_use]
    pub fn into_inner(self) -> &'w T {
        self.value
    }

    /// Returns a reference to a part of the value, with the ticks of the whole.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    /// # #[derive(Component)] struct Health(u32);
    ///
    /// let health = Health(3);
    /// let points: Ref<u32> = Ref::from(&health).map(|health| &health.0);
    /// assert_eq!(*points, 3);
    /// ```
    #[inline]
    pub fn map<U: ?Sized>(self, part: impl FnOnce(&T) -> &U) -> Ref<'w, U> {
        Ref { value: part(self.value), ticks: self.ticks }
    }
}

impl_from!(
    /// Creates a reference for unit tests that call systems directly. The value counts as added and changed.
    ['w, T: ?Sized] &'w T => Ref<'w, T>, |value| Self { value, ticks: Ticks::nowhere() }
);

/// Converts to a shared reference.
impl<'w, T: ?Sized> From<Mut<'w, T>> for Ref<'w, T> {
    fn from(borrowed: Mut<'w, T>) -> Self {
        Self { value: borrowed.value, ticks: borrowed.ticks }
    }
}

/// Implements the traits for reading that both kinds of references have.
macro_rules! to_read {
    ($($Type:ident),*) => {
        $(
            impl_deref!(#[inline] [T: ?Sized] $Type<'_, T> => T, |this| *this.value);

            impl<T: ?Sized> AsRef<T> for $Type<'_, T> {
                fn as_ref(&self) -> &T {
                    self.value
                }
            }

            impl_debug!([T: fmt::Debug + ?Sized] $Type<'_, T> => |this, f|
                f.debug_tuple(stringify!($Type)).field(&this.value).finish());
        )*
    };
}

to_read!(Ref, Mut);
detect_changes!([T: ?Sized] Ref<'_, T>, [T: ?Sized] Mut<'_, T>);
detect_changes_mut!([T: ?Sized] Mut<'_, T> => T);
