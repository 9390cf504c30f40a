//! What a term does with its component, and how terms belong together.

/// What a term does with one component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Usage {
    /// `&T`
    Read,
    /// `&mut T`
    Write,
    /// `Mut<T>`: as `&mut T`, but slices tell which of their rows are changed.
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
    /// `Added<Pairs<R>>` or `Added<PairsTo<R>>`: the component is that of their ends.
    AddedPairs,
    /// `Changed<Pairs<R>>` or `Changed<PairsTo<R>>`: the component is that of their ends.
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

    /// Whether it has to be known which values have changed.
    pub(crate) const fn asks_changes(self) -> bool {
        matches!(self, Self::ReadTicks) || self.selects_changes()
    }

    /// Whether only values that are new match.
    pub(crate) const fn selects_changes(self) -> bool {
        matches!(self, Self::Added | Self::Changed) || self.selects_pairs()
    }

    /// Whether only entities match that have pairs which are new. Pairs always know when they have changed.
    pub(crate) const fn selects_pairs(self) -> bool {
        matches!(self, Self::AddedPairs | Self::ChangedPairs)
    }

    /// Whether single rows tell when they were changed, or are told that they are.
    pub(crate) const fn ticks_rows(self) -> bool {
        matches!(self, Self::WriteRows | Self::ReadTicks)
    }

    /// Whether every matched entity has the component.
    pub(crate) const fn demands(self) -> bool {
        !matches!(self, Self::Without) && !self.is_open()
    }

    /// Whether entities match with the component and without.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Has | Self::Allow | Self::Except)
    }

    /// Whether no matched entity has the component.
    pub(crate) const fn excludes(self) -> bool {
        matches!(self, Self::Without)
    }

    /// Whether disabling components are looked for in queries with such a term about them.
    pub(crate) const fn names(self) -> bool {
        !matches!(self, Self::Except)
    }

    /// What a user writes before and behind the name of the component.
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

/// How several terms belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// An entity matches all members: a tuple, or a struct.
    All,
    /// `Option<..>`: one member, which an entity may match or not.
    Optional,
    /// `Or<(..)>`: an entity matches at least one member, a filter.
    Or,
    /// `AnyOf<(..)>`: an entity matches at least one member, and yields all that it matches.
    AnyOf,
    /// A query enum: an entity matches at least one member, and yields the first.
    FirstOf,
    /// `EntityRef`: all components are read, but for those that the members name.
    ReadAll,
    /// `EntityMut`: all components are written, but for those that the members name.
    WriteAll,
}

impl Group {
    /// Whether members are in use at the same time.
    pub(crate) const fn is_together(self) -> bool {
        matches!(self, Self::All | Self::AnyOf)
    }

    /// Whether all components are borrowed but those that the members name: then whether mutably.
    pub(crate) const fn all_but_members(self) -> Option<bool> {
        match self {
            Self::ReadAll => Some(false),
            Self::WriteAll => Some(true),
            _ => None,
        }
    }

    /// What stands before and behind the list of members.
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
