//! What is known of the parameters of a system when the program is compiled, for the attribute's check.

use super::param::{ParamSource, SystemParam};
use crate::const_access::{ConstAccess, NamedAccess};
use crate::query::{Fetch, FilterTerms, QueryData, QueryFilter};

/// A parameter of a system, to be checked when the program is compiled.
#[doc(hidden)]
#[must_use]
pub const fn param_access<P: SystemParam>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, P::Source::ACCESS, false)
}

/// A row parameter of a system, to be checked when the program is compiled.
#[doc(hidden)]
#[must_use]
pub const fn row_access<D: QueryData>(name: &'static str) -> NamedAccess {
    NamedAccess::new(name, D::Terms::ACCESS, true)
}

/// What the rows of a system are filtered by, to be checked when the program is compiled.
#[doc(hidden)]
#[must_use]
pub const fn filter_access<F: QueryFilter>() -> ConstAccess {
    F::Terms::ACCESS
}
