//! The part of the access of parameters that is known at compile time, and the names of parameters for messages.
//!
//! Tests: ecs/src/access/const_access/tests.rs

use crate::access::term::{ConstTerm, any_in};
use crate::component::ComponentKey;

/// The access of a parameter: the data that the parameter borrows, and the components that it requires.
#[derive(Clone, Copy)]
pub enum ConstAccess {
    /// The parameter borrows nothing that is known at compile time.
    Nothing,
    /// Components, through a query.
    Query(ConstTerm),
    /// A resource.
    Resource { key: ComponentKey, write: bool },
    /// A non-send value. Its type has no key.
    NonSend,
    /// The whole world, for reading.
    World,
    /// Access to entities that are looked up by id.
    Lookup(&'static Self),
    /// Access that yields each value only once, so only the first row of a row system would see the value.
    Once(YieldedOnce, &'static Self),
    /// A field of a struct of parameters.
    Field { name: &'static str, access: &'static Self },
    /// Parameters of a system that are in use at the same time.
    Params(&'static [Self]),
    /// Parameters of a large tuple, in groups of up to four.
    Groups(&'static [Self]),
    /// Parameters of a system, of which only one is in use at a time.
    OneOf(&'static [Self]),
}

impl ConstAccess {
    /// Converts `Params` into `Groups`. The members must be groups of parameters.
    pub(crate) const fn as_groups(self) -> Self {
        match self {
            Self::Params(groups) => Self::Groups(groups),
            other => other,
        }
    }

    /// Returns the parameter at a position.
    pub(super) const fn member(&self, at: usize) -> Option<&Self> {
        match self {
            Self::Params(parts) if at < parts.len() => Some(&parts[at]),
            Self::Groups(groups) if at / 4 < groups.len() => groups[at / 4].member(at % 4),
            _ => None,
        }
    }

    /// Returns the parts of the access; `None` if the access is not a list of parts.
    pub(super) const fn parts(&self) -> Option<&'static [Self]> {
        match self {
            Self::Params(parts) | Self::Groups(parts) | Self::OneOf(parts) => Some(parts),
            _ => None,
        }
    }

    /// Returns whether the access may read the whole world.
    pub(crate) const fn looks_at_world(&self) -> bool {
        match self {
            Self::World => true,
            Self::Field { access, .. } | Self::Once(_, access) => access.looks_at_world(),
            _ if let Some(parts) = self.parts() => any_in!(part in parts => part.looks_at_world()),
            _ => false,
        }
    }

    /// Returns the query of a lookup. If the access is not a lookup, returns the access itself.
    pub(super) const fn query(&self) -> &Self {
        match self {
            Self::Lookup(query) => query,
            other => other,
        }
    }
}

/// The kind of values that a parameter yields only once.
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
    /// An option of a row system: a filter of the query of the row system.
    Filter,
    /// A parameter for data of the target of a row, or of the sources of a row. It never accesses the row itself.
    Linked,
    /// A parameter for data of the target of a pair. The target may be one of the rows.
    Target,
    /// Any other parameter.
    Param,
}

/// The access of a parameter of a system or of an option of a row system, such as `with`, and the name of the parameter or option.
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

    /// Returns the access of a query as if the query were the only row parameter of a system.
    pub(super) const fn of_query(query: &ConstTerm) -> Self {
        Self::new("", ConstAccess::Query(*query), Role::Row)
    }

    /// Returns whether the parameter or option is part of the query of a row system.
    pub(super) const fn is_of_rows(&self) -> bool {
        matches!(self.role, Role::Row | Role::Filter)
    }

    /// Returns whether the parameter accesses entities that are linked with a row.
    pub(super) const fn is_linked(&self) -> bool {
        matches!(self.role, Role::Linked)
    }

    /// Returns whether the parameter accesses the target of a pair.
    pub(super) const fn is_target(&self) -> bool {
        matches!(self.role, Role::Target)
    }

    /// Returns whether this is an option.
    pub(super) const fn is_option(&self) -> bool {
        matches!(self.role, Role::Filter)
    }

    /// Returns the word that precedes the name in messages: "parameter" or "option", followed by a backtick.
    pub(super) const fn noun(&self) -> &'static str {
        match self.role {
            Role::Row | Role::Linked | Role::Target | Role::Param => "parameter `",
            Role::Filter => "option `",
        }
    }
}
