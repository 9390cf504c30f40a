//! The moments in the life of a component that observers and hooks are told of.

/// Some of the kinds of moments, as observers are told of them. Those that hooks are told of stand beside ([`Kinds::of_hooks`]), and so do
/// those that keep the two sides of relationships equal ([`Kinds::of_links`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Kinds(u32);

impl Kinds {
    /// None.
    pub(crate) const NONE: Self = Self(0);
    /// The entity is about to end.
    pub(crate) const DESPAWN: Self = Self(1);
    /// The value is about to go, or to be replaced.
    pub(crate) const DISCARD: Self = Self(2);
    /// The component is about to go.
    pub(crate) const REMOVE: Self = Self(4);
    /// The component has come.
    pub(crate) const ADD: Self = Self(8);
    /// A value has come.
    pub(crate) const INSERT: Self = Self(16);
    /// The component is about to come. Only filters are told.
    pub(crate) const COMING: Self = Self(32);
    /// The component has gone, and the entity is still there. Only filters are told.
    pub(crate) const GONE: Self = Self(64);
    /// What is told before an operation of what may end that an entity matches a filter.
    pub(crate) const BEFORE_MATCH: Self = Self(4 | 32);
    /// What is told behind an operation of what may begin that an entity matches a filter.
    pub(crate) const BEHIND_MATCH: Self = Self(8 | 64);
    /// What is told before an entity loses a component.
    pub(crate) const LOSS: Self = Self(2 | 4);
    /// What is told of a component before its entity ends.
    pub(crate) const END: Self = Self(1 | 2 | 4);

    /// The kinds that an event is dispatched for, of each type of lifecycle event, in the order of dispatch.
    pub(crate) const DISPATCHED: [Self; 7] =
        [Self::DESPAWN, Self::DISCARD, Self::REMOVE, Self::BEFORE_MATCH, Self::ADD, Self::INSERT, Self::BEHIND_MATCH];

    /// Where those of hooks begin.
    const HOOKS: u32 = 8;

    /// The hooks that run with a type of lifecycle event that is dispatched for these kinds.
    #[inline]
    #[must_use]
    pub(crate) const fn hooks(self) -> Self {
        // Those of filters are of several kinds.
        if self.0.is_power_of_two() { self.of_hooks() } else { Self::NONE }
    }

    /// The same moments, of which hooks are told.
    #[must_use]
    pub(crate) const fn of_hooks(self) -> Self {
        Self(self.0 << Self::HOOKS)
    }

    /// Where those of relationships begin.
    const LINKS: u32 = 16;

    /// The same moments, for relationships.
    #[must_use]
    pub(crate) const fn of_links(self) -> Self {
        Self(self.0 << Self::LINKS)
    }

    /// The same moments, of which observers, hooks and relationships are told.
    #[must_use]
    pub(crate) const fn of_all(self) -> Self {
        Self(self.0 | self.0 << Self::HOOKS | self.0 << Self::LINKS)
    }

    /// The kinds of observers and hooks, without those of relationships.
    #[inline]
    #[must_use]
    pub(crate) fn told(self) -> Self {
        Self(self.0 & ((1 << Self::LINKS) - 1))
    }

    /// How many there are.
    pub(crate) const COUNT: usize = 5;
    /// Each of them.
    pub(crate) const EACH: [Self; Self::COUNT] = [Self::DESPAWN, Self::DISCARD, Self::REMOVE, Self::ADD, Self::INSERT];

    /// The number of a single kind among all.
    #[inline]
    pub(crate) fn number(self) -> usize {
        self.0.trailing_zeros() as usize
    }

    /// What a hook of a single kind is called.
    pub(crate) fn hook_name(self) -> &'static str {
        ["on_despawn", "on_discard", "on_remove", "on_add", "on_insert"][self.number()]
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether at least one of these is among them: `x.has(A.and(B))` is true if `x` has `A` or `B`.
    #[inline]
    pub(crate) fn has(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Those that are in both.
    #[inline]
    #[must_use]
    pub(crate) fn common(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// The union of both.
    #[inline]
    #[must_use]
    pub(crate) fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    #[must_use]
    pub(crate) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}
