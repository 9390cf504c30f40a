//! Transitions, which describe the effects of operations on entities, and the listeners that are notified of them.
//!
//! Tests: tests/storage/transitions.rs, tests/model/recorder.rs

use crate::component::{ComponentId, Components, LifecycleMask};
use crate::util::flags::flag_set;

/// The effect of one operation on an entity, or on one component of the entity. Tests use it to check that each change is recorded once.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Transition {
    /// The entity is new.
    Made,
    /// The entity did not have the component, and has it now.
    Gained(ComponentId),
    /// The entity has another value of the component.
    Replaced(ComponentId),
    /// The component was removed and inserted again.
    Renewed(ComponentId),
    /// The entity had the component, and no longer has it.
    Lost(ComponentId),
    /// The entity was despawned or moved to another world.
    Ended,
}

flag_set! {
    /// The kinds of listeners of the structural changes of a table or of a plan. An operation without listeners skips all notifications.
    pub(crate) struct ListenerMask(u8) {
        /// The removal logs.
        REMOVALS = 1;
        /// The recorder of all transitions.
        RECORDER = 2;
        /// The lists of spawn ticks.
        SPAWNS = 4;
        /// Observers and hooks of components.
        OBSERVERS = 8;
    }
}

impl ListenerMask {
    /// The listeners of the despawn of an entity without sparse components.
    const OF_ENDS: Self = Self::REMOVALS.union(Self::RECORDER).union(Self::OBSERVERS);

    /// Returns whether the despawn of an entity without sparse components has no listener.
    #[inline]
    pub(crate) fn has_no_end_listener(self) -> bool {
        !self.intersects(Self::OF_ENDS)
    }

    /// Returns whether the removal logs are the only listeners of the despawn of an entity without sparse components.
    #[inline]
    pub(crate) fn ends_in_lists(self) -> bool {
        self.intersection(Self::OF_ENDS) == Self::REMOVALS
    }

    /// Returns whether there are listeners and all of them are notified after the rows have changed, without values.
    pub(crate) fn are_notified_afterwards(self) -> bool {
        !self.is_empty() && self.difference(Self::RECORDER.union(Self::OBSERVERS)).is_empty()
    }
}

impl Transition {
    /// Returns the component that the transition affects; `None` if it affects the whole entity.
    pub(crate) fn component(self) -> Option<ComponentId> {
        match self {
            Self::Gained(id) | Self::Replaced(id) | Self::Renewed(id) | Self::Lost(id) => Some(id),
            Self::Made | Self::Ended => None,
        }
    }

    /// Returns the lifecycle events after an operation with this transition.
    pub(crate) fn kinds_after(self) -> LifecycleMask {
        let kinds = match self {
            Self::Gained(_) => LifecycleMask::COMES,
            Self::Replaced(_) | Self::Renewed(_) => LifecycleMask::INSERT,
            Self::Lost(_) => LifecycleMask::GONE,
            Self::Made | Self::Ended => LifecycleMask::NONE,
        };
        kinds.of_all()
    }

    /// Returns the lifecycle events before an operation with this transition.
    pub(crate) fn kinds_before(self) -> LifecycleMask {
        let kinds = match self {
            Self::Replaced(_) | Self::Renewed(_) => LifecycleMask::DISCARD,
            Self::Lost(_) => LifecycleMask::LOSS,
            Self::Gained(_) => LifecycleMask::COMING,
            Self::Made | Self::Ended => LifecycleMask::NONE,
        };
        kinds.of_all()
    }

    /// Returns the component and its lifecycle events before an operation with this transition, if observers or hooks are notified of any.
    pub(crate) fn observed_before(self, components: &Components) -> Option<(ComponentId, LifecycleMask)> {
        self.observed_as(self.kinds_before(), components)
    }

    /// Returns the component and its lifecycle events after an operation with this transition, if observers or hooks are notified of any.
    pub(crate) fn observed_after(self, components: &Components) -> Option<(ComponentId, LifecycleMask)> {
        self.observed_as(self.kinds_after(), components)
    }

    fn observed_as(self, kinds: LifecycleMask, components: &Components) -> Option<(ComponentId, LifecycleMask)> {
        let id = self.component()?;
        let kinds = kinds.intersection(components.observed(id));
        (!kinds.is_empty()).then_some((id, kinds))
    }
}

/// A set of columns of a table: one bit for each of the first 63 columns, and one for all others together.
#[derive(Clone, Copy)]
pub(crate) struct ColumnSet(u64);

impl ColumnSet {
    /// The bit of the columns from the 64th on.
    const OTHERS: usize = 63;

    /// Returns the columns of components whose removals are recorded. `ids` contains the component of each column.
    pub(crate) fn watched(ids: &[ComponentId], components: &Components) -> Self {
        let watched = ids.iter().enumerate().filter(|&(_, &id)| components.is_watched(id));
        Self(watched.fold(0, |bits, (at, _)| bits | 1 << at.min(Self::OTHERS)))
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the indices of these columns in a table with `count` columns. If the bit for all others is set, all columns from the 64th on
    /// are returned.
    #[inline]
    pub(crate) fn columns(self, count: usize) -> impl Iterator<Item = usize> + Clone {
        let others = if self.0 >> Self::OTHERS == 0 { count..count } else { Self::OTHERS..count };
        let mut bits = self.0 & !(1 << Self::OTHERS);
        let first = core::iter::from_fn(move || {
            let at = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(at)
        });
        first.chain(others)
    }
}
