//! What a term says that is a type.

use core::any::type_name;

use super::usage::{Group, Usage};
use crate::component::{ChangeTracking, Component, ComponentId, ComponentKey, Components, StorageType};

/// A component type, as far as a term has to know it.
pub struct ConstComponent {
    /// Tells it from others while the program is compiled.
    pub(crate) key: ComponentKey,
    /// Whether it is stored outside the tables.
    pub(crate) is_sparse: bool,
    /// Whether it can be known which values have changed.
    pub(crate) can_track: bool,
    /// The size of a value that one can compute with, one without a destructor; otherwise zero.
    computable_size: usize,
    /// The full name of the type.
    pub(crate) name: fn() -> &'static str,
    /// The number in a world, if that has met the component.
    pub(crate) find: fn(&Components) -> Option<ComponentId>,
    /// The number in a world, which meets the component now if need be.
    pub(crate) register: fn(&mut Components) -> ComponentId,
}

impl ConstComponent {
    const fn new<C: Component>() -> Self {
        let is_sparse = matches!(C::STORAGE_TYPE, StorageType::Sparse);
        Self {
            key: C::KEY,
            is_sparse,
            can_track: !matches!(C::TRACK, ChangeTracking::Never),
            computable_size: if is_sparse || core::mem::needs_drop::<C>() { 0 } else { size_of::<C>() },
            name: type_name::<C>,
            find: Components::id::<C>,
            register: Components::register::<C>,
        }
    }
}

/// A place for the constant.
struct Known<C>(C);

impl<C: Component> Known<C> {
    const COMPONENT: ConstComponent = ConstComponent::new::<C>();
}

/// What a term says, with its components as types.
#[derive(Clone, Copy)]
pub enum ConstTerm {
    /// Nothing: every entity matches, and nothing is borrowed.
    Entity,
    /// What it does with a component.
    Component(Usage, &'static ConstComponent),
    /// Several terms.
    Group(Group, &'static [Self]),
    /// `Spawned`: entities that are new match, and nothing is borrowed.
    Spawned,
    /// `SpawnDetails`: every entity matches, and nothing is borrowed.
    SpawnDetails,
    /// `NestedQuery`: every entity matches, and a query of its own, which only reads, borrows what this term says, of other entities.
    Nested(&'static Self),
    /// A term about one component. Which one, and what is done with it, is known when a query is made.
    AtRunTime,
}

impl ConstTerm {
    /// A term about one component.
    pub(crate) const fn of<C: Component>(usage: Usage) -> Self {
        Self::Component(usage, &Known::<C>::COMPONENT)
    }

    /// Whether all of it is known at compile time.
    #[cfg(test)]
    pub(crate) fn is_known(&self) -> bool {
        match self {
            Self::Entity | Self::Spawned | Self::SpawnDetails | Self::Component(..) => true,
            Self::Group(_, members) => members.iter().all(Self::is_known),
            Self::Nested(query) => query.is_known(),
            Self::AtRunTime => false,
        }
    }

    /// How many entries of a list it takes.
    pub(super) fn entries(&self) -> usize {
        match self {
            Self::Group(_, members) => 1 + members.iter().map(Self::entries).sum::<usize>(),
            Self::Nested(query) => 1 + query.entries(),
            _ => 1,
        }
    }

    /// What of the term decides how loops over its rows are compiled.
    pub(crate) const fn facts(&self) -> TermFacts {
        match self {
            Self::Entity => TermFacts::NONE,
            Self::SpawnDetails => TermFacts { outside_tables: false, ..TermFacts::NONE },
            Self::Nested(_) => TermFacts { nests: true, outside_tables: false, ..TermFacts::NONE },
            Self::Spawned => TermFacts { per_row: true, outside_tables: false, only_demands: false, ..TermFacts::NONE },
            Self::AtRunTime => TermFacts {
                per_row: true,
                names_sparse: true,
                outside_tables: false,
                only_demands: false,
                ..TermFacts::NONE
            },
            Self::Component(usage, component) => TermFacts::of_component(*usage, component),
            Self::Group(group, members) => TermFacts::of_group(*group, members),
        }
    }
}

/// What of a term decides how loops over its rows are compiled.
#[derive(Clone, Copy)]
pub struct TermFacts {
    /// Whether rows of a table that matches may differ, so that each has to be asked.
    pub(crate) per_row: bool,
    /// Whether a sparse component is demanded or excluded: then another query may change other rows of the same table.
    pub(crate) names_sparse: bool,
    /// Whether rows of an exact list of changes match without being asked.
    pub(crate) is_sole: bool,
    /// The size of the largest value in a row that one can compute with.
    pub(crate) widest: usize,
    /// Whether there is a query in it, of other entities.
    pub(crate) nests: bool,
    /// Whether everything that is read or asked for is stored outside the tables: then it does not matter in which one an entity is, and
    /// the rows may be those of a sparse storage.
    pub(crate) outside_tables: bool,
    /// Whether a row of a table that matches is asked for nothing but whether it has the sparse components that are demanded.
    pub(crate) only_demands: bool,
    /// Whether rows record in ticks that they were changed, where there are ticks.
    pub(crate) notes_changes: bool,
}

impl TermFacts {
    /// Fails to compile if there is a query in it, of other entities.
    #[track_caller]
    pub(crate) const fn assert_single(&self) {
        assert!(
            !self.nests,
            "a nested query reads other entities, and here one entity is looked at: ask a query of the world instead"
        );
    }

    const NONE: Self = Self {
        per_row: false,
        names_sparse: false,
        is_sole: false,
        widest: 0,
        nests: false,
        outside_tables: true,
        only_demands: true,
        notes_changes: false,
    };

    const fn of_component(usage: Usage, component: &ConstComponent) -> Self {
        let names_sparse = component.is_sparse && (usage.demands() || usage.excludes());
        Self {
            per_row: names_sparse || usage.selects_changes(),
            names_sparse,
            is_sole: usage.selects_changes() && !component.is_sparse,
            widest: if matches!(usage, Usage::Read) || usage.writes() { component.computable_size } else { 0 },
            nests: false,
            outside_tables: matches!(usage, Usage::Allow) || component.is_sparse && !usage.selects_changes(),
            only_demands: !(usage.selects_changes() || component.is_sparse && usage.excludes()),
            notes_changes: usage.writes() && component.can_track,
        }
    }

    const fn of_group(group: Group, members: &[ConstTerm]) -> Self {
        let (mut all, mut asked) = (Self::NONE, 0);
        each_in!(member in members => {
            let member = member.facts();
            all.per_row |= member.per_row;
            all.names_sparse |= member.names_sparse;
            all.is_sole |= member.is_sole;
            all.nests |= member.nests;
            all.outside_tables &= member.outside_tables;
            all.only_demands &= member.only_demands;
            all.notes_changes |= member.notes_changes;
            all.widest = if member.widest > all.widest { member.widest } else { all.widest };
            asked += member.per_row as usize;
        });
        match group {
            Group::All => Self { is_sole: all.is_sole && asked == 1, ..all },
            // It demands nothing.
            Group::Optional => Self {
                widest: all.widest,
                nests: all.nests,
                outside_tables: all.outside_tables,
                notes_changes: all.notes_changes,
                ..Self::NONE
            },
            // A row gives no values, but access to some.
            Group::ReadAll | Group::WriteAll => Self { outside_tables: false, ..Self::NONE },
            // What a row yields differs from row to row.
            Group::Or | Group::AnyOf | Group::FirstOf => Self {
                is_sole: false,
                widest: 0,
                outside_tables: false,
                only_demands: !all.per_row,
                notes_changes: false,
                ..all
            },
        }
    }
}
