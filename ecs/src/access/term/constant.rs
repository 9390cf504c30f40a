//! Terms as compile-time constants.
//!
//! Tests: ecs/src/access/const_access/tests.rs

use core::any::type_name;

use super::usage::{Group, Usage};
use crate::component::{ChangeTracking, Component, ComponentId, ComponentKey, Components, StorageType};

/// The properties of a component type on which terms depend.
pub struct ConstComponent {
    /// Identifies the component at compile time.
    pub(crate) key: ComponentKey,
    /// Whether the component is stored outside the tables.
    pub(crate) is_sparse: bool,
    /// Whether changes of its values can be tracked.
    pub(crate) can_track: bool,
    /// The size of a value, if the type has no destructor, so that loops may compute with values; otherwise 0.
    computable_size: usize,
    /// The full name of the type.
    pub(crate) name: fn() -> &'static str,
    /// Returns the id of the component in a world; `None` if it is not registered there.
    pub(crate) find: fn(&Components) -> Option<ComponentId>,
    /// Returns the id of the component in a world. Registers the component if necessary.
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

/// Holds the [`ConstComponent`] of a component type.
struct ComponentConst<C>(C);

impl<C: Component> ComponentConst<C> {
    const COMPONENT: ConstComponent = ConstComponent::new::<C>();
}

/// A term as a constant. Its components are given by their types.
#[derive(Clone, Copy)]
pub enum ConstTerm {
    /// `Entity` and similar terms: every entity matches, and nothing is borrowed.
    Entity,
    /// A term about one component, and how it uses the component.
    Component(Usage, &'static ConstComponent),
    /// Several terms.
    Group(Group, &'static [Self]),
    /// `Spawned`: only new entities match, and nothing is borrowed.
    Spawned,
    /// `SpawnDetails`: every entity matches, and nothing is borrowed.
    SpawnDetails,
    /// `NestedQuery`: every entity matches. This term belongs to a separate query, which reads data of other entities.
    Nested(&'static Self),
    /// A term about one component. The component and its usage are known only when a query is made.
    AtRunTime,
}

impl ConstTerm {
    /// Returns a term about one component.
    pub(crate) const fn of<C: Component>(usage: Usage) -> Self {
        Self::Component(usage, &ComponentConst::<C>::COMPONENT)
    }

    /// Returns whether the whole term is known at compile time.
    #[cfg(test)]
    pub(crate) fn is_known(&self) -> bool {
        match self {
            Self::Entity | Self::Spawned | Self::SpawnDetails | Self::Component(..) => true,
            Self::Group(_, members) => members.iter().all(Self::is_known),
            Self::Nested(query) => query.is_known(),
            Self::AtRunTime => false,
        }
    }

    /// Returns the number of entries of the term in a list of terms.
    pub(super) fn entries(&self) -> usize {
        match self {
            Self::Group(_, members) => 1 + members.iter().map(Self::entries).sum::<usize>(),
            Self::Nested(query) => 1 + query.entries(),
            _ => 1,
        }
    }

    /// Returns the properties of the term that determine how loops over its rows are compiled.
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

/// The properties of a term that determine how loops over its rows are compiled.
#[derive(Clone, Copy)]
pub struct TermFacts {
    /// Whether some rows of a matched table may match and others not, so that each row has to be checked.
    pub(crate) per_row: bool,
    /// Whether a sparse component is required or excluded. If so, another query may change other rows of the same table at the same time.
    pub(crate) names_sparse: bool,
    /// Whether all rows of an exact list of changes match, so that they need no check.
    pub(crate) is_sole: bool,
    /// The size of the largest value in a row with which loops may compute.
    pub(crate) widest: usize,
    /// Whether the term contains a nested query.
    pub(crate) nests: bool,
    /// Whether all data that is read or tested is stored outside the tables. If so, the table of an entity does not matter, and the loop
    /// can visit the rows of a sparse set.
    pub(crate) outside_tables: bool,
    /// Whether the only check for a row of a matched table is the check for required sparse components.
    pub(crate) only_demands: bool,
    /// Whether changes through items are recorded in the ticks of the row, if the component has ticks.
    pub(crate) notes_changes: bool,
}

impl TermFacts {
    /// Fails to compile if the term contains a nested query.
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
            // An optional term requires nothing of a row, so the facts about required and checked components are those of no term.
            Group::Optional => Self {
                widest: all.widest,
                nests: all.nests,
                outside_tables: all.outside_tables,
                notes_changes: all.notes_changes,
                ..Self::NONE
            },
            // Items are accessors, such as `EntityRef`, which hold no values but need the row in its table.
            Group::ReadAll | Group::WriteAll => Self { outside_tables: false, ..Self::NONE },
            // The inner terms that yield a value differ from row to row.
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
