//! Running out of memory as a value.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;
use core::hash::Hash;

use hashbrown::{HashMap, TryReserveError};

/// Memory for another entity or component could not be had.
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
    /// What was asked for; `None` if it is more than the address space holds.
    layout: Option<Layout>,
}

impl AllocError {
    /// More than the address space holds.
    pub(crate) const TOO_LARGE: Self = Self { layout: None };

    /// This much could not be allocated.
    pub(crate) const fn of(layout: Layout) -> Self {
        Self { layout: Some(layout) }
    }

    /// An allocation of a map or table that failed.
    pub(crate) const fn of_map(error: TryReserveError) -> Self {
        match error {
            TryReserveError::CapacityOverflow => Self::TOO_LARGE,
            TryReserveError::AllocError { layout } => Self::of(layout),
        }
    }

    /// Ends the process, or panics, as the standard collections do.
    #[cold]
    pub(crate) fn raise(self) -> ! {
        match self.layout {
            Some(layout) => alloc::alloc::handle_alloc_error(layout),
            None => panic!("capacity overflow: more than the address space holds"),
        }
    }
}

/// What was made, if there was memory for it. Otherwise ends the process, or panics, as the standard collections do.
pub(crate) fn or_raise<T>(made: Result<T, AllocError>) -> T {
    made.unwrap_or_else(|error| error.raise())
}

/// Makes room in a vector for `additional` more items than it has, or for more if that saves work later.
pub(crate) fn try_reserve<T>(items: &mut Vec<T>, additional: usize) -> Result<(), AllocError> {
    let needed = items.len().saturating_add(additional);
    items.try_reserve(additional).map_err(|_| failed::<T>(needed))
}

/// Makes room in a vector for exactly `additional` more items than it has.
pub(crate) fn try_reserve_exact<T>(items: &mut Vec<T>, additional: usize) -> Result<(), AllocError> {
    let needed = items.len().saturating_add(additional);
    items.try_reserve_exact(additional).map_err(|_| failed::<T>(needed))
}

/// Gives back the spare room of a vector. If there is no memory for the smaller one it stays as it was.
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

/// Gives back the spare room of a map. If there is no memory for the smaller one it stays as it was.
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
