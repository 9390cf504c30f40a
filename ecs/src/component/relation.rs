//! The side of a relationship that a component is.
//!
//! The functions by which the store maintains both sides know the types of the components. They belong to a higher layer, so here they
//! are data of an unknown type.
//!
//! Tests: tests/relationships/definitions.rs

use core::any::Any;

use super::kinds::LifecycleMask;

/// A side of a relationship.
#[derive(Clone, Copy)]
pub(crate) struct RelationSide {
    functions: &'static (dyn Any + Send + Sync),
    pub(crate) is_source: bool,
    /// Whether it is a side of typed pairs, and not of a relationship.
    pub(crate) is_of_pairs: bool,
}

impl RelationSide {
    /// The side of the components that name a target.
    pub(crate) const fn source(functions: &'static (dyn Any + Send + Sync)) -> Self {
        Self { functions, is_source: true, is_of_pairs: false }
    }

    /// The side of the components that list sources.
    pub(crate) const fn target(functions: &'static (dyn Any + Send + Sync)) -> Self {
        Self { functions, is_source: false, is_of_pairs: false }
    }

    /// The side of the components that sources, or targets, of the pairs of a relation have.
    pub(crate) const fn of_pairs(is_source: bool) -> Self {
        Self { functions: &(), is_source, is_of_pairs: true }
    }

    /// Whether the component names the target of a relationship.
    pub(crate) const fn names_target(&self) -> bool {
        self.is_source && !self.is_of_pairs
    }

    /// Whether the component lists the sources of a relationship.
    pub(crate) const fn lists_sources(&self) -> bool {
        !self.is_source && !self.is_of_pairs
    }

    /// The functions of the relationship, which must be an `F`.
    pub(crate) fn functions<F: Any>(self) -> Option<&'static F> {
        self.functions.downcast_ref()
    }

    /// The kinds of events that the store needs for such a component.
    pub(super) fn kinds(self) -> LifecycleMask {
        let both = LifecycleMask::INSERT.union(LifecycleMask::DISCARD);
        if self.names_target() { both.of_links() } else { both.union(LifecycleMask::DESPAWN).of_links() }
    }
}

impl_debug!([] RelationSide => |this, f| f.write_str(if this.is_source { "source" } else { "target" }));
