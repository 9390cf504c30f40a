//! Borrowed components and resources as users see them.

use core::fmt;
use core::ops::{Deref, DerefMut};

/// A component that is borrowed mutably.
///
/// It is used like `&mut T`. Change detection, which tells a look from a change, will stand here; so use
/// [`Mut::set_if_neq`] where a write may change nothing.
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
pub struct Mut<'w, T: ?Sized> {
    value: &'w mut T,
}

impl<'w, T: ?Sized> Mut<'w, T> {
    #[inline]
    pub(crate) fn new(value: &'w mut T) -> Self {
        Self { value }
    }

    /// The plain reference.
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
    pub fn into_inner(self) -> &'w mut T {
        self.value
    }

    /// The same borrow for a shorter time.
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
        Mut { value: self.value }
    }

    /// The plain reference, for a change that nobody is to see.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = 3;
    /// let mut health = Mut::from(&mut value);
    /// *health.bypass_change_detection() += 1;
    /// assert_eq!(*health, 4);
    /// ```
    #[inline]
    pub fn bypass_change_detection(&mut self) -> &mut T {
        self.value
    }

    /// A part of the value.
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
        Mut { value: part(self.value) }
    }
}

impl<T: PartialEq> Mut<'_, T> {
    /// Writes a value if it differs from the old one, and says whether it did.
    ///
    /// ```
    /// use strata_ecs::prelude::*;
    ///
    /// let mut value = 3;
    /// let mut health = Mut::from(&mut value);
    /// assert!(!health.set_if_neq(3));
    /// assert!(health.set_if_neq(4));
    /// assert_eq!(value, 4);
    /// ```
    pub fn set_if_neq(&mut self, value: T) -> bool {
        let differs = *self.value != value;
        if differs {
            *self.value = value;
        }
        differs
    }
}

/// For unit tests of systems, which can be called by hand.
impl<'w, T: ?Sized> From<&'w mut T> for Mut<'w, T> {
    fn from(value: &'w mut T) -> Self {
        Self { value }
    }
}

impl<T: ?Sized> Deref for Mut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T: ?Sized> DerefMut for Mut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.value
    }
}

impl<T: ?Sized> AsRef<T> for Mut<'_, T> {
    fn as_ref(&self) -> &T {
        self.value
    }
}

impl<T: ?Sized> AsMut<T> for Mut<'_, T> {
    fn as_mut(&mut self) -> &mut T {
        self.value
    }
}

impl<T: fmt::Debug + ?Sized> fmt::Debug for Mut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mut").field(&self.value).finish()
    }
}
