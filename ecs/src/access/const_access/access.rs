//! Compile-time access of parameters, and the names of parameters in messages.
//!
//! Tests: ecs/src/access/const_access/tests.rs

use crate::access::term::{ConstTerm, any_in};
use crate::component::ComponentKey;

/// The access of a parameter: the data that it borrows and the components that it requires.
#[derive(Clone, Copy)]
pub enum ConstAccess {
    /// Nothing that is known at compile time.
    Nothing,
    /// Components, through a query.
    Query(ConstTerm),
    /// A resource.
    Resource { key: ComponentKey, write: bool },
    /// A value that stays on its thread. Its type has no key.
    NonSend,
    /// The whole world, to read.
    World,
    /// An access to entities that are looked up by id.
    Lookup(&'static Self),
    /// An access that yields each value once: only the first row of a row system would see it.
    Once(YieldedOnce, &'static Self),
    /// A field of a struct of parameters.
    Field { name: &'static str, access: &'static Self },
    /// Parameters of a system, in use at the same time.
    Params(&'static [Self]),
    /// Parameters of a large tuple, in groups of four.
    Groups(&'static [Self]),
    /// Parameters of a system, of which only one is in use at a time.
    OneOf(&'static [Self]),
}

impl ConstAccess {
    /// Converts `Params` into `Groups`, if the members are groups.
    pub(crate) const fn as_groups(self) -> Self {
        match self {
            Self::Params(groups) => Self::Groups(groups),
            other => other,
        }
    }

    /// A member of the parameters.
    pub(super) const fn member(&self, at: usize) -> Option<&Self> {
        match self {
            Self::Params(parts) if at < parts.len() => Some(&parts[at]),
            Self::Groups(groups) if at / 4 < groups.len() => groups[at / 4].member(at % 4),
            _ => None,
        }
    }

    /// The parts of the access, if it has several.
    pub(super) const fn parts(&self) -> Option<&'static [Self]> {
        match self {
            Self::Params(parts) | Self::Groups(parts) | Self::OneOf(parts) => Some(parts),
            _ => None,
        }
    }

    /// Whether it may read the whole world.
    pub(crate) const fn looks_at_world(&self) -> bool {
        match self {
            Self::World => true,
            Self::Field { access, .. } | Self::Once(_, access) => access.looks_at_world(),
            _ if let Some(parts) = self.parts() => any_in!(part in parts => part.looks_at_world()),
            _ => false,
        }
    }

    /// The query with which entities are looked up, or the access itself if it is not a lookup.
    pub(super) const fn query(&self) -> &Self {
        match self {
            Self::Lookup(query) => query,
            other => other,
        }
    }
}

/// The values that a parameter yields once.
#[derive(Clone, Copy)]
pub enum YieldedOnce {
    /// Messages of a type.
    Messages,
    /// Removed components.
    Removals,
}

/// The role of a parameter or an option of a system.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// A parameter that is part of the query of a row system.
    Row,
    /// An option of a row system: a filter of that query.
    Filter,
    /// A parameter for data of a row's target, or of its sources: never of the row itself.
    Linked,
    /// A parameter for data of a pair's target: an entity that may be one of the rows.
    Target,
    /// Any other parameter.
    Param,
}

/// The access of a parameter of a system, or of an option of a row system such as `with`.
#[derive(Clone, Copy)]
pub struct NamedAccess {
    pub(super) name: &'static str,
    pub(super) access: ConstAccess,
    role: Role,
}

impl NamedAccess {
    pub(crate) const fn new(name: &'static str, access: ConstAccess, role: Role) -> Self {
        Self { name, access, role }
    }

    /// The access of a query as if it were the only row parameter.
    pub(super) const fn of_query(query: &ConstTerm) -> Self {
        Self::new("", ConstAccess::Query(*query), Role::Row)
    }

    /// Whether it is part of the query of a row system.
    pub(super) const fn is_of_rows(&self) -> bool {
        matches!(self.role, Role::Row | Role::Filter)
    }

    /// Whether it accesses entities that are linked with a row.
    pub(super) const fn is_linked(&self) -> bool {
        matches!(self.role, Role::Linked)
    }

    /// Whether it accesses the target of a pair.
    pub(super) const fn is_target(&self) -> bool {
        matches!(self.role, Role::Target)
    }

    /// Whether it is an option.
    pub(super) const fn is_option(&self) -> bool {
        matches!(self.role, Role::Filter)
    }

    /// The word for it in messages.
    pub(super) const fn noun(&self) -> &'static str {
        match self.role {
            Role::Row | Role::Linked | Role::Target | Role::Param => "parameter `",
            Role::Filter => "option `",
        }
    }
}
