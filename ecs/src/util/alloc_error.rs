//! Failed allocations as an error value.
//!
//! Tests: tests/memory/promises.rs, tests/memory/alloc_failure.rs

use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;
use core::hash::Hash;

use hashbrown::{HashMap, TryReserveError};

/// An allocation for an entity or component failed.
///
/// ```
/// use strata_ecs::prelude::*;
/// use strata_ecs::{alloc_error::AllocError, store::SpawnError};
/// # #[derive(Component, Debug, PartialEq)]
/// # struct Health(u32);
///
/// fn try_one(world: &mut World) -> Result<(), AllocError> {
///     match world.try_spawn(Health(3)) {
///         Err(SpawnError::OutOfMemory(error)) => Err(error),
///         _ => Ok(()),
///     }
/// }
///
/// assert_eq!(try_one(&mut World::new()), Ok(()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocError {
    /// The requested layout; `None` if it exceeds the address space.
    layout: Option<Layout>,
}

impl AllocError {
    /// The request exceeds the address space.
    pub(crate) const TOO_LARGE: Self = Self { layout: None };

    /// An allocation of this layout failed.
    pub(crate) const fn of(layout: Layout) -> Self {
        Self { layout: Some(layout) }
    }

    /// An allocation of a map or table failed.
    pub(crate) const fn of_map(error: TryReserveError) -> Self {
        match error {
            TryReserveError::CapacityOverflow => Self::TOO_LARGE,
            TryReserveError::AllocError { layout } => Self::of(layout),
        }
    }

    /// Aborts the process, or panics, as the standard collections do.
    #[cold]
    pub(crate) fn raise(self) -> ! {
        match self.layout {
            Some(layout) => alloc::alloc::handle_alloc_error(layout),
            None => panic!("capacity overflow: more than the address space holds"),
        }
    }
}

/// Returns the result, or on an error aborts the process or panics, as the standard collections do.
pub(crate) fn or_raise<T>(made: Result<T, AllocError>) -> T {
    made.unwrap_or_else(|error| error.raise())
}

/// Reserves capacity in a vector for at least `additional` more items, and possibly more, to avoid further
/// allocations.
pub(crate) fn try_reserve<T>(items: &mut Vec<T>, additional: usize) -> Result<(), AllocError> {
    let needed = items.len().saturating_add(additional);
    items.try_reserve(additional).map_err(|_| failed::<T>(needed))
}

/// Reserves capacity in a vector for exactly `additional` more items.
pub(crate) fn try_reserve_exact<T>(items: &mut Vec<T>, additional: usize) -> Result<(), AllocError> {
    let needed = items.len().saturating_add(additional);
    items.try_reserve_exact(additional).map_err(|_| failed::<T>(needed))
}

/// Frees the unused capacity of a vector. If the smaller allocation fails the vector is unchanged.
pub(crate) fn try_shrink<T>(items: &mut Vec<T>) {
    if items.len() == items.capacity() {
        return;
    }
    let mut smaller = Vec::new();
    if smaller.try_reserve_exact(items.len()).is_ok() {
        smaller.append(items);
        *items = smaller;
    }
}

/// Frees the unused capacity of a map. If the smaller allocation fails the map is unchanged.
pub(crate) fn try_shrink_map<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    let mut smaller = HashMap::with_hasher(map.hasher().clone());
    if smaller.try_reserve(map.len()).is_ok() && smaller.allocation_size() < map.allocation_size() {
        smaller.extend(map.drain());
        *map = smaller;
    }
}

#[cold]
fn failed<T>(count: usize) -> AllocError {
    Layout::array::<T>(count).map_or(AllocError::TOO_LARGE, AllocError::of)
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layout {
            Some(layout) => write!(f, "out of memory: {} bytes could not be allocated", layout.size()),
            None => f.write_str("out of memory: more than the address space holds"),
        }
    }
}

impl core::error::Error for AllocError {}
