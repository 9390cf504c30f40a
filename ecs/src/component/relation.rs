//! The side of a relationship that a component is.
//!
//! The store maintains both sides of a relationship by functions that depend on the types of the components. These functions belong to a
//! higher layer, so in this module they are data of an unknown type.
//!
//! Tests: tests/relationships/definitions.rs

use core::any::Any;

use super::kinds::LifecycleMask;

/// A side of a relationship.
#[derive(Clone, Copy)]
pub(crate) struct RelationSide {
    functions: &'static (dyn Any + Send + Sync),
    pub(crate) is_source: bool,
    /// Whether this is a side of the pairs of a relation, and not of a relationship.
    pub(crate) is_of_pairs: bool,
}

impl RelationSide {
    /// Returns the source side of a relationship: the side of the component that contains the target.
    pub(crate) const fn source(functions: &'static (dyn Any + Send + Sync)) -> Self {
        Self { functions, is_source: true, is_of_pairs: false }
    }

    /// Returns the target side of a relationship: the side of the component that lists the sources.
    pub(crate) const fn target(functions: &'static (dyn Any + Send + Sync)) -> Self {
        Self { functions, is_source: false, is_of_pairs: false }
    }

    /// Returns the side of the component that marks the sources (or, if `is_source` is false, the targets) of the pairs of a relation.
    pub(crate) const fn of_pairs(is_source: bool) -> Self {
        Self { functions: &(), is_source, is_of_pairs: true }
    }

    /// Returns whether this is the source side of a relationship: values of the component contain a target.
    pub(crate) const fn names_target(&self) -> bool {
        self.is_source && !self.is_of_pairs
    }

    /// Returns whether this is the target side of a relationship: values of the component list the sources.
    pub(crate) const fn lists_sources(&self) -> bool {
        !self.is_source && !self.is_of_pairs
    }

    /// Returns the functions of the relationship; `None` if they are not of type `F`.
    pub(crate) fn functions<F: Any>(self) -> Option<&'static F> {
        self.functions.downcast_ref()
    }

    /// Returns the kinds of events that the store needs for a component with this side.
    pub(super) fn kinds(self) -> LifecycleMask {
        let both = LifecycleMask::INSERT.union(LifecycleMask::DISCARD);
        if self.names_target() { both.of_links() } else { both.union(LifecycleMask::DESPAWN).of_links() }
    }
}

impl_debug!([] RelationSide => |this, f| f.write_str(if this.is_source { "source" } else { "target" }));
