//! Errors of making and applying deltas.
//!
//! Tests: tests/snapshots/deltas.rs

use std::fmt;

use strata_ecs::snapshot::JournalError;

use super::parts::DeltaMark;
use crate::error::{LoadError, NotSaved, SaveError};

/// A [delta](crate::WorldFormat::delta_since) of a world cannot be created.
#[derive(Debug)]
#[non_exhaustive]
pub enum DeltaError {
    /// The journal does not contain the changes.
    Journal(JournalError),
    /// The format does not know some data of the world; the error lists all of them.
    NotSaved(Vec<NotSaved>),
    /// Two types of the format have the same name.
    SameName(String),
    /// A value cannot be serialised: the name of its type, and the reason.
    Value(&'static str, String),
    /// The format only saves the entities that match a filter ([`with_only_entities`](crate::WorldFormat::with_only_entities)). Deltas do
    /// not support that, because no record is kept of the entities that a replica already has.
    OnlySomeEntities,
}

/// A delta cannot be applied. The replica and its world are unchanged; only components and resources may have been registered.
#[derive(Debug)]
#[non_exhaustive]
pub enum ApplyError {
    /// The bytes are not a delta, are damaged, or do not fit the state of the replica.
    Load(LoadError),
    /// The delta does not start at the position of the replica.
    NotNext {
        /// The position of the replica, if it has started.
        replica: Option<DeltaMark>,
        /// The position at which the delta starts.
        delta: DeltaMark,
    },
    /// The replica belongs to another world.
    OtherWorld,
    /// A component or relation cannot be registered in the world, since another one has its name.
    Register(String),
}

impl fmt::Display for DeltaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Journal(error) => error.fmt(f),
            // Deltas and files share the text of this error.
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
