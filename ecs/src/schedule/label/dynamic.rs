//! Equality and hashing of type-erased values, for user-defined label traits.
//!
//! Tests: tests/systems/labels.rs

use core::any::Any;
use core::hash::{Hash, Hasher};

/// `Eq` for trait objects. Implemented for all types with `Eq`.
///
/// ```
/// use strata_ecs::label::DynEq;
///
/// let three: &dyn DynEq = &3_u32;
/// assert!(three.dyn_eq(&3_u32) && !three.dyn_eq(&4_u32) && !three.dyn_eq(&3_u64));
/// ```
pub trait DynEq: Any {
    /// Returns whether both values have the same type and are equal.
    fn dyn_eq(&self, other: &dyn DynEq) -> bool;
}

impl<T: Any + Eq> DynEq for T {
    fn dyn_eq(&self, other: &dyn DynEq) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }
}

/// `Hash` for trait objects. Implemented for all types with `Eq` and `Hash`.
pub trait DynHash: DynEq {
    /// Hashes the value and its type.
    fn dyn_hash(&self, state: &mut dyn Hasher);
}

impl<T: DynEq + Hash> DynHash for T {
    fn dyn_hash(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
        self.type_id().hash(&mut state);
    }
}
