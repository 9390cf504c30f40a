//! Why there is no delta, or none is applied.

use std::fmt;

use strata_ecs::snapshot::JournalError;

use super::DeltaMark;
use crate::error::{LoadError, NotSaved, SaveError};

/// There is no [delta](crate::WorldFormat::delta_since) of a world.
#[derive(Debug)]
#[non_exhaustive]
pub enum DeltaError {
    /// It is not known what has changed.
    Journal(JournalError),
    /// Some of what the world holds is not in the format. All of that.
    NotSaved(Vec<NotSaved>),
    /// Two types of the format have the same name.
    SameName(String),
    /// A value cannot be serialised: the name of its type, and why.
    Value(&'static str, String),
    /// The format saves the entities that match a filter ([`with_only_entities`](crate::WorldFormat::with_only_entities)): which of them a
    /// replica knows already is not kept.
    OnlySomeEntities,
}

/// A delta is not applied. The replica and its world are as they were; only components and resources may have been registered.
#[derive(Debug)]
#[non_exhaustive]
pub enum ApplyError {
    /// The bytes are not those of a delta, are damaged, or do not fit what the replica knows.
    Load(LoadError),
    /// The delta does not follow on what the replica has come to.
    NotNext {
        /// What the replica has come to, if it has begun.
        replica: Option<DeltaMark>,
        /// What the delta follows on.
        delta: DeltaMark,
    },
    /// The replica is one of another world.
    OtherWorld,
    /// A component or relation cannot be registered in the world, since another one has its name.
    Register(String),
}

impl fmt::Display for DeltaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Journal(error) => error.fmt(f),
            // The same in files.
            Self::NotSaved(all) => SaveError::NotSaved(all.clone()).fmt(f),
            Self::SameName(name) => SaveError::SameName(name.clone()).fmt(f),
            Self::Value(name, error) => write!(f, "a value of `{name}` cannot be serialised: {error}"),
            Self::OnlySomeEntities => f.write_str("there are no deltas of the entities that match a filter"),
        }
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::NotNext { replica: None, .. } => f.write_str("the replica has not begun with a full delta or a file"),
            Self::NotNext { replica: Some(DeltaMark(at)), delta: DeltaMark(from) } => {
                write!(f, "the delta follows on position {from:?}, and the replica has come to {at:?}")
            }
            Self::OtherWorld => f.write_str("the replica is one of another world"),
            Self::Register(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for DeltaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Journal(error) => Some(error),
            _ => None,
        }
    }
}

impl std::error::Error for ApplyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Load(error) => Some(error),
            _ => None,
        }
    }
}
