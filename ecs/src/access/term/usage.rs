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
    /// `Added<Pairs<R>>` or `Added<PairsTo<R>>`. The component is `PairSource<R>` or `PairTarget<R>`.
    AddedPairs,
    /// `Changed<Pairs<R>>` or `Changed<PairsTo<R>>`. The component is `PairSource<R>` or `PairTarget<R>`.
    ChangedPairs,
    /// A component that `EntityRefExcept` or `EntityMutExcept` leaves out.
    Except,
}

impl Usage {
    /// Returns whether the term reads values and does not write them.
    pub(crate) const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadTicks)
    }

    /// Returns whether the term writes values.
    pub(crate) const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::WriteRows)
    }

    /// Returns whether the term borrows values.
    pub(crate) const fn borrows(self) -> bool {
        self.reads() || self.writes()
    }

    /// Returns whether the term needs change tracking of the values.
    pub(crate) const fn asks_changes(self) -> bool {
        matches!(self, Self::ReadTicks) || self.selects_changes()
    }

    /// Returns whether only entities with new or changed values match.
    pub(crate) const fn selects_changes(self) -> bool {
        matches!(self, Self::Added | Self::Changed) || self.selects_pairs()
    }

    /// Returns whether only entities with new or changed pairs match. Changes of pairs are always tracked.
    pub(crate) const fn selects_pairs(self) -> bool {
        matches!(self, Self::AddedPairs | Self::ChangedPairs)
    }

    /// Returns whether the term reads or writes the change ticks of single rows.
    pub(crate) const fn ticks_rows(self) -> bool {
        matches!(self, Self::WriteRows | Self::ReadTicks)
    }

    /// Returns whether every matched entity has the component.
    pub(crate) const fn demands(self) -> bool {
        !matches!(self, Self::Without) && !self.is_open()
    }

    /// Returns whether entities with the component and entities without it match.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Has | Self::Allow | Self::Except)
    }

    /// Returns whether no matched entity has the component.
    pub(crate) const fn excludes(self) -> bool {
        matches!(self, Self::Without)
    }

    /// Returns whether a term with this usage turns the default exclusion of its component off, if the component is disabling.
    pub(crate) const fn names(self) -> bool {
        !matches!(self, Self::Except)
    }

    /// Returns the text that a user writes before and after the name of the component.
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
    /// `Option<..>`: one member, which an entity need not match.
    Optional,
    /// `Or<(..)>`: an entity matches at least one member. It can be used only as a filter.
    Or,
    /// `AnyOf<(..)>`: an entity matches at least one member, and yields the items of all members that it matches.
    AnyOf,
    /// A query enum: an entity matches at least one member, and yields the item of the first member that it matches.
    FirstOf,
    /// `EntityRef`: all components are read, except the components of the members.
    ReadAll,
    /// `EntityMut`: all components are written, except the components of the members.
    WriteAll,
}

impl Group {
    /// Returns whether several members are in use at the same time.
    pub(crate) const fn is_together(self) -> bool {
        matches!(self, Self::All | Self::AnyOf)
    }

    /// For a group that borrows all components except the components of its members, returns whether it borrows them mutably. `None` for
    /// other groups.
    pub(crate) const fn all_but_members(self) -> Option<bool> {
        match self {
            Self::ReadAll => Some(false),
            Self::WriteAll => Some(true),
            _ => None,
        }
    }

    /// Returns the text before and after the list of members.
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
