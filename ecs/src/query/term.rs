//! What a term of a query demands of an entity, as data: for telling users why a query matches what it matches.
//!
//! Nothing here is used to find entities. What is said here of a term must agree with how it matches.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::any::type_name;

use crate::component::{Component, ComponentId, StorageType};
use crate::store::Store;
use crate::tracking::Which;

/// A component that a term is about.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The name without modules.
    pub(crate) name: String,
    /// Nothing if the world has never met it.
    pub(crate) id: Option<ComponentId>,
    /// The number of the sparse storage, if it is stored in one and the world has met it.
    pub(crate) sparse: Option<usize>,
}

impl Part {
    fn of<C: Component>(store: &Store) -> Self {
        let id = store.archetypes.components.id::<C>();
        let info = id.and_then(|id| store.archetypes.components.info(id));
        let sparse = info.filter(|info| info.storage() == StorageType::Sparse).map(|info| info.sparse_index());
        Self { name: short_name(type_name::<C>()), id, sparse }
    }
}

/// What a term demands.
#[derive(Clone, Debug)]
pub(crate) enum Demand {
    /// Nothing: it only looks what there is.
    Nothing,
    With,
    Without,
    /// That the component is there, and new.
    New(Which),
    /// One of these.
    Any(Vec<Term>),
    /// All of these.
    All(Vec<Term>),
}

/// One term of a query.
#[derive(Clone, Debug)]
pub struct Term {
    /// As users write it.
    pub(crate) name: String,
    /// The component, if the term is about one.
    pub(crate) part: Option<Part>,
    pub(crate) demand: Demand,
}

impl Term {
    /// A term about one component, which is written with something before and behind its name.
    pub(crate) fn one<C: Component>(store: &Store, before: &str, behind: &str, demand: Demand) -> Self {
        let part = Part::of::<C>(store);
        Self { name: format!("{before}{}{behind}", part.name), part: Some(part), demand }
    }

    /// A term about no component.
    pub(crate) fn entity() -> Self {
        Self { name: String::from("Entity"), part: None, demand: Demand::Nothing }
    }

    /// Several terms, all of which must hold.
    pub(crate) fn all(members: Vec<Self>) -> Self {
        Self { name: list(&members), part: None, demand: Demand::All(members) }
    }

    /// Several terms, one of which must hold, with something before and behind them; `members` are given as one term that
    /// demands them all.
    pub(crate) fn any(before: &str, behind: &str, members: Self) -> Self {
        let name = format!("{before}{}{behind}", members.name);
        Self { name, part: None, demand: Demand::Any(members.into_members()) }
    }

    /// The same terms, without demanding anything.
    pub(crate) fn optional(inner: Self) -> Self {
        let inner = Self { name: format!("Option<{}>", inner.name), ..inner };
        Self { demand: Demand::Nothing, ..inner }
    }

    /// The single terms that are demanded together.
    pub(crate) fn into_members(self) -> Vec<Self> {
        match self.demand {
            Demand::All(members) => members,
            _ => vec![self],
        }
    }
}

/// As users write a tuple, or the only member: that may be a field of a struct or of an enum.
fn list(members: &[Term]) -> String {
    let names: Vec<&str> = members.iter().map(|member| &*member.name).collect();
    match names[..] {
        [only] => String::from(only),
        _ => format!("({})", names.join(", ")),
    }
}

/// The name of a type without the modules of the types in it.
pub(crate) fn short_name(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    let mut word = 0;
    for (at, letter) in name.char_indices() {
        if name[at..].starts_with("::") {
            // What has been written of this word was a module, or a type with something inside.
            if !short.ends_with('>') {
                short.truncate(word);
            }
        } else if letter != ':' {
            short.push(letter);
            if !(letter.is_alphanumeric() || letter == '_') {
                word = short.len();
            }
        }
    }
    short
}
