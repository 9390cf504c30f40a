//! How a term uses its component, and how terms are combined.
//!
//! Tests: ecs/src/access/const_access/tests.rs, ecs/src/world/tests/dynamic_terms.rs

/// How a term uses one component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Usage {
    /// `&T`
    Read,
    /// `&mut T`
    Write,
    /// `Mut<T>`: like `&mut T`, but changes are recorded for each row of a slice.
    WriteRows,
    /// `Ref<T>`
    ReadTicks,
    /// `Has<T>`
    Has,
    /// `Allow<T>`
    Allow,
    /// `With<T>`
    With,
    /// `Without<T>`
    Without,
    /// `Added<T>`
    Added,
    /// `Changed<T>`
    Changed,
    /// `Added<Pairs<R>>` or `Added<PairsTo<R>>`: the component is the one of the pairs' ends.
    AddedPairs,
    /// `Changed<Pairs<R>>` or `Changed<PairsTo<R>>`: the component is the one of the pairs' ends.
    ChangedPairs,
    /// One of the components that `EntityRefExcept` and `EntityMutExcept` leave out.
    Except,
}

impl Usage {
    /// Whether values are read, and not written.
    pub(crate) const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadTicks)
    }

    /// Whether values are written.
    pub(crate) const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::WriteRows)
    }

    /// Whether values are borrowed.
    pub(crate) const fn borrows(self) -> bool {
        self.reads() || self.writes()
    }

    /// Whether the term needs change tracking of the values.
    pub(crate) const fn asks_changes(self) -> bool {
        matches!(self, Self::ReadTicks) || self.selects_changes()
    }

    /// Whether only new or changed values match.
    pub(crate) const fn selects_changes(self) -> bool {
        matches!(self, Self::Added | Self::Changed) || self.selects_pairs()
    }

    /// Whether only entities with new or changed pairs match. Changes of pairs are always tracked.
    pub(crate) const fn selects_pairs(self) -> bool {
        matches!(self, Self::AddedPairs | Self::ChangedPairs)
    }

    /// Whether the change ticks of single rows are read or written.
    pub(crate) const fn ticks_rows(self) -> bool {
        matches!(self, Self::WriteRows | Self::ReadTicks)
    }

    /// Whether every matched entity has the component.
    pub(crate) const fn demands(self) -> bool {
        !matches!(self, Self::Without) && !self.is_open()
    }

    /// Whether entities match with and without the component.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Has | Self::Allow | Self::Except)
    }

    /// Whether no matched entity has the component.
    pub(crate) const fn excludes(self) -> bool {
        matches!(self, Self::Without)
    }

    /// Whether such a term about a disabling component turns off the default exclusion of that component.
    pub(crate) const fn names(self) -> bool {
        !matches!(self, Self::Except)
    }

    /// The text that a user writes before and after the name of the component.
    pub(crate) const fn text(self) -> [&'static str; 2] {
        match self {
            Self::Read => ["&", ""],
            Self::Write => ["&mut ", ""],
            Self::WriteRows => ["Mut<", ">"],
            Self::ReadTicks => ["Ref<", ">"],
            Self::Has => ["Has<", ">"],
            Self::Allow => ["Allow<", ">"],
            Self::With => ["With<", ">"],
            Self::Without => ["Without<", ">"],
            Self::Added | Self::AddedPairs => ["Added<", ">"],
            Self::Changed | Self::ChangedPairs => ["Changed<", ">"],
            Self::Except => [""; 2],
        }
    }
}

/// How several terms are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// An entity matches all members: a tuple, or a struct.
    All,
    /// `Option<..>`: one member, which an entity may match or not.
    Optional,
    /// `Or<(..)>`: an entity matches at least one member; only a filter.
    Or,
    /// `AnyOf<(..)>`: an entity matches at least one member, and yields the items of all members that it matches.
    AnyOf,
    /// A query enum: an entity matches at least one member, and yields the item of the first.
    FirstOf,
    /// `EntityRef`: all components are read, except those that the members name.
    ReadAll,
    /// `EntityMut`: all components are written, except those that the members name.
    WriteAll,
}

impl Group {
    /// Whether members are in use at the same time.
    pub(crate) const fn is_together(self) -> bool {
        matches!(self, Self::All | Self::AnyOf)
    }

    /// Whether all components are borrowed except those that the members name. If so, the value tells whether they are borrowed
    /// mutably.
    pub(crate) const fn all_but_members(self) -> Option<bool> {
        match self {
            Self::ReadAll => Some(false),
            Self::WriteAll => Some(true),
            _ => None,
        }
    }

    /// The text before and after the list of members.
    pub(crate) const fn text(self) -> [&'static str; 2] {
        match self {
            Self::All => ["", ""],
            Self::Optional => ["Option<", ">"],
            Self::Or => ["Or<", ">"],
            Self::AnyOf => ["AnyOf<", ">"],
            Self::FirstOf => ["first of ", ""],
            Self::ReadAll => ["EntityRefExcept<", ">"],
            Self::WriteAll => ["EntityMutExcept<", ">"],
        }
    }
}
