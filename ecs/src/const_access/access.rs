//! What something borrows, and what parameters are called.

use crate::component::ComponentKey;
use crate::term::{ConstTerm, any_in};

/// What something borrows and demands.
#[derive(Clone, Copy)]
pub enum ConstAccess {
    /// Nothing that is known.
    Nothing,
    /// What a query does with entities.
    Query(ConstTerm),
    /// A resource.
    Resource { key: ComponentKey, write: bool },
    /// A value that stays on its thread. Its type has no key.
    NonSend,
    /// Everything, to read.
    World,
    /// The same, with entities that are looked up by id.
    Lookup(&'static Self),
    /// The same, of which each value is given once: the rows of a system would not all see it.
    Once(Given, &'static Self),
    /// A field of a struct of parameters.
    Field { name: &'static str, access: &'static Self },
    /// Parameters of a system, each by itself.
    Params(&'static [Self]),
    /// The same of a large tuple, in groups of four.
    Groups(&'static [Self]),
    /// Parameters of a system, of which one is in use at a time.
    OneOf(&'static [Self]),
}

impl ConstAccess {
    /// The parameters, if these are groups of them.
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

    /// The accesses of which it consists, if it has several.
    pub(super) const fn parts(&self) -> Option<&'static [Self]> {
        match self {
            Self::Params(parts) | Self::Groups(parts) | Self::OneOf(parts) => Some(parts),
            _ => None,
        }
    }

    /// Whether all of the world may be looked at.
    pub(crate) const fn looks_at_world(&self) -> bool {
        match self {
            Self::World => true,
            Self::Field { access, .. } | Self::Once(_, access) => access.looks_at_world(),
            _ if let Some(parts) = self.parts() => any_in!(part in parts => part.looks_at_world()),
            _ => false,
        }
    }

    /// The query that entities are looked up with, or the access as it is.
    pub(super) const fn query(&self) -> &Self {
        match self {
            Self::Lookup(query) => query,
            other => other,
        }
    }
}

/// What a parameter gives once.
#[derive(Clone, Copy)]
pub enum Given {
    /// Messages of a type.
    Messages,
    /// Entities that have lost a component.
    Removals,
}

/// What a system takes, and what its rows are filtered by.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// A parameter that is part of the query that a row system runs over.
    Row,
    /// An option of a row system: a filter of that query.
    Filter,
    /// A parameter for what the target of a row has, or its sources: never the row itself.
    Linked,
    /// A parameter for what the target of a pair has: an entity that may be one of the rows.
    Target,
    /// Any other parameter.
    Param,
}

/// A parameter of a system, or an option of a row system.
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

    /// That of a query as if it were the only parameter of the rows.
    pub(super) const fn of_query(query: &ConstTerm) -> Self {
        Self::new("", ConstAccess::Query(*query), Role::Row)
    }

    /// Whether it is part of the query that a row system runs over.
    pub(super) const fn is_of_rows(&self) -> bool {
        matches!(self.role, Role::Row | Role::Filter)
    }

    /// Whether it is about entities that are linked with a row.
    pub(super) const fn is_linked(&self) -> bool {
        matches!(self.role, Role::Linked)
    }

    /// Whether it is about the target of a pair.
    pub(super) const fn is_target(&self) -> bool {
        matches!(self.role, Role::Target)
    }

    /// Whether it is an option.
    pub(super) const fn is_option(&self) -> bool {
        matches!(self.role, Role::Filter)
    }

    /// What it is in the user's code.
    pub(super) const fn noun(&self) -> &'static str {
        match self.role {
            Role::Row | Role::Linked | Role::Target | Role::Param => "parameter `",
            Role::Filter => "option `",
        }
    }
}
