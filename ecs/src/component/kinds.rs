//! Sets of kinds of lifecycle events of a component, of which observers and hooks are notified.
//!
//! Tests: ecs/src/events/observer/tests.rs

use crate::util::flags::flag_set;

flag_set! {
    /// A set of kinds of lifecycle events of a component. There are three groups of bits with the same kinds: the lowest for observers, the
    /// next for hooks ([`LifecycleMask::of_hooks`]), and the highest for the upkeep of relationships ([`LifecycleMask::of_links`]).
    pub(crate) struct LifecycleMask(u32) {
        /// The entity is about to be despawned.
        DESPAWN = 1;
        /// The value is about to be removed or replaced.
        DISCARD = 2;
        /// The component is about to be removed.
        REMOVE = 4;
        /// The component has been added.
        ADD = 8;
        /// A value has been inserted.
        INSERT = 16;
        /// The component is about to be added. Only observers of filters are notified.
        COMING = 32;
        /// The component has been removed, and the entity is alive. Only observers of filters are notified.
        GONE = 64;
        /// The events that precede an operation by which an entity may cease to match a filter.
        BEFORE_MATCH = Self::REMOVE.0 | Self::COMING.0;
        /// The events that follow an operation by which an entity may begin to match a filter.
        AFTER_MATCH = Self::ADD.0 | Self::GONE.0;
        /// The events before an entity loses a component.
        LOSS = Self::DISCARD.0 | Self::REMOVE.0;
        /// The events of a component before an entity with the component is despawned.
        END = Self::DESPAWN.0 | Self::LOSS.0;
        /// The events after an operation that inserts a component.
        COMES = Self::ADD.0 | Self::INSERT.0;
        /// All events of observers and hooks.
        LISTENERS = (1 << Self::FIRST_OF_LINKS) - 1;
    }
}

impl LifecycleMask {
    /// The kinds for which each type of lifecycle event is dispatched, in the order of dispatch.
    pub(crate) const DISPATCHED: [Self; 7] =
        [Self::DESPAWN, Self::DISCARD, Self::REMOVE, Self::BEFORE_MATCH, Self::ADD, Self::INSERT, Self::AFTER_MATCH];

    /// The first bit for hooks.
    const FIRST_OF_HOOKS: u32 = 8;
    /// The first bit for relationships.
    const FIRST_OF_LINKS: u32 = 16;

    /// Returns the bits of the hooks that run when a lifecycle event is dispatched for these kinds. If there are several kinds, no hooks
    /// run.
    #[inline]
    #[must_use]
    pub(crate) const fn hooks(self) -> Self {
        // Only observers of filters are notified of several kinds at once, so no hooks run with these events.
        self.of_hooks().only_if(self.0.is_power_of_two())
    }

    /// Moves the bits of observers to the bits of hooks.
    #[must_use]
    pub(crate) const fn of_hooks(self) -> Self {
        Self(self.0 << Self::FIRST_OF_HOOKS)
    }

    /// Moves the bits of observers to the bits of relationships.
    #[must_use]
    pub(crate) const fn of_links(self) -> Self {
        Self(self.0 << Self::FIRST_OF_LINKS)
    }

    /// Returns the bits of these kinds for observers, hooks and relationships. `self` must contain only bits of observers.
    #[must_use]
    pub(crate) const fn of_all(self) -> Self {
        self.union(self.of_hooks()).union(self.of_links())
    }

    /// Returns the bits of observers and hooks, without those of relationships.
    #[inline]
    #[must_use]
    pub(crate) const fn of_listeners(self) -> Self {
        self.intersection(Self::LISTENERS)
    }

    /// The number of kinds that have hooks.
    pub(crate) const COUNT: usize = 5;
    /// The kinds that have hooks.
    pub(crate) const EACH: [Self; Self::COUNT] = [Self::DESPAWN, Self::DISCARD, Self::REMOVE, Self::ADD, Self::INSERT];

    /// Returns the index of this mask in [`EACH`](Self::EACH). The mask must contain a single kind.
    #[inline]
    pub(crate) fn number(self) -> usize {
        self.0.trailing_zeros() as usize
    }

    /// Returns the name of the hook of this mask, which must contain a single kind.
    pub(crate) fn hook_name(self) -> &'static str {
        ["on_despawn", "on_discard", "on_remove", "on_add", "on_insert"][self.number()]
    }
}
