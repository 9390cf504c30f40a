//! Per-thread values for parallel loops.
//!
//! Tests: tests/queries/parallel_lists.rs

use alloc::vec::Vec;
use core::fmt;
use core::mem;
use core::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A collection with a value for each thread of a parallel loop. A value is created when a thread needs one, and all values are collected
/// after the loop.
///
/// A borrow takes a value that no other thread has borrowed, so there are at most as many values as concurrent borrows. It is unspecified
/// which thread gets which value, and how the values are ordered. To record commands and messages in the order of the entities, use
/// [`for_each_with`](crate::query::QueryParIter::for_each_with).
///
/// Borrowing takes a lock for a short time. So borrow once per task ([`for_each_init`](crate::query::QueryParIter::for_each_init)), not
/// once per entity.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::utils::Parallel;
/// # #[derive(Component)] struct Health(u32);
///
/// fn wounded(all: Query<(Entity, &Health)>) -> Vec<Entity> {
///     let mut found = Parallel::<Vec<Entity>>::default();
///     all.par_iter().for_each_init(|| found.borrow_local_mut(), |found, (entity, health)| {
///         if health.0 < 10 {
///             found.push(entity);
///         }
///     });
///     let mut wounded = Vec::new();
///     found.drain_into(&mut wounded);
///     wounded.sort();
///     wounded
/// }
/// # let mut world = World::new();
/// # world.spawn_batch((0..1000).map(Health));
/// # assert_eq!(world.run_system_once(wounded).unwrap().len(), 10);
/// ```
pub struct Parallel<T: Send> {
    /// The values that no thread has borrowed.
    idle: Mutex<Vec<T>>,
}

impl<T: Send> Parallel<T> {
    fn idle(&self) -> MutexGuard<'_, Vec<T>> {
        // Only an allocation can panic while the lock is held, and it leaves the list unchanged, so a poisoned list is valid.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle_mut(&mut self) -> &mut Vec<T> {
        self.idle.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the values of all threads.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.idle_mut().iter_mut()
    }

    /// Drops all values.
    pub fn clear(&mut self) {
        self.idle_mut().clear();
    }

    /// Borrows a value. If all values are borrowed, creates a value with `create`.
    ///
    /// ```
    /// use strata_ecs::utils::Parallel;
    ///
    /// let mut total = Parallel::default();
    /// *total.borrow_local_mut_or(|| 10) += 1;
    /// *total.borrow_local_mut_or(|| 10) += 1;
    /// assert_eq!(total.iter_mut().map(|value| *value).sum::<u32>(), 12);
    /// ```
    pub fn borrow_local_mut_or(&self, create: impl FnOnce() -> T) -> LocalMut<'_, T> {
        let value = self.idle().pop();
        LocalMut { value: Some(value.unwrap_or_else(create)), of: self }
    }

    /// Calls a function with a value. If all values are borrowed, creates a value with `create`.
    pub fn scope_or<R>(&self, create: impl FnOnce() -> T, scope: impl FnOnce(&mut T) -> R) -> R {
        scope(&mut self.borrow_local_mut_or(create))
    }
}

impl<T: Default + Send> Parallel<T> {
    /// Borrows a value. If all values are borrowed, creates a default value.
    pub fn borrow_local_mut(&self) -> LocalMut<'_, T> {
        self.borrow_local_mut_or(T::default)
    }

    /// Calls a function with a value. If all values are borrowed, creates a default value.
    ///
    /// ```
    /// use strata_ecs::utils::Parallel;
    ///
    /// let mut names = Parallel::<Vec<&str>>::default();
    /// names.scope(|names| names.push("Ada"));
    /// assert_eq!(names.drain().collect::<Vec<_>>(), ["Ada"]);
    /// ```
    pub fn scope<R>(&self, scope: impl FnOnce(&mut T) -> R) -> R {
        self.scope_or(T::default, scope)
    }
}

impl<T, I: IntoIterator<Item = T> + Default + Send> Parallel<I> {
    /// Removes and returns the elements of the collections of all threads.
    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        self.idle_mut().iter_mut().flat_map(mem::take)
    }
}

impl<T: Send> Parallel<Vec<T>> {
    /// Moves the elements of the vectors of all threads to the end of `out`.
    pub fn drain_into(&mut self, out: &mut Vec<T>) {
        for values in self.idle_mut() {
            out.append(values);
        }
    }
}

impl<T: Send> Default for Parallel<T> {
    fn default() -> Self {
        Self { idle: Mutex::new(Vec::new()) }
    }
}

impl<T: Send + fmt::Debug> fmt::Debug for Parallel<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parallel").field(&*self.idle()).finish()
    }
}

/// A value that a thread has borrowed from a [`Parallel`].
pub struct LocalMut<'a, T: Send> {
    /// The value; `None` only during the drop.
    value: Option<T>,
    of: &'a Parallel<T>,
}

impl<T: Send + fmt::Debug> fmt::Debug for LocalMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Send> Deref for LocalMut<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("the value is there until it is given back")
    }
}

impl<T: Send> DerefMut for LocalMut<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("the value is there until it is given back")
    }
}

impl<T: Send> Drop for LocalMut<'_, T> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            self.of.idle().push(value);
        }
    }
}
