//! Cloning values whose type is known by a function pointer only.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

/// Clones the value at the first address to the second.
///
/// # Safety
///
/// - The first address holds a value of the type that the function was made for, and nobody changes it.
/// - The second is valid for such a value, and holds none. If `Clone` panics it holds none afterwards.
pub(crate) type CloneFn = unsafe fn(*const u8, *mut u8);

/// The proof that values of `T` can be cloned, and how.
///
/// The derive macro makes one for every component that is `Clone`, see
/// [`#[derive(Component)]`](derive@crate::prelude::Component); a hand-written
/// [`Component`](trait@crate::component::Component) returns one from `cloner`.
///
/// ```
/// use strata_ecs::component::Cloner;
/// use strata_ecs::prelude::*;
///
/// #[derive(Component, Clone)]
/// struct Health(u32);
/// #[derive(Component)]
/// struct Connection;
///
/// assert!(Health::cloner().is_some());
/// assert!(Connection::cloner().is_none());
/// let _by_hand = Cloner::<Health>::new();
/// ```
pub struct Cloner<T> {
    clone: CloneFn,
    /// Neither a subtype's nor a supertype's cloner will do.
    marker: PhantomData<fn(&T) -> T>,
}

impl<T> Cloner<T> {
    /// That of a type which is `Clone`.
    ///
    /// ```
    /// use strata_ecs::component::Cloner;
    ///
    /// let _cloner: Cloner<String> = Cloner::new();
    /// ```
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is a proof, which is asked for by name")]
    pub const fn new() -> Self
    where
        T: Clone,
    {
        Self { clone: clone_value::<T>, marker: PhantomData }
    }

    /// The function. It is one for `T`.
    pub(crate) const fn function(&self) -> CloneFn {
        self.clone
    }
}

impl<T> fmt::Debug for Cloner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cloner")
    }
}

/// # Safety
///
/// - As for [`CloneFn`], made for `T`.
unsafe fn clone_value<T: Clone>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller promises a value that nobody changes, and room for another one.
    unsafe { to.cast::<T>().write((*from.cast::<T>()).clone()) }
}

/// Finds out whether a type is `Clone`: the method `cloner` of a probe is its own if it is, and else that of what the probe
/// dereferences to. For concrete types only: with a type parameter the answer is always no.
#[derive(Debug)]
pub struct CloneProbe<T>(NoCloner<T>);

/// What a [`CloneProbe`] finds if the type is not `Clone`.
#[derive(Debug)]
pub struct NoCloner<T>(PhantomData<fn() -> T>);

impl<T> CloneProbe<T> {
    /// A probe for this type.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "macros write it; a default would mean nothing")]
    pub const fn new() -> Self {
        Self(NoCloner(PhantomData))
    }
}

impl<T: Clone> CloneProbe<T> {
    /// The type is `Clone`.
    #[must_use]
    pub const fn cloner(&self) -> Option<Cloner<T>> {
        Some(Cloner::new())
    }
}

impl<T> NoCloner<T> {
    /// The type is not `Clone`.
    #[must_use]
    pub const fn cloner(&self) -> Option<Cloner<T>> {
        None
    }
}

impl<T> Deref for CloneProbe<T> {
    type Target = NoCloner<T>;

    fn deref(&self) -> &NoCloner<T> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    struct Unique;

    #[test]
    fn a_probe_tells_types_that_are_clone_from_others() {
        assert!(CloneProbe::<String>::new().cloner().is_some());
        assert!(CloneProbe::<Unique>::new().cloner().is_none());
    }
}
