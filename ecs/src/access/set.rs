//! Sets of components.
//!
//! Tests: tests/systems/disjoint.rs

use alloc::string::String;

use fixedbitset::FixedBitSet;

use crate::component::{ComponentId, Components};

/// The data about which two queries conflict: both borrow it, at least one of them mutably.
///
/// ```
/// use strata_ecs::access::ComponentConflict;
/// use strata_ecs::prelude::*;
/// # #[derive(Component)] struct Health(u32);
/// # let mut world = World::new();
/// let id = world.register_component::<Health>();
/// let [all, one] = [world.query::<EntityMut>().access().clone(), world.query::<&Health>().access().clone()];
/// assert_eq!(all.conflict_with(&one), Some(ComponentConflict::Component(id)));
/// assert_eq!(all.conflict_with(&all), Some(ComponentConflict::AllComponents));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComponentConflict {
    /// A component.
    Component(ComponentId),
    /// All components, except those that one of the queries leaves out.
    AllComponents,
}

impl ComponentConflict {
    /// Returns the conflict as text, for instance "component `Position`".
    pub(crate) fn text(self, components: &Components) -> String {
        match self {
            Self::Component(id) => alloc::format!("component `{}`", components.name(id)),
            Self::AllComponents => String::from("every component"),
        }
    }
}

/// A set of components. It contains either listed components, or all components except the listed ones, including components that are not
/// registered yet.
#[derive(Clone, Default, Debug, PartialEq)]
pub(super) struct ComponentSet {
    pub(super) named: FixedBitSet,
    /// Whether the set contains all components except the listed ones.
    pub(super) all_but: bool,
}

impl ComponentSet {
    pub(super) fn contains(&self, id: ComponentId) -> bool {
        self.named.contains(id.index()) != self.all_but
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.all_but && self.named.is_clear()
    }

    pub(super) fn insert(&mut self, id: ComponentId) {
        if self.all_but {
            if self.named.contains(id.index()) {
                self.named.remove(id.index());
            }
        } else {
            add(&mut self.named, id);
        }
    }

    pub(super) fn union_with(&mut self, other: &Self) {
        match (self.all_but, other.all_but) {
            (false, false) => self.named.union_with(&other.named),
            (true, false) => self.named.difference_with(&other.named),
            (true, true) => self.named.intersect_with(&other.named),
            (false, true) => {
                let mut named = other.named.clone();
                named.difference_with(&self.named);
                *self = Self { named, all_but: true };
            }
        }
    }

    /// Returns the first component of `self` that is not in `other`.
    pub(super) fn first_beyond(&self, other: &Self) -> Option<ComponentConflict> {
        let id = |index: usize| ComponentId(index as u32);
        match (self.all_but, other.all_but) {
            (true, false) => Some(ComponentConflict::AllComponents),
            (true, true) => other.named.difference(&self.named).next().map(id).map(ComponentConflict::Component),
            (false, _) => self.named.ones().map(id).find(|&id| !other.contains(id)).map(ComponentConflict::Component),
        }
    }

    /// Returns the first component that is in both sets and for which `counts` returns true. If both sets contain all components except
    /// some, returns [`ComponentConflict::AllComponents`] without calling `counts`.
    pub(super) fn common(&self, other: &Self, counts: impl Fn(ComponentId) -> bool) -> Option<ComponentConflict> {
        let id = |index: usize| ComponentId(index as u32);
        let found = match (self.all_but, other.all_but) {
            (true, true) => return Some(ComponentConflict::AllComponents),
            (false, false) => self.named.intersection(&other.named).map(id).find(|&id| counts(id)),
            (false, true) => self.named.difference(&other.named).map(id).find(|&id| counts(id)),
            (true, false) => other.named.difference(&self.named).map(id).find(|&id| counts(id)),
        };
        found.map(ComponentConflict::Component)
    }
}

/// Adds a component to a set of listed components.
pub(super) fn add(set: &mut FixedBitSet, id: ComponentId) {
    set.grow_and_insert(id.index());
}

/// Returns the first component that is in both sets.
pub(super) fn first_common(a: &ComponentSet, b: &ComponentSet) -> Option<ComponentConflict> {
    a.common(b, |_| true)
}
